import json
import os
import socket
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.inputs import (
    CallExpectation,
    Case,
    JudgeExpectation,
    TextExpectation,
)
from skillwalker.datatypes.vocabulary import CaseType, TargetKind
from skillwalker.errors import ConfigNotFoundError, SuiteError
from skillwalker.paths import Places, open_places
from skillwalker.settings import Settings
from skillwalker.suites.load import list_suites, load_suite
from tests.projects import call_case, make_project, write, write_suite

Json = dict[str, object]
JUDGE = "llm-judge"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return make_project(tmp_path)


def load_case(places: Places, **keys: object) -> Case:
    write_suite(places, "s", {"tests": [call_case("a", **keys)]})
    return load_suite(places, "s").cases[0]


def faults(places: Places, suite: object) -> list[str]:
    """Give the faults of a suite, without the file's name that leads each."""
    write_suite(places, "s", suite)
    with pytest.raises(SuiteError) as caught:
        load_suite(places, "s")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("evals/s/tests.json: ") for line in lines)
    return [line.removeprefix("evals/s/tests.json: ") for line in lines]


def case_faults(places: Places, **keys: object) -> list[str]:
    lines = faults(places, {"tests": [call_case("a", **keys)]})
    return [line.removeprefix('tests[0] "a": ') for line in lines]


def test_the_contract_s_example_is_read(places: Places) -> None:
    folder = write_suite(
        places,
        "s",
        {
            "plugins": ["demo"],
            "tests": [
                {
                    "name": "asks for a review in plain words",
                    "type": "skill-call",
                    "skillFile": "demo:review",
                    "promptFile": "review-plain.md",
                    "model": "haiku",
                    "scaffold": "small-api",
                    "tags": ["near-miss", "lang:en"],
                    "runs": 3,
                    "maxTurns": 2,
                    "timeout": 60,
                    "preferred": "demo:release",
                    "expect": [{"skill-call": True}],
                },
                {
                    "name": "delegates a gap analysis",
                    "type": "agent-call",
                    "agentFile": "demo:auditor",
                    "prompt": "Compare the plan with the code.",
                    "expect": [{"agent-call": {"agent": "demo:auditor", "expected": True}}],
                },
                {
                    "name": "review finds the injection",
                    "type": "prompt",
                    "promptFile": "sub/review.md",
                    "expect": [
                        {"result-contains": "injection"},
                        {"result-does-not-contain": "LGTM"},
                        {"skill-call": {"skill": "demo:review", "expected": False}},
                        {"llm-judge": {"rubricFile": "review.md", "threshold": 0.8}},
                        {"llm-judge": {"rubricFile": "review.md", "model": "sonnet"}},
                    ],
                },
            ],
        },
    )
    write(folder / "prompts/review-plain.md", "  Schau bitte drüber.\r\n\n")
    write(folder / "prompts/sub/review.md", "Find it.")
    write(folder / "rubrics/review.md", "- it is found")
    write(folder / "scaffolds/small-api/app.py", "")
    suite = load_suite(places, "s")
    assert (suite.name, suite.path, suite.plugins) == ("s", folder, ("demo",))
    plain, gap, finds = suite.cases
    assert plain == Case(
        name="asks for a review in plain words",
        type=CaseType.SKILL_CALL,
        prompt="  Schau bitte drüber.\r\n\n",
        target="demo:review",
        model="haiku",
        scaffold=folder / "scaffolds/small-api",
        expect=(CallExpectation(kind=TargetKind.SKILL, target="demo:review", expected=True),),
        tags=("near-miss", "lang:en"),
        runs=3,
        max_turns=2,
        timeout=60,
        preferred="demo:release",
    )
    assert gap.model == "sonnet"
    assert gap.target == "demo:auditor"
    assert gap.expect == (
        CallExpectation(kind=TargetKind.AGENT, target="demo:auditor", expected=True),
    )
    assert finds.target is None
    rubric = folder / "rubrics/review.md"
    assert finds.expect == (
        TextExpectation(text="injection", contains=True),
        TextExpectation(text="LGTM", contains=False),
        CallExpectation(kind=TargetKind.SKILL, target="demo:review", expected=False),
        JudgeExpectation(rubric_file=rubric, model="opus", threshold=0.8),
        JudgeExpectation(rubric_file=rubric, model="sonnet", threshold=1.0),
    )


def test_type_defaults_to_prompt_and_skill_prompt_is_another_word_for_it(places: Places) -> None:
    assert load_case(places, type=...).type is CaseType.PROMPT
    assert load_case(places, type="skill-prompt").type is CaseType.PROMPT
    agent = load_case(places, type="agent-prompt", agentFile="demo:auditor")
    assert (agent.type, agent.target) == (CaseType.AGENT_PROMPT, "demo:auditor")


