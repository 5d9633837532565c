import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.comparison import Basis, Comparison, Shown, Which
from skillwalker.datatypes.vocabulary import CaseSet, StopReason
from skillwalker.errors import StoreError
from skillwalker.intervals import PairedCase, compare
from skillwalker.statistics.compared_run import read_compared
from skillwalker.statistics.comparison import compare_runs, detectable_change
from tests.histories import NEW, OLD, SONNET, TRIAL, Past, trials, write_past

A, B = "20260101T080000", "20260102T080000"
ALL = {"p1": "t t", "p2": "n n", "n1": "n n", "n2": "t n"}
MANY = {f"p{i}": True for i in range(8)} | {f"n{i}": False for i in range(8)}
POOR = dict.fromkeys(MANY, "n n n")
GOOD = {case: "t t t" if positive else "n n n" for case, positive in MANY.items()}


def side_by_side(tmp_path: Path, a: Past, b: Past, which: Which = Which.HELD) -> Comparison:
    folders = [write_past(tmp_path, past) for past in (a, b)]
    first, second = (read_compared(folder, which) for folder in folders)
    return compare_runs(first, second)


def past(run_id: str, outcomes: Mapping[str, str] = ALL, **changes: object) -> Past:
    made = replace(Past(run_id=run_id), trials=trials(outcomes))
    return replace(made, **changes)  # type: ignore[arg-type]  # a test's own mixture


def reasons(comparison: Comparison) -> dict[str, str]:
    return {one.case: one.reason for one in comparison.left_out}


def test_figures_are_those_of_the_cases_that_both_decided(tmp_path: Path) -> None:
    later = {"p1": "t n", "p2": "t t", "n1": "n un", "n2": "uu"}
    comparison = side_by_side(tmp_path, past(A), past(B, later))
    (model,) = comparison.models
    assert model.model == SONNET
    table = {pair.case: (pair.k_a, pair.n_a, pair.k_b, pair.n_b) for pair in model.pairs}
    assert table == {"p1": (2, 2, 1, 2), "p2": (0, 2, 2, 2), "n1": (2, 2, 2, 2)}
    assert reasons(comparison) == {"n2": "not decided in B"}
    assert (model.a.recall.k, model.a.recall.n) == (2, 4)
    assert (model.b.recall.k, model.b.recall.n) == (3, 4)
    expected = compare(
        [
            PairedCase(positive=True, k0=2, n0=2, k1=1, n1=2),
            PairedCase(positive=True, k0=0, n0=2, k1=2, n1=2),
            PairedCase(positive=False, k0=2, n0=2, k1=2, n1=2),
        ]
    )
    assert (model.change, model.interval) == (expected.change, expected.interval)
    assert model.change == pytest.approx(0.125)
    assert model.shown is Shown.NO_DIFFERENCE


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [(POOR, GOOD, Shown.HIGHER), (GOOD, POOR, Shown.LOWER), (GOOD, GOOD, Shown.NO_DIFFERENCE)],
    ids=["higher", "lower", "same"],
)
def test_what_the_interval_shows_is_the_verdict(
    tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str], shown: Shown
) -> None:
    first, second = past(A, before, cases=MANY), past(B, after, cases=MANY)
    (model,) = side_by_side(tmp_path, first, second).models
    assert model.shown is shown
    assert model.detectable_change is not None
    assert 0 < model.detectable_change < 1


def test_the_detectable_change_is_that_of_the_standard_formula() -> None:
    size = detectable_change(0.0, (-0.2, 0.2))
    assert detectable_change(0.0, (-0.7, 0.7)) is None
    assert size == pytest.approx(0.2 * (1.644854 + 0.841621) / 1.644854, abs=1e-6)
    assert detectable_change(0.9, (0.7, 1.0)) == pytest.approx(size)


def test_suites_of_one_kind_of_cases_give_no_verdict(tmp_path: Path) -> None:
    one_kind = {"p1": "t", "p2": "n"}
    (model,) = side_by_side(tmp_path, past(A, one_kind), past(B, one_kind)).models
    assert (model.shown, model.change, model.detectable_change) == (Shown.NOT_MEASURED, None, None)
    assert model.recall_change == 0


