"""Finds and ends everything that a process started, also what left its group or its session.

A trial's processes are known by the process group, by descent, and by one environment variable
whose value no other process has (the trial's HOME): it survives a change of session and the
death of the parent. Without /proc (macOS) only the group is known.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import anyio

_PROC = Path("/proc")
_POLL = 0.02
_KILL_WAIT = 5.0


def find_marked(marker: str) -> frozenset[int]:
    """Find the processes whose environment holds a variable with exactly that value.

    Args:
        marker: `NAME=value`.
    """
    wanted = marker.encode()
    return frozenset(
        pid for pid in _pids() if pid != os.getpid() and wanted in _environment(pid).split(b"\0")
    )


def find_descendants(pid: int) -> frozenset[int]:
    """Find the children of a process, their children, and so on."""
    children: dict[int, list[int]] = {}
    for candidate in _pids():
        children.setdefault(_parent(candidate), []).append(candidate)
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return frozenset(found)


async def end_group(pid: int, marker: str, *, is_running: bool, grace: float) -> None:
    """End a process group and all that belongs to it: ask, wait, kill, wait until it is gone.

    Args:
        pid: the leader, which began a session of its own.
        marker: environment variable of the whole tree, `NAME=value`.
        is_running: whether the leader is not yet reaped; only then is its group surely ours.
        grace: seconds between asking and killing.
    """
    known = find_descendants(pid) | {pid} if is_running else frozenset()
    group = pid if is_running or not _has_proc() else None
    await _end(known | find_marked(marker), marker, grace, group)


async def end_marked(marker: str, *, grace: float = 0.0) -> None:
    """End every process that carries a marker: what an earlier life of ours left behind."""
    await _end(find_marked(marker), marker, grace, None)


async def _end(pids: frozenset[int], marker: str, grace: float, group: int | None) -> None:
    """Ask, wait, kill; processes that were started in the meantime are found again."""
    for pid in pids:
        _signal(pid, signal.SIGTERM)
    if group is not None:
        _signal_group(group, signal.SIGTERM)
    with anyio.move_on_after(grace):
        while _living(pids):  # noqa: ASYNC110 (nothing tells when a foreign process ends)
            await anyio.sleep(_POLL)
    if group is not None:
        _signal_group(group, signal.SIGKILL)
    with anyio.move_on_after(_KILL_WAIT):
        left = _living(pids | find_marked(marker))
        while left:
            for pid in left:
                _signal(pid, signal.SIGKILL)
            await anyio.sleep(_POLL)
            left = _living(pids | find_marked(marker))


def _living(pids: frozenset[int]) -> frozenset[int]:
    return frozenset(pid for pid in pids if _is_alive(pid))


def _is_alive(pid: int) -> bool:
    """Say whether a process runs; one that is dead but not reaped does not."""
    if _has_proc():
        return _state(pid) not in ("", "Z", "X")
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _has_proc() -> bool:
    return _PROC.is_dir()


def _pids() -> Iterator[int]:
    if not _has_proc():
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            yield int(entry.name)


def _environment(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return b""  # it ended, or it is another user's


def _stat(pid: int) -> list[str]:
    """Read the fields behind the program's name: state, parent, group and more."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _state(pid: int) -> str:
    fields = _stat(pid)
    return fields[0] if fields else ""


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 else 0
