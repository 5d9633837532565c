"""The skills by which Claude Code runs Skillwalker name commands, options and keys that exist."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from skillwalker.cli import main
from skillwalker.cli.app import app
from tests.bench import make_bench_project
from tests.content.places import PROJECT

SKILLS = ("description-tuner", "case-writer")
COMMAND = re.compile(r"`((?:skillwalker|scil|acil) [^`]+)`")
OPTION = re.compile(r"`(--[a-z-]+)[^`]*`")
Output = pytest.CaptureFixture[str]


def body(skill: str) -> str:
    path = PROJECT / "plugins/skillwalker/skills" / skill / "SKILL.md"
    return " ".join(path.read_text(encoding="utf-8").split())


def commands() -> Iterator[tuple[str, ...]]:
    for skill in SKILLS:
        for line in COMMAND.findall(body(skill)):
            words = line.split()
            yield tuple(words[1:] if words[0] == "skillwalker" else words)


@pytest.mark.parametrize("words", sorted(set(commands())), ids=" ".join)
def test_every_command_and_option_is_there(words: tuple[str, ...]) -> None:
    command: object = typer.main.get_command(app)
    for word in words:
        known = getattr(command, "commands", {})
        if not known:
            break
        assert word in known
        command = known[word]
    options = {name for each in getattr(command, "params", ()) for name in each.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_options_that_are_spoken_of_are_there() -> None:
    spoken = {option for skill in SKILLS for option in OPTION.findall(body(skill))}
    run = typer.main.get_command(app).commands["scil"].commands["run"]  # type: ignore[attr-defined]  # groups have them
    assert spoken - {"--agent"} <= {name for each in run.params for name in each.opts}


def ask(capsys: Output, project: Path, *words: str) -> str:
    main([*words, "--json", "-C", str(project)])
    return capsys.readouterr().out


def test_keys_that_it_reads_are_printed(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    project = make_bench_project(tmp_path)
    run = ("scil", "run", "--engine", "simulated", "--no-html", "--max-iterations", "2")
    printed = "".join(
        [
            ask(capsys, project, "doctor"),
            ask(capsys, project, "show"),
            ask(capsys, project, "evals", "check"),
            ask(capsys, project, *run, "--dry-run"),
            ask(capsys, project, *run),
        ]
    )
    named = set(re.findall(r"`([a-z_]+)`", body("description-tuner")))
    words = {"improved", "kept", "inconclusive", "ok"}
    keys = {key for name in named - words for key in name.split(".")}
    dotted = re.findall(r"`([a-z_]+)\.([a-z_]+)`", body("description-tuner"))
    keys |= {key for pair in dotted for key in pair}
    assert [key for key in sorted(keys) if f"{json.dumps(key)}:" not in printed] == []


def test_it_never_writes_or_spends_without_a_word() -> None:
    text = body("description-tuner")
    assert "--apply" not in {word for words in commands() for word in words}
    assert text.index("--dry-run --json") < text.index("--max-cost-usd N")
    assert text.index("Then ask whether it shall be written") < text.index("skillwalker apply")
