"""What must stand in a run.json so that a later life of the run can be held to it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCase:
    """What decides how a case's trials come out."""

    case: str
    model: str
    should_trigger: bool
    prompt_sha256: str
    scaffold_sha256: str | None
    max_turns: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSibling:
    """What was listed beside the target."""

    kind: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMetric:
    """What was tracked."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFacts:
    """The engine of the life before."""

    name: str
    endpoint: str
    permission_mode: str
    cli_version: str
    effort: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPlan:
    """The keys that are read without asking whether they are there; others may stand beside."""

    run_id: str
    suite: str
    target_path: str
    target_sha256: str
    original_description: str
    listing_mode: Literal["real", "roomy"]
    listing_budget: int | None
    siblings: tuple[WrittenSibling, ...]
    cases: tuple[WrittenCase, ...]
    facts: WrittenFacts | None
    neighbours: tuple[WrittenCase, ...] = ()
    metrics: tuple[WrittenMetric, ...] = ()
    accepted_changes: tuple[str, ...] = ()
