"""The facts of one eval run, read leniently: what is not said is not known."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from skillwalker.datatypes.history import EvalFacts, EvalRowFacts, Spent
from skillwalker.evaluation.store import CONFIG, has_results
from skillwalker.recording.recorded_evals import RESULTS, SUMMARY
from skillwalker.recording.records import check_version
from skillwalker.recording.rows import read_row, read_rows
from skillwalker.recording.store import TRIALS
from skillwalker.statistics.run_facts import SIMULATED, TRIAL, count_estimated, usage_of

Row = Mapping[str, Any]


def read_eval_facts(folder: Path, moment: datetime) -> EvalFacts:
    """Read what an eval run was about and what came of it.

    Args:
        folder: the run's folder.
        moment: when it began.

    Raises:
        StoreError: a file cannot be read, or a newer Skillwalker wrote it.
    """
    asked = [_checked(row, CONFIG) for row in read_rows(folder / CONFIG)]
    summary = _summary(folder)
    tests = (row.get("test") for row in asked)
    targets = (test.get("target") for test in tests if isinstance(test, dict))
    engine = str(summary.get("engine") or (asked[0].get("engine") if asked else None) or "")
    models = summary.get("models")
    return EvalFacts(
        run_id=folder.name,
        began=moment,
        targets=tuple(dict.fromkeys(str(target) for target in targets if target)),
        engine=engine,
        endpoint=str(summary.get("endpoint") or ""),
        permission_mode=str(summary.get("permission_mode") or ""),
        models=tuple(str(m) for m in models) if isinstance(models, list) else (),
        simulated=bool(summary.get("simulated", engine == SIMULATED)),
        evaluated=has_results(folder),
        rows=tuple(_result(_checked(row, RESULTS)) for row in read_rows(folder / RESULTS)),
    )


def read_eval_spent(folder: Path, *, simulated: bool) -> tuple[Spent, ...]:
    """Read what an eval run took, by purpose; empty for one that was never evaluated.

    Args:
        folder: the run's folder.
        simulated: whether no model was asked.

    Raises:
        StoreError: its summary or its trials cannot be read.
    """
    usage = _summary(folder).get("usage")
    totals = usage.items() if isinstance(usage, dict) else ()
    estimated = {TRIAL: count_estimated(read_rows(folder / TRIALS))} if totals else {}
    return tuple(
        Spent(
            run_id=folder.name,
            simulated=simulated,
            purpose=str(purpose),
            usage=usage_of(total),
            estimated_calls=estimated.get(str(purpose), 0),
        )
        for purpose, total in totals
        if isinstance(total, dict)
    )


def _summary(folder: Path) -> Row:
    """Read the summary; empty when there is none."""
    path = folder / SUMMARY
    return _checked(read_row(path), SUMMARY) if path.exists() else {}


def _checked(row: Row, name: str) -> Row:
    """Refuse a row of a newer format."""
    check_version(row, name)
    return row


def _result(row: Row) -> EvalRowFacts:
    """Read a line of test-results.jsonl."""
    agreement = row.get("agreement")
    known = isinstance(agreement, int | float) and not isinstance(agreement, bool)
    return EvalRowFacts(
        suite=str(row.get("suite") or ""),
        case=str(row.get("test_name") or ""),
        expect_type=str(row.get("expect_type") or ""),
        status=str(row.get("status") or "unknown"),
        is_criterion=row.get("criterion") is not None,
        agreement=float(agreement) if known and 0 <= agreement <= 1 else None,  # type: ignore[arg-type,operator]  # known: a number
    )