@pytest.mark.parametrize(
    "written",
    [
        "demo:review",
        "project:local",
        "plugins/demo/skills/review",
        "plugins/demo/skills/review/SKILL.md",
        "./plugins/demo/skills/review",
    ],
)
def test_a_target_is_taken_in_every_form(places: Places, written: str) -> None:
    case = load_case(places, skillFile=written)
    assert case.target == written
    assert case.expect == (CallExpectation(kind=TargetKind.SKILL, target=written, expected=True),)


def test_a_call_may_name_the_target_that_the_case_does_not(places: Places) -> None:
    call = {"skill-call": {"skill": "demo:release", "expected": False}}
    case = load_case(places, skillFile=..., expect=[call])
    assert case.target is None
    assert case.expect == (
        CallExpectation(kind=TargetKind.SKILL, target="demo:release", expected=False),
    )


def test_a_call_without_a_name_takes_the_case_s_target(places: Places) -> None:
    case = load_case(places, expect=[{"skill-call": {"expected": False}}])
    assert case.expect == (
        CallExpectation(kind=TargetKind.SKILL, target="demo:review", expected=False),
    )


@pytest.mark.parametrize(
    "name", ["レビュー", "مراجعة", "обзор", "é", "🧪👩‍🔬", "'; rm -rf /", "a" * 999]
)
def test_names_are_any_unicode(places: Places, name: str) -> None:
    assert load_case(places, name=name).name == name


def test_null_is_as_good_as_left_out(places: Places) -> None:
    nulls = dict.fromkeys(["promptFile", "scaffold", "runs", "preferred", "agentFile"])
    assert load_case(places, **nulls) == load_case(places)


