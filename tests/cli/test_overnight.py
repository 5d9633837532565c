"""overnight, from the outside: its folder, its streams, its exit codes."""

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.lock_entries import AppliedChange, LockEntry
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.recording.lock import locked_night, locked_target
from skillwalker.recording.lock_file import merge_entries, read_lock
from skillwalker.targets.names import resolve_target
from tests.bench import places_of
from tests.catalogues import FIRST, make_catalogue, thing_of

QUICK = ("--engine", "simulated", "--no-html", "--max-iterations", "2", "--confirm-runs", "2")
CAPPED = (*QUICK, "--max-trials", "2000")
WRITE = ("--apply", "--allow-simulated")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_catalogue(tmp_path, 2)
    monkeypatch.chdir(made)
    return made


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["overnight", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["overnight", *words])
    return code, capsys.readouterr().err


def skill(project: Path, number: int = 0) -> Path:
    return project / f"plugins/p{number:02}/skills/{thing_of(number)}/SKILL.md"


def test_a_night_writes_its_summary_its_report_and_the_lock(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, night = run_json(capsys, *CAPPED, *WRITE)
    assert code == 0
    assert night["counts"]["improved"] > 0
    folder = project / "output" / night["night_id"]
    assert json.loads((folder / "overnight-summary.json").read_text()) == night
    assert (folder / "night.jsonl").is_file()
    assert "| p00:invoice0 (suite s00) | improved, written |" in (
        folder / "overnight-report.md"
    ).read_text().replace("\\_", "_")
    improved = [t for t in night["targets"] if t["applied"]]
    assert all(t["description"] in (project / t["path"]).read_text() for t in improved)
    assert len(read_lock(project)) == 2
    code, again = run_json(capsys, *CAPPED, *WRITE)
    assert code == 0
    assert again["trials"] < night["trials"] / 2
    assert run_json(capsys, *CAPPED, *WRITE)[1]["counts"]["fresh"] == 2


def test_progress_is_a_line_a_run_and_ends_in_a_table(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = said(capsys, *CAPPED)
    assert code == 0
    assert f"p00:{thing_of(0)} (suite s00): measured, balanced accuracy" in text
    assert "not written" in text
    assert "write it with: skillwalker apply" in text
    assert text.count("SIMULATED") == 1
    assert skill(project).read_text().count(FIRST) == 1


def test_a_simulated_night_writes_no_target_unless_that_is_allowed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, *CAPPED, "--apply")[0] == 0
    assert all(FIRST in skill(project, number).read_text() for number in range(2))


def test_what_an_earlier_night_found_and_did_not_write_is_named_and_can_be_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, first = run_json(capsys, *CAPPED)
    found = [t for t in first["targets"] if t["action"] == "improved"]
    assert found
    forecast = run_json(capsys, "--dry-run", *QUICK)[1]
    told = [t["reason"] for t in forecast["targets"]]
    text = said(capsys, *CAPPED, *WRITE)[1]
    assert "2 fresh" in text
    assert not re.search(r"^target +before", text, re.MULTILINE)
    every = said(capsys, *CAPPED, "--all")[1]
    for target in found:
        command = f"skillwalker apply {target['run_ids'][-1]} --allow-simulated"
        assert f"{command}\n" in text
        assert f"measured: {target['target']} (suite {target['suite']}): run " in every
        assert f"{command}\n" in every
        assert any(reason.endswith(command) for reason in told)
        assert main(command.split()[1:]) == 0
        assert target["description"] in (project / target["path"]).read_text()


def test_everything_is_measured_again_when_that_is_asked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, *CAPPED)
    _, stale = run_json(capsys, *CAPPED, "--stale")
    assert stale["trials"] == 0
    _, every = run_json(capsys, *CAPPED, "--all")
    assert every["counts"]["fresh"] == 0
    assert len(list((project / "output").glob("*/measure-summary.json"))) == 4


