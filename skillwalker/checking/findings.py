"""What a check finds: the rule, the place, what is wrong and what to do about it."""

from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.inputs import Case, Listed, Suite, Target
from skillwalker.datatypes.vocabulary import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """One thing that a user should change, or know."""

    rule: str
    severity: Severity
    path: Path
    line: int | None
    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTarget:
    """A skill or agent, and what Claude Code shows of it."""

    target: Target
    listed: Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCase:
    """A case that says whether one target is to be called."""

    case: Case
    line: int | None
    """Of tests.json."""
    expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCases:
    """The call cases of one suite that are about one target."""

    suite: Suite
    path: Path
    """Its tests.json."""
    checked: CheckedTarget
    cases: tuple[TargetCase, ...]

    @property
    def positive(self) -> tuple[TargetCase, ...]:
        """Those in which it is to be called."""
        return tuple(case for case in self.cases if case.expected)

    @property
    def negative(self) -> tuple[TargetCase, ...]:
        """Those in which it is not."""
        return tuple(case for case in self.cases if not case.expected)


def split_remedy(message: str, otherwise: str) -> tuple[str, str]:
    """Cut a sentence of the form "what is wrong; what to do" in two.

    Args:
        message: the sentence.
        otherwise: the remedy where the sentence names none.
    """
    wrong, mark, remedy = message.rpartition("; ")
    return (wrong, remedy) if mark else (message, otherwise)