@pytest.mark.parametrize("lead", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_a_byte_order_mark_is_tolerated(places: Places, lead: bytes) -> None:
    write_suite(places, "s", lead + json.dumps({"tests": [call_case("a")]}).encode())
    assert len(load_suite(places, "s").cases) == 1


def test_an_editor_s_schema_address_is_tolerated(places: Places) -> None:
    write_suite(places, "s", {"$schema": "./schema.json", "tests": [call_case("a")]})
    assert len(load_suite(places, "s").cases) == 1


# --- what is wrong with one case -----------------------------------------------------------------

CASE_FAULTS: list[tuple[str, Json, str]] = [
    ("no name", {"name": ...}, '"name" is missing; add one that no other case has'),
    ("name type", {"name": 3}, '"name" must be a text in quotes, not 3'),
    ("empty name", {"name": " "}, '"name" must not be empty'),
    (
        "control in name",
        {"name": "a\nb"},
        '"name" must be one line without control characters, not "a\\nb"',
    ),
    (
        "half a pair in name",
        {"name": "a\ud800"},
        '"name" must be valid Unicode, not "a\\ud800"',
    ),
    ("unknown key", {"promtFile": "x"}, 'unknown key "promtFile"; did you mean "promptFile"?'),
    ("snake case", {"max_turns": 3}, 'unknown key "max_turns"; did you mean "maxTurns"?'),
    (
        "unlike any key",
        {"zzz": 1},
        'unknown key "zzz"; known: "name", "type", "skillFile", "agentFile", "prompt", '
        '"promptFile", "model", "scaffold", "tags", "runs", "maxTurns", "timeout", "preferred", '
        '"expect"',
    ),
    (
        "reserved",
        {"holdout": True},
        '"holdout" is reserved: sealed cases are not built yet; remove it',
    ),
    (
        "type",
        {"type": "skil-call"},
        '"type" must be "skill-call", "agent-call", "prompt", "skill-prompt" or "agent-prompt", '
        'not "skil-call"',
    ),
    (
        "no prompt",
        {"prompt": ...},
        'has neither of "prompt" and "promptFile"; give exactly one',
    ),
    (
        "two prompts",
        {"promptFile": "x.md"},
        'has both of "prompt" and "promptFile"; give exactly one',
    ),
    ("empty prompt", {"prompt": ""}, '"prompt" must not be empty'),
    ("blank prompt", {"prompt": " \n"}, '"prompt" is empty; write what a user would ask'),
    (
        "half a pair in prompt",
        {"prompt": "a\udfff"},
        '"prompt" must be valid Unicode, not "a\\udfff"',
    ),
    ("prompt type", {"prompt": ["a"]}, '"prompt" must be a text in quotes, not a list'),
    ("no expect", {"expect": ...}, '"expect" is missing or empty; say what should happen'),
    ("empty expect", {"expect": []}, '"expect" is missing or empty; say what should happen'),
    ("expect type", {"expect": {"skill-call": True}}, '"expect" must be a list, not an object'),
    (
        "expectation type",
        {"expect": ["skill-call"]},
        '"expect[0]" must be an object of keys and values, not "skill-call"',
    ),
    (
        "two claims in one object",
        {"expect": [{"skill-call": True, "result-contains": "x"}]},
        '"expect[0]" must be one object with one key each ("skill-call", "agent-call", '
        '"result-contains", "result-does-not-contain", "llm-judge"); write one object a claim',
    ),
    (
        "a claim without a value",
        {"expect": [{"skill-call": None}]},
        '"expect[0]" must be one object with one key each ("skill-call", "agent-call", '
        '"result-contains", "result-does-not-contain", "llm-judge"); write one object a claim',
    ),
    (
        "unknown claim",
        {"expect": [{"skill-call": True}, {"result-contain": "x"}]},
        'unknown key "expect[1].result-contain"; did you mean "result-contains"?',
    ),
    (
        "call type",
        {"expect": [{"skill-call": "yes"}]},
        '"expect[0].skill-call" must be true or false, not "yes"',
    ),
    (
        "call without expected",
        {"expect": [{"skill-call": {"skill": "demo:review"}}]},
        '"expect[0].skill-call.expected" is missing; add it',
    ),
    (
        "unknown key in a call",
        {"expect": [{"skill-call": {"agent": "demo:x", "expected": True}}]},
        'unknown key "expect[0].skill-call.agent"; known: "skill", "expected"',
    ),
    (
        "key that looks like a tag of ours",
        {"expect": [{"skill-call": {"\x00object": 1, "expected": True}}]},
        'unknown key "expect[0].skill-call.\\u0000object"; known: "skill", "expected"',
    ),
    (
        "call names nothing",
        {"skillFile": ...},
        '"expect[0].skill-call" names no skill; add "skillFile" to the case, or write '
        '{"skill": "plugin:name", "expected": true}',
    ),
    (
        "call of the other kind names nothing",
        {"expect": [{"skill-call": True}, {"agent-call": False}]},
        '"expect[1].agent-call" names no agent; add "agentFile" to the case, or write '
        '{"agent": "plugin:name", "expected": false}',
    ),
    (
        "call case without a call",
        {"expect": [{"result-contains": "x"}]},
        'a skill-call case needs an expectation {"skill-call": true} or {"skill-call": false}; '
        'add it to "expect"',
    ),
    (
        "agent-call case without an agent's call",
        {"type": "agent-call"},
        'an agent-call case needs an expectation {"agent-call": true} or {"agent-call": false}; '
        'add it to "expect"',
    ),
    (
        "agent-prompt without an agent",
        {"type": "agent-prompt"},
        'an agent-prompt case needs "agentFile": the agent that gets the prompt',
    ),
    (
        "both polarities in one case",
        {"expect": [{"skill-call": True}, {"skill-call": False}]},
        'expects the skill "demo:review" both to be called and not to be; keep one',
    ),
    (
        "empty text",
        {"expect": [{"skill-call": True}, {"result-contains": ""}]},
        '"expect[1].result-contains" must not be empty',
    ),
    ("even runs", {"runs": 2}, '"runs" must be an odd number, so that a vote cannot tie, not 2'),
    ("no runs", {"runs": 0}, '"runs" must be at least 1, not 0'),
    ("negative runs", {"runs": -1}, '"runs" must be at least 1, not -1'),
    ("runs type", {"runs": "3"}, '"runs" must be a whole number, not "3"'),
    ("half a run", {"runs": 1.5}, '"runs" must be a whole number, not 1.5'),
    ("runs true", {"runs": True}, '"runs" must be a whole number, not true'),
    ("no turns", {"maxTurns": 0}, '"maxTurns" must be at least 1, not 0'),
    ("no time", {"timeout": 0}, '"timeout" must be more than 0, not 0'),
    ("time type", {"timeout": "60"}, '"timeout" must be a number, not "60"'),
    ("tags type", {"tags": "a"}, '"tags" must be a list, not "a"'),
    ("tag type", {"tags": ["a", 1]}, '"tags[1]" must be a text in quotes, not 1'),
    ("model type", {"model": None}, '"model" must be a text in quotes, not null'),
    ("empty model", {"model": ""}, '"model" must not be empty'),
    ("empty target", {"skillFile": ""}, '"skillFile" must not be empty'),
    (
        "threshold",
        {"expect": [{"skill-call": True}, {JUDGE: {"rubricFile": "r.md", "threshold": 1.5}}]},
        '"expect[1].llm-judge.threshold" must be at most 1, not 1.5',
    ),
    (
        "judge without a rubric",
        {"expect": [{"skill-call": True}, {JUDGE: {"model": "opus"}}]},
        '"expect[1].llm-judge.rubricFile" is missing; add it',
    ),
]


@pytest.mark.parametrize(
    ("keys", "fault"),
    [pytest.param(keys, fault, id=name) for name, keys, fault in CASE_FAULTS],
)
def test_a_fault_of_a_case_is_named(places: Places, keys: Json, fault: str) -> None:
    write(places.evals_dir / "s/rubrics/r.md", "- fine")
    named = "name" not in keys
    lines = faults(places, {"tests": [call_case("a", **keys)]})
    assert lines == [f'tests[0] "a": {fault}' if named else f"tests[0]: {fault}"]


@pytest.mark.parametrize("value", [3, "x", None, [], True], ids=str)
def test_a_case_that_is_no_object_is_named(places: Places, value: object) -> None:
    (line,) = faults(places, {"tests": [call_case("a"), value]})
    assert line.startswith("tests[1]: the case must be an object of keys and values, not ")


# --- files that a case names ---------------------------------------------------------------------


def make_files(folder: Path) -> None:
    """Fill a suite's folder with files good and bad."""
    outside = write(folder.parent.parent / "outside.md", "secret")
    write(folder / "prompts/good.md", "do it")
    write(folder / "prompts/other.md", "do something else")
    write(folder / "prompts/empty.md", " \n")
    write(folder / "prompts/latin.md", "gr\xfcn".encode("latin-1"))
    (folder / "prompts/folder.md").mkdir()
    (folder / "prompts/out.md").symlink_to(outside)
    (folder / "prompts/loop.md").symlink_to("loop.md")
    write(folder / "rubrics/rubric.md", "- fine")
    (folder / "rubrics/out.md").symlink_to(outside)
    write(folder / "scaffolds/api/app.py", "")
    write(folder / "scaffolds/file.txt", "")
    write(folder / "scaffolds/leaky/src/app.py", "")
    (folder / "scaffolds/leaky/src/data").symlink_to(folder.parent)
    (folder / "scaffolds/out").symlink_to(folder.parent.parent)


def rubric(name: str) -> Json:
    return {"expect": [{"skill-call": True}, {JUDGE: {"rubricFile": name}}]}


def prompt_file(name: str) -> Json:
    return {"prompt": ..., "promptFile": name}


FILE_FAULTS: list[tuple[str, Json, str]] = [
    (
        "missing, like another",
        prompt_file("god.md"),
        '"promptFile" "god.md" is not in prompts/ of the suite; did you mean "good.md"?',
    ),
    (
        "missing, unlike any",
        {"scaffold": "zzz"},
        '"scaffold" "zzz" is not in scaffolds/ of the suite; known: "api", "leaky", "out"',
    ),
    (
        "up",
        prompt_file("../tests.json"),
        '"promptFile" "../tests.json" leaves the suite; name something inside prompts/, '
        "as a path relative to it",
    ),
    (
        "up and back",
        prompt_file("a/../../prompts/good.md"),
        '"promptFile" "a/../../prompts/good.md" leaves the suite; name something inside prompts/, '
        "as a path relative to it",
    ),
    (
        "absolute",
        {"scaffold": "/etc"},
        '"scaffold" "/etc" leaves the suite; name something inside scaffolds/, '
        "as a path relative to it",
    ),
    (
        "backslash",
        rubric("..\\secret.md"),
        '"expect[1].llm-judge.rubricFile" "..\\\\secret.md" leaves the suite; '
        "name something inside rubrics/, as a path relative to it",
    ),
    (
        "link out",
        prompt_file("out.md"),
        '"promptFile" "out.md" is a link that leads out of the suite; copy what it points to',
    ),
    (
        "rubric by a link out",
        rubric("out.md"),
        '"expect[1].llm-judge.rubricFile" "out.md" is a link that leads out of the suite; '
        "copy what it points to",
    ),
    (
        "scaffold by a link out",
        {"scaffold": "out"},
        '"scaffold" "out" is a link that leads out of the suite; copy what it points to',
    ),
    (
        "link out inside a scaffold",
        {"scaffold": "leaky"},
        '"scaffold" "leaky" holds the link "src/data", which leads out of the suite; '
        "copy what it points to",
    ),
    (
        "scaffold that is a file",
        {"scaffold": "file.txt"},
        '"scaffold" "file.txt" is no folder; a scaffold is a folder that is copied',
    ),
    (
        "prompt that is a folder",
        prompt_file("folder.md"),
        '"promptFile" "folder.md" cannot be read (Is a directory)',
    ),
    (
        "empty file",
        prompt_file("empty.md"),
        '"promptFile" "empty.md" is empty; write a text into it',
    ),
    (
        "not UTF-8",
        prompt_file("latin.md"),
        '"promptFile" "latin.md" is not UTF-8 at byte 2; save the file as UTF-8',
    ),
    (
        "missing rubric",
        rubric("rubrik.md"),
        '"expect[1].llm-judge.rubricFile" "rubrik.md" is not in rubrics/ of the suite; '
        'did you mean "rubric.md"?',
    ),
]


@pytest.mark.parametrize(
    ("keys", "fault"), [pytest.param(keys, fault, id=name) for name, keys, fault in FILE_FAULTS]
)
def test_a_fault_of_a_file_is_named(places: Places, keys: Json, fault: str) -> None:
    make_files(places.evals_dir / "s")
    assert case_faults(places, **keys) == [fault]


@pytest.mark.parametrize("name", ["loop.md", "x" * 300, "good.md/x"])
def test_names_that_lead_nowhere_are_missing(places: Places, name: str) -> None:
    make_files(places.evals_dir / "s")
    (fault,) = case_faults(places, **prompt_file(name))
    assert "is not in prompts/ of the suite" in fault


def test_links_inside_the_suite_are_followed(places: Places) -> None:
    folder = places.evals_dir / "s"
    make_files(folder)
    (folder / "prompts/link.md").symlink_to("good.md")
    (folder / "scaffolds/api/link").symlink_to("app.py")
    (folder / "scaffolds/api/circle").symlink_to("circle")
    case = load_case(places, **prompt_file("link.md"), scaffold="api")
    assert case.prompt == "do it"
    assert case.scaffold == folder / "scaffolds/api"


@pytest.mark.parametrize("key", ["promptFile", "name", "model", "skillFile"])
def test_a_text_of_thousands_of_characters_is_not_repeated(places: Places, key: str) -> None:
    case = call_case("a", prompt=...) if key == "promptFile" else call_case("a")
    wrong = case | {key: "../" + "x" * 5000, "unknown": 1}
    said = faults(places, {"tests": [wrong]})
    assert said
    assert all(len(line) < 800 for line in said)


# --- what is wrong with the suite as a whole ------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("[]", 'must be an object with "tests", not a list', id="list"),
        pytest.param("3", 'must be an object with "tests", not 3', id="number"),
        pytest.param("", "line 1, column 1: invalid JSON", id="nothing"),
        pytest.param('{\n "tests": [}', "line 2, column 12: invalid JSON", id="syntax"),
        pytest.param('{"tests": [1,]}', "line 1, column 1", id="comma"),
        pytest.param('{"tests": NaN}', "invalid JSON: NaN is no number of JSON", id="nan"),
        pytest.param(
            '{"tests": ' + "9" * 5000 + "}",
            "invalid JSON: a whole number of 5,000 digits",
            id="digits",
        ),
        pytest.param("[" * 100_000, "is nested too deep; flatten it", id="depth"),
        pytest.param(b'{"tests": "\xe9"}', "byte 11 is not UTF-8", id="bytes"),
        pytest.param("{}", '"tests" is missing; add it', id="no tests"),
        pytest.param('{"tests": []}', '"tests" must not be empty', id="empty"),
        pytest.param('{"tests": {}}', '"tests" must be a list, not an object', id="tests type"),
        pytest.param('{"test": []}', 'unknown key "test"; did you mean "tests"?', id="unknown"),
    ],
)
def test_a_fault_of_the_file_is_named(places: Places, text: str | bytes, fault: str) -> None:
    assert any(line.startswith(fault) for line in faults(places, text))


