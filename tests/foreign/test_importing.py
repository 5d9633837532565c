import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import SuiteError
from skillwalker.foreign.importing import import_queries, import_suites, suites_at
from skillwalker.foreign.tree import find_suites
from skillwalker.paths import Places
from skillwalker.suites.load import load_suite
from skillwalker.targets.names import resolve_target
from tests.projects import call_case, make_project, write, write_suite

DATA = Path(__file__).parents[1] / "data" / "foreign"


def read(places: Places, *files: Path, suite: str = "new") -> list[dict[str, object]]:
    """Import files about `demo:review`; give the tests that were written."""
    target = resolve_target("demo:review", TargetKind.SKILL, places)
    named = [(file, file.name) for file in files]
    import_queries(named, suite=suite, target=target, written="demo:review", places=places)
    tests = json.loads((places.evals_dir / suite / "tests.json").read_text())["tests"]
    assert isinstance(tests, list)
    return tests


def sides(tests: Sequence[dict[str, object]]) -> list[bool]:
    """What each test expects."""
    return [test["expect"] == [{"skill-call": True}] for test in tests]


QUERIES = [
    {"query": "fix it", "should_trigger": True},
    {"query": "no", "should_trigger": False},
]
SHAPES = {
    "array.json": [True, True, False],
    "wrapped_queries.json": [True, False],
    "wrapped_evals.json": [True, False],
    "wrapped_cases.json": [True, False],
    "two_lists.json": [True, True, False, False],
    "named.json": [True, False, False],
    "preferred.json": [True, False, False],
    "routed.json": [True, False, False],
    "words.jsonl": [True, False, False],
    "waza.yaml": [True, True, False],
    "sets.json": [True, False, False],
    "set_list.json": [True, False],
    "promptfoo.yaml": [True, False],
    "vally.yaml": [True, False],
    "expected.json": [True, False, False, False],
    "skill_or_null.json": [True, False, False],
}


def test_every_shape_has_a_file() -> None:
    assert {path.name for path in DATA.iterdir()} == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_read_with_its_labels(tmp_path: Path, name: str) -> None:
    places = make_project(tmp_path)
    tests = read(places, DATA / name)
    assert sides(tests) == SHAPES[name]
    assert len(load_suite(places, "new").cases) == len(SHAPES[name])


def test_several_files_make_one_suite_with_unlike_names(tmp_path: Path) -> None:
    places = make_project(tmp_path)
    first = write(tmp_path / "a.json", '[{"id": "x", "query": "one", "should_trigger": true}]')
    second = write(tmp_path / "b.json", '[{"id": "x", "query": "two", "should_trigger": false}]')
    assert [test["name"] for test in read(places, first, second)] == ["x", "x (2)"]


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        pytest.param(
            '[{"query": "fix  it", "should_trigger": true, "tags": ["a"]}, {"query": "no",'
            ' "should_trigger": false}, {"query": "fix it", "should_trigger": true, "tags":'
            ' ["b"]}]',
            "1 entry with the prompt and label of an earlier one (x.json: [2])",
            id="a prompt twice",
        ),
        pytest.param(
            json.dumps(dict.fromkeys(("queries", "evals"), QUERIES)),
            "2 entries with the prompt and label of an earlier one"
            " (x.json: evals[0], x.json: evals[1])",
            id="two lists of the same",
        ),
    ],
)
def test_a_prompt_that_stands_twice_is_one_case_and_said(
    tmp_path: Path, text: str, repeated: str
) -> None:
    places = make_project(tmp_path)
    file = write(tmp_path / "x.json", text)
    target = resolve_target("demo:review", TargetKind.SKILL, places)
    done = import_queries(
        [(file, file.name)], suite="new", target=target, written="demo:review", places=places
    )
    assert (done.positive, done.negative) == (1, 1)
    assert done.notes == (f"left out: {repeated}",)
    tests = json.loads((places.evals_dir / "new" / "tests.json").read_text())["tests"]
    assert [test["name"] for test in tests] == ["fix it", "no"]
    assert tests[0].get("tags", []) in ([], ["a", "b"])


