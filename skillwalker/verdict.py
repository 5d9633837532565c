"""What a run says at its end: everything that was measured, made into the summary (pure)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from skillwalker.datatypes.metrics import MetricChange
from skillwalker.datatypes.scores import CaseResult, Iteration, Rate, UsageTotal, sum_usage
from skillwalker.datatypes.summary import Confused, Fired, ModelRates, Summary
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, StopReason, Verdict
from skillwalker.engines.protocol import EngineFacts
from skillwalker.loop import MeasuredRun
from skillwalker.metrics.built_in import track_results
from skillwalker.metrics.changes import lay_beside
from skillwalker.metrics.gate import gates_apply
from skillwalker.plan import Plan
from skillwalker.steps.step_5_score import rates, rates_by_model

EQUAL = 1e-9
"""Room for rounding between rates that are equal."""
INCONCLUSIVE = frozenset({StopReason.PREFLIGHT, StopReason.UNDECIDED})


def summarise(
    plan: Plan, measured: MeasuredRun, *, run_id: str, facts: EngineFacts, applied: bool = False
) -> Summary:
    """Make the summary of a run.

    Args:
        plan: what was to be done.
        measured: what was.
        run_id: the run's name.
        facts: of the engine, for whom the numbers hold.
        applied: whether the best description stands in the file now.
    """
    best = measured.best
    improved = _improved(plan, measured)
    before, after, measured_on = _results(measured)
    return Summary(
        run_id=run_id,
        kind=plan.kind,
        suite=plan.suite,
        target=plan.target.id,
        target_kind=plan.target.kind,
        target_path=plan.target_path,
        target_sha256=hashlib.sha256(plan.target.content).hexdigest(),
        position=plan.target.position,
        engine=facts.name,
        simulated=facts.simulated,
        endpoint=facts.endpoint,
        cli_version=facts.cli_version,
        permission_mode=facts.permission_mode,
        models=_models(measured),
        seed=plan.config.seed,
        verdict=_verdict(measured, improved=improved),
        stopped_because=measured.stopped,
        cause=measured.cause,
        limit=None if measured.reached is None else measured.reached.flag,
        refused_usd=None if measured.reached is None else measured.reached.refused_usd,
        original_description=plan.target.description,
        best_description=plan.target.description if best is None else best.description,
        best_iteration=1 if best is None else best.number,
        improved=improved,
        applied=applied,
        measured_on=measured_on,
        original=rates(before) if before else None,
        best=rates(after) if after else None,
        gate=measured.gate,
        rate_in_file=rate_to_hold(after if applied else before),
        iterations=len(measured.history.iterations),
        trials=len(measured.trials),
        undecided=sum(trial.outcome is Outcome.UNDECIDED for trial in measured.trials),
        usage=_usage(measured),
        listing=plan.listing,
        listing_mode=plan.listing_mode,
        by_model=_by_model(before, after),
        weakest_model=_weakest(after),
        confusion=_confusion(before, None if best is _original(measured) else after),
        metrics=_metrics(measured, before, after),
        metrics_forbid=_forbidden(measured),
        unmovable=tuple(dict.fromkeys(case.name for case in measured.unmovable)),
    )


def _models(measured: MeasuredRun) -> tuple[str, ...]:
    """List the models that answered."""
    trials = (*measured.trials, *measured.reused)
    return tuple(sorted({trial.model for trial in trials if trial.model}))


def _metrics(
    measured: MeasuredRun, before: Sequence[CaseResult], after: Sequence[CaseResult]
) -> tuple[MetricChange, ...]:
    """Lay what was tracked of the best beside the original; their trials are those of the rates."""
    original, best = _original(measured), measured.best
    if original is None or best is None:
        return ()
    of_best = None if best is original else (*best.metrics, *track_results(after))
    return lay_beside((*original.metrics, *track_results(before)), of_best)


def _forbidden(measured: MeasuredRun) -> str | None:
    """Say why a metric keeps the best text from being written."""
    original, best = _original(measured), measured.best
    if original is None or best is None or best is original:
        return None
    return gates_apply(original.metrics, best.metrics)


def _original(measured: MeasuredRun) -> Iteration | None:
    """Give the original as it was measured; None when it was not."""
    return measured.history.iterations[0] if measured.history.iterations else None


def _confusion(
    before: Sequence[CaseResult], after: Sequence[CaseResult] | None
) -> tuple[Confused, ...]:
    """Say for each case what fired in its place, models together."""
    old, new = _fired_instead(before), None if after is None else _fired_instead(after)
    wanted = {result.case.name: result.case.should_trigger for result in (*before, *(after or ()))}
    return tuple(
        Confused(
            case=case,
            should_trigger=should_trigger,
            original=_ranked(old[case]),
            best=None if new is None else _ranked(new[case]),
        )
        for case, should_trigger in wanted.items()
        if old[case] or (new is not None and new[case])
    )


def _fired_instead(results: Sequence[CaseResult]) -> dict[str, Counter[str]]:
    """Count what fired in each case where the target did not."""
    fired: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for trial in result.trials:
            if trial.outcome is Outcome.NOT_TRIGGERED:
                fired[result.case.name].update(set(trial.also_fired))
    return fired


def _ranked(counts: Counter[str]) -> Fired:
    """Order what fired, the most frequent first."""
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _by_model(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> tuple[ModelRates, ...]:
    """Make the rates of original and best under each model."""
    best = rates_by_model(after)
    return tuple(
        ModelRates(model=model, original=original, best=best.get(model))
        for model, original in rates_by_model(before).items()
    )


def _weakest(after: Sequence[CaseResult]) -> str | None:
    """Name the model whose balanced accuracy under the best is the lowest of several, alone."""
    found = rates_by_model(after).items()
    known = sorted((r.balanced.rate, model) for model, r in found if r.balanced.rate is not None)
    if len(known) < 2 or known[1][0] - known[0][0] < EQUAL:
        return None
    return known[0][1]


def rate_to_hold(results: Sequence[CaseResult]) -> Rate | None:
    """The rate that `--fail-under` compares: balanced, over holdout cases if any, else all.

    Returns:
        None where no case of one class was decided: there is no balanced rate then.
    """
    holdout = tuple(result for result in results if result.set is CaseSet.HOLDOUT)
    balanced = rates(holdout or results).balanced if results else None
    return None if balanced is None or balanced.rate is None else balanced


def _improved(plan: Plan, measured: MeasuredRun) -> bool:
    """Whether the best differs from the original and passed the gate, or none was asked for."""
    best, iterations = measured.best, measured.history.iterations
    if best is None or best is iterations[0] or measured.stopped in INCONCLUSIVE:
        return False
    if plan.config.gate is None:
        return True
    return measured.gate is not None and measured.gate.passed


def _verdict(measured: MeasuredRun, *, improved: bool) -> Verdict:
    """Improved, kept, or nothing that could be said."""
    if measured.stopped in INCONCLUSIVE or not measured.history.iterations:
        return Verdict.INCONCLUSIVE
    return Verdict.IMPROVED if improved else Verdict.KEPT


def _results(
    measured: MeasuredRun,
) -> tuple[tuple[CaseResult, ...], tuple[CaseResult, ...], str]:
    """Results of original and best: of the confirm rounds if any, else of the search.

    A confirm result keeps the side that its case has in the split, so that holdout can be told.
    """
    iterations = measured.history.iterations
    if not iterations or measured.best is None:
        return (), (), "nothing"
    if measured.confirmed is None:
        return iterations[0].results, measured.best.results, "search"
    before, after = measured.confirmed
    return _sided(before, measured), _sided(after, measured), "confirm"


def _sided(results: Sequence[CaseResult], measured: MeasuredRun) -> tuple[CaseResult, ...]:
    """Put the cases of confirm results back on their sides of the split."""
    return tuple(
        replace(result, set=split.set)
        for result, split in zip(results, measured.history.cases, strict=True)
    )


def _usage(measured: MeasuredRun) -> tuple[tuple[str, UsageTotal], ...]:
    """Sum the usage by purpose."""
    exchanges = (exchange for answer in measured.answers for exchange in answer.exchanges)
    return (
        ("trial", sum_usage(trial.usage for trial in measured.trials)),
        ("improver", sum_usage(exchange.usage for exchange in exchanges)),
        ("judge", UsageTotal()),
    )
