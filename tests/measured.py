"""Builders of measured records for tests: cases, trials, results, iterations."""

from collections.abc import Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import CaseResult, Cell, Iteration
from skillwalker.datatypes.trials import BuiltPlugin, CalledAs, Trial, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, Phase, TargetKind

BUILT = BuiltPlugin(
    candidate="0123456789abcdef",
    plugin_dirs=(Path("/copy/demo"),),
    project_dir=None,
    called_as=CalledAs(
        kind=TargetKind.SKILL,
        names=frozenset({"demo:review", "review"}),
        path_suffix="skills/review/SKILL.md",
    ),
    listing_key="listing",
)

OUTCOMES = {"t": Outcome.TRIGGERED, "n": Outcome.NOT_TRIGGERED, "u": Outcome.UNDECIDED}


def trigger_case(name: str, *, positive: bool = True, model: str = "sonnet") -> TriggerCase:
    """A case whose prompt is made of its name."""
    return TriggerCase(name=name, prompt=f"please {name}", should_trigger=positive, model=model)


def cell(name: str, *, runs: int = 1, first_index: int = 0, positive: bool = True) -> Cell:
    """A train cell."""
    return Cell(
        case=trigger_case(name, positive=positive),
        set=CaseSet.TRAIN,
        runs=runs,
        first_index=first_index,
    )


def trial(
    case: str,
    outcome: Outcome,
    *,
    run_index: int = 0,
    attempt: int = 0,
    side: CaseSet = CaseSet.TRAIN,
) -> Trial:
    """A trial on the simulated engine."""
    undecided = outcome is Outcome.UNDECIDED
    return Trial(
        case=case,
        set=side,
        candidate=BUILT.candidate,
        iteration=1,
        run_index=run_index,
        attempt=attempt,
        model="simulated",
        model_asked="sonnet",
        engine="fake",
        endpoint="simulated",
        permission_mode="dontAsk",
        cli_version="simulated",
        effort="default",
        cell_key="key",
        outcome=outcome,
        reason="crash" if undecided else None,
        step=1 if outcome is Outcome.TRIGGERED else None,
        turns=1,
        mode=None,
        also_fired=(),
        usage=Usage(cost_usd=0.0),
        duration=0.0,
        transcript=None,
    )


def result(
    name: str, letters: str, *, positive: bool = True, side: CaseSet = CaseSet.TRAIN
) -> CaseResult:
    """A case's trials by letter: t triggered, n not triggered, u undecided."""
    return CaseResult(
        case=trigger_case(name, positive=positive),
        set=side,
        trials=tuple(
            trial(name, OUTCOMES[letter], run_index=index, side=side)
            for index, letter in enumerate(letters)
        ),
    )


def results(
    positives: Sequence[str] = (), negatives: Sequence[str] = (), *, side: CaseSet = CaseSet.TRAIN
) -> tuple[CaseResult, ...]:
    """Results by letters, cases named by their place."""
    return (
        *(result(f"{side}-p{i}", row, side=side) for i, row in enumerate(positives)),
        *(
            result(f"{side}-n{i}", row, positive=False, side=side)
            for i, row in enumerate(negatives)
        ),
    )


def iteration(
    number: int, measured: tuple[CaseResult, ...], *, phase: Phase = Phase.EXPLORE
) -> Iteration:
    """A measured candidate with a text of its own."""
    return Iteration(
        number=number,
        phase=phase,
        candidate=f"{number:016x}",
        description=f"text {number}",
        results=measured,
    )