def test_a_key_that_stands_twice_is_named(places: Places) -> None:
    text = json.dumps({"tests": [call_case("a"), call_case("b")], "plugins": []})
    text = text.replace('"name": "b"', '"name": "b", "prompt": "x"')
    text = text.replace('"plugins": []', '"plugins": [], "plugins": ["demo"]')
    assert faults(places, text) == [
        '"plugins" is written twice; keep one',
        'tests[1] "b": "prompt" is written twice; keep one',
    ]


def test_an_unknown_plugin_is_named_with_the_known_ones(places: Places) -> None:
    write(places.project / "plugins/other/skills/x/SKILL.md", "")
    suite = {"plugins": ["demo", "zzz", "../demo"], "tests": [call_case("a")]}
    assert faults(places, suite) == [
        '"plugins[1]" "zzz": there is no such plugin; known: "demo", "other"',
        '"plugins[2]" "../demo": there is no such plugin; did you mean "demo"?',
    ]


def test_names_must_differ_as_people_read_them(places: Places) -> None:
    composed, taken_apart = "Prüfung", unicodedata.normalize("NFD", "Prüfung")
    names = ["a", composed, "a", taken_apart, "A"]
    cases = [call_case(name, prompt=f"p{at}") for at, name in enumerate(names)]
    assert faults(places, {"tests": cases}) == [
        'tests[2] "a": "name" is also that of tests[0]; change one',
        f'tests[3] "{taken_apart}": "name" is also that of tests[1]; change one',
    ]


