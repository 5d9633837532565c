"""What commands measure: one run, several, calibrations, and a metric beside a candidate."""

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which way a metric is better."""

    INCREASE = "increase"
    DECREASE = "decrease"


class GateState(StrEnum):
    """What the calibrations of a metric say about it; only the last may decide anything."""

    INSUFFICIENT_DATA = "insufficient_data"
    CATASTROPHIC_OUTLIER = "catastrophic_outlier"
    TAIL_RISK_HIGH = "tail_risk_high"
    DRIFTING = "drifting"
    LOAD_BEARING = "load_bearing"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """A named number; the unit is for people alone."""

    name: str
    value: float | None
    """None where a metric that earlier runs had is missing from this one."""
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The metrics of one output."""

    primary: MetricValue | None
    """The one that was asked for; None when it is missing."""
    secondaries: tuple[MetricValue, ...]
    """All others, in order of first appearance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A value that a metric is to reach; reaching it exactly is enough."""

    value: float
    direction: Direction

    def is_met_by(self, value: float) -> bool:
        """Compare, inclusively."""
        match self.direction:
            case Direction.INCREASE:
                return value >= self.value
            case Direction.DECREASE:
                return value <= self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRun:
    """What one run of a verification command said."""

    success: bool
    value: float | None = None
    name: str | None = None
    unit: str | None = None
    error: str | None = None
    read_from: str | None = None
    """Where the result stood: `stdout`, `last JSON line` or `METRIC lines`."""
    secondaries: tuple[MetricValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Several runs of one command; everything but the runs is derived from them."""

    runs: tuple[CommandRun, ...]

    @property
    def measured(self) -> tuple[CommandRun, ...]:
        """The successful runs that gave a number, from the smallest to the largest."""
        found = [(run.value, run) for run in self.runs if run.success and run.value is not None]
        return tuple(run for _, run in sorted(found, key=lambda pair: pair[0]))

    @property
    def median(self) -> CommandRun | None:
        """The run in the middle, the upper one of two; None when no run gave a number."""
        return self.measured[len(self.measured) // 2] if self.measured else None

    @property
    def success(self) -> bool:
        """Whether there is a number; without any, whether every run was a success."""
        return bool(self.measured) or (bool(self.runs) and all(run.success for run in self.runs))

    @property
    def failed(self) -> tuple[CommandRun, ...]:
        """The runs that are not part of the result."""
        kept = self.measured or tuple(run for run in self.runs if run.success)
        return tuple(run for run in self.runs if run not in kept)

    def meets(self, goal: Goal | None) -> bool | None:
        """Say whether a goal is met; without a number and a goal, success is the goal.

        Returns:
            None where there is a number and no goal, or a goal and no number.
        """
        if self.median is None or self.median.value is None:
            return None if goal is not None else self.success
        return goal.is_met_by(self.median.value) if goal is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One `metric run` of a project."""

    timestamp: str
    iteration: int
    """From 1 for each name."""
    name: str | None
    value: float | None
    success: bool
    goal: Goal | None
    goal_achieved: bool | None
    runs: int
    error: str | None
    secondaries: tuple[MetricValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a metric said would come, and what came."""

    metric: str
    version: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricStanding:
    """What a metric is worth by its calibrations; errors in units of its scale."""

    samples: int
    mean_error: float | None
    p95_error: float | None
    worst_error: float | None
    state: GateState
    held_back_by: tuple[str, ...] = ()
    """Parts of a composed metric that are advisory themselves."""

    @property
    def load_bearing(self) -> bool:
        """Whether it may decide anything."""
        return self.state is GateState.LOAD_BEARING and not self.held_back_by


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedMetric:
    """A metric as it was for one candidate."""

    name: str
    value: float | None
    """None when it could not be measured."""
    unit: str | None
    version: int
    direction: Direction | None
    """None: nobody said which way is better, so it can decide nothing."""
    load_bearing: bool
    built_in: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """A metric under the original and under the best text of a run."""

    name: str
    original: float | None
    """None when it could not be measured; `original_error` says why."""
    best: float | None
    """None where no other text was chosen, too."""
    unit: str | None
    load_bearing: bool
    direction: Direction | None
    built_in: bool = False
    version: int = 1
    original_error: str | None = None
    best_error: str | None = None
