from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from skillwalker.datatypes.evals import EvalTrial, EvalTrialDone
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.evaluation.plan import plan_cases
from skillwalker.evaluation.run import FEW, EvalEnd, EvalTools, run_cases
from skillwalker.limits import Limits
from tests.days import Day
from tests.eval_world import (
    ALL_MET,
    DELEGATED,
    REVIEW,
    TableEngine,
    broken,
    case,
    make_eval_project,
    order_of,
    said,
)
from tests.fakes import engine_facts
from tests.projects import call_case


class Run:
    """An eval run in memory: what ended it, and what it recorded."""

    def __init__(
        self,
        root: Path,
        engine: Engine,
        *cases: dict[str, object],
        limits: Limits | None = None,
        concurrency: int = 4,
        repeats: int = 1,
    ) -> None:
        places = make_eval_project(root, *cases)
        planned = plan_cases(places, order_of(repeats=repeats))
        self.trials: list[EvalTrial] = []
        self.events: list[EvalTrialDone] = []
        (root / "work").mkdir()
        tools = EvalTools(
            engine=engine,
            limits=limits or Limits(),
            record=lambda trial, _line: self.trials.append(trial),
            listener=self.events.append,
            workdir=root / "work",
            concurrency=concurrency,
            max_undecided=0.1,
        )
        self.ended: EvalEnd = anyio.run(run_cases, planned, tools)

    @property
    def names(self) -> list[tuple[str, int, int]]:
        """Each trial's case, run and attempt, as they ended."""
        return [(one.case, one.run_index, one.attempt) for one in self.trials]


def test_every_type_of_case_is_run_as_planned(tmp_path: Path) -> None:
    engine = TableEngine(ALL_MET)
    run = Run(tmp_path, engine, concurrency=1)
    assert run.ended == EvalEnd()
    skill, agent, work, delegated = engine.invocations
    assert [one.case for one in run.trials] == ["skill", "agent", "work", "delegated"]
    for call, name in ((skill, "demo:review"), (agent, "demo:auditor")):
        assert call.called_as is not None
        assert name in call.called_as.names
        assert call.max_turns == 4
        (copy,) = call.plugin_dirs
        assert copy.is_relative_to(tmp_path / "work")
        assert "skill triggered" in (copy / "skills/review/SKILL.md").read_text("utf-8")
    for done in (work, delegated):
        assert done.called_as is None
        assert done.plugin_dirs == (tmp_path / "plugins/demo",)
        assert done.max_turns == 100
    assert delegated.prompt == DELEGATED


def test_a_target_is_copied_once_and_two_of_one_text_apart(tmp_path: Path) -> None:
    engine = TableEngine()
    twins = [call_case("r", skillFile="demo:release"), call_case("a"), call_case("b")]
    for name in ("review", "release"):
        text = f"---\nname: {name}\ndescription: Use when a text is the same.\n---\nDo it.\n"
        path = tmp_path / f"plugins/demo/skills/{name}/SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    Run(tmp_path, engine, *twins)
    folders = {one.prompt: one.plugin_dirs for one in engine.invocations}
    assert folders["prompt of a"] == folders["prompt of b"]
    assert folders["prompt of r"] != folders["prompt of a"]


def test_a_trial_that_says_nothing_is_run_once_more(tmp_path: Path) -> None:
    engine = TableEngine({"prompt of a": [broken("crash"), said("", REVIEW)]})
    run = Run(tmp_path, engine, call_case("a"))
    assert run.names == [("a", 0, 0), ("a", 0, 1)]
    assert [event.undecided for event in run.events] == ["crash", None]
    twice = TableEngine({"prompt of a": [broken("crash")]})
    assert Run(tmp_path / "b", twice, call_case("a")).names == [("a", 0, 0), ("a", 0, 1)]


def test_a_trial_whose_turns_ran_out_is_not_run_again(tmp_path: Path) -> None:
    engine = TableEngine({"prompt of a": [said("half", ended_by_limit=True)]})
    run = Run(tmp_path, engine, case("a", {"result-contains": "whole"}))
    assert run.names == [("a", 0, 0)]


def test_a_trial_that_cannot_be_started_is_recorded(tmp_path: Path) -> None:
    engine = TableEngine({"prompt of a": [TrialError("set_up", "no folder")]})
    run = Run(tmp_path, engine, call_case("a"))
    assert [one.transcript.failure for one in run.trials] == ["set_up", "set_up"]
    assert run.trials[0].transcript.usage.cost_usd == 0.0


def test_repeats_of_a_case_are_numbered_and_stand_together(tmp_path: Path) -> None:
    cases = [call_case("a", runs=5), call_case("b")]
    run = Run(tmp_path, TableEngine(), *cases, repeats=3, concurrency=1)
    assert run.names == [("a", index, 0) for index in range(5)] + [
        ("b", index, 0) for index in range(3)
    ]
    assert [one.run_index for one in run.trials] == [*range(5), *range(3)]


def test_a_dead_engine_ends_the_run_with_its_cause(tmp_path: Path) -> None:
    engine = TableEngine({"prompt of b": [EngineUnavailableError("the daemon is gone")]})
    cases = [call_case("a"), call_case("b"), call_case("c")]
    run = Run(tmp_path, engine, *cases, concurrency=1)
    assert run.ended == EvalEnd(reason=StopReason.PREFLIGHT, cause="the daemon is gone")
    assert run.names == [("a", 0, 0)]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_limit_starts_no_further_trial(tmp_path: Path, most: int) -> None:
    cases = [call_case("a"), call_case("b"), call_case("c")]
    run = Run(tmp_path, TableEngine(), *cases, limits=Limits(max_trials=most))
    assert len(run.trials) == most
    assert run.ended.reason is StopReason.BUDGET


