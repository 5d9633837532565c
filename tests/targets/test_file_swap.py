import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from skillwalker.errors import TargetError
from skillwalker.targets.file_swap import require_writable, swap_bytes
from tests.project_files import full_disk

OLD, NEW = b"old\n" * 5_000, b"new!\n" * 5_000


def fine(_: bytes) -> str | None:
    """Find no fault."""
    return None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    folder.mkdir()
    path = folder / "SKILL.md"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_new_bytes_take_the_place_of_old_ones(file: Path) -> None:
    swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert file.read_bytes() == NEW
    assert names(file.parent) == ["SKILL.md"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o4755], ids=oct)
def test_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_owner_is_kept(file: Path) -> None:
    os.chown(file, 1234, 2345)
    swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 2345)


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.md"
    link.symlink_to(Path("skills", "SKILL.md"))
    swap_bytes(link, old=OLD, new=NEW, check=fine)
    assert link.is_symlink()
    assert os.readlink(link) == "skills/SKILL.md"  # noqa: PTH115 (the written form is the point)
    assert file.read_bytes() == NEW
    assert names(tmp_path) == ["link.md", "skills"]


def test_a_linked_folder_stays_a_link(file: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").symlink_to(file.parent)
    swap_bytes(tmp_path / "elsewhere" / "SKILL.md", old=OLD, new=NEW, check=fine)
    assert (tmp_path / "elsewhere").is_symlink()
    assert file.read_bytes() == NEW


def test_other_bytes_than_expected_are_left(file: Path) -> None:
    file.write_bytes(b"somebody else's")
    with pytest.raises(TargetError, match="changed by someone else"):
        swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert file.read_bytes() == b"somebody else's"
    assert names(file.parent) == ["SKILL.md"]


def test_a_fault_puts_the_old_bytes_back(file: Path) -> None:
    seen: list[bytes] = []

    def fault(content: bytes) -> str:
        seen.append(content)
        return "it reads wrongly"

    with pytest.raises(TargetError, match=r"it reads wrongly; the old bytes were put back"):
        swap_bytes(file, old=OLD, new=NEW, check=fault)
    assert seen == [NEW]
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["SKILL.md"]


def test_what_another_writes_right_afterwards_is_left(file: Path) -> None:
    def meddle(_: bytes) -> str:
        file.write_bytes(b"meddled")
        return "fault"

    with pytest.raises(TargetError, match="someone else changed it"):
        swap_bytes(file, old=OLD, new=NEW, check=meddle)
    assert file.read_bytes() == b"meddled"


def test_a_file_that_is_gone_is_named(file: Path) -> None:
    file.unlink()
    with pytest.raises(TargetError, match="no longer there"):
        swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert names(file.parent) == []


def test_a_file_can_be_made_again(file: Path) -> None:
    file.unlink()
    swap_bytes(file, old=None, new=NEW, check=fine)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_a_file_made_again_that_reads_wrongly_goes_again(file: Path) -> None:
    file.unlink()
    with pytest.raises(TargetError, match="wrong"):
        swap_bytes(file, old=None, new=NEW, check=lambda _: "wrong")
    assert names(file.parent) == []


def test_a_loop_of_links_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(TargetError):
        swap_bytes(tmp_path / "a", old=OLD, new=NEW, check=fine)


def test_a_folder_without_room_leaves_nothing_behind(file: Path) -> None:
    with full_disk(1_000), pytest.raises(TargetError, match="it is unchanged"):
        swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["SKILL.md"]


def test_a_file_that_may_not_be_written_is_refused_before_anything_is_spent() -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from skillwalker.errors import TargetError\n"
        "from skillwalker.targets.file_swap import require_writable\n"
        "p = Path(sys.argv[1])\n"
        "os.chmod(p, int(sys.argv[2], 8)); os.chmod(p.parent, int(sys.argv[3], 8))\n"
        "if os.geteuid() == 0:\n"
        "    os.chown(p, 4321, 4321); os.chown(p.parent, 4321, 4321)\n"
        "    os.setuid(4321)\n"
        "try:\n"
        "    require_writable(p)\n"
        "    print('writable')\n"
        "except TargetError as error:\n"
        "    print(error)\n"
    )
    for modes, words in (
        (("644", "755"), "writable"),
        (("444", "755"), "is read-only"),
        (("644", "555"), "its folder is read-only"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "SKILL.md"
            file.write_bytes(OLD)
            done = subprocess.run(
                [sys.executable, "-c", code, str(file), *modes],
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
            )
            assert words in done.stdout, done.stderr
            file.parent.chmod(0o755)


def test_a_file_that_is_gone_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written"):
        require_writable(tmp_path / "SKILL.md")


def test_a_read_only_file_is_refused() -> None:
    # As an ordinary user, whom a mode binds; root changes to one for the attempt, which needs a
    # folder of its own: pytest closes its folders to others.
    code = (
        "import os, sys; from pathlib import Path\n"
        "from skillwalker.errors import TargetError\n"
        "from skillwalker.targets.file_swap import swap_bytes\n"
        "p = Path(sys.argv[1])\n"
        "os.chmod(p, int(sys.argv[2], 8)); os.chmod(p.parent, int(sys.argv[3], 8))\n"
        "if os.geteuid() == 0:\n"
        "    os.chown(p, 4321, 4321); os.chown(p.parent, 4321, 4321)\n"
        "    os.setuid(4321)\n"
        "try:\n"
        "    swap_bytes(p, old=p.read_bytes(), new=b'x', check=lambda _: None)\n"
        "except TargetError as error:\n"
        "    print(error)\n"
    )
    for modes, words in ((("444", "755"), "is read-only"), (("644", "555"), "cannot be written")):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "SKILL.md"
            file.write_bytes(OLD)
            done = subprocess.run(
                [sys.executable, "-c", code, str(file), *modes],
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
            )
            assert words in done.stdout, done.stderr
            assert file.read_bytes() == OLD
            assert names(file.parent) == ["SKILL.md"]
            file.parent.chmod(0o755)


def test_of_two_writers_one_wins_whole(file: Path) -> None:
    texts = [bytes([65 + number]) * 50_000 for number in range(8)]
    lost: list[str] = []
    barrier = threading.Barrier(len(texts))

    def write(text: bytes) -> None:
        barrier.wait()
        try:
            swap_bytes(file, old=OLD, new=text, check=fine)
        except TargetError as error:
            lost.append(str(error))

    writers = [threading.Thread(target=write, args=(text,)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert file.read_bytes() in texts
    assert len(lost) == len(texts) - 1
    assert names(file.parent) == ["SKILL.md"]


def test_a_second_writer_waits_until_the_first_has_looked_again(file: Path) -> None:
    done = threading.Event()

    def write_too() -> None:
        swap_bytes(file, old=NEW, new=b"second", check=fine)
        done.set()

    second = threading.Thread(target=write_too)

    def check(_: bytes) -> str | None:
        second.start()
        return "the second did not wait" if done.wait(timeout=0.3) else None

    swap_bytes(file, old=OLD, new=NEW, check=check)
    second.join()
    assert file.read_bytes() == b"second"


def test_the_old_bytes_are_never_written_over(file: Path, tmp_path: Path) -> None:
    (tmp_path / "held").hardlink_to(file)
    swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert (tmp_path / "held").read_bytes() == OLD


def test_killed_at_any_moment_the_file_is_whole(file: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from skillwalker.targets.file_swap import swap_bytes\n"
        "p = Path(sys.argv[1]); a, b = b'old\\n' * 5000, b'new!\\n' * 5000\n"
        "fine = lambda _: None\n"
        "p.write_bytes(a) if p.read_bytes() not in (a, b) else None\n"
        "now = p.read_bytes(); print('go', flush=True)\n"
        "while True:\n"
        "    other = b if now == a else a\n"
        "    swap_bytes(p, old=now, new=other, check=fine); now = other\n"
        "    print('.', end='', flush=True)\n"
    )
    for rounds in range(12):
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", code, str(file)],
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert child.stdout is not None
        child.stdout.read(3 + rounds)  # "go\n", then that many whole swaps: another moment each
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert file.read_bytes() in {OLD, NEW}
    swap_bytes(file, old=file.read_bytes(), new=b"after", check=fine)
    assert file.read_bytes() == b"after"
    assert names(file.parent) == ["SKILL.md"], "the next write clears away what a killed one left"


def test_leftovers_of_others_are_not_touched(file: Path) -> None:
    (file.parent / ".skillwalker-abc.new").write_bytes(b"left by a kill")
    (file.parent / ".SKILL.md.swp").write_bytes(b"an editor's")
    swap_bytes(file, old=OLD, new=NEW, check=fine)
    assert names(file.parent) == [".SKILL.md.swp", "SKILL.md"]


def test_a_pipe_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    with pytest.raises(TargetError, match="not a regular file"):
        swap_bytes(tmp_path / "x.md", old=OLD, new=NEW, check=fine)
