"""What a run takes from the lock file and leaves in it, and how cases stood in an earlier run."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.recorded import CaseTally, RecordedIteration, RecordedRun
from skillwalker.datatypes.vocabulary import CaseSet, Phase, Verdict
from skillwalker.errors import StoreError
from skillwalker.limits import Limits
from skillwalker.plan import FurtherRounds, Order, Plan
from skillwalker.recording.frozen import Earlier, read_frozen
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.memory import count_looks, remember, with_further
from skillwalker.recording.verdicts import earlier_verdicts
from skillwalker.remembering import entry_key
from tests.bench import make_bench_project, plan_of
from tests.catalogues import Catalogue
from tests.summaries import BETTER, ended_search, gate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_bench_project(tmp_path)


@pytest.fixture
def plan(project: Path) -> Plan:
    return plan_of(project)


# --- the lock file -----------------------------------------------------------------------------


def test_the_first_run_is_the_first_look_and_each_gated_one_adds_one(
    project: Path, plan: Plan
) -> None:
    assert count_looks(project, plan, simulated=False) == 1
    for number in range(2, 4):
        looked = replace(plan, looks=number - 1)
        run_id = f"20261130T12000{number}"
        remember(project, looked, replace(ended_search(looked), run_id=run_id))
        assert count_looks(project, plan, simulated=False) == number


@pytest.mark.parametrize("engine", ["simulated", "local"], ids=["the engine", "a stand-in"])
def test_a_simulated_run_is_never_read_by_a_real_one(
    project: Path, plan: Plan, engine: str
) -> None:
    remember(project, plan, ended_search(plan, engine=engine, simulated=True))
    assert count_looks(project, plan, simulated=True) == 2
    assert count_looks(project, plan, simulated=False) == 1
    assert entry_key(plan, simulated=False) not in read_lock(project)
    again = replace(ended_search(plan, engine=engine, simulated=True), run_id="20261130T120009")
    remember(project, replace(plan, looks=2), again)
    assert count_looks(project, plan, simulated=True) == 3


def test_a_run_counts_the_looks_of_simulated_runs_alone_where_nobody_answers(
    project: Path, plan: Plan
) -> None:
    order = replace(
        Catalogue(project).task().template,
        run_kind="scil",
        suite=plan.suite,
        target=plan.target_path,
    )
    for of, simulated in (("docker", False), ("simulated", True), ("local", True)):
        run_id = f"20261130T12000{len(of)}"
        ended = ended_search(plan, engine=of, simulated=simulated)
        looked = replace(plan, looks=count_looks(project, plan, simulated=simulated))
        remember(project, looked, replace(ended, run_id=run_id))

    async def run() -> Path:
        start = Catalogue(project).starter(Limits())
        return (await start(order, None, lambda _run_id: None))[1]

    assert read_frozen(anyio.run(run))[1].looks == 3


def test_a_run_that_says_nothing_changes_nothing(project: Path, plan: Plan) -> None:
    remember(project, plan, ended_search(plan))
    before = (project / "skillwalker.lock").read_bytes()
    remember(project, plan, ended_search(plan, verdict=Verdict.INCONCLUSIVE))
    assert (project / "skillwalker.lock").read_bytes() == before


def further(text: str, looks: int) -> tuple[Order, Earlier]:
    """An order, and the finished run to which rounds are added."""
    earlier = Earlier(
        folder=Path("output/20261130T120000"),
        record={"original_description": text},
        more=FurtherRounds(rounds=2, looks=looks),
    )
    return replace(Catalogue(Path()).task().template, engine="docker"), earlier


@pytest.mark.parametrize(("asked", "counted"), [(2, 3), (5, 5)], ids=["others looked", "alone"])
def test_further_rounds_are_the_look_that_comes_next(
    project: Path, plan: Plan, asked: int, counted: int
) -> None:
    for number in (1, 2):
        run_id = f"20261130T12000{number}"
        looked = replace(plan, looks=number)
        remember(project, looked, replace(ended_search(looked), run_id=run_id))
    order, earlier = further(plan.target.description, asked)
    more = with_further(order, plan, earlier, project=project, simulated=False).more
    assert more == (FurtherRounds(rounds=2, looks=counted),)


def test_further_rounds_are_refused_where_another_text_is_in_the_file(
    project: Path, plan: Plan
) -> None:
    order, earlier = further(BETTER, 2)
    with pytest.raises(StoreError, match="skillwalker undo 20261130T120000"):
        with_further(order, plan, earlier, project=project, simulated=False)
    plain = replace(earlier, more=None)
    assert with_further(order, plan, plain, project=project, simulated=False) is order


# --- verdicts ----------------------------------------------------------------------------------


def tally(case: str, model: str, *, passed: bool | None) -> CaseTally:
    return CaseTally(
        case=case,
        model=model,
        set=CaseSet.TRAIN,
        should_trigger=True,
        triggered=0 if passed is None else int(passed),
        not_triggered=0 if passed is None else int(not passed),
        undecided=int(passed is None),
    )


def run_with(plan: Plan, *tallies: CaseTally, applied: bool = False) -> RecordedRun:
    """A run whose original has some tallies, and whose best has none."""
    numbers = (2, 1) if applied else (1, 2)
    iterations = tuple(
        RecordedIteration(
            number=number,
            phase=Phase.EXPLORE,
            candidate=str(number),
            description=str(number),
            cases=cases,
        )
        for number, cases in zip(numbers, (tallies, ()), strict=True)
    )
    summary = ended_search(plan, applied=applied, gate=gate(passed=True))
    return RecordedRun(summary=summary, cases=(), iterations=iterations, trials=(), answers=())


@pytest.mark.parametrize("applied", [False, True], ids=["the original", "what was written"])
def test_cases_stand_as_under_the_text_that_the_file_held(plan: Plan, *, applied: bool) -> None:
    tallies = (
        tally("yes 0", "sonnet", passed=True),
        tally("yes 1", "sonnet", passed=False),
        tally("yes 2", "sonnet", passed=None),
    )
    found = earlier_verdicts(run_with(plan, *tallies, applied=applied), plan.cases)
    assert [found[f"yes {n}", "sonnet"] for n in range(4)] == [True, False, None, None]


def test_a_new_model_takes_the_verdicts_of_the_only_one_of_before(plan: Plan) -> None:
    only = tally("yes 0", "haiku", passed=True)
    assert earlier_verdicts(run_with(plan, only), plan.cases)["yes 0", "sonnet"] is True
    several = (only, tally("yes 0", "opus", passed=True))
    assert earlier_verdicts(run_with(plan, *several), plan.cases)["yes 0", "sonnet"] is None


def test_a_run_without_the_text_cannot_be_compared(plan: Plan) -> None:
    run = replace(run_with(plan), iterations=())
    with pytest.raises(StoreError, match="measured nothing"):
        earlier_verdicts(run, plan.cases)
