"""What holds of a run under either strategy: killed and resumed, slow or wide, in any order."""

from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.config import LoopConfig
from skillwalker.datatypes.improver import Answer
from skillwalker.datatypes.summary import IterationDone, SampleDone, StepStarted
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, StopReason
from skillwalker.engines.simulated import SimulatedEngine
from skillwalker.limits import Limits
from skillwalker.loop import MeasuredRun, improve
from skillwalker.preflight import check_instrument, control_trials
from skillwalker.search.choice import choose_strategy
from skillwalker.search.protocol import Stop
from skillwalker.search.race import Race
from tests.bench import Bench, call_cases, make_bench_project, plan_of, write_cases
from tests.fakes import MemoryJournal

BOTH = pytest.mark.parametrize("search", ["phases", "race"])
KILLS = 3


class KilledError(BaseException):
    """The process is gone."""


@dataclass(slots=True)
class DyingJournal(MemoryJournal):
    """Is killed at its n-th record, right before or right after that is on the disk."""

    dies_at: int | None = None
    keeps_last: bool = True
    records: int = 0
    answered_at: list[int] = field(default_factory=list)

    def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
        """Record a trial, or die."""
        with self._living():
            return MemoryJournal.record_trial(self, trial, raw)
        raise AssertionError

    def record_answer(self, number: int, answer: Answer) -> None:
        """Record an answer, or die."""
        with self._living():
            MemoryJournal.record_answer(self, number, answer)
        self.answered_at.append(self.records)

    def _living(self) -> "_Life":
        """Count a record."""
        self.records += 1
        return _Life(dies=self.records == self.dies_at, keeps_last=self.keeps_last)


@dataclass(slots=True)
class _Life:
    """One record."""

    dies: bool
    keeps_last: bool

    def __enter__(self) -> None:
        """Die before the record."""
        if self.dies and not self.keeps_last:
            raise KilledError

    def __exit__(self, *_: object) -> None:
        """Die after it."""
        if self.dies:
            raise KilledError


@dataclass(slots=True)
class Runs:
    """Runs on one project under one strategy."""

    project: Path
    folder: Path
    search: str
    bench: list[Bench] = field(default_factory=list)

    def go(
        self,
        *,
        journal: MemoryJournal | None = None,
        limits: Limits | None = None,
        concurrency: int = 4,
        seed: int = 1,
        holdout: float = 0.0,
        race_trials: int | None = None,
    ) -> MeasuredRun:
        """Do a run, simulated throughout."""
        config = LoopConfig(
            search=self.search,
            race_trials=race_trials,
            seed=seed,
            concurrency=concurrency,
            holdout=holdout,
            runs_per_query=3 if self.search == "phases" else 1,
        )
        plan = plan_of(self.project, config)
        bench = Bench(
            workdir=self.folder / f"{len(self.bench)}",
            journal=journal or MemoryJournal(),
            limits=limits or Limits(),
        )
        self.bench.append(bench)
        tools = bench.tools(
            engine=SimulatedEngine(seed=seed),
            completer=SimulatedCompleter(),
            preflight=check_instrument,
            strategy=choose_strategy(config, plan.cases, controls=2 * control_trials(plan.models)),
        )
        return anyio.run(improve, plan, tools)


@pytest.fixture
def runs(tmp_path: Path, search: str) -> Runs:
    return Runs(project=make_bench_project(tmp_path), folder=tmp_path, search=search)


def outcome_of(measured: MeasuredRun) -> list[tuple[object, ...]]:
    return sorted(
        (trial.candidate, trial.case, trial.run_index, trial.set, trial.outcome, trial.iteration)
        for trial in measured.trials
    )


def told(measured: MeasuredRun) -> tuple[object, ...]:
    """All of a run that a user sees."""
    return outcome_of(measured), measured.gate, measured.best, measured.stopped, measured.history


