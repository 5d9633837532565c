"""Steps of several texts: one set of workers, runs numbered beforehand, all paid trials kept."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import CaseResult
from skillwalker.datatypes.summary import Event, TrialDone
from skillwalker.datatypes.trials import Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import BudgetReached, EngineUnavailableError, UndecidedError
from skillwalker.limits import Limits
from skillwalker.measuring import Measuring, WantedCase
from tests.bench import make_bench_project, plan_of
from tests.fakes import MemoryJournal, engine_facts, transcript

TEXTS = ("the first text of two", "the second text of two")


@dataclass(slots=True)
class CountingEngine:
    """Counts how many trials run at once; fails for the texts that are named."""

    facts: EngineFacts = field(default_factory=engine_facts)
    running: int = 0
    most: int = 0
    started: int = 0
    fails: str | None = None
    unavailable: str | None = None

    async def run(self, invocation: Invocation) -> Transcript:
        """Let others run meanwhile."""
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        self.started += 1
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        self.running -= 1
        if self.unavailable is not None and self.unavailable in shown:
            raise EngineUnavailableError("no daemon answers")
        failed = self.fails is not None and self.fails in shown
        return transcript(failure="crash" if failed else None)


@dataclass(slots=True)
class Desk:
    """A measuring with all that it needs."""

    project: Path
    concurrency: int = 4
    engine: CountingEngine = field(default_factory=CountingEngine)
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    limits: Limits = field(default_factory=Limits)
    told: list[Event] = field(default_factory=list)

    def beside(self, runs: int = 6, cases: int = 6) -> tuple[tuple[CaseResult, ...], ...]:
        """Measure both texts on the first cases."""
        plan = plan_of(self.project, LoopConfig(concurrency=self.concurrency))
        workdir = self.project.parent / "work"
        workdir.mkdir(exist_ok=True)
        measuring = Measuring(
            plan,
            engine=self.engine,
            journal=self.journal,
            limits=self.limits,
            listener=self.told.append,
            workdir=workdir,
        )
        wanted = [
            WantedCase(case=split.case, set=CaseSet.TRAIN, runs=1, group=split.group)
            for split in plan.cases[:cases]
            for _ in range(runs // cases)
        ]
        parts = [(text, number, wanted) for number, text in enumerate(TEXTS, start=1)]
        return anyio.run(measuring.run_beside, parts)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(project=make_bench_project(tmp_path))


@pytest.mark.parametrize("concurrency", [1, 2, 3, 8])
def test_texts_side_by_side_share_the_workers(desk: Desk, concurrency: int) -> None:
    desk.concurrency = concurrency
    results = desk.beside()
    assert desk.engine.most == concurrency
    assert [sum(len(one.trials) for one in part) for part in results] == [6, 6]


def test_runs_of_one_case_are_one_result_with_numbers_of_their_own(desk: Desk) -> None:
    results = desk.beside(runs=12, cases=4)
    for part in results:
        assert [[trial.run_index for trial in one.trials] for one in part] == [[0, 1, 2]] * 4
        assert all(one.group for one in part)


def test_the_first_text_is_never_cut_by_the_others_fault(desk: Desk) -> None:
    desk.engine.fails = TEXTS[1]
    with pytest.raises(UndecidedError):
        desk.beside()
    kept = [trial for trial in desk.journal.written if trial.iteration == 1]
    assert len(kept) == 6


def test_a_limit_stops_both_and_keeps_what_was_in_flight(desk: Desk) -> None:
    desk.limits = Limits(max_trials=5)
    with pytest.raises(BudgetReached):
        desk.beside()
    assert len(desk.journal.written) == desk.engine.started == 5


@dataclass(slots=True)
class DearEngine(CountingEngine):
    """The second text's first trial is dear and quick; all others are cheap, the first one slow."""

    async def run(self, invocation: Invocation) -> Transcript:
        """Let others run meanwhile."""
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        self.started += 1
        is_dear = self.started <= 2 and TEXTS[1] in shown
        for _ in range(1 if is_dear else 20):
            await anyio.lowlevel.checkpoint()
        return replace(transcript(), usage=Usage(cost_usd=1.0 if is_dear else 0.05))


def test_a_part_that_money_refused_asks_again_when_the_others_cost_less(desk: Desk) -> None:
    """Two are in flight for $4.00; the dear one leaves no room for a third beside the other."""
    desk.engine, desk.concurrency = DearEngine(), 2
    desk.limits = Limits(max_cost_usd=4.5, prior=lambda _purpose, _model: 2.0)
    results = desk.beside()
    assert [sum(len(one.trials) for one in part) for part in results] == [6, 6]
    assert desk.engine.started == len(desk.journal.written) == 12
    told = [event.trial for event in desk.told if isinstance(event, TrialDone)]
    assert told == desk.journal.written


@pytest.mark.parametrize("cap", [3.2, 3.45, 4.1, 4.5])
def test_what_is_refused_in_the_end_is_more_than_the_limit_leaves(desk: Desk, cap: float) -> None:
    desk.engine, desk.concurrency = DearEngine(), 2
    desk.limits = Limits(max_cost_usd=cap, prior=lambda _purpose, _model: 2.0)
    with pytest.raises(BudgetReached) as caught:
        desk.beside(runs=60)
    assert desk.limits.cost_usd <= cap
    assert desk.limits.cost_usd + (caught.value.refused_usd or 0.0) > cap


def test_an_engine_that_cannot_run_is_said(desk: Desk) -> None:
    desk.engine.unavailable = TEXTS[0]
    with pytest.raises(EngineUnavailableError, match="no daemon answers"):
        desk.beside()


def test_a_small_step_may_leave_as_many_undecided_as_one_of_every_case(desk: Desk) -> None:
    """Ten per cent of twelve cases is one trial, also in a step of six."""

    @dataclass(slots=True)
    class OneFails(CountingEngine):
        async def run(self, invocation: Invocation) -> Transcript:
            self.started += 1
            return transcript(failure="crash" if "diff" in invocation.prompt else None)

    desk.engine = OneFails()
    plan = plan_of(desk.project)
    failing = [at for at, split in enumerate(plan.cases) if "diff" in split.case.prompt]
    assert len(failing) == 1
    results = desk.beside(runs=12, cases=12)
    assert [sum(one.undecided for one in part) for part in results] == [1, 1]
