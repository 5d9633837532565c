"""Recorded runs of a made-up past, written by the product's own store."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.scores import GateResult, UsageTotal
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial, Usage
from skillwalker.datatypes.vocabulary import (
    CaseSet,
    Mode,
    Outcome,
    StopReason,
    TargetKind,
    Verdict,
)
from skillwalker.recording.store import RunStore
from skillwalker.targets.names import description_hash

SONNET = "claude-sonnet-5-5"
CASES = {"p1": True, "p2": True, "n1": False, "n2": False}
OLD, NEW = "Reviews code.", "Reviews code. Use it for diffs and pull requests."
TRIAL = Trial(
    case="p1",
    set=CaseSet.TRAIN,
    candidate=description_hash(OLD),
    iteration=1,
    run_index=0,
    attempt=0,
    model=SONNET,
    model_asked="sonnet",
    engine="docker",
    endpoint="https://api.anthropic.com",
    permission_mode="dontAsk",
    cli_version="2.1.332",
    effort="default",
    cell_key="key",
    outcome=Outcome.TRIGGERED,
    reason=None,
    step=1,
    turns=1,
    mode=Mode.TOOL,
    also_fired=(),
    usage=Usage(input_tokens=10, output_tokens=1, cost_usd=0.01),
    duration=1.0,
    transcript=None,
)
_LETTERS = {"t": Outcome.TRIGGERED, "n": Outcome.NOT_TRIGGERED, "u": Outcome.UNDECIDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A run as it once was."""

    run_id: str
    trials: tuple[Trial, ...] = ()
    kind: str = "measure"
    target: str = "demo:review"
    suite: str = "review"
    cases: Mapping[str, bool] | None = None
    original: str = OLD
    best: str = OLD
    verdict: Verdict = Verdict.KEPT
    stopped: StopReason = StopReason.ITERATIONS
    gate: GateResult | None = None
    applied: bool = False
    simulated: bool = False
    listing_mode: str = "real"
    max_turns: int = 4
    own_turns: tuple[tuple[str, int], ...] = ()
    """Cases with a turn limit of their own."""
    ended: bool = True
    improver_cost: float | None = None
    """Of its one improver call; None for no call."""
    siblings: tuple[tuple[str, str], ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    """Cases whose prompt is not made of their name."""
    groups: tuple[tuple[str, str], ...] = ()
    """Cases with near-duplicates, and what they share."""


def trials(
    outcomes: Mapping[str, str],
    *,
    text: str = OLD,
    side: CaseSet = CaseSet.TRAIN,
    like: Trial = TRIAL,
    first: int = 0,
) -> tuple[Trial, ...]:
    """Make trials: a word a run, a letter an attempt (`t` triggered, `n` not, `u` undecided).

    Args:
        outcomes: by case, as in `{"p1": "t n ut"}`.
        text: the description.
        side: the set.
        like: has everything else.
        first: the run index of each case's first word.
    """
    return tuple(
        _trial(replace(like, case=case, set=side, candidate=description_hash(text)), index, letters)
        for case, words in outcomes.items()
        for index, word in enumerate(words.split(), start=first)
        for letters in (word[: place + 1] for place in range(len(word)))
    )


def _trial(like: Trial, run_index: int, letters: str) -> Trial:
    """Make the attempt that the last letter stands for."""
    outcome = _LETTERS[letters[-1]]
    silent = outcome is Outcome.UNDECIDED
    return replace(
        like,
        run_index=run_index,
        attempt=len(letters) - 1,
        outcome=outcome,
        reason=(like.reason or "rate") if silent else None,
        model=None if silent else like.model,
        usage=replace(like.usage, cost_usd=None) if silent else like.usage,
    )


def gate(*, passed: bool, rounds: int = 2) -> GateResult:
    """A gate that ended one way or the other."""
    return GateResult(
        p_better=0.99 if passed else 0.4,
        threshold=0.9,
        passed=passed,
        change=0.25,
        interval=(0.1, 0.4),
        recall_change=0.5,
        specificity_change=0.0,
        rounds=rounds,
        reason="so it was",
    )


def write_past(output: Path, past: Past) -> Path:
    """Write a run as the product leaves it."""
    folder = output / past.run_id
    folder.mkdir(parents=True)
    store = RunStore(folder, paid=False)
    store.write_plan(plan_of(past))
    for trial in past.trials:
        store.record_trial(trial, ())
    if past.improver_cost is not None:
        usage = Usage(input_tokens=100, output_tokens=10, cost_usd=past.improver_cost)
        call = Exchange(prompt="p", reply="r", fault=None, model="opus", usage=usage)
        store.record_answer(1, Answer(description=past.best, reason="", exchanges=(call,)))
    if past.ended:
        store.write_summary(summary_of(past))
    store.close()
    return folder


def plan_of(past: Past) -> dict[str, object]:
    """What run.json holds, as far as anything but `--resume` reads it."""
    first = past.trials[0] if past.trials else TRIAL
    prompts, groups = dict(past.prompts), dict(past.groups)
    return {
        "schema_version": 1,
        "run_id": past.run_id,
        "kind": past.kind,
        "suite": past.suite,
        "target": past.target,
        "target_path": f"plugins/demo/skills/{past.target.partition(':')[2]}/SKILL.md",
        "original_description": past.original,
        "siblings": [{"kind": "skill", "target": t, "sha256": s} for t, s in past.siblings],
        "listing_mode": past.listing_mode,
        "order": {"engine": first.engine},
        "settings": {"max_turns": past.max_turns},
        "facts": {
            "name": first.engine,
            "endpoint": first.endpoint,
            "permission_mode": first.permission_mode,
            "cli_version": first.cli_version,
            "effort": first.effort,
            "simulated": past.simulated,
        },
        "accepted_changes": [],
        "cases": [
            {
                "case": case,
                "should_trigger": positive,
                "set": "train",
                **({"group": groups[case]} if case in groups else {}),
                "prompt_sha256": hashlib.sha256(prompts.get(case, case).encode()).hexdigest(),
                "scaffold_sha256": None,
                "max_turns": dict(past.own_turns).get(case),
            }
            for case, positive in (CASES if past.cases is None else past.cases).items()
        ],
    }


def summary_of(past: Past) -> Summary:
    """The summary of a run that ended."""
    first = past.trials[0] if past.trials else TRIAL
    calls = 0 if past.improver_cost is None else 1
    improver = UsageTotal(
        calls=calls,
        input_tokens=100 * calls,
        output_tokens=10 * calls,
        cost_usd=past.improver_cost or 0.0,
    )
    return Summary(
        run_id=past.run_id,
        kind=past.kind,
        suite=past.suite,
        target=past.target,
        target_kind=TargetKind.SKILL,
        target_path="plugins/demo/skills/review/SKILL.md",
        target_sha256="0" * 64,
        position="plugin",
        engine=first.engine,
        simulated=past.simulated,
        endpoint=first.endpoint,
        cli_version=first.cli_version,
        permission_mode=first.permission_mode,
        models=(SONNET,),
        seed=0,
        verdict=past.verdict,
        stopped_because=past.stopped,
        cause=None,
        original_description=past.original,
        best_description=past.best,
        best_iteration=1 if past.best == past.original else 2,
        improved=past.verdict is Verdict.IMPROVED,
        applied=past.applied,
        measured_on="search",
        original=None,
        best=None,
        gate=past.gate,
        rate_in_file=None,
        iterations=1,
        trials=len(past.trials),
        undecided=0,
        usage=(("trial", UsageTotal()), ("improver", improver), ("judge", UsageTotal())),
        listing=None,
        listing_mode=past.listing_mode,
    )


def write_all(output: Path, pasts: Sequence[Past]) -> None:
    """Write several runs."""
    for past in pasts:
        write_past(output, past)
