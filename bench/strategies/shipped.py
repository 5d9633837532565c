"""Drives the shipped strategies and the shipped gate through the simulated world.

What is next, which failures the improver is shown, who is best and whether the gate passes are
all decided by the product's own code. Only the trials and the improver's answers are the world's.
The order of a run is that of `skillwalker.loop`: controls, search, confirm rounds, controls.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path

from bench.strategies.improver import Way, improve
from bench.strategies.peers import Ending
from bench.strategies.world import Skill, Text
from skillwalker.brief import train_only, write_brief
from skillwalker.config import MAX_DESCRIPTION_UNITS, LoopConfig
from skillwalker.datatypes.inputs import SplitCase, Target, TriggerCase
from skillwalker.datatypes.scores import CaseResult, Cell, GateResult, Iteration, join_results
from skillwalker.datatypes.trials import Trial, Usage
from skillwalker.datatypes.vocabulary import (
    CaseSet,
    Operator,
    Outcome,
    Position,
    StopReason,
    TargetKind,
)
from skillwalker.measuring import join_rounds
from skillwalker.preflight import CONTROL_RUNS
from skillwalker.search import gate
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Part,
    Propose,
    Sample,
    Sampled,
    Stop,
    Strategy,
)
from skillwalker.search.stuck import stuck_cases
from skillwalker.trials.vote import Vote
from skillwalker.unmovable import RUNS as ASKED_BY_NAME

CONTROLS = 2 * CONTROL_RUNS
"""Trials of a preflight, which always goes well here."""
WAYS = {Operator.REWRITE: Way.REWRITE, Operator.COMBINE: Way.EDIT, Operator.EDIT: Way.EDIT}
TARGET = Target(
    kind=TargetKind.SKILL,
    position=Position.PLUGIN,
    plugin="world",
    name="skill",
    alias=None,
    path=Path("skill/SKILL.md"),
    content=b"",
    description="text 0",
    body="",
)


class _SpentError(Exception):
    """The budget does not allow another call."""


@lru_cache(maxsize=4096)
def _trial(run_index: int, triggered: bool) -> Trial:
    """Give the record of a trial; what no decision reads is the same in all."""
    outcome = Outcome.TRIGGERED if triggered else Outcome.NOT_TRIGGERED
    return Trial(
        case="",
        set=CaseSet.TRAIN,
        candidate="",
        iteration=0,
        run_index=run_index,
        attempt=0,
        model=None,
        model_asked="world",
        engine="world",
        endpoint="",
        permission_mode="",
        cli_version="",
        effort="",
        cell_key="",
        outcome=outcome,
        reason=None,
        step=None,
        turns=1,
        mode=None,
        also_fired=(),
        usage=Usage(),
        duration=0.0,
        transcript=None,
    )


def split_of(skill: Skill) -> tuple[SplitCase, ...]:
    """Give a skill's queries as the cases of its suite, all of them train."""
    return tuple(
        SplitCase(
            case=TriggerCase(
                name=f"case {at:02}",
                prompt=f"query {at}",
                should_trigger=query.positive,
                model="world",
            ),
            set=CaseSet.TRAIN,
            group=str(query.group),
        )
        for at, query in enumerate(skill.queries)
    )


def run_shipped(skill: Skill, strategy: Strategy, config: LoopConfig, budget: int) -> Ending:
    """Run a strategy and the gate on a skill; never spends more than the budget.

    Args:
        skill: to be improved.
        strategy: the shipped one.
        config: whose gate, confirm rounds and loss limit hold.
        budget: most calls, the improver's and the controls' too.
    """
    run = Run(skill, strategy, config, budget)
    try:
        run.controls()
        run.search()
        run.confirm()
    except _SpentError:
        pass
    return run.outcome()


