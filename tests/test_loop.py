"""The harness is tested as an instrument: what goes in as a rate must come out as that rate."""

import dataclasses
import hashlib
import json
import re
from pathlib import Path

import anyio
import pytest

from skillwalker.completers.limited import LimitedCompleter
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.scores import CaseResult
from skillwalker.datatypes.summary import IterationDone
from skillwalker.datatypes.trials import Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Purpose, StopReason, Verdict
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import CompletionError, EngineUnavailableError
from skillwalker.limits import Limits
from skillwalker.loop import MeasuredRun, improve
from skillwalker.preflight import check_instrument
from skillwalker.steps.step_5_score import rates
from skillwalker.verdict import summarise
from tests.bench import (
    NEGATIVES,
    POSITIVES,
    Bench,
    call_cases,
    make_bench_project,
    plan_of,
    reply,
    write_cases,
)
from tests.fakes import (
    ChanceEngine,
    FailingEngine,
    MemoryJournal,
    RaisingEngine,
    ScriptedCompleter,
    always_engine,
    call_of,
    engine_facts,
    never_engine,
    transcript,
)

BETTER = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."


@dataclasses.dataclass(slots=True)
class TextEngine:
    """Triggers positives only under one description: a world in which that text is the best."""

    good: str
    facts: EngineFacts = dataclasses.field(default_factory=engine_facts)
    controls_pass: bool = True

    async def run(self, invocation: Invocation) -> Transcript:
        """Look at the text in the plugin that is shown."""
        called_as = invocation.called_as
        assert called_as is not None
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        explicit = invocation.prompt.startswith("Use the ")
        wanted = invocation.prompt in POSITIVES and self.good in shown
        if wanted or (explicit and (self.controls_pass or self.good not in shown)):
            return transcript(call_of(called_as))
        return transcript()


def loop(
    project: Path, bench: Bench, config: LoopConfig | None = None, **tools: object
) -> MeasuredRun:
    plan = plan_of(project, config, kind="scil" if bench.max_iterations > 1 else "measure")
    return anyio.run(improve, plan, bench.tools(**tools))


def original_results(measured: MeasuredRun) -> tuple[CaseResult, ...]:
    return measured.history.iterations[0].results


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_bench_project(tmp_path)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(workdir=tmp_path / "work")


# --- as an instrument --------------------------------------------------------------------------


def test_an_engine_that_always_triggers_has_recall_1_and_specificity_0(
    project: Path, bench: Bench
) -> None:
    bench.engine, bench.max_iterations = always_engine(), 1
    measured = rates(original_results(loop(project, bench)))
    assert (measured.recall.rate, measured.specificity.rate) == (1.0, 0.0)
    assert measured.balanced.rate == 0.5


def test_an_engine_that_never_triggers_has_recall_0_and_specificity_1(
    project: Path, bench: Bench
) -> None:
    bench.engine, bench.max_iterations = never_engine(), 1
    measured = rates(original_results(loop(project, bench)))
    assert (measured.recall.rate, measured.specificity.rate) == (0.0, 1.0)


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
def test_an_engine_that_triggers_with_probability_p_has_recall_p(tmp_path: Path, p: float) -> None:
    prompts = [f"{POSITIVES[0]} number {n} of {n * 7919}" for n in range(400)]
    project = make_bench_project(tmp_path, cases=call_cases(positives=prompts, negatives=NEGATIVES))
    bench = Bench(workdir=tmp_path / "w", engine=ChanceEngine(p), max_iterations=1)
    recall = rates(original_results(loop(project, bench))).recall.rate
    assert recall == pytest.approx(p, abs=0.08)


def test_an_engine_that_always_fails_gives_no_rate_at_all(project: Path, bench: Bench) -> None:
    engine = FailingEngine()
    measured = loop(project, bench, engine=engine)
    assert measured.stopped is StopReason.UNDECIDED
    assert measured.history.iterations == ()
    assert measured.best is None
    assert measured.cause is not None
    assert "crash" in measured.cause


