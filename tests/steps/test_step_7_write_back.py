import hashlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.edits import WrittenFile
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.steps.step_7_write_back import plan_write, put_back, write_back
from skillwalker.targets.file import read_target

NEW = "Finds faults in code: use it when someone wants a diff, patch or pull request reviewed."
FILE = (
    b"\xef\xbb\xbf---\r\nname:   alpha   # kept\r\ndescription: 'old text'  # a remark\r\n"
    b"license: 1.10\r\n\r\n---\r\n\r\n# Body\r\ndescription: not this one\r\nno final newline"
)


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def target_at(folder: Path, content: bytes = FILE) -> Target:
    path = folder / "demo" / "skills" / "alpha" / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return read_target(path, TargetKind.SKILL)


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return target_at(tmp_path)


def test_only_the_value_s_bytes_change(target: Target) -> None:
    target.path.chmod(0o640)
    written = write_back(target, NEW)
    after = target.path.read_bytes()
    head, tail = FILE.split(b"'old text'")
    assert after.startswith(head)
    assert after.endswith(tail)
    assert written == WrittenFile(path=target.path, before=FILE, after=after)
    assert read_target(target.path, TargetKind.SKILL).description == NEW
    assert stat.S_IMODE(target.path.stat().st_mode) == 0o640
    assert [entry.name for entry in target.path.parent.iterdir()] == ["SKILL.md"]


def test_the_file_s_own_text_changes_nothing_and_keeps_nothing(target: Target) -> None:
    kept: list[WrittenFile] = []
    inode = target.path.stat().st_ino
    written = write_back(target, "old text", keep=kept.append)
    assert written.before == written.after == target.path.read_bytes()
    assert kept == []
    assert target.path.stat().st_ino == inode


def test_what_is_written_is_kept_before_the_file_is_touched(target: Target) -> None:
    def keep(written: WrittenFile) -> None:
        assert target.path.read_bytes() == written.before == FILE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_back(target, NEW, keep=keep)
    assert target.path.read_bytes() == FILE


def test_a_file_that_changed_is_left_alone(target: Target) -> None:
    changed = FILE.replace(b"old text", b"another's text")
    target.path.write_bytes(changed)
    with pytest.raises(TargetError, match="changed since it was read"):
        write_back(target, NEW)
    assert target.path.read_bytes() == changed


def test_force_writes_into_the_file_as_it_is_now(target: Target) -> None:
    target.path.write_bytes(FILE + b"\r\nmore body")
    written = write_back(target, NEW, force=True)
    assert written.before == FILE + b"\r\nmore body"
    assert target.path.read_bytes().endswith(b"more body")
    assert read_target(target.path, TargetKind.SKILL).description == NEW


def test_a_change_between_look_and_write_is_left_alone(target: Target) -> None:
    def meddle(_: WrittenFile) -> None:
        target.path.write_bytes(b"meddled")

    with pytest.raises(TargetError, match="changed by someone else"):
        write_back(target, NEW, force=True, keep=meddle)
    assert target.path.read_bytes() == b"meddled"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"---\nname: a\n---\n", "add this line"),
        (b"---\ndescription: [a]\n---\n", "list or a map"),
        (b"---\ndescription: &x a\n---\n", "anchor"),
    ],
    ids=["no-key", "list", "anchor"],
)
def test_a_file_that_cannot_hold_the_text_is_named(
    tmp_path: Path, content: bytes, words: str
) -> None:
    target = target_at(tmp_path, content)
    for write in (write_back, plan_write):
        with pytest.raises(TargetError, match=words) as caught:
            write(target, NEW)
        assert str(target.path) in str(caught.value)
    assert target.path.read_bytes() == content


def test_a_plan_touches_nothing(target: Target) -> None:
    planned = plan_write(target, NEW)
    assert target.path.read_bytes() == FILE
    assert write_back(target, NEW) == planned


def test_put_back_brings_the_first_bytes_back(target: Target) -> None:
    written = write_back(target, NEW)
    put_back(target.path, written.before, sha256_after=hash_of(written.after))
    assert target.path.read_bytes() == FILE
    put_back(target.path, written.before, sha256_after=hash_of(written.after))
    assert target.path.read_bytes() == FILE


def test_put_back_is_refused_where_the_file_changed_since(target: Target) -> None:
    written = write_back(target, NEW)
    target.path.write_bytes(b"by hand")
    with pytest.raises(TargetError, match="no longer what was written"):
        put_back(target.path, FILE, sha256_after=hash_of(written.after))
    assert target.path.read_bytes() == b"by hand"
    put_back(target.path, FILE, sha256_after=hash_of(written.after), force=True)
    assert target.path.read_bytes() == FILE


def test_put_back_makes_a_deleted_file_again_only_when_forced(target: Target) -> None:
    target.path.unlink()
    with pytest.raises(TargetError, match="no longer there"):
        put_back(target.path, FILE, sha256_after="")
    assert not target.path.exists()
    put_back(target.path, FILE, sha256_after="", force=True)
    assert target.path.read_bytes() == FILE


PROSE = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=60
).map(lambda text: f"Reviews {text} and says why.")


@settings(max_examples=60, deadline=None)
@given(text=PROSE, content=st.sampled_from([FILE, FILE.replace(b"\r\n", b"\n")]))
def test_undo_brings_the_first_bytes_back_whatever_was_written(
    tmp_path_factory: pytest.TempPathFactory, text: str, content: bytes
) -> None:
    target = target_at(tmp_path_factory.getbasetemp() / "undo", content)
    written = write_back(target, text)
    assert read_target(target.path, TargetKind.SKILL).description == text
    put_back(target.path, written.before, sha256_after=hash_of(written.after))
    assert target.path.read_bytes() == content


def test_killed_at_any_moment_the_file_is_the_old_or_the_new_one(target: Target) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from skillwalker.datatypes.vocabulary import TargetKind\n"
        "from skillwalker.steps.step_7_write_back import write_back\n"
        "from skillwalker.targets.file import read_target\n"
        "print('go', flush=True)\n"
        "while True:\n"
        "    for text in sys.argv[2:]:\n"
        "        write_back(read_target(Path(sys.argv[1]), TargetKind.SKILL), text)\n"
        "        print('.', end='', flush=True)\n"
    )
    for rounds in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(target.path), NEW, "old text"],
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert child.stdout is not None
        child.stdout.read(3 + 2 * rounds)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        found = target.path.read_bytes()
        assert found in {FILE, plan_write(target, NEW).after}
