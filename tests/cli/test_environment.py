from pathlib import Path

import pytest

from skillwalker.cli.environment import home_folder


def test_a_relative_home_is_seen_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "me")
    assert home_folder() == tmp_path / "me"
