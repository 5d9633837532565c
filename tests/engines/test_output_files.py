import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.trials import OutputFile
from skillwalker.engines import output_files
from skillwalker.engines.output_files import (
    MAX_TEXT,
    NOTHING,
    Snapshot,
    is_safe_name,
    read_output,
    snapshot,
)


def found(folder: Path, before: Snapshot = NOTHING) -> dict[str, OutputFile]:
    output = read_output(folder, before)
    assert output.fault is None
    return {file.path: file for file in output.files}


def test_what_is_new_or_changed_is_kept_and_nothing_else(tmp_path: Path) -> None:
    for name in ("same.md", "changed.md", "gone.md"):
        (tmp_path / name).write_text("old")
    (tmp_path / "link").symlink_to("same.md")
    before = snapshot(tmp_path)
    (tmp_path / "changed.md").write_text("new")
    (tmp_path / "gone.md").unlink()
    (tmp_path / "deep/er").mkdir(parents=True)
    (tmp_path / "deep/er/тест 🙂\n.md").write_text("né", "utf-8")
    (tmp_path / "same.md").touch()
    assert found(tmp_path, before) == {
        "changed.md": OutputFile(path="changed.md", size=3, text="new"),
        "deep/er/тест 🙂\n.md": OutputFile(path="deep/er/тест 🙂\n.md", size=3, text="né"),
        "gone.md": OutputFile(path="gone.md", size=0, text=None, reason="deleted"),
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"\xff\xfe", "binary", id="no-utf-8"),
        pytest.param(b"a\0b", "binary", id="nul"),
        pytest.param(b"x" * MAX_TEXT, None, id="as-much-as-fits"),
        pytest.param(b"x" * (MAX_TEXT + 1), "too_large", id="one-byte-more"),
        pytest.param(b"", None, id="empty"),
    ],
)
def test_only_text_within_the_limit_is_held(
    tmp_path: Path, content: bytes, reason: str | None
) -> None:
    (tmp_path / "f").write_bytes(content)
    (file,) = found(tmp_path).values()
    assert (file.size, file.reason) == (len(content), reason)
    assert file.text == (content.decode() if reason is None else None)


def test_the_limit_holds_for_all_files_together(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(b"x" * (MAX_TEXT // 2))
    (tmp_path / "d").write_bytes(b"x")
    files = found(tmp_path)
    assert [files[name].reason for name in "abcd"] == [None, None, "total_limit", "total_limit"]
    assert files["c"].size == MAX_TEXT // 2


def test_a_large_file_that_did_not_change_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (MAX_TEXT + 1))
    before = snapshot(tmp_path)
    assert found(tmp_path, before) == {}
    (tmp_path / "large").write_bytes(b"y" * (MAX_TEXT + 1))
    assert found(tmp_path, before)["large"].reason == "too_large"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        pytest.param("/etc/passwd", "link_out", id="absolute"),
        pytest.param("../../secret", "link_out", id="up-and-out"),
        pytest.param("../in.md", "link", id="up-and-inside"),
        pytest.param("gone", "link", id="to-nothing"),
        pytest.param("../sub/../../x", "link_out", id="out-by-a-detour"),
    ],
)
def test_a_link_is_named_and_never_followed(tmp_path: Path, target: str, reason: str) -> None:
    (tmp_path / "secret").write_text("hidden")
    inside = tmp_path / "work/sub"
    inside.mkdir(parents=True)
    (inside / "link").symlink_to(target)
    file = found(tmp_path / "work")["sub/link"]
    assert (file.text, file.reason, file.link) == (None, reason, target)


def test_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("hidden")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/in").symlink_to(tmp_path / "outside")
    assert [file.reason for file in found(tmp_path / "work").values()] == ["link_out"]


def test_a_pipe_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert found(tmp_path)["pipe"].reason == "special"


def test_a_link_that_replaced_a_file_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    before = snapshot(tmp_path)
    (tmp_path / "f").unlink()
    (tmp_path / "f").symlink_to("/etc/passwd")
    assert found(tmp_path, before)["f"].reason == "link_out"


def test_repositories_are_left_out(tmp_path: Path) -> None:
    for folder in (tmp_path / ".git", tmp_path / "deep/.git"):
        folder.mkdir(parents=True)
        (folder / "HEAD").write_text("ref")
    assert snapshot(tmp_path) == {}
    assert found(tmp_path) == {}


def test_a_name_that_is_no_text_can_be_written(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x")
    (file,) = read_output(tmp_path, NOTHING).files
    assert file.path == "\\xff.md"
    file.path.encode()


def test_a_folder_that_cannot_be_read_is_named_and_nothing_is_called_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed/old").write_text("old")
    before = snapshot(tmp_path)
    scan = os.scandir

    def refuse(place: str) -> object:
        if place.endswith("closed"):
            raise PermissionError(13, "Permission denied", place)
        return scan(place)

    monkeypatch.setattr("os.scandir", refuse)
    output = read_output(tmp_path, before)
    assert [(file.path, file.reason) for file in output.files] == [("closed", "unreadable")]
    assert output.fault == "the folder closed cannot be read"
    with pytest.raises(PermissionError):
        snapshot(tmp_path)


def test_too_many_files_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_files, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)
    output = read_output(tmp_path, NOTHING)
    assert len(output.files) == 2
    assert output.fault == "more than 2 files; the others are not listed"


@pytest.mark.parametrize("name", ["/a", "../a", "a/../../b", "", "a\0b"])
def test_a_name_that_leaves_the_folder_is_not_safe(name: str) -> None:
    assert not is_safe_name(name)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_links_are_judged_as_paths_resolve(parts: list[str]) -> None:
    words = [part.replace("/", "").replace("\0", "") or ".." for part in parts]
    target = "/".join(words) or "."
    inside = os.path.normpath(f"a/b/{target}")
    leads_out = output_files._leads_out("a/b/link", target)  # noqa: SLF001 (a law of it)
    assert leads_out or not inside.startswith("..")
