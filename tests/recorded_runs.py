"""Recorded runs made up for tests of what reads them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.against import Against, Flipped, NotComparable
from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.inputs import Listed, ListingPlace
from skillwalker.datatypes.recorded import CaseTally, RecordedCase, RecordedIteration, RecordedRun
from skillwalker.datatypes.scores import GateResult, UsageTotal, sum_usage
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial, Usage
from skillwalker.datatypes.vocabulary import (
    CaseSet,
    ListingState,
    Mode,
    Outcome,
    Phase,
    Position,
    StopReason,
    TargetKind,
    Verdict,
)
from skillwalker.report.tallies import rates_of_tallies
from tests.measured import OUTCOMES
from tests.measured import trial as plain_trial

MODEL = "claude-sonnet-4-5"
RUN_ID = "20261130T120000"
ORIGINAL = "Helps with code review and other things"
BEST = "Helps with code review of a diff, a patch or a pull request"
Letters = tuple[str, ...]
"""For each iteration the trials of a case: t triggered, n not, u undecided."""


def recorded_case(
    name: str, *, positive: bool = True, side: CaseSet = CaseSet.TRAIN
) -> RecordedCase:
    """A case whose prompt is made of its name."""
    return RecordedCase(
        name=name, model="sonnet", set=side, should_trigger=positive, prompt=f"please {name}"
    )


def recorded_trial(
    case: RecordedCase, letter: str, *, number: int, index: int, side: CaseSet
) -> Trial:
    """A trial of the candidate of an iteration."""
    outcome = OUTCOMES[letter]
    return replace(
        plain_trial(case.name, outcome, run_index=index, side=side),
        candidate=candidate(number),
        iteration=number,
        model=MODEL,
        model_asked=case.model,
        engine="local",
        endpoint="api.anthropic.com",
        mode=Mode.TOOL if outcome is Outcome.TRIGGERED else None,
        also_fired=("demo:other",) if letter == "n" and case.should_trigger else (),
        usage=Usage(input_tokens=100, output_tokens=20, cache_read_tokens=300, cost_usd=0.01),
        duration=1.5,
    )


def candidate(number: int) -> str:
    """The hash of an iteration's text, made up."""
    return f"{number:016x}"


def tally(case: RecordedCase, letters: str) -> CaseTally:
    """Count letters."""
    return CaseTally(
        case=case.name,
        model=case.model,
        set=case.set,
        should_trigger=case.should_trigger,
        triggered=letters.count("t"),
        not_triggered=letters.count("n"),
        undecided=letters.count("u"),
    )


def recorded_run(
    cases: Sequence[tuple[RecordedCase, Letters]],
    *,
    confirm: Sequence[tuple[str, str]] = (),
    texts: Sequence[str] = (ORIGINAL, BEST),
) -> RecordedRun:
    """Make a run that improved: its last iteration is the best.

    Args:
        cases: each with its letters in each iteration.
        confirm: for each case the letters of original and best in the confirm rounds.
        texts: of the iterations.
    """
    iterations = tuple(
        RecordedIteration(
            number=number,
            phase=Phase.EXPLORE,
            candidate=candidate(number),
            description=text,
            cases=tuple(tally(case, letters[number - 1]) for case, letters in cases),
        )
        for number, text in enumerate(texts, start=1)
    )
    best = len(texts)
    searched = [
        recorded_trial(case, letter, number=number, index=index, side=case.set)
        for case, letters in cases
        for number in range(1, best + 1)
        for index, letter in enumerate(letters[number - 1])
    ]
    confirmed = [
        recorded_trial(case, letter, number=number, index=9 + index, side=CaseSet.CONFIRM)
        for (case, _), pair in zip(cases, confirm, strict=False)
        for number, letters in ((1, pair[0]), (best, pair[1]))
        for index, letter in enumerate(letters)
    ]
    trials = (*searched, *confirmed)
    return RecordedRun(
        summary=summary_of(iterations, trials, confirmed=bool(confirm)),
        cases=tuple(case for case, _ in cases),
        iterations=iterations,
        trials=trials,
        answers=answers(texts),
        exchanges=tuple(one for answer in answers(texts) for one in answer.exchanges),
        rivals=("demo:other",),
        max_turns=4,
    )


def answers(texts: Sequence[str]) -> tuple[Answer, ...]:
    """What the improver said, a call a text."""
    return tuple(
        Answer(
            description=text,
            reason="names the nouns that users type",
            exchanges=(
                Exchange(
                    prompt="improve it",
                    reply=text,
                    fault=None,
                    model="claude-opus-4-5",
                    usage=Usage(input_tokens=1000, output_tokens=50, cost_usd=None),
                ),
            ),
        )
        for text in texts[1:]
    )


