"""What a stand-in was asked for by the trials of a run, beside what the run recorded."""

import json
import os
import signal
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from skillwalker.standin.behaviour import RoutedBehaviour, completion_prompt
from skillwalker.standin.replies import Reply
from skillwalker.standin.request import read_listing, read_prompt
from skillwalker.standin.server import MessageRequest
from skillwalker.targets.names import description_hash
from tests.kills import Row, rows

Asking = tuple[str, str]
"""A trial by its candidate and its prompt."""
BY_NAME = "control: explicit request"


def steady(asked: MessageRequest) -> Reply:
    """Answer a prompt in the same way however often it came before."""
    return RoutedBehaviour()(asked)


def trials_asked(requests: Iterable[MessageRequest], target: str) -> Counter[Asking]:
    """Count the trials that asked anything, each by its session: a subagent asks within one."""
    found: dict[str, Asking] = {}
    for asked in requests:
        if completion_prompt(asked) is not None or (session := _session(asked)) in found:
            continue
        (text,) = (one.text for one in read_listing(asked.body) if one.name == target)
        found[session] = description_hash(text or ""), read_prompt(asked.body)
    return Counter(found.values())


def _session(asked: MessageRequest) -> str:
    """Tell one process of Claude Code from another."""
    metadata = asked.body["metadata"]
    assert isinstance(metadata, dict)
    session: str = json.loads(metadata["user_id"])["session_id"]
    return session


def trials_recorded(run: Path) -> Counter[Asking]:
    """Count the trials on the disk, by what they asked."""
    prompts = {case["case"]: case["prompt"] for case in _cases(run)}
    return Counter(
        (row["candidate"], prompts.get(row["case"]) or _control(row, run))
        for row in rows(run, "trials.jsonl")
    )


def _cases(run: Path) -> list[Row]:
    """Read the cases that a run froze."""
    found: list[Row] = json.loads((run / "run.json").read_text("utf-8"))["cases"]
    return found


def _control(row: Row, run: Path) -> str:
    """Give the prompt of a control."""
    record = json.loads((run / "run.json").read_text("utf-8"))
    if row["case"] == BY_NAME:
        return f"Use the {record['target']} skill now, before anything else."
    return "What is the capital of Norway?"


def kill_what_is_left(marker: Path) -> None:
    """Kill the processes of a killed run: those that have a folder in their environment."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "environ").read_bytes()
            if str(marker).encode() in words and int(process.name) != os.getpid():
                os.kill(int(process.name), signal.SIGKILL)
