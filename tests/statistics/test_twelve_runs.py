"""A past of twelve runs, whose figures were worked out by hand."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.statistics import RateRow, Statistics
from skillwalker.datatypes.vocabulary import CaseSet, StopReason, Verdict
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.reading import RunFilter, read_history
from tests.histories import NEW, TRIAL, Past, gate, trials, write_all

OPUS, THIRD = "claude-opus-5", "Reviews whatever changed."
EVAL = "20260111T080000"
EVAL_ROWS: tuple[tuple[str, str, str, dict[str, object]], ...] = (
    ("a", "result-contains", "passed", {}),
    ("b", "result-contains", "failed", {}),
    ("b", "llm-judge", "passed", {"criterion": "1", "agreement": 0.8}),
    ("c", "llm-judge", "failed", {"criterion": "1", "agreement": 1.0}),
    ("c", "llm-judge", "unknown", {"criterion": "2"}),
    ("c", "llm-judge-aggregate", "unknown", {}),
)

TWELVE = (
    Past(
        run_id="20260101T080000",
        trials=trials({"p1": "t t", "p2": "t n", "n1": "n", "n2": "t"}),
    ),
    Past(
        run_id="20260101T200000",
        trials=trials({"p1": "t", "p2": "ut", "n1": "n", "n2": "uu"}),
    ),
    Past(
        run_id="20260102T080000",
        kind="scil",
        best=NEW,
        verdict=Verdict.IMPROVED,
        gate=gate(passed=True),
        applied=True,
        improver_cost=0.5,
        trials=(
            *trials({"named": "t t"}, side=CaseSet.CONTROL),
            *trials({"p1": "t", "p2": "n", "n1": "n", "n2": "n"}),
            *trials({"p1": "t", "p2": "t", "n1": "n", "n2": "n"}, text=NEW),
            *trials(
                {"p1": "t t", "p2": "n n", "n1": "n n", "n2": "n n"}, side=CaseSet.CONFIRM, first=1
            ),
            *trials(
                {"p1": "t t", "p2": "t t", "n1": "n n", "n2": "n t"},
                text=NEW,
                side=CaseSet.CONFIRM,
                first=1,
            ),
        ),
    ),
    Past(
        run_id="20260103T080000",
        kind="scil",
        original=NEW,
        best=THIRD,
        gate=gate(passed=False),
        trials=(
            *trials({"p1": "t", "p2": "t", "n1": "n", "n2": "n"}, text=NEW),
            *trials({"p1": "t", "p2": "t", "n1": "n", "n2": "n"}, text=THIRD),
            *trials(
                {"p1": "t t", "p2": "t t", "n1": "n n", "n2": "n n"},
                text=NEW,
                side=CaseSet.CONFIRM,
                first=1,
            ),
            *trials(
                {"p1": "t n", "p2": "t t", "n1": "n n", "n2": "n n"},
                text=THIRD,
                side=CaseSet.CONFIRM,
                first=1,
            ),
        ),
    ),
    Past(
        run_id="20260104T080000",
        kind="scil",
        original=NEW,
        best=NEW,
        gate=gate(passed=False, rounds=0),
        stopped=StopReason.BUDGET,
        trials=trials({"p1": "t", "p2": "t", "n1": "n", "n2": "t"}, text=NEW),
    ),
    Past(
        run_id="20260105T080000",
        kind="acil",
        target="demo:auditor",
        verdict=Verdict.INCONCLUSIVE,
        stopped=StopReason.UNDECIDED,
        trials=trials({"p1": "uu", "p2": "t", "n1": "uu"}, like=replace(TRIAL, reason="timeout")),
    ),
    Past(
        run_id="20260106T080000",
        trials=trials(
            {"p1": "n", "p2": "n", "n1": "n", "n2": "n"},
            like=replace(TRIAL, model=OPUS, model_asked="opus"),
        ),
    ),
    Past(
        run_id="20260107T080000",
        trials=trials(
            {"p1": "t", "p2": "t", "n1": "n", "n2": "n"},
            like=replace(TRIAL, engine="local", cli_version="2.1.400"),
        ),
    ),
    Past(
        run_id="20260108T080000",
        kind="scil",
        original=NEW,
        ended=False,
        improver_cost=0.25,
        trials=trials({"p1": "t", "p2": "n"}, text=NEW),
    ),
    Past(run_id="20260109T080000", simulated=True, trials=trials({"p1": "n", "n1": "t"})),
    Past(run_id="20260110T080000", trials=trials({"p1": "n", "n1": "t"})),
)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The twelve runs, an empty folder and one that is no run."""
    output = tmp_path_factory.mktemp("past") / "output"
    write_all(output, TWELVE)
    for name in ("20260112T080000", "notes"):
        (output / name).mkdir()
    torn = output / "20260108T080000/trials.jsonl"
    torn.write_bytes(torn.read_bytes() + torn.read_bytes()[:150])
    newer = output / "20260110T080000/trials.jsonl"
    newer.write_text(newer.read_text().replace('"schema_version":1', '"schema_version":2'))
    write_eval(output / EVAL)
    return output


