"""Cases times runs, a bounded number at once, each vote only as long as it is open.

Step 4: takes cells and a built plugin, gives one case result per cell, in the order of the cells.
Of r runs the first (r + 1) // 2 start together: fewer cannot decide a vote. The rest follow one
at a time until the majority cannot change. Repeats of a case are started back to back, since the
prompt cache forgets.

What a trial is never depends on how many run at once: which trials are run follows from the
outcomes of the case alone. One that a rate limit refused is none: everything pauses, and then it
is run as if it had never been.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import CaseResult, Cell
from skillwalker.datatypes.trials import BuiltPlugin, Transcript, Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, Purpose
from skillwalker.engines.protocol import Engine
from skillwalker.engines.trial_bench import PlannedTrial, TrialBench
from skillwalker.errors import BudgetReached
from skillwalker.limits import Limits
from skillwalker.trials.journal import Journal
from skillwalker.trials.pool import drain
from skillwalker.trials.undecided import Misses, UndecidedRun
from skillwalker.trials.vote import Vote

REUSED_FOR = frozenset({CaseSet.TRAIN, CaseSet.HOLDOUT})
"""What a trial of an earlier run may serve for: controls and confirm rounds draw anew."""
RATE = "rate"
"""The reason of a trial that a rate limit refused."""


async def run_trials(
    cells: Sequence[Cell],
    *,
    built: BuiltPlugin,
    iteration: int,
    engine: Engine,
    journal: Journal,
    config: LoopConfig,
    limits: Limits,
    on_trial: Callable[[Trial], None],
    on_reused: Callable[[Trial], None],
) -> tuple[CaseResult, ...]:
    """Run the trials of every cell and give the results in the order of the cells.

    A trial that the journal already has, of this run or of an earlier one, is not run again.
    An undecided trial is run once more under the same index; only the last attempt counts. When
    too many stay undecided, those that an earlier life of the run left behind are tried again
    first, since their cause may be gone.

    Args:
        cells: what to measure; `cell.runs` bounds the trials of each.
        built: the copy of the target that holds the candidate.
        iteration: number that the trials are recorded under.
        engine: runs one trial.
        journal: gets each trial before it counts.
        config: turn limit and timeout where a case has none, concurrency, most undecided.
        limits: asked before each new trial; a refusal starts no further one.
        on_trial: told of each trial that is on disk, every attempt, recorded ones included.
        on_reused: told of each trial that was taken over from an earlier run.

    Raises:
        BudgetReached: a limit forbids another trial; those in flight were finished and recorded.
        UndecidedError: more than `config.max_undecided` of the trials say nothing.
        EngineUnavailableError: no trial can run.
    """
    step = _Step(
        cells,
        bench=TrialBench(built=built, iteration=iteration, engine=engine, config=config),
        journal=journal,
        limits=limits,
        on_trial=on_trial,
        on_reused=on_reused,
    )
    while True:
        await drain(step.take, step.run, limit=config.concurrency, ready=limits.ready)
        if step.is_complete():
            return step.results()


@dataclass(frozen=True, slots=True)
class _Job:
    """One attempt at one run of a case."""

    vote: Vote
    attempt: PlannedTrial
    is_retry: bool = False
    """An undecided outcome is final."""

    def again(self, *, is_retry: bool = True) -> "_Job":
        """Name the next attempt at the same run."""
        attempt = replace(self.attempt, number=self.attempt.number + 1)
        return _Job(self.vote, attempt, is_retry)

    def other(self, run_index: int) -> "_Job":
        """Name the first attempt at another run of the same case."""
        return _Job(self.vote, replace(self.attempt, run_index=run_index, number=0))


class _Step:
    """Hands out jobs and takes their trials; every method runs between awaits, never at once."""

    def __init__(
        self,
        cells: Sequence[Cell],
        *,
        bench: TrialBench,
        journal: Journal,
        limits: Limits,
        on_trial: Callable[[Trial], None],
        on_reused: Callable[[Trial], None],
    ) -> None:
        self._bench = bench
        self._journal = journal
        self._limits = limits
        self._on_trial = on_trial
        self._on_reused = on_reused
        self._votes = tuple(Vote(cell) for cell in cells)
        self._most_runs = sum(cell.runs for cell in cells)
        self._first = self._first_jobs()
        self._next: deque[_Job] = deque()
        self._misses: Misses[_Job] = Misses(bench.config.max_undecided)
        self._stop: BudgetReached | None = None

    def _first_jobs(self) -> Iterator[_Job]:
        """Name the runs that start a vote, case by case."""
        for vote in self._votes:
            key = self._bench.key(vote.cell)
            for run_index in vote.first_runs():
                yield _Job(vote, PlannedTrial(cell=vote.cell, key=key, run_index=run_index))

    def take(self) -> _Job | None:
        """Give the next attempt that has to be run; recorded ones are settled on the way.

        A refusal is not the last word while others are in flight: they may cost less than was
        reckoned, and each asks again when it is done.
        """
        while (job := self._next.popleft() if self._next else next(self._first, None)) is not None:
            recorded = self._recorded(job)
            if recorded is not None:
                self._settle(job, recorded, detail=None, is_old=True)
                continue
            if (reused := self._reused(job)) is not None:
                self._on_reused(reused)
                self._count(job, reused)
                continue
            model = job.attempt.cell.case.model
            if self._limits.admit(Purpose.TRIAL, model) is None:
                self._stop = None
                return job
            self._stop = self._limits.error()
            self._next.appendleft(job)
            return None
        return None

    async def run(self, job: _Job) -> None:
        """Run an attempt; it is on disk before it counts."""
        model = job.attempt.cell.case.model
        try:
            trial, transcript = await self._bench.run(job.attempt)
        except BaseException:
            self._limits.settle(None, Purpose.TRIAL, model)
            raise
        if trial.reason == RATE:
            self._limits.give_back(transcript.usage, Purpose.TRIAL, model)
            self._refuse(job, trial, transcript)
            return
        self._limits.settle(transcript.usage, Purpose.TRIAL, model)
        trial = self._journal.record_trial(trial, transcript.raw)
        self._settle(job, trial, detail=transcript.detail, is_old=False)

    def _refuse(self, job: _Job, trial: Trial, transcript: Transcript) -> None:
        """Pause for a rate limit, and put the attempt back where it was."""
        self._limits.rate_limited(transcript.resets_at, transcript.retry_after)
        self._journal.record_refused(trial)
        self._next.appendleft(job)

    def _settle(self, job: _Job, trial: Trial, *, detail: str | None, is_old: bool) -> None:
        """Count an attempt and name what follows from it."""
        self._on_trial(trial)
        if trial.outcome is Outcome.UNDECIDED:
            again = job.again()
            if not job.is_retry or self._recorded(again) is not None:
                self._next.append(again)
                return
            reason = trial.reason or "unfinished"
            self._misses.add(UndecidedRun(job=job, reason=reason, detail=detail, is_old=is_old))
        self._count(job, trial)

    def _count(self, job: _Job, trial: Trial) -> None:
        """Put a run's last attempt into the vote."""
        job.vote.settle(trial)
        self._check(self._most_runs)
        if (due := job.vote.next_run()) is not None:
            self._next.append(job.other(due))

    def _recorded(self, job: _Job) -> Trial | None:
        """Find an attempt that an earlier life of the run made."""
        return self._journal.recorded_trial(self._bench.trial_key(job.attempt))

    def _reused(self, job: _Job) -> Trial | None:
        """Find a trial of an earlier run that may stand for a first attempt."""
        cell = job.attempt.cell
        if job.attempt.number or cell.set not in REUSED_FOR:
            return None
        key = self._bench.trial_key(job.attempt)
        return self._journal.reuse_trial(key, job.attempt.key, cell.set)

    def _check(self, runs: int) -> None:
        """Stop, or try the old ones again, when too many of so many runs are undecided."""
        if not self._misses.are_too_many(runs):
            return
        old = self._misses.take_old()
        if not old:
            raise self._misses.error(runs)
        for job in old:
            job.vote.reopen(job.attempt.run_index)
            self._next.append(job.again(is_retry=False))

    def is_complete(self) -> bool:
        """Say whether the step may be scored, or old attempts were put back to be tried again.

        Raises:
            BudgetReached: a job was refused.
            UndecidedError: too many of the runs are undecided.
        """
        if self._stop is not None:
            raise self._stop
        self._check(sum(vote.settled for vote in self._votes))
        return not self._next

    def results(self) -> tuple[CaseResult, ...]:
        """Give the case results in the order of the cells."""
        return tuple(vote.result() for vote in self._votes)
