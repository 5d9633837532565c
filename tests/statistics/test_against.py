"""A measurement against an earlier run: what is found, and what is not cried."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import anyio
import pytest

from skillwalker.config import Login, LoopConfig
from skillwalker.datatypes.against import Against, fell
from skillwalker.datatypes.comparison import AskedCase, Basis, CaseOutcomes, ComparedRun, Which
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.errors import StoreError
from skillwalker.limits import Limits
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.search.recheck import EXTRA_RUNS
from skillwalker.statistics.against import hold_against, judge_against, on_models_of
from tests.bench import call_cases, make_bench_project, places_of
from tests.fakes import call_of, engine_facts, transcript
from tests.user_runs import ASKED_BY_NAME

CASES = 12
"""Of each class."""


def outcomes(letters: str) -> CaseOutcomes:
    """Trials of a case, t(riggered), n(ot) and u(ndecided)."""
    return CaseOutcomes(
        triggered=letters.count("t"),
        not_triggered=letters.count("n"),
        undecided=letters.count("u"),
    )


def run_of(run_id: str, model: str = "sonnet", **cases: str) -> ComparedRun:
    """A side; a case whose name begins with y should trigger."""
    asked = {
        name: AskedCase(should_trigger=name[0] == "y", prompt=name, scaffold=None, max_turns=4)
        for name in cases
    }
    return ComparedRun(
        run_id=run_id,
        target="demo:review",
        suite="review",
        simulated=False,
        engine="docker",
        endpoint="api",
        permission_mode="dontAsk",
        listing_mode="real",
        cli_versions=("2.1.332",),
        efforts=("default",),
        which=Which.ORIGINAL,
        candidate="c",
        description="d",
        basis=Basis.ALL,
        siblings={},
        accepted_changes=(),
        asked=asked,
        outcomes={(name, model): outcomes(letters) for name, letters in cases.items()},
    )


def judge(old: ComparedRun, new: ComparedRun, threshold: float = 10, **values: bool) -> Against:
    firsts = dict.fromkeys(new.outcomes, 1)
    settings = {"is_whole": True, **values}
    return judge_against(old, new, first_runs=firsts, threshold=threshold, **settings)


ALL_RIGHT = {f"y{n}": "t" for n in range(6)} | {f"n{n}": "n" for n in range(6)}
HALF_LOST = ALL_RIGHT | {f"y{n}": "nnnnn" for n in range(4)}


def test_a_drop_is_told_with_its_flipped_cases() -> None:
    found = judge(run_of("a", **ALL_RIGHT), run_of("b", **HALF_LOST))
    assert found.dropped is True
    assert found.dropped_points == pytest.approx(100 / 3)
    assert found.change == pytest.approx(-1 / 3)
    assert [(one.case, one.before, one.after, one.stands) for one in found.flipped] == [
        (f"y{n}", (1, 1), (0, 5), True) for n in range(4)
    ]


@pytest.mark.parametrize(
    ("change", "p_better", "points", "dropped"),
    [
        (-0.10, 0.1, 10, True),
        (-0.099, 0.1, 10, False),
        (-0.10, 0.11, 10, False),
        (-0.01, 0.01, 0, True),
        (0.0, 0.05, 0, False),
        (0.3, 0.99, 10, False),
        (None, None, 10, None),
    ],
    ids=["just", "too small", "may be luck", "any loss", "no loss", "better", "not measured"],
)
def test_a_drop_is_a_large_loss_that_is_no_luck(
    change: float | None, p_better: float | None, points: float, dropped: bool | None
) -> None:
    assert fell(change, p_better, points) is dropped


def test_a_run_that_was_cut_off_decides_nothing() -> None:
    found = judge(run_of("a", **ALL_RIGHT), run_of("b", **HALF_LOST), is_whole=False)
    assert found.dropped is None
    assert found.fell_by(10) is None
    assert found.change == pytest.approx(-1 / 3)


def test_a_flip_that_its_extra_runs_take_back_was_luck() -> None:
    new = run_of("b", **(ALL_RIGHT | {"y0": "ntttt"}))
    (flipped,) = judge(run_of("a", **ALL_RIGHT), new).flipped
    assert (flipped.case, flipped.stands) == ("y0", False)


def test_another_model_is_held_against_the_one_of_before() -> None:
    old, new = run_of("a", "sonnet", **ALL_RIGHT), run_of("b", "haiku", **HALF_LOST)
    found = judge(old, new)
    assert found.dropped is True
    assert found.not_comparable == ()
    assert found.differences[0] == "model sonnet in A, haiku in B"


def test_of_several_models_each_is_held_against_itself() -> None:
    both = run_of("a", "sonnet", **ALL_RIGHT)
    both = replace(both, outcomes={**both.outcomes, ("y0", "opus"): outcomes("t")})
    assert on_models_of(both, both) == both
    moved = on_models_of(both, run_of("b", "haiku", **ALL_RIGHT)).outcomes
    assert ("y0", "haiku") not in moved
    assert ("y1", "haiku") in moved


def alike(run: ComparedRun, *cases: str) -> ComparedRun:
    """The same run, some of its cases near-duplicates of one another."""
    asked = {
        name: replace(one, group="alike" if name in cases else f"only {name}")
        for name, one in run.asked.items()
    }
    return replace(run, asked=asked)


def test_runs_that_one_model_did_for_two_are_no_flips() -> None:
    twice = {name: letter * 2 for name, letter in ALL_RIGHT.items()}
    old, new = run_of("a", **twice), run_of("b", **(twice | {"y0": "nnnn"}))
    found = judge_against(
        old, new, first_runs=dict.fromkeys(new.outcomes, 2), threshold=0.0, is_whole=True
    )
    assert [one.case for one in found.flipped] == ["y0"]


def test_near_duplicates_that_were_lost_together_are_one_loss() -> None:
    right = {f"y{n}": "t" for n in range(8)} | {f"n{n}": "n" for n in range(8)}
    lost, won = ("y0", "y1", "y2", "y3"), ("y4", "y5")
    old = run_of("a", **(right | dict.fromkeys(won, "n")))
    new = run_of("b", **(right | dict.fromkeys(lost, "n")))
    assert judge(old, new).dropped is True
    found = judge(alike(old, *lost), alike(new, *lost))
    assert found.change == pytest.approx(-1 / 8)
    assert found.dropped is False
    assert judge(old, alike(new, *lost)) == found  # the run of now says what is alike
    assert judge(alike(old, *lost), new) == found  # where it does not, the earlier one


def test_a_case_is_one_draw_however_many_models_ran_it() -> None:
    def on_three(run: ComparedRun) -> ComparedRun:
        models = ("haiku", "opus", "sonnet")
        outcomes = {(case, m): row for (case, _), row in run.outcomes.items() for m in models}
        return replace(run, outcomes=outcomes)

    before, after = ALL_RIGHT | {"y5": "n"}, ALL_RIGHT | {"y0": "n", "y1": "n"}
    one = judge(run_of("a", **before), run_of("b", **after), threshold=5)
    three = judge(on_three(run_of("a", **before)), on_three(run_of("b", **after)), threshold=5)
    assert one.interval is not None
    assert one.recall_interval is not None
    assert three.change == pytest.approx(one.change)
    assert three.p_better == pytest.approx(one.p_better)
    assert three.interval == pytest.approx(one.interval)
    assert three.recall_interval == pytest.approx(one.recall_interval)
    assert (one.dropped, three.dropped) == (False, False)


def test_runs_that_share_no_case_are_not_told_apart() -> None:
    old = run_of("a", **ALL_RIGHT)
    asked = {name: replace(one, prompt="another") for name, one in old.asked.items()}
    found = judge(replace(old, asked=asked), run_of("b", **ALL_RIGHT))
    assert (found.change, found.dropped, found.dropped_points) == (None, None, None)
    assert len(found.not_comparable) == len(ALL_RIGHT)
    assert found.not_comparable[0].reason == "the prompt changed"


def test_what_is_never_counted_together_is_refused() -> None:
    other = replace(run_of("b", **ALL_RIGHT), engine="local")
    with pytest.raises(StoreError, match="the engine"):
        judge(run_of("a", **ALL_RIGHT), other)


# --- whole runs --------------------------------------------------------------------------------


@dataclass(slots=True)
class ModelEngine:
    """Is right about a case with a probability that depends on the model; draws by its seed."""

    right: dict[str, float]
    """By model, for prompts that should trigger; all others are right nine times of ten."""
    seed: int
    facts: EngineFacts

    async def run(self, invocation: Invocation) -> Transcript:
        """Call the target, or do not."""
        if invocation.called_as is None:
            return transcript()
        prompt = invocation.prompt
        if not prompt.startswith(("yes", "no")):
            is_asked = prompt.startswith(ASKED_BY_NAME)
            return transcript(call_of(invocation.called_as)) if is_asked else transcript()
        words = f"{self.seed}\0{prompt}\0{invocation.model}\0{invocation.run_index}"
        drawn = int.from_bytes(sha256(words.encode()).digest()[:8], "big") / 2**64
        calls = drawn < (self.right[invocation.model] if prompt.startswith("yes") else 0.1)
        return transcript(call_of(invocation.called_as)) if calls else transcript()


@dataclass(frozen=True, slots=True)
class Lab:
    """A project on which runs are held against one another."""

    project: Path

    def measure(
        self, seed: int, model: str, right: float, *, against: Path | None = None
    ) -> tuple[Path, Against | None, int]:
        """Measure with a model that is right so often; give folder, comparison and trials."""

        @asynccontextmanager
        async def opened() -> AsyncIterator[Engine]:
            facts = replace(engine_facts("simulated"), endpoint="simulated")
            yield ModelEngine({model: right}, seed, facts)

        def open_engine() -> AbstractAsyncContextManager[Engine]:
            return opened()

        order = Order(
            run_kind="measure",
            kind=TargetKind.SKILL,
            suite="review",
            target=None,
            config=LoopConfig(trial_model=model),
            engine="simulated",
            improver="simulated",
            against=None if against is None else against.name,
            fresh=True,
        )
        around = Surroundings(
            places=places_of(self.project),
            temporary=self.project.parent,
            login=Login(),
            listener=lambda _event: None,
            approve=lambda _summary: False,
            limits=Limits(),
            open_engine=open_engine,
        )
        summary, folder = anyio.run(run_order, order, around)
        found = None if against is None else hold_against(against, folder, summary, threshold=10)
        return folder, found, summary.trials


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    cases = call_cases(
        positives=[f"yes {n}" for n in range(CASES)], negatives=[f"no {n}" for n in range(CASES)]
    )
    return Lab(make_bench_project(tmp_path_factory.mktemp("lab"), cases=cases))


def test_a_new_model_that_dropped_by_thirty_points_is_found(lab: Lab) -> None:
    found = 0
    for seed in range(5):
        earlier, _, first = lab.measure(seed, "old", 0.95)
        _, against, trials = lab.measure(seed + 1000, "new", 0.35, against=earlier)
        assert against is not None
        found += against.dropped is True
        # Only flipped cases are run again, each a fixed number of times.
        assert trials == first + EXTRA_RUNS * len(against.flipped)
        assert len(against.flipped) < 2 * CASES
    assert found >= 4


def test_twenty_repeats_of_the_same_cry_wolf_at_most_twice(lab: Lab) -> None:
    earlier, _, _ = lab.measure(7, "old", 0.9)
    cried = 0
    for seed in range(20):
        if seed % 5 == 0:
            earlier, _, _ = lab.measure(seed, "old", 0.9)
        _, against, _ = lab.measure(seed + 2000, "old", 0.9, against=earlier)
        assert against is not None
        cried += against.dropped is True
    assert cried <= 2
