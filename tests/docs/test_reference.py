"""The reference says what the program is."""

import json
import re
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.docs.pages import ROOT
from tests.docs.places import write_skill
from tools import reference

PAGES = reference.pages()


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_not_stale(page: str) -> None:
    written = (reference.REFERENCE / page).read_text("utf-8")
    assert written == PAGES[page], "run `python -m tools.reference`"


def test_a_stale_page_is_written_and_named(tmp_path: Path) -> None:
    assert reference.write(PAGES, tmp_path) == [*PAGES]
    (tmp_path / "settings.md").write_text("old")
    assert reference.write(PAGES, tmp_path) == ["settings.md"]
    assert reference.write(PAGES, tmp_path) == []


def test_every_command_is_in_the_reference() -> None:
    paths = reference.command_paths()
    assert {("scil", "run"), ("measure",), ("evals", "import")} <= {*paths}
    titles = set(re.findall(r"^## (.*)$", PAGES["commands.md"], re.MULTILINE))
    assert titles == {" ".join(("skillwalker", *words)) for words in paths}


def test_help_fits_a_terminal_of_80_columns() -> None:
    wide = [line for line in PAGES["commands.md"].splitlines() if len(line) > reference.COLUMNS]
    assert [line for line in wide if line.startswith(("│", "╭", "╰"))] == []


def test_no_option_is_without_a_word() -> None:
    bare = re.compile(r"^│ +(\*  +)?--\S+ +(-\w +)?[^ ]* +│$", re.MULTILINE)
    assert [found[0] for found in bare.finditer(PAGES["commands.md"])] == []


def test_the_page_on_files_knows_every_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    page = (ROOT / "docs/reference/run-files.md").read_text("utf-8")
    project = tmp_path / "my-skill"
    write_skill(project)
    monkeypatch.chdir(project)
    engine = ("--engine", "simulated", "--no-html")
    assert main(["evals", "import", "queries.json", "--suite", "s", "--skill", "."]) == 0
    assert main(["measure", *engine]) == 0
    assert main(["scil", "run", *engine, "--apply", "--allow-simulated"]) == 0
    assert main(["evals", "run", "--engine", "simulated"]) in {0, 1}
    files = [path for path in (project / "output").rglob("*") if path.is_file()]
    names = {path.name for path in files if path.parent.parent.name == "output"}
    assert {name for name in names if f"`{name}`" not in page} == set()
    described = set(re.findall(r"`(\w+)`", page))
    for path in files:
        if path.name.startswith(("trials", "scil", "measure")) and "original" not in path.parts:
            lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
            unknown = {key for line in lines for key in json.loads(line)} - described
            assert unknown == set(), path.name
