"""One trial of a case: Claude Code is run once, and what it did is written down.

Nothing here knows of votes, retries or limits.
"""

from dataclasses import dataclass

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import Cell
from skillwalker.datatypes.trials import (
    BuiltPlugin,
    Invocation,
    Reading,
    Transcript,
    Trial,
    TrialKey,
    Usage,
)
from skillwalker.engines.protocol import Engine
from skillwalker.errors import TrialError
from skillwalker.transcripts.outcome import read_outcome
from skillwalker.trials.cell_key import CellKeys


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """What is to be run."""

    cell: Cell
    key: str
    """The trial's `cell_key`."""
    run_index: int
    number: int = 0
    """How often it was run before."""


class TrialBench:
    """Runs single trials of cases under one candidate.

    Args:
        built: the copy of the target that holds the candidate.
        iteration: number that the trials are recorded under.
        engine: runs one trial.
        config: turn limit and timeout where a case has none.
    """

    def __init__(
        self, *, built: BuiltPlugin, iteration: int, engine: Engine, config: LoopConfig
    ) -> None:
        self.built = built
        self.iteration = iteration
        self.engine = engine
        self.facts = engine.facts
        self.config = config
        self._keys = CellKeys(
            {
                "candidate": built.candidate,
                "listing": built.listing_key,
                "effort": self.facts.effort,
                "permission_mode": self.facts.permission_mode,
                "engine": self.facts.name,
                "endpoint": self.facts.endpoint,
                "cli_version": self.facts.cli_version,
            }
        )

    def max_turns(self, cell: Cell) -> int:
        """Give the turn limit of a case."""
        return cell.case.max_turns or self.config.max_turns

    def key(self, cell: Cell) -> str:
        """Hash all that makes a trial of this cell the same experiment as another."""
        return self._keys.of(cell.case, self.max_turns(cell))

    def trial_key(self, planned: PlannedTrial) -> TrialKey:
        """Name a trial as the journal does."""
        case = planned.cell.case
        return TrialKey(
            self.built.candidate, case.name, case.model, planned.run_index, planned.number
        )

    async def run(self, planned: PlannedTrial) -> tuple[Trial, Transcript]:
        """Run Claude Code once and read what it did; a failure is an undecided trial."""
        cell = planned.cell
        case, built = cell.case, self.built
        max_turns = self.max_turns(cell)
        invocation = Invocation(
            prompt=case.prompt,
            plugin_dirs=built.plugin_dirs,
            project_dir=built.project_dir,
            scaffold=case.scaffold,
            model=case.model,
            max_turns=max_turns,
            timeout=case.timeout or self.config.timeout,
            called_as=built.called_as,
            run_index=planned.run_index,
        )
        try:
            transcript = await self.engine.run(invocation)
        except TrialError as error:
            transcript = self._not_started(error)
        reading = read_outcome(
            transcript, built.called_as, model_asked=case.model, max_turns=max_turns
        )
        return self._record(planned, transcript, reading), transcript

    def _not_started(self, error: TrialError) -> Transcript:
        """Write the transcript of a trial that could not be started: it cost nothing."""
        return Transcript(
            calls=(),
            turns=0,
            model=None,
            cli_version=self.facts.cli_version,
            usage=Usage(cost_usd=0.0),
            duration=0.0,
            failure=error.reason,
            detail=error.detail,
        )

    def _record(self, planned: PlannedTrial, transcript: Transcript, reading: Reading) -> Trial:
        """Write a trial's line."""
        cell, facts = planned.cell, self.facts
        return Trial(
            case=cell.case.name,
            set=cell.set,
            candidate=self.built.candidate,
            iteration=self.iteration,
            run_index=planned.run_index,
            attempt=planned.number,
            model=transcript.model,
            model_asked=cell.case.model,
            engine=facts.name,
            endpoint=facts.endpoint,
            permission_mode=facts.permission_mode,
            cli_version=transcript.cli_version,
            effort=facts.effort,
            cell_key=planned.key,
            outcome=reading.outcome,
            reason=reading.reason,
            step=reading.step,
            turns=transcript.turns,
            mode=reading.mode,
            also_fired=reading.also_fired,
            usage=transcript.usage,
            duration=transcript.duration,
            transcript=None,
        )
