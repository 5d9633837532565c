"""What a run leaves for people and for CI, and the command that writes it again."""

import json
import re
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import call_cases, make_bench_project, write_cases

Capture = pytest.CaptureFixture[str]
MEASURE = ("measure", "--engine", "simulated", "--json")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def run_of(project: Path) -> Path:
    (run,) = (project / "output").iterdir()
    return run


def test_a_run_leaves_its_reports_and_names_the_page(project: Path, capsys: Capture) -> None:
    assert main([*MEASURE, "--junit", "ci/junit.xml"]) == 0
    run = run_of(project)
    out, err = capsys.readouterr()
    assert json.loads(out)["run_id"] == run.name
    assert f"report: output/{run.name}/report.html" in err
    assert "SIMULATED" in err.rstrip().splitlines()[-1]
    assert "::" not in err
    assert {"report.html", "report.md"} <= {path.name for path in run.iterdir()}
    assert "<testcase" in (project / "ci" / "junit.xml").read_text(encoding="utf-8")


def test_no_html_leaves_only_the_markdown(project: Path, capsys: Capture) -> None:
    assert main([*MEASURE, "--no-html"]) == 0
    assert not (run_of(project) / "report.html").exists()
    assert (run_of(project) / "report.md").is_file()
    assert "report.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param(".", "it is a folder", id="the folder itself"),
        pytest.param("evals", "it is a folder", id="another folder"),
        pytest.param("blocked/junit.xml", "blocked is no folder", id="below a file"),
        pytest.param("/dev/null", "it is no regular file", id="a device"),
        pytest.param("/nope/dir/x.xml", "there is no folder /nope/dir", id="elsewhere"),
        pytest.param("../nope/x.xml", "there is no folder", id="beside the project"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ["measure", "--engine", "simulated"],
        ["scil", "run", "--engine", "simulated"],
        ["evals", "run", "--engine", "simulated"],
        ["report", "20260101T000000"],
    ],
    ids=["measure", "scil run", "evals run", "report"],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_spent(
    project: Path, capsys: Capture, command: list[str], file: str, words: str
) -> None:
    (project / "blocked").write_text("a file", encoding="utf-8")
    before = sorted(project.parent.rglob("*"))
    assert main([*command, "--junit", file]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"skillwalker: --junit {file}: ")
    assert words in said
    assert "Errno" not in said
    assert sorted(project.parent.rglob("*")) == before
    assert not Path("/nope").exists()


@pytest.mark.parametrize("command", [["measure"], ["evals", "run"]], ids=" ".join)
def test_a_file_that_could_not_be_written_at_the_end_is_an_error_beside_the_whole_result(
    project: Path, capsys: Capture, command: list[str]
) -> None:
    """A name may be so long that none can be written beside it first."""
    name = "j" * 250
    options = ("--engine", "simulated", "--no-html", "--json", "--junit", name)
    assert main([*command, *options]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["trials"] > 0
    assert f"{name}: File name too long" in err
    if command == ["measure"]:
        run = run_of(project)
        assert main([*command, "--resume", run.name, "--json", "--junit", name]) == 1
        assert json.loads(capsys.readouterr().out)["run_id"] == run.name


@pytest.mark.parametrize("target", ["demo:code-review", "plugins/demo/skills/code-review"])
def test_several_targets_are_suites_of_one_junit_file(project: Path, target: str) -> None:
    write_cases(project, "weather", call_cases("demo:weather"))
    targets = (target, "demo:weather")
    assert main([*MEASURE, *targets, "--no-html", "--junit", "j.xml"]) == 0
    assert (project / "j.xml").read_text(encoding="utf-8").count("<testsuite ") == 2


def test_in_github_actions_summary_and_annotations_are_written_by_themselves(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier step\n", encoding="utf-8")
    (project.parent / ".git").mkdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main([*MEASURE, "--no-html"]) == 0
    out, err = capsys.readouterr()
    json.loads(out)  # annotations are no part of the result
    commands = [line for line in err.splitlines() if line.startswith("::")]
    assert commands
    place = "file=project/plugins/demo/skills/code-review/SKILL.md,line=3,"
    assert all(place in command for command in commands)
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("of an earlier step\n")
    assert "### demo:code-review: measured." in text
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "such"))
    assert main([*MEASURE, "--no-html"]) == 0
    gone = tmp_path / "no" / "such"
    warning = f"warning: no job summary: {gone}: No such file or directory\n"
    assert warning in capsys.readouterr().err


