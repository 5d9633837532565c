"""Every command that is printed for a user to copy is taken by the program as it stands."""

import shlex
from pathlib import Path

import pytest
from typer import TyperException

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import TargetKind
from tests.bench import call_cases, make_bench_project, write_cases
from tests.printed_commands import commands_in, parse

Capture = pytest.CaptureFixture[str]
SIM = "--engine simulated --no-html"
ONE = f"{SIM} --max-iterations 2 --confirm-runs 1"
SKILL = "plugins/demo/skills/code-review/SKILL.md"

LINES = {
    "overview": f"measure --all {SIM} --max-trials 999",
    "overview of searches": f"scil run --all {ONE} --max-trials 999",
    "by name": f"measure demo:code-review {SIM}",
    "by path": f"measure {{project}}/{SKILL} --eval review {SIM}",
    "agent": f"measure demo:gap-analyzer {SIM}",
    "agent's search": f"acil run {ONE}",
    "search": f"scil run --skill demo:code-review {ONE}",
    "budget": f"scil run --skill demo:code-review {SIM} --max-trials 14",
    "written": f"scil run --skill demo:code-review {ONE} --apply --allow-simulated",
    "race": f"scil run --skill demo:code-review --search race --max-trials 150 {SIM}",
    "several suites": f"scil run {SIM}",
    "no such name": "measure nothing",
    "no suite": f"measure demo:plan {SIM}",
    "night": "overnight --engine simulated --no-html --max-trials 40",
    "night, cut": "overnight --engine simulated --no-html --max-trials 9",
    "evals list": "evals list",
    "evals check": "evals check",
    "no eval run": "evals score",
    "evals run": "evals run --engine simulated --dry-run",
    "draft": "evals draft --skill demo:weather --suite drawn --improver simulated",
    "init": "init",
    "init of one": "init --skill demo:code-review --suite fresh",
    "doctor": "doctor",
    "show": "show",
    "describe": f"describe {SKILL} --text 'Reviews diffs. Use it before a merge.'",
    "stats": "stats --simulated",
    "report": "report --all",
    "metric": "metric list",
    "plan": f"scil run --skill demo:code-review --dry-run {SIM}",
}
MUST_NAME = {
    "overview": "acil run --eval gaps --agent demo:gap-analyzer --engine simulated",
    "night, cut": "overnight --resume",
    "budget": "run --resume",
    "draft": "measure demo:weather --eval drawn --dry-run",
    "init of one": "evals check",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"HOME": tmp_path, "TMPDIR": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    write_cases(made, "a weather suite", call_cases("demo:weather")[3:9])
    gaps = call_cases("demo:gap-analyzer", kind=TargetKind.AGENT)
    write_cases(made, "gaps", gaps[3:9])
    return made


def words_of(line: str, project: Path) -> list[str]:
    words = shlex.split(line.replace("{project}", str(project)))
    return words if words[0] in {"scil", "acil"} else ["skillwalker", *words]


@pytest.mark.parametrize(
    ("form", "place"),
    [*((form, "named") for form in LINES), *((form, "here") for form in MUST_NAME)],
)
def test_what_is_printed_to_be_copied_is_taken(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, form: str, place: str
) -> None:
    monkeypatch.chdir(project if place == "here" else project.parent)
    where = [] if place == "here" else ["-C", project.name]
    words = words_of(LINES[form], project)
    program = [] if words[0] == "skillwalker" else [words[0]]
    if place == "named" and form == "describe":
        words = [word.replace(SKILL, f"{project.name}/{SKILL}") for word in words]
    main([*where, *program, *words[1:]])
    streams = capsys.readouterr()
    found = commands_in(f"{streams.out}\n{streams.err}")
    assert "unexpected" not in streams.err
    for command in found:
        try:
            parse(command)
        except TyperException as error:
            pytest.fail(f"{shlex.join(command)}: {error}")
        if place == "named" and not {"-C", "--help"} & set(command):
            assert command[1] in {"sandbox", "doctor"}, f"without -C: {shlex.join(command)}"
    if form in MUST_NAME:
        joined = [shlex.join(each) for each in found]
        assert any(MUST_NAME[form] in each.replace("-C project ", "") for each in joined), joined


def test_the_next_command_of_an_overview_runs_as_it_stands(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(project.parent)
    assert main(["-C", project.name, "measure", "--all", *SIM.split(), "--max-trials", "999"]) == 0
    (line,) = [row for row in capsys.readouterr().err.splitlines() if row.startswith("next:")]
    (command,) = commands_in(line)
    assert main([*([] if command[0] == "skillwalker" else command[:1]), *command[1:]]) in {0, 3}
    assert "unexpected" not in capsys.readouterr().err


def test_the_parser_of_these_tests_refuses_what_the_program_refuses() -> None:
    (wrong,) = commands_in("next: scil run demo:x --eval x   (the weakest)")
    assert wrong == ["scil", "run", "demo:x", "--eval", "x"]
    with pytest.raises(TyperException):
        parse(wrong)
