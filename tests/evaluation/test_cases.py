from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import PlannedCase
from skillwalker.errors import TargetError
from skillwalker.evaluation.cases import (
    CALL_TIMEOUT,
    CALL_TURNS,
    WORK_TIMEOUT,
    WORK_TURNS,
    plan_case,
)
from skillwalker.evaluation.known import KnownTargets
from skillwalker.suites.load import load_suite
from tests.eval_world import CALLS_AUDITOR, DELEGATED, case, make_eval_project
from tests.projects import SKILL, call_case, write

YES = {"agent-call": {"agent": "demo:auditor", "expected": True}}


def plan(root: Path, entry: dict[str, object], **config: object) -> PlannedCase:
    places = make_eval_project(root, entry)
    suite = load_suite(places, "mixed")
    settings = EvalConfig(**config)  # type: ignore[arg-type]  # the test names real fields
    return plan_case(KnownTargets(places), suite, suite.cases[0], settings)


def names_of(planned: PlannedCase) -> list[list[str]]:
    return [sorted(names.names) for names in planned.case.called_as if names is not None]


def test_a_call_case_gets_a_copy_of_its_target_and_stops_at_its_call(tmp_path: Path) -> None:
    planned = plan(tmp_path, call_case("a"))
    loaded = planned.loaded
    assert [one.id for one in loaded.copied] == ["demo:review", "demo:release", "demo:auditor"]
    assert (loaded.plugin_dirs, loaded.project_dir) == ((), None)
    assert planned.prompt == "prompt of a"
    assert planned.stops_at is not None
    assert "demo:review" in planned.stops_at.names
    assert planned.case.called_as == (planned.stops_at,)
    assert (planned.case.max_turns, planned.case.timeout) == (CALL_TURNS, CALL_TIMEOUT)


def test_an_agent_is_planned_like_a_skill(tmp_path: Path) -> None:
    entry = call_case("a", type="agent-call", skillFile=..., agentFile="demo:auditor")
    planned = plan(tmp_path, entry | {"expect": [{"agent-call": False}]})
    assert planned.loaded.copied[0].id == "demo:auditor"
    assert planned.stops_at is not None
    assert planned.stops_at.names == {"demo:auditor"}


def test_a_call_case_without_a_file_measures_the_target_that_it_expects(tmp_path: Path) -> None:
    expect = [{"skill-call": {"skill": "demo:release", "expected": True}}]
    planned = plan(tmp_path, call_case("a", skillFile=..., expect=expect))
    assert planned.loaded.copied[0].id == "demo:release"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"result-contains": "triggered"}, id="an-answer"),
        pytest.param({"skill-call": {"skill": "demo:release", "expected": False}}, id="a-rival"),
        pytest.param({"llm-judge": {"rubricFile": "review.md"}}, id="a-judge"),
    ],
)
def test_a_call_case_that_expects_more_runs_to_its_end(
    tmp_path: Path, more: dict[str, object]
) -> None:
    planned = plan(tmp_path, call_case("a", expect=[{"skill-call": True}, more]))
    assert planned.stops_at is None
    assert planned.loaded.copied


def test_a_prompt_case_gets_the_real_plugins_and_runs_to_its_end(tmp_path: Path) -> None:
    planned = plan(tmp_path, case("a", {"result-contains": "x"}))
    assert planned.loaded.plugin_dirs == (tmp_path / "plugins/demo",)
    assert (planned.loaded.copied, planned.loaded.project_dir) == ((), None)
    assert planned.stops_at is None
    assert planned.prompt == "prompt of a"
    assert (planned.case.max_turns, planned.case.timeout) == (WORK_TURNS, WORK_TIMEOUT)


def test_an_agent_prompt_asks_for_the_agent_by_its_listed_name(tmp_path: Path) -> None:
    entry = case("delegated", YES, type="agent-prompt", agentFile="plugins/demo/agents/auditor.md")
    planned = plan(tmp_path, entry)
    assert planned.prompt == DELEGATED
    assert planned.case.case.prompt == "prompt of delegated"
    assert planned.loaded.plugin_dirs == (tmp_path / "plugins/demo",)


def test_a_prompt_with_braces_is_delegated_as_it_is(tmp_path: Path) -> None:
    entry = case("a", CALLS_AUDITOR, type="agent-prompt", agentFile="demo:auditor")
    planned = plan(tmp_path, entry | {"prompt": "fill {agent} and {0} in"})
    assert planned.prompt.endswith("\n\nfill {agent} and {0} in")


def test_a_plugin_that_only_an_expectation_names_is_installed_too(tmp_path: Path) -> None:
    skill = write(tmp_path / "plugins/other/skills/deploy/SKILL.md", SKILL.format(name="deploy"))
    expect = {"skill-call": {"skill": "other:deploy", "expected": True}}
    planned = plan(tmp_path, case("a", expect, CALLS_AUDITOR))
    assert planned.loaded.plugin_dirs == (tmp_path / "plugins/demo", skill.parents[2])


