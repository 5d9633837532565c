"""What was written into a user's file, and how to get back."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from skillwalker.datatypes.vocabulary import Position, TargetKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """The bytes of a file before and after a description was written into it."""

    path: Path
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A recorded write of a user's file, which `undo` can take back."""

    run_id: str
    number: int
    """From 1 within the run."""
    target: str
    """As written on a command line."""
    path: Path
    """The file, absolute; a link stays a link."""
    original: Path
    """The copy of the bytes of before."""
    sha256_before: str
    sha256_after: str
    written_at: datetime
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedBest:
    """What a recorded run found, as far as `apply` needs it."""

    run_id: str
    target: str
    target_kind: TargetKind
    target_path: str
    """Relative to the project where the file lies in it."""
    target_sha256: str
    """Of the file's bytes when the run read it."""
    position: Position
    original_description: str
    best_description: str
    improved: bool
    simulated: bool
    applied: bool
    metrics_forbid: str | None = None
    """Why a load-bearing metric keeps the text from being written."""
