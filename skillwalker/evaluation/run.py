"""The one-off eval run: every planned case, as often as it asks for, at most N at once.

One runner for all four types of case; the plans differ in what is installed and in where a trial
may stop. Each trial is recorded as soon as it ends, and evaluated from the record later, so that
`evals score` says the same without running anything again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.datatypes.evals import EvalLine, EvalTrial, EvalTrialDone, PlannedCase
from skillwalker.datatypes.trials import BuiltPlugin, Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.evaluation.expectations import TURN_LIMIT, undecided_reason
from skillwalker.evaluation.trial_lines import TrialLines
from skillwalker.limits import Limits
from skillwalker.steps.step_3_build_plugin import build_plugin
from skillwalker.trials.pool import drain

RATE = "rate"
FEW = 3
"""Undecided runs that never stop a run: one flake in a suite of five cases is not a dead login."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTools:
    """Everything an eval run works with."""

    engine: Engine
    limits: Limits
    record: Callable[[EvalTrial, EvalLine], None]
    """Puts a trial on the disk before it counts."""
    listener: Callable[[EvalTrialDone], None]
    workdir: Path
    """An existing folder for throw-away copies; the caller removes it."""
    concurrency: int
    max_undecided: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalEnd:
    """Why an eval run ended before its last case."""

    reason: StopReason | None = None
    cause: str | None = None


async def run_cases(cases: Sequence[PlannedCase], tools: EvalTools) -> EvalEnd:
    """Run the trials of every case.

    A trial that says nothing is run once more under the same index, unless its turns ran out, which
    would only happen again. One that a rate limit refused is run again when the limit is over, and
    that is no retry. A limit, an interrupt, a dead engine and too many undecided runs start no
    further trial; those in flight are recorded.
    """
    run = _Run(cases, tools)
    try:
        await drain(run.take, run.run, limit=tools.concurrency, ready=tools.limits.ready)
    except EngineUnavailableError as error:
        return EvalEnd(reason=StopReason.PREFLIGHT, cause=str(error))
    return run.end


@dataclass(frozen=True, slots=True)
class _Job:
    """One attempt at one run of a case."""

    planned: PlannedCase
    run_index: int
    attempt: int = 0
    is_retry: bool = False
    """An undecided outcome is final."""


