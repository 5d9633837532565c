import gzip
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from skillwalker.config import Login
from skillwalker.datatypes.evals import EvalEvent, EvalOutcome, EvalStarted, EvalTrialDone
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.engines.simulated import SimulatedEngine
from skillwalker.errors import (
    ConfigError,
    EngineUnavailableError,
    RunNotFoundError,
    StoreError,
    SuiteError,
)
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.recording.store import create_run
from tests.eval_world import (
    ALL_MET,
    AUDITOR,
    DELEGATED,
    REVIEW,
    TableEngine,
    broken,
    case,
    make_eval_project,
    order_of,
    run_order,
    said,
    score,
    statuses,
)
from tests.projects import call_case

JUDGED = case("a", {"result-contains": "x"}, {"llm-judge": {"rubricFile": "review.md"}})


def rows_in(folder: Path, name: str = "test-results.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def summary_in(folder: Path) -> dict[str, object]:
    found = json.loads((folder / "test-run-summary.json").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


# --- a run and its files -----------------------------------------------------------------------


def test_a_run_of_all_four_types_leaves_its_files(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    outcome = run_order(places, TableEngine(ALL_MET))
    folder = outcome.folder
    assert folder.parent == places.output_dir
    assert sorted(path.name for path in folder.iterdir()) == [
        "test-config.jsonl",
        "test-results.jsonl",
        "test-run-summary.json",
        "test-run.jsonl",
        "transcripts",
        "trials.jsonl",
    ]
    run_id = folder.name
    config = rows_in(folder, "test-config.jsonl")
    assert [(row["test_run_id"], row["suite"], row["plugins"]) for row in config] == [
        (run_id, "mixed", ["demo"])
    ] * 4
    assert all(row["schema_version"] == 1 for row in config)
    events = rows_in(folder, "test-run.jsonl")
    assert {row["test_name"] for row in events} == {"skill", "agent", "work", "delegated"}
    of_work = [row["event"] for row in events if row["test_name"] == "work"]
    assert of_work[:2] == [{"type": "system"}, {"type": "text", "text": "not json �"}]
    results = rows_in(folder)
    found = [(row["test_name"], row["expect_type"], row["passed"]) for row in results]
    assert found == [
        ("skill", "skill-call", True),
        ("agent", "agent-call", True),
        ("work", "result-contains", True),
        ("work", "result-does-not-contain", True),
        ("delegated", "result-contains", True),
        ("delegated", "agent-call", True),
    ]
    assert {str(row["status"]) for row in results} == {"passed"}


def test_the_summary_counts_cases_time_and_tokens(tmp_path: Path) -> None:
    answers = {
        **ALL_MET,
        "prompt of agent": [broken("crash"), said("", AUDITOR)],
        "prompt of work": [said("LGTM")],
        DELEGATED: [broken("auth")],
    }
    outcome = run_order(make_eval_project(tmp_path), TableEngine(answers))
    found = summary_in(outcome.folder)
    assert found["test_run_id"] == outcome.folder.name
    assert (found["total_tests"], found["passed"], found["failures"]) == (4, 2, 1)
    assert (found["inconclusive"], found["trials"], found["undecided"]) == (1, 6, 2)
    assert (found["total_duration_ms"], found["total_input_tokens"]) == (9000, 60)
    assert found["total_output_tokens"] == 18
    usage = found["usage"]
    assert isinstance(usage, dict)
    assert usage["trial"]["cost_usd"] == 1.5
    assert usage["judge"]["calls"] == 0
    assert found["stopped_because"] is None
    assert statuses(outcome) == {
        "skill": "passed",
        "agent": "passed",
        "work": "failed",
        "delegated": "infrastructure",
    }


def test_a_broken_trial_fails_nothing(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a", False), case("b", {"result-contains": "x"}))
    engine = TableEngine({"prompt of a": [broken()], "prompt of b": [broken()]})
    outcome = run_order(places, engine)
    assert {row["passed"] for row in rows_in(outcome.folder)} == {None}
    assert (outcome.summary.failures, outcome.summary.inconclusive) == (0, 2)


def test_several_suites_are_one_run_and_keep_their_names(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), suite="one")
    make_eval_project(tmp_path, call_case("a", False), suite="two")
    outcome = run_order(places, TableEngine(), order_of("one", "two"))
    assert outcome.summary.suites == ("one", "two")
    assert [(row["suite"], row["passed"]) for row in rows_in(outcome.folder)] == [
        ("one", False),
        ("two", True),
    ]


def test_names_in_any_script_come_back(tmp_path: Path) -> None:
    name = "レビュー „für“ <b> \\ud800 🙂"
    outcome = run_order(make_eval_project(tmp_path, call_case(name)), TableEngine())
    assert rows_in(outcome.folder)[0]["test_name"] == name
    assert statuses(outcome) == {name: "failed"}


def test_the_listener_hears_the_start_and_every_trial(tmp_path: Path) -> None:
    events: list[EvalEvent] = []
    engine = TableEngine({"prompt of skill": [broken(), said("", REVIEW)]})
    run_order(make_eval_project(tmp_path), engine, listener=events.append)
    assert isinstance(events[0], EvalStarted)
    assert events[0].trials == 4
    assert sum(isinstance(event, EvalTrialDone) for event in events) == 5


@pytest.mark.parametrize("concurrency", [1, 32])
def test_concurrency_and_the_seed_alone_decide_nothing(tmp_path: Path, concurrency: int) -> None:
    cases = [call_case(f"review number {n}", prompt=f"review change {n}") for n in range(5)]
    places = make_eval_project(tmp_path, *cases)
    order = order_of(engine="simulated", concurrency=concurrency, repeats=3)
    outcome = run_order(places, SimulatedEngine(seed=1), order)
    again = run_order(places, SimulatedEngine(seed=1), order_of(engine="simulated", repeats=3))
    assert outcome.rows == again.rows


# --- how it ends early -------------------------------------------------------------------------


class NoEngine(AbstractAsyncContextManager[Engine]):
    """An engine that does not open."""

    async def __aenter__(self) -> Engine:
        """Refuse."""
        raise EngineUnavailableError("there is no login for Claude")

    async def __aexit__(self, *_: object) -> None:
        """Nothing was opened."""


def test_an_engine_that_does_not_open_leaves_every_case_inconclusive(tmp_path: Path) -> None:
    outcome = run_order(make_eval_project(tmp_path), TableEngine(), open_engine=NoEngine)
    summary = outcome.summary
    assert (summary.stopped_because, summary.inconclusive) == (StopReason.PREFLIGHT, 4)
    assert summary.engine == "fake"
    reasons = {str(row["reasoning"]) for row in rows_in(outcome.folder)}
    assert reasons == {"was not run: there is no login for Claude"}


def test_a_limit_leaves_the_rest_not_run(tmp_path: Path) -> None:
    outcome = run_order(
        make_eval_project(tmp_path), TableEngine(ALL_MET), limits=Limits(max_trials=2)
    )
    assert outcome.summary.stopped_because is StopReason.BUDGET
    assert sorted(statuses(outcome).values()) == ["infrastructure"] * 2 + ["passed"] * 2


def test_wrong_input_writes_nothing(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    with pytest.raises(SuiteError):
        run_order(places, TableEngine(), order_of(tests=["nope"]))
    with pytest.raises(ConfigError):
        run_order(places, TableEngine(), order_of(engine="simulated"))
    assert not places.output_dir.exists()


def test_no_throw_away_copy_is_left(tmp_path: Path) -> None:
    run_order(make_eval_project(tmp_path), TableEngine(ALL_MET))
    assert not list(tmp_path.glob("skillwalker-work-*"))


def test_no_secret_reaches_a_file(tmp_path: Path) -> None:
    secret = "sk-ant-planted"
    answers = {"prompt of work": [said(f"key {secret}", raw=(f'{{"k":"{secret}"}}'.encode(),))]}
    places = make_eval_project(tmp_path, case("work", {"result-contains": secret}))
    outcome = run_order(places, TableEngine(answers), login=Login(api_key=secret))
    files = [path for path in outcome.folder.rglob("*") if path.is_file()]
    zipped = [path for path in files if path.suffix == ".gz"]
    written = b"".join(path.read_bytes() for path in files)
    written += b"".join(gzip.decompress(path.read_bytes()) for path in zipped)
    assert zipped
    assert secret.encode() not in written
    assert b"[redacted]" in written


def places_of(folder: Path) -> Places:
    root = folder.parent.parent
    return Places(
        project=root,
        evals_dir=root / "evals",
        plugin_dirs=(),
        output_dir=folder.parent,
        home=root,
    )


# --- scoring again -----------------------------------------------------------------------------


def every_kind(root: Path) -> EvalOutcome:
    answers = {
        **ALL_MET,
        "prompt of agent": [broken("crash"), said("", AUDITOR)],
        "prompt of work": [said("LGTM")],
        "prompt of late": [broken("auth")],
        "prompt of a": [said("x")],
    }
    cases = (*DEFAULT, JUDGED, call_case("late", runs=3), call_case("unrun"))
    places = make_eval_project(root, *cases)
    return run_order(
        places, TableEngine(answers), order_of(concurrency=1), limits=Limits(max_trials=11)
    )


DEFAULT = (
    call_case("skill"),
    call_case("agent", type="agent-call", agentFile="demo:auditor", expect=[{"agent-call": True}]),
    case("work", {"result-contains": "injection"}, {"result-does-not-contain": "LGTM"}),
)


def test_scoring_again_says_the_same_and_keeps_the_old_rows(tmp_path: Path) -> None:
    outcome = every_kind(tmp_path)
    folder = outcome.folder
    rows, summary = (folder / "test-results.jsonl").read_bytes(), summary_in(folder)
    assert len({row.status for row in outcome.rows}) == 4
    assert outcome.rows[-1].reasoning.startswith("was not run: ")
    assert "stopped by budget" in outcome.rows[-1].reasoning
    for number in (1, 2):
        (again,) = score(places_of(folder), folder.name)
        assert again == outcome
        assert (folder / "test-results.jsonl").read_bytes() == rows
        assert (folder / f"test-results.{number}.jsonl").read_bytes() == rows
        assert summary_in(folder) == summary
    assert not (folder / "test-results.3.jsonl").exists()


def test_scoring_needs_nothing_of_the_project(tmp_path: Path) -> None:
    outcome = run_order(make_eval_project(tmp_path), TableEngine(ALL_MET))
    for name in ("evals", "plugins", ".claude"):
        (tmp_path / name).rename(tmp_path / f"gone-{name}")
    (again,) = score(places_of(outcome.folder), outcome.folder.name)
    assert again.rows == outcome.rows


def test_all_runs_without_results_are_scored_and_no_others(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    runs = [run_order(places, TableEngine(ALL_MET)) for _ in range(3)]
    (runs[0].folder / "test-results.jsonl").unlink()
    (runs[2].folder / "test-results.jsonl").write_bytes(b"")
    create_run(places.output_dir)
    scored = score(places)
    assert [one.folder.name for one in scored] == [runs[0].folder.name, runs[2].folder.name]
    assert scored[0].rows == runs[0].rows
    assert not list(places.output_dir.rglob("test-results.1.jsonl"))
    assert score(places) == ()
    assert len(score(places, again=True)) == 3


def test_a_killed_run_is_scored_for_what_it_had(tmp_path: Path) -> None:
    outcome = run_order(make_eval_project(tmp_path), TableEngine(ALL_MET), order_of(concurrency=1))
    folder = outcome.folder
    (folder / "test-results.jsonl").unlink()
    (folder / "test-run-summary.json").unlink()
    events = (folder / "test-run.jsonl").read_bytes()
    (folder / "test-run.jsonl").write_bytes(events[:-200])
    (scored,) = score(places_of(folder))
    assert statuses(scored) == {
        "skill": "passed",
        "agent": "passed",
        "work": "passed",
        "delegated": "infrastructure",
    }
    assert scored.rows[-1].reasoning == "was not run: the run ended before it"


def test_a_run_that_is_not_there_or_no_eval_run_is_named(tmp_path: Path) -> None:
    output = tmp_path / "output"
    folder = create_run(output)
    with pytest.raises(RunNotFoundError, match="20990101T000000"):
        score(places_of(folder), "20990101T000000")
    with pytest.raises(StoreError, match=f"run {folder.name} is no eval run"):
        score(places_of(folder), folder.name)
    assert score(places_of(tmp_path / "none/output/run")) == ()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test-config.jsonl", '{"schema_version":9}\n', "schema_version 9"),
        ("test-config.jsonl", '{"schema_version":1}\n', "test-config.jsonl: suite"),
        ("test-config.jsonl", "[]\n", "not a JSON object"),
        ("test-run.jsonl", '{"schema_version":9}\n', "schema_version 9"),
        (
            "test-run.jsonl",
            '{"schema_version":1,"event":{"type":"skillwalker"}}\n',
            "test-run.jsonl: suite",
        ),
        ("test-run-summary.json", "{", "test-run-summary.json"),
    ],
    ids=["newer", "lacking", "no-object", "newer-events", "lacking-events", "summary"],
)
def test_a_run_that_cannot_be_read_is_named_after_the_others_were_scored(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    places = make_eval_project(tmp_path)
    bad, good = (run_order(places, TableEngine(ALL_MET)).folder for _ in range(2))
    for folder in (bad, good):
        (folder / "test-results.jsonl").unlink()
    (bad / name).write_text(content)
    with pytest.raises(StoreError) as caught:
        score(places)
    assert f"run {bad.name}: " in str(caught.value)
    assert message in str(caught.value)
    assert len(rows_in(good)) == 6


def test_a_record_whose_names_do_not_fit_its_expectations_is_refused(tmp_path: Path) -> None:
    folder = run_order(make_eval_project(tmp_path, call_case("a")), TableEngine()).folder
    text = (folder / "test-config.jsonl").read_text("utf-8")
    for names in ("[null]", "[]"):
        row = json.loads(text) | {"called_as": json.loads(names)}
        (folder / "test-config.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        with pytest.raises(StoreError, match="called_as does not fit"):
            score(places_of(folder), folder.name)
