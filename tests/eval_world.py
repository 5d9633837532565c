"""A project with a suite of all four types, and an engine that answers it as a table says."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import anyio

from skillwalker.completers.protocol import Completer
from skillwalker.config import EvalConfig, Login
from skillwalker.datatypes.evals import EvalEvent, EvalOutcome
from skillwalker.datatypes.trials import Call, Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import Mode, TargetKind
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.errors import ConfigError, EngineUnavailableError, TrialError
from skillwalker.evaluation.judging import JudgeTools
from skillwalker.evaluation.plan import EvalOrder
from skillwalker.evaluation.recorded import EvalSurroundings, run_eval_order
from skillwalker.evaluation.scoring import ChooseJudge, score_runs
from skillwalker.limits import Limits
from skillwalker.paths import Places
from tests.fakes import engine_facts
from tests.projects import call_case, make_project, write, write_suite

REVIEW = Call(kind=TargetKind.SKILL, name="demo:review", step=1, mode=Mode.TOOL)
RELEASE = Call(kind=TargetKind.SKILL, name="demo:release", step=1, mode=Mode.TOOL)
AUDITOR = Call(kind=TargetKind.AGENT, name="demo:auditor", step=2, mode=Mode.TOOL)

Answer = Transcript | TrialError | EngineUnavailableError


def said(answer: str, *calls: Call, **more: object) -> Transcript:
    """A trial of two turns that ended with an answer."""
    whole = Transcript(
        calls=calls,
        turns=2,
        model="claude-sonnet-5-5",
        cli_version="2.1.332",
        usage=Usage(input_tokens=10, output_tokens=3, cost_usd=0.25),
        duration=1.5,
        answer=answer,
        raw=(b'{"type":"system"}', b"not json \xff"),
    )
    return replace(whole, **more)  # type: ignore[arg-type]  # the test names real fields


def broken(reason: str = "crash", *calls: Call) -> Transcript:
    """A trial that went wrong."""
    return said("", *calls, turns=0, failure=reason, detail=f"{reason} on purpose")


@dataclass(slots=True)
class TableEngine:
    """Gives a prompt's answers in turn, the last of them for ever; others get an empty answer."""

    answers: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    facts: EngineFacts = field(default_factory=engine_facts)
    invocations: list[Invocation] = field(default_factory=list)

    async def run(self, invocation: Invocation) -> Transcript:
        """Look the prompt up."""
        earlier = sum(one.prompt == invocation.prompt for one in self.invocations)
        self.invocations.append(invocation)
        script = self.answers.get(invocation.prompt) or (said(""),)
        answer = script[min(earlier, len(script) - 1)]
        if isinstance(answer, Transcript):
            return answer
        raise answer


def case(name: str, /, *expect: Mapping[str, object], **keys: object) -> dict[str, object]:
    """A prompt case with expectations; keys override."""
    plain: dict[str, object] = {"name": name, "prompt": f"prompt of {name}", "expect": [*expect]}
    return plain | keys


CALLS_AUDITOR = {"agent-call": {"agent": "demo:auditor", "expected": True}}
FOUR_TYPES = (
    call_case("skill"),
    call_case("agent", type="agent-call", agentFile="demo:auditor", expect=[{"agent-call": True}]),
    case("work", {"result-contains": "injection"}, {"result-does-not-contain": "LGTM"}),
    case(
        "delegated",
        {"result-contains": "gap"},
        CALLS_AUDITOR,
        type="agent-prompt",
        agentFile="demo:auditor",
    ),
)
DELEGATED = (
    "Use the demo:auditor agent for this task, and give me its answer:\n\nprompt of delegated"
)
ALL_MET: Mapping[str, Sequence[Answer]] = {
    "prompt of skill": [said("skill triggered", REVIEW)],
    "prompt of agent": [said("skill triggered", AUDITOR)],
    "prompt of work": [said("an injection in line 3")],
    DELEGATED: [said("one gap", AUDITOR)],
}


def make_eval_project(root: Path, *cases: dict[str, object], suite: str = "mixed") -> Places:
    """A project whose one suite has the given cases; none: one of each type."""
    places = make_project(root)
    write(places.evals_dir / suite / "rubrics/review.md", "- finds the injection\n")
    write(places.evals_dir / suite / "scaffolds/api/main.py", "print(1)\n")
    write_suite(places, suite, {"plugins": ["demo"], "tests": [*(cases or FOUR_TYPES)]})
    return places


def order_of(
    *suites: str, tests: Sequence[str] = (), engine: str = "fake", **config: object
) -> EvalOrder:
    """What is asked of an eval run."""
    settings = EvalConfig(**config)  # type: ignore[arg-type]  # the test names real fields
    return EvalOrder(suites=suites, tests=tuple(tests), engine=engine, config=settings)


@asynccontextmanager
async def opened(engine: Engine) -> AsyncIterator[Engine]:
    """An engine that is open."""
    yield engine


def run_order(
    places: Places,
    engine: Engine,
    order: EvalOrder | None = None,
    *,
    login: Login | None = None,
    limits: Limits | None = None,
    listener: Callable[[EvalEvent], None] = lambda _: None,
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]] | None = None,
    judge: ChooseJudge | None = None,
) -> EvalOutcome:
    """Do an eval run with an engine of the test's own."""
    around = EvalSurroundings(
        places=places,
        temporary=places.project,
        login=login or Login(),
        limits=limits or Limits(),
        listener=listener,
        open_engine=open_engine or (lambda: opened(engine)),
        judge=judge or judged_by(places),
    )
    return anyio.run(run_eval_order, order or order_of(), around)


def judged_by(
    places: Places,
    completer: Completer | None = None,
    *,
    name: str = "api",
    runs: int = 1,
    model: str | None = None,
    limits: Limits | None = None,
) -> ChooseJudge:
    """Say who judges: a completer of the test's own; none cannot be opened."""

    def open_judge(_model: str) -> Completer:
        if completer is None:
            raise ConfigError("there is no judge in this test")
        return completer

    def choose(_engine: str) -> JudgeTools:
        return JudgeTools(
            name=name,
            open=open_judge,
            evals_dir=places.evals_dir,
            runs=runs,
            model=model,
            limits=limits or Limits(),
        )

    return choose


def score(
    places: Places,
    run_id: str | None = None,
    *,
    again: bool = False,
    judge: ChooseJudge | None = None,
) -> tuple[EvalOutcome, ...]:
    """Evaluate recorded runs."""
    asked = judge or judged_by(places)
    return anyio.run(partial(score_runs, places.output_dir, run_id, judge=asked, again=again))


def statuses(outcome: EvalOutcome) -> dict[str, str]:
    """The status of each case by its name."""
    return {test.test_name: str(test.status) for test in outcome.summary.tests}