def summary_of(
    iterations: Sequence[RecordedIteration], trials: Sequence[Trial], *, confirmed: bool
) -> Summary:
    """The summary of a run that improved."""
    return Summary(
        run_id=RUN_ID,
        kind="scil",
        suite="review",
        target="demo:review",
        target_kind=TargetKind.SKILL,
        target_path="plugins/demo/skills/review/SKILL.md",
        target_sha256="0" * 64,
        position="plugin",
        engine="local",
        simulated=False,
        endpoint="api.anthropic.com",
        cli_version="2.1.332",
        permission_mode="dontAsk",
        models=(MODEL,),
        seed=0,
        verdict=Verdict.IMPROVED,
        stopped_because=StopReason.ITERATIONS,
        cause=None,
        original_description=iterations[0].description,
        best_description=iterations[-1].description,
        best_iteration=len(iterations),
        improved=True,
        applied=False,
        measured_on="confirm" if confirmed else "search",
        original=rates_of_tallies(iterations[0].cases),
        best=rates_of_tallies(iterations[-1].cases),
        gate=GATE,
        rate_in_file=rates_of_tallies(iterations[0].cases).balanced,
        iterations=len(iterations),
        trials=len(trials),
        undecided=sum(trial.outcome is Outcome.UNDECIDED for trial in trials),
        usage=(
            ("trial", sum_usage(trial.usage for trial in trials)),
            ("improver", UsageTotal(calls=1, cost_unknown_calls=1)),
            ("judge", UsageTotal()),
        ),
        listing=PLACE,
    )


GATE = GateResult(
    p_better=0.97,
    threshold=0.9 + 0.08 / 9,
    passed=True,
    change=0.25,
    interval=(0.1, 0.4),
    recall_change=0.5,
    specificity_change=0.0,
    recall_interval=(0.2, 0.8),
    specificity_interval=(-0.15, 0.15),
    rounds=3,
    reason="better",
)
AGAINST = Against(
    run_id="20261101T000000",
    change=-0.2,
    interval=(-0.35, -0.05),
    p_better=0.02,
    recall_change=-0.4,
    specificity_change=0.0,
    recall_interval=(-0.7, -0.1),
    specificity_interval=None,
    dropped_points=20.0,
    threshold=10.0,
    dropped=True,
    flipped=(
        Flipped(
            case="asks for a review",
            model=MODEL,
            should_trigger=True,
            before=(1, 1),
            after=(1, 5),
            stands=True,
        ),
        Flipped(
            case="wants a poem",
            model=MODEL,
            should_trigger=False,
            before=(1, 1),
            after=(3, 5),
            stands=False,
        ),
    ),
    differences=("CLI 2.1.300 in A, 2.1.332 in B",),
    not_comparable=(NotComparable(case="wants it now", model="", reason="not in A"),),
)
"""A measurement that fell since an earlier run."""
PLACE = ListingPlace(
    listed=Listed(
        path=Path("SKILL.md"),
        kind=TargetKind.SKILL,
        position=Position.PLUGIN,
        listed=True,
        name="demo:review",
        alias=None,
        text=ORIGINAL,
        yaml_text=ORIGINAL,
    ),
    budget_chars=30_000,
    used_chars=1_200,
    state=ListingState.WHOLE,
)
PLAIN_CASES = (
    (recorded_case("asks for a review"), ("nnn", "ttt")),
    (recorded_case("wants a second look", side=CaseSet.HOLDOUT), ("ntn", "tnu")),
    (recorded_case("wants a poem", positive=False), ("nnn", "nnn")),
    (recorded_case("says nothing", positive=False), ("uuu", "utn")),
)


def plain_run() -> RecordedRun:
    """A run with a bit of everything: misses, a tie, undecided runs, confirm rounds."""
    return recorded_run(
        PLAIN_CASES, confirm=(("nn", "tt"), ("nt", "tn"), ("nn", "nn"), ("nn", "nu"))
    )


def everywhere(run: RecordedRun, text: str) -> RecordedRun:
    """Put a text in every place of a run where something of a user's, or of Claude's, can stand."""
    summary = replace(
        run.summary,
        suite=text,
        target=text,
        target_path=text,
        engine=text,
        endpoint=text,
        cli_version=text,
        permission_mode=text,
        models=(text,),
        cause=text,
        original_description=text,
        best_description=f"{text} better",
        gate=replace(GATE, passed=False, reason=text),
        verdict=Verdict.KEPT,
        accepted_changes=(text,),
        against=replace(
            AGAINST,
            run_id=text,
            flipped=(replace(AGAINST.flipped[0], case=text, model=text),),
            differences=(text,),
            not_comparable=(NotComparable(case=text, model=text, reason=text),),
        ),
    )
    cases = tuple(replace(c, name=f"{text} {c.name}", prompt=text, tags=(text,)) for c in run.cases)
    iterations = tuple(
        replace(
            one,
            description=text,
            cases=tuple(replace(tally, case=f"{text} {tally.case}") for tally in one.cases),
        )
        for one in run.iterations
    )
    trials = tuple(
        replace(
            trial,
            case=f"{text} {trial.case}",
            model=text,
            reason=text if trial.reason else None,
            also_fired=(text,) if trial.also_fired else (),
            transcript=f"{text}-{number}",
        )
        for number, trial in enumerate(run.trials)
    )
    return replace(
        run, summary=summary, cases=cases, iterations=iterations, trials=trials, rivals=(text,)
    )


def run_on_two_models() -> RecordedRun:
    """The plain run without confirm rounds, each case on two models."""
    on_haiku = [(replace(case, model="haiku"), letters) for case, letters in PLAIN_CASES]
    return recorded_run([*PLAIN_CASES, *on_haiku])
