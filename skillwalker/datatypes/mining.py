"""Prompts of the user's own Claude Code history."""

from dataclasses import dataclass
from datetime import datetime

from skillwalker.datatypes.vocabulary import TargetKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A skill or agent that Claude called."""

    kind: TargetKind
    name: str
    """As it was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedPrompt:
    """A prompt that the user typed, and what Claude called before the next one."""

    prompt: str
    when: datetime | None = None
    fired: tuple[Fired, ...] | None = None
    """None where nobody recorded it."""
    is_first: bool = False
    """Whether it began a conversation: a later prompt may mean nothing without the earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A prompt that may become a case, free of secrets as far as patterns know them."""

    prompt: str
    triggered: bool | None
    """Whether the target was called; None where nobody recorded it, or no target is meant."""
    fired: tuple[str, ...]
    """All that was called, by the names it was called by."""
    preferred: str | None = None
    """Id of a known rival that was called instead."""
    redacted: tuple[str, ...] = ()
    """Kinds of secrets that were taken out."""
    when: datetime | None = None
    is_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningCoverage:
    """What a search of the history has read."""

    files: int = 0
    prompts: int = 0
    """Distinct prompts in the span of time that was asked for."""
    unread_lines: int = 0
    """Lines that are no JSON, or longer than a prompt's line is."""
    unread_files: int = 0
