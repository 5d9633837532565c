"""What eval runs said, suite by suite (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from skillwalker.datatypes.evals import WORST_FIRST, Status
from skillwalker.datatypes.history import EvalFacts, EvalRowFacts
from skillwalker.datatypes.statistics import EvalFigures

Group = tuple[str, str, str, str, tuple[str, ...], bool]
"""Suite, engine, endpoint, permission mode, models, whether simulated."""


def eval_figures(runs: Iterable[EvalFacts]) -> tuple[EvalFigures, ...]:
    """Count the results of evaluated runs; settings are never mixed."""
    groups: defaultdict[Group, list[tuple[str, EvalRowFacts]]] = defaultdict(list)
    for run in runs:
        setting = (run.engine, run.endpoint, run.permission_mode, run.models, run.simulated)
        for row in run.rows:
            groups[row.suite, *setting].append((run.run_id, row))
    return tuple(_figures(group, groups[group]) for group in sorted(groups))


def case_status(statuses: Iterable[str]) -> str:
    """Say how a case did: failed before not known before passed.

    A word that this Skillwalker does not know is not known.
    """
    found = set(statuses)
    return next((one.value for one in WORST_FIRST if one in found), Status.UNKNOWN.value)


def _figures(group: Group, rows: Sequence[tuple[str, EvalRowFacts]]) -> EvalFigures:
    """Count the results of one suite under one setting."""
    suite, engine, endpoint, permission_mode, models, simulated = group
    cases: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for run_id, row in rows:
        # Criteria make the aggregate, and that is what the case is judged by.
        if not row.is_criterion:
            cases[run_id, row.case].append(row.status)
    criteria = [row for _, row in rows if row.is_criterion]
    agreed = [row.agreement for row in criteria if row.agreement is not None]
    expectations = Counter((row.expect_type, row.status) for _, row in rows)
    return EvalFigures(
        suite=suite,
        engine=engine,
        endpoint=endpoint,
        permission_mode=permission_mode,
        models=models,
        simulated=simulated,
        runs=len({run_id for run_id, _ in rows}),
        case_statuses=tuple(sorted(Counter(map(case_status, cases.values())).items())),
        expectations=tuple(sorted((*key, number) for key, number in expectations.items())),
        criteria=len(criteria),
        agreement=fmean(agreed) if agreed else None,
        agreement_of=len(agreed),
    )
