from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.judging import Criterion
from skillwalker.errors import SuiteError
from skillwalker.suites.rubrics import parse_rubric, read_rubric

WHOLE = """# Rubric: a plan

Words for people.

### Presence
- The answer names the file.
- It goes on
  in a second line.

```
- no criterion, but an example
```

## File: `docs/new plan.md`
- has three points
### Depth
- says why

## Tone
- The answer is short.
"""


def test_criteria_come_in_order_with_the_file_that_they_are_about() -> None:
    assert parse_rubric(WHOLE).criteria == (
        Criterion(text="The answer names the file."),
        Criterion(text="It goes on in a second line."),
        Criterion(text="has three points", file="docs/new plan.md"),
        Criterion(text="says why", file="docs/new plan.md"),
        Criterion(text="The answer is short."),
    )


@pytest.mark.parametrize(
    ("text", "file"),
    [
        pytest.param("- a\r\n", None, id="crlf"),
        pytest.param("  - a", None, id="indented"),
        pytest.param("-\ta", None, id="tab"),
        pytest.param("## File: ./x//y.md\n- a", "x/y.md", id="path-in-plain-form"),
        pytest.param("## file:x.md ##\n- a", "x.md", id="closed-heading"),
        pytest.param("### File: x.md\n- a", None, id="deeper-heading-is-a-group"),
        pytest.param("## File: x.md\n- b\n# Next\n- a", None, id="title-ends-it"),
        pytest.param("#no heading\n- a", None, id="hash"),
        pytest.param("---\n- a", None, id="rule"),
    ],
)
def test_forms_of_one_criterion(text: str, file: str | None) -> None:
    assert parse_rubric(text).criteria[-1] == Criterion(text="a", file=file)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        pytest.param("", ["there is no criterion"], id="empty"),
        pytest.param("# Title\nwords", ["there is no criterion"], id="words-only"),
        pytest.param(
            "- a\n## File: x.md\n\n## File: y.md\n- b",
            ['line 2: the section "File: x.md" has no criterion'],
            id="section-without",
        ),
        pytest.param(
            "- a\n### Group\n", ['line 2: the section "Group" has no criterion'], id="last-section"
        ),
        pytest.param("- a\n-\n- ", ["line 2: the crit", "line 3: the crit"], id="empty-criteria"),
        pytest.param("* a\n1. b\n+ c", ["line 1: a", "line 2: a", "line 3: a"], id="bullets"),
        pytest.param("## File:\n- a", ["line 1: File: names no file"], id="no-path"),
        pytest.param("## File: ../x\n- a", ['line 1: File: "../x" leaves'], id="leaves"),
        pytest.param("## File: /etc/passwd\n- a", ["line 1: File: "], id="absolute"),
        pytest.param("## File: a\\b\n- a", ["line 1: File: "], id="backslash"),
        pytest.param("- a\n- b\n- a", ["line 3: is the criterion of line 1 again"], id="twice"),
    ],
)
def test_every_fault_is_said_with_its_line(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_rubric(text)
    lines = str(caught.value).split("\n")
    assert len(lines) == len(faults)
    for line, fault in zip(lines, faults, strict=True):
        assert line.startswith(fault)


def test_the_same_words_about_two_files_are_two_criteria() -> None:
    text = "## File: a\n- is short\n## File: b\n- is short"
    assert len(parse_rubric(text).criteria) == 2


def test_a_file_names_itself_in_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    for content, message in ((b"* a", "r.md: line 1: "), (b"\xff", "r.md: byte 0 is not UTF-8")):
        path.write_bytes(content)
        with pytest.raises(SuiteError, match=message):
            read_rubric(path)
    with pytest.raises(SuiteError, match=r"gone\.md: cannot be read"):
        read_rubric(tmp_path / "gone.md")
    path.write_bytes(b"\xef\xbb\xbf- a")
    assert read_rubric(path).criteria == (Criterion(text="a"),)


@settings(max_examples=80, deadline=None)
@given(st.text("-#*`\n aF:", max_size=60))
def test_any_text_is_a_rubric_or_an_error_of_ours(text: str) -> None:
    try:
        rubric = parse_rubric(text)
    except SuiteError:
        return
    assert rubric.criteria
    assert all(one.text.strip() for one in rubric.criteria)
