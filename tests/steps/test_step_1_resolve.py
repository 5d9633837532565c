from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import ConfigNotFoundError, SuiteError, TargetError
from skillwalker.paths import Places
from skillwalker.steps.step_1_resolve import Resolved, kind_meant, resolve
from tests.projects import call_case, make_project, write, write_suite

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return make_project(tmp_path)


def agent_case(name: str, expected: bool = True) -> dict[str, object]:
    return call_case(
        name,
        type="agent-call",
        skillFile=...,
        agentFile="demo:auditor",
        expect=[{"agent-call": expected}],
    )


def resolved(places: Places, suite: str | None = None, target: str | None = None) -> Resolved:
    return resolve(places, kind=SKILL, suite=suite, target=target)


def test_bare_finds_the_one_suite_and_its_one_target_of_each_kind(places: Places) -> None:
    write_suite(places, "s", {"tests": [call_case("a"), call_case("b", False), agent_case("c")]})
    skill = resolve(places, kind=SKILL, suite=None, target=None)
    assert (skill.target.id, skill.suite) == ("demo:review", "s")
    assert [(case.name, case.should_trigger) for case in skill.cases] == [("a", True), ("b", False)]
    agent = resolve(places, kind=AGENT, suite=None, target=None)
    assert (agent.target.id, agent.suite) == ("demo:auditor", "s")
    assert [case.name for case in agent.cases] == ["c"]


def test_a_case_keeps_all_that_the_loop_needs(places: Places) -> None:
    folder = write_suite(
        places,
        "s",
        {
            "tests": [
                call_case(
                    "a",
                    False,
                    model="haiku",
                    scaffold="api",
                    tags=["t"],
                    runs=3,
                    maxTurns=2,
                    timeout=9,
                    preferred="demo:release",
                )
            ]
        },
    )
    write(folder / "scaffolds/api/x", "")
    expected = TriggerCase(
        name="a",
        prompt="prompt of a",
        should_trigger=False,
        model="haiku",
        scaffold=folder / "scaffolds/api",
        tags=("t",),
        runs=3,
        max_turns=2,
        timeout=9,
        preferred="demo:release",
    )
    assert resolved(places).cases == (expected,)
    overridden = resolve(places, kind=SKILL, suite=None, target=None, trial_models=("opus",))
    assert overridden.cases == (replace(expected, model="opus"),)


def test_order_in_the_file_changes_nothing(places: Places) -> None:
    cases = [call_case(f"case {at:02}", at % 2 == 0) for at in range(12)]
    write_suite(places, "s", {"tests": cases})
    before = resolved(places)
    write_suite(places, "s", {"tests": [*cases[7:], *reversed(cases[:7])]})
    assert resolved(places) == before


def test_siblings_are_the_rivals_of_both_kinds(places: Places) -> None:
    write_suite(places, "s", {"tests": [call_case("a")]})
    assert {one.id for one in resolved(places).siblings} == {"demo:release", "demo:auditor"}


def test_two_spellings_of_one_file_are_one_target(places: Places) -> None:
    cases = [
        call_case("a"),
        call_case("b", False, skillFile="plugins/demo/skills/review"),
        call_case("c", skillFile="plugins/demo/skills/review/SKILL.md"),
    ]
    write_suite(places, "s", {"tests": cases})
    for target in (None, "demo:review", "plugins/demo/skills/review"):
        found = resolved(places, target=target)
        assert [case.name for case in found.cases] == ["a", "b", "c"]
        assert found.target.id == "demo:review"


def test_cases_of_another_target_are_not_this_one_s(places: Places) -> None:
    both = [
        {"skill-call": True},
        {"skill-call": {"skill": "demo:release", "expected": False}},
    ]
    cases = [
        call_case("review"),
        call_case("release", skillFile="demo:release"),
        call_case("both", expect=both),
    ]
    write_suite(places, "s", {"tests": cases})
    review = resolved(places, target="demo:review").cases
    release = resolved(places, target="demo:release").cases
    assert [(case.name, case.should_trigger) for case in review] == [
        ("both", True),
        ("review", True),
    ]
    assert [(case.name, case.should_trigger) for case in release] == [
        ("both", False),
        ("release", True),
    ]