@pytest.mark.parametrize(
    ("name", "at", "key", "value"),
    [
        ("two_lists.json", 1, "name", "pr"),
        ("two_lists.json", 2, "tags", ["other"]),
        ("two_lists.json", 3, "tags", ["near-miss"]),
        ("preferred.json", 1, "preferred", "demo:release"),
        ("named.json", 1, "preferred", "demo:release"),
        ("routed.json", 1, "tags", ["near-miss"]),
        ("routed.json", 2, "preferred", None),
        ("promptfoo.yaml", 0, "name", "finds the skill"),
        ("wrapped_queries.json", 1, "tags", ["lang:en"]),
        ("wrapped_evals.json", 1, "prompt", "写一篇书评"),
        ("array.json", 0, "name", "can you look over my diff before I push it"),
    ],
)
def test_names_tags_and_rivals_come_along(
    tmp_path: Path, name: str, at: int, key: str, value: object
) -> None:
    assert read(make_project(tmp_path), DATA / name)[at].get(key) == value


ALIKE = [
    pytest.param(
        ("please look over my pull request", True), ("please look over my pull requests", True),
        "asked nearly the same, so that both count as one: b.json: [0] as a.json: [0]", id="same",
    ),
    pytest.param(
        ("look over my pull request now", True), ("please look over my pull request now", False),
        "one wording with opposite labels; check them: b.json: [0] and a.json: [0]", id="opposite",
    ),
    pytest.param(("sort the list", True), ("tell me a joke", True), None, id="unlike"),
    pytest.param(
        ("please look over my pull request now", True),
        ("please look over my pull reports now", False), None, id="near miss",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "said"), ALIKE)
def test_prompts_that_are_nearly_alike_are_told(
    tmp_path: Path, first: tuple[str, bool], second: tuple[str, bool], said: str | None
) -> None:
    places = make_project(tmp_path)
    target = resolve_target("demo:review", TargetKind.SKILL, places)
    files = [
        (write(tmp_path / name, json.dumps([{"query": text, "should_trigger": label}])), name)
        for name, (text, label) in (("a.json", first), ("b.json", second))
    ]
    done = import_queries(files, suite="new", target=target, written="demo:review", places=places)
    assert done.notes == (() if said is None else (said,))


ROUTES = [
    pytest.param({"expect": True, "route": "review"}, True, None, [], id="its own route"),
    pytest.param({"expect": True, "route": "not release"}, True, None, [], id="not another"),
    pytest.param({"expect": False, "route": "release"}, False, "demo:release", [], id="a rival"),
    pytest.param({"expect": False, "route": "none"}, False, None, ["near-miss"], id="no route"),
    pytest.param({"expect": False, "route": "not review"}, False, None, ["near-miss"], id="near"),
    pytest.param(
        {"skill": "release", "expect": True, "route": "release"}, False, "demo:release", [],
        id="about another",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "label", "preferred", "tags"), ROUTES)
def test_a_route_is_what_should_fire_instead(
    tmp_path: Path, keys: dict[str, object], label: bool, preferred: str | None, tags: list[str]
) -> None:
    file = write(tmp_path / "f.json", json.dumps([{"query": "a", **keys}]))
    (test,) = read(make_project(tmp_path), file)
    assert sides([test]) == [label]
    assert (test.get("preferred"), test.get("tags", [])) == (preferred, tags)