def test_report_writes_again_and_says_what(project: Path, capsys: Capture) -> None:
    assert main([*MEASURE, "--no-html"]) == 0
    run = run_of(project)
    capsys.readouterr()
    assert main(["report", run.name, "--no-transcripts", "--junit", "j.xml"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"output/{run.name}/report.html",
        f"output/{run.name}/report.md",
        "j.xml",
    ]
    assert "Transcripts are left out" in (run / "report.html").read_text(encoding="utf-8")
    assert main(["report", run.name, "--no-html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"written": [f"output/{run.name}/report.md"]}


def test_all_writes_an_index_whose_links_lead_somewhere(project: Path, capsys: Capture) -> None:
    assert main([*MEASURE, "--no-html"]) == 0
    assert main([*MEASURE, "--no-html"]) == 0
    (project / "output" / "20200101T000000").mkdir()
    capsys.readouterr()
    assert main(["report", "--all"]) == 0
    assert "output/index.html" in capsys.readouterr().out.splitlines()
    index = (project / "output" / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^"#:]+)"', index)
    assert len(set(links)) == 2
    assert all((project / "output" / link).is_file() for link in links)
    assert "20200101T000000" in index


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param([], 2, "name one run, or give --all", id="nothing"),
        pytest.param(["X", "--all"], 2, "name one run, or give --all", id="both"),
        pytest.param(["--all", "--no-html"], 2, "go with one run", id="index without html"),
        pytest.param(["--all", "--junit", "x"], 2, "go with one run", id="index as junit"),
        pytest.param(["20200101T000000"], 1, "there is no run", id="unknown run"),
        pytest.param(["--all"], 1, "there is no recorded run: output does", id="no run at all"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_cannot_be_reported_is_refused_in_one_line(
    capsys: Capture, arguments: list[str], code: int, words: str
) -> None:
    assert main(["report", *arguments]) == code
    assert words in capsys.readouterr().err


def test_runs_without_a_summary_say_how_to_go_on(project: Path, capsys: Capture) -> None:
    assert main([*MEASURE, "--no-html"]) == 0
    run = run_of(project)
    (run / "measure-summary.json").unlink()
    capsys.readouterr()
    assert main(["report", run.name]) == 1
    assert f"go on with it: skillwalker measure --resume {run.name}" in capsys.readouterr().err


def test_an_eval_run_has_reports_and_a_line_in_the_index(project: Path, capsys: Capture) -> None:
    assert main(["evals", "run", "--engine", "simulated", "--json"]) in {0, 1}
    run = run_of(project)
    capsys.readouterr()
    assert main(["report", "--all"]) == 0
    index = (project / "output" / "index.html").read_text(encoding="utf-8")
    assert f'href="{run.name}/report.html"' in index
    assert "SIMULATED eval run of review" in index
    assert main(["report", run.name, "--junit", "j.xml"]) == 0
    words = (run / "report.html").read_text(encoding="utf-8")
    assert "of 12 cases passed" in words
    assert words.count("SIMULATED: no model was asked") == 2
    assert "of 12 cases passed" in (run / "report.md").read_text(encoding="utf-8")
    assert (project / "j.xml").read_text(encoding="utf-8").count("<testcase ") == 12
    (run / "test-run-summary.json").write_text("{}", encoding="utf-8")
    assert main(["report", run.name]) == 1
    assert "schema_version None" in capsys.readouterr().err
