"""Cases times runs, a bounded number at once, each vote only as long as it is open.

Step 4: takes cells and a built plugin, gives one case result per cell, in the order of the cells.
Of r runs the first (r + 1) // 2 start together: fewer cannot decide a vote. The rest follow one
at a time until the majority cannot change. Repeats of a case are started back to back, since the
prompt cache forgets.

What a trial is never depends on how many run at once: which trials are run follows from the
outcomes of the case alone.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import CaseResult, Cell
from skillwalker.datatypes.trials import (
    BuiltPlugin,
    Invocation,
    Reading,
    Transcript,
    Trial,
    TrialKey,
    Usage,
)
from skillwalker.datatypes.vocabulary import Outcome, StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.errors import BudgetReached, TrialError
from skillwalker.transcripts.outcome import read_outcome
from skillwalker.trials.cell_key import CellKeys
from skillwalker.trials.journal import Journal
from skillwalker.trials.pool import drain
from skillwalker.trials.undecided import Miss, Misses
from skillwalker.trials.vote import Vote


async def run_trials(
    cells: Sequence[Cell],
    *,
    built: BuiltPlugin,
    iteration: int,
    engine: Engine,
    journal: Journal,
    config: LoopConfig,
    admit: Callable[[], StopReason | None],
    on_trial: Callable[[Trial], None],
) -> tuple[CaseResult, ...]:
    """Run the trials of every cell and give the results in the order of the cells.

    A trial that the journal already has is not run again. An undecided trial is run once more
    under the same index; only the last attempt counts. When too many stay undecided, those that
    an earlier life of the run left behind are tried again first, since their cause may be gone.

    Args:
        cells: what to measure; `cell.runs` bounds the trials of each.
        built: the copy of the target that holds the candidate.
        iteration: number that the trials are recorded under.
        engine: runs one trial.
        journal: gets each trial before it counts.
        config: turn limit and timeout where a case has none, concurrency, most undecided.
        admit: asked once before each new trial; a reason starts no further one.
        on_trial: told of each trial that is on disk, every attempt, recorded ones included.

    Raises:
        BudgetReached: `admit` gave a reason; trials in flight were finished and recorded.
        UndecidedError: more than `config.max_undecided` of the trials say nothing.
        EngineUnavailableError: no trial can run.
    """
    bench = _Bench(built=built, iteration=iteration, engine=engine, config=config)
    step = _Step(
        cells,
        bench=bench,
        journal=journal,
        admit=admit,
        on_trial=on_trial,
        max_undecided=config.max_undecided,
    )
    while True:
        await drain(step.take, step.run, limit=config.concurrency)
        if step.is_complete():
            return step.results()


@dataclass(frozen=True, slots=True)
class _Job:
    """One attempt at one run of a case."""

    vote: Vote
    key: str
    """The trial's `cell_key`."""
    run_index: int
    attempt: int = 0
    is_retry: bool = False
    """An undecided outcome is final."""

    def again(self, *, is_retry: bool = True) -> "_Job":
        """Name the next attempt at the same run."""
        return _Job(self.vote, self.key, self.run_index, self.attempt + 1, is_retry)


