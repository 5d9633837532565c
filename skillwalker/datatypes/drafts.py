"""Cases that are proposed, before a person has looked at them."""

from dataclasses import dataclass
from enum import StrEnum

from skillwalker.datatypes.improver import Exchange
from skillwalker.datatypes.vocabulary import TargetKind


class DraftKind(StrEnum):
    """What a proposed prompt is like."""

    POSITIVE = "positive"
    NEAR_MISS = "near-miss"
    SIBLING = "sibling"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """All that whoever proposes cases is told of a target."""

    kind: TargetKind
    name: str
    """As Claude Code lists it."""
    description: str
    body: str
    siblings: tuple[tuple[str, str], ...]
    """Name and description of each rival beside the target."""
    positives: int
    """Prompts that should call it."""
    near_misses: int
    """Prompts that look like its work and are not."""
    sibling_jobs: int
    """Prompts that belong to a named sibling."""

    def wanted(self, kind: DraftKind) -> int:
        """Say how many prompts of a kind are asked for."""
        match kind:
            case DraftKind.POSITIVE:
                return self.positives
            case DraftKind.NEAR_MISS:
                return self.near_misses
            case DraftKind.SIBLING:
                return self.sibling_jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedCase:
    """A proposed prompt."""

    kind: DraftKind
    prompt: str
    sibling: str | None = None
    """Whose job it is, of the kind sibling."""

    @property
    def should_trigger(self) -> bool:
        """Whether the target is meant to be called."""
        return self.kind is DraftKind.POSITIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCase:
    """A proposed prompt that was not taken."""

    prompt: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What came of asking for cases."""

    cases: tuple[DraftedCase, ...]
    refused: tuple[RefusedCase, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    cut: str | None = None
    """Why it ended before all were there; None when all are."""
