from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import CaseResult, Cell
from skillwalker.datatypes.trials import Invocation, Transcript, Trial, Usage
from skillwalker.datatypes.vocabulary import Outcome, StopReason
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.errors import (
    BudgetReached,
    EngineUnavailableError,
    TrialError,
    UndecidedError,
)
from skillwalker.limits import Limits
from skillwalker.steps.step_4_run_trials import run_trials
from tests import fakes
from tests.days import Day
from tests.measured import BUILT, cell

LENIENT = LoopConfig(concurrency=4, max_undecided=1.0)


@dataclass(slots=True)
class ScriptEngine:
    """Answers by letter for (case, run_index): t, n, u failure, x TrialError, ! unavailable, r 429.

    The second letter is the answer to a second attempt; what is not in the script is n.
    `delays` makes trials overtake each other.
    """

    script: dict[tuple[str, int], str] = field(default_factory=dict)
    delays: Random | None = None
    cost: float = 0.0
    resets_at: float | None = None
    asked: list[tuple[str, int]] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    facts: EngineFacts = field(default_factory=fakes.engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Answer, after a while."""
        key = (invocation.prompt.removeprefix("please "), invocation.run_index)
        letter = (self.script.get(key, "n") + "nnn")[self.asked.count(key)]
        self.asked.append(key)
        self.invocations.append(invocation)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        for _ in range(self.delays.randrange(6) if self.delays else 1):
            await checkpoint()
        self.running -= 1
        usage = Usage(output_tokens=1, cost_usd=self.cost)
        return replace(self._answer(letter, invocation), usage=usage)

    def _answer(self, letter: str, invocation: Invocation) -> Transcript:
        match letter:
            case "t":
                assert invocation.called_as is not None
                return fakes.transcript(fakes.call_of(invocation.called_as))
            case "u":
                return fakes.transcript(failure="overloaded", detail="529 on purpose")
            case "r":
                limited = fakes.transcript(failure="rate", detail="429 on purpose")
                return replace(limited, resets_at=self.resets_at)
            case "x":
                raise TrialError("set_up", "no folder on purpose")
            case "!":
                raise EngineUnavailableError("no binary on purpose")
            case _:
                return fakes.transcript()


def run(
    cells: Sequence[Cell],
    engine: Engine,
    *,
    journal: fakes.MemoryJournal | None = None,
    config: LoopConfig = LENIENT,
    limits: Limits | None = None,
    on_trial: Callable[[Trial], None] = lambda _: None,
) -> tuple[CaseResult, ...]:
    async def main() -> tuple[CaseResult, ...]:
        return await run_trials(
            cells,
            built=BUILT,
            iteration=2,
            engine=engine,
            journal=journal or fakes.MemoryJournal(),
            config=config,
            limits=limits or Limits(),
            on_trial=on_trial,
            on_reused=lambda trial: pytest.fail(f"reused {trial}"),
        )

    return anyio.run(main)


def letters(result: CaseResult) -> str:
    return "".join(trial.outcome.value[0] for trial in result.trials)


def script(name: str, *answers: str) -> dict[tuple[str, int], str]:
    return {(name, index): answer for index, answer in enumerate(answers)}


# --- the vote ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "answers", "run_letters"),
    [
        pytest.param(1, ["t"], "t", id="one run"),
        pytest.param(3, ["t", "t", "n"], "tt", id="decided after two"),
        pytest.param(3, ["t", "n", "n"], "tnn", id="third decides"),
        pytest.param(5, ["n", "n", "n", "t", "t"], "nnn", id="decided after three of five"),
        pytest.param(5, ["t", "n", "t", "t", "n"], "tntt", id="decided after four"),
        pytest.param(5, ["t", "n", "t", "n", "n"], "tntnn", id="fifth decides"),
        pytest.param(2, ["t", "t"], "tt", id="two of two: one could make a tie"),
        pytest.param(3, ["t", "uu", "t"], "tut", id="undecided leaves the vote"),
        pytest.param(3, ["uu", "uu", "t"], "uut", id="one decided of three"),
        pytest.param(3, ["ut", "t", "n"], "tt", id="a retry decides"),
        pytest.param(3, ["xt", "t", "n"], "tt", id="a retry of what could not start"),
    ],
)
def test_runs_until_the_vote_is_decided(runs: int, answers: list[str], run_letters: str) -> None:
    (result,) = run([cell("case", runs=runs)], ScriptEngine(script("case", *answers)))
    assert letters(result) == run_letters
    assert [trial.run_index for trial in result.trials] == list(range(len(run_letters)))


@pytest.mark.parametrize(("runs", "together"), [(1, 1), (2, 1), (3, 2), (5, 3), (7, 4)])
def test_the_runs_that_a_vote_needs_start_together_and_no_more(runs: int, together: int) -> None:
    engine = ScriptEngine(script("case", *"tntntnt"))
    run([cell("case", runs=runs)], engine, config=replace(LENIENT, concurrency=16))
    assert engine.most_running == together
    assert len(engine.asked) == runs


def test_repeats_of_a_case_are_started_back_to_back() -> None:
    engine = ScriptEngine({("a", 0): "t", ("a", 1): "n", ("b", 0): "uut"})
    cells = [cell("a", runs=3), cell("b"), cell("c")]
    run(cells, engine, config=replace(LENIENT, concurrency=1))
    assert engine.asked == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 0), ("c", 0)]


def test_run_index_counts_from_the_first_index() -> None:
    engine = ScriptEngine({("case", 5): "t", ("case", 6): "n", ("case", 7): "t"})
    (result,) = run([cell("case", runs=3, first_index=5)], engine)
    assert [trial.run_index for trial in result.trials] == [5, 6, 7]
    assert [invocation.run_index for invocation in engine.invocations] == [5, 6, 7]


def test_nothing_to_measure() -> None:
    assert run([], ScriptEngine()) == ()


@given(
    rows=st.lists(
        st.tuples(st.sampled_from([1, 3, 5]), st.lists(st.text("tnux", min_size=2, max_size=2))),
        max_size=6,
    ),
    limit=st.integers(1, 32),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_results_do_not_depend_on_concurrency(
    rows: list[tuple[int, list[str]]], limit: int, seed: int
) -> None:
    cells = [cell(f"case {n}", runs=runs) for n, (runs, _) in enumerate(rows)]
    answers: dict[tuple[str, int], str] = {}
    for n, (_, given_letters) in enumerate(rows):
        answers |= script(f"case {n}", *given_letters)
    one_by_one = run(cells, ScriptEngine(answers), config=replace(LENIENT, concurrency=1))
    engine = ScriptEngine(answers, delays=Random(seed))  # noqa: S311 (no secret)
    assert run(cells, engine, config=replace(LENIENT, concurrency=limit)) == one_by_one
    assert engine.most_running <= limit
    assert [result.case.name for result in one_by_one] == [c.case.name for c in cells]


# --- what an engine is told and what is recorded ------------------------------------------------


def test_an_engine_is_told_the_case_and_the_copy(tmp_path: Path) -> None:
    case = replace(cell("case").case, scaffold=tmp_path, model="opus", max_turns=7, timeout=9.5)
    engine = ScriptEngine()
    run([replace(cell("case"), case=case), cell("plain")], engine)
    assert engine.invocations[0] == Invocation(
        prompt="please case",
        plugin_dirs=BUILT.plugin_dirs,
        project_dir=None,
        scaffold=tmp_path,
        model="opus",
        max_turns=7,
        timeout=9.5,
        called_as=BUILT.called_as,
        run_index=0,
    )
    plain = engine.invocations[1]
    assert (plain.max_turns, plain.timeout) == (LENIENT.max_turns, LENIENT.timeout)


def test_a_trial_says_under_what_it_was_run() -> None:
    (result,) = run([cell("case")], ScriptEngine(script("case", "t")))
    (trial,) = result.trials
    assert (trial.case, trial.candidate, trial.iteration) == ("case", BUILT.candidate, 2)
    assert (trial.outcome, trial.step, trial.attempt) == (Outcome.TRIGGERED, 1, 0)
    assert (trial.engine, trial.endpoint, trial.effort) == ("fake", "simulated", "default")
    assert len(trial.cell_key) == 64


def test_a_trial_is_recorded_before_it_counts() -> None:
    journal = fakes.MemoryJournal()
    seen: list[Trial] = []

    def on_trial(trial: Trial) -> None:
        assert journal.written[-1] == trial
        seen.append(trial)

    run(
        [cell("a", runs=3), cell("b")],
        ScriptEngine(script("b", "uu")),
        journal=journal,
        on_trial=on_trial,
    )
    assert seen == journal.written
    assert [(t.case, t.attempt) for t in seen if t.case == "b"] == [("b", 0), ("b", 1)]


def test_the_journal_decides_where_the_stream_lies() -> None:
    class FilingJournal(fakes.MemoryJournal):
        """Names a transcript for each trial."""

        def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
            return replace(trial, transcript=f"transcripts/{len(raw)}")

    (result,) = run([cell("case")], ScriptEngine(), journal=FilingJournal())
    assert result.trials[0].transcript == "transcripts/0"


# --- undecided ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("letter", "reason"), [pytest.param("u", "overloaded"), pytest.param("x", "set_up")]
)
def test_an_undecided_trial_is_run_once_more_and_keeps_its_reason(letter: str, reason: str) -> None:
    journal = fakes.MemoryJournal()
    (result,) = run([cell("case")], ScriptEngine(script("case", letter * 3)), journal=journal)
    assert [(t.run_index, t.attempt, t.reason) for t in journal.written] == [
        (0, 0, reason),
        (0, 1, reason),
    ]
    assert [trial.attempt for trial in result.trials] == [1]
    assert result.passed is None


def test_what_could_not_be_started_cost_nothing() -> None:
    (result,) = run([cell("case")], ScriptEngine(script("case", "xx")))
    assert result.trials[0].usage.cost_usd == 0.0
    assert result.trials[0].turns == 0


def test_no_trial_can_run() -> None:
    with pytest.raises(EngineUnavailableError, match="no binary on purpose"):
        run([cell(f"case {n}") for n in range(9)], ScriptEngine(script("case 4", "!")))


def undecided_of(total: int, undecided: int) -> ScriptEngine:
    """An engine on which the last ones of so many cases stay undecided."""
    return ScriptEngine({(f"case {n}", 0): "uu" for n in range(total - undecided, total)})


STRICT = LoopConfig(concurrency=1)


@pytest.mark.parametrize(
    ("total", "undecided", "stops"),
    [(30, 3, False), (30, 4, True), (10, 1, False), (9, 1, True), (1, 1, True), (40, 0, False)],
)
def test_more_than_a_tenth_undecided_stops_the_step(
    total: int, undecided: int, stops: bool
) -> None:
    cells = [cell(f"case {n}") for n in range(total)]
    engine = undecided_of(total, undecided)
    if not stops:
        assert len(run(cells, engine, config=STRICT)) == total
        return
    with pytest.raises(UndecidedError) as caught:
        run(cells, engine, config=STRICT)
    assert str(caught.value) == (
        f"{undecided} of {total} trials stayed undecided after a retry, and at most 10% may;"
        f" {undecided} of them by `overloaded` (529 on purpose). Nothing is scored from this step:"
        " remove the cause, then resume the run"
    )
    assert caught.value.reason == "overloaded"


def test_it_stops_as_soon_as_it_is_certain() -> None:
    engine = ScriptEngine({(f"case {n}", 0): "uu" for n in range(100)})
    with pytest.raises(UndecidedError, match="11 of 100"):
        run([cell(f"case {n}") for n in range(100)], engine, config=STRICT)
    assert len(engine.asked) == 22


def test_runs_that_a_vote_did_not_need_are_no_reason_to_pass() -> None:
    """Of 5 x 3 runs at most, 10 were run and 2 of those are undecided: 20 %."""
    answers = {(f"case {n}", i): "tt" for n in range(5) for i in range(3)}
    engine = ScriptEngine(answers | {("case 4", 0): "uu", ("case 4", 1): "uu"})
    cells = [cell(f"case {n}", runs=3) for n in range(5)]
    with pytest.raises(UndecidedError, match="2 of 11"):
        run(cells, engine, config=replace(STRICT, max_undecided=0.15))


def test_the_most_frequent_reason_is_named() -> None:
    answers = {("a", 0): "xx", ("b", 0): "uu", ("c", 0): "uu"}
    with pytest.raises(UndecidedError) as caught:
        run(
            [cell(name) for name in "abc"],
            ScriptEngine(answers),
            config=replace(STRICT, max_undecided=0.7),
        )
    assert caught.value.reason == "overloaded"


# --- limits --------------------------------------------------------------------------------------


def test_a_limit_lets_what_is_in_flight_finish_and_starts_nothing() -> None:
    journal = fakes.MemoryJournal()
    engine = ScriptEngine(delays=Random(1))  # noqa: S311 (no secret)
    limits = Limits(max_trials=5)
    with pytest.raises(BudgetReached) as caught:
        run(
            [cell(f"case {n}") for n in range(20)],
            engine,
            journal=journal,
            limits=limits,
            config=replace(LENIENT, concurrency=3),
        )
    assert caught.value.reason == StopReason.BUDGET
    assert len(engine.asked) == len(journal.written) == 5


def test_a_budget_is_used_as_far_as_it_goes_by_who_is_left() -> None:
    engine = ScriptEngine(cost=0.1)
    limits = Limits(max_cost_usd=1.0, prior=lambda *_: 0.4)  # at first two at a time, no more
    journal = fakes.MemoryJournal()
    with pytest.raises(BudgetReached) as caught:
        run([cell(f"case {n}") for n in range(30)], engine, journal=journal, limits=limits)
    assert (caught.value.reason, caught.value.flag) == (StopReason.BUDGET, "--max-cost-usd")
    assert engine.most_running == 2
    assert 7 <= len(journal.written) == len(engine.asked) <= 10
    assert limits.cost_usd == pytest.approx(0.1 * len(engine.asked))


def test_a_retry_is_a_trial_too() -> None:
    engine = ScriptEngine(script("case", "ut"))
    with pytest.raises(BudgetReached):
        run([cell("case")], engine, limits=Limits(max_trials=1))
    assert len(engine.asked) == 1


def test_just_enough_is_enough() -> None:
    assert len(run([cell("a"), cell("b")], ScriptEngine(), limits=Limits(max_trials=2))) == 2


# --- rate limits ---------------------------------------------------------------------------------


def test_a_rate_limit_pauses_everything_and_burns_no_trial() -> None:
    day = Day()
    engine = ScriptEngine(script("b", "rrrt"), resets_at=day.time + 99)
    journal = fakes.MemoryJournal()
    limits = Limits(max_trials=3, clock=day.clock)
    names = ("a", "b", "c")
    results = run(
        [cell(name) for name in names],
        engine,
        journal=journal,
        limits=limits,
        config=replace(LENIENT, max_undecided=0.0),
    )
    assert [letters(result) for result in results] == ["n", "t", "n"]
    assert [trial.attempt for result in results for trial in result.trials] == [0, 0, 0]
    assert len(journal.written) == limits.trials == 3
    assert len(journal.refused) == 3
    assert {trial.reason for trial in journal.refused} == {"rate"}
    assert sum(day.slept) >= 100


def test_nothing_starts_in_a_pause() -> None:
    day = Day()
    running: list[int] = []
    engine = ScriptEngine({(f"case {n}", 0): "rn" for n in range(4)}, resets_at=day.time + 60)
    day.on_sleep = lambda: running.append(engine.running)
    run([cell(f"case {n}") for n in range(12)], engine, limits=Limits(clock=day.clock))
    assert running
    assert running[-1] == 0
    assert len(engine.asked) == 16


def test_a_rate_limit_that_outlasts_the_pause_stops_the_step() -> None:
    day = Day()
    engine = ScriptEngine(script("b", "r"), resets_at=day.time + 7200)
    journal = fakes.MemoryJournal()
    limits = Limits(max_pause=600, clock=day.clock)
    with pytest.raises(BudgetReached) as caught:
        run([cell("a"), cell("b")], engine, journal=journal, limits=limits)
    assert (caught.value.reason, caught.value.flag) == (StopReason.RATE_LIMIT, "--max-pause")
    assert [trial.case for trial in journal.written] == ["a"]
    assert run([cell("a"), cell("b")], ScriptEngine(), journal=journal)[1].not_triggered == 1


@given(
    most=st.integers(0, 40),
    answers=st.lists(st.text("tnurx", min_size=3, max_size=3), min_size=18, max_size=18),
    slots=st.integers(1, 8),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_no_limit_on_trials_is_passed_whatever_happens(
    most: int, answers: list[str], slots: int, order: Random
) -> None:
    table = {(f"case {n // 3}", n % 3): letters for n, letters in enumerate(answers)}
    engine = ScriptEngine(table, delays=order)
    journal = fakes.MemoryJournal()
    limits = Limits(max_trials=most, clock=Day().clock, max_pause=1e9)
    cells = [cell(f"case {n}", runs=3) for n in range(6)]
    with suppress(BudgetReached):
        config = replace(LENIENT, concurrency=slots)
        run(cells, engine, journal=journal, limits=limits, config=config)
    assert len(journal.written) == limits.trials <= most
    assert len(engine.asked) == len(journal.written) + len(journal.refused)


# --- resuming ------------------------------------------------------------------------------------


@given(
    kept=st.lists(st.booleans(), min_size=12, max_size=12),
    answers=st.lists(st.text("tnu", min_size=2, max_size=2), min_size=12, max_size=12),
)
@settings(max_examples=60, deadline=None)
def test_a_resumed_step_gives_the_result_of_the_unkilled_one_and_pays_nothing_twice(
    kept: list[bool], answers: list[str]
) -> None:
    table = {(f"case {n // 3}", n % 3): letters for n, letters in enumerate(answers)}
    cells = [cell(f"case {n}", runs=3) for n in range(4)]
    whole = fakes.MemoryJournal()
    unkilled = run(cells, ScriptEngine(table), journal=whole)
    journal = fakes.MemoryJournal()
    for keep, (key, trial) in zip(kept, whole.trials.items(), strict=False):
        if keep and (key.attempt == 0 or replace(key, attempt=0) in journal.trials):
            journal.trials[key] = trial
    before = set(journal.trials)
    paid = [(key.case, key.run_index) for key in before]
    engine = ScriptEngine(table, asked=list(paid))
    seen: list[Trial] = []
    assert run(cells, engine, journal=journal, on_trial=seen.append) == unkilled
    assert len(engine.asked) == len(whole.trials)
    assert len(seen) == len(whole.trials)
    assert journal.trials == whole.trials


def test_recorded_trials_need_no_admission() -> None:
    journal = fakes.MemoryJournal()
    cells = [cell("a", runs=3), cell("b")]
    first = run(cells, ScriptEngine(), journal=journal)
    engine = ScriptEngine()
    assert run(cells, engine, journal=journal, limits=Limits(max_trials=0)) == first
    assert engine.asked == []


def test_what_stopped_a_step_is_tried_again_when_the_run_is_resumed() -> None:
    journal = fakes.MemoryJournal()
    cells = [cell(f"case {n}", runs=3) for n in range(4)]
    broken = ScriptEngine({(f"case {n}", i): "uuuu" for n in range(4) for i in range(3)})
    with pytest.raises(UndecidedError):
        run(cells, broken, journal=journal, config=STRICT)
    with pytest.raises(UndecidedError):
        run(cells, replace(broken, asked=[]), journal=journal, config=STRICT)
    repaired = ScriptEngine()
    results = run(cells, repaired, journal=journal, config=STRICT)
    assert [letters(result) for result in results] == ["nn"] * 4


def test_what_is_tried_again_has_a_retry_too() -> None:
    journal = fakes.MemoryJournal()
    cells = [cell(f"case {n}") for n in range(4)]
    with pytest.raises(UndecidedError):
        run(cells, undecided_of(4, 4), journal=journal, config=STRICT)
    engine = ScriptEngine({("case 0", 0): "ut"})
    results = run(cells, engine, journal=journal, config=STRICT)
    assert [letters(result) for result in results] == ["t", "n", "n", "n"]
    assert results[0].trials[0].attempt == 3


def test_few_undecided_trials_of_before_stay_as_they_are() -> None:
    journal = fakes.MemoryJournal()
    cells = [cell(f"case {n}") for n in range(10)]
    before = run(cells, undecided_of(10, 1), journal=journal, config=STRICT)
    engine = ScriptEngine()
    assert run(cells, engine, journal=journal, config=STRICT) == before
    assert engine.asked == []


def test_the_last_recorded_attempt_counts() -> None:
    journal = fakes.MemoryJournal()
    cells = [cell(f"case {n}") for n in range(10)]
    before = run(cells, undecided_of(10, 1), journal=journal, config=STRICT)
    (last,) = before[-1].trials
    decided = replace(last, attempt=2, outcome=Outcome.TRIGGERED, reason=None)
    journal.record_trial(decided, ())
    results = run(cells, ScriptEngine(), journal=journal, config=STRICT)
    assert results[-1].trials == (decided,)