def test_a_forecast_names_what_would_be_done_and_spends_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["overnight", "--dry-run", *QUICK]) == 0
    text = capsys.readouterr().out
    assert "measure (at most" in text
    assert "search if the rate is below 0.9 (at most" in text
    assert "in all" in text
    assert "SIMULATED" in text
    assert not (project / "output").exists()
    run_json(capsys, *CAPPED, *WRITE)
    _, found = run_json(capsys, "--dry-run", *QUICK)
    stages = {work["stage"] for target in found["targets"] for work in target["work"]}
    assert stages == {"recheck"}
    assert found["trials"] > 0
    assert found["simulated"] is True


def test_no_night_takes_more_than_its_forecast(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.is_dir()
    _, found = run_json(capsys, "--dry-run", *QUICK)
    assert run_json(capsys, *CAPPED)[1]["trials"] <= found["trials"]


def test_a_night_that_a_limit_ended_goes_on_in_its_own_folder(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, night = run_json(capsys, *QUICK, "--max-trials", "30")
    assert (code, night["stopped_because"]) == (0, "budget")
    assert night["counts"]["left"] > 0
    code, text = said(capsys, "--resume", night["night_id"], "--max-trials", "2000")
    assert code == 0
    assert f"night {night['night_id']}: " in text
    done = json.loads(
        (project / "output" / night["night_id"] / "overnight-summary.json").read_text()
    )
    assert (done["stopped_because"], done["counts"]["left"]) == ("done", 0)


def test_a_resumed_night_keeps_its_cap_unless_another_one_is_given(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.is_dir()
    _, night = run_json(capsys, *QUICK, "--max-trials", "30")
    code, again = run_json(capsys, "--resume", night["night_id"])
    assert (code, again["stopped_because"]) == (0, "budget")
    assert night["trials"] <= again["trials"] <= 30


def test_what_was_written_and_loses_is_named_and_not_taken_back_by_itself(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, *CAPPED, *WRITE)
    path = skill(project).relative_to(project).as_posix()
    good = entry_of(project, path).applied
    lost = AppliedChange(run_id="20261129T000000", replaced=good.description, description=FIRST)
    key = entry_of(project, path).key
    changed = replace(lock_entry(read_lock(project).get(key)), applied=lost, tuned=None)
    merge_entries(project, lambda _old: {key: changed})
    assert good.description in skill(project).read_text()
    text = skill(project).read_text().replace(good.description, FIRST)
    skill(project).write_text(text)
    words = (*QUICK, "--max-trials", "56", *WRITE)  # enough for the recheck, not for a search
    code, night = run_json(capsys, *words)
    assert code == 0
    row = next(t for t in night["targets"] if t["path"] == path)
    assert row["revert"]["run_id"] == "20261129T000000"
    assert row["revert"]["p_better"] > 0.9
    recheck = project / "output" / row["run_ids"][0] / "measure-summary.json"
    assert json.loads(recheck.read_text())["applied"] is False
    report = project / "output" / night["night_id"] / "overnight-report.md"
    assert "skillwalker undo 20261129T000000" in report.read_text()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--shard", "4/3"), "'4/3' is no part"),
        (("--shard", "0/3"), "'0/3' is no part"),
        (("--shard", "x"), "'x' is no part"),
        (("somewhere",), "folders of nights go with --merge"),
        (("--merge", "x", "--seed", "3"), "--seed cannot be given with --merge"),
        (("--resume", "x", "--shard", "1/2"), "--shard cannot be given with --resume"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
@pytest.mark.usefixtures("project")
def test_what_makes_no_sense_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    code, err = said(capsys, *words)
    assert (code, text in err) == (2, True), err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--resume", "20200101T000000"), "there is no run '20200101T000000'"),
        (("--merge",), "overnight --merge a b c"),
        (("--merge", "nowhere"), "there is no folder nowhere"),
        (("--merge", "evals"), "holds no overnight-summary.json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_not_there_is_named_and_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    code, err = said(capsys, *words)
    assert (code, text in err) == (1, True), err
    assert not (project / "output").exists()
    assert not (project / "skillwalker.lock").exists()


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--shard", "1/2")], ids=str)
@pytest.mark.parametrize(
    ("suite", "message"),
    [
        pytest.param("nope", 'there is no suite "nope"', id="unknown"),
        pytest.param("bad", "evals/bad/tests.json: ", id="broken"),
    ],
)
def test_a_named_suite_that_cannot_be_read_begins_no_night(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    suite: str,
    message: str,
    more: tuple[str, ...],
) -> None:
    (project / "evals/bad").mkdir()
    (project / "evals/bad/tests.json").write_text("{")
    code, text = said(capsys, *CAPPED, "--eval", suite, *more)
    assert (code, len(text.splitlines())) == (1, 1)
    assert text.startswith(f"skillwalker: {message}")
    assert not (project / "output").exists()


def test_an_empty_catalogue_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(project / "evals")
    (project / "evals").mkdir()
    code, err = said(capsys, *CAPPED)
    assert code == 1
    assert "no suite has cases" in err
    assert not (project / "output").exists()


def test_what_is_said_to_go_on_goes_on_and_writes_what_was_wished(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, err = said(capsys, *QUICK, "--max-trials", "25", *WRITE)
    assert code == 0
    assert "stopped by budget (--max-trials)" in err
    line = next(line for line in err.splitlines() if line.startswith("go on with: "))
    found = re.fullmatch(
        r"go on with: skillwalker overnight (.*) --max-trials N   \(N: more than (\d+)\)", line
    )
    assert found is not None, line
    words, spent = found[1].split(), int(found[2])
    assert words[2:] == list(WRITE)
    _, night = run_json(capsys, *words, "--max-trials", "2000")
    assert night["stopped_because"] == "done"
    assert night["trials"] > spent
    written = [target for target in night["targets"] if target["applied"]]
    assert written
    assert all(one["description"] in (project / one["path"]).read_text() for one in written)


def test_shards_are_merged_into_this_checkout_and_undone_from_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = []
    for number in (1, 2):
        machine = project.parent / f"machine-{number}"
        shutil.copytree(project, machine)
        _, night = run_json(capsys, "-C", str(machine), "--shard", f"{number}/2", *CAPPED)
        assert night["shard"] == f"{number}/2"
        shards.append(str(machine / "output"))
    code, night = run_json(capsys, "--merge", *shards[1:])
    assert (code, night["missing"]) == (3, ["1/2"])
    code, night = run_json(capsys, "--merge", *shards, *WRITE)
    assert code == 0
    assert (len(night["targets"]), night["shard"]) == (2, None)
    written = [t["path"] for t in night["targets"] if t["applied"]]
    assert written
    entries = {key.path: entry for key, entry in read_lock(project).items()}
    assert all(entries[path].applied is not None for path in written)
    assert main(["undo", night["night_id"]]) == 0
    assert all(FIRST in (project / path).read_text() for path in written)
    entries = {key.path: entry for key, entry in read_lock(project).items()}
    assert all(entries[path].applied is None for path in written)
    assert all(entries[path].tuned is not None for path in written)


# --- apply and undo ----------------------------------------------------------------------------


def test_apply_and_undo_leave_their_mark_so_that_nothing_is_searched_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, night = run_json(capsys, *CAPPED)
    improved = next(t for t in night["targets"] if t["action"] == "improved")
    (run_id,) = improved["run_ids"][-1:]
    entry_before = entry_of(project, improved["path"])
    assert main(["apply", run_id, "--allow-simulated"]) == 0
    entry = entry_of(project, improved["path"])
    assert (entry.rates, entry.fingerprint) == (None, None)
    assert entry.applied is not None
    assert (entry.applied.run_id, entry.applied.replaced) == (run_id, FIRST)
    assert entry.looks == entry_before.looks
    _, found = run_json(capsys, "--dry-run", *QUICK)
    work = next(t["work"] for t in found["targets"] if t["path"] == improved["path"])
    assert [one["stage"] for one in work] == ["recheck", "tune"]
    assert main(["undo", run_id]) == 0
    undone = entry_of(project, improved["path"])
    assert undone.applied is None
    assert undone.tuned == entry_before.tuned
    assert undone.candidate == entry_before.candidate
    capsys.readouterr()
    _, third = run_json(capsys, *CAPPED)
    row = next(t for t in third["targets"] if t["path"] == improved["path"])
    assert row["action"] == "measured"


def lock_entry(entry: LockEntry | None) -> LockEntry:
    """An entry that is there."""
    assert entry is not None
    return entry


def entry_of(project: Path, path: str) -> Any:
    """What is remembered of a target."""
    return next(entry for key, entry in read_lock(project).items() if key.path == path)


def test_a_write_stands_although_the_lock_file_cannot_be_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, night = run_json(capsys, *CAPPED)
    improved = next(t for t in night["targets"] if t["action"] == "improved")
    (places_of(project).project / "skillwalker.lock").write_text("{")
    assert main(["apply", improved["run_ids"][-1], "--allow-simulated"]) == 0
    assert "skillwalker.lock was not updated" in capsys.readouterr().err
    assert improved["description"] in (project / improved["path"]).read_text()


def test_a_second_night_is_refused_and_names_the_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with locked_night(project / "output") as lock:
        lock.name_run("20261130T120000")
        code, text = said(capsys, *CAPPED)
    assert code == 1
    assert f"night 20261130T120000 (process {os.getpid()}) goes on in this project" in text
    assert [path.name for path in (project / "output").iterdir()] == []
    assert said(capsys, *CAPPED)[0] == 0


def test_a_target_that_a_single_run_holds_is_left_with_the_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = places_of(project)
    target = resolve_target(str(skill(project).relative_to(project)), TargetKind.SKILL, places)
    with locked_target(project / "output", target) as lock:
        lock.name_run("20261130T120000")
        code, night = run_json(capsys, *CAPPED)
    assert (code, night["stopped_because"]) == (0, "done")
    assert (night["counts"]["left"], night["counts"]["failed"]) == (1, 0)
    assert "run 20261130T120000 (process" in night["targets"][0]["reason"]
    code, text = said(capsys, "--resume", night["night_id"])
    assert (code, "1 left" in text) == (0, False)


def test_a_lock_file_that_cannot_be_updated_is_told_behind_the_night(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "skillwalker.lock").write_text('{"schema_version": 1, "targets": []}\n')
    (project / "skillwalker.lock").chmod(0o444)
    code, text = said(capsys, *CAPPED, "--quiet")
    assert code == 0
    after = text.split("recorded in ")[1]
    assert after.count("warning: skillwalker.lock was not updated") == 1


def test_what_cannot_be_left_for_people_takes_no_result_of_a_night_along(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, night = run_json(capsys, *QUICK, "--max-trials", "20")
    report = project / "output" / night["night_id"] / "overnight-report.md"
    report.unlink()
    report.mkdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "nowhere" / "summary.md"))
    capsys.readouterr()
    code = main(["overnight", "--resume", night["night_id"], "--max-trials", "30", "--json"])
    out, err = capsys.readouterr()
    assert (code, json.loads(out)["night_id"]) == (0, night["night_id"])
    assert err.count("warning: no report: ") == err.count("warning: no job summary: ") == 1
    gone = project / "nowhere" / "summary.md"
    assert f"warning: no job summary: {gone}: No such file or directory" in err


def test_a_night_without_an_engine_is_recorded_told_and_can_be_resumed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    words = ("--engine", "docker", "--max-trials", "5")
    code, night = run_json(capsys, *words)
    assert (code, night["exit_code"], night["trials"]) == (3, 3, 0)
    assert night["stopped_because"] == "preflight"
    assert [target["action"] for target in night["targets"]] == ["inconclusive"] * 2
    assert "engine docker" in night["targets"][0]["reason"]
    folder = project / "output" / night["night_id"]
    assert json.loads((folder / "overnight-summary.json").read_text()) == night
    code, text = said(capsys, *words)
    assert code == 3
    assert "skillwalker overnight --resume 2" in text
    code, again = run_json(capsys, "--resume", night["night_id"])
    assert (code, again["verdict"]) == (3, "inconclusive")
    assert "engine docker" in again["error"]
