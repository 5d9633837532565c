"""Runs trials of texts: one throw-away copy a text, run numbers that go on over the whole run."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes import summary as events
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import CaseResult, Cell
from skillwalker.datatypes.trials import BuiltPlugin, Trial
from skillwalker.datatypes.vocabulary import CaseSet, Phase
from skillwalker.engines.protocol import Engine
from skillwalker.limits import Limits
from skillwalker.plan import Plan
from skillwalker.sent_listing import Probe, check_shown
from skillwalker.steps.step_3_build_plugin import build_plugin
from skillwalker.steps.step_4_run_trials import run_trials
from skillwalker.targets.names import description_hash
from skillwalker.trials.journal import Journal


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
        self._plan = plan
        self._engine = engine
        self._journal = journal
        self._limits = limits
        self._listener = listener
        self._workdir = workdir
        self._probe = probe
        self._copies: dict[str, BuiltPlugin] = {}
        self._runs_so_far: Counter[tuple[str, str, str]] = Counter()

    async def run(
        self,
        cases: Sequence[tuple[TriggerCase, CaseSet, int]],
        text: str,
        number: int,
        *,
        phase: Phase | None = None,
        purpose: CaseSet | None = None,
    ) -> tuple[CaseResult, ...]:
        """Run trials of one description.

        Args:
            cases: each with its set and the most runs it may have.
            text: the description.
            number: of the iteration that it belongs to.
            phase: of the search, for the listener.
            purpose: control or confirm; None for train and holdout.

        Raises:
            BudgetReached: a limit forbids another trial; those in flight are finished.
            UndecidedError: too many trials say nothing.
            EngineUnavailableError: no trial can run at all.
        """
        cells = tuple(self._cell(case, side, text, runs) for case, side, runs in cases)
        most = sum(cell.runs for cell in cells)
        self._listener(events.StepStarted(number=number, phase=phase, set=purpose, trials=most))
        results = await run_trials(
            cells,
            built=self._copy(text),
            iteration=number,
            engine=self._engine,
            journal=self._journal,
            config=self._plan.config,
            admit=self._limits.admit,
            on_trial=self._keep,
        )
        for cell, result in zip(cells, results, strict=True):
            self._runs_so_far[self._key(cell.case, text)] += len(result.trials)
        return results

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

    def _cell(self, case: TriggerCase, side: CaseSet, text: str, runs: int) -> Cell:
        """Number a case's further runs behind those it had under this text."""
        first = self._runs_so_far[self._key(case, text)]
        return Cell(case=case, set=side, runs=runs, first_index=first)

    @staticmethod
    def _key(case: TriggerCase, text: str) -> tuple[str, str, str]:
        """What the run numbers count."""
        return description_hash(text), case.name, case.model

    def _keep(self, trial: Trial) -> None:
        """Count a trial that is on disk."""
        self.trials.append(trial)
        self._listener(events.TrialDone(trial=trial))


def join_rounds(rounds: Sequence[tuple[CaseResult, ...]]) -> tuple[CaseResult, ...]:
    """Join the trials of each case over several rounds."""
    return tuple(
        replace(results[0], trials=tuple(t for result in results for t in result.trials))
        for results in zip(*rounds, strict=True)
    )
