import json
import os
import shutil
from pathlib import Path

import pytest

from skillwalker.report.statistics_text import statistics_lines
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.folders import own_name
from skillwalker.statistics.json_records import statistics_record
from skillwalker.statistics.reading import RunFilter, read_history
from tests.histories import Past, trials, write_past

RUN, COPY = "20260101T080000", "20260101T080000-2"
THREE = trials({"p1": "t n t"})


def test_a_copy_is_named_and_counted_once(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=THREE))
    shutil.copytree(folder, tmp_path / COPY)
    figures = make_figures(read_history(tmp_path, RunFilter()))
    assert sum(row.triggered + row.not_triggered for row in figures.outcomes) == len(THREE)
    assert figures.coverage.copies == ((COPY, RUN),)
    record = json.loads(json.dumps(statistics_record(figures)))
    assert record["coverage"]["copies"] == [{"folder": COPY, "run_id": RUN}]
    assert f"{COPY} (of {RUN})" in "\n".join(statistics_lines(figures, folder="output"))


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("run.json", {"run_id": RUN}),
        ("test-config.jsonl", {"test_run_id": RUN}),
        ("trials.jsonl", {"run_id": RUN}),
    ],
)
def test_a_run_says_its_name_in_any_of_its_files(
    tmp_path: Path, file: str, row: dict[str, str]
) -> None:
    (tmp_path / file).write_text(json.dumps(row) + "\n")
    assert own_name(tmp_path) == RUN


def test_a_run_without_a_name_has_its_folders(tmp_path: Path) -> None:
    assert own_name(tmp_path) == tmp_path.name


def test_a_run_that_was_cut_off_is_called_so(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=THREE, ended=False))
    (folder / "run.json").unlink()
    ((_, why),) = read_history(tmp_path, RunFilter()).coverage.unreadable
    assert why == "it was cut off: there is neither run.json nor a summary"


def test_a_run_that_recorded_nothing_is_empty(tmp_path: Path) -> None:
    (tmp_path / RUN).mkdir()
    (tmp_path / RUN / "trials.jsonl").touch()
    coverage = read_history(tmp_path, RunFilter()).coverage
    assert (coverage.empty, coverage.unreadable) == ((RUN,), ())


@pytest.mark.parametrize("name", ["run.json", "trials.jsonl", "measure-summary.json"])
def test_a_pipe_among_a_runs_files_is_a_reason(tmp_path: Path, name: str) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=THREE))
    (folder / name).unlink()
    os.mkfifo(folder / name)
    ((_, why),) = read_history(tmp_path, RunFilter()).coverage.unreadable
    assert "not a regular file" in why