def test_same_prompt_with_both_polarities_names_both_cases(places: Places) -> None:
    spelled = "plugins/demo/skills/review/SKILL.md"
    cases = [
        call_case("yes", prompt="Look at this"),
        call_case("no", False, prompt="Look  at this\n", skillFile=spelled),
        call_case("other target", False, prompt="Look at this", skillFile="demo:release"),
        call_case("twice yes", prompt="Look at this"),
    ]
    assert faults(places, {"tests": cases}) == [
        'tests[1] "no": has the same prompt as tests[0] "yes", which wants the skill '
        f'"{spelled}" to be called; change one of them',
        'tests[3] "twice yes": has the same prompt as tests[1] "no", which wants the skill '
        '"demo:review" not to be called; change one of them',
    ]


def test_a_link_to_a_target_is_the_same_target(places: Places) -> None:
    (places.project / "plugins/linked").symlink_to("demo")
    cases = [
        call_case("yes", prompt="Look at this"),
        call_case("no", False, prompt="Look at this", skillFile="plugins/linked/skills/review"),
    ]
    (fault,) = faults(places, {"tests": cases})
    assert fault.startswith('tests[1] "no": has the same prompt as tests[0] "yes"')


def test_an_unknown_target_is_named_with_the_known_ones(places: Places) -> None:
    named = {"skill-call": {"skill": "demo:zzz", "expected": True}}
    cases = [
        call_case("a", skillFile="demo:reviw"),
        call_case("b", expect=[named]),
        call_case("c", agentFile="demo:audit"),
    ]
    first, second, third = faults(places, {"tests": cases})
    assert first.startswith('tests[0] "a": "skillFile": there is no skill "demo:reviw"')
    assert "demo:review" in first
    assert second.startswith('tests[1] "b": "expect skill-call": there is no skill "demo:zzz"')
    assert third.startswith('tests[2] "c": "agentFile": there is no agent "demo:audit"')
    assert "demo:auditor" in third


