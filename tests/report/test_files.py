"""Reports on disk: what is written where, and that a fault of a report costs nothing else."""

import json
from pathlib import Path

import pytest

from skillwalker.errors import StoreError
from skillwalker.recording.records import trial_row
from skillwalker.recording.summary_records import summary_record
from skillwalker.report.files import refresh_reports, write_index, write_junit, write_reports
from tests.recorded_runs import RUN_ID, plain_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of which only the summary and the trials are left."""
    run = tmp_path / "output" / RUN_ID
    run.mkdir(parents=True)
    rows = [json.dumps(trial_row(RUN_ID, trial)) + "\n" for trial in plain_run().trials]
    (run / "trials.jsonl").write_text("".join(rows), encoding="utf-8")
    text = json.dumps(summary_record(plain_run().summary))
    (run / "scil-summary.json").write_text(text, encoding="utf-8")
    return run


def test_the_page_and_the_markdown_lie_beside_the_summary(folder: Path, tmp_path: Path) -> None:
    junit = tmp_path / "ci" / "junit.xml"
    reports = write_reports(folder, junit=junit, next_command="skillwalker apply X")
    assert reports.written == (folder / "report.html", folder / "report.md", junit)
    assert reports.faults == ()
    assert "skillwalker apply X" in (folder / "report.html").read_text(encoding="utf-8")
    assert (folder / "report.md").read_text(encoding="utf-8").startswith("### demo:review")
    assert junit.read_text(encoding="utf-8").startswith("<?xml")


def test_without_html_the_markdown_is_written_all_the_same(folder: Path) -> None:
    assert write_reports(folder, html=False).written == (folder / "report.md",)
    assert not (folder / "report.html").exists()


def test_a_report_that_cannot_be_written_is_a_fault_and_the_others_are_written(
    folder: Path,
) -> None:
    (folder / "report.html").mkdir()
    reports = write_reports(folder)
    assert reports.written == (folder / "report.md",)
    (fault,) = reports.faults
    assert "report.html" in fault
    assert (folder / "scil-summary.json").is_file()


def test_a_run_that_cannot_be_read_is_a_fault(tmp_path: Path, folder: Path) -> None:
    assert "no summary" in write_reports(tmp_path).faults[0]
    (folder / "scil-summary.json").write_text("{", encoding="utf-8")
    assert "not JSON" in write_reports(folder).faults[0]
    assert "not JSON" in write_junit(tmp_path / "j.xml", (folder,)).faults[0]
    assert not (tmp_path / "j.xml").exists()


@pytest.mark.parametrize("left", [0, 1, -1], ids=["fragment", "one", "all but one"])
def test_a_page_is_not_written_anew_from_fewer_trials_than_the_run_had(
    folder: Path, left: int
) -> None:
    assert write_reports(folder).faults == ()
    trials = folder / "trials.jsonl"
    lines = trials.read_bytes().splitlines(keepends=True)
    count = len(lines)
    before = (folder / "report.html").read_bytes()
    trials.write_bytes(b"".join(lines[:left]) + lines[left][:20])
    reports = write_reports(folder)
    assert reports.written == ()
    (fault,) = reports.faults
    holds = f"trials.jsonl holds {left % count} of the {count} trials that the summary counts; put"
    assert holds in fault
    assert (folder / "report.html").read_bytes() == before


def test_trials_that_a_resumed_run_set_aside_are_not_lost(folder: Path) -> None:
    trials = folder / "trials.jsonl"
    trials.rename(folder / "trials.changed.jsonl")
    assert write_reports(folder).faults == ()


def test_several_runs_share_one_junit_file(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "j.xml"
    assert write_junit(path, (folder, folder)).written == (path,)
    assert path.read_text(encoding="utf-8").count("<testsuite ") == 2


def test_an_index_that_cannot_be_written_is_an_error(folder: Path) -> None:
    (folder.parent / "index.html").mkdir()
    with pytest.raises(StoreError, match=r"index\.html"):
        write_index(folder.parent)


def test_a_fault_of_ours_is_a_line_too(folder: Path) -> None:
    reports = write_reports(folder, html=False, junit=Path("no\0file"))
    assert reports.written == (folder / "report.md",)
    (fault,) = reports.faults
    assert "ValueError" in fault


def test_a_refresh_adds_no_report_and_raises_nothing(folder: Path) -> None:
    assert refresh_reports(folder).written == ()
    (folder / "report.md").write_text("old", encoding="utf-8")
    assert refresh_reports(folder).written == (folder / "report.md",)
    assert (folder / "report.md").read_text(encoding="utf-8") != "old"
    (folder / "scil-summary.json").unlink()
    assert "no summary" in refresh_reports(folder).faults[0]
