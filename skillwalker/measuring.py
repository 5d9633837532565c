"""Runs trials of texts: one throw-away copy a text, run numbers that go on over the whole run."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.config import LoopConfig
from skillwalker.datatypes import summary as events
from skillwalker.datatypes.inputs import SplitCase, TriggerCase
from skillwalker.datatypes.scores import CaseResult, Cell, join_results
from skillwalker.datatypes.trials import BuiltPlugin, Trial, TrialKey
from skillwalker.datatypes.vocabulary import CaseSet, Phase
from skillwalker.engines.protocol import Engine
from skillwalker.errors import (
    BudgetReached,
    EngineUnavailableError,
    SkillwalkerError,
    UndecidedError,
)
from skillwalker.limits import Limits
from skillwalker.plan import Plan
from skillwalker.sent_listing import Probe, check_shown
from skillwalker.steps.step_3_build_plugin import build_plugin
from skillwalker.steps.step_4_run_trials import run_trials
from skillwalker.targets.names import description_hash
from skillwalker.trials.journal import Journal
from skillwalker.trials.pool import map_bounded

Results = tuple[CaseResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedCase:
    """A case to be measured, with the most runs it may have."""

    case: TriggerCase
    set: CaseSet
    runs: int
    group: str | None = None


Part = tuple[str, int, Sequence[WantedCase]]
"""A text, the number of its iteration, and what is wanted of it."""


def every_case(cases: Sequence[SplitCase], runs: int) -> tuple[WantedCase, ...]:
    """Want every case once over, with so many runs at most where it says nothing of its own."""
    return tuple(
        WantedCase(case=one.case, set=one.set, runs=one.case.runs or runs, group=one.group)
        for one in cases
    )


class Measuring:
    """The trials of one run.

    Args:
        plan: what is measured, beside which rivals.
        engine: runs a trial.
        journal: keeps it before it counts.
        limits: says whether another may start.
        listener: is told of every step and trial.
        workdir: an existing folder for the copies.
        probe: shows what is sent of a copy; None where nothing is sent.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        engine: Engine,
        journal: Journal,
        limits: Limits,
        listener: Callable[[events.Event], None],
        workdir: Path,
        probe: Probe | None = None,
    ) -> None:
        self.trials: list[Trial] = []
        self.reused: list[Trial] = []
        """Taken over from earlier runs, which paid for them."""
        self._plan = plan
        self._engine = engine
        self._journal = journal
        self._limits = limits
        self._listener = listener
        self._workdir = workdir
        self._probe = probe
        self._copies: dict[str, BuiltPlugin] = {}
        self._runs_so_far: Counter[tuple[str, str, str]] = Counter()
        self._kept: set[TrialKey] = set()

    async def run(
        self,
        wanted: Sequence[WantedCase],
        text: str,
        number: int,
        *,
        phase: Phase | None = None,
        purpose: CaseSet | None = None,
        most_undecided: float | None = None,
    ) -> tuple[CaseResult, ...]:
        """Run trials of one description.

        Args:
            wanted: the cases; one that stands there more often gets further runs.
            text: the description.
            number: of the iteration that it belongs to.
            phase: of the search, for the listener.
            purpose: control or confirm; None for train and holdout.
            most_undecided: share of the trials that may say nothing; None takes the run's.

        Returns:
            A result for each case, in order of first appearance.

        Raises:
            BudgetReached: a limit forbids another trial; those in flight are finished.
            UndecidedError: too many trials say nothing.
            EngineUnavailableError: no trial can run at all.
        """
        most = sum(one.runs for one in wanted)
        self._listener(events.StepStarted(number=number, phase=phase, set=purpose, trials=most))
        config = self._plan.config
        if most_undecided is not None:
            config = replace(config, max_undecided=most_undecided)
        return await self._run(wanted, text, number, config)

    async def run_beside(self, parts: Sequence[Part]) -> tuple[tuple[CaseResult, ...], ...]:
        """Run trials of several descriptions in one step, their workers side by side.

        Args:
            parts: of each description its text, the number of its iteration and what is wanted.

        Raises:
            BudgetReached: as in `run`.
            UndecidedError: as in `run`.
            EngineUnavailableError: as in `run`.
        """
        numbers = tuple(number for _, number, _ in parts)
        most = sum(one.runs for _, _, wanted in parts for one in wanted)
        self._listener(
            events.StepStarted(
                number=numbers[0], phase=None, set=None, trials=most, beside=numbers[1:]
            )
        )
        results: dict[int, Results] = {}
        while left := [(at, part) for at, part in enumerate(parts) if at not in results]:
            kept = len(self._kept)
            failures = await self._run_parts(left, results)
            if failures and not (len(self._kept) > kept and self._may_ask_again(failures)):
                raise failures[0]
        return tuple(results[at] for at in range(len(parts)))

    async def _run_parts(
        self, left: Sequence[tuple[int, Part]], results: dict[int, Results]
    ) -> list[SkillwalkerError]:
        """Run the parts of a step that are left, and keep what they come to.

        Returns:
            What ended the others, when all are done: their trials are paid for.
        """
        concurrency = self._plan.config.concurrency
        abreast = min(len(left), concurrency)
        failures: list[SkillwalkerError] = []

        async def run_part(placed: tuple[int, tuple[int, Part]]) -> None:
            place, (at, (text, number, wanted)) = placed
            share = (concurrency + abreast - 1 - place % abreast) // abreast
            config = self._config_of_part(share, sum(one.runs for one in wanted))
            try:
                results[at] = await self._run(wanted, text, number, config)
            except (BudgetReached, UndecidedError, EngineUnavailableError) as error:
                failures.append(error)

        await map_bounded(run_part, enumerate(left), limit=abreast)
        return failures

    def _may_ask_again(self, failures: Sequence[SkillwalkerError]) -> bool:
        """Say whether parts that a limit ended may go on after all.

        A part is refused for what the trials of others in flight may cost; they can cost less.
        """
        refused = all(isinstance(error, BudgetReached) for error in failures)
        return refused and self._limits.reached() is None

    def _config_of_part(self, concurrency: int, runs: int) -> LoopConfig:
        """Give a small step its workers, and as many undecided trials as one of every case."""
        config = self._plan.config
        larger = max(1.0, len(self._plan.cases) / max(1, runs))
        return replace(
            config, concurrency=concurrency, max_undecided=min(1.0, config.max_undecided * larger)
        )

    async def _run(
        self, wanted: Sequence[WantedCase], text: str, number: int, config: LoopConfig
    ) -> Results:
        """Run trials of one description."""
        cells = self._cells(wanted, text)
        results = await run_trials(
            cells,
            built=self._copy(text),
            iteration=number,
            engine=self._engine,
            journal=self._journal,
            config=config,
            limits=self._limits,
            on_trial=self._keep,
            on_reused=self._keep_reused,
        )
        for cell, result in zip(cells, results, strict=True):
            self._runs_so_far[self._key(cell.case, text)] += len(result.trials)
        return join_results(results)

    async def check_shown(self, text: str) -> None:
        """See that the trials of a description will send it, where anything is sent.

        Raises:
            PreflightError: it is not sent, or not as it was computed.
            EngineUnavailableError: no trial can run.
        """
        if self._probe is not None:
            await check_shown(self._plan, text, self._copy(text), self._probe)

    def _copy(self, text: str) -> BuiltPlugin:
        """Build the throw-away copy of a description once."""
        if text not in self._copies:
            built = build_plugin(
                self._plan.target, text, rivals=self._plan.rivals, into=self._workdir
            )
            if self._plan.listing_budget is not None:
                # Another budget can show other lines: its trials are another experiment.
                key = f"{built.listing_key}/{self._plan.listing_budget}"
                built = replace(built, listing_key=key)
            self._copies[text] = built
        return self._copies[text]

    def _cells(self, wanted: Sequence[WantedCase], text: str) -> tuple[Cell, ...]:
        """Number each case's further runs behind those it had under this text."""
        handed_out: Counter[tuple[str, str, str]] = Counter()
        cells: list[Cell] = []
        for one in wanted:
            key = self._key(one.case, text)
            cells.append(
                Cell(
                    case=one.case,
                    set=one.set,
                    runs=one.runs,
                    first_index=self._runs_so_far[key] + handed_out[key],
                    group=one.group,
                )
            )
            handed_out[key] += one.runs
        return tuple(cells)

    @staticmethod
    def _key(case: TriggerCase, text: str) -> tuple[str, str, str]:
        """What the run numbers count."""
        return description_hash(text), case.name, case.model

    def _keep(self, trial: Trial) -> None:
        """Count a trial that is on disk."""
        if self._is_new(trial):
            self.trials.append(trial)
            self._listener(events.TrialDone(trial=trial))

    def _keep_reused(self, trial: Trial) -> None:
        """Count a trial that another run paid for."""
        if self._is_new(trial):
            self.reused.append(trial)
            self._listener(events.TrialReused(trial=trial))

    def _is_new(self, trial: Trial) -> bool:
        """Say whether a trial is told of for the first time, and not by a part that asks again."""
        key = TrialKey(
            trial.candidate, trial.case, trial.model_asked, trial.run_index, trial.attempt
        )
        is_new = key not in self._kept
        self._kept.add(key)
        return is_new


def join_rounds(rounds: Sequence[tuple[CaseResult, ...]]) -> tuple[CaseResult, ...]:
    """Join the trials of each case over several rounds."""
    return tuple(
        replace(results[0], trials=tuple(t for result in results for t in result.trials))
        for results in zip(*rounds, strict=True)
    )
