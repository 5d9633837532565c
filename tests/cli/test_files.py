import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.project_files import TEXT, full_disk, skill_file, write_files

NEW = "Finds faults in code. Use it when someone wants a diff, patch or pull request reviewed."
NEWER = "Looks through changes for faults. Use it for reviews of diffs, patches and merges."
SKILL = "plugins/demo/skills/alpha/SKILL.md"
RUN = "20260504T120000"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    write_files(
        project,
        {
            SKILL: skill_file(),
            "plugins/demo/skills/off/SKILL.md": skill_file(more="disable-model-invocation: true\n"),
            "plugins/demo/agents/gap.md": skill_file("Compares a plan with the code.", name="gap"),
            "evals/.keep": "",
        },
    )
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return project


def write_text(project: Path, text: str) -> str:
    (project / "text.txt").write_text(text + "\n", encoding="utf-8")
    return "text.txt"


def describe(project: Path, text: str, *more: str, target: str = "demo:alpha") -> int:
    return main(["describe", target, "--text-file", write_text(project, text), *more])


def record_run(project: Path, **changes: object) -> Path:
    """A finished run of scil as the store leaves it."""
    folder = project / "output" / RUN
    folder.mkdir(parents=True)
    summary: dict[str, object] = {
        "schema_version": 1,
        "run_id": RUN,
        "kind": "scil",
        "target": "demo:alpha",
        "target_kind": "skill",
        "target_path": SKILL,
        "target_sha256": hashlib.sha256((project / SKILL).read_bytes()).hexdigest(),
        "position": "plugin",
        "engine": "local",
        "simulated": False,
        "original_description": TEXT,
        "best_description": NEW,
        "improved": True,
        "applied": False,
    }
    (folder / "scil-summary.json").write_text(json.dumps(summary | changes), encoding="utf-8")
    return folder


def applied(folder: Path) -> object:
    return json.loads((folder / "scil-summary.json").read_text())["applied"]


def text_of(project: Path) -> str:
    return (project / SKILL).read_text(encoding="utf-8")


