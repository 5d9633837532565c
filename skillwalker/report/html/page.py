"""The page of one run of the loop: verdict first, what is not known last."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from skillwalker.datatypes.recorded import Dialogue, RecordedIteration, RecordedRun
from skillwalker.datatypes.scores import Rate, Rates, SetScore
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.report import wording
from skillwalker.report.against_text import against_verdict
from skillwalker.report.html.charts import RatePoint, rate_chart, step_chart
from skillwalker.report.html.costs import cost_rows
from skillwalker.report.html.dialogues import readable
from skillwalker.report.html.environment import moment, render
from skillwalker.report.html.fired import call_turns, confusion
from skillwalker.report.html.heat import heat_map, iteration_name
from skillwalker.report.metric_text import TITLE, has_standing, metric_notes, metric_rows
from skillwalker.report.misses import Miss, find_misses, what_happened
from skillwalker.report.money_text import cached
from skillwalker.report.tallies import rates_of_tallies
from skillwalker.report.unknowns import unknowns
from skillwalker.report.verdict_text import verdict
from skillwalker.report.word_diff import word_diff

Picture = tuple[Dialogue, int]
"""What is shown of a transcript, and how many entries are not."""

RATE_NAMES: tuple[tuple[str, Callable[[Rates], Rate]], ...] = (
    ("recall", lambda rates: rates.recall),
    ("specificity", lambda rates: rates.specificity),
    ("balanced accuracy", lambda rates: rates.balanced),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationRow:
    """One iteration in the table of all."""

    name: str
    iteration: RecordedIteration
    train: SetScore
    holdout: SetScore
    rates: Rates
    reason: str
    """The improver's, for what it proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTrial:
    """A missed or undecided trial as the page tells it."""

    trial: Trial
    happened: str
    picture: Picture | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMiss:
    """A missed case as the page tells it."""

    anchor: str
    miss: Miss
    trials: tuple[ShownTrial, ...]


def render_run(
    run: RecordedRun,
    *,
    dialogues: Mapping[str, Dialogue] | None,
    next_command: str | None,
) -> str:
    """Write the page of a run.

    Args:
        run: as it was recorded.
        dialogues: what was said, by the trial's transcript; None leaves all of it out.
        next_command: what a user would do now; None when there is nothing to do.

    Returns:
        One HTML document that loads nothing.
    """
    summary = run.summary
    shown = run.best if summary.kind != "measure" else run.original
    misses = _misses(run, shown, dialogues or {})
    anchors = {(one.miss.case.name, one.miss.case.model): one.anchor for one in misses}
    turns = call_turns(run)
    changed = summary.best_description != summary.original_description
    return render(
        "run.html",
        run=run,
        summary=summary,
        verdict=verdict(summary),
        simulated=wording.SIMULATED if summary.simulated else None,
        roomy=wording.ROOMY if summary.listing_mode == "roomy" else None,
        began=moment(summary.run_id),
        source=wording.source(summary),
        rates=_rates(run),
        metrics_title=TITLE,
        metrics=metric_rows(summary),
        has_standing=has_standing(summary),
        metric_notes=tuple(metric_notes(summary)),
        changed=changed,
        change=wording.change(summary.gate) if summary.gate is not None else None,
        p_better=None if summary.gate is None else wording.judged(summary.gate),
        class_changes=wording.changes(summary.gate)[:2] if summary.gate is not None else (),
        **_against(summary),
        pieces=word_diff(summary.original_description, summary.best_description),
        iterations=_iterations(run),
        iteration_chart=Markup(_iteration_chart(run)),  # noqa: S704 (our own drawing)
        heat=heat_map(run, anchors),
        confusion=None if shown is None else confusion(run, shown),
        turns=turns,
        step_chart=Markup(step_chart(turns)),  # noqa: S704 (our own drawing)
        misses=misses,
        shown_name=None if shown is None else iteration_name(run, shown.number),
        has_transcripts=dialogues is not None,
        costs=cost_rows(run),
        money=wording.money(summary),
        cache=None if summary.simulated else cached(summary),
        unknowns=unknowns(run),
        next_command=next_command,
    )


def _against(summary: Summary) -> dict[str, object]:
    """Tell what became of the target since an earlier run, where there was a comparison."""
    found = summary.against
    if found is None:
        return {"against": None}
    said = wording.sentence(f"against run {found.run_id}: {against_verdict(found)}")
    return {
        "against": found,
        "against_said": said,
        "against_changes": wording.changes(found),
        "against_models": len({one.model for one in found.flipped}),
    }


def _rates(run: RecordedRun) -> tuple[tuple[str, Rate | None, Rate | None], ...]:
    """Lay the result's rates side by side; the second is None where there is but one text."""
    summary = run.summary
    if summary.original is None:
        return ()
    has_other = summary.best_iteration != 1 and summary.best is not None
    best = summary.best if has_other else None
    return tuple(
        (name, pick(summary.original), None if best is None else pick(best))
        for name, pick in RATE_NAMES
    )


def _iterations(run: RecordedRun) -> tuple[IterationRow, ...]:
    reasons = {answer.description: answer.reason for answer in run.answers if answer.description}
    return tuple(
        IterationRow(
            name=iteration_name(run, iteration.number),
            iteration=iteration,
            train=_score(iteration, CaseSet.TRAIN),
            holdout=_score(iteration, CaseSet.HOLDOUT),
            rates=rates_of_tallies(iteration.cases),
            reason=reasons.get(iteration.description, ""),
        )
        for iteration in run.iterations
    )


def _score(iteration: RecordedIteration, side: CaseSet) -> SetScore:
    votes = [tally.passed for tally in iteration.cases if tally.set is side]
    return SetScore(
        passed=votes.count(True), failed=votes.count(False), undecided=votes.count(None)
    )


def _iteration_chart(run: RecordedRun) -> str:
    """Draw how the rates went from text to text; nothing of one text alone."""
    if len(run.iterations) < 2:
        return ""
    points = []
    for iteration in run.iterations:
        rates = rates_of_tallies(iteration.cases)
        points += [
            RatePoint(at=iteration.number, series=name, rate=pick(rates))
            for name, pick in RATE_NAMES[:2]
        ]
    return rate_chart(points, axis="iteration")


def _misses(
    run: RecordedRun, text: RecordedIteration | None, dialogues: Mapping[str, Dialogue]
) -> tuple[ShownMiss, ...]:
    target = run.summary.target
    return tuple(
        ShownMiss(
            anchor=f"miss-{number}",
            miss=miss,
            trials=tuple(
                ShownTrial(
                    trial=trial,
                    happened=what_happened(trial, target),
                    picture=_picture(trial, dialogues),
                )
                for trial in miss.trials
            ),
        )
        for number, miss in enumerate(find_misses(run, text), start=1)
    )


def _picture(trial: Trial, dialogues: Mapping[str, Dialogue]) -> Picture | None:
    said = dialogues.get(trial.transcript) if trial.transcript is not None else None
    return None if said is None else readable(said)


def wanted_transcripts(run: RecordedRun) -> tuple[Trial, ...]:
    """Name the trials whose transcripts the page shows."""
    shown = run.best if run.summary.kind != "measure" else run.original
    trials = (trial for miss in find_misses(run, shown) for trial in miss.trials)
    return tuple(trial for trial in trials if trial.transcript is not None)
