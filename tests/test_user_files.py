"""A user's files, whatever they are."""

from pathlib import Path

import pytest

from skillwalker.user_files import real_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("x")
    for name, points_to in (("a", "b"), ("b", "a"), ("self", "self"), ("to", "file"), ("no", "x")):
        (tmp_path / name).symlink_to(points_to)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "found"), [("file", "file"), ("to", "file"), ("no", "x"), ("no/y", "x/y")]
)
def test_links_are_followed(folder: Path, name: str, found: str) -> None:
    assert real_path(folder / name) == folder.resolve() / found


@pytest.mark.parametrize("name", ["a", "self", "self/inside"])
def test_a_circle_of_links_leads_to_where_it_lies(folder: Path, name: str) -> None:
    assert real_path(folder / name).is_relative_to(folder.resolve())