@BOTH
def test_killed_at_any_moment_and_resumed_it_ends_as_unkilled(runs: Runs) -> None:
    journal = DyingJournal()
    whole = runs.go(journal=journal)
    assert whole.gate is not None
    spread = range(1, journal.records + 1, journal.records // KILLS)
    for dies_at in (*spread, journal.answered_at[0], journal.answered_at[-1]):
        dying = DyingJournal(dies_at=dies_at, keeps_last=dies_at % 2 == 0)
        with pytest.raises(KilledError):
            runs.go(journal=dying)
        resumed = runs.go(journal=dying)
        assert told(resumed) == told(whole)
        assert len(dying.written) == len(whole.trials)
        assert len(dying.answers) == len(whole.answers)


@BOTH
def test_a_step_that_a_limit_cut_enters_no_score_and_is_finished_first(runs: Runs) -> None:
    whole = runs.go()
    for limit in range(5, len(whole.trials), max(1, len(whole.trials) // KILLS)):
        journal = MemoryJournal()
        cut = runs.go(journal=journal, limits=Limits(max_trials=limit))
        assert cut.stopped is StopReason.BUDGET
        assert len(journal.written) <= limit
        events = len(cut.history.events)
        assert cut.history.events == whole.history.events[:events]
        assert told(runs.go(journal=journal)) == told(whole)


@BOTH
def test_concurrency_changes_nothing(runs: Runs) -> None:
    one, many = runs.go(concurrency=1), runs.go(concurrency=32)
    assert told(one) == told(many)


@pytest.mark.parametrize("search", ["race"])
def test_in_a_race_a_case_has_no_runs_of_its_own(runs: Runs) -> None:
    before = outcome_of(runs.go())
    write_cases(runs.project, "review", [{**case, "runs": 5} for case in call_cases()])
    assert outcome_of(runs.go()) == before


@BOTH
def test_the_order_of_cases_changes_nothing(runs: Runs) -> None:
    before = outcome_of(runs.go())
    write_cases(runs.project, "review", call_cases()[::-1])
    assert outcome_of(runs.go()) == before


@BOTH
def test_a_seed_is_a_result(runs: Runs) -> None:
    assert told(runs.go(seed=3)) == told(runs.go(seed=3)) != told(runs.go(seed=4))


@BOTH
def test_run_numbers_go_on_over_search_and_confirm_rounds(runs: Runs) -> None:
    numbers: dict[tuple[str, str], list[int]] = {}
    for trial in runs.go().trials:
        numbers.setdefault((trial.candidate, trial.case), []).append(trial.run_index)
    assert all(sorted(found) == list(range(len(found))) for found in numbers.values())


@pytest.mark.parametrize("search", ["race"])
def test_a_race_keeps_within_its_budget_and_confirms_in_whole_rounds(runs: Runs) -> None:
    measured = runs.go()
    confirm = [trial for trial in measured.trials if trial.set is CaseSet.CONFIRM]
    search = [trial for trial in measured.trials if trial.set is CaseSet.TRAIN]
    assert len(confirm) == 2 * 12
    assert len(search) + len(confirm) <= 120
    kept = sum(len(result.trials) for i in measured.history.iterations for result in i.results)
    assert kept == len(search)


@pytest.mark.parametrize("search", ["race"])
def test_a_race_is_told_step_by_step(runs: Runs) -> None:
    """A candidate is done once; what is measured further comes with all its trials."""
    measured = runs.go()
    events = runs.bench[0].events
    done = [event.iteration.number for event in events if isinstance(event, IterationDone)]
    assert done == [iteration.number for iteration in measured.history.iterations]
    last = {
        iteration.number: iteration
        for event in events
        if isinstance(event, SampleDone)
        for iteration in event.iterations
    }
    assert all(measured.history.iterations[number - 1] == i for number, i in last.items())
    beside = [event for event in events if isinstance(event, StepStarted) and event.beside]
    assert beside
    assert {event.trials for event in beside} == {12}


@pytest.mark.parametrize("search", ["race"])
def test_what_is_held_out_is_measured_and_chosen_by(runs: Runs) -> None:
    words = [f"{word} thing number {at} {at * 7919}" for at, word in enumerate("abcdefghijkl")]
    cases = call_cases(positives=words, negatives=[f"no {word}" for word in words])
    write_cases(runs.project, "review", cases)
    measured = runs.go(holdout=0.5)
    sets = {result.set for i in measured.history.iterations for result in i.results}
    assert sets == {CaseSet.TRAIN, CaseSet.HOLDOUT}


@pytest.mark.parametrize("search", ["race"])
def test_a_search_whose_best_text_passed_is_not_unresolved(runs: Runs) -> None:
    measured = runs.go(seed=0, race_trials=60)
    strategy = Race(cases=12, budget=60, kept_back=11)
    assert strategy.next_work(measured.history) == Stop(reason=StopReason.UNRESOLVED)
    assert measured.gate is not None
    assert measured.gate.passed
    assert measured.stopped is StopReason.CONVERGED