def test_an_engine_that_cannot_run_ends_the_run_with_its_words(project: Path, bench: Bench) -> None:
    engine = RaisingEngine(EngineUnavailableError("no daemon answers; start it"))
    measured = loop(project, bench, engine=engine)
    assert measured.stopped is StopReason.PREFLIGHT
    assert measured.cause == "no daemon answers; start it"


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        pytest.param(always_engine(), "unrelated prompt", id="always"),
        pytest.param(never_engine(), "asks for the target by name", id="never"),
    ],
)
def test_controls_refuse_an_instrument_that_cannot_tell(
    project: Path, bench: Bench, engine: ChanceEngine, words: str
) -> None:
    measured = loop(project, bench, engine=engine, preflight=check_instrument)
    assert measured.stopped is StopReason.PREFLIGHT
    assert measured.cause is not None
    assert words in measured.cause
    assert {trial.set for trial in measured.trials} == {CaseSet.CONTROL}
    assert len(measured.trials) == 4


# --- the search and the gate -------------------------------------------------------------------


def test_a_better_text_is_found_confirmed_and_called_improved(project: Path, bench: Bench) -> None:
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    plan = plan_of(project)
    engine = TextEngine(good="Version 2.")
    tools = bench.tools(engine=engine, completer=completer, preflight=check_instrument)
    measured = anyio.run(improve, plan, tools)
    assert measured.best is not None
    assert measured.best.number == 3
    assert measured.gate is not None
    assert measured.gate.passed
    confirm = [trial for trial in measured.trials if trial.set is CaseSet.CONFIRM]
    assert len(confirm) == 2 * 12 * measured.gate.rounds
    summary = summarise(plan, measured, run_id="r", facts=engine.facts)
    assert summary.verdict is Verdict.IMPROVED
    assert summary.measured_on == "confirm"
    assert summary.original is not None
    assert summary.best is not None
    assert (summary.original.recall.rate, summary.best.recall.rate) == (0.0, 1.0)


def test_a_winner_that_fails_its_controls_is_refused(project: Path, bench: Bench) -> None:
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    engine = TextEngine(good="Version 1.", controls_pass=False)
    measured = loop(project, bench, engine=engine, completer=completer, preflight=check_instrument)
    assert measured.gate is not None
    assert not measured.gate.passed
    assert "controls" in measured.gate.reason


def test_the_controls_are_made_for_the_text_that_is_checked(project: Path, bench: Bench) -> None:
    """What has nothing to do with the original may be what the winner is about."""
    texts: list[str] = []

    async def preflight(target: Target, *_: object) -> None:
        texts.append(target.description)

    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    engine = TextEngine(good="Version 2.")
    measured = loop(project, bench, engine=engine, completer=completer, preflight=preflight)
    assert measured.best is not None
    assert texts == [measured.history.original, measured.best.description]


def test_a_text_that_is_no_better_is_not_confirmed(project: Path, bench: Bench) -> None:
    bench.engine = never_engine()
    bench.completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    measured = loop(project, bench)
    assert measured.best is measured.history.iterations[0]
    assert measured.gate is None
    assert not any(trial.set is CaseSet.CONFIRM for trial in measured.trials)


def test_without_a_gate_nothing_is_confirmed(project: Path, bench: Bench) -> None:
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    config = LoopConfig(gate=None)
    plan = plan_of(project, config)
    engine = TextEngine(good="Version 1.")
    measured = anyio.run(improve, plan, bench.tools(engine=engine, completer=completer))
    summary = summarise(plan, measured, run_id="r", facts=engine.facts)
    assert summary.improved
    assert summary.gate is None
    assert summary.measured_on == "search"


def test_an_improver_that_dies_leaves_the_best_so_far_to_be_confirmed(
    project: Path, bench: Bench
) -> None:
    completer = ScriptedCompleter([reply(f"{BETTER} Version 1."), CompletionError("API is down")])
    measured = loop(project, bench, engine=TextEngine(good="Version 1."), completer=completer)
    assert measured.stopped is StopReason.IMPROVER
    assert measured.cause == "API is down"
    assert measured.gate is not None
    assert measured.gate.passed