def test_every_fault_is_said_at_once(places: Places) -> None:
    cases: list[object] = [
        call_case("a", promtFile="x", prompt=..., scaffold="gone", runs=2, skillFile="demo:zzz"),
        call_case("a", expect=[{"skill-call": 1}, {JUDGE: {"rubricFile": "gone.md"}}]),
        7,
    ]
    lines = faults(places, {"plugins": ["zzz"], "extra": 1, "tests": cases})
    starts = [
        'unknown key "extra"',
        '"plugins[0]" "zzz": there is no such plugin',
        'tests[0] "a": "runs" must be an odd number',
        'tests[0] "a": unknown key "promtFile"',
        'tests[0] "a": has neither of "prompt" and "promptFile"',
        'tests[0] "a": "scaffold" "gone" is not in scaffolds/',
        'tests[0] "a": "skillFile": there is no skill "demo:zzz"',
        'tests[1] "a": "expect[0].skill-call" must be true or false, not 1',
        'tests[1] "a": "expect[1].llm-judge.rubricFile" "gone.md" is not in rubrics/',
        'tests[1] "a": "name" is also that of tests[0]',
        "tests[2]: the case must be an object",
    ]
    assert len(lines) == len(starts)
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True))


def test_names_at_the_head_are_looked_for_whatever_else_is_wrong(tmp_path: Path) -> None:
    places = replace(make_project(tmp_path), metrics=())
    suite = {"plugins": ["zzz", 3], "metrics": ["lines"], "x": 1, "tests": [call_case("a")]}
    lines = faults(places, suite)
    starts = [
        '"plugins[1]" must be a text',
        'unknown key "x"',
        '"plugins[0]" "zzz": there is no such plugin',
        '"metrics[0]" "lines": there is no such metric',
    ]
    assert len(lines) == len(starts)
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True))