class Run:
    """The state of one run."""

    def __init__(self, skill: Skill, strategy: Strategy, config: LoopConfig, budget: int) -> None:
        self.skill, self.strategy, self.config, self.budget = skill, strategy, config, budget
        self.texts: dict[str, Text] = {TARGET.description: skill.original}
        self.cases = tuple(split.case for split in split_of(skill))
        self.numbers = {case.prompt: at for at, case in enumerate(self.cases)}
        self.runs_so_far: Counter[tuple[str, int]] = Counter()
        self.history = History.begin(split_of(skill), TARGET.description)
        self.adaptive = config.search == "race"
        self.asked: set[int] = set()
        self.stopped = StopReason.BUDGET
        self.confirmed: tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]] | None = None
        self.gate: GateResult | None = None
        self.winner_checked = False

    # --- the parts of a run --------------------------------------------------------------------

    def controls(self) -> None:
        """Pay for a preflight."""
        self._afford(CONTROLS)
        self.skill.calls += CONTROLS

    def search(self) -> None:
        """Do what the strategy names until it stops."""
        while True:
            match self.strategy.next_work(self.history):
                case Measure(description=text) as work:
                    self._measure(text, work)
                case Propose() as work:
                    self._measure(self._propose(work), work)
                case Sample(parts=parts):
                    self._sample(parts)
                case Stop(reason=reason):
                    self.stopped = reason
                    return

    def confirm(self) -> None:
        """Lay original and best side by side, as the loop does."""
        original, best = self.history.iterations[0], self.strategy.best(self.history)
        if self.config.gate is None or not gate.worth_confirming(original, best):
            return
        rounds: list[tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]] = []
        for number in count(1):
            rounds.append((self._round(original), self._round(best)))
            before, after = (join_rounds(side) for side in zip(*rounds, strict=True))
            self.confirmed = before, after
            self.gate = gate.judge(
                before,
                after,
                threshold=self.config.gate,
                next_threshold=gate.threshold(self.config.gate, 2),
                max_loss=self.config.max_loss,
                rounds=number,
            )
            if not gate.another_round(self.gate, most=self.strategy.confirm_rounds):
                break
        if self.gate is not None and self.gate.passed:
            self.controls()
            self.winner_checked = True

    def outcome(self) -> Ending:
        """Say what is applied: the best if the gate passed or none was asked for."""
        iterations = self.history.iterations
        applied = self.skill.original
        if iterations and (self.winner_checked or self.config.gate is None):
            applied = self.texts[self.strategy.best(self.history).description]
        return Ending(applied=applied, scored=len(iterations))

    # --- what they are made of -----------------------------------------------------------------

    def _afford(self, calls: int) -> None:
        """Stop the run when the budget does not allow so many calls."""
        if self.skill.calls + calls > self.budget:
            raise _SpentError

    def _measure(self, text: str, work: Measure | Propose) -> None:
        """Measure a new description, and put it into the history."""
        cells = work.cells
        if cells is None:
            cells = tuple(CellRuns(at, work.runs) for at in range(len(self.cases)))
            results = self._results(text, cells, CaseSet.TRAIN)
        else:
            results = self._apart(text, cells)
        iteration = Iteration(
            number=len(self.history.iterations) + 1,
            phase=work.phase,
            candidate=text,
            description=text,
            results=results,
        )
        self.history = self.history.then(iteration)

    def _sample(self, parts: Sequence[Part]) -> None:
        """Measure candidates further, and lay the results on those of before."""
        found = tuple(
            (part.number, self._apart(self._text(part.number), part.cells)) for part in parts
        )
        self.history = self.history.then(Sampled(parts=found))

    def _round(self, iteration: Iteration) -> tuple[CaseResult, ...]:
        """Measure a candidate once more on every case."""
        cells = tuple(CellRuns(at, 1) for at in range(len(self.cases)))
        return self._results(iteration.description, cells, CaseSet.CONFIRM)

    def _apart(self, text: str, cells: Sequence[CellRuns]) -> tuple[CaseResult, ...]:
        """Make every run of every cell, since no vote is held over them."""
        single = [CellRuns(at, 1) for at, runs in cells for _ in range(runs)]
        return join_results(self._results(text, single, CaseSet.TRAIN))

    def _results(
        self, text: str, cells: Iterable[CellRuns], side: CaseSet
    ) -> tuple[CaseResult, ...]:
        """Run each cell's trials until its vote is decided."""
        return tuple(self._result(text, at, runs, side) for at, runs in cells)

    def _result(self, text: str, at: int, runs: int, side: CaseSet) -> CaseResult:
        """Run a case's trials until its vote is decided."""
        split = self.history.cases[at]
        first = self.runs_so_far[text, at]
        vote = Vote(
            Cell(case=split.case, set=side, runs=runs, first_index=first, group=split.group)
        )
        waiting = list(vote.first_runs())
        while waiting:
            self._afford(1)
            right = self.skill.trial(self.texts[text], at)
            vote.settle(_trial(waiting.pop(), right == split.case.should_trigger))
            if (further := vote.next_run()) is not None:
                waiting.append(further)
        self.runs_so_far[text, at] += vote.settled
        return vote.result()

    def _text(self, number: int) -> str:
        """Give the description of an iteration."""
        return self.history.iterations[number - 1].description

    def _ask_by_name(self) -> None:
        """Pay for looking into the cases that nothing moves; named outright, all trigger here."""
        places = set(stuck_cases(self.history)) - self.asked
        self._afford(ASKED_BY_NAME * len(places))
        self.skill.calls += ASKED_BY_NAME * len(places)
        self.asked |= places

    def _propose(self, work: Propose) -> str:
        """Ask for a child, showing the failures that the product's brief shows."""
        self._ask_by_name()
        self._afford(1)
        records = tuple(map(train_only, self.history.iterations))
        parent = records[work.parent - 1]
        brief = write_brief(
            TARGET,
            parent=parent,
            history=records if self.adaptive else (parent,),
            siblings=(),
            operator=work.operator,
            max_units=MAX_DESCRIPTION_UNITS,
            when_to_use=None,
            adaptive=self.adaptive,
        )
        shown = [self.numbers[failure.prompt] for failure in brief.failures]
        parent_text = self.texts[parent.description]
        child = improve(self.skill, parent_text, shown, WAYS[work.operator])
        name = f"text {len(self.texts)}"
        self.texts[name] = child
        return name
