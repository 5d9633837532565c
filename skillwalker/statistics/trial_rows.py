"""Trials of many runs as counts: DuckDB reads trials.jsonl where it lies, in one pass.

A file in which DuckDB finds a fault is read again by the journal's own reader, which knows a torn
last line from a broken file and says what is wrong. So both agree on what a run holds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.recording.records import SCHEMA_VERSION, read_trial
from skillwalker.recording.rows import read_each
from skillwalker.user_files import require_regular

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

THREADS = 2

_TEXTS = (
    *("set", "candidate", "case", "model", "model_asked", "engine", "endpoint"),
    *("permission_mode", "cli_version", "outcome", "reason"),
)
_NUMBERS = (
    *("schema_version", "run_index", "attempt", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens"),
)
_COLUMNS = {
    **dict.fromkeys(_TEXTS, "VARCHAR"),
    **dict.fromkeys(_NUMBERS, "BIGINT"),
    "cost_usd": "DOUBLE",
    "duration_s": "DOUBLE",
    "cost_estimated": "BOOLEAN",
}
_IN_PLACE = (
    "read_json($files, format = 'newline_delimited', ignore_errors = true, filename = true,"
    f" columns = {_COLUMNS!r})"
)
_IN_HAND = (
    "(SELECT $name AS filename, unnest(from_json($rows, "
    f"'[{json.dumps(_COLUMNS)}]'), recursive := true))"
)
_OUTCOMES = ", ".join(f"'{outcome}'" for outcome in Outcome)
_GROUPED = f"""
    SELECT filename, "set", candidate, "case", model, model_asked, engine, endpoint,
        permission_mode, cli_version, outcome, reason, attempt,
        coalesce(schema_version <> {SCHEMA_VERSION} OR outcome NOT IN ({_OUTCOMES})
            OR "case" IS NULL OR candidate IS NULL OR "set" IS NULL OR engine IS NULL
            OR run_index IS NULL OR attempt IS NULL
            OR input_tokens + output_tokens + cache_read_tokens + cache_write_tokens IS NULL
            OR NOT isfinite(coalesce(cost_usd, 0)) OR NOT isfinite(coalesce(duration_s, 0)),
            true) AS is_bad,
        list(run_index) FILTER (attempt > 0 OR outcome = '{Outcome.UNDECIDED}') AS indexes,
        count(*) AS attempts,
        sum(coalesce(input_tokens, 0)) AS input_tokens,
        sum(coalesce(output_tokens, 0)) AS output_tokens,
        sum(coalesce(cache_read_tokens, 0)) AS cache_read_tokens,
        sum(coalesce(cache_write_tokens, 0)) AS cache_write_tokens,
        sum(coalesce(cost_usd, 0)) AS cost_usd,
        count(*) FILTER (cost_usd IS NULL) AS cost_unknown_calls,
        count(*) FILTER (cost_estimated AND cost_usd IS NOT NULL) AS estimated_calls
    FROM {{source}} GROUP BY ALL"""  # noqa: S608  # made of constants alone
"""One row for trials that are alike. Only the indexes of those are kept that were tried again or
are the second try: they tell which attempt of a trial was the last."""
_LYING = _GROUPED.format(source=_IN_PLACE)
_HELD = _GROUPED.format(source=_IN_HAND)
_LAST_ATTEMPTS = """
    CREATE TEMP TABLE trials AS
    WITH tries AS (
        SELECT rowid AS grouped_row, filename, candidate, "case", model_asked, attempt,
            unnest(indexes) AS run_index
        FROM grouped WHERE indexes IS NOT NULL),
    followed AS (
        SELECT grouped_row, count(*) AS superseded FROM (
            SELECT grouped_row, attempt < max(attempt) OVER (
                PARTITION BY filename, candidate, "case", model_asked, run_index) AS is_followed
            FROM tries)
        WHERE is_followed GROUP BY grouped_row)
    SELECT grouped.* EXCLUDE (indexes, is_bad, model), attempts - coalesce(superseded, 0) AS trials,
        coalesce(model, max(model) OVER (PARTITION BY filename, model_asked), model_asked) AS model
    FROM grouped LEFT JOIN followed ON grouped.rowid = grouped_row"""
"""Beside each group, how many of its attempts were the last of their trial. A trial that no model
answered counts for the one that answered the others who were asked the same."""


@contextmanager
def open_database() -> Iterator["DuckDBPyConnection"]:
    """Open a database in memory that writes nothing and loads nothing from elsewhere.

    Raises:
        StoreError: DuckDB gave up, as when memory runs out.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": THREADS,
        "temp_directory": "",
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(config=config) as database:
            yield database
    except duckdb.Error as error:
        what = str(error).partition("\n")[0]
        raise StoreError(f"the recorded runs cannot be summed up: {what}") from error


def load_trials(database: "DuckDBPyConnection", files: Sequence[Path]) -> dict[Path, str]:
    """Make the table `trials` of files of trials.

    Args:
        database: as `open_database` gives it.
        files: each a trials.jsonl; one that does not exist holds no trial.

    Returns:
        Why a file could not be read, for each such file; nothing of it is in the table.
    """
    there = {str(file): file for file in files if file.exists()}
    torn = {name for name, file in there.items() if _is_torn(file)}
    faults: dict[Path, str] = {}
    database.execute(f"CREATE TEMP TABLE grouped AS {_HELD} LIMIT 0", _held("", ()))
    for name in sorted(torn | _load_in_place(database, sorted(there.keys() - torn))):
        try:
            rows = [*read_each(there[name], _checked)]
        except StoreError as error:
            faults[there[name]] = str(error)
        else:
            database.execute(f"INSERT INTO grouped {_HELD}", _held(name, rows))
    database.execute(_LAST_ATTEMPTS)
    database.execute("DROP TABLE grouped")
    return faults


def _load_in_place(database: "DuckDBPyConnection", names: Sequence[str]) -> set[str]:
    """Read files that end with a line end; give those that must be read in another way."""
    import duckdb

    if not names:
        return set()
    try:
        database.execute(f"INSERT INTO grouped {_LYING}", {"files": list(names)})
    except (duckdb.IOException, duckdb.InvalidInputException):
        if len(names) == 1:
            return set(names)
        return set().union(*(_load_in_place(database, [name]) for name in names))
    bad = database.execute("SELECT DISTINCT filename FROM grouped WHERE is_bad").fetchall()
    database.execute(
        "DELETE FROM grouped WHERE filename IN (SELECT DISTINCT filename FROM grouped WHERE is_bad)"
    )
    return {str(name) for (name,) in bad}


def _held(name: str, rows: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Hand rows over as the parameters of `_HELD`."""
    wanted = [{key: row.get(key) for key in _COLUMNS} for row in rows]
    # A lone surrogate is no UTF-8, which DuckDB asks for.
    text = json.dumps(wanted, ensure_ascii=False).encode("utf-8", "replace").decode()
    return {"name": name, "rows": text}


def _checked(row: Mapping[str, object]) -> Mapping[str, object]:
    """Refuse a row that is none of a trial.

    Raises:
        StoreError: it lacks something, or is of a newer format.
    """
    read_trial(row)
    return row


def _is_torn(file: Path) -> bool:
    """Say whether a file ends within a line, or cannot be opened at all."""
    try:
        require_regular(file)
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - 1))
            return size > 0 and stream.read() != b"\n"
    except OSError:
        return True
