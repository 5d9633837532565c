"""Stand-ins of a few lines each for the engine, the completer and the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from skillwalker.datatypes.improver import Answer, Completion, Exchange
from skillwalker.datatypes.trials import (
    Call,
    CalledAs,
    Invocation,
    Transcript,
    Trial,
    TrialKey,
    Usage,
)
from skillwalker.datatypes.vocabulary import CaseSet, Mode, TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import BudgetReached, CompletionError, EngineUnavailableError, TrialError


def engine_facts(name: str = "fake") -> EngineFacts:
    """Facts of an engine that is none."""
    return EngineFacts(
        name=name,
        simulated=True,
        endpoint="simulated",
        cli_version="simulated",
        permission_mode="dontAsk",
        effort="default",
        headline=f"engine {name}: nothing real is run",
    )


def transcript(*calls: Call, failure: str | None = None, detail: str | None = None) -> Transcript:
    """A transcript of one turn with the given calls."""
    return Transcript(
        calls=calls,
        turns=0 if failure else 1,
        model=None if failure else "simulated",
        cli_version="simulated",
        usage=Usage(cost_usd=0.0),
        duration=0.0,
        failure=failure,
        detail=detail,
    )


def call_of(called_as: CalledAs, *, step: int = 1, mode: Mode = Mode.TOOL) -> Call:
    """The call by which the target is used, under its longest accepted name."""
    name = max(called_as.names, key=lambda accepted: (len(accepted), accepted))
    return Call(kind=called_as.kind, name=name, step=step, mode=mode)


def _draw(invocation: Invocation, seed: int) -> float:
    """A number in [0, 1) from what makes this trial another than its neighbours."""
    folders = "|".join(str(folder) for folder in invocation.plugin_dirs)
    words = f"{seed}\0{folders}\0{invocation.project_dir}\0{invocation.prompt}"
    digest = sha256(f"{words}\0{invocation.run_index}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(slots=True)
class ChanceEngine:
    """Triggers the target with probability p, drawn from a hash of the invocation."""

    p: float
    seed: int = 0
    invocations: list[Invocation] = field(default_factory=list)
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Answer without running anything."""
        self.invocations.append(invocation)
        if invocation.called_as is None or _draw(invocation, self.seed) >= self.p:
            return transcript()
        return transcript(call_of(invocation.called_as))


def always_engine() -> ChanceEngine:
    """An engine that always triggers the target."""
    return ChanceEngine(1.0)


def never_engine() -> ChanceEngine:
    """An engine that never triggers the target."""
    return ChanceEngine(0.0)


@dataclass(slots=True)
class FailingEngine:
    """Gives a transcript with a failure, always or for the first `failures` runs only."""

    reason: str = "crash"
    failures: int | None = None
    invocations: list[Invocation] = field(default_factory=list)
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Fail as a value."""
        self.invocations.append(invocation)
        if self.failures is not None and len(self.invocations) > self.failures:
            return transcript()
        return transcript(failure=self.reason, detail=f"{self.reason} on purpose")


@dataclass(slots=True)
class RaisingEngine:
    """Raises instead of giving a transcript: a `TrialError` unless told otherwise."""

    error: TrialError | EngineUnavailableError = field(
        default_factory=lambda: TrialError("set_up", "could not be started, on purpose")
    )
    invocations: list[Invocation] = field(default_factory=list)
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Raise."""
        self.invocations.append(invocation)
        raise self.error


@dataclass(slots=True)
class PromptEngine:
    """Calls what a table says for a prompt: names of skills; for unknown prompts nothing."""

    answers: Mapping[str, Sequence[str]]
    kind: TargetKind = TargetKind.SKILL
    invocations: list[Invocation] = field(default_factory=list)
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Look the prompt up."""
        self.invocations.append(invocation)
        names = self.answers.get(invocation.prompt, ())
        return transcript(
            *(Call(kind=self.kind, name=name, step=1, mode=Mode.TOOL) for name in names)
        )


@dataclass(slots=True)
class ScriptedCompleter:
    """Gives the replies in order and keeps the prompts; an exception in the script is raised."""

    replies: Sequence[str | CompletionError | BudgetReached]
    model: str = "scripted"
    usage: Usage = field(default_factory=lambda: Usage(cost_usd=0.0))
    prompts: list[str] = field(default_factory=list)

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Give the next reply; asking more often than scripted is an error of the test."""
        assert schema
        self.prompts.append(prompt)
        if len(self.prompts) > len(self.replies):
            raise AssertionError(f"asked {len(self.prompts)} times, {len(self.replies)} scripted")
        reply = self.replies[len(self.prompts) - 1]
        if isinstance(reply, CompletionError | BudgetReached):
            raise reply
        return Completion(text=reply, model=self.model, usage=self.usage)


@dataclass(slots=True)
class MemoryJournal:
    """Keeps trials and answers in memory; `written` is every trial in order of recording."""

    trials: dict[TrialKey, Trial] = field(default_factory=dict)
    answers: dict[int, Answer] = field(default_factory=dict)
    written: list[Trial] = field(default_factory=list)
    refused: list[Trial] = field(default_factory=list)
    cut: dict[int, Answer] = field(default_factory=dict)

    def recorded_trial(self, key: TrialKey) -> Trial | None:
        """A trial of before."""
        return self.trials.get(key)

    def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
        """Keep a trial; the stream is let go."""
        assert all(isinstance(line, bytes) for line in raw)
        key = TrialKey(
            candidate=trial.candidate,
            case=trial.case,
            model_asked=trial.model_asked,
            run_index=trial.run_index,
            attempt=trial.attempt,
        )
        assert key not in self.trials, f"recorded twice: {key}"
        self.trials[key] = trial
        self.written.append(trial)
        return trial

    def reuse_trial(self, key: TrialKey, cell_key: str, side: CaseSet) -> Trial | None:
        """A trial of an earlier run: there was none."""
        assert key.attempt == 0
        assert cell_key
        assert side in {CaseSet.TRAIN, CaseSet.HOLDOUT}
        return None

    def record_refused(self, trial: Trial) -> None:
        """Keep a trial that a rate limit refused."""
        self.refused.append(trial)

    def recorded_answer(self, number: int) -> Answer | None:
        """An answer of before."""
        return self.answers.get(number)

    def record_call(self, number: int, call: Exchange) -> None:
        """Keep a call of a proposal that has no answer yet."""
        calls = (*self.calls_of(number), call)
        self.cut[number] = Answer(description=None, reason="", exchanges=calls)

    def record_answer(self, number: int, answer: Answer) -> None:
        """Keep an answer; every call before its last one was kept already."""
        assert answer.exchanges[:-1] == self.calls_of(number)
        self.cut.pop(number, None)
        self.answers[number] = answer

    def calls_of(self, number: int) -> tuple[Exchange, ...]:
        """The calls of a proposal that has no answer yet."""
        return self.cut[number].exchanges if number in self.cut else ()
