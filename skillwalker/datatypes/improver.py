"""What the improver is told and what it answers."""

from dataclasses import dataclass

from skillwalker.datatypes.scores import SetScore
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Operator, TargetKind


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainCase:
    """What the improver may know of a train case."""

    prompt: str
    should_trigger: bool
    triggered: int
    decided: int
    instead: tuple[str, ...]
    """What fired instead, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCandidate:
    """An earlier candidate and how it did on train."""

    description: str
    score: SetScore
    resolved: bool
    """Whether its difference to the original is more than noise."""
    estimate: float | None = None
    """Posterior mean of its balanced accuracy on train, where texts ran on different cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """All that the improver is told; no field can carry holdout, control or confirm data."""

    kind: TargetKind
    name: str
    body: str
    current: str
    operator: Operator
    failures: tuple[TrainCase, ...]
    successes: tuple[TrainCase, ...]
    history: tuple[EarlierCandidate, ...]
    siblings: tuple[tuple[str, str], ...]
    """Name and description of each rival beside the target."""
    max_chars: int
    """UTF-16 units that the answer may have."""
    when_to_use: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A reply of a completer."""

    text: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One improver call: a line of improver.jsonl."""

    prompt: str
    reply: str
    fault: str | None
    """Why the reply was refused; None when it was taken."""
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A candidate as the improver gave it; `description` is None when every reply was refused."""

    description: str | None
    reason: str
    exchanges: tuple[Exchange, ...] = ()
