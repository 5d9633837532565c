"""What the figures ask of the table of trials, as records."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from skillwalker.datatypes.history import CaseCount, RunFacts, Setting, Spent, TrialCount
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.vocabulary import CaseSet, Outcome

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SETTING = "filename, engine, endpoint, permission_mode, model"
_OUTCOMES = f"""
    SELECT {_SETTING}, "set", outcome, reason, sum(trials) AS trials, sum(attempts) AS attempts
    FROM trials GROUP BY ALL ORDER BY ALL"""  # noqa: S608  # made of constants alone
_CASES = f"""
    SELECT {_SETTING}, candidate, "set" = '{CaseSet.CONFIRM}' AS confirm, "case", cli_version,
        coalesce(sum(trials) FILTER (outcome = '{Outcome.TRIGGERED}'), 0) AS triggered,
        coalesce(sum(trials) FILTER (outcome = '{Outcome.NOT_TRIGGERED}'), 0) AS not_triggered
    FROM trials
    JOIN (SELECT unnest($files) AS filename, unnest($candidates) AS candidate)
        USING (filename, candidate)
    WHERE "set" IN ('{CaseSet.TRAIN}', '{CaseSet.HOLDOUT}', '{CaseSet.CONFIRM}')
        AND outcome <> '{Outcome.UNDECIDED}'
    GROUP BY ALL ORDER BY ALL"""  # noqa: S608  # made of constants alone
_SPENT = """
    SELECT filename, sum(attempts) AS calls, sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
        sum(cache_write_tokens) AS cache_write_tokens, sum(cost_usd) AS cost_usd,
        sum(cost_unknown_calls) AS cost_unknown_calls, sum(estimated_calls) AS estimated_calls
    FROM trials GROUP BY filename ORDER BY filename"""

Row = Mapping[str, Any]


def count_outcomes(
    database: "DuckDBPyConnection", runs: Mapping[str, RunFacts]
) -> tuple[TrialCount, ...]:
    """Count trials by set, setting, outcome and reason.

    Args:
        database: in which `load_trials` made the table.
        runs: by the path of their trials.jsonl.
    """
    return tuple(
        TrialCount(
            run_id=runs[row["filename"]].run_id,
            set=row["set"],
            setting=_setting(row, runs),
            outcome=Outcome(row["outcome"]),
            reason=row["reason"],
            trials=int(row["trials"]),
            attempts=int(row["attempts"]),
        )
        for row in _rows(database, _OUTCOMES)
    )


def count_cases(
    database: "DuckDBPyConnection", runs: Mapping[str, RunFacts]
) -> tuple[CaseCount, ...]:
    """Count the decided trials of each run's original and best description, case by case.

    Args:
        database: in which `load_trials` made the table.
        runs: by the path of their trials.jsonl.
    """
    texts = [
        (name, candidate)
        for name, run in runs.items()
        for candidate in sorted({run.original, run.best} - {None}, key=str)
    ]
    files, candidates = [name for name, _ in texts], [candidate for _, candidate in texts]
    found = _rows(database, _CASES, {"files": files, "candidates": candidates})
    return tuple(
        CaseCount(
            run_id=runs[row["filename"]].run_id,
            candidate=row["candidate"],
            confirm=row["confirm"],
            case=row["case"],
            setting=_setting(row, runs),
            cli_version=row["cli_version"] or "",
            triggered=int(row["triggered"]),
            not_triggered=int(row["not_triggered"]),
        )
        for row in found
    )


def count_spent(database: "DuckDBPyConnection", runs: Mapping[str, RunFacts]) -> tuple[Spent, ...]:
    """Sum what every attempt of each run's trials took."""
    return tuple(
        Spent(
            run_id=runs[row["filename"]].run_id,
            simulated=runs[row["filename"]].simulated,
            purpose="trial",
            usage=UsageTotal(**{key: row[key] for key in UsageTotal.__dataclass_fields__}),
            estimated_calls=row["estimated_calls"],
        )
        for row in _rows(database, _SPENT)
    )


def _setting(row: Row, runs: Mapping[str, RunFacts]) -> Setting:
    """Say under what a trial was run."""
    run = runs[row["filename"]]
    return Setting(
        engine=row["engine"],
        endpoint=row["endpoint"] or "",
        permission_mode=row["permission_mode"] or "",
        model=row["model"] or "",
        listing_mode=run.listing_mode,
        simulated=run.simulated,
        max_turns=run.max_turns,
    )


def _rows(
    database: "DuckDBPyConnection", query: str, values: Mapping[str, object] | None = None
) -> Iterator[Row]:
    """Run a query and give its rows by name."""
    found = database.execute(query, dict(values or {}))
    names = [column[0] for column in found.description or ()]
    while batch := found.fetchmany(10_000):
        yield from (dict(zip(names, row, strict=True)) for row in batch)
