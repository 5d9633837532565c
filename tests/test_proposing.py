"""What the improver gets to see, under either strategy, resumed or not; and what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillwalker.completers.protocol import Completer
from skillwalker.config import LoopConfig
from skillwalker.datatypes.improver import Answer, Completion
from skillwalker.datatypes.inputs import SplitCase, TriggerCase
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Outcome, Phase, StopReason
from skillwalker.limits import Limits
from skillwalker.loop import MeasuredRun, improve
from skillwalker.plan import Plan
from skillwalker.proposing import Proposals, propose
from skillwalker.recording.store import RunStore
from skillwalker.search.choice import choose_strategy
from skillwalker.search.protocol import Event, History, Propose, Sampled
from tests.bench import Bench, call_cases, make_bench_project, plan_of, reply
from tests.fakes import ChanceEngine, MemoryJournal, ScriptedCompleter
from tests.measured import OUTCOMES, trial

SEARCHES = ("phases", "race")
LAW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
CHILD = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bench_project(tmp_path_factory.mktemp("proposing"))


def asked(plan: Plan, history: History, parent: int) -> str:
    """The prompt that the improver gets."""
    completer = ScriptedCompleter([reply(CHILD)])
    work = Propose(parent=parent, operator=Operator.EDIT, phase=Phase.EXPLORE, runs=1)
    anyio.run(propose, plan, history, work, completer)
    return completer.prompts[0]


@dataclass(slots=True)
class Measurements:
    """A history in which results of every set lie beside those of train."""

    cases: list[SplitCase] = field(default_factory=list)
    rows: list[list[CaseResult]] = field(default_factory=list)

    def history(self, originals: int) -> History:
        """The first part as iterations, the rest as further trials."""
        events: list[Event] = [
            Iteration(
                number=number,
                phase=Phase.EXPLORE,
                candidate=f"{number:016x}",
                description=f"text number {number}",
                results=tuple(row),
            )
            for number, row in enumerate(self.rows[:originals], start=1)
        ]
        further = self.rows[originals:]
        events += [Sampled(parts=((1, tuple(row)),)) for row in further]
        return History.begin(self.cases, "text number 1", events)


@st.composite
def measurements(draw: st.DrawFn) -> Measurements:
    found = Measurements()
    for at in range(draw(st.integers(2, 10))):
        side = draw(st.sampled_from(list(CaseSet)))
        canary = f"{'shown' if side is CaseSet.TRAIN else 'secret'}{at}canary"
        case = TriggerCase(
            name=canary, prompt=f"{canary} words", should_trigger=draw(st.booleans()), model="m"
        )
        found.cases.append(SplitCase(case=case, set=side, group=canary))
    for _ in range(draw(st.integers(1, 4))):
        row = [
            CaseResult(
                case=split.case,
                set=split.set,
                trials=tuple(
                    replace(trial(split.case.name, OUTCOMES[letter]), also_fired=(_fired(split),))
                    for letter in draw(st.text("tnu", min_size=1, max_size=3))
                ),
            )
            for split in found.cases
        ]
        found.rows.append(row)
    return found


def _fired(split: SplitCase) -> str:
    """A rival that fired in a case's trials."""
    return f"demo:{'shown' if split.set is CaseSet.TRAIN else 'secret'}rival"


@pytest.mark.parametrize("search", SEARCHES)
@given(found=measurements(), originals=st.integers(1, 4))
@LAW
def test_only_train_cases_and_results_are_told(
    project: Path, search: str, found: Measurements, originals: int
) -> None:
    history = found.history(min(originals, len(found.rows)))
    plan = replace(plan_of(project, LoopConfig(search=search)), cases=history.cases)
    prompt = asked(plan, history, parent=1)
    assert "secret" not in prompt


@pytest.mark.parametrize("search", SEARCHES)
@given(found=measurements())
@LAW
def test_what_the_others_came_to_changes_no_word(
    project: Path, search: str, found: Measurements
) -> None:
    """Not even a score or an order hangs on holdout, control, neighbour or confirm results."""
    history = found.history(1)
    plan = replace(plan_of(project, LoopConfig(search=search)), cases=history.cases)
    turned = {Outcome.TRIGGERED: Outcome.NOT_TRIGGERED, Outcome.NOT_TRIGGERED: Outcome.TRIGGERED}
    for row in found.rows:
        for at, told in enumerate(row):
            if told.set is not CaseSet.TRAIN:
                trials = (replace(t, outcome=turned.get(t.outcome, t.outcome)) for t in told.trials)
                row[at] = replace(told, trials=tuple(trials))
    assert asked(plan, found.history(1), parent=1) == asked(plan, history, parent=1)


