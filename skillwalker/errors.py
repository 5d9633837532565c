"""The exception tree: the only classes that the command line turns into an exit code.

    SkillwalkerError                    exit 1
    ├── ConfigError                     a setting is wrong
    ├── SuiteError                      tests.json or a file it names is missing or wrong
    │   └── ConfigNotFoundError         there is no tests.json
    ├── TargetError                     a skill or agent is missing, unreadable or not writable
    ├── EngineError
    │   ├── EngineUnavailableError      no trial can run at all                       exit 3
    │   ├── PreflightError              the instrument does not measure               exit 3
    │   ├── UndecidedError              too many trials of a step say nothing         exit 3
    │   └── TrialError                  this one trial failed; step 4 makes it an outcome
    ├── CompletionError                 the improver or the judge gave nothing usable
    ├── BudgetReached                   a limit the user set; the loop keeps what it has
    └── StoreError                      a recorded run is unreadable
        ├── RunNotFoundError            there is no such run
        └── BusyError                   another process holds what is wanted

A message names what failed, its value and place, and what to do about it.
"""

from collections.abc import Collection

__all__ = [
    "BudgetReached",
    "BusyError",
    "CompletionError",
    "ConfigError",
    "ConfigNotFoundError",
    "EngineError",
    "EngineUnavailableError",
    "PreflightError",
    "RunNotFoundError",
    "SkillwalkerError",
    "StoreError",
    "SuiteError",
    "TargetError",
    "TrialError",
    "UndecidedError",
]

WORST_FIRST = (130, 1, 3, 4)
"""Which exit code wins where several things end differently."""


def worst_of(codes: Collection[int]) -> int:
    """Give the one exit code of what ended with several."""
    return next((code for code in WORST_FIRST if code in codes), 0)


class SkillwalkerError(Exception):
    """Root of everything that Skillwalker raises on purpose; exit code 1 unless said otherwise."""

    exit_code = 1


class ConfigError(SkillwalkerError):
    """A setting or a combination of settings is wrong."""


class SuiteError(SkillwalkerError):
    """A suite, or a file that it names, is missing or wrong."""


class ConfigNotFoundError(SuiteError):
    """A suite has no tests.json."""


class TargetError(SkillwalkerError):
    """A skill or an agent is missing, cannot be read, can never trigger or cannot be written."""


class EngineError(SkillwalkerError):
    """Claude Code could not be run, or not as it must be to measure anything."""


class EngineUnavailableError(EngineError):
    """No trial can run: no binary, no Docker, no login."""

    exit_code = 3


class PreflightError(EngineError):
    """The instrument does not measure: the target is not listed, or a control answers wrongly."""

    exit_code = 3


class UndecidedError(EngineError):
    """Too many trials of a step stayed undecided after their retries; nothing is scored from it.

    Args:
        message: how many, and the first cause in its own words.
        reason: the most frequent reason, a word of `datatypes.vocabulary.UNDECIDED_REASONS`.
    """

    exit_code = 3

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class TrialError(EngineError):
    """One trial failed; step 4 turns it into an undecided outcome.

    Args:
        reason: one word of the list in `datatypes.vocabulary.UNDECIDED_REASONS`.
        detail: what happened, for people.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class CompletionError(SkillwalkerError):
    """Claude gave the improver or the judge nothing usable after every retry."""


class BudgetReached(SkillwalkerError):  # noqa: N818 (a limit that was kept is no error)
    """A limit on money, trials or time is reached; what was measured stays valid.

    Args:
        reason: a `datatypes.vocabulary.StopReason`.
        flag: the option that sets the limit; None where none does.
        detail: what was reached, for people.
        refused_usd: what the call that money forbade was reckoned at; None where it was no money,
            or nobody knows.
    """

    def __init__(
        self,
        reason: str,
        *,
        flag: str | None = None,
        detail: str | None = None,
        refused_usd: float | None = None,
    ) -> None:
        super().__init__(f"stopped by {reason}" + (f": {detail}" if detail else ""))
        self.reason = reason
        self.flag = flag
        self.detail = detail
        self.refused_usd = refused_usd


class StoreError(SkillwalkerError):
    """A recorded run cannot be read or written."""


class RunNotFoundError(StoreError):
    """There is no recorded run of that name."""


class BusyError(StoreError):
    """Another process holds a target or a night; when it ends, the same is possible again."""
