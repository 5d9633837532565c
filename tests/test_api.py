"""The four public functions, as a program calls them."""

import inspect
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

import anyio
import pytest

import skillwalker
from skillwalker import errors, run_acil_loop, run_evals, run_scil_loop, run_test_eval
from skillwalker.datatypes.evals import EvalEvent, EvalSummary
from skillwalker.datatypes.summary import Event, Summary
from skillwalker.datatypes.vocabulary import StopReason, TargetKind, Verdict
from skillwalker.limits import Limits
from skillwalker.report.files import write_reports
from tests.bench import DESCRIPTION, call_cases, make_bench_project, write_cases
from tests.eval_world import make_eval_project
from tests.projects import SKILL, call_case, write


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A current folder and a home that hold nothing, and must hold nothing afterwards."""
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(empty))
    monkeypatch.chdir(empty)
    yield
    assert not list(empty.iterdir())


def scil(project: Path, /, **settings: object) -> Summary:
    known: dict[str, object] = {"engine": "simulated", "tests_dir": project, "html": False}
    known["output_dir"] = project / "output"
    return anyio.run(partial(run_scil_loop, **known | settings))  # type: ignore[arg-type]  # by name


def evals(project: Path, /, **settings: object) -> EvalSummary:
    known: dict[str, object] = {"engine": "simulated", "tests_dir": project, "html": False}
    known["output_dir"] = project / "output"
    return anyio.run(partial(run_evals, **known | settings))  # type: ignore[arg-type]  # by name


def score(project: Path, /, **settings: object) -> tuple[EvalSummary, ...]:
    known = {"tests_dir": project, "output_dir": project / "output"}
    return anyio.run(partial(run_test_eval, **known | settings))  # type: ignore[arg-type]  # by name


# --- the public names --------------------------------------------------------------------------


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, skillwalker; skillwalker.__version__; dir(skillwalker);"
        "print([name for name in sys.modules if name.startswith('skillwalker.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_can_be_had() -> None:
    for name in skillwalker.__all__:
        assert getattr(skillwalker, name) is not None
    assert set(skillwalker.__all__) <= set(dir(skillwalker))
    assert set(errors.__all__) <= set(skillwalker.__all__)
    assert skillwalker.RunNotFoundError is errors.RunNotFoundError
    with pytest.raises(AttributeError, match="run_scill_loop"):
        skillwalker.run_scill_loop  # type: ignore[attr-defined]  # noqa: B018 (that is the test)


def test_the_four_functions_are_async_and_take_keywords_alone() -> None:
    for function in (run_evals, run_test_eval, run_scil_loop, run_acil_loop):
        assert inspect.iscoroutinefunction(function)
        kinds = {one.kind for one in inspect.signature(function).parameters.values()}
        assert kinds <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}


@pytest.mark.parametrize(
    ("call", "function", "name", "takes"),
    [
        pytest.param(scil, "run_scil_loop", "max_iteration", "max_iterations", id="loop"),
        pytest.param(evals, "run_evals", "runs_per_query", "repeats", id="evals"),
        pytest.param(score, "run_test_eval", "max_trials", "judge_runs", id="score"),
    ],
)
def test_a_setting_that_there_is_not_is_a_type_error(
    tmp_path: Path, call: Callable[..., object], function: str, name: str, takes: str
) -> None:
    project = make_bench_project(tmp_path)
    with pytest.raises(TypeError, match=rf"^{function}\(\) has no setting '{name}'") as raised:
        call(project, **{name: 3})
    assert takes in str(raised.value).partition("it takes ")[2].split(", ")


@pytest.mark.parametrize(
    ("call", "settings", "said"),
    [
        pytest.param(scil, {"max_iterations": 0}, "max_iterations must be at least 1", id="loop"),
        pytest.param(scil, {"max_cost_usd": -1.0}, "max_cost_usd must be at least 0", id="money"),
        pytest.param(scil, {"neighbours": ("none", "plugin")}, "neighbours none stands", id="late"),
        pytest.param(evals, {"repeats": 2}, "repeats must be an odd number", id="evals"),
        pytest.param(score, {"judge_runs": 2}, "judge_runs must be an odd number", id="score"),
        pytest.param(scil, {"gate": "x"}, "gate must be a number; got 'x'", id="no number"),
        pytest.param(scil, {"max_trials": "9"}, "max_trials must be a whole", id="no trials"),
        pytest.param(scil, {"seed": None}, "seed must be a whole number; got None", id="no seed"),
        pytest.param(evals, {"timeout": "x"}, "timeout must be a number", id="evals, no number"),
        pytest.param(score, {"max_pause": "x"}, "max_pause must be a number", id="score, none"),
    ],
)
def test_a_wrong_value_is_named_as_the_caller_gave_it(
    tmp_path: Path, call: Callable[..., object], settings: dict[str, object], said: str
) -> None:
    with pytest.raises(skillwalker.ConfigError, match=f"^{said}") as raised:
        call(make_bench_project(tmp_path), **settings)
    assert "--" not in str(raised.value)


# --- the loops ---------------------------------------------------------------------------------


def test_scil_improves_a_skill_and_writes_it(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    summary = scil(project, eval="review", apply=True, allow_simulated=True)
    assert (summary.verdict, summary.applied, summary.kind) == (Verdict.IMPROVED, True, "scil")
    text = (project / "plugins/demo/skills/code-review/SKILL.md").read_text("utf-8")
    assert summary.best_description in text
    assert DESCRIPTION not in text
    assert (project / "output" / summary.run_id / "scil-summary.json").is_file()


@pytest.mark.parametrize(
    "settings", [{}, {"apply": True}, {"allow_simulated": True}], ids=["plain", "apply", "allow"]
)
def test_a_simulated_result_is_not_written_by_itself(
    tmp_path: Path, settings: dict[str, object]
) -> None:
    project = make_bench_project(tmp_path)
    summary = scil(project, **settings)
    assert (summary.improved, summary.applied) == (True, False)
    text = (project / "plugins/demo/skills/code-review/SKILL.md").read_text("utf-8")
    assert DESCRIPTION in text


AGENT_POSITIVES = ("compare the plan with the code", "what of the plan is missing in the code")


def test_acil_improves_an_agent(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    cases = call_cases("demo:gap-analyzer", kind=TargetKind.AGENT, positives=AGENT_POSITIVES)
    write_cases(project, "gaps", cases)
    run = partial(
        run_acil_loop,
        engine="simulated",
        tests_dir=project,
        output_dir=project / "output",
        agent="demo:gap-analyzer",
        max_iterations=2,
    )
    summary = anyio.run(run)
    assert (summary.kind, summary.target, summary.suite) == ("acil", "demo:gap-analyzer", "gaps")
    assert summary.stopped_because is not StopReason.PREFLIGHT
    assert (project / "output" / summary.run_id / "acil-summary.json").is_file()


def test_the_settings_reach_the_run(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    events: list[Event] = []
    summary = scil(
        project,
        max_iterations=1,
        runs_per_query=3,
        trial_model="haiku",
        seed=7,
        neighbours="none",
        listener=events.append,
    )
    record = json.loads((project / "output" / summary.run_id / "run.json").read_text("utf-8"))
    settings = record["settings"]
    assert (summary.iterations, summary.seed) == (1, 7)
    assert (settings["runs_per_query"], settings["trial_model"]) == (3, "haiku")
    assert record["rivals"] == []
    assert events


def test_a_race_plans_with_what_may_be_spent(tmp_path: Path) -> None:
    summary = scil(make_bench_project(tmp_path), search="race", max_trials=90)
    assert summary.iterations > 1
    assert summary.trials <= 90
    assert summary.stopped_because in {StopReason.CONVERGED, StopReason.UNRESOLVED}


def test_runs_of_a_program_share_what_may_be_spent(tmp_path: Path) -> None:
    project, limits = make_bench_project(tmp_path), Limits(max_trials=20)
    models = ("opus", "haiku")
    whole = scil(project, max_iterations=1, limits=limits, max_cost_usd=1.0, max_pause=60.0)
    rest = scil(project, max_iterations=1, limits=limits, trial_model=models)
    assert (whole.stopped_because, rest.stopped_because) == (
        StopReason.ITERATIONS,
        StopReason.BUDGET,
    )
    assert whole.trials + rest.trials == limits.trials == 20


def test_a_budget_of_nothing_spends_nothing(tmp_path: Path) -> None:
    summary = scil(make_bench_project(tmp_path), max_trials=0)
    assert (summary.trials, summary.stopped_because) == (0, StopReason.BUDGET)
    assert (
        evals(make_eval_project(tmp_path / "e", call_case("a")).project, max_trials=0).trials == 0
    )


def test_errors_are_raised_bare_and_nothing_is_written(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    with pytest.raises(skillwalker.ConfigError, match="max_iterations"):
        scil(project, max_iterations=0)
    with pytest.raises(skillwalker.ConfigNotFoundError):
        scil(project, eval="nope")
    with pytest.raises(skillwalker.TargetError):
        scil(project, skill="demo:nope")
    with pytest.raises(skillwalker.ConfigError, match="no engine 'nope'"):
        evals(project, engine="nope")
    with pytest.raises(skillwalker.RunNotFoundError):
        score(project, test_run_id="20990101T000000")
    assert not (project / "output").exists()


# --- reports -----------------------------------------------------------------------------------


def threads_of(code: CodeType, work: Callable[[], object]) -> list[int]:
    """Do some work, and list the threads in which it runs some code."""
    found: list[int] = []

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is code:
            found.append(threading.get_ident())

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def test_reports_are_written_beside_the_loop(tmp_path: Path) -> None:
    """What that means for a loop is tested in tests/report/test_aside.py."""
    search = make_bench_project(tmp_path / "loop")
    suite = make_eval_project(tmp_path / "evals", call_case("a")).project
    for work in (partial(scil, search, max_iterations=1), partial(evals, suite)):
        (thread,) = threads_of(write_reports.__code__, work)
        assert thread != threading.get_ident()


# --- eval runs ---------------------------------------------------------------------------------


def test_evals_are_run_and_scored(tmp_path: Path) -> None:
    project = make_eval_project(tmp_path / "p", call_case("a"), call_case("b", False)).project
    events: list[EvalEvent] = []
    summary = evals(project, evals=["mixed"], repeats=3, listener=events.append)
    assert (summary.total_tests, summary.trials) == (2, 6)
    assert summary.total_duration_ms >= 0
    assert (summary.total_input_tokens, summary.total_output_tokens) == (0, 0)
    assert summary.failures == sum(test.status == "failed" for test in summary.tests)
    assert events
    assert score(project) == ()
    assert score(project, test_run_id=summary.test_run_id) == (summary,)


def test_the_judge_of_a_program_is_an_argument(tmp_path: Path) -> None:
    expect = [{"skill-call": False}, {"llm-judge": {"rubricFile": "review.md"}}]
    project = make_eval_project(tmp_path, call_case("a", prompt="write a poem", expect=expect))
    summary = evals(project.project, judge_runs=3)
    assert (summary.judge, dict(summary.usage)["judge"].calls) == ("simulated", 3)
    (same,) = score(project.project, test_run_id=summary.test_run_id, judge_runs=3)
    assert same == summary
    (none,) = score(project.project, test_run_id=summary.test_run_id, judge="api")
    assert (none.judge, none.inconclusive) == ("api", 1)
    with pytest.raises(errors.ConfigError, match="judge_runs"):
        score(project.project, test_run_id=summary.test_run_id, judge_runs=2)


def test_several_cases_are_named_at_once(tmp_path: Path) -> None:
    cases = [call_case(name, False, prompt=f"sing {name}") for name in ("a", "b", "c")]
    places = make_eval_project(tmp_path, *cases)
    summary = evals(places.project, test_filter=["a", "c"])
    assert [test.test_name for test in summary.tests] == ["a", "c"]


def test_a_filter_runs_one_case(tmp_path: Path) -> None:
    project = make_eval_project(tmp_path / "p").project
    assert [test.test_name for test in evals(project, test_filter="agent").tests] == ["agent"]


# --- where things lie --------------------------------------------------------------------------


@pytest.mark.parametrize("tests_dir", ["", "evals"], ids=["above", "itself"])
def test_the_folder_of_suites_or_the_one_above_may_be_named(tmp_path: Path, tests_dir: str) -> None:
    project = make_eval_project(tmp_path, call_case("a")).project
    assert evals(project, tests_dir=project / tests_dir).total_tests == 1
    assert evals(project, tests_dir=str(project / tests_dir)).total_tests == 1


def test_a_suite_that_is_called_evals_is_a_suite(tmp_path: Path) -> None:
    project = make_eval_project(tmp_path, call_case("a"), suite="evals").project
    assert evals(project, tests_dir=project / "evals").suites == ("evals",)


def test_tests_may_lie_beside_the_plugins_in_a_folder_of_their_own(tmp_path: Path) -> None:
    project = make_eval_project(tmp_path / "p", call_case("a")).project
    (project / "evals").rename(tmp_path / "tests")
    found = evals(
        project,
        tests_dir=tmp_path / "tests",
        repo_root=project,
        output_dir=tmp_path / "out" / "runs",
    )
    assert (tmp_path / "out" / "runs" / found.test_run_id).is_dir()
    assert found.total_tests == 1


def test_further_plugins_and_a_home_are_arguments(tmp_path: Path) -> None:
    write(tmp_path / "more/extra/skills/deploy/SKILL.md", SKILL.format(name="deploy"))
    write(tmp_path / "h/.claude/skills/mine/SKILL.md", SKILL.format(name="mine"))
    cases = [call_case("a", skillFile="extra:deploy"), call_case("b", skillFile="user:mine")]
    project = make_eval_project(tmp_path / "p", *cases).project
    with pytest.raises(skillwalker.SuiteError) as caught:
        evals(project)
    assert "extra:deploy" in str(caught.value)
    assert "user:mine" in str(caught.value)
    found = evals(project, plugin_dirs=[tmp_path / "more"], home=tmp_path / "h")
    assert found.total_tests == 2


def test_debug_logs_what_happens_and_nothing_else_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    project = make_eval_project(tmp_path / "p", call_case("a")).project
    caplog.set_level(logging.DEBUG, "skillwalker")
    run_id = evals(project).test_run_id
    assert not caplog.records
    evals(project, debug=True)
    assert "EvalTrialDone" in caplog.text
    score(project, test_run_id=run_id, debug=True)
    assert "ResultRow" in caplog.text


# --- reports -----------------------------------------------------------------------------------


def test_the_library_leaves_reports_as_the_command_line_does(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    summary = scil(project, html=True, max_iterations=2)
    run = project / "output" / summary.run_id
    assert (run / "report.html").is_file()
    assert f"skillwalker apply {summary.run_id}" in (run / "report.md").read_text()
    without = scil(project, max_iterations=2)
    assert not (project / "output" / without.run_id / "report.html").exists()
    assert (project / "output" / without.run_id / "report.md").is_file()


def test_an_eval_run_of_the_library_leaves_its_page(tmp_path: Path) -> None:
    make_eval_project(tmp_path, call_case("no", False, prompt="write a poem about the sea"))
    summary = evals(tmp_path, html=True)
    assert (tmp_path / "output" / summary.test_run_id / "report.html").is_file()