@pytest.mark.parametrize(
    ("most", "trials", "reason"),
    [
        pytest.param(2.5, 6, None, id="they cost less than was reckoned"),
        pytest.param(1.0, 1, StopReason.BUDGET, id="it holds when nothing is in flight"),
    ],
)
def test_a_refusal_is_not_the_last_word_while_trials_are_in_flight(
    tmp_path: Path, most: float, trials: int, reason: StopReason | None
) -> None:
    limits = Limits(max_cost_usd=most, prior=lambda *_: 1.0)
    cases = [call_case(f"c{number}") for number in range(6)]
    run = Run(tmp_path, Together(1), *cases, limits=limits, concurrency=3)
    assert run.names == [(f"c{number}", 0, 0) for number in range(trials)]
    assert run.ended.reason is reason
    assert limits.cost_usd == 0.25 * trials


def test_too_many_undecided_runs_are_the_end_also_where_a_limit_refused_one(
    tmp_path: Path,
) -> None:
    class Waiting(TableEngine):
        async def run(self, invocation: Invocation) -> Transcript:
            """Take longer than the trial before, so that others ask in between."""
            for _ in range(9 * len(self.invocations)):
                await checkpoint()
            return await super().run(invocation)

    cases = [call_case(f"c{number}") for number in range(9)]
    engine = Waiting({f"prompt of c{number}": [broken("auth")] for number in range(9)})
    limits = Limits(max_trials=2 * (FEW + 1))
    run = Run(tmp_path, engine, *cases, limits=limits, concurrency=4)
    assert run.ended.reason is StopReason.UNDECIDED


def test_a_trial_that_is_cancelled_is_reckoned_with(tmp_path: Path) -> None:
    limits = Limits(prior=lambda *_: 1.0)
    engine = TableEngine({"prompt of a": [EngineUnavailableError("the daemon is gone")]})
    Run(tmp_path, engine, call_case("a"), limits=limits)
    assert (limits.cost_usd, limits.reckoned_calls) == (1.0, 1)


def test_a_retry_counts_towards_the_limit(tmp_path: Path) -> None:
    engine = TableEngine({"prompt of a": [broken()]})
    run = Run(tmp_path, engine, call_case("a"), call_case("b"), limits=Limits(max_trials=2))
    assert len(run.trials) == 2
    assert run.ended.reason is StopReason.BUDGET


def test_too_many_undecided_runs_stop_the_rest(tmp_path: Path) -> None:
    cases = [call_case(f"c{number}") for number in range(20)]
    engine = TableEngine({f"prompt of c{number}": [broken("auth")] for number in range(20)})
    run = Run(tmp_path, engine, *cases, concurrency=1)
    assert run.ended == EvalEnd(
        reason=StopReason.UNDECIDED,
        cause="4 of 20 runs said nothing, the last by auth (auth on purpose)",
    )
    assert len({name for name, _, _ in run.names}) == FEW + 1


def test_few_undecided_runs_stop_nothing(tmp_path: Path) -> None:
    cases = [call_case(f"c{number}") for number in range(FEW + 1)]
    engine = TableEngine({f"prompt of c{number}": [broken()] for number in range(FEW)})
    run = Run(tmp_path, engine, *cases, concurrency=1)
    assert run.ended == EvalEnd()
    assert {name for name, _, _ in run.names} == {f"c{number}" for number in range(FEW + 1)}


class Together:
    """An engine in which no trial ends before `wanted` run at once, and counts how many did."""

    def __init__(self, wanted: int) -> None:
        self.most = 0
        self._inside = 0
        self._wanted = wanted
        self._full = anyio.Event()

    @property
    def facts(self) -> EngineFacts:
        """Nothing real."""
        return engine_facts()

    async def run(self, invocation: Invocation) -> Transcript:
        """Wait for the others."""
        self._inside += 1
        self.most = max(self.most, self._inside)
        if self._inside == self._wanted:
            self._full.set()
        await self._full.wait()
        self._inside -= 1
        return replace(said(""), answer=invocation.prompt)


def test_so_many_trials_run_at_once_and_no_more(tmp_path: Path) -> None:
    engine = Together(3)
    cases = [call_case(f"c{number}") for number in range(9)]
    run = Run(tmp_path, engine, *cases, concurrency=3)
    assert engine.most == 3
    assert len(run.trials) == 9


def test_an_interrupt_finishes_what_is_in_flight(tmp_path: Path) -> None:
    limits = Limits()

    class Interrupting(TableEngine):
        async def run(self, invocation: Invocation) -> Transcript:
            """Press Ctrl-C while this trial runs."""
            limits.interrupt()
            return await super().run(invocation)

    run = Run(
        tmp_path, Interrupting(), call_case("a"), call_case("b"), limits=limits, concurrency=1
    )
    assert run.names == [("a", 0, 0)]
    assert run.ended.reason is StopReason.INTERRUPTED


def test_a_rate_limit_pauses_everything_and_takes_no_retry(tmp_path: Path) -> None:
    day = Day()
    engine = TableEngine(
        {"prompt of a": [broken("rate"), broken("rate"), broken(), said("", REVIEW)]}
    )
    limits = Limits(max_trials=3, clock=day.clock)
    run = Run(tmp_path, engine, call_case("a"), call_case("b"), limits=limits, concurrency=1)
    assert run.names == [("a", 0, 0), ("a", 0, 1), ("a", 0, 2), ("a", 0, 3), ("b", 0, 0)]
    assert (run.ended, limits.trials) == (EvalEnd(), 3)
    assert sum(day.slept) >= 30 + 60