# --- show --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_show_gives_one_element_a_file_with_the_keys_of_the_contract(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", "demo:alpha", "--json"]) == 0
    (element,) = json.loads(capsys.readouterr().out)["targets"]
    assert element == {
        "path": SKILL,
        "kind": "skill",
        "position": "plugin",
        "listed": True,
        "name": "demo:alpha",
        "alias": None,
        "text": TEXT,
        "yaml_text": TEXT,
        "findings": [],
    }


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], ["demo:alpha", None, "demo:gap"]),
        (["plugins"], ["demo:gap", "demo:alpha", None]),
        ([SKILL], ["demo:alpha"]),
        (["plugins/demo/skills/alpha"], ["demo:alpha"]),
        (["demo:gap", "demo:alpha"], ["demo:gap", "demo:alpha"]),
        (["plugins/demo/agents/gap.md"], ["demo:gap"]),
        ([SKILL, "--position", "project"], ["alpha"]),
        (["demo:alpha", "--position", "project"], ["alpha"]),
    ],
    ids=["all", "folder", "file", "its-folder", "names", "agent-file", "position", "name-position"],
)
@pytest.mark.usefixtures("project")
def test_show_finds_what_is_named(
    capsys: pytest.CaptureFixture[str], words: list[str], names: list[str | None]
) -> None:
    assert main(["show", *words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["targets"]
    assert [element["name"] if element["listed"] else None for element in shown] == names


def test_show_looks_from_where_the_user_stands_too(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "plugins" / "demo" / "skills")
    assert main(["show", "alpha"]) == 0
    assert f"demo:alpha (skill, read as in a plugin)\n  {SKILL}\n" in capsys.readouterr().out


def test_show_for_people_names_the_text_and_what_is_wrong(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(project, {"plugins/demo/skills/cut/SKILL.md": skill_file("Solves issue #12.")})
    assert main(["show", "demo:cut"]) == 0
    out = capsys.readouterr().out
    assert "Claude sees demo:cut, 12 characters:\n    Solves issue\n" in out
    assert "warning: line 2:" in out
    assert "[hash-cut]" in out
    assert "the author wrote" not in out


@pytest.mark.parametrize(
    ("words", "head", "path"),
    [
        pytest.param(("demo:alpha",), "demo:alpha (skill, read as in a plugin)", SKILL, id="name"),
        pytest.param((SKILL,), "demo:alpha (skill, read as in a plugin)", SKILL, id="path"),
        pytest.param(
            ("demo:gap",),
            "demo:gap (agent, read as in a plugin)",
            "plugins/demo/agents/gap.md",
            id="agent",
        ),
        pytest.param(
            ("project:own",),
            "project:own (skill, read as in a project)",
            ".claude/skills/own/SKILL.md",
            id="project's",
        ),
        pytest.param(
            ("user:mine",),
            "user:mine (skill, read as in a project)",
            "~/.claude/skills/mine/SKILL.md",
            id="user's",
        ),
        pytest.param(
            ("../home/.claude/skills/mine",),
            "user:mine (skill, read as in a project)",
            "~/.claude/skills/mine/SKILL.md",
            id="user's, by path",
        ),
        pytest.param(
            ("../far/skills/odd",),
            "../far/skills/odd/SKILL.md (skill, read as in a plugin)",
            None,
            id="no name finds it",
        ),
        pytest.param(
            ("project:own", "--position", "plugin"),
            ".claude/skills/own/SKILL.md (skill, read as in a plugin)",
            None,
            id="not where it lies",
        ),
    ],
)
def test_show_heads_a_file_with_the_name_that_finds_it(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    head: str,
    path: str | None,
) -> None:
    own = {".claude/skills/own/SKILL.md": skill_file(name="own")}
    write_files(project, own)
    write_files(project.parent / "home", {".claude/skills/mine/SKILL.md": skill_file(name="mine")})
    write_files(project.parent / "far", {"skills/odd/SKILL.md": skill_file(name="odd")})
    assert main(["show", *words]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == head
    assert second == f"  {path}" if path else second.startswith("  Claude sees")


def test_show_tells_first_what_was_written_where_claude_sees_another_text(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(project, {SKILL: skill_file("Reviews <b>: all of it.", name="rev")})
    assert main(["show", "demo:alpha"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:6] == [
        "  the author wrote:",
        "    Reviews <b>: all of it.",
        "  Claude sees demo:alpha (demo:rev), 29 characters:",
        "    Reviews &lt;b&gt;: all of it.",
    ]


@pytest.mark.usefixtures("project")
def test_show_strict_fails_where_something_is_not_listed() -> None:
    assert main(["show", "demo:off"]) == 0
    assert main(["show", "demo:off", "--strict"]) == 1
    assert main(["show", "demo:alpha", "--strict"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["demo:nothing"], 1, 'there is no skill or agent "demo:nothing"; known: demo:alpha, '),
        (["no/such/file.md"], 1, "there is no agent at"),
        (["output"], 1, "there is no skill"),
        (["evals"], 1, "there is no skill or agent in"),
        (["demo:alpha", "--position", "elsewhere"], 2, "plugin, project"),
        (["demo:\x00"], 1, "is not a name"),
        ([""], 1, "no skill is named"),
        (["x" * 5_000], 1, "x"),
    ],
    ids=["name", "file", "not-there", "empty-folder", "position", "nul", "empty", "long"],
)
@pytest.mark.usefixtures("project")
def test_show_says_what_is_not_there(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, message: str
) -> None:
    assert main(["show", *words]) == code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert message in streams.err
    assert "Traceback" not in streams.err


@pytest.mark.parametrize("words", [(), ("plugins",), ("--installed",)], ids=str)
def test_show_hides_no_file_that_cannot_be_read(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    root = (
        project.parent / "home/.claude" if words == ("--installed",) else project / "plugins/demo"
    )
    gone = root / "skills/gone/SKILL.md"
    gone.parent.mkdir(parents=True)
    gone.symlink_to("nothing")
    assert main(["show", *words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["targets"]
    (element,) = (each for each in found if "gone" in each["path"])
    assert (element["listed"], element["text"]) == (False, None)
    assert [(each["rule"], each["severity"]) for each in element["findings"]] == [
        ("unreadable", "error")
    ]
    assert main(["show", *words, "--strict"]) == 1
    assert "is a link to nothing, where nothing is" in capsys.readouterr().out


def test_a_file_that_is_no_utf8_is_said_to_be_none_by_show_and_describe(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (project / SKILL).read_bytes() + b"Gem\xfcse\n"
    (project / SKILL).write_bytes(content)
    assert main(["show", "demo:alpha", "--strict"]) == 1
    assert "byte 120 is not UTF-8, so Claude sees other" in capsys.readouterr().out
    for words in (["--dry-run"], []):
        assert describe(project, NEW, *words) == 0
        assert f"warning: {SKILL}: byte 130 is not UTF-8" in capsys.readouterr().err
    assert (project / SKILL).read_bytes().endswith(b"Gem\xfcse\n")


def test_describing_what_claude_code_does_not_list_says_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(project, NEW, target="demo:off") == 0
    assert "warning: plugins/demo/skills/off/SKILL.md: Claude Code does not list it" in (
        capsys.readouterr().err
    )
    assert describe(project, NEWER) == 0
    assert "warning" not in capsys.readouterr().err


def test_show_without_any_target_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "-C", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"targets": []}


def test_show_installed_lists_the_user_s_own_and_their_plugins(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = project.parent / "home"
    cached = home / ".claude/plugins/cache/market/tools/1.0.0"
    entry = {"scope": "user", "installPath": str(cached), "version": "1.0.0"}
    write_files(
        home,
        {
            ".claude/skills/mine/SKILL.md": skill_file(),
            ".claude/plugins/installed_plugins.json": json.dumps(
                {"version": 2, "plugins": {"tools@market": [entry], "gone@market": 5}}
            ),
        },
    )
    write_files(
        cached,
        {
            ".claude-plugin/plugin.json": '{"name": "tools"}',
            "skills/lint/SKILL.md": skill_file(),
            "agents/fix.md": skill_file(),
        },
    )
    assert main(["show", "--installed", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    shown = record["targets"]
    assert [(e["name"], e["position"]) for e in shown] == [
        ("mine", "project"),
        ("tools:lint", "plugin"),
        ("tools:fix", "plugin"),
    ]


def test_show_installed_tells_the_room_in_the_listing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = project.parent / "home"
    used = json.dumps({"skillUsage": {"big": {"usageCount": 3}}})
    big = {f".claude/skills/big{at}/SKILL.md": skill_file("y" * 1000) for at in range(3)}
    write_files(home, {".claude/skills/big/SKILL.md": skill_file(), ".claude.json": used, **big})
    assert main(["show", "--installed", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["uses"] == {"big": 3}
    new, old, _ = record["listing"]
    assert (new["model"], new["budget_chars"], new["name_only"]) == ("sonnet", 30_000, [])
    assert (old["whole"], old["name_only"]) == (["big", "big0"], ["big1", "big2"])
    assert main(["show", "--installed"]) == 0
    text = capsys.readouterr().out
    assert "Claude Code's own skills take 6,039 columns first:" in text
    assert (
        "claude-sonnet-4-5, claude-haiku-4-5 and older: 8,000 columns, 2 of 4 skills with their"
        " text by name only: big1 by name only: big2 "
    ) in " ".join(text.split())
    assert all(len(line) <= 80 for line in text[text.index("Room in") :].splitlines())


# --- describe ----------------------------------------------------------------------------------


def test_describe_writes_the_text_and_prints_the_change(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(project, NEW) == 0
    assert text_of(project) == skill_file(NEW)
    streams = capsys.readouterr()
    assert f"-description: {TEXT}\n+description: {NEW}\n" in streams.out
    assert "skillwalker undo" in streams.err
    (run,) = (project / "output").iterdir()
    assert (run / "original" / "1" / "SKILL.md").read_text() == skill_file()


def test_describe_reads_the_text_from_stdin(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skillwalker", "describe", "demo:alpha", "--text-file", "-"],
        input=NEW.encode() + b"\r\n",
        capture_output=True,
        cwd=project,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(project.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert text_of(project) == skill_file(NEW)


def test_describe_dry_run_only_shows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert describe(project, NEW, "--dry-run") == 0
    assert text_of(project) == skill_file()
    assert not (project / "output").exists()
    streams = capsys.readouterr()
    assert f"+description: {NEW}" in streams.out
    assert "--dry-run" in streams.err


def test_describe_json_is_one_object(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert describe(project, NEW, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["path"] == SKILL
    assert record["changed"] is True
    assert record["run_id"] == next((project / "output").iterdir()).name
    assert record["diff"].startswith("--- a/")


def test_describe_with_the_text_that_is_there_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(project, TEXT) == 0
    assert "nothing to change" in capsys.readouterr().err
    assert not (project / "output").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("too short", "20"),
        ("x" * 1_100, "1024"),
        (f"{NEW}\n---\nmore", "---"),
        (f"{NEW} \x07", "control"),
    ],
    ids=["short", "long", "fence", "control"],
)
def test_describe_refuses_a_text_that_the_improver_could_not_give(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert describe(project, text) == 1
    assert message in capsys.readouterr().err
    assert text_of(project) == skill_file()
    assert not (project / "output").exists()


def test_describe_refuses_a_file_without_a_description(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(project, {SKILL: "---\nname: alpha\n---\nbody\n"})
    assert describe(project, NEW) == 1
    assert "add this line" in capsys.readouterr().err


def test_describe_that_fails_leaves_no_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = skill_file(more=f"# {'x' * 3_000}\n")
    write_files(project, {SKILL: long})
    name = write_text(project, NEW + NEWER)
    with full_disk(len(long) + 10):
        assert main(["describe", "demo:alpha", "--text-file", name]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert text_of(project) == long
    assert list((project / "output").iterdir()) == []


def test_describe_asks_which_is_meant(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(project, {"plugins/demo/agents/alpha.md": skill_file()})
    assert describe(project, NEW) == 1
    assert "--kind" in capsys.readouterr().err
    assert describe(project, NEW, "--kind", "agent") == 0
    assert text_of(project) == skill_file()
    assert NEW in (project / "plugins/demo/agents/alpha.md").read_text()
    assert describe(project, NEW, "--kind", "tool") == 2


@pytest.mark.parametrize("name", ["nothing.txt", "evals", "binary"])
def test_describe_needs_a_text_file(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (project / "binary").write_bytes(b"\xff\xfe\x00")
    assert main(["describe", "demo:alpha", "--text-file", name]) == 1
    assert "--text-file" in capsys.readouterr().err


# --- apply -------------------------------------------------------------------------------------


def test_apply_writes_the_best_description_and_says_so_in_the_summary(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record_run(project, engine="local")
    assert main(["apply", RUN]) == 0
    assert text_of(project) == skill_file(NEW)
    assert applied(folder) is True
    assert f"+description: {NEW}" in capsys.readouterr().out
    assert (folder / "original" / "1" / "SKILL.md").read_text() == skill_file()
    assert main(["apply", RUN]) == 0, "a second time there is nothing to change"
    assert [path.name for path in (folder / "original").glob("*.json")] == ["1.json"]


@pytest.mark.parametrize(
    ("changes", "flag", "message"),
    [
        ({"simulated": True}, "--allow-simulated", "--allow-simulated"),
        ({"improved": False}, "--force", "no convincing difference"),
        ({"target_sha256": "0" * 64}, "--force", "changed since run"),
    ],
    ids=["simulated", "not-improved", "changed"],
)
def test_apply_refuses_until_a_flag_says_so(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, object],
    flag: str,
    message: str,
) -> None:
    folder = record_run(project, **changes)
    assert main(["apply", RUN]) == 1
    assert message in capsys.readouterr().err
    assert text_of(project) == skill_file()
    assert applied(folder) is False
    assert main(["apply", RUN, flag]) == 0
    assert text_of(project) == skill_file(NEW)
    assert applied(folder) is True


def test_force_is_not_enough_for_a_simulated_run(project: Path) -> None:
    record_run(project, simulated=True)
    assert main(["apply", RUN, "--force"]) == 1
    assert text_of(project) == skill_file()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"best_description": TEXT, "improved": False}, "nothing better"),
        ({"kind": "measure"}, "looked for no better description"),
        ({"schema_version": 99}, "schema_version"),
        ({"target_path": 5}, "target_path"),
        ({"target_kind": "tool"}, "target_kind"),
        ({"target_path": "plugins/gone/SKILL.md"}, "does not exist"),
    ],
    ids=["same", "measure", "version", "type", "kind", "gone"],
)
def test_apply_says_why_a_run_cannot_be_applied(
    project: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], message: str
) -> None:
    record_run(project, **changes)
    assert main(["apply", RUN, "--force"]) == 1
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert text_of(project) == skill_file()


def test_apply_lists_recent_runs_when_there_is_none_of_that_name(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run(project)
    for name in ("20260101T000000", "..", "", "a/b"):
        assert main(["apply", name]) == 1
        assert RUN in capsys.readouterr().err


# --- undo --------------------------------------------------------------------------------------


def test_undo_takes_back_the_newest_write_then_the_one_before(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / SKILL).read_bytes()
    assert describe(project, NEW) == 0
    assert describe(project, NEWER) == 0
    assert main(["undo"]) == 0
    assert text_of(project) == skill_file(NEW)
    assert main(["undo"]) == 0
    assert (project / SKILL).read_bytes() == before
    capsys.readouterr()
    assert main(["undo"]) == 1
    assert "nothing to undo: output records no write" in capsys.readouterr().err


def test_undo_of_a_target_leaves_other_files(project: Path) -> None:
    agent = project / "plugins/demo/agents/gap.md"
    assert describe(project, NEW) == 0
    assert describe(project, NEWER, target="demo:gap") == 0
    assert main(["undo", "demo:alpha"]) == 0
    assert text_of(project) == skill_file()
    assert NEWER in agent.read_text()
    assert main(["undo", "demo:alpha"]) == 1
    assert main(["undo", "plugins/demo/agents/gap.md"]) == 0
    assert NEWER not in agent.read_text()


def test_undo_of_a_run_takes_back_its_application(project: Path) -> None:
    folder = record_run(project)
    assert main(["apply", RUN]) == 0
    assert main(["undo", RUN]) == 0
    assert text_of(project) == skill_file()
    assert applied(folder) is False
    assert main(["undo", RUN]) == 1, "it is undone already"
    assert main(["apply", RUN]) == 0, "and can be applied again"


def test_undo_is_refused_where_the_file_changed_since(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(project, NEW) == 0
    (project / SKILL).write_text(skill_file(NEWER))
    assert main(["undo"]) == 1
    assert "--force" in capsys.readouterr().err
    assert text_of(project) == skill_file(NEWER)
    assert main(["undo", "--force"]) == 0
    assert text_of(project) == skill_file()


def test_undo_brings_a_deleted_file_back(project: Path) -> None:
    assert describe(project, NEW) == 0
    (project / SKILL).unlink()
    assert main(["undo", SKILL]) == 1
    assert main(["undo", SKILL, "--force"]) == 0
    assert text_of(project) == skill_file()


@pytest.mark.parametrize("what", ["20260101T000000", "demo:nothing", "no/such.md", ""])
def test_undo_of_what_is_not_there_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    assert describe(project, NEW) == 0
    assert main(["undo", what]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert text_of(project) == skill_file(NEW)


def test_undo_json_is_one_object(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert describe(project, NEW) == 0
    capsys.readouterr()
    assert main(["undo", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["undone"][0]["path"] == SKILL


# --- all ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "describe", "apply", "undo"])
def test_every_command_takes_the_project_before_and_after(project: Path, command: str) -> None:
    record_run(project)
    words = {
        "show": ["demo:alpha"],
        "describe": ["demo:alpha", "--text-file", str(project / write_text(project, NEW))],
        "apply": [RUN],
        "undo": [],
    }[command]
    if command == "undo":
        assert describe(project, NEW) == 0
        assert describe(project, NEWER) == 0
    elsewhere = project.parent / "home"
    elsewhere.mkdir()
    for line in (["-C", str(project), command, *words], [command, *words, "-C", str(project)]):
        done = subprocess.run(
            [sys.executable, "-m", "skillwalker", *line],
            capture_output=True,
            cwd=elsewhere,
            env={"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(elsewhere)},
        )
        assert done.returncode == 0, done.stderr


def test_show_of_a_folder_shows_the_others_beside_what_cannot_be_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = project / "plugins/demo/skills/odd/SKILL.md"
    odd.parent.mkdir()
    os.mkfifo(odd)
    assert main(["show", "plugins", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["targets"]
    (element,) = (each for each in shown if each["path"].endswith("odd/SKILL.md"))
    assert (element["listed"], element["name"], len(shown)) == (False, None, 4)
    (finding,) = element["findings"]
    assert finding["rule"] == "unreadable"
    assert "not a regular file" in finding["message"]
    assert main(["show", "plugins/demo/skills/odd/..", "--strict"]) == 1
    assert "Claude does not see it" in capsys.readouterr().out
    assert main(["show", str(odd)]) == 1


MISNAMED = "plugins/demo/skills/lower/skill.md"


@pytest.mark.parametrize(
    "words", [(), ("plugins",), (".",), ("plugins/demo/skills/lower",), (MISNAMED,)], ids=str
)
def test_show_passes_over_no_misnamed_skill(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    write_files(project, {MISNAMED: skill_file()})
    assert main(["show", *words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["targets"]
    (element,) = (each for each in shown if each["path"] == MISNAMED)
    assert (element["kind"], element["listed"], element["text"]) == ("skill", False, None)
    (finding,) = element["findings"]
    assert (finding["rule"], finding["severity"]) == ("misnamed", "error")
    assert finding["message"].endswith("a file named SKILL.md alone; rename it")
    assert main(["show", *words, "--strict"]) == 1


def test_show_takes_a_skill_md_elsewhere_for_no_skill(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = {
        "plugins/demo/skills/alpha/skill.md": "notes",
        "plugins/demo/docs/skill.md": "notes",
        "plugins/demo/skills/alpha/docs/Skill.md": "notes",
    }
    write_files(project, beside)
    for words in ((), ("plugins",)):
        assert main(["show", *words, "--json"]) == 0
        assert not {e["path"] for e in json.loads(capsys.readouterr().out)["targets"]} & {*beside}


def test_a_folder_search_passes_over_what_runs_keep(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(project, NEW) == 0
    (kept,) = (project / "output").glob("*/original/1/SKILL.md")
    capsys.readouterr()
    assert main(["show", ".", "--json"]) == 0
    paths = [each["path"] for each in json.loads(capsys.readouterr().out)["targets"]]
    assert paths == ["plugins/demo/agents/gap.md", SKILL, "plugins/demo/skills/off/SKILL.md"]
    assert main(["evals", "check", ".", "--json"]) in {0, 1}
    assert "output/" not in capsys.readouterr().out
    assert main(["show", str(kept.parent), "--json"]) == 0
    (named,) = json.loads(capsys.readouterr().out)["targets"]
    assert named["path"] == kept.relative_to(project).as_posix()