def test_a_project_target_brings_the_projects_own_files(tmp_path: Path) -> None:
    expect = {"skill-call": {"skill": "project:local", "expected": True}}
    planned = plan(tmp_path, case("a", expect))
    assert planned.loaded.project_dir == tmp_path
    assert names_of(planned) == [["local"]]


def test_a_bare_name_that_two_plugins_have_means_neither(tmp_path: Path) -> None:
    write(tmp_path / "plugins/other/skills/release/SKILL.md", SKILL.format(name="release"))
    mine = {"skill-call": {"skill": "demo:release", "expected": True}}
    alone = plan(tmp_path, case("a", mine))
    other = {"skill-call": {"skill": "other:release", "expected": False}}
    both = plan(tmp_path, case("a", mine, other))
    assert names_of(alone) == [["demo:release", "release"]]
    assert names_of(both) == [["demo:release"], ["other:release"]]


def test_what_is_recorded_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    entry = case("a", {"llm-judge": {"rubricFile": "review.md"}}, scaffold="api")
    planned = plan(tmp_path, entry)
    assert str(tmp_path) not in str(planned.case)
    assert planned.case.case.scaffold == Path("scaffolds/api")
    assert planned.scaffold == tmp_path / "evals/mixed/scaffolds/api"


@pytest.mark.parametrize(
    ("keys", "config", "limits"),
    [
        pytest.param({}, {}, (1, CALL_TURNS, CALL_TIMEOUT), id="defaults"),
        pytest.param(
            {}, {"repeats": 3, "max_turns": 7, "timeout": 9.0}, (3, 7, 9.0), id="of-the-run"
        ),
        pytest.param(
            {"runs": 5, "maxTurns": 2, "timeout": 30},
            {"repeats": 3, "max_turns": 7, "timeout": 9.0},
            (5, 2, 30.0),
            id="of-the-case",
        ),
    ],
)
def test_a_case_says_its_limits_before_the_run_does(
    tmp_path: Path,
    keys: dict[str, object],
    config: dict[str, object],
    limits: tuple[int, int, float],
) -> None:
    found = plan(tmp_path, call_case("a", **keys), **config).case
    assert (found.runs, found.max_turns, found.timeout) == limits


def test_the_trial_model_replaces_that_of_the_case(tmp_path: Path) -> None:
    assert plan(tmp_path, call_case("a", model="opus")).case.case.model == "opus"
    assert plan(tmp_path, call_case("a", model="opus"), trial_model="haiku").case.case.model == (
        "haiku"
    )


def test_a_call_of_what_is_not_installed_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "plugins/other/skills/deploy/SKILL.md", SKILL.format(name="deploy"))
    other = {"skill-call": {"skill": "other:deploy", "expected": False}}
    with pytest.raises(TargetError, match="other:deploy, which a case of type skill-call about"):
        plan(tmp_path, call_case("a", expect=[{"skill-call": True}, other]))


def test_a_users_own_skill_cannot_be_installed_with_its_real_files(tmp_path: Path) -> None:
    write(tmp_path / "home/.claude/skills/mine/SKILL.md", SKILL.format(name="mine"))
    expect = {"skill-call": {"skill": "user:mine", "expected": True}}
    with pytest.raises(TargetError, match="make this a call case"):
        plan(tmp_path, case("a", expect))
    planned = plan(tmp_path, call_case("a", skillFile="user:mine"))
    assert planned.loaded.copied[0].name == "mine"


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(call_case("a", skillFile="demo:never"), id="call"),
        pytest.param(
            case("a", {"skill-call": {"skill": "demo:never", "expected": True}}), id="prompt"
        ),
    ],
)
def test_a_target_that_can_never_trigger_is_refused(
    tmp_path: Path, entry: dict[str, object]
) -> None:
    text = SKILL.format(name="never").replace("---\nDo", "disable-model-invocation: true\n---\nDo")
    write(tmp_path / "plugins/demo/skills/never/SKILL.md", text)
    with pytest.raises(TargetError, match="can never trigger"):
        plan(tmp_path, entry)


def test_a_case_is_planned_alike_whatever_way_its_target_is_written(tmp_path: Path) -> None:
    named = plan(tmp_path, call_case("a"))
    path = plan(tmp_path, call_case("a", skillFile="plugins/demo/skills/review"))
    assert named.stops_at == path.stops_at
    assert [one.path for one in named.loaded.copied] == [one.path for one in path.loaded.copied]
    assert replace(named.case.case, target=None, expect=()) == replace(
        path.case.case, target=None, expect=()
    )