def test_run_numbers_go_on_over_search_and_confirm_rounds(project: Path, bench: Bench) -> None:
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    measured = loop(project, bench, engine=TextEngine(good="Version 2."), completer=completer)
    runs: dict[tuple[str, str], list[int]] = {}
    for trial in measured.trials:
        runs.setdefault((trial.candidate, trial.case), []).append(trial.run_index)
    assert all(indexes == list(range(len(indexes))) for indexes in runs.values())


# --- what must change nothing ------------------------------------------------------------------


def outcome_of(measured: MeasuredRun) -> list[tuple[object, ...]]:
    rows = [
        (trial.candidate, trial.case, trial.run_index, trial.set, trial.outcome, trial.iteration)
        for trial in measured.trials
    ]
    return sorted(rows)


def simulated_run(project: Path, workdir: Path, **settings: int) -> MeasuredRun:
    from skillwalker.engines.simulated import SimulatedEngine

    config = LoopConfig(**settings)  # type: ignore[arg-type]  # integers only
    bench = Bench(workdir=workdir, runs=config.runs_per_query)
    return loop(
        project,
        bench,
        config,
        engine=SimulatedEngine(seed=config.seed),
        completer=SimulatedCompleter(),
        preflight=check_instrument,
    )


def test_concurrency_changes_nothing(project: Path, tmp_path: Path) -> None:
    one = simulated_run(project, tmp_path / "a", concurrency=1, runs_per_query=3)
    many = simulated_run(project, tmp_path / "b", concurrency=32, runs_per_query=3)
    assert outcome_of(one) == outcome_of(many)
    assert one.gate == many.gate


def test_the_order_of_cases_changes_nothing(project: Path, tmp_path: Path) -> None:
    before = simulated_run(project, tmp_path / "a")
    write_cases(project, "review", call_cases()[::-1])
    after = simulated_run(project, tmp_path / "b")
    assert outcome_of(before) == outcome_of(after)


def test_a_seed_is_a_result(project: Path, tmp_path: Path) -> None:
    first = simulated_run(project, tmp_path / "a", seed=3)
    again = simulated_run(project, tmp_path / "b", seed=3)
    assert outcome_of(first) == outcome_of(again)


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 5, 13, 37])
def test_a_limit_on_trials_is_kept(project: Path, bench: Bench, limit: int) -> None:
    bench.limits = Limits(max_trials=limit)
    bench.completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    measured = loop(project, bench)
    assert len(bench.journal.written) <= limit
    assert measured.stopped is StopReason.BUDGET
    assert (measured.best is None) == (limit < 12)


def priced(_purpose: Purpose, model: str) -> float | None:
    """A prior that knows the price of whom it is told, and of nobody else."""
    return 0.01 if model else None


def test_a_budget_in_dollars_that_is_ample_lets_the_improver_be_asked(
    project: Path, bench: Bench
) -> None:
    bench.limits = limits = Limits(max_cost_usd=5.0, prior=priced)
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    limited = LimitedCompleter(
        inner=completer, limits=limits, purpose=Purpose.IMPROVER, model="claude-opus-5-5", grace=1.0
    )
    measured = loop(project, bench, completer=limited)
    assert completer.prompts, measured.cause
    assert measured.stopped is not StopReason.BUDGET
    assert len(measured.history.iterations) > 1


def test_a_limit_in_a_proposal_keeps_what_was_asked_and_is_no_refusal(
    project: Path, bench: Bench
) -> None:
    limits = Limits(max_cost_usd=1.0)
    completer = ScriptedCompleter([reply("short")] * 3, usage=Usage(output_tokens=9, cost_usd=0.6))
    bench.limits = limits
    limited = LimitedCompleter(
        inner=completer, limits=limits, purpose=Purpose.IMPROVER, model="m", grace=1.0
    )
    measured = loop(project, bench, completer=limited)
    assert measured.stopped is StopReason.BUDGET
    assert measured.reached is not None
    assert (measured.reached.flag, measured.reached.refused_usd) == ("--max-cost-usd", 0.6)
    assert len(completer.prompts) == 1
    assert bench.journal.answers == {}  # so that a later life asks again
    assert [len(cut.exchanges) for cut in bench.journal.cut.values()] == [1]
    assert measured.cause is not None
    assert measured.cause.startswith("$0.60 of $1.00")
    assert len(measured.history.iterations) == 1


