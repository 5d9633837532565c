"""What a run does not know, said as plainly as what it knows."""

from collections import Counter
from collections.abc import Iterator

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.vocabulary import ListingState, Outcome
from skillwalker.report import wording

INTERVALS = (
    "Intervals are 90 % intervals over cases: they say where the rate would lie for more cases of"
    " the same kind. Runs of one case are never counted as independent of each other."
)
_LISTING = {
    ListingState.CUT: "Claude Code cuts the description in its listing; the whole was never seen.",
    ListingState.NAME_ONLY: "Claude Code lists the name alone; the description was never seen.",
    ListingState.ABSENT: "Claude Code does not list the target at all.",
}


def unknowns(run: RecordedRun) -> tuple[str, ...]:
    """Say in sentences what is not known, and what the figures do not mean."""
    return tuple(_sentences(run))


def _sentences(run: RecordedRun) -> Iterator[str]:
    summary = run.summary
    if summary.simulated:
        yield wording.SIMULATED
    if summary.listing_mode == "roomy":
        yield f"{wording.ROOMY[:1].upper()}{wording.ROOMY[1:]}."
    yield _undecided(run)
    if run.max_turns is not None:
        yield f"“Not triggered” means: within {run.max_turns} model turns, unless a case sets more."
    yield INTERVALS
    if summary.measured_on == "search" and summary.kind != "measure":
        yield (
            "Nothing was confirmed: the rates are the search's own, and the best of several"
            " candidates looks better in the search than it is."
        )
    yield from _classes(run)
    if summary.unmovable:
        names = "; ".join(summary.unmovable)
        yield f"No description that was tried moves these cases, which count all the same: {names}."
    yield from _money(run)
    if isinstance(summary.listing, ListingPlace) and summary.listing.state in _LISTING:
        yield _LISTING[summary.listing.state]
    for change in summary.accepted_changes:
        yield f"Earlier trials are counted although {change}."


def _undecided(run: RecordedRun) -> str:
    reasons = Counter(
        trial.reason or "no reason" for trial in run.trials if trial.outcome is Outcome.UNDECIDED
    )
    if not reasons:
        trials = len(run.trials)
        what = "The only trial" if trials == 1 else f"Every one of {trials} trials"
        return f"{what} was decided."
    ranked = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return (
        f"{reasons.total()} of {len(run.trials)} trials say nothing ({ranked});"
        " they are in no vote and no rate."
    )


def _classes(run: RecordedRun) -> Iterator[str]:
    rates = run.summary.original
    if rates is None:
        yield "The original was not measured, so there is no rate at all."
        return
    if rates.recall.rate is None:
        yield "No case that should trigger was decided, so recall is not known."
    if rates.specificity.rate is None:
        yield "No case that should not trigger was decided, so specificity is not known."


def _money(run: RecordedRun) -> Iterator[str]:
    unknown = sum(total.cost_unknown_calls for _, total in run.summary.usage)
    if unknown:
        calls = f"{unknown} call{'s' * (unknown != 1)}"
        yield f"The cost of {calls} is not known; the total is at least what is shown."
    estimated = sum(trial.usage.cost_estimated for trial in run.trials)
    if estimated:
        cut = "1 trial that was" if estimated == 1 else f"{estimated} trials that were"
        yield f"The cost of {cut} cut short is an estimate."
