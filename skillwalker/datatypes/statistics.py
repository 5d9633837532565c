"""Figures over all recorded runs; each stands beside what it is a share of."""

from dataclasses import dataclass
from datetime import date

from skillwalker.datatypes.history import Coverage, Setting, Spent
from skillwalker.datatypes.scores import Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """Outcomes of the trials of one set under one setting."""

    setting: Setting
    set: str
    triggered: int
    not_triggered: int
    undecided: int
    tried_again: int
    """Attempts that said nothing and were repeated; the repeats are the trials counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRates:
    """Rates of the runs that began on one day (UTC)."""

    day: date
    runs: int
    texts: int
    """Different descriptions that the file held when these runs began."""
    cases: int
    rates: Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """Rates of what a target's file held when its runs began, under one setting and CLI."""

    target: str
    setting: Setting
    cli_version: str
    runs: int
    texts: int
    cases: int
    rates: Rates
    days: tuple[DayRates, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedGain:
    """What an applied description changed, by its run's confirm rounds alone."""

    run_id: str
    target: str
    setting: Setting
    cases: int
    """Decided under both texts."""
    before: Rates
    after: Rates
    change: float | None
    """Of balanced accuracy over those cases."""
    interval: tuple[float, float] | None
    p_better: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanGain:
    """The mean change of the applied descriptions of one setting."""

    setting: Setting
    applied: int
    measured: int
    """Those of them in which both classes of cases were decided; the mean is over these."""
    mean_change: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigures:
    """How the searches for a better description ended, of real runs or of simulated ones."""

    simulated: bool
    runs: int
    unfinished: int
    """Without a summary; they are in no other count here."""
    verdicts: tuple[tuple[str, int], ...]
    stopped_because: tuple[tuple[str, int], ...]
    gate_passed: int
    gate_refused: int
    gate_not_run: int
    """Asked for, but no confirm round was run."""
    gate_none: int
    """Nothing to confirm, or no gate was asked for."""
    applied_runs: int
    """Those that ended with their best description in the file."""
    applied: tuple[AppliedGain, ...]
    """Of the applied runs that confirm rounds measured, one for each setting."""
    mean_gains: tuple[MeanGain, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRow:
    """Why trials under one setting stayed undecided."""

    setting: Setting
    trials: int
    undecided: int
    reasons: tuple[tuple[str, int], ...]
    """Most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalFigures:
    """Eval runs of one suite under one setting."""

    suite: str
    engine: str
    endpoint: str
    permission_mode: str
    models: tuple[str, ...]
    simulated: bool
    runs: int
    case_statuses: tuple[tuple[str, int], ...]
    """A case counts once a run."""
    expectations: tuple[tuple[str, str, int], ...]
    """Type, status, number; aggregates of a judge are a type of their own."""
    criteria: int
    """Judge's verdicts on criteria."""
    agreement: float | None
    """Mean share of a judge's runs that agree, over the verdicts that record it."""
    agreement_of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """All figures of a history."""

    coverage: Coverage
    outcomes: tuple[OutcomeRow, ...]
    rates: tuple[RateRow, ...]
    rated: int
    """Decided trials of the files' own descriptions that the rates are made of."""
    not_rated: int
    """Such trials that no rate counts: the run does not say what their case asks for."""
    search: tuple[SearchFigures, ...]
    """Of real runs, then of simulated ones, where there are any."""
    costs: tuple[Spent, ...]
    """By purpose, over all runs that were read, real ones first; `run_id` is empty."""
    undecided: tuple[ReasonRow, ...]
    evals: tuple[EvalFigures, ...]
    evals_not_evaluated: int
