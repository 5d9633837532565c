"""What a night did: a row for each target, and the summary of them all."""

from dataclasses import dataclass
from enum import StrEnum
from math import fsum

from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.vocabulary import StopReason, TargetKind

_CUT_SHORT = frozenset(
    reason.value
    for reason in (
        StopReason.BUDGET,
        StopReason.DEADLINE,
        StopReason.RATE_LIMIT,
        StopReason.INTERRUPTED,
    )
)
"""Ends that leave a run to be gone on with."""


class NightAction(StrEnum):
    """What became of a target in a night."""

    IMPROVED = "improved"
    """A better text was found and confirmed; `applied` says whether it was written."""
    KEPT = "kept"
    """It was looked for, and the text of before stays."""
    MEASURED = "measured"
    """It was measured, and is not worth a search."""
    FRESH = "fresh"
    """Nothing that it depends on changed, so nothing was spent."""
    FAILED = "failed"
    """It cannot be measured at all."""
    INCONCLUSIVE = "inconclusive"
    """It was tried, and says nothing."""
    LEFT = "left"
    """The night ended before its turn, or in the middle of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revert:
    """An improvement of an earlier night that lost against what it had replaced."""

    run_id: str
    """The run that wrote it, for `skillwalker undo`."""
    p_better: float
    """Chance that the replaced text is the better one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightTarget:
    """One target with one suite in one night."""

    path: str
    suite: str
    kind: TargetKind
    target: str
    action: NightAction
    reason: str | None = None
    """One line: what failed, or why nothing was searched for."""
    before: Rate | None = None
    """Balanced accuracy when the night began with it."""
    after: Rate | None = None
    """Balanced accuracy of what the file holds at the end."""
    found: Rate | None = None
    """Balanced accuracy of `description`, in its confirm rounds."""
    applied: bool = False
    description: str | None = None
    """The text that was found where it was improved, so that another checkout can be given it."""
    revert: Revert | None = None
    run_ids: tuple[str, ...] = ()
    trials: int = 0
    cost_usd: float = 0.0
    cost_unknown_calls: int = 0
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSuite:
    """A suite that could not be read."""

    suite: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NightSummary:
    """`overnight-summary.json`."""

    night_id: str
    engine: str
    simulated: bool
    cli_version: str
    """Of the Claude Code that ran the trials."""
    shard: str | None
    """As `--shard` was given; None for a whole night or a merged one."""
    stopped_because: str
    """done, or the limit that ended it: budget, deadline, rate_limit, interrupted."""
    targets: tuple[NightTarget, ...]
    """In the order of paths and suites."""
    broken: tuple[BrokenSuite, ...]
    limit: str | None = None
    """The option whose limit ended it, and that lets it go on when it is raised."""
    refused_usd: float | None = None
    """What the call that a limit on money forbade was reckoned at, in US dollars."""
    missing: tuple[str, ...] = ()
    """Of a merged night: the parts, as `--shard` takes them, that were not among those merged."""

    @property
    def counts(self) -> dict[str, int]:
        """How many targets each action was done to; every action has a figure."""
        return {
            action.value: sum(target.action is action for target in self.targets)
            for action in NightAction
        }

    @property
    def trials(self) -> int:
        """Trials of all targets."""
        return sum(target.trials for target in self.targets)

    @property
    def cost_usd(self) -> float:
        """Known costs of all targets, in US dollars."""
        return fsum(target.cost_usd for target in self.targets)

    @property
    def cost_unknown_calls(self) -> int:
        """Calls whose cost is not known."""
        return sum(target.cost_unknown_calls for target in self.targets)


class Stage(StrEnum):
    """What is done with a target, in this order."""

    RECHECK = "recheck"
    """Last night's improvement against what it replaced."""
    MEASURE = "measure"
    TUNE = "tune"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """How one run of a night ended, as far as the night needs it."""

    stage: Stage
    run_id: str | None
    """None where no run began."""
    verdict: str | None = None
    stopped_because: str | None = None
    limit: str | None = None
    refused_usd: float | None = None
    """As in `NightSummary`, of the run."""
    cause: str | None = None
    """One line where it failed or says nothing."""
    original: Rate | None = None
    best: Rate | None = None
    """Balanced accuracies."""
    improved: bool = False
    applied: bool = False
    best_description: str | None = None
    p_better: float | None = None
    trials: int = 0
    cost_usd: float = 0.0
    cost_unknown_calls: int = 0
    exit_code: int = 0

    @property
    def was_cut(self) -> bool:
        """Whether a limit left something of it to be gone on with.

        A run that has written its description is over.
        """
        return self.stopped_because in _CUT_SHORT and not self.applied
