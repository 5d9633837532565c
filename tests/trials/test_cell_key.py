import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.errors import SuiteError
from skillwalker.trials.cell_key import CellKeys, folder_hash
from tests.closed_folders import closed_folder
from tests.measured import trigger_case

SHARED = {
    "candidate": "c",
    "listing": "l",
    "effort": "e",
    "permission_mode": "p",
    "engine": "g",
    "endpoint": "u",
    "cli_version": "v",
}
CASE = trigger_case("case")


@pytest.fixture
def scaffold(tmp_path: Path) -> Path:
    """A folder with a file in a folder."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_bytes(b"pass\n")
    return tmp_path


@pytest.mark.parametrize("name", sorted(SHARED))
def test_every_shared_fact_is_in_the_key(name: str) -> None:
    assert CellKeys({**SHARED, name: "other"}).of(CASE, 4) != CellKeys(SHARED).of(CASE, 4)


def test_the_facts_of_the_case_are_in_the_key(scaffold: Path) -> None:
    keys = CellKeys(SHARED)
    made = {
        keys.of(CASE, 4),
        keys.of(CASE, 5),
        keys.of(replace(CASE, prompt="other"), 4),
        keys.of(replace(CASE, model="opus"), 4),
        keys.of(replace(CASE, scaffold=scaffold), 4),
    }
    assert len(made) == 5


def test_name_tags_and_label_are_no_part_of_the_experiment() -> None:
    other = replace(CASE, name="renamed", tags=("near-miss",), should_trigger=False, runs=3)
    assert CellKeys(SHARED).of(other, 4) == CellKeys(SHARED).of(CASE, 4)


def test_facts_cannot_run_into_each_other() -> None:
    one = CellKeys({"a": 'x","b":"y', "b": ""}).of(CASE, 4)
    assert one != CellKeys({"a": "x", "b": "y"}).of(CASE, 4)


def test_a_lone_surrogate_in_a_prompt_has_a_key() -> None:
    assert CellKeys(SHARED).of(replace(CASE, prompt="\ud800"), 4)


def add_file(folder: Path) -> None:
    (folder / "new").write_bytes(b"")


def change_file(folder: Path) -> None:
    (folder / "src" / "main.py").write_bytes(b"exit\n")


def rename_file(folder: Path) -> None:
    (folder / "src" / "main.py").rename(folder / "src" / "other.py")


def make_program(folder: Path) -> None:
    (folder / "src" / "main.py").chmod(0o755)


def add_folder(folder: Path) -> None:
    (folder / "empty").mkdir()


def make_link(folder: Path) -> None:
    (folder / "src" / "main.py").unlink()
    (folder / "src" / "main.py").symlink_to("elsewhere.py")


@pytest.mark.parametrize(
    "change", [add_file, change_file, rename_file, make_program, add_folder, make_link]
)
def test_folder_hash_sees(change: Callable[[Path], None], scaffold: Path) -> None:
    before = folder_hash(scaffold)
    assert folder_hash(scaffold) == before
    change(scaffold)
    assert folder_hash(scaffold) != before


def test_a_name_cannot_run_into_its_content(tmp_path: Path) -> None:
    for folder, name, content in (("one", "ab", b"c"), ("two", "a", b"bc")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content)
    assert folder_hash(tmp_path / "one") != folder_hash(tmp_path / "two")


def test_the_place_of_a_folder_does_not_count(scaffold: Path) -> None:
    moved = scaffold.parent / "moved"
    before = folder_hash(scaffold)
    scaffold.rename(moved)
    assert folder_hash(moved) == before


def test_a_scaffold_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"scaffold .*gone cannot be read"):
        folder_hash(tmp_path / "gone")


def test_a_closed_folder_is_refused_and_not_passed_over() -> None:
    with closed_folder() as folder, pytest.raises(SuiteError, match=r"closed.*make it readable"):
        folder_hash(folder)


def test_the_hash_is_frozen(scaffold: Path) -> None:
    """It stands in lock files and in records of runs."""
    make_link(scaffold)
    add_folder(scaffold)
    (scaffold / "empty" / "deep").mkdir()
    (scaffold / "around").symlink_to(".")
    (scaffold / "src.txt").write_bytes(b"sorted by parts")
    assert (
        folder_hash(scaffold) == "67ab11b5ce48cbb2c7dc892b72862c97f41115782d4193c408551839e6cbd739"
    )


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SuiteError, match="not a regular file"):
        folder_hash(tmp_path)
