"""Numbers and verdicts in words: the one place where a fraction becomes a percentage (pure)."""

from collections.abc import Sequence
from math import fsum

from skillwalker.datatypes.against import Against
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import GateResult, Rate
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.intervals import said_probability

NOT_MEASURED = "—"

SIMULATED = (
    "SIMULATED: no model was asked; this shows how Skillwalker works, not how Claude behaves."
)


CONFIRM, SEARCH = "confirm rounds", "search"
"""Trials that figures are made of."""
NOBODY_PAYS = "nobody is billed: a stand-in answered"
NO_ENDPOINT = frozenset({"", "simulated"})
"""Endpoints of trials that ask no model; an improver or a judge beside them may be paid."""

ROOMY = (
    "listing roomy: the listing's budget is lifted, so the numbers hold for nobody's Claude Code"
)

NamedChange = tuple[str, float | None, tuple[float, float] | None]
"""What changed, by how much as a fraction, and the 90 % interval of that."""

STOPS = {
    StopReason.PERFECT: "every case passed",
    StopReason.ITERATIONS: "all iterations were done",
    StopReason.BUDGET: "the budget was spent",
    StopReason.DEADLINE: "the deadline came",
    StopReason.CONVERGED: "a further search would change nothing",
    StopReason.UNRESOLVED: "no candidate could be told apart within the budget",
    StopReason.IMPROVER: "the improver gave nothing usable",
    StopReason.UNDECIDED: "too many trials said nothing",
    StopReason.PREFLIGHT: "the instrument does not measure",
    StopReason.RATE_LIMIT: "the rate limit outlasted the pause",
    StopReason.INTERRUPTED: "it was interrupted",
}


SURE = 0.95
"""P(better) from which on a 90 % interval of the same spread would leave 0 out."""


def percent(fraction: float | None) -> str:
    """Write a fraction as a percentage without decimals; what was not measured as a dash.

    Only a whole is 100 %, and only nothing is 0 %.
    """
    if fraction is None:
        return NOT_MEASURED
    whole = round(100 * fraction)
    if whole == 100 and fraction < 1:
        return "> 99 %"
    return "< 1 %" if whole == 0 and fraction > 0 else f"{whole} %"


def points(change: float | None) -> str:
    """Write a difference of fractions in signed percentage points."""
    return NOT_MEASURED if change is None else f"{round(100 * change):+d}"


def limits(interval: tuple[float, float] | None) -> str:
    """Write the two ends of the interval of a change; a dash where there is none."""
    if interval is None:
        return NOT_MEASURED
    low, high = interval
    return f"{points(low)} to {points(high)}"


def points_within(change: float | None, interval: tuple[float, float] | None) -> str:
    """Write a change in points with its interval, where it has one."""
    if change is None:
        return NOT_MEASURED
    text = f"{points(change)} points"
    return text if interval is None else f"{text} (90 % interval {limits(interval)})"


def changes(found: GateResult | Against) -> tuple[NamedChange, ...]:
    """Give the changes that were found, by class and together; empty without any."""
    if found.recall_change is None and found.specificity_change is None:
        return ()
    return (
        ("recall", found.recall_change, found.recall_interval),
        ("specificity", found.specificity_change, found.specificity_interval),
        ("balanced accuracy", found.change, found.interval),
    )


def rate(measured: Rate) -> str:
    """Write a rate with its runs and interval.

    A rate is a mean over cases. Where the share of all runs is another, for some case was run more
    often than others, the runs stand apart, so that nobody divides them.
    """
    if measured.rate is None:
        return NOT_MEASURED
    share = percent(measured.rate)
    if measured.n and percent(measured.k / measured.n) == share:
        share += f" ({measured.k}/{measured.n})"
    else:
        share += f" over cases ({measured.k} of {measured.n} runs)"
    if measured.low is None or measured.high is None:
        return share
    return f"{share}, {100 * measured.low:.0f}–{100 * measured.high:.0f} %"


def counted(names: Sequence[str]) -> str:
    """Count cases, of which each may have been run on several models.

    Args:
        names: of the cases, once for each model that one was run on.
    """
    cases = len(set(names))
    text = f"{cases} case{'s' * (cases != 1)}"
    if len(names) == cases:
        return text
    return f"{len(names)} ({text} on each of {len(names) // cases} models)"


