import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.paths import Places
from skillwalker.targets.installed import find_installed
from skillwalker.targets.known import known_files, known_targets
from skillwalker.targets.names import invoked_as, resolve_target, written_in_suites
from tests.project_files import manifest, places_of, skill_file, write_files

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


@pytest.mark.parametrize(
    ("project", "files", "dirs", "names"),
    [
        ("nu/my-skill", ["SKILL.md"], [], ["nu:my-skill"]),
        ("nu/my-skill", ["SKILL.md"], ["."], ["nu:my-skill"]),
        ("user/my-skill", ["SKILL.md"], [], ["user:my-skill"]),
        ("project/my-skill", ["SKILL.md"], [], ["project:my-skill"]),
        ("a/skills/log", ["SKILL.md"], [], ["a:log"]),
        ("a/.claude/skills/log", ["SKILL.md"], [], ["project:log"]),
        ("home/.claude/skills/log", ["SKILL.md"], [], ["user:log"]),
        ("own", ["skills/a/SKILL.md", "agents/b.md"], [], ["own:a", "own:b"]),
        ("own", ["skills/a/SKILL.md", "agents/b.md"], ["."], ["own:a", "own:b"]),
        ("nu/own", ["skills/a/SKILL.md", "SKILL.md"], [], ["own:a", "nu:own"]),
        ("own", ["a/SKILL.md", "b/SKILL.md"], ["."], ["own:a", "own:b"]),
        ("own", ["plugins/a/SKILL.md"], [], ["plugins:a"]),
        ("own", ["lots/a/SKILL.md"], ["lots"], ["lots:a"]),
        ("own", ["agents/b.md"], [], ["own:b"]),
    ],
)
def test_what_a_project_knows_is_found_by_the_name_that_is_printed(
    tmp_path: Path, project: str, files: list[str], dirs: list[str], names: list[str]
) -> None:
    root = tmp_path / project
    write_files(root, {file: skill_file() for file in files})
    places = Places(
        project=root,
        evals_dir=root / "evals",
        plugin_dirs=(root / "plugins", *(root / each for each in dirs)),
        output_dir=root / "output",
        home=tmp_path / "home",
    )
    known = [target for kind in TargetKind for target in known_targets(places, kind)]
    assert [target.id for target in known] == names
    for target in known:
        assert resolve_target(target.id, target.kind, places) == target
        assert invoked_as(target, places) == target.id
        written = written_in_suites(target, places)
        assert resolve_target(written, target.kind, places).path == target.path


@pytest.mark.parametrize(
    ("files", "dirs", "written"),
    [
        ({"SKILL.md": skill_file()}, [], "SKILL.md"),
        ({"SKILL.md": skill_file()}, ["."], "SKILL.md"),
        ({"skills/a/SKILL.md": skill_file()}, [], "skills/a/SKILL.md"),
        ({"a/SKILL.md": skill_file()}, ["."], "a/SKILL.md"),
        ({"plugins/p/skills/a/SKILL.md": skill_file()}, [], "p:a"),
        (
            {"skills/a/SKILL.md": skill_file(), ".claude-plugin/plugin.json": manifest("me")},
            [],
            "me:a",
        ),
    ],
    ids=["one-skill", "named", "plugin", "loose", "in-plugins", "manifest"],
)
def test_no_suite_names_a_target_by_the_folder_that_the_project_happens_to_be(
    tmp_path: Path, files: dict[str, str], dirs: list[str], written: str
) -> None:
    write_files(tmp_path / "p", files)
    places = places_of(tmp_path / "p", *(tmp_path / "p" / each for each in dirs))
    (target,) = known_targets(places, SKILL)
    assert written_in_suites(target, places) == written


def test_texts_in_a_project_s_own_folder_agents_are_none(tmp_path: Path) -> None:
    write_files(tmp_path, {"agents/notes.md": "# Notes\n", "agents/b.md": skill_file()})
    assert [path.name for path in known_files(places_of(tmp_path), AGENT)] == ["b.md"]


