"""Texts and Markdown: read where every prompt is labelled, and only there."""

from pathlib import Path

import pytest

from skillwalker.errors import SuiteError
from skillwalker.foreign.documents import read_document
from skillwalker.foreign.entries import ForeignCase
from skillwalker.foreign.reading import read_cases
from tests.projects import write


def read(path: Path, text: str) -> tuple[ForeignCase, ...]:
    document = read_document(write(path, text), path.name)
    return read_cases([document], lambda name: name == "review").cases


def labels(path: Path, text: str) -> list[tuple[str, bool]]:
    """Read a file; give each prompt with its label."""
    return [(case.prompt, case.should_trigger) for case in read(path, text)]


BOTH = [("fix it", True), ("mend my code", True), ("tell a joke", False)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.txt", "Should trigger:\nfix it\nmend my code\n\nShould not trigger:\ntell a joke\n"),
        (
            "f.txt",
            "# should trigger\n- fix it\n- mend my code\n# should not trigger\n- tell a joke",
        ),
        (
            "f.txt",
            "should_trigger\n1. fix it\n2) mend\n   my code\nshouldn't trigger\n3. tell a joke",
        ),
        (
            "f.md",
            "# Requests\n\nSome prose, which says\nwhat it is.\n\n## Should trigger (2)\n\n"
            "- fix it\n- mend\n  my code\n\n## Should NOT trigger\n\n"
            "* tell a joke\n\n## Notes\n\nNone.\n",
        ),
        (
            "f.md",
            "**Should trigger:**\r\n1. fix it\r\n2. mend my code\r\n\r\n__Should not trigger__\r\n"
            '1. "tell a joke"\r\n',
        ),
        (
            "f.markdown",
            "✅ Should trigger\n---\n+ `fix it`\n+ “mend my code”\n\n❌ Should not trigger\n===\n"
            "+ tell a joke\n",
        ),
        ("f.md", "- Should trigger:\n  - fix it\n  - mend my code\n- Negatives\n  - tell a joke\n"),
    ],
)
def test_headings_give_the_labels(tmp_path: Path, name: str, text: str) -> None:
    assert labels(tmp_path / name, text) == BOTH


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("should-trigger.txt", "fix it\nmend my code\n", True),
        ("should_not_trigger.txt", "- fix it\n- mend my code\n", False),
        ("Positive.md", "# Some requests\n\n- fix it\n- mend my code\n", True),
        ("negative examples.md", "## Should not trigger\n\n- fix it\n- mend my code\n", False),
    ],
)
def test_the_name_of_a_file_gives_the_labels(
    tmp_path: Path, name: str, text: str, expected: bool
) -> None:
    assert labels(tmp_path / name, text) == [("fix it", expected), ("mend my code", expected)]


def test_near_misses_are_negatives_with_a_tag(tmp_path: Path) -> None:
    text = "## Should trigger\n- fix it\n## Near misses\n- tell a joke\n"
    first, second = read(tmp_path / "f.md", text)
    assert (first.tags, second.tags, second.should_trigger) == ((), ("near-miss",), False)
    assert (first.where, second.where) == ("f.md: line 2", "f.md: line 4")


YES = "## Should trigger\n- fix it\n"
UNLABELLED = "does not say which of its prompts should trigger; write two lists under these heading"
WRONG = {
    "a bare list": ("f.txt", "fix it\nmend my code\n", UNLABELLED),
    "a bare list of Markdown": ("f.md", "- fix it\n- mend my code\n", UNLABELLED),
    "a table of Markdown": (
        "f.md",
        "| query | should_trigger |\n|---|---|\n| a | true |\n",
        UNLABELLED,
    ),
    "a name that says it in passing": ("never-should-trigger.txt", "fix it\n", UNLABELLED),
    "headings of another sense": ("f.md", "## Should trigger twice\n- fix it\n", UNLABELLED),
    "a crossed heading": ("f.md", "## ❌ Should trigger\n- fix it\n", UNLABELLED),
    "a struck heading": ("f.md", "## ~~Should trigger~~\n- fix it\n", UNLABELLED),
    "an item before": ("f.md", f"- tell a joke\n\n{YES}", "f.md: line 1: stands under no heading"),
    "an item behind": (
        "f.md",
        f"{YES}\n### But not these\n- no\n",
        "line 5: stands under no heading",
    ),
    "a line before": ("f.txt", f"tell a joke\n{YES}", "f.txt: line 1: stands under no heading"),
    "prose alone": ("f.md", "## Should trigger\n\nfix it\n", "line 3: is no item of the list"),
    "prose in a list": (
        "f.md",
        f"{YES}\nBut not these:\n\n- no\n",
        "line 4: is no item of the list",
    ),
    "prose behind an item": ("f.md", f"{YES}But not:\n- no\n", "line 3: is no item of the list"),
    "prose before items": ("f.txt", "Should trigger:\nNone of\n- fix it\n", "line 2: is no item"),
    "prose after items": (
        "f.txt",
        "Should trigger:\n- fix it\nnot so\n- no\n",
        "line 3: is no item",
    ),
    "boxes": ("f.md", "## Should trigger\n- [x] fix it\n- [ ] no\n", "line 2: has a box"),
    "an item inside": ("f.md", f"{YES}    - not this\n", "line 3: is an item inside of another"),
    "code": ("f.md", f"{YES}```\nno\n```\n", "line 3: is a block of code"),
    "code without an end": ("f.md", f"```\n{YES}", "does not say which"),
    "a name against a heading": (
        "should-trigger.md",
        "## Should not trigger\n- no\n",
        'line 1: "Should not trigger" says otherwise than the file\'s name',
    ),
    "a heading against a name": (
        "should-trigger.md",
        "- fix it\n## Others\n- no\n",
        "line 3: stands",
    ),
    "nothing": ("should-trigger.md", "\n", "holds no entry for the target; write two lists"),
    "both": ("f.md", f"{YES}## Should not trigger\n- fix it\n", "has the same prompt and says"),
}


@pytest.mark.parametrize(("name", "text", "said"), WRONG.values(), ids=list(WRONG))
def test_what_might_be_read_in_two_ways_is_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(SuiteError) as caught:
        read(tmp_path / name, text)
    assert said in str(caught.value)


@pytest.mark.parametrize("ending", ["txt", "md"])
def test_the_form_that_is_shown_can_be_copied(tmp_path: Path, ending: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read(tmp_path / f"f.{ending}", "fix it")
    form = "\n".join(line.strip() for line in str(caught.value).splitlines()[1:-1])
    assert [label for _, label in labels(tmp_path / f"g.{ending}", form)] == [True, False]


def test_code_outside_of_the_lists_hides_nothing(tmp_path: Path) -> None:
    text = f"```Should not trigger```\n```\n## Should not trigger\n- no\n```\n{YES}"
    assert labels(tmp_path / "f.md", text) == [("fix it", True)]