def models(cases: Sequence[TriggerCase]) -> str:
    """Name the models that cases are run on, and say where each is run on all of them."""
    names = sorted({case.model for case in cases})
    if len(names) == 1:
        return f"model {names[0]}"
    is_each_on_all = len(cases) > len({case.name for case in cases})
    return f"{'each on ' * is_each_on_all}models {', '.join(names)}"


def source(summary: Summary) -> str:
    """Name the trials that the rates come from; empty of a measurement, which has but one kind."""
    if summary.measured_on == "confirm":
        return CONFIRM
    return "" if summary.kind == "measure" else SEARCH


def probability(value: float | None) -> str:
    """Write a probability so that it never looks certain."""
    if value is None:
        return NOT_MEASURED
    return said_probability(value)


def change(gate: GateResult) -> str:
    """Write the change of balanced accuracy with its interval."""
    if gate.change is None:
        return "no change was measured"
    return f"balanced accuracy {points_within(gate.change, gate.interval)}"


def holds_nothing(interval: tuple[float, float] | None) -> bool:
    """Whether the interval of a change holds 0, so that little was shown."""
    return interval is not None and interval[0] <= 0 <= interval[1]


def is_too_sure(p_better: float | None, interval: tuple[float, float] | None) -> bool:
    """Whether P(better) says for certain what the interval of its change leaves open.

    P takes the spread between cases for known, the interval does not: with few runs of few cases
    P is the surer of the two.
    """
    return p_better is not None and holds_nothing(interval) and not 1 - SURE < p_better < SURE


def likelihood(p_better: float | None, interval: tuple[float, float] | None) -> str:
    """Write P(better) behind the interval of its change; where they contradict, that first."""
    said = f"P(better) {probability(p_better)}"
    if is_too_sure(p_better, interval):
        return f", which holds 0: {said} is too sure"
    return f", {said}"


def judged(gate: GateResult) -> str:
    """Write P(better) where the interval stands elsewhere; where they contradict, that first."""
    said = probability(gate.p_better)
    if is_too_sure(gate.p_better, gate.interval):
        return f"the interval holds 0, so {said} is too sure"
    return said


def beside_the_rates(summary: Summary) -> list[str]:
    """Say what the rates do not: what neighbours keep, and which cases cannot be moved."""
    lines = [
        f"{one.target} keeps {one.kept_after}/{one.runs_after} of its own requests"
        f" (original: {one.kept_before}/{one.runs_before})"
        for one in (summary.gate.neighbours if summary.gate is not None else ())
    ]
    lines += [
        f"{case!r} cannot be moved by a description: the target stays out even when it is named"
        for case in summary.unmovable
    ]
    return lines


def unknown_calls(count: int) -> str:
    """Say how many calls have a cost that is not known."""
    return f"{count} call{'s' * (count != 1)} of unknown cost"


def is_billed(endpoint: str, *, simulated: bool) -> bool:
    """Say whether anybody pays: a stand-in takes no money, whatever its tokens would cost.

    Args:
        endpoint: that answered the trials, and with them all other calls.
        simulated: whether no model answered there.
    """
    return not simulated or endpoint in NO_ENDPOINT


def sentence(text: str) -> str:
    """Begin with a capital and end with a stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _reused(summary: Summary) -> str:
    """Say how many trials cost nothing, since earlier runs had paid for them."""
    of, runs = summary.reused, summary.reused_from
    if not of:
        return ""
    named = f"run {runs[-1]}" if len(runs) == 1 else f"{len(runs)} runs, the newest {runs[-1]}"
    return f"; {of} trial{'s' * (of != 1)} reused from {named} (--fresh runs them again)"


def money(summary: Summary) -> str:
    """Say what the run cost, with what is not known."""
    known = fsum(total.cost_usd for _, total in summary.usage)
    unknown = sum(total.cost_unknown_calls for _, total in summary.usage)
    calls = ", ".join(f"{total.calls} {name}" for name, total in summary.usage if total.calls)
    more = f" and {unknown_calls(unknown)}" if unknown else ""
    cost = f"cost ${known:.2f}{more}"
    if not is_billed(summary.endpoint, simulated=summary.simulated):
        cost = NOBODY_PAYS
    return f"calls: {calls or 'none'}; {cost}{_reused(summary)}"