def write_eval(folder: Path) -> None:
    folder.mkdir()
    head = {"schema_version": 1, "test_run_id": folder.name, "suite": "quality"}
    (folder / "test-config.jsonl").write_text(
        json.dumps(head | {"test": {"target": "demo:review"}, "engine": "docker"}) + "\n"
    )
    rows = (
        head | {"test_name": case, "expect_type": kind, "status": status} | more
        for case, kind, status, more in EVAL_ROWS
    )
    (folder / "test-results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    usage = {"trial": {"calls": 3, "cost_usd": 0.03}, "judge": {"calls": 2, "cost_usd": 0.1}}
    summary = head | {"engine": "docker", "simulated": False, "models": ["m"], "usage": usage}
    (folder / "test-run-summary.json").write_text(json.dumps(summary))


@pytest.fixture(scope="module")
def figures(output: Path) -> Statistics:
    return make_figures(read_history(output, RunFilter()))


def rate(k: int, n: int, share: float | None) -> tuple[int, int, float | None]:
    return k, n, share


def said(measured: Rate) -> tuple[int, int, float | None]:
    share = None if measured.rate is None else round(measured.rate, 9)
    return measured.k, measured.n, share


def row_of(figures: Statistics, target: str, model: str, engine: str = "docker") -> RateRow:
    (row,) = (
        row
        for row in figures.rates
        if (row.target, row.setting.model, row.setting.engine) == (target, model, engine)
    )
    return row


def test_coverage_names_what_was_read_and_what_not(figures: Statistics) -> None:
    coverage = figures.coverage
    assert coverage.folders == 14
    assert dict(coverage.read) == {"measure": 4, "scil": 4, "acil": 1, "eval": 1}
    assert [run for run, _ in coverage.unreadable] == ["20260110T080000"]
    assert "schema_version 2" in coverage.unreadable[0][1]
    assert coverage.simulated == 1
    assert coverage.filtered == 0
    assert coverage.empty == ("20260112T080000",)
    assert coverage.no_runs == ("notes",)
    assert coverage.without_trials == ()
    assert coverage.targets == ("demo:auditor", "demo:review")


def test_outcomes_count_each_trial_once(figures: Statistics) -> None:
    table = {
        (row.setting.engine, row.setting.model, row.set): (
            row.triggered,
            row.not_triggered,
            row.undecided,
            row.tried_again,
        )
        for row in figures.outcomes
    }
    assert table == {
        ("docker", TRIAL.model, "train"): (18, 14, 3, 4),
        ("docker", TRIAL.model, "confirm"): (14, 18, 0, 0),
        ("docker", TRIAL.model, "control"): (2, 0, 0, 0),
        ("docker", OPUS, "train"): (0, 4, 0, 0),
        ("local", TRIAL.model, "train"): (2, 2, 0, 0),
    }


def test_rates_are_of_what_the_file_held(figures: Statistics) -> None:
    row = row_of(figures, "demo:review", "claude-sonnet-5-5")
    assert (row.runs, row.texts, row.cases, row.cli_version) == (6, 2, 4, "2.1.332")
    assert said(row.rates.recall) == rate(17, 22, round(17 / 22, 9))
    assert said(row.rates.specificity) == rate(15, 17, 0.875)
    assert (figures.rated, figures.not_rated) == (48, 0)


def test_engines_models_and_versions_are_never_pooled(figures: Statistics) -> None:
    other_model = row_of(figures, "demo:review", OPUS)
    assert said(other_model.rates.recall) == rate(0, 2, 0.0)
    other_engine = row_of(figures, "demo:review", "claude-sonnet-5-5", "local")
    assert said(other_engine.rates.recall) == rate(2, 2, 1.0)
    assert other_engine.cli_version == "2.1.400"
    auditor = row_of(figures, "demo:auditor", "claude-sonnet-5-5")
    assert said(auditor.rates.recall) == rate(1, 1, 1.0)
    assert said(auditor.rates.specificity) == rate(0, 0, None)
    assert len(figures.rates) == 4


def test_days_tell_how_rates_went(figures: Statistics) -> None:
    days = row_of(figures, "demo:review", "claude-sonnet-5-5").days
    assert [(day.day, day.runs, day.texts) for day in days] == [
        (date(2026, 1, 1), 2, 1),
        (date(2026, 1, 2), 1, 1),
        (date(2026, 1, 3), 1, 1),
        (date(2026, 1, 4), 1, 1),
        (date(2026, 1, 8), 1, 1),
    ]
    assert said(days[0].rates.recall) == rate(5, 6, round(5 / 6, 9))
    assert said(days[0].rates.specificity) == rate(2, 3, 0.5)
    assert said(days[1].rates.recall) == rate(3, 6, 0.5)


def test_searches_gates_and_gains(figures: Statistics) -> None:
    (search,) = figures.search
    assert (search.runs, search.unfinished, search.simulated) == (5, 1, False)
    assert dict(search.verdicts) == {"kept": 2, "improved": 1, "inconclusive": 1}
    assert dict(search.stopped_because) == {"iterations": 2, "budget": 1, "undecided": 1}
    assert (search.gate_passed, search.gate_refused) == (1, 1)
    assert (search.gate_not_run, search.gate_none) == (1, 1)
    assert search.applied_runs == 1
    (gain,) = search.applied
    assert (gain.run_id, gain.cases) == ("20260102T080000", 4)
    assert (said(gain.before.recall), said(gain.after.recall)) == (rate(2, 4, 0.5), rate(4, 4, 1.0))
    assert said(gain.before.specificity) == rate(4, 4, 1.0)
    assert said(gain.after.specificity) == rate(3, 4, 0.75)
    assert gain.change == pytest.approx(0.125)
    (mean,) = search.mean_gains
    assert (mean.applied, mean.measured) == (1, 1)
    assert mean.mean_change == pytest.approx(0.125)


def test_every_attempt_is_paid_for(figures: Statistics) -> None:
    costs = {cost.purpose: cost.usage for cost in figures.costs}
    assert (costs["trial"].calls, costs["trial"].cost_unknown_calls) == (84, 7)
    assert costs["trial"].cost_usd == pytest.approx(0.77)
    assert costs["trial"].input_tokens == 810
    assert (costs["improver"].calls, costs["improver"].cost_usd) == (2, 0.75)
    assert (costs["judge"].calls, costs["judge"].cost_usd) == (2, 0.1)


def test_reasons_of_undecided_trials(figures: Statistics) -> None:
    (row,) = (row for row in figures.undecided if row.undecided)
    assert (row.trials, row.undecided) == (69, 3)
    assert row.reasons == (("timeout", 2), ("rate", 1))


def test_eval_runs_have_figures_of_their_own(figures: Statistics) -> None:
    (row,) = figures.evals
    assert (row.suite, row.runs, row.models) == ("quality", 1, ("m",))
    assert dict(row.case_statuses) == {"passed": 1, "failed": 1, "unknown": 1}
    assert ("llm-judge", "unknown", 1) in row.expectations
    assert (row.criteria, row.agreement_of) == (3, 2)
    assert row.agreement == pytest.approx(0.9)
    assert figures.evals_not_evaluated == 0


def test_simulated_runs_count_on_request_and_apart(output: Path) -> None:
    figures = make_figures(read_history(output, RunFilter(simulated=True)))
    assert dict(figures.coverage.read)["measure"] == 5
    assert figures.coverage.simulated == 0
    own = [row for row in figures.outcomes if row.setting.simulated]
    assert [(row.triggered, row.not_triggered) for row in own] == [(1, 1)]
    real = [row for row in figures.outcomes if not row.setting.simulated]
    assert sum(row.triggered for row in real) == 36
    assert [(cost.purpose, cost.usage.calls) for cost in figures.costs if cost.simulated] == [
        ("trial", 2),
        ("improver", 0),
        ("judge", 0),
    ]


@pytest.mark.parametrize(
    ("wanted", "read", "filtered"),
    [
        (RunFilter(since=datetime(2026, 1, 7, tzinfo=UTC)), 3, 7),
        (RunFilter(since=datetime(2027, 1, 1, tzinfo=UTC)), 0, 13),
        (RunFilter(target="demo:auditor"), 1, 11),
        (RunFilter(target="auditor"), 1, 11),
        (RunFilter(target="plugins/demo/skills/auditor/"), 1, 11),
        (RunFilter(target="./plugins/demo/skills/auditor/SKILL.md"), 1, 11),
        (RunFilter(target="demo:nothing"), 0, 12),
    ],
    ids=["since", "future", "target", "bare", "folder", "file", "unknown"],
)
def test_filters_say_what_they_left_out(
    output: Path, wanted: RunFilter, read: int, filtered: int
) -> None:
    coverage = read_history(output, wanted).coverage
    assert sum(number for _, number in coverage.read) == read
    assert coverage.filtered == filtered


@pytest.mark.parametrize(
    ("simulated", "wanted", "nights", "left_out"),
    [(False, False, 1, 0), (True, False, 0, 1), (True, True, 1, 0)],
    ids=["real", "simulated", "simulated and wanted"],
)
def test_a_night_is_no_run_and_is_left_out_when_simulated(
    tmp_path: Path, simulated: bool, wanted: bool, nights: int, left_out: int
) -> None:
    folder = tmp_path / "20260101T080000"
    folder.mkdir()
    (folder / "overnight-summary.json").write_text(json.dumps({"simulated": simulated}))
    coverage = read_history(tmp_path, RunFilter(simulated=wanted)).coverage
    assert (coverage.nights, coverage.simulated, coverage.read) == (nights, left_out, ())
