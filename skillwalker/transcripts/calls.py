"""Tells which tool calls and which prompts are the use of a skill or an agent."""

from collections.abc import Collection

from skillwalker.datatypes.trials import Call, CalledAs
from skillwalker.datatypes.vocabulary import Mode, TargetKind
from skillwalker.transcripts.events import ToolUse
from skillwalker.transcripts.outcome import plain_name

AGENT_TOOLS = ("Agent", "Task")
"""The tool is called Agent in events and requests, Task in older versions."""


def call_of(use: ToolUse, *, step: int, is_nested: bool) -> Call | None:
    """Read a tool call as the use of a skill or an agent; None when it is neither."""
    mode = Mode.NESTED if is_nested else Mode.TOOL
    if use.tool == "Skill":
        return _named_call(TargetKind.SKILL, use.input.get("skill"), step, mode)
    if use.tool in AGENT_TOOLS:
        return _named_call(TargetKind.AGENT, use.input.get("subagent_type"), step, mode)
    path = use.input.get("file_path")
    if use.tool == "Read" and isinstance(path, str):
        mode = Mode.NESTED if is_nested else Mode.READ
        if path.endswith("/SKILL.md"):
            return Call(kind=TargetKind.SKILL, name=path, step=step, mode=mode)
        if path.endswith(".md") and "/agents/" in path:
            return Call(kind=TargetKind.AGENT, name=path, step=step, mode=mode)
    return None


def _named_call(kind: TargetKind, name: object, step: int, mode: Mode) -> Call | None:
    if not isinstance(name, str) or not name.strip():
        return None
    return Call(kind=kind, name=name, step=step, mode=mode)


def expanded_command(
    prompt: str, commands: Collection[str], called_as: CalledAs | None
) -> Call | None:
    """Find the slash command that the CLI expanded before it asked the model.

    Args:
        prompt: what was asked.
        commands: the commands that the CLI says it knows; it takes their bare names too.
        called_as: the target, whose other names are commands as well.
    """
    words = prompt.split(maxsplit=1)
    if not words or not prompt.startswith("/"):
        return None
    name = plain_name(words[0])
    own = called_as.names if called_as is not None else frozenset()
    if name in own or any(name in (item, item.rpartition(":")[2]) for item in commands):
        return Call(kind=TargetKind.SKILL, name=name, step=0, mode=Mode.COMMAND)
    return None