def test_a_run_that_was_killed_pays_for_nothing_twice(project: Path, tmp_path: Path) -> None:
    def go(
        journal: MemoryJournal, workdir: str, limits: Limits
    ) -> tuple[MeasuredRun, ChanceEngine]:
        bench = Bench(workdir=tmp_path / workdir, engine=ChanceEngine(0.5), journal=journal)
        replies = [reply(f"{BETTER} Version {n}.") for n in range(1 + len(journal.answers), 5)]
        bench.completer, bench.limits = ScriptedCompleter(replies), limits
        return loop(project, bench, engine=TextEngine(good="Version 2.")), bench.engine

    whole, _ = go(MemoryJournal(), "a", Limits())
    journal = MemoryJournal()
    go(journal, "b", Limits(max_trials=30))
    resumed, _ = go(journal, "c", Limits())
    assert outcome_of(resumed) == outcome_of(whole)
    assert len(journal.written) == len(whole.trials)


def odd_words(key: str) -> str:
    """Words that no other prompt has, so that no two are near-duplicates."""
    letters = (
        hashlib.sha256(key.encode())
        .hexdigest()
        .translate(str.maketrans("0123456789", "ghijklmnop"))
    )
    return " ".join(letters[start : start + 8] for start in range(0, 64, 8))


# --- what the improver may not see -------------------------------------------------------------


def test_the_improver_sees_no_holdout_control_neighbour_or_confirm_text(tmp_path: Path) -> None:
    positives = [f"yes{n:02d}canary {odd_words(f'yes{n}')}" for n in range(16)]
    negatives = [f"no{n:02d}canary {odd_words(f'no{n}')}" for n in range(16)]
    project = make_bench_project(
        tmp_path, cases=call_cases(positives=positives, negatives=negatives)
    )
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 10)])
    bench = Bench(workdir=tmp_path / "w", engine=ChanceEngine(0.4), max_iterations=9)
    config = LoopConfig(holdout=0.5, max_iterations=9)
    measured = loop(project, bench, config, completer=completer)
    plan = plan_of(project, config)
    held_out = {s.case.prompt for s in plan.cases if s.set is CaseSet.HOLDOUT}
    shown = {s.case.prompt for s in plan.cases if s.set is CaseSet.TRAIN}
    assert len(held_out) >= 4
    seen = "\n".join(completer.prompts)
    leaked = [prompt for prompt in held_out if prompt.split()[0] in seen]
    assert leaked == []
    assert any(prompt in seen for prompt in shown)
    assert "control" not in json.dumps([p for p in completer.prompts if "capital of Norway" in p])
    assert len(measured.answers) == 8


def test_operators_follow_the_phases(project: Path, bench: Bench) -> None:
    bench.engine = ChanceEngine(0.5)
    bench.max_iterations = 6
    bench.completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 6)])
    loop(project, bench, LoopConfig(max_iterations=6))
    operators = [
        next(op for op in Operator if re.search(rf'"operator": ?"{op.value}"', prompt))
        for prompt in bench.completer.prompts
    ]
    assert operators == ["rewrite", "rewrite", "combine", "combine", "edit"]


def test_each_iteration_is_told_with_its_results(project: Path, bench: Bench) -> None:
    bench.completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 5)])
    measured = loop(project, bench)
    told = [event.iteration for event in bench.events if isinstance(event, IterationDone)]
    assert tuple(told) == measured.history.iterations
    assert len(told) >= 4  # The draws may be alike from one iteration to the next, which ends it.
    assert all(len(iteration.results) == 12 for iteration in told)