UNREADABLE = {
    "a route against its label": (
        '[{"query": "a", "expect": false, "route": "review"}]',
        "says both that the skill should trigger and that it should not (expect, route)",
    ),
    "a boolean in quotes": (
        '[{"query": "a", "should_trigger": "true"}]',
        'f.json: [0]: "should_trigger" is the text "true", not true or false',
    ),
    "the other boolean in quotes": (
        '{"evals": [{"query": "a", "should_trigger": "false"}]}',
        'f.json: evals[0]: "should_trigger" is the text "false"',
    ),
    "a number": ('[{"query": "a", "should_trigger": 1}]', "must be true or false, not 1"),
    "null among booleans": (
        '[{"query": "a", "should_trigger": true}, {"query": "b", "should_trigger": null}]',
        'f.json: [1]: "should_trigger" must be true or false, not null',
    ),
    "a sentence": ('[{"query": "a", "should_trigger": "when asked"}]', 'is "when asked"'),
    "no label": ('[{"query": "a"}]', "f.json: [0]: does not say whether the skill should trigger"),
    "an eval of the work": (
        '{"evals": [{"prompt": "a", "expected_output": "b"}]}',
        "it grades the work that is done",
    ),
    "no prompt": ('[{"should_trigger": true}]', "f.json: [0]: has no prompt"),
    "an empty prompt": ('[{"query": " ", "should_trigger": true}]', "has an empty prompt"),
    "a prompt that is no text": ('[{"query": 3, "should_trigger": true}]', "has no prompt"),
    "two prompts": (
        '[{"query": "a", "prompt": "b", "should_trigger": true}]',
        'has "query" and "prompt", which differ',
    ),
    "half a character": ('[{"query": "\\ud800", "should_trigger": true}]', "half of a character"),
    "no object": ('[["a", true]]', "f.json: [0]: must be an object, not a list"),
    "a key twice": (
        '[{"query": "a", "should_trigger": true, "should_trigger": false}]',
        'the key "should_trigger" is written twice',
    ),
    "a list that is none": ('{"queries": {"a": 1}}', '"queries" must be a list'),
    "no known shape": ('{"results": []}', "is of no known shape"),
    "a text": ('"a"', "is of no known shape"),
    "nothing in it": ("[]", "holds no entry for the target"),
    "sets of others": (
        '{"release": {"should": ["a"]}}',
        "holds no entry for the target; it has 1 for other skills",
    ),
    "broken JSON": ('[{"query": "a",}]', "f.json: line 1, column"),
    "both labels": (
        '[{"query": "a  b", "should_trigger": true}, {"query": "a b", "should_trigger": false}]',
        "f.json: [1]: should not trigger, but f.json: [0] has the same prompt",
    ),
    "an entry against itself": (
        '{"should_trigger": [{"prompt": "a", "should_trigger": false}]}',
        "says both that the skill should trigger and that it should not",
    ),
    "the target itself as the rival": (
        '[{"query": "a", "should_trigger": false, "preferred_skill": "review"}]',
        "says both that the skill should trigger and that it should not",
    ),
    "a rival that is no name": (
        '[{"query": "a", "should_trigger": false, "preferred_skill": 4}]',
        '"preferred_skill" must name a skill',
    ),
    "other skills alone": (
        '[{"query": "a", "expected_skill": "deploy"}, {"query": "b", "expected_skill": "lint"}]',
        'names the skill of every entry, and never the target; it names "deploy", "lint"',
    ),
}