def test_what_cannot_be_read_is_there_all_the_same(tmp_path: Path) -> None:
    root = tmp_path / "p/plugins/a"
    write_files(root, {"skills/good/SKILL.md": skill_file(), "agents/good.md": skill_file()})
    for path in ("skills/gone/SKILL.md", "agents/gone.md"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).symlink_to("nothing")
    (root / "skills/pipe").mkdir()
    os.mkfifo(root / "skills/pipe/SKILL.md")
    places = places_of(tmp_path / "p")
    skills = [path.parent.name for path in known_files(places, SKILL)]
    assert skills == ["gone", "good", "pipe"]
    assert [path.name for path in known_files(places, AGENT)] == ["gone.md", "good.md"]
    assert [target.name for target in known_targets(places, SKILL)] == ["good"]


def test_what_the_user_installed_and_cannot_read_is_shown_as_such(tmp_path: Path) -> None:
    gone = tmp_path / "home/.claude/skills/gone/SKILL.md"
    gone.parent.mkdir(parents=True)
    gone.symlink_to("nothing")
    (found,) = find_installed(places_of(tmp_path / "p"))
    assert (found.listed.path, found.listed.listed) == (gone, False)
    assert [each.rule for each in found.listed.findings] == ["unreadable"]


CLOSED = """
import os, sys
from pathlib import Path
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.targets.file import shown_file
from skillwalker.targets.place import files_of, find_files
root, closed = Path(sys.argv[1]), Path(sys.argv[2])
for kind in TargetKind:  # what is imported on the way may be closed to that user
    assert [shown_file(path, kind)[1].listed for path in files_of(root, kind)] == [True]
os.chmod(closed, 0)
if os.geteuid() == 0:
    os.setuid(4321)
searched = {path for path, _ in find_files(root)}
for kind in TargetKind:
    for path in files_of(root, kind):
        _, listed = shown_file(path, kind)
        rules = [f"{each.rule} {each.severity}" for each in listed.findings]
        why = " ".join(each.message for each in listed.findings)
        print(path.relative_to(root), path in searched, rules, "Permission denied" in why)
"""


@pytest.mark.parametrize(
    ("closed", "path"),
    [
        ("skills/a/SKILL.md", "skills/a/SKILL.md"),
        ("skills/a", "skills/a/SKILL.md"),
        ("skills", "skills/SKILL.md"),
        ("agents/a.md", "agents/a.md"),
        ("agents", "agents"),
    ],
)
def test_what_may_not_be_looked_at_is_said_to_be_unreadable(closed: str, path: str) -> None:
    # As an ordinary user, whom a mode binds; in a folder that pytest does not close to others.
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        write_files(root, {"skills/a/SKILL.md": skill_file(), "agents/a.md": skill_file()})
        done = subprocess.run(
            [sys.executable, "-c", CLOSED, folder, str(root / closed)],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        (root / closed).chmod(0o755)
    assert f"{path} True ['unreadable error'] True" in done.stdout.splitlines(), done.stderr
    assert len(done.stdout.splitlines()) == 2


NAMED = """
import os, sys
from pathlib import Path
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.targets.names import resolve_target
from skillwalker.targets.place import find_files
from tests.project_files import places_of
project = Path(sys.argv[1])
resolve_target("a:b", TargetKind.SKILL, places_of(project))
os.chmod(project / "plugins/a", 0)
if os.geteuid() == 0:
    os.setuid(4321)
print([path.name for path, _ in find_files(project / "plugins/a")])
try:
    resolve_target("a:b", TargetKind.SKILL, places_of(project))
except TargetError as error:
    print(error)
"""


def test_a_plugin_that_may_not_be_looked_into_is_named_as_the_reason() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        write_files(root, {"plugins/a/skills/b/SKILL.md": skill_file()})
        done = subprocess.run(
            [sys.executable, "-c", NAMED, folder],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        (root / "plugins/a").chmod(0o755)
    found, why = done.stdout.splitlines()
    assert found == "['SKILL.md']", done.stderr
    assert why == (
        'there is no skill "a:b": plugins/a/skills/b cannot be looked into: Permission denied'
    )