class _Bench:
    """Runs one attempt and writes its record; knows nothing of votes."""

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

    def trial_key(self, job: _Job) -> TrialKey:
        """Name an attempt as the journal does."""
        case = job.vote.cell.case
        return TrialKey(self.built.candidate, case.name, case.model, job.run_index, job.attempt)

    async def attempt(self, job: _Job) -> tuple[Trial, Transcript]:
        """Run Claude Code once and read what it did; a failure is an undecided trial."""
        cell = job.vote.cell
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
            run_index=job.run_index,
        )
        try:
            transcript = await self.engine.run(invocation)
        except TrialError as error:
            transcript = self._not_started(error)
        reading = read_outcome(
            transcript, built.called_as, model_asked=case.model, max_turns=max_turns
        )
        return self._record(job, transcript, reading), transcript

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

    def _record(self, job: _Job, transcript: Transcript, reading: Reading) -> Trial:
        """Write a trial's line."""
        cell, facts = job.vote.cell, self.facts
        return Trial(
            case=cell.case.name,
            set=cell.set,
            candidate=self.built.candidate,
            iteration=self.iteration,
            run_index=job.run_index,
            attempt=job.attempt,
            model=transcript.model,
            model_asked=cell.case.model,
            engine=facts.name,
            endpoint=facts.endpoint,
            permission_mode=facts.permission_mode,
            cli_version=transcript.cli_version,
            effort=facts.effort,
            cell_key=job.key,
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


class _Step:
    """Hands out jobs and takes their trials; every method runs between awaits, never at once."""

    def __init__(
        self,
        cells: Sequence[Cell],
        *,
        bench: _Bench,
        journal: Journal,
        admit: Callable[[], StopReason | None],
        on_trial: Callable[[Trial], None],
        max_undecided: float,
    ) -> None:
        self._bench = bench
        self._journal = journal
        self._admit = admit
        self._on_trial = on_trial
        self._votes = tuple(Vote(cell) for cell in cells)
        self._most_runs = sum(cell.runs for cell in cells)
        self._first = self._first_jobs()
        self._next: deque[_Job] = deque()
        self._misses: Misses[_Job] = Misses(max_undecided)
        self._stop: StopReason | None = None

    def _first_jobs(self) -> Iterator[_Job]:
        """Name the runs that start a vote, case by case."""
        for vote in self._votes:
            key = self._bench.key(vote.cell)
            for run_index in vote.first_runs():
                yield _Job(vote, key, run_index)

    def take(self) -> _Job | None:
        """Give the next attempt that has to be run; recorded ones are settled on the way."""
        while (job := self._next.popleft() if self._next else next(self._first, None)) is not None:
            recorded = self._recorded(job)
            if recorded is not None:
                self._settle(job, recorded, detail=None, is_old=True)
                continue
            if self._stop is None:
                self._stop = self._admit()
            return job if self._stop is None else None
        return None

    async def run(self, job: _Job) -> None:
        """Run an attempt; it is on disk before it counts."""
        trial, transcript = await self._bench.attempt(job)
        trial = self._journal.record_trial(trial, transcript.raw)
        self._settle(job, trial, detail=transcript.detail, is_old=False)

    def _settle(self, job: _Job, trial: Trial, *, detail: str | None, is_old: bool) -> None:
        """Count an attempt and name what follows from it."""
        self._on_trial(trial)
        if trial.outcome is Outcome.UNDECIDED:
            again = job.again()
            if not job.is_retry or self._recorded(again) is not None:
                self._next.append(again)
                return
            reason = trial.reason or "unfinished"
            self._misses.add(Miss(job=job, reason=reason, detail=detail, is_old=is_old))
        job.vote.settle(trial)
        self._check(self._most_runs)
        if (due := job.vote.next_run()) is not None:
            self._next.append(_Job(job.vote, job.key, due))

    def _recorded(self, job: _Job) -> Trial | None:
        """Find an attempt that an earlier life of the run made."""
        return self._journal.recorded_trial(self._bench.trial_key(job))

    def _check(self, runs: int) -> None:
        """Stop, or try the old ones again, when too many of so many runs are undecided."""
        if not self._misses.are_too_many(runs):
            return
        old = self._misses.take_old()
        if not old:
            raise self._misses.error(runs)
        for job in old:
            job.vote.reopen(job.run_index)
            self._next.append(job.again(is_retry=False))

    def is_complete(self) -> bool:
        """Say whether the step may be scored, or old attempts were put back to be tried again.

        Raises:
            BudgetReached: a job was refused.
            UndecidedError: too many of the runs are undecided.
        """
        if self._stop is not None:
            raise BudgetReached(self._stop)
        self._check(sum(vote.settled for vote in self._votes))
        return not self._next

    def results(self) -> tuple[CaseResult, ...]:
        """Give the case results in the order of the cells."""
        return tuple(vote.result() for vote in self._votes)
