"""What a judge grades by, what it is shown, and what it answers."""

from dataclasses import dataclass

from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.trials import OutputFile, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One line of a rubric, graded on its own."""

    text: str
    file: str | None = None
    """The file of the working folder that it is about; None for the whole trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The criteria of a rubric, in its order."""

    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A criterion as the judge is asked it."""

    id: str
    criterion: Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a judge may look at of one trial."""

    task: str
    """The prompt as it was sent."""
    transcript: str
    """What Claude said and did, for a reader."""
    answer: str
    """Claude's last words."""
    scaffold: tuple[OutputFile, ...] = ()
    """What the working folder held at the start."""
    output: tuple[OutputFile, ...] | None = ()
    """What the trial made, changed or deleted; None where that is not known."""
    output_fault: str | None = None
    """Why there may be more output than is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What is known about one criterion."""

    criterion: Criterion
    status: Status
    reasoning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """One question to the judge: a line of judge.jsonl."""

    key: str
    """Hash of what was asked of whom; the same question is not paid for twice."""
    suite: str
    test_name: str
    rubric_file: str
    run_index: int
    judge_run: int
    attempt: int
    judge: str
    """api, cli or simulated."""
    model_asked: str
    model: str
    """The full id that answered."""
    prompt: str
    reply: str
    fault: str | None
    """Why the reply was refused; None when it was taken."""
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """How one trial fares by a rubric, after all questions about it."""

    criteria: tuple[Graded, ...]
    agreement: tuple[float | None, ...] = ()
    """Beside each criterion the share of the judge's runs that say what it says; None where none
    was asked."""
    model: str | None = None
    """That answered; None where none was asked."""
    broken: str | None = None
    """Why the judge cannot be believed, or could not be asked."""
