"""What changed between two lives of a run: their records, laid side by side (pure)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]

POOLED = {"cli_version": "the Claude CLI", "effort": "the effort"}
NEVER_POOLED = {
    "name": "the engine",
    "endpoint": "the endpoint",
    "permission_mode": "the permission mode",
}
_PROMPTS = ("prompt_sha256", "scaffold_sha256", "max_turns")
"""What makes a trial of a case another experiment, and is no part of what names the trial."""
_CASE_KEYS = (*_PROMPTS, "should_trigger", "set", "model", "runs", "timeout")


def find_changes(old: Record, new: Record) -> Iterator[str]:
    """Tell in words what of suite, target and siblings is no longer what it was."""
    if old["suite"] != new["suite"]:
        yield f"the suite is {new['suite']} instead of {old['suite']}"
    if old["target_path"] != new["target_path"]:
        yield f"the target is {new['target_path']} instead of {old['target_path']}"
    elif old["target_sha256"] != new["target_sha256"]:
        yield f"the file {old['target_path']} changed"
    before, now = ({(s["kind"], s["target"]): s for s in row["siblings"]} for row in (old, new))
    for kind, name in sorted(before.keys() | now.keys()):
        what = _difference(before.get((kind, name)), now.get((kind, name)), ("sha256",))
        if what:
            yield f"the sibling {kind} {name} {'changed' if 'sha256' in what else what}"
    yield from _metrics_moved(old, new)
    cases, cases_now = (_numbered(_measured(row)) for row in (old, new))
    for key in sorted(cases.keys() | cases_now.keys()):
        what = _difference(cases.get(key), cases_now.get(key), _CASE_KEYS)
        if what:
            yield f"suite {old['suite']}, case {key[0]!r} {what}"


def _metrics_moved(old: Record, new: Record) -> Iterator[str]:
    """Tell in words which tracked metrics measure something else; older records have none."""
    rows = (row.get("metrics", ()) for row in (old, new)) if "metrics" in old else ((), ())
    before, now = ({metric["name"]: metric for metric in row} for row in rows)
    for name in sorted(before.keys() | now.keys()):
        what = _difference(before.get(name), now.get(name), ("version", "fingerprint"))
        if what:
            yield f"the metric {name} {'measures something else' if 'another' in what else what}"


def _numbered(cases: Sequence[Record]) -> dict[tuple[str, int], Record]:
    """Key cases by name, those of several models by their place among them too."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], Record] = {}
    for case in cases:
        found[case["case"], seen[case["case"]]] = case
        seen[case["case"]] += 1
    return found


def _measured(row: Record) -> tuple[Record, ...]:
    """List the cases of a run, those of its neighbours included."""
    return (*row["cases"], *row.get("neighbours", ()))


def stale_cases(old: Record, new: Record) -> frozenset[str]:
    """Name the cases whose recorded trials answered something else than they would now."""
    now = {case["case"]: case for case in _measured(new)}
    return frozenset(
        case["case"]
        for case in _measured(old)
        if case["case"] in now and any(case[key] != now[case["case"]][key] for key in _PROMPTS)
    )


def moved_facts(old: Record, new: Record, keys: Mapping[str, str]) -> Iterator[str]:
    """Tell in words which facts of the engine differ, of those that are named."""
    for key, words in keys.items():
        if old[key] != new[key]:
            yield f"{words} is {new[key]!r} instead of {old[key]!r}"


def moved_simulation(old: Record, *, simulated: bool) -> Iterator[str]:
    """Tell in words that a stand-in answers where a model did, or the other way round.

    Args:
        old: facts of the engine in an earlier life; older records do not say.
        simulated: whether no model answers now.
    """
    if old.get("simulated", simulated) == simulated:
        return
    if simulated:
        yield "a stand-in answers there now, and a model did before"
    else:
        yield "a model answers there now, and none did before"


def _difference(old: Record | None, new: Record | None, keys: tuple[str, ...]) -> str:
    """Say in words how one entry differs; empty when it does not."""
    if old is None:
        return "is new"
    if new is None:
        return "is gone"
    moved = [key.removesuffix("_sha256") for key in keys if old.get(key) != new.get(key)]
    return f"has another {', '.join(moved)}" if moved else ""