@pytest.mark.parametrize(
    ("claim", "starts"),
    [
        pytest.param(
            {JUDGE: {"rubricFile": "../x.md", "threshold": 2}},
            ['"expect[1].llm-judge.threshold" must be', '"expect[1].llm-judge.rubricFile" "../x'],
            id="rubric beside a threshold",
        ),
        pytest.param(
            {JUDGE: {"rubricFile": "gone.md", "modle": "opus"}},
            ['unknown key "expect[1].llm-judge.modle"', '"expect[1].llm-judge.rubricFile" "gone'],
            id="rubric beside an unknown key",
        ),
        pytest.param(
            {"skill-call": {"skill": "demo:zzz", "expected": 1}},
            [
                '"expect[1].skill-call.expected" must be true or false',
                '"expect skill-call": there is no skill "demo:zzz"',
            ],
            id="skill beside what is expected of it",
        ),
        pytest.param(
            {"agent-call": {"agent": "demo:zzz"}},
            [
                '"expect[1].agent-call.expected" is missing',
                '"expect agent-call": there is no agent "demo:zzz"',
            ],
            id="agent of which nothing is expected",
        ),
        pytest.param(
            {JUDGE: {"rubricFile": "gone.md"}, "result-contains": "x"},
            ['"expect[1]" must be one object', '"expect[1].llm-judge.rubricFile" "gone.md"'],
            id="two claims in one object",
        ),
    ],
)
def test_a_faulty_claim_hides_no_fault_of_what_it_names(
    places: Places, claim: Json, starts: list[str]
) -> None:
    lines = case_faults(places, expect=[{"skill-call": True}, claim])
    assert len(lines) == len(starts), lines
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True)), lines


def test_a_faulty_prompt_hides_no_missing_file(places: Places) -> None:
    first, second = case_faults(places, prompt=3, promptFile="gone.md")
    assert first.startswith('"prompt" must be a text')
    assert second.startswith('"promptFile" "gone.md" is not in prompts/')


def test_messages_cannot_garble_a_terminal(places: Places) -> None:
    lines = faults(places, {"tests": [call_case("a", **{"\x1b[2J\u202e\ud800": 1})]})
    assert lines[0].startswith('tests[0] "a": unknown key "\\u001b[2J\\u202e?"')


# --- which suites there are -----------------------------------------------------------------------


def test_suites_are_the_folders_that_hold_a_tests_json(places: Places) -> None:
    for name in ("b", "a", "レビュー"):
        write_suite(places, name, {"tests": []})
    (places.evals_dir / "empty").mkdir()
    write(places.evals_dir / "notes.md", "")
    assert list_suites(places) == ("a", "b", "レビュー")


def test_a_project_without_evals_has_no_suites(tmp_path: Path) -> None:
    assert list_suites(open_places(tmp_path, Settings(), tmp_path)) == ()


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        pytest.param("revew", 'did you mean "review"?', id="like another"),
        pytest.param("zzz", 'known: "other", "review"', id="unlike any"),
        pytest.param("../s", 'known: "other", "review"', id="leaves the folder"),
        pytest.param("", 'known: "other", "review"', id="empty"),
        pytest.param("folder", 'known: "other", "review"', id="no tests.json"),
    ],
)
def test_a_missing_suite_is_named_with_those_there_are(
    places: Places, name: str, ending: str
) -> None:
    for suite in ("review", "other"):
        write_suite(places, suite, {"tests": [call_case("a")]})
    (places.evals_dir / "folder").mkdir()
    write(places.project / "s/tests.json", "{}")
    with pytest.raises(ConfigNotFoundError) as caught:
        load_suite(places, name)
    message = str(caught.value)
    assert message.startswith(f'there is no suite "{name}": a suite is a folder in evals/ that')
    assert message.endswith(ending)


# --- any input ------------------------------------------------------------------------------------

