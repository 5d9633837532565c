"""Tables: what each column means, and what no row may leave open."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.errors import SuiteError
from skillwalker.foreign.documents import read_document
from skillwalker.foreign.reading import read_cases
from tests.projects import write


def is_target(name: str) -> bool:
    return name == "review"


def cases_of(path: Path, text: str) -> list[tuple[str, bool]]:
    """Read a file; give each prompt with its label."""
    read = read_cases([read_document(write(path, text), path.name)], is_target)
    return [(case.prompt, case.should_trigger) for case in read.cases]


BOTH = [("fix it, please", True), ("tell a joke", False)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.csv", 'query,should_trigger\n"fix it, please",true\ntell a joke,false\n'),
        ("f.csv", '\ufeffPrompt;Should Trigger?\r\n"fix it, please";TRUE\r\ntell a joke;FALSE\r\n'),
        ("f.csv", 'id,shouldTrigger,query\n1,True,"fix it, please"\n\n2,False,tell a joke\n'),
        ("f.csv", 'text,expected\n"fix it, please",true\ntell a joke,false'),
        ("f.csv", 'text,label\n"fix it, please",positive\ntell a joke,negative'),
        ("f.csv", 'query,expected_skill\n"fix it, please",review\ntell a joke,none\n'),
        ("f.csv", 'query,expected_skill\n"fix it, please",release; review\ntell a joke,release\n'),
        (
            "f.csv",
            'query,skill,should_trigger\n"fix it, please",review,true\ntell a joke,release,true',
        ),
        ("f.tsv", "query\tshould_trigger\nfix it, please\ttrue\ntell a joke\tfalse\n"),
        ("f.TSV", "should-trigger\tq\ntrue\tfix it, please\nfalse\ttell a joke\n"),
    ],
)
def test_a_table_is_read_with_its_labels(tmp_path: Path, name: str, text: str) -> None:
    assert cases_of(tmp_path / name, text) == BOTH


HEAD = "query,should_trigger\n"
WRONG = {
    "yes": (f"{HEAD}fix it,yes\n", 'f.csv: line 2: "should_trigger" is "yes"; write true or false'),
    "a number": (f"{HEAD}fix it,1\n", 'line 2: "should_trigger" is "1"; write true or false'),
    "a sentence": (f"{HEAD}fix it,when asked\n", 'line 2: "should_trigger" is "when asked"'),
    "no label": (f"{HEAD}fix it, \n", 'line 2: "should_trigger" is empty; write true or false'),
    "no prompt": (f"{HEAD},true\n", "line 2: has an empty prompt"),
    "no skill": (
        "query,expected_skill\nfix it,review\nno,\n",
        'line 3: "expected_skill" is empty; name the skill, or write none',
    ),
    "no subject": (
        "query,skill,should_trigger\nfix it,,true\n",
        'line 2: "skill" is empty; name the skill',
    ),
    "a bare comma": (
        f"{HEAD}fix it, please,true\n",
        "line 2: has 3 cells, the header 2; put a text that holds a comma in double quotes",
    ),
    "too few": (f"{HEAD}\n\nfix it\n", "line 4: has 1 cells, the header 2"),
    "quotes left open": (f'{HEAD}no,false\n"fix it,true\n', "line 3: is no row (unexpected end"),
    "quotes around a row": (
        f'{HEAD}"fix it,true\nno",false\n',
        'line 2: "query" holds another row; close the double',
    ),
    "text behind quotes": (f'{HEAD}"fix" it,true\n', "line 2: is no row"),
    "a column twice": (
        "query,should_trigger,Should Trigger\na,true,false\n",
        'two columns are called "should_trigger"; keep one',
    ),
    "both": (
        "query,should_trigger,expect\na,true,false\n",
        "line 2: says both that the skill should trigger and that it should not",
    ),
    "no header": ("fix it,true\nno,false\n", "its first line names no column of prompts, or none"),
    "no label column": ("query,notes\nfix it,true\n", "write a header and a row for each prompt:"),
    "nothing": ("", "its first line names no column"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=list(WRONG))
def test_a_row_that_leaves_anything_open_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SuiteError) as caught:
        cases_of(tmp_path / "f.csv", text)
    assert said in str(caught.value)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_the_form_that_is_shown_can_be_copied(tmp_path: Path, ending: str) -> None:
    with pytest.raises(SuiteError) as caught:
        cases_of(tmp_path / f"f.{ending}", "fix it")
    form = "\n".join(line.strip() for line in str(caught.value).splitlines()[1:])
    assert [label for _, label in cases_of(tmp_path / f"g.{ending}", form)] == [True, False]


def test_every_bad_row_is_named_at_once(tmp_path: Path) -> None:
    text = f"{HEAD}a,yes\nb,true\nc\nd,\ne,maybe so\n"
    with pytest.raises(SuiteError) as caught:
        cases_of(tmp_path / "f.csv", text)
    lines = [line.split(": ")[1] for line in str(caught.value).splitlines()]
    assert lines == ["line 2", "line 4", "line 5", "line 6"]


def test_tags_and_marks_come_along(tmp_path: Path) -> None:
    text = "name,prompt,expect,tags,near_miss\none,a b,true,x; y,false\ntwo,c d,false,,Yes\n"
    document = read_document(write(tmp_path / "f.csv", text), "f.csv")
    first, second = read_cases([document], is_target).cases
    assert (first.name, first.tags, first.where) == ("one", ("x", "y"), "f.csv: line 2")
    assert (second.name, second.tags) == ("two", ("near-miss",))


PROMPTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


@settings(max_examples=40, deadline=None)
@given(
    prompts=st.lists(PROMPTS, min_size=1, max_size=5, unique_by=lambda t: "".join(t.split())),
    ending=st.sampled_from(["csv", "tsv"]),
)
def test_what_a_table_was_given_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, prompts: list[str], ending: str
) -> None:
    rows = [(text, bool(at % 2)) for at, text in enumerate(prompts)]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="," if ending == "csv" else "\t")
    writer.writerows([("query", "should_trigger"), *rows])
    found = cases_of(tmp_path_factory.mktemp("law") / f"f.{ending}", out.getvalue())
    assert len(found) == len(rows)
    assert found == rows


def test_every_bad_line_of_json_lines_is_named(tmp_path: Path) -> None:
    lines = ['{"query": "a", "should_trigger": true}', '{"q', '{"query": "b"}', "[", "{}{}"]
    with pytest.raises(SuiteError) as caught:
        cases_of(tmp_path / "f.jsonl", "\n".join(lines))
    found = [line.split(": ")[1].split(",")[0] for line in str(caught.value).splitlines()]
    assert found == ["line 2", "line 3", "line 4", "line 5"]