# --- a whole run -------------------------------------------------------------------------------


def odd_words(seed: int) -> str:
    """Words that no other prompt has, so that no two are near-duplicates."""
    letters = f"{seed * 7919 + 10**9:o}{seed * 104729 + 10**9:o}{(seed + 3) * 1299709:o}"
    told = letters.translate(str.maketrans("01234567", "bdfghklm"))
    return " ".join(told[start : start + 5] for start in range(0, len(told), 5))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("cut_at", [None, 37, 90])
def test_a_whole_run_shows_the_improver_nothing_else(
    tmp_path: Path, search: str, cut_at: int | None
) -> None:
    positives = [f"yes{n:02d}canary {odd_words(n)}" for n in range(14)]
    negatives = [f"no{n:02d}canary {odd_words(n + 50)}" for n in range(14)]
    cases = call_cases(positives=positives, negatives=negatives)
    project = make_bench_project(tmp_path, cases=cases)
    config = LoopConfig(search=search, holdout=0.5, max_iterations=9)
    plan = plan_of(project, config)
    journal, prompts = MemoryJournal(), list[str]()

    def go(limits: Limits, folder: str) -> MeasuredRun:
        replies = [reply(f"{CHILD} Version {n}.") for n in range(len(journal.answers) + 1, 30)]
        completer = ScriptedCompleter(replies)
        bench = Bench(workdir=tmp_path / folder, engine=ChanceEngine(0.4), journal=journal)
        tools = bench.tools(
            completer=completer,
            limits=limits,
            strategy=choose_strategy(config, plan.cases, controls=8),
        )
        measured = anyio.run(improve, plan, tools)
        prompts.extend(completer.prompts)
        return measured

    if cut_at is not None:
        assert go(Limits(max_trials=cut_at), "a").stopped is StopReason.BUDGET
    measured = go(Limits(), "b")
    assert len(prompts) == len(measured.answers) > 3
    hidden = [s.case.prompt.split()[0] for s in plan.cases if s.set is CaseSet.HOLDOUT]
    assert len(hidden) >= 4
    assert not [word for word in hidden if any(word in prompt for prompt in prompts)]
    assert any(s.case.prompt in prompts[-1] for s in plan.cases if s.set is CaseSet.TRAIN)
    assert not any("capital of Norway" in prompt for prompt in prompts)


# --- money -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Dying:
    """Gives a reply that is refused, and is killed in the next call."""

    prompts: list[str] = field(default_factory=list)

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer, or die."""
        assert schema
        self.prompts.append(prompt)
        if len(self.prompts) > 1:
            raise KeyboardInterrupt
        return Completion(text=reply("No."), model="m", usage=Usage(cost_usd=0.25))


def first_proposal(project: Path, store: RunStore, completer: Completer) -> Answer:
    """Ask for the first child of a run."""
    plan = plan_of(project, LoopConfig())
    original = Iteration(
        number=1,
        phase=Phase.EXPLORE,
        candidate="0" * 16,
        description=plan.target.description,
        results=(),
    )
    history = History.begin(plan.cases, plan.target.description, [original])
    work = Propose(parent=1, operator=Operator.EDIT, phase=Phase.EXPLORE, runs=1)
    proposals = Proposals(plan, journal=store, limits=Limits(), completer=completer)
    return anyio.run(proposals.next, history, work, ())


def test_a_kill_in_a_proposal_forgets_no_call_that_was_paid(project: Path, tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        first_proposal(project, store, Dying())
    store.close()
    resumed = RunStore(tmp_path)
    assert [usage.cost_usd for *_, usage in resumed.calls()] == [0.25]
    answer = first_proposal(project, resumed, ScriptedCompleter([reply("No."), reply(CHILD)]))
    resumed.close()
    again = RunStore(tmp_path)
    assert again.recorded_answer(1) == answer
    assert answer.description == CHILD
    assert len(list(again.calls())) == 3