def test_prompt_cases_are_not_the_loop_s(places: Places) -> None:
    cases = [call_case("a"), call_case("b", type="prompt"), call_case("c", type="skill-prompt")]
    write_suite(places, "s", {"tests": cases})
    assert [case.name for case in resolved(places).cases] == ["a"]


def test_a_target_finds_the_one_suite_that_has_cases_for_it(places: Places) -> None:
    write_suite(places, "one", {"tests": [call_case("a")]})
    write_suite(places, "two", {"tests": [call_case("b", skillFile="demo:release")]})
    assert resolved(places, target="demo:release").suite == "two"
    assert resolved(places, suite="one").target.id == "demo:review"


def test_several_suites_are_listed_as_the_commands_to_type(places: Places) -> None:
    write_suite(places, "one", {"tests": [call_case("a")]})
    write_suite(places, "the other", {"tests": [call_case("b")]})
    with pytest.raises(SuiteError) as caught:
        resolved(places)
    assert str(caught.value).splitlines() == [
        "several suites have cases for demo:review; choose one:",
        "  scil run --eval 'the other' --skill demo:review",
        "  scil run --eval one --skill demo:review",
    ]
    assert resolved(places, suite="one").suite == "one"


def test_several_targets_are_listed_as_the_commands_to_type(places: Places) -> None:
    cases = [call_case("a"), call_case("b", skillFile="demo:release")]
    write_suite(places, "s", {"tests": cases})
    for suite in (None, "s"):
        with pytest.raises(TargetError) as caught:
            resolved(places, suite=suite)
        assert str(caught.value).splitlines() == [
            "several skills have cases; choose one:",
            "  scil run --eval s --skill demo:release",
            "  scil run --eval s --skill demo:review",
        ]


def test_a_suite_without_a_case_for_the_kind_says_what_it_has(places: Places) -> None:
    cases = [agent_case("a"), agent_case("b", False), call_case("c", type="prompt", skillFile=...,
             expect=[{"result-contains": "x"}])]  # fmt: skip
    write_suite(places, "s", {"tests": cases})
    with pytest.raises(SuiteError) as caught:
        resolved(places)
    assert str(caught.value).splitlines() == [
        'no skill-call case; add some with the expectation {"skill-call": true} or '
        '{"skill-call": false}, or make one: skillwalker init --skill TARGET (writes examples,'
        " free), skillwalker evals draft --skill TARGET (lets Claude propose cases),"
        " skillwalker evals import FILE (takes other tools' evals). There is:",
        "  s: 2 agent-call for demo:auditor, 1 prompt",
    ]
    with pytest.raises(SuiteError, match=r"^no skill-call case for demo:review; add some"):
        resolved(places, suite="s", target="demo:review")


def test_a_project_without_suites_says_how_to_begin(places: Places) -> None:
    with pytest.raises(
        SuiteError, match=r"^there is no suite in .*evals; make one: skillwalker init"
    ):
        resolved(places)


def test_unknown_names_are_refused(places: Places) -> None:
    write_suite(places, "s", {"tests": [call_case("a")]})
    with pytest.raises(ConfigNotFoundError, match='there is no suite "t"'):
        resolved(places, suite="t")
    with pytest.raises(TargetError, match=r"demo:reviw.*demo:review"):
        resolved(places, target="demo:reviw")


