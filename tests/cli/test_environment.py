from pathlib import Path

import pytest

from skillwalker.cli.environment import home_folder, plain_width, temporary_folder


def test_a_relative_home_is_seen_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "me")
    assert home_folder() == tmp_path / "me"


def test_a_tmpdir_that_cannot_be_used_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", "absent")
    assert temporary_folder() == tmp_path / "absent"


@pytest.mark.parametrize(
    ("written", "columns"),
    [("", 80), ("120", 120), ("3", 80), ("-5", 80), ("wide", 80), ("²", 80)],
)
def test_the_width_off_a_terminal_is_columns(
    monkeypatch: pytest.MonkeyPatch, written: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", written)
    assert plain_width() == columns
