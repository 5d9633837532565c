"""What a project remembers of its targets between runs: the entries of skillwalker.lock."""

from dataclasses import dataclass

from skillwalker.datatypes.scores import Rates
from skillwalker.datatypes.vocabulary import TargetKind


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class EntryKey:
    """What an entry is about."""

    path: str
    """Of the target's file, relative to the project where it lies inside."""
    suite: str
    simulated: bool
    """An entry of simulated runs is never read by a real one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The best text that a gate did not let pass."""

    description: str
    p_better: float | None
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedChange:
    """An improvement that was written, and what it replaced."""

    run_id: str
    replaced: str
    description: str
    rechecked: bool = False
    """Whether the two texts were measured side by side again in a later night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockEntry:
    """What is remembered of one target under one suite."""

    key: EntryKey
    kind: TargetKind
    target: str
    """Its id, for people."""
    engine: str = ""
    candidate: str = ""
    """Hash of the description that the file held when the entry was written."""
    fingerprint: str | None = None
    """Of all that the last rates depend on; None when there are none."""
    rates: Rates | None = None
    run_id: str | None = None
    """The run of the rates."""
    looks: int = 0
    """How often a text was held against the original in confirm rounds; see `search.gate`."""
    tuned: str | None = None
    """Where the last search came to its end: see `fingerprint.search_fingerprint`."""
    rejected: Rejected | None = None
    applied: AppliedChange | None = None
