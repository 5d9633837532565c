"""The workflows in docs/examples: they parse, and each command in them is one of ours."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from skillwalker.cli.app import app
from tests.docs.pages import ROOT

EXAMPLES = sorted((ROOT / "docs/examples").glob("*.yml"))
PROGRAMS = {"skillwalker": (), "scil": ("scil",), "acil": ("acil",)}
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
CRON = re.compile(r"^\d+ \d+ \* \* \*\s+cd \S+ && (.*?) >>", re.MULTILINE)


def workflow(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return loaded


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(path)["jobs"].values():
        yield from job["steps"]


def commands(path: Path) -> list[list[str]]:
    """Our own commands in a workflow, each as its words."""
    scripts = (EXPRESSION.sub("1", step.get("run", "")) for step in steps(path))
    lines = (line for one in scripts for line in one.replace("\\\n", " ").splitlines())
    return [shlex.split(line) for line in lines if line.strip().split(" ")[0] in PROGRAMS]


def check(words: list[str]) -> None:
    """Parse a command line as the program does, without running it."""
    names = [*PROGRAMS[words[0]], *words[1:]]
    command: Any = typer.main.get_command(app)
    context = None
    while hasattr(command, "commands"):
        name = names.pop(0)
        context = type(command).context_class(command, info_name=name, parent=context)
        command = command.commands[name]
    command.make_context(command.name, names, parent=context)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_each_command_of_a_workflow_is_accepted(path: Path) -> None:
    found = commands(path)
    assert found
    for words in found:
        check(words)


def test_the_parser_refuses_what_is_no_option() -> None:
    with pytest.raises(typer.TyperException):
        check(["skillwalker", "overnight", "--no-such-option"])


def test_both_workflows_are_there_and_bound_what_they_spend() -> None:
    assert [path.name for path in EXAMPLES] == ["overnight.yml", "pull-request-gate.yml"]
    paid = [
        words
        for path in EXAMPLES
        for words in commands(path)
        if words[1] in {"measure", "overnight"} and "--merge" not in words
    ]
    assert len(paid) == 3
    assert all("--max-cost-usd" in words for words in paid)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_secrets_go_only_to_steps_that_run_us(path: Path) -> None:
    workflow_text = path.read_text("utf-8")
    assert workflow(path)["permissions"] == {"contents": "read"}
    with_key = [step for step in steps(path) if "ANTHROPIC_API_KEY" in step.get("env", {})]
    assert len(with_key) == workflow_text.count("secrets.ANTHROPIC_API_KEY")
    assert all("skillwalker" in step["run"] for step in with_key)


def test_the_line_for_cron_is_accepted() -> None:
    page = (ROOT / "docs/how-to/overnight-in-ci.md").read_text("utf-8")
    (line,) = CRON.findall(page)
    check(shlex.split(line))
