import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.report import wording
from skillwalker.report.ci.markdown import LONGEST, code, escaped, markdown
from tests.hostile import HOSTILE, hostile
from tests.recorded_runs import (
    AGAINST,
    everywhere,
    plain_run,
    recorded_case,
    recorded_run,
    run_on_two_models,
)


def test_a_pull_request_reads_verdict_rates_misses_cost_and_the_next_command() -> None:
    text = markdown(plain_run(), next_command="skillwalker apply X")
    assert text.startswith("### demo:review: improved, balanced accuracy +25 points")
    for said in (
        "| confirm rounds, mean over cases, 90 % intervals | original | best | change |",
        "| +50 points (90 % interval +20 to +80) |",
        "| recall |",
        "Holds for: engine `local`, model `claude-sonnet-4-5`, Claude Code `2.1.332`",
        "- Helps with code review and other things",
        "+ Helps with code review of a diff",
        "| `wants a second look` | trigger | 1/2 | `used demo:other instead` |",
        "6 of 40 trials say nothing (6 crash)",
        "Next: `skillwalker apply X`",
    ):
        assert said in text, said


def test_simulated_is_said_before_the_figures_and_last() -> None:
    run = plain_run()
    text = markdown(replace(run, summary=replace(run.summary, simulated=True)), next_command=None)
    assert text.index(wording.SIMULATED) < text.index("| recall")
    assert text.rstrip().endswith(f"**{wording.SIMULATED}**")


def test_what_became_of_a_target_since_an_earlier_run_is_told() -> None:
    run = plain_run()
    held = replace(run, summary=replace(run.summary, against=AGAINST))
    text = markdown(held, next_command=None)
    assert (
        "\ndemo:review against run 20261101T000000: dropped by 10 points or more, -20 points of"
        " balanced accuracy (90 % interval -35 to -5), P(better) 0.02.\n\n"
        "- flipped: asks for a review (should trigger), correct 1/1 before, 1/5 now: it stands\n"
    ) in text.replace("- by class (90 %): recall -40 (-70 to -10)\n", "")
    assert "- not compared: wants it now (not in A)\n" in text
    assert "against run" not in markdown(run, next_command=None)
    many = replace(AGAINST, differences=("x" * 100,) * 1_000)
    text = markdown(replace(run, summary=replace(run.summary, against=many)), next_command=None)
    assert re.search(r"\n- … and 9\d\d more lines\n", text)


def large(name: str) -> RecordedRun:
    """A run in which two thousand cases are missed."""
    cases = [(recorded_case(f"{name} {number}"), ("n", "n")) for number in range(2_000)]
    return recorded_run(cases)


@pytest.mark.parametrize("name", ["short", "a longer name " * 20, "|" * 300, "`" * 300])
def test_what_does_not_fit_is_counted(name: str) -> None:
    text = markdown(large(name), next_command="skillwalker trial X CASE")
    assert len(text) <= LONGEST
    (left,) = re.findall(r"… and (\d+) more cases", text)
    assert text.count("| trigger | 1/1 |") == 2_000 - int(left)
    assert "Next: `skillwalker trial X CASE`" in text


def test_texts_too_long_to_show_are_named() -> None:
    run = plain_run()
    long = replace(run.summary, best_description="x" * LONGEST)
    text = markdown(replace(run, summary=long), next_command=None)
    assert len(text) <= LONGEST
    assert "too long to show here" in text


@hostile
def test_hostile_texts_are_code_or_escaped(text: str) -> None:
    plain = markdown(plain_run(), next_command="x")
    shown = markdown(everywhere(plain_run(), text), next_command=text)
    shown.encode()
    outside, inside = [], False
    fence = ""
    for line in shown.splitlines():
        if inside:
            inside = line != fence
        elif found := re.fullmatch("(`{3,})diff", line):
            inside, fence = True, found[1]
        else:
            outside.append(re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not inside
    bare = "\n".join(outside)
    assert not re.search(r"(?<!\\)[<>]|@(?!&#8203;)|!\[|(?<!\\)\]\(", bare)
    assert [line for line in bare.splitlines() if line.startswith("#")] == [bare.splitlines()[0]]
    rows = [line for line in bare.splitlines() if line.startswith("|")]
    assert len(rows) == len([row for row in plain.splitlines() if row.startswith("|")])


@given(st.text(max_size=60))
@example("`")
@example("``a`")
@example("a|b")
@settings(max_examples=150, deadline=None)
def test_a_code_span_holds_its_text_whole(text: str) -> None:
    span = code(text)
    assert "\n" not in span
    found = re.fullmatch(r"(`+)( ?)(.*?)\2\1", span)
    if span != wording.NOT_MEASURED:
        assert found is not None
        assert found[1] not in re.findall("`+", found[3])
    assert not re.search(r"(?<!\\)\|", span)


@given(st.text(max_size=60))
@example(HOSTILE["markdown"])
@settings(max_examples=150, deadline=None)
def test_an_escaped_text_has_no_markup_left(text: str) -> None:
    line = escaped(text)
    assert "<" not in line
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|~]", line.replace("\\\\", ""))
    assert "@" not in line.replace("@&#8203;", "")


def test_a_text_that_passed_on_little_is_said_to_before_any_probability() -> None:
    run = plain_run()
    assert run.summary.gate is not None
    gate = replace(run.summary.gate, passed=True, interval=(-0.05, 0.4), rounds=1)
    text = markdown(replace(run, summary=replace(run.summary, gate=gate)), next_command=None)
    said, _, rest = text.partition("improved, but the 90 % interval holds 0: ")
    assert "P(better)" not in said
    assert "After one confirm round P(better)" in rest[:200]


def test_a_case_on_two_models_is_counted_once() -> None:
    text = markdown(run_on_two_models(), next_command=None)
    assert " of 8 (4 cases on each of 2 models)\n" in text