@pytest.mark.parametrize("which", ["both", "the second", "the first"])
def test_near_duplicates_are_one_draw(tmp_path: Path, which: str) -> None:
    groups = tuple((case, case[0] if case in {"p0", "p1", "p2"} else case) for case in MANY)
    better = POOR | dict.fromkeys(("p0", "p1", "p2", "p3", "p4"), "t t t")
    plain = side_by_side(tmp_path / "plain", past(A, POOR, cases=MANY), past(B, better, cases=MANY))
    joined = side_by_side(
        tmp_path / "joined",
        past(A, POOR, cases=MANY, groups=() if which == "the second" else groups),
        past(B, better, cases=MANY, groups=() if which == "the first" else groups),
    )
    (alone,), (together,) = plain.models, joined.models
    assert together.change == alone.change
    expected = compare(
        [
            PairedCase(positive=p.should_trigger, k0=p.k_a, n0=p.n_a, k1=p.k_b, n1=p.n_b, group=g)
            for p, g in ((pair, dict(groups)[pair.case]) for pair in together.pairs)
        ]
    )
    assert (together.interval, together.p_higher) == (expected.interval, expected.p_better)
    assert together.interval is not None
    assert alone.interval is not None
    assert together.interval[0] < alone.interval[0] < alone.interval[1] < together.interval[1]
    for side, other in ((together.a.recall, alone.a.recall), (together.b.recall, alone.b.recall)):
        assert (side.k, side.n) == (other.k, other.n)
        assert None not in (side.low, side.high, other.low, other.high)
        assert side.high - side.low > other.high - other.low  # type: ignore[operator]  # none is None


@pytest.mark.parametrize("group", [["p"], {"a": 1}, 0, None], ids=str)
def test_a_record_whose_groups_are_none_is_read(tmp_path: Path, group: object) -> None:
    folder = write_past(tmp_path, past(A))
    plan = json.loads((folder / "run.json").read_text())
    for case in plan["cases"]:
        case["group"] = group
    (folder / "run.json").write_text(json.dumps(plan))
    first, second = (read_compared(f, Which.HELD) for f in (folder, write_past(tmp_path, past(B))))
    assert compare_runs(first, second).models[0].change == 0


def test_models_are_compared_apart(tmp_path: Path) -> None:
    opus = replace(TRIAL, model="claude-opus-5", model_asked="opus")
    both = (*trials({"p1": "t", "n1": "n"}), *trials({"p1": "n", "n1": "n"}, like=opus))
    comparison = side_by_side(
        tmp_path, past(A, trials=both), past(B, trials=(*both, *trials({"p2": "t"}, like=opus)))
    )
    assert [(m.model, m.a.recall.k, m.a.recall.n) for m in comparison.models] == [
        ("claude-opus-5", 0, 1),
        (SONNET, 1, 1),
    ]
    assert reasons(comparison) == {
        "p2": "not run on this model in A",
        "n2": "run in neither",
    }