CASE_KEYS = (
    "name", "type", "skillFile", "agentFile", "prompt", "promptFile", "model", "scaffold", "tags",
    "runs", "maxTurns", "timeout", "preferred", "expect", "holdout", "other",
)  # fmt: skip
WORDS = st.sampled_from(
    ["a", "demo:review", "demo:auditor", "skill-call", "agent-prompt", "prompt", "..", "", "/", "é"]
)
TEXTS = st.text(st.characters(), max_size=5)  # halves of surrogate pairs included
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | WORDS
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CALLS = st.booleans() | st.fixed_dictionaries({"expected": st.booleans() | ANY, "skill": WORDS})
EXPECTATIONS = st.dictionaries(
    st.sampled_from(["skill-call", "agent-call", "result-contains", "llm-judge", "x"]),
    CALLS | ANY,
    max_size=2,
)
NEARLY_CASES = st.dictionaries(
    st.sampled_from(CASE_KEYS), WORDS | st.lists(EXPECTATIONS, max_size=3) | ANY, max_size=8
)
NEARLY_SUITES = st.fixed_dictionaries(
    {"tests": st.lists(NEARLY_CASES | ANY, max_size=4) | ANY}, optional={"plugins": ANY, "x": ANY}
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return make_project(tmp_path_factory.mktemp("project"))


def outcome(places: Places, content: str | bytes) -> str:
    write_suite(places, "s", content)
    try:
        return f"{len(load_suite(places, 's').cases)} cases"
    except SuiteError as error:
        return str(error)


@settings(max_examples=200, deadline=None)
@given(value=NEARLY_SUITES | ANY)
@example(value={"\x00object": 1, "tests": [{"\x00object": 1}, {"\ud800": 1}]})
def test_any_json_is_a_suite_or_our_error(shared: Places, value: object) -> None:
    found = outcome(shared, json.dumps(value))
    assert found.endswith("cases") or all(
        line.startswith("evals/s/tests.json: ") for line in found.splitlines()
    )
    found.encode()  # nothing that a terminal cannot take


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=60))
def test_any_bytes_are_our_error(shared: Places, content: bytes) -> None:
    assert outcome(shared, content).startswith("evals/s/tests.json: ")


@settings(max_examples=60, deadline=None)
@given(name=st.text(max_size=20))
def test_any_suite_name_is_our_error(shared: Places, name: str) -> None:
    with pytest.raises(ConfigNotFoundError):
        load_suite(shared, f"no {name}")


@settings(max_examples=100, deadline=None)
@given(name=st.text(max_size=20))
def test_any_file_name_is_our_error(shared: Places, name: str) -> None:
    case = call_case("a", **prompt_file(name + "x"))
    found = outcome(shared, json.dumps({"tests": [case]}))
    assert found.startswith('evals/s/tests.json: tests[0] "a": "promptFile" ')


@pytest.mark.parametrize(
    "place", ["tests.json", "prompts/p.md", "rubrics/r.md", "scaffolds/api/deep/pipe"]
)
def test_a_pipe_is_refused_and_not_waited_for(places: Places, place: str) -> None:
    expect = [{"skill-call": True}, {JUDGE: {"rubricFile": "r.md"}}]
    case = call_case("a", prompt=..., promptFile="p.md", scaffold="api", expect=expect)
    folder = write_suite(places, "s", {"tests": [case]})
    for name in ("prompts/p.md", "rubrics/r.md", "scaffolds/api/deep/file"):
        write(folder / name, "- text")
    assert load_suite(places, "s").cases[0].prompt == "- text"
    (folder / place).unlink(missing_ok=True)
    os.mkfifo(folder / place)
    with pytest.raises(SuiteError, match="not a regular file"):
        load_suite(places, "s")
    assert list_suites(places) == ("s",)


def test_a_socket_in_a_scaffold_is_named(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_suite(places, "s", {"tests": [call_case("a", scaffold="api")]})
    write(folder / "scaffolds/api/file", "")
    monkeypatch.chdir(folder / "scaffolds/api")  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("door")
        with pytest.raises(SuiteError, match='"api" holds "door", which is not a regular file'):
            load_suite(places, "s")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param("nope", 'there is no skill or agent "nope"; known: demo:', id="no name"),
        pytest.param(
            "demo:nope",
            'there is no skill or agent "demo:nope"; known: demo:auditor, demo:release, demo:rev',
            id="none",
        ),
        pytest.param("demo:reviev", 'did you mean "demo:review"', id="misspelt"),
        pytest.param("plugins/demo/agents/x.md", "there is no agent at ", id="a path"),
    ],
)
def test_what_should_fire_instead_must_be_there(places: Places, written: str, said: str) -> None:
    (fault,) = case_faults(places, preferred=written)
    assert fault.startswith('"preferred": ')
    assert said in fault


@pytest.mark.parametrize(
    "written",
    [
        "demo:release",
        "demo:auditor",
        "plugins/demo/agents/auditor.md",
        "plugins/demo/skills/release",
    ],
)
def test_what_should_fire_instead_is_a_skill_or_an_agent(places: Places, written: str) -> None:
    assert load_case(places, preferred=written).preferred == written


def test_a_project_without_suites_is_told_how_to_begin(places: Places) -> None:
    with pytest.raises(ConfigNotFoundError) as caught:
        load_suite(places, "code-review")
    assert str(caught.value) == (
        'there is no suite "code-review", nor any other in evals/; write '
        "evals/<suite>/tests.json (skillwalker evals schema prints its form)"
    )
