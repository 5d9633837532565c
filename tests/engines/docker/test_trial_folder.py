"""The folder that a container sees: all of the plugin, readable by it, and nothing else."""

import os
from pathlib import Path

import pytest

from skillwalker.datatypes.trials import Invocation
from skillwalker.engines.docker.trial_folder import inner_plugin_dirs, write_trial
from skillwalker.errors import EngineUnavailableError, TrialError

PATH = "/usr/local/bin:/usr/bin:/bin"


def invocation(*plugins: Path, prompt: str = "hello", scaffold: Path | None = None) -> Invocation:
    return Invocation(
        prompt=prompt,
        plugin_dirs=plugins,
        project_dir=None,
        scaffold=scaffold,
        model="m",
        max_turns=1,
        timeout=1.0,
        called_as=None,
        run_index=0,
    )


def make_plugin(root: Path, manifest: str | None = '{"name": "demo"}') -> Path:
    skill = root / "skills" / "a" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("text")
    if manifest is not None:
        (root / ".claude-plugin").mkdir()
        (root / ".claude-plugin" / "plugin.json").write_text(manifest)
    return root


def test_the_prompt_is_written_byte_for_byte(tmp_path: Path) -> None:
    prompt = "-p\r\n\x00 🚀 \ud800"
    write_trial(tmp_path / "t", invocation(prompt=prompt), path=PATH)
    assert (tmp_path / "t" / "prompt").read_bytes() == prompt.encode(errors="surrogatepass")


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        pytest.param('{"name": "demo"}', "plugin", id="named by its manifest"),
        pytest.param(None, "0123abcd", id="no manifest"),
        pytest.param("{}", "0123abcd", id="manifest without a name"),
        pytest.param("{", "0123abcd", id="broken manifest"),
        pytest.param("[]", "0123abcd", id="manifest of another kind"),
    ],
)
def test_a_plugin_lies_where_its_folder_cannot_change_its_name(
    tmp_path: Path, manifest: str | None, name: str
) -> None:
    given = invocation(make_plugin(tmp_path / "0123abcd", manifest))
    assert inner_plugin_dirs(given) == (f"/trial/plugins/0/{name}",)
    write_trial(tmp_path / "t", given, path=PATH)
    copied = tmp_path / "t" / "plugins" / "0" / name / "skills" / "a" / "SKILL.md"
    assert copied.read_text() == "text"


def test_everything_can_be_read_and_run_by_the_containers_user(tmp_path: Path) -> None:
    plugin = make_plugin(tmp_path / "p")
    script = plugin / "run.sh"
    script.write_text("x")
    script.chmod(0o700)
    (plugin / "skills").chmod(0o700)
    (plugin / "skills" / "a" / "SKILL.md").chmod(0o600)
    write_trial(tmp_path / "t", invocation(plugin), path=PATH)
    copied = tmp_path / "t" / "plugins" / "0" / "plugin"
    modes = {
        path.relative_to(copied).as_posix(): path.stat().st_mode & 0o777
        for path in (copied, *copied.rglob("*"))
    }
    assert modes == {
        ".": 0o755,
        ".claude-plugin": 0o755,
        ".claude-plugin/plugin.json": 0o644,
        "run.sh": 0o755,
        "skills": 0o755,
        "skills/a": 0o755,
        "skills/a/SKILL.md": 0o644,
    }
    assert script.stat().st_mode & 0o777 == 0o700, "the user's own file stays as it is"


def test_a_link_out_of_the_plugin_brings_nothing_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    plugin = make_plugin(tmp_path / "p")
    (plugin / "out").symlink_to(secret)
    (plugin / "in").symlink_to("skills")
    os.mkfifo(plugin / "pipe")
    write_trial(tmp_path / "t", invocation(plugin), path=PATH)
    copied = tmp_path / "t" / "plugins" / "0" / "plugin"
    assert copied.joinpath("out").is_symlink()
    assert copied.joinpath("in").readlink() == Path("skills")
    assert not copied.joinpath("pipe").exists()
    assert secret.stat().st_mode & 0o777 == 0o644


def test_a_plugin_that_is_not_there_is_said_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"absent: cannot set up") as caught:
        write_trial(tmp_path / "t", invocation(tmp_path / "absent"), path=PATH)
    assert caught.value.reason == "set_up"


def test_no_git_is_said(tmp_path: Path) -> None:
    scaffold = tmp_path / "scaffold"
    scaffold.mkdir()
    with pytest.raises(TrialError, match="git"):
        write_trial(tmp_path / "t", invocation(scaffold=scaffold), path=str(tmp_path))


def test_a_full_disk_ends_the_engine_and_not_the_trial(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "prompt").symlink_to("/dev/full")
    with pytest.raises(EngineUnavailableError, match=r"t: .*No space left.*set TMPDIR"):
        write_trial(folder, invocation(), path=PATH)