def like(**changes: object) -> tuple[object, ...]:
    return trials(ALL, like=replace(TRIAL, **changes))  # type: ignore[arg-type]  # a test's own


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"trials": like(engine="local")}, "the engine is 'docker'"),
        ({"trials": like(endpoint="https://other.example")}, "the endpoint is"),
        ({"trials": like(permission_mode="acceptEdits")}, "the permission mode is"),
        ({"listing_mode": "roomy"}, "the listing is 'real'"),
        ({"target": "demo:other"}, "the target is 'demo:review'"),
        ({"trials": like(model="claude-opus-5")}, "not run on this model in B"),
        ({"max_turns": 8}, "the turn limit is 4 in A and 8 in B"),
        ({"cases": {"q": True}, "trials": trials({"q": "t"})}, "not in B"),
    ],
    ids=["engine", "endpoint", "permissions", "listing", "target", "model", "turns", "cases"],
)
def test_what_is_never_counted_together_is_refused(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(StoreError) as caught:
        side_by_side(tmp_path, past(A), past(B, ALL, **changes))
    assert words in str(caught.value)
    assert A in str(caught.value)


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    run = read_compared(write_past(tmp_path, past(A)), Which.HELD)
    with pytest.raises(StoreError, match="named twice"):
        compare_runs(run, run)


def test_cases_that_changed_are_left_out_by_name(tmp_path: Path) -> None:
    cases = {"p1": True, "p2": False, "n1": False, "q": True}
    changed = past(
        B,
        {"p1": "t", "p2": "t", "n1": "n", "q": "t"},
        cases=cases,
        prompts=(("p1", "another prompt"),),
    )
    assert reasons(side_by_side(tmp_path, past(A), changed)) == {
        "p1": "the prompt changed",
        "p2": "what it should do was turned round",
        "n2": "not in B",
        "q": "not in A",
    }


def test_what_else_differs_is_named(tmp_path: Path) -> None:
    before = past(A, siblings=(("demo:x", "1"), ("demo:y", "1")))
    after = past(
        B,
        suite="other",
        siblings=(("demo:x", "2"), ("demo:z", "1")),
        trials=like(cli_version="2.1.400", effort="high"),
    )
    assert side_by_side(tmp_path, before, after).differences == (
        "suite review in A, other in B",
        "CLI 2.1.332 in A, 2.1.400 in B",
        "effort default in A, high in B",
        "skill demo:x beside the target changed",
        "skill demo:y beside the target only in A",
        "skill demo:z beside the target only in B",
    )


def searched(run_id: str, *, applied: bool, confirmed: bool) -> Past:
    """A search whose original calls nothing, whose best did well, and less well when confirmed."""
    made = (*trials(dict.fromkeys(ALL, "n")), *trials({"p1": "t", "p2": "t"}, text=NEW))
    if confirmed:
        made += trials({"p1": "n", "p2": "t"}, text=NEW, side=CaseSet.CONFIRM, first=1)
    return Past(run_id=run_id, kind="scil", best=NEW, applied=applied, trials=made)


@pytest.mark.parametrize(
    ("which", "applied", "confirmed", "text", "basis", "correct"),
    [
        (Which.HELD, False, True, OLD, Basis.ALL, 0),
        (Which.HELD, True, True, NEW, Basis.CONFIRM, 1),
        (Which.BEST, False, True, NEW, Basis.CONFIRM, 1),
        (Which.BEST, False, False, NEW, Basis.SEARCH, 2),
        (Which.ORIGINAL, True, True, OLD, Basis.ALL, 0),
    ],
    ids=["kept", "applied", "best", "unconfirmed", "original"],
)
def test_the_description_that_is_meant_and_the_trials_that_count(
    tmp_path: Path,
    which: Which,
    applied: bool,
    confirmed: bool,
    text: str,
    basis: Basis,
    correct: int,
) -> None:
    folder = write_past(tmp_path, searched(A, applied=applied, confirmed=confirmed))
    run = read_compared(folder, which)
    assert (run.description, run.basis) == (text, basis)
    called = [tally.triggered for (case, _), tally in run.outcomes.items() if case[0] == "p"]
    assert sum(called) == correct


def test_a_search_score_is_said_to_flatter(tmp_path: Path) -> None:
    comparison = side_by_side(
        tmp_path,
        searched(A, applied=False, confirmed=True),
        searched(B, applied=False, confirmed=False),
        Which.BEST,
    )
    assert any("B is the search's own score" in words for words in comparison.differences)


@pytest.mark.parametrize(
    ("file", "which", "words"),
    [
        ("run.json", Which.HELD, "it has no run.json"),
        ("measure-summary.json", Which.BEST, "did not end"),
        ("trials.jsonl", Which.HELD, "no trial of its original description"),
    ],
)
def test_a_run_that_holds_too_little_is_refused(
    tmp_path: Path, file: str, which: Which, words: str
) -> None:
    folder = write_past(tmp_path, past(A))
    (folder / file).unlink()
    with pytest.raises(StoreError, match=words):
        read_compared(folder, which)


@pytest.mark.parametrize(
    ("stopped", "controls", "words"),
    [
        (StopReason.PREFLIGHT, "n", r"original description: its controls failed \(it is deaf\)$"),
        (StopReason.PREFLIGHT, "", r"nothing could be run \(it is deaf\)$"),
        (StopReason.BUDGET, "t", r"it was stopped by budget \(it is deaf\)$"),
    ],
    ids=["controls", "no engine", "budget"],
)
def test_a_run_that_never_came_to_its_cases_says_why(
    tmp_path: Path, stopped: StopReason, controls: str, words: str
) -> None:
    made = trials({"named": controls}, side=CaseSet.CONTROL)
    folder = write_past(tmp_path, past(A, trials=made, cases=MANY, stopped=stopped))
    path = folder / "measure-summary.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"cause": "it is deaf"}))
    with pytest.raises(StoreError, match=words):
        read_compared(folder, Which.HELD)


def test_an_eval_run_is_refused(tmp_path: Path) -> None:
    folder = write_past(tmp_path, past(A))
    (folder / "test-config.jsonl").write_text(json.dumps({}) + "\n")
    with pytest.raises(StoreError, match="is an eval run"):
        read_compared(folder, Which.HELD)


def test_controls_and_retried_attempts_are_no_outcomes(tmp_path: Path) -> None:
    made = (*trials({"named": "t"}, side=CaseSet.CONTROL), *trials({"p1": "ut uu"}))
    run = read_compared(write_past(tmp_path, past(A, trials=made)), Which.HELD)
    ((key, tally),) = run.outcomes.items()
    assert key == ("p1", SONNET)
    assert (tally.triggered, tally.undecided) == (1, 1)
