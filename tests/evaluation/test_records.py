import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.evals import EvalCase, EvalTrial
from skillwalker.datatypes.inputs import (
    CallExpectation,
    Case,
    Expectation,
    JudgeExpectation,
    TextExpectation,
)
from skillwalker.datatypes.trials import Call, CalledAs, Transcript, Usage
from skillwalker.datatypes.vocabulary import CaseType, Mode, TargetKind
from skillwalker.evaluation.records import case_row, event_rows, read_case, read_event_row

TEXTS = st.text(max_size=12)
KINDS = st.sampled_from(TargetKind)
COUNTS = st.integers(0, 10**6)
SECONDS = st.floats(0, 10**4, allow_nan=False)
PATHS = st.sampled_from([Path("rubrics/a.md"), Path("rubrics/b/ü.md")])
CALLS = st.builds(
    Call,
    kind=KINDS,
    name=TEXTS,
    step=st.integers(1, 9),
    mode=st.sampled_from(Mode),
    refused=st.booleans(),
)
USAGE = st.builds(
    Usage,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cost_usd=st.none() | SECONDS,
    cost_estimated=st.booleans(),
)
TRANSCRIPTS = st.builds(
    Transcript,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    turns=st.integers(0, 9),
    model=st.none() | TEXTS,
    cli_version=TEXTS,
    usage=USAGE,
    duration=SECONDS,
    failure=st.none() | TEXTS,
    detail=st.none() | TEXTS,
    answer=TEXTS,
    resets_at=st.none() | SECONDS,
    raw=st.lists(st.binary(max_size=8), max_size=3).map(tuple),
)
TRIALS = st.builds(
    EvalTrial,
    suite=TEXTS,
    case=TEXTS,
    run_index=COUNTS,
    attempt=st.integers(0, 1),
    model_asked=TEXTS,
    max_turns=st.integers(1, 9),
    engine=TEXTS,
    simulated=st.booleans(),
    endpoint=TEXTS,
    permission_mode=TEXTS,
    transcript=TRANSCRIPTS,
)
EXPECTATIONS = (
    st.builds(CallExpectation, kind=KINDS, target=TEXTS, expected=st.booleans())
    | st.builds(TextExpectation, text=TEXTS, contains=st.booleans())
    | st.builds(
        JudgeExpectation, rubric_file=PATHS, model=TEXTS, threshold=st.floats(0, 1, width=16)
    )
)
NAMES = CalledAs(kind=TargetKind.SKILL, names=frozenset({"b", "a:b"}), path_suffix="skills/b")


def through_json(row: object) -> dict[str, object]:
    found = json.loads(json.dumps(row))
    assert isinstance(found, dict)
    return found


@settings(max_examples=60, deadline=None)
@given(TRIALS)
def test_a_trial_comes_back_from_its_last_line_without_the_stream(trial: EvalTrial) -> None:
    *events, last = event_rows("run", trial)
    assert len(events) == len(trial.transcript.raw)
    assert all(read_event_row(through_json(row)) is None for row in events)
    again = read_event_row(through_json(last))
    assert again == replace(trial, transcript=replace(trial.transcript, raw=()))


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
@settings(max_examples=5, deadline=None)
@given(TRIALS)
def test_an_event_that_could_not_be_read_again_is_kept_as_a_text(
    number: str, trial: EvalTrial
) -> None:
    line = f'{{"type": "result", "cost": {number}}}'
    heard = replace(trial, transcript=replace(trial.transcript, raw=(line.encode(),)))
    event, _last = event_rows("run", heard)
    assert event["event"] == {"type": "text", "text": line}


def case_of(expect: tuple[Expectation, ...], scaffold: Path | None) -> EvalCase:
    return EvalCase(
        suite="s",
        case=Case(
            name="c",
            type=CaseType.AGENT_PROMPT,
            prompt="p",
            target="demo:auditor",
            model="sonnet",
            scaffold=scaffold,
            expect=expect,
            tags=("near-miss",),
            runs=3,
        ),
        plugins=("demo",),
        called_as=tuple(NAMES if isinstance(one, CallExpectation) else None for one in expect),
        runs=3,
        max_turns=4,
        timeout=1.5,
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(EXPECTATIONS, max_size=4).map(tuple), st.none() | PATHS)
def test_a_case_comes_back_whole(expect: tuple[Expectation, ...], scaffold: Path | None) -> None:
    case = case_of(expect, scaffold)
    assert read_case(through_json(case_row("run", case, engine="local"))) == case


def test_the_same_case_gives_the_same_bytes() -> None:
    expect = (CallExpectation(kind=TargetKind.SKILL, target="a:b", expected=True),)
    row = case_row("run", case_of(expect, None), engine="local")
    assert row["called_as"] == [{"kind": "skill", "names": ["a:b", "b"], "path_suffix": "skills/b"}]
