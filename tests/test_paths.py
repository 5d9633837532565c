import os
from pathlib import Path

import pytest

from skillwalker.paths import find_project, is_file_name, open_places, plugin_name
from skillwalker.settings import Settings
from tests.projects import make_project, write


def test_nearest_settings_file_wins_over_a_nearer_evals_folder(tmp_path: Path) -> None:
    write(tmp_path / "skillwalker.toml", "")
    inner = tmp_path / "a" / "evals"
    inner.mkdir(parents=True)
    assert find_project(inner) == tmp_path


def test_without_settings_the_nearest_evals_folder_makes_the_project(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    deep = tmp_path / "a" / "b"
    (tmp_path / "a" / "evals").mkdir(parents=True)
    deep.mkdir()
    assert find_project(deep) == tmp_path / "a"


def test_without_either_the_start_is_the_project(tmp_path: Path) -> None:
    assert find_project(tmp_path) == tmp_path


def test_settings_lay_out_the_folders(tmp_path: Path) -> None:
    settings = Settings(plugin_dirs=("more", "/else", "~/mine"), evals_dir="suites", output_dir="o")
    places = open_places(tmp_path / "p", settings, tmp_path / "home")
    assert places.evals_dir == tmp_path / "p" / "suites"
    assert places.output_dir == tmp_path / "p" / "o"
    assert places.plugin_dirs == (
        tmp_path / "p" / "plugins",
        tmp_path / "p" / "more",
        Path("/else"),
        tmp_path / "home" / "mine",
    )


def test_plugin_is_looked_for_in_plugins_then_settings_then_project(tmp_path: Path) -> None:
    places = open_places(tmp_path, Settings(plugin_dirs=("more",)), tmp_path)
    folders = [tmp_path / "plugins" / "x", tmp_path / "more" / "x", tmp_path / "x"]
    for folder in folders:
        folder.mkdir(parents=True)
    for folder in folders:
        assert places.plugin_folder("x") == folder
        folder.rmdir()
    assert places.plugin_folder("x") is None


def test_an_entry_of_plugin_dirs_may_be_a_plugin_itself(tmp_path: Path) -> None:
    write(tmp_path / "mine/.claude-plugin/plugin.json", '{"name": "other"}')
    settings = Settings(plugin_dirs=(str(tmp_path / "mine"),))
    places = open_places(tmp_path / "project", settings, tmp_path)
    assert places.plugin_folder("mine") == tmp_path / "mine"
    assert places.plugin_folder("other") == tmp_path / "mine"
    assert places.plugin_folders() == (tmp_path / "mine",)


def test_plugin_is_found_by_the_name_in_its_manifest(tmp_path: Path) -> None:
    write(tmp_path / "plugins/folder/.claude-plugin/plugin.json", '{"name": "manifest"}')
    places = open_places(tmp_path, Settings(), tmp_path)
    assert places.plugin_folder("manifest") == tmp_path / "plugins" / "folder"


def test_a_plugin_may_be_called_skills(tmp_path: Path) -> None:
    write(tmp_path / "plugins/skills/skills/one/SKILL.md", "")
    places = open_places(tmp_path, Settings(), tmp_path)
    assert places.plugin_folder("skills") == tmp_path / "plugins" / "skills"
    assert places.plugin_folders() == (tmp_path / "plugins" / "skills",)


@pytest.mark.parametrize(
    "manifest", ["{", "[]", '{"name": 3}', '{"name": ""}', "[" * 100_000, b"\xff"]
)
def test_plugin_with_an_unusable_manifest_has_its_folders_name(
    tmp_path: Path, manifest: str | bytes
) -> None:
    write(tmp_path / "x/.claude-plugin/plugin.json", manifest)
    assert plugin_name(tmp_path / "x") == "x"


@pytest.mark.parametrize(
    "name", ["", ".", "..", " ", "a/b", "../x", "/x", "a\\b", "a\nb", "a\x00", "\ud800", "ä" * 128]
)
def test_names_that_leave_a_folder_are_none(tmp_path: Path, name: str) -> None:
    assert not is_file_name(name)
    assert make_project(tmp_path).plugin_folder(name) is None


@pytest.mark.parametrize("name", ["x", "レビュー", "مراجعة", "a b", "🧪", "v1.2", "..x"])
def test_names_of_any_script_are_file_names(name: str) -> None:
    assert is_file_name(name)


def test_a_pipe_is_no_manifest(tmp_path: Path) -> None:
    write(tmp_path / "x/.claude-plugin/other", "")
    os.mkfifo(tmp_path / "x/.claude-plugin/plugin.json")
    assert plugin_name(tmp_path / "x") == "x"
