from pathlib import Path

import pytest

from skillwalker.errors import ConfigError, ConfigNotFoundError, SuiteError
from skillwalker.evaluation.plan import plan_cases
from tests.eval_world import case, make_eval_project, order_of
from tests.projects import SKILL, call_case, write, write_suite


def names_of(root: Path, *suites: str, test: str | None = None) -> list[tuple[str, str]]:
    places = make_eval_project(root, call_case("a"), call_case("b"), suite="one")
    write_suite(places, "two", {"plugins": ["demo"], "tests": [call_case("a"), call_case("c")]})
    planned = plan_cases(places, order_of(*suites, tests=[test] if test is not None else ()))
    return [(one.case.suite, one.case.case.name) for one in planned]


def test_all_cases_of_the_named_suites_are_run_in_order(tmp_path: Path) -> None:
    both = [("two", "a"), ("two", "c"), ("one", "a"), ("one", "b")]
    assert names_of(tmp_path, "two", "one") == both
    assert names_of(tmp_path, "two", "one", "two") == both


def test_a_filter_keeps_the_cases_of_that_name(tmp_path: Path) -> None:
    assert names_of(tmp_path, "one", "two", test="a") == [("one", "a"), ("two", "a")]
    assert names_of(tmp_path, "one", "two", test="c") == [("two", "c")]


def test_a_filter_that_keeps_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r'--test "C": one has no such case; known: "a", "b"'):
        names_of(tmp_path, "one", test="C")


def test_the_only_suite_needs_no_name(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"))
    assert len(plan_cases(places, order_of())) == 1


def test_several_suites_need_one(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as caught:
        names_of(tmp_path)
    assert "skillwalker evals run --eval one\n" in str(caught.value)
    assert "skillwalker evals run --eval two" in str(caught.value)


def test_no_suite_is_named_with_the_place(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    (tmp_path / "evals/mixed/tests.json").unlink()
    with pytest.raises(SuiteError, match=r"there is no suite in .*evals"):
        plan_cases(places, order_of())
    with pytest.raises(ConfigNotFoundError):
        plan_cases(places, order_of("mixed"))


def test_the_faults_of_every_suite_are_said_at_once(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), suite="one")
    for name in ("one", "two"):
        write_suite(places, name, {"tests": [call_case("a", prompt=""), call_case("a")]})
    with pytest.raises(SuiteError) as caught:
        plan_cases(places, order_of("one", "two"))
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in lines] == ["evals/one/tests.json"] * 2 + [
        "evals/two/tests.json"
    ] * 2


def test_every_case_that_cannot_be_run_is_a_line(tmp_path: Path) -> None:
    write(tmp_path / "plugins/other/skills/deploy/SKILL.md", SKILL.format(name="deploy"))
    other = {"skill-call": {"skill": "other:deploy", "expected": False}}
    bad = [call_case(name, expect=[{"skill-call": True}, other]) for name in ("a", "c")]
    places = make_eval_project(tmp_path, bad[0], call_case("b"), bad[1])
    with pytest.raises(SuiteError) as caught:
        plan_cases(places, order_of())
    first, second = str(caught.value).splitlines()
    assert first.startswith('evals/mixed/tests.json: tests[0] "a": expects something of')
    assert second.startswith('evals/mixed/tests.json: tests[2] "c": expects something of')


def test_the_simulated_engine_refuses_what_needs_an_answer(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    with pytest.raises(ConfigError) as caught:
        plan_cases(places, order_of(engine="simulated"))
    assert str(caught.value) == (
        'the simulated engine writes no answers, so it cannot run "work" (mixed, prompt), '
        '"delegated" (mixed, agent-prompt); choose a call case with --test, or another engine '
        "with --engine"
    )
    assert len(plan_cases(places, order_of(engine="simulated", tests=["skill"]))) == 1


def test_a_long_list_of_refused_cases_is_cut(tmp_path: Path) -> None:
    many = [case(f"w{number}", {"result-contains": "x"}) for number in range(8)]
    places = make_eval_project(tmp_path, *many)
    with pytest.raises(ConfigError, match=r'"w4" \(mixed, prompt\) and 3 more; choose'):
        plan_cases(places, order_of(engine="simulated"))


def test_real_plugins_act_on_this_machine_only_when_that_is_allowed(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    with pytest.raises(ConfigError, match=r'"work".* would act on this machine; .*--unsafe-local'):
        plan_cases(places, order_of(engine="local"))
    assert len(plan_cases(places, order_of(engine="local", unsafe_local=True))) == 4
    assert len(plan_cases(places, order_of(engine="local", tests=["agent"]))) == 1


def test_several_cases_can_be_named_and_each_unknown_one_is_said(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), call_case("b"), call_case("c"))
    planned = plan_cases(places, order_of(tests=["c", "a", "c"]))
    assert [one.case.case.name for one in planned] == ["a", "c"]
    with pytest.raises(SuiteError) as caught:
        plan_cases(places, order_of(tests=["a", "x", "y"]))
    assert [line.partition(":")[0] for line in str(caught.value).split("\n")] == [
        '--test "x"',
        '--test "y"',
    ]


def test_an_alias_is_resolved_once_unless_no_model_is_asked(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), call_case("b", model="claude-x-1"))
    models = [one.case.case.model for one in plan_cases(places, order_of())]
    assert models == ["claude-sonnet-5-5", "claude-x-1"]
    (first, _) = plan_cases(places, order_of(engine="simulated"))
    assert first.case.case.model == "sonnet"