def test_a_broken_suite_elsewhere_says_how_to_leave_it_aside(places: Places) -> None:
    write_suite(places, "broken", "{")
    with pytest.raises(SuiteError) as alone:
        resolved(places)
    assert "--eval" not in str(alone.value)
    write_suite(places, "s", {"tests": [call_case("a")]})
    write_suite(places, "t", {"tests": [call_case("a", skillFile="demo:release"), agent_case("c")]})
    write_suite(places, "worse", "[]")
    with pytest.raises(SuiteError) as caught:
        resolved(places)
    first, second, *others = str(caught.value).splitlines()
    assert first.startswith("evals/broken/tests.json: line 1")
    assert second.startswith("evals/worse/tests.json: must be an object")
    assert others == [
        "correct that, or choose a suite that is right:",
        "  scil run --eval s --skill demo:review",
        "  scil run --eval t --skill demo:release",
    ]
    with pytest.raises(SuiteError) as caught:
        resolved(places, target="demo:release")
    assert str(caught.value).splitlines()[2:] == [
        "correct that, or choose a suite that is right:",
        "  scil run --eval t --skill demo:release",
    ]
    with pytest.raises(SuiteError) as caught:
        kind_meant(places, target=None, suite=None)
    assert str(caught.value).splitlines()[3:] == [
        "  skillwalker measure demo:auditor --eval t",
        "  skillwalker measure demo:release --eval t",
        "  skillwalker measure demo:review --eval s",
    ]
    assert resolved(places, suite="s").suite == "s"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param("plugins/demo/skills/review/SKILL.md", SKILL, id="its file"),
        pytest.param("plugins/demo/skills/review", SKILL, id="its folder"),
        pytest.param("plugins/demo/agents/auditor.md", AGENT, id="an agent's file"),
        pytest.param("demo:review", SKILL, id="a name"),
        pytest.param("demo:auditor", AGENT, id="an agent's name"),
    ],
)
def test_a_path_tells_the_kind(places: Places, written: str, kind: TargetKind) -> None:
    write_suite(places, "s", {"tests": [call_case("a"), agent_case("b")]})
    assert kind_meant(places, target=written, suite=None) is kind


def test_a_path_to_nothing_is_refused(places: Places) -> None:
    with pytest.raises(TargetError, match=r"there is no skill or agent at .*zzz"):
        kind_meant(places, target="plugins/zzz", suite=None)


def test_measuring_is_told_how_to_choose_for_measuring(places: Places) -> None:
    for suite in ("one", "the other"):
        write_suite(places, suite, {"tests": [call_case("a")]})
    with pytest.raises(SuiteError) as caught:
        resolve(places, kind=SKILL, suite=None, target=None, run_kind="measure")
    assert str(caught.value).splitlines()[1:] == [
        "  skillwalker measure demo:review --eval 'the other'",
        "  skillwalker measure demo:review --eval one",
    ]


def test_suites_outside_the_project_keep_their_whole_path(places: Places) -> None:
    elsewhere = replace(places, evals_dir=Path("/nope"))
    with pytest.raises(SuiteError, match=r"write /nope/<suite>/tests\.json"):
        resolved(elsewhere)


def test_a_bare_command_for_both_kinds_lists_what_there_is(places: Places) -> None:
    with pytest.raises(SuiteError, match="there is no suite in"):
        kind_meant(places, target=None, suite=None)
    write_suite(places, "s", {"tests": [call_case("a")]})
    assert kind_meant(places, target=None, suite=None) is SKILL
    write_suite(places, "s", {"tests": [call_case("a"), agent_case("b")]})
    with pytest.raises(SuiteError) as caught:
        kind_meant(places, target=None, suite=None)
    assert str(caught.value).splitlines() == [
        "skills and agents have cases; choose one:",
        "  skillwalker measure demo:auditor --eval s",
        "  skillwalker measure demo:review --eval s",
    ]


def test_a_name_of_both_kinds_means_the_one_with_cases(places: Places) -> None:
    write(places.project / "plugins/demo/agents/review.md", "---\ndescription: Reviews.\n---\n")
    write_suite(places, "s", {"tests": [agent_case("b")]})
    assert kind_meant(places, target="demo:review", suite=None) is AGENT
    write_suite(places, "s", {"tests": [call_case("a"), agent_case("b")]})
    with pytest.raises(SuiteError, match=r"names a skill and an agent.*name the target's file"):
        kind_meant(places, target="demo:review", suite=None)


@pytest.mark.parametrize("target", ["reviev", "auditer"])
def test_a_bare_name_is_looked_for_among_skills_and_agents(places: Places, target: str) -> None:
    meant = {"reviev": "demo:review", "auditer": "demo:auditor"}[target]
    with pytest.raises(TargetError) as caught:
        kind_meant(places, target=target, suite=None)
    assert str(caught.value).startswith(
        f'there is no skill or agent "{target}"; did you mean "{meant}"?'
    )