class _Run:
    """Hands out trials and takes what they gave."""

    def __init__(self, cases: Sequence[PlannedCase], tools: EvalTools) -> None:
        self._ended = EvalEnd()
        self._refused: EvalEnd | None = None
        self._tools = tools
        self._copies = _Copies(tools.workdir)
        self._lines = TrialLines(tools.engine.facts)
        self._first = self._first_jobs(cases)
        self._again: deque[_Job] = deque()
        self._runs = sum(planned.case.runs for planned in cases)
        self._undecided = 0

    def _first_jobs(self, cases: Sequence[PlannedCase]) -> Iterator[_Job]:
        """Name every run, those of one case back to back: the prompt cache forgets."""
        for planned in cases:
            for run_index in range(planned.case.runs):
                yield _Job(planned, run_index)

    @property
    def end(self) -> EvalEnd:
        """Why there was no further trial; a refusal holds when it was the last word."""
        return self._ended if self._ended.reason is not None else self._refused or EvalEnd()

    def take(self) -> _Job | None:
        """Give the next attempt, unless a limit forbids it.

        A refusal is not the last word while others are in flight: they may cost less than was
        reckoned, and each asks again when it is done.
        """
        if self._ended.reason is not None:
            return None
        job = self._again.popleft() if self._again else next(self._first, None)
        if job is None:
            return None
        reason = self._tools.limits.admit(Purpose.TRIAL, job.planned.case.case.model)
        if reason is None:
            self._refused = None
            return job
        self._refused = EvalEnd(reason=reason, cause=str(self._tools.limits.error()))
        self._again.appendleft(job)
        return None

    async def run(self, job: _Job) -> None:
        """Run an attempt, record it, and name what follows from it."""
        try:
            trial = await self._attempt(job)
        except BaseException:
            self._tools.limits.settle(None, Purpose.TRIAL, job.planned.case.case.model)
            raise
        reason = undecided_reason(job.planned.case, trial)
        self._pay(trial, is_refused=reason == RATE)
        built = self._copies.of(job.planned) if job.planned.loaded.copied else None
        self._tools.record(trial, self._lines.line(job.planned, built, trial))
        self._tools.listener(EvalTrialDone(trial=trial, undecided=reason))
        if reason is None:
            return
        again = _Job(job.planned, job.run_index, job.attempt + 1, is_retry=job.is_retry)
        if reason == RATE:
            self._again.appendleft(again)
            return
        if not job.is_retry and reason != TURN_LIMIT:
            self._again.append(replace(again, is_retry=True))
            return
        self._miss(reason, trial.transcript.detail)

    def _pay(self, trial: EvalTrial, *, is_refused: bool) -> None:
        """Count what a trial used; one that a rate limit refused pauses all and is not spent."""
        limits, seen = self._tools.limits, trial.transcript
        if is_refused:
            limits.give_back(seen.usage, Purpose.TRIAL, trial.model_asked)
            limits.rate_limited(seen.resets_at, seen.retry_after)
        else:
            limits.settle(seen.usage, Purpose.TRIAL, trial.model_asked)

    def _miss(self, reason: str, detail: str | None) -> None:
        """Count a run that stayed undecided; too many start no further trial."""
        self._undecided += 1
        if self._undecided > max(FEW, self._tools.max_undecided * self._runs):
            why = reason + (f" ({detail})" if detail else "")
            cause = f"{self._undecided} of {self._runs} runs said nothing, the last by {why}"
            self._ended = EvalEnd(reason=StopReason.UNDECIDED, cause=cause)

    async def _attempt(self, job: _Job) -> EvalTrial:
        planned, engine = job.planned, self._tools.engine
        try:
            transcript = await engine.run(self._invocation(job))
        except TrialError as error:
            transcript = _not_started(error, engine.facts.cli_version)
        return EvalTrial(
            suite=planned.case.suite,
            case=planned.case.case.name,
            run_index=job.run_index,
            attempt=job.attempt,
            model_asked=planned.case.case.model,
            max_turns=planned.case.max_turns,
            engine=engine.facts.name,
            simulated=engine.facts.simulated,
            endpoint=engine.facts.endpoint,
            permission_mode=engine.facts.mode_of(may_act=planned.may_act),
            transcript=transcript,
        )

    def _invocation(self, job: _Job) -> Invocation:
        planned = job.planned
        loaded = planned.loaded
        built = self._copies.of(planned) if loaded.copied else None
        return Invocation(
            prompt=planned.prompt,
            plugin_dirs=built.plugin_dirs if built else loaded.plugin_dirs,
            project_dir=built.project_dir if built else loaded.project_dir,
            scaffold=planned.scaffold,
            model=planned.case.case.model,
            max_turns=planned.case.max_turns,
            timeout=planned.case.timeout,
            called_as=planned.stops_at,
            run_index=job.run_index,
            may_act=planned.may_act,
        )


class _Copies:
    """The throw-away copies of targets, each made once."""

    def __init__(self, workdir: Path) -> None:
        self._workdir = workdir
        self._built: dict[Path, BuiltPlugin] = {}

    def of(self, planned: PlannedCase) -> BuiltPlugin:
        """Give the copy of a case's target beside its rivals."""
        target, *rivals = planned.loaded.copied
        if target.path not in self._built:
            # Two targets with the same description would be given the same folder.
            into = self._workdir / str(len(self._built))
            self._built[target.path] = build_plugin(
                target, target.description, rivals=rivals, into=into
            )
        return self._built[target.path]


def _not_started(error: TrialError, cli_version: str) -> Transcript:
    """Write the transcript of a trial that could not be started: it cost nothing."""
    return Transcript(
        calls=(),
        turns=0,
        model=None,
        cli_version=cli_version,
        usage=Usage(cost_usd=0.0),
        duration=0.0,
        failure=error.reason,
        detail=error.detail,
    )
