from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.cli.options import direct
from tests.projects import SKILL, make_project, write


@pytest.mark.parametrize(
    ("name", "said"),
    [("file", "it is not a folder"), ("nowhere", "there is no such folder")],
)
def test_a_project_that_is_no_folder_is_told_apart_from_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    (tmp_path / "file").touch()
    assert main(["show", "-C", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.endswith(f"{name}: {said}\n")


@pytest.mark.parametrize("words", [["-C", "../one"], ["../one/plugins"]], ids=["project", "paths"])
def test_no_path_that_is_shown_goes_up_and_down_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
) -> None:
    make_project(tmp_path / "one")
    for plugin in ("a", "b"):  # the same plugin twice, so that both skills have one name
        write(tmp_path / f"one/plugins/{plugin}/.claude-plugin/plugin.json", '{"name": "same"}')
        write(tmp_path / f"one/plugins/{plugin}/skills/x/SKILL.md", SKILL.format(name="x"))
    (tmp_path / "two").mkdir()
    monkeypatch.chdir(tmp_path / "two")
    main(["evals", "check", *words])
    streams = capsys.readouterr()
    assert "[same-name]" in streams.out
    assert ".." not in streams.out


def test_a_way_up_behind_a_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "far/away").mkdir(parents=True)
    (tmp_path / "far/there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far/away")
    assert direct(tmp_path / "link/../there") == tmp_path / "link/../there"
    assert direct(tmp_path / "far/away/../there") == tmp_path / "far/there"
