"""The facts of one run of scil, acil or measure, read leniently: what is not said is not known."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import fsum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from skillwalker.datatypes.history import GateFacts, RunFacts, Spent
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.errors import StoreError
from skillwalker.recording.records import check_version
from skillwalker.recording.rows import read_rows
from skillwalker.recording.store import (
    IMPROVER,
    PLAN,
    SET_ASIDE,
    SUMMARIES,
    read_plan,
    read_summary,
)
from skillwalker.targets.names import description_hash

Row = Mapping[str, Any]

KINDS = ("scil", "acil", "measure")
SIMULATED = "simulated"
TRIAL = "trial"
"""The purpose of the calls that trials make."""
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def read_run_facts(folder: Path, moment: datetime) -> RunFacts:
    """Read what a run was about and how it ended.

    What run.json does not say is taken from the summary and from the iterations.

    Args:
        folder: the run's folder.
        moment: when it began.

    Raises:
        StoreError: a file cannot be read, a newer Skillwalker wrote it, or it names no target.
    """
    plan, summary = read_plan(folder), _summary(folder)
    for name, record in ((PLAN, plan), ("the summary", summary)):
        if record:
            check_version(record, name)
    iterations = () if plan.get("cases") else _iterations(folder)
    both: Row = {**summary, **plan}
    kind, target = both.get("kind"), both.get("target")
    if kind is None and not plan and not summary:
        raise StoreError(f"it was cut off: there is neither {PLAN} nor a summary")
    if kind not in KINDS:
        raise StoreError(f"its kind is {kind!r}, this Skillwalker knows {', '.join(KINDS)}")
    if not isinstance(target, str):
        raise StoreError("neither run.json nor a summary names its target")
    return RunFacts(
        run_id=folder.name,
        began=moment,
        kind=kind,
        target=target,
        target_path=str(both.get("target_path") or ""),
        suite=str(both.get("suite") or ""),
        simulated=_is_simulated(plan, summary),
        listing_mode=str(both.get("listing_mode") or "real"),
        original=_original(both, iterations),
        should_trigger=_polarities(plan, iterations),
        ended=bool(summary),
        best=_hash(summary.get("best_description")),
        verdict=_word(summary.get("verdict")),
        stopped_because=_word(summary.get("stopped_because")),
        gate=_gate(summary.get("gate")),
        applied=summary.get("applied") is True,
        max_turns=_turns(plan.get("settings")),
        own_turns=_own_turns(plan.get("cases")),
        groups=_groups(plan.get("cases")),
    )


def read_told(folder: Path) -> int:
    """Read how many trials a run had by its summary; 0 where none counts them.

    Raises:
        StoreError: the summary cannot be read.
    """
    return _number(_summary(folder).get("trials"))


def read_spent(folder: Path, *, simulated: bool) -> tuple[Spent, ...]:
    """Read what a run took beside the trials that count.

    That is its improver and judge, and trials that were set aside. The summary counts calls that
    gave no answer too; a run without one has its journal.

    Args:
        folder: the run's folder.
        simulated: whether no model was asked.

    Raises:
        StoreError: a file cannot be read.
    """
    aside = tuple(read_rows(folder / SET_ASIDE))
    usage = _summary(folder).get("usage")
    if isinstance(usage, dict):
        totals = {str(name): usage_of(t) for name, t in usage.items() if isinstance(t, dict)}
    else:
        calls = (row.get("usage") for row in read_rows(folder / IMPROVER))
        totals = {"improver": add_usage(_one_call(c) for c in calls if isinstance(c, dict))}
    totals[TRIAL] = add_usage(map(_one_call, aside))
    return tuple(
        Spent(
            run_id=folder.name,
            simulated=simulated,
            purpose=purpose,
            usage=total,
            estimated_calls=count_estimated(aside) if purpose == TRIAL else 0,
        )
        for purpose, total in totals.items()
    )


def count_estimated(rows: Iterable[Row]) -> int:
    """Count the lines of trials whose cost is known as an estimate alone."""
    return sum(
        row.get("cost_estimated") is True and row.get("cost_usd") is not None for row in rows
    )


def usage_of(record: Row) -> UsageTotal:
    """Read a sum of usage; what it does not say is none."""
    return UsageTotal(
        calls=_number(record.get("calls")),
        input_tokens=_number(record.get("input_tokens")),
        output_tokens=_number(record.get("output_tokens")),
        cache_read_tokens=_number(record.get("cache_read_tokens")),
        cache_write_tokens=_number(record.get("cache_write_tokens")),
        cost_usd=float(record.get("cost_usd") or 0.0),
        cost_unknown_calls=_number(record.get("cost_unknown_calls")),
    )


def add_usage(totals: Iterable[UsageTotal]) -> UsageTotal:
    """Add sums of usage up."""
    parts = tuple(totals)
    return UsageTotal(
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cache_read_tokens=sum(part.cache_read_tokens for part in parts),
        cache_write_tokens=sum(part.cache_write_tokens for part in parts),
        cost_usd=fsum(part.cost_usd for part in parts),
        cost_unknown_calls=sum(part.cost_unknown_calls for part in parts),
    )


def _one_call(usage: Row) -> UsageTotal:
    """Read the usage of a single call."""
    unknown = usage.get("cost_usd") is None
    return usage_of({**usage, "calls": 1, "cost_unknown_calls": int(unknown)})


def _summary(folder: Path) -> Row:
    """Read the summary; empty when the run did not end."""
    ended = any((folder / name).exists() for name in SUMMARIES)
    return read_summary(folder) if ended else {}


def _iterations(folder: Path) -> tuple[Row, ...]:
    """Read the iterations of whichever kind the run is."""
    return tuple(row for kind in KINDS for row in read_rows(folder / f"{kind}-iteration.jsonl"))


def _is_simulated(plan: Row, summary: Row) -> bool:
    """Say whether no model was asked.

    A run that was killed before it could say so is taken for simulated when its endpoint is on
    this machine: an unknown must not pass for a figure about Claude.
    """
    facts = plan.get("facts")
    said = facts if isinstance(facts, dict) else {}
    for record in (summary, said):
        if isinstance(record.get("simulated"), bool):
            return bool(record["simulated"])
    order = plan.get("order")
    if isinstance(order, dict) and order.get("engine") == SIMULATED:
        return True
    return urlsplit(str(said.get("endpoint") or "")).hostname in LOOPBACK


def _original(both: Row, iterations: tuple[Row, ...]) -> str | None:
    """Name the candidate that the file held when the run began."""
    if (written := _hash(both.get("original_description"))) is not None:
        return written
    first = (row.get("candidate") for row in iterations if row.get("iteration") == 1)
    return next((str(candidate) for candidate in first if candidate), None)


def _polarities(plan: Row, iterations: tuple[Row, ...]) -> dict[str, bool]:
    """Say of each case whether the target should trigger."""
    frozen = plan.get("cases")
    rows = list(frozen) if isinstance(frozen, list) else []
    rows += [row for it in iterations for row in it.get("cases") or ()]
    found: dict[str, bool] = {}
    for row in rows:
        asked = _polarity(row)
        if asked is not None:
            found.setdefault(str(row["case"]), asked)
    return found


def _polarity(row: object) -> bool | None:
    """Read what a case asks for, where need be from its vote and whether that passed."""
    if not isinstance(row, dict) or "case" not in row:
        return None
    if isinstance(row.get("should_trigger"), bool):
        return bool(row["should_trigger"])
    called, not_called = _number(row.get("triggered")), _number(row.get("not_triggered"))
    if called == not_called or not isinstance(row.get("passed"), bool):
        return None
    return (called > not_called) is bool(row["passed"])


def _turns(record: object) -> int | None:
    """Read the turn limit of a run's settings, or of a case."""
    limit = record.get("max_turns") if isinstance(record, dict) else None
    return limit if isinstance(limit, int) else None


def _own_turns(cases: object) -> dict[str, int]:
    """Read the turn limits of the cases that set their own."""
    limits = {
        str(row["case"]): _turns(row)
        for row in (cases if isinstance(cases, list) else ())
        if isinstance(row, dict) and "case" in row
    }
    return {case: limit for case, limit in limits.items() if limit is not None}


def _groups(cases: object) -> dict[str, str]:
    """Read which cases are near-duplicates of one another."""
    return {
        str(row["case"]): row["group"]
        for row in (cases if isinstance(cases, list) else ())
        if isinstance(row, dict) and "case" in row and isinstance(row.get("group"), str)
    }


def _gate(record: object) -> GateFacts | None:
    """Read how the gate ended."""
    if not isinstance(record, dict):
        return None
    return GateFacts(passed=record.get("passed") is True, rounds=_number(record.get("rounds")))


def _hash(text: object) -> str | None:
    return description_hash(text) if isinstance(text, str) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
