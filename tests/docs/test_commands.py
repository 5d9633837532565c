"""Every command that a page shows is run, and prints what the page shows of it."""

import os
import shutil
from pathlib import Path

import pytest

from tests.clis import VERSIONS, need_cli
from tests.docs.pages import Block, blocks_of, documents, files_of, name_of, stray_commands
from tests.docs.places import make_places, write_skill
from tests.docs.reader import Reader

NOT_RUN = {
    "README.md: git clone REPOSITORY skillwalker": "github",
    "README.md: pipx install skillwalker": "package",
    "README.md: uv tool install skillwalker": "package",
    "docs/how-to/subscription-login.md: claude setup-token": "login",
    "docs/how-to/subscription-login.md: export CLAUDE_CODE_OAUTH_TOKEN=…": "login",
    "docs/real-claude.md: claude setup-token": "login",
    "docs/real-claude.md: export ANTHROPIC_API_KEY=…": "login",
    "docs/real-claude.md: export CLAUDE_CODE_OAUTH_TOKEN=…": "login",
    "docs/real-claude.md: npm install -g @anthropic-ai/claude-code": "package",
    "docs/real-claude.md: scil run --eval code-review --engine docker": "docker",
    "docs/real-claude.md: skillwalker sandbox build --base my-base:latest --claude "
    "~/.local/share/claude": "docker",
    "docs/real-claude.md: skillwalker sandbox clean": "docker",
    "docs/real-claude.md: skillwalker sandbox status": "docker",
}
"""Commands that no test runs, and what each needs that a test does not have."""
REASONS = {"package", "login", "docker", "github"}


def blocks(page: Path) -> list[Block]:
    return blocks_of(page.read_text("utf-8"), name_of(page))


def pages_with(kind: str | None) -> list[Path]:
    """The pages that show commands of a kind: those of `<!-- with: KIND -->`, or plain ones."""
    return [
        page
        for page in documents()
        if any(b.marks.get("with") == kind and "not run" not in b.marks for b in blocks(page))
    ]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    for name in [*os.environ]:
        if name.startswith(("ANTHROPIC_", "CLAUDE", "GITHUB_", "DOCKER_")):
            monkeypatch.delenv(name)
    settled = {"HOME": "home", "TMPDIR": "t"}
    for name, folder in settled.items():
        (tmp_path / folder).mkdir()
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "EDITOR": "true"}.items():
        monkeypatch.setenv(name, value)
    places = make_places(tmp_path)
    monkeypatch.chdir(places["project"])
    return Reader(places=places, monkeypatch=monkeypatch)


@pytest.mark.parametrize("page", pages_with(None), ids=name_of)
def test_commands_do_what_the_page_says(page: Path, reader: Reader) -> None:
    typed_in = next((b.marks["in"] for b in blocks(page) if "in" in b.marks), "project")
    for path, text in files_of(page.read_text("utf-8")).items():
        file = reader.places[typed_in] / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for block in blocks(page):
        if "not run" not in block.marks and "with" not in block.marks:
            reader.read(block)


@pytest.mark.parametrize("page", documents(), ids=name_of)
def test_no_command_names_a_folder_that_a_reader_has_not(page: Path) -> None:
    typed = [shown.command for block in blocks(page) for shown in block.commands]
    assert [command for command in typed if "../" in command] == []


def test_what_no_test_runs_is_listed_here() -> None:
    found = {
        f"{shown.page}: {shown.command}": block.marks["not run"]
        for page in documents()
        for block in blocks(page)
        if "not run" in block.marks
        for shown in block.commands
    }
    assert found == NOT_RUN
    assert set(found.values()) <= REASONS


@pytest.mark.parametrize("page", documents(), ids=name_of)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    assert not stray_commands(page.read_text("utf-8"))


# --- with the real Claude CLI ------------------------------------------------------------------


@pytest.mark.cli
@pytest.mark.parametrize("page", pages_with("cli"), ids=name_of)
def test_commands_do_what_the_page_says_with_the_real_cli(page: Path, reader: Reader) -> None:
    binary = need_cli(VERSIONS[0])
    reader.monkeypatch.setenv("PATH", f"{binary.parent}:{os.environ['PATH']}")
    start = reader.places["start"]
    shutil.rmtree(start / "my-skill")
    write_skill(start / "my-skill", cases=3)  # 20 requests take minutes
    reader.uses_stand_in = True
    try:
        for block in blocks(page):
            if "not run" not in block.marks and block.marks.get("with", "cli") == "cli":
                reader.read(block)
    finally:
        reader.close()