@pytest.mark.parametrize(("text", "said"), UNREADABLE.values(), ids=list(UNREADABLE))
def test_an_entry_that_cannot_be_read_is_named_and_nothing_is_written(
    tmp_path: Path, text: str, said: str
) -> None:
    places = make_project(tmp_path)
    with pytest.raises(SuiteError) as caught:
        read(places, write(tmp_path / "f.json", text))
    assert said in str(caught.value)
    assert not places.evals_dir.exists()


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    places = make_project(tmp_path)
    entries = [{"query": "a", "should_trigger": "true"}, {"query": "b"}, {"should_trigger": True}]
    file = write(tmp_path / "f.json", json.dumps(entries))
    with pytest.raises(SuiteError) as caught:
        read(places, file, write(tmp_path / "g.json", "{}"))
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["f.json", "f.json", "f.json", "g.json"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("f.xlsx", "query,should_trigger", "is no file of"),
        ("f.csv", "query,should_trigger", "holds no entry for the target; write a header"),
        ("f.yaml", "a: [", "invalid YAML"),
        ("f.yaml", "- {query: a, query: b, should_trigger: true}", 'key "query" is written twice'),
        ("f.yaml", "[" * 1500, "nested too deep"),
        ("f.jsonl", '{"a": 1}\n{"b"', "line 2, column"),
        ("f.json", b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_files_that_are_no_such_file(
    tmp_path: Path, name: str, text: str | bytes, said: str
) -> None:
    with pytest.raises(SuiteError, match=said.replace("(", r"\(")):
        read(make_project(tmp_path), write(tmp_path / name, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"none\.json: cannot be read"):
        read(make_project(tmp_path), tmp_path / "none.json")


def test_an_existing_suite_is_refused_and_kept(tmp_path: Path) -> None:
    places = make_project(tmp_path)
    kept = write(places.evals_dir / "new" / "notes.txt", "mine")
    with pytest.raises(SuiteError, match='there is a suite "new" already'):
        read(places, DATA / "array.json")
    assert [path.name for path in kept.parent.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".", ".hidden"])
def test_a_suite_has_the_name_of_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(SuiteError, match="cannot name a suite"):
        read(make_project(tmp_path), DATA / "array.json", suite=name)


PROMPTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@settings(max_examples=30, deadline=None)
@given(prompts=st.lists(PROMPTS, min_size=1, max_size=6, unique_by=lambda t: "".join(t.split())))
def test_any_prompt_arrives_whole(
    tmp_path_factory: pytest.TempPathFactory, prompts: list[str]
) -> None:
    root = tmp_path_factory.mktemp("law")
    entries = [{"query": text, "should_trigger": bool(at % 2)} for at, text in enumerate(prompts)]
    file = write(root / "f.json", json.dumps(entries))
    places = make_project(root)
    read(places, file)
    cases = load_suite(places, "new").cases
    assert [case.prompt for case in cases] == prompts
    assert len({case.name for case in cases}) == len(prompts)


def reference(root: Path) -> Path:
    """A tree of two suites as the reference has them."""
    judge = {"llm-judge": {"rubricFile": "quality.md"}}
    for name in ("review", "release"):
        folder = root / "test-suites" / name
        skill = f"r-and-d:{name}"
        tests = [
            {
                "name": "plain",
                "type": "skill-call",
                "skillFile": skill,
                "promptFile": "plain.md",
                "expect": [{"skill-call": True}],
            },
            {
                "name": "works",
                "type": "skill-prompt",
                "promptFile": "works.md",
                "scaffold": "app",
                "expect": [{"skill-call": {"skill": skill, "expected": True}}, judge],
            },
        ]
        write(folder / "tests.json", json.dumps({"plugins": ["r-and-d"], "tests": tests}))
        write(folder / "prompts/plain.md", f"do the {name}\n")
        write(folder / "prompts/works.md", f"now really do the {name}\n")
        write(folder / "rubrics/quality.md", "- it is good\n")
        write(folder / "scaffolds/app/main.py", "pass\n")
    return root / "test-suites"


def add_skill(places: Places, name: str) -> None:
    """Add a skill of the tree's plugin to a project."""
    path = places.project / f"plugins/r-and-d/skills/{name}/SKILL.md"
    write(path, "---\ndescription: does it\n---\n")


def adopt(places: Places, tree: Path, suite: str | None, written: str | None) -> list[int]:
    """Import a tree; give the number of cases of each suite that was made."""
    target = resolve_target(written, TargetKind.SKILL, places) if written else None
    done = import_suites(
        find_suites(tree, "tree"), suite=suite, target=target, written=written, places=places
    )
    return [each.positive + each.negative + each.other for each in done]


def test_a_whole_tree_becomes_one_suite(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    for name in ("review", "release"):
        add_skill(places, name)
    assert adopt(places, reference(tmp_path), "all", None) == [4]
    suite = load_suite(places, "all")
    assert [case.name for case in suite.cases] == [
        "release: plain",
        "release: works",
        "review: plain",
        "review: works",
    ]
    assert suite.cases[2].prompt == "do the review\n"
    scaffold = suite.cases[3].scaffold
    assert scaffold is not None
    assert (scaffold / "main.py").read_text() == "pass\n"


def test_a_tree_keeps_its_suites_where_no_name_is_given(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    for name in ("review", "release"):
        add_skill(places, name)
    assert adopt(places, reference(tmp_path), None, None) == [2, 2]
    assert sorted(path.name for path in places.evals_dir.iterdir()) == ["release", "review"]


def test_a_target_takes_its_own_cases_of_a_tree(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    assert adopt(places, reference(tmp_path), "mine", "demo:review") == [2]
    cases = load_suite(places, "mine").cases
    assert cases[0].target == "demo:review"
    assert load_suite(places, "mine").plugins == ("demo",)


def test_a_tree_whose_targets_are_not_here_is_refused_whole(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    add_skill(places, "release")
    with pytest.raises(SuiteError, match=r'evals/review/tests\.json: tests\[0\] "plain".*no skill'):
        adopt(places, reference(tmp_path), None, None)
    assert not places.evals_dir.exists()


@pytest.mark.parametrize(
    "name", ["prompts/plain.md", "rubrics/quality.md", "scaffolds/app/main.py"]
)
def test_a_file_that_a_tree_lacks_is_named(tmp_path: Path, name: str) -> None:
    places = make_project(tmp_path / "project")
    tree = reference(tmp_path)
    (tree / "review" / name).unlink()
    if name.startswith("scaffolds"):
        (tree / "review/scaffolds/app").rmdir()
    with pytest.raises(SuiteError, match=r"review.*is not in"):
        adopt(places, tree, "mine", "demo:review")
    assert not places.evals_dir.exists()


def test_a_link_out_of_a_tree_is_not_followed(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    tree = reference(tmp_path)
    (tree / "review/prompts/plain.md").unlink()
    (tree / "review/prompts/plain.md").symlink_to(write(tmp_path / "secret", "secret"))
    with pytest.raises(SuiteError, match="leads out of the suite"):
        adopt(places, tree, "mine", "demo:review")


def test_a_suite_of_our_own_is_known_by_its_form(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    folder = write_suite(places, "own", {"tests": [call_case("a")]})
    found = suites_at(folder / "tests.json", "own/tests.json")
    assert found is not None
    assert [suite.name for suite in found] == ["own"]
    assert suites_at(DATA / "promptfoo.yaml", "promptfoo.yaml") is None
    with pytest.raises(SuiteError, match=r"holds no tests\.json"):
        suites_at(tmp_path / "project" / "plugins", "plugins")


def test_a_rival_of_the_same_plugin_comes_before_its_namesakes(tmp_path: Path) -> None:
    places = make_project(tmp_path)
    write(tmp_path / "plugins/able/skills/release/SKILL.md", "---\ndescription: does it\n---\n")
    assert read(places, DATA / "preferred.json")[1]["preferred"] == "demo:release"


def test_a_folder_that_is_a_suite_is_imported_under_its_name(tmp_path: Path) -> None:
    places = make_project(tmp_path / "project")
    add_skill(places, "review")
    (found,) = find_suites(reference(tmp_path) / "review", "review")
    (done,) = import_suites([found], suite=None, target=None, written=None, places=places)
    assert (done.name, done.path) == ("review", "evals/review/tests.json")
    assert load_suite(places, "review").cases[0].name == "plain"
