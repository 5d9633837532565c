"""The rules that turn a transcript into an outcome, one row a rule."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.trials import Call, CalledAs, Reading, Transcript, Usage
from skillwalker.datatypes.vocabulary import UNDECIDED_REASONS, Mode, Outcome, TargetKind
from skillwalker.transcripts.outcome import is_model_asked, is_trigger, read_outcome

SKILL = CalledAs(
    kind=TargetKind.SKILL,
    names=frozenset({"demo:alpha", "alpha", "Alpha helper"}),
    path_suffix="skills/alpha/SKILL.md",
)
AGENT = CalledAs(
    kind=TargetKind.AGENT, names=frozenset({"demo:helper"}), path_suffix="agents/helper.md"
)
DONE = Transcript(
    calls=(), turns=1, model="claude-sonnet-4-5", cli_version="2.1.332", usage=Usage(), duration=1.0
)


def call(
    name: str,
    step: int = 1,
    mode: Mode = Mode.TOOL,
    kind: TargetKind = TargetKind.SKILL,
    *,
    refused: bool = False,
) -> Call:
    return Call(kind=kind, name=name, step=step, mode=mode, refused=refused)


def read(transcript: Transcript, called_as: CalledAs = SKILL) -> Reading:
    return read_outcome(transcript, called_as, model_asked="sonnet", max_turns=4)


TRIGGERED = {
    "qualified": call("demo:alpha"),
    "bare": call("alpha"),
    "slash": call("/demo:alpha"),
    "alias": call("Alpha helper"),
    "later turn": call("alpha", step=4),
    "refused": call("alpha", refused=True),
}


@pytest.mark.parametrize("made", TRIGGERED.values(), ids=TRIGGERED.keys())
def test_a_call_of_the_target_triggers(made: Call) -> None:
    reading = read(replace(DONE, calls=(call("demo:beta"), made), turns=4))
    assert reading.outcome is Outcome.TRIGGERED
    assert (reading.step, reading.mode, reading.reason) == (made.step, Mode.TOOL, None)
    assert reading.also_fired == ("demo:beta",)


AFTERWARDS: dict[str, Callable[[Transcript], Transcript]] = {
    "server error": lambda seen: replace(seen, failure="overloaded"),
    "turn limit": lambda seen: replace(seen, ended_by_limit=True),
    "wall clock": lambda seen: replace(seen, timed_out=True),
    "budget": lambda seen: replace(seen, failure="budget"),
}


@pytest.mark.parametrize("later", AFTERWARDS.values(), ids=AFTERWARDS.keys())
def test_nothing_later_takes_a_trigger_away(later: Callable[[Transcript], Transcript]) -> None:
    transcript = later(replace(DONE, calls=(call("alpha"),)))
    assert read(transcript).outcome is Outcome.TRIGGERED


NOT_TRIGGERED = {
    "no call": (DONE, None, ()),
    "other name": (replace(DONE, calls=(call("demo:beta"),)), None, ("demo:beta",)),
    "prefix of a name": (replace(DONE, calls=(call("alph"),)), None, ("alph",)),
    "wrong case": (replace(DONE, calls=(call("Alpha", refused=True),)), None, ("Alpha",)),
    "agent of that name": (
        replace(DONE, calls=(call("alpha", kind=TargetKind.AGENT),)),
        None,
        ("alpha",),
    ),
    "past the limit": (replace(DONE, calls=(call("alpha", step=5),), turns=5), None, ()),
    "turn limit": (replace(DONE, ended_by_limit=True), None, ()),
    "wall clock after two turns": (replace(DONE, timed_out=True, turns=2), None, ()),
    "nested": (replace(DONE, calls=(call("alpha", mode=Mode.NESTED),)), Mode.NESTED, ()),
    "nested rival": (replace(DONE, calls=(call("beta", mode=Mode.NESTED),)), None, ()),
    "command": (
        replace(DONE, calls=(call("alpha", 0, Mode.COMMAND), call("alpha"))),
        Mode.COMMAND,
        (),
    ),
    "other command": (replace(DONE, calls=(call("beta", 0, Mode.COMMAND),)), None, ("beta",)),
    "read of another file": (
        replace(DONE, calls=(call("/x/skills/other-alpha/SKILL.md", mode=Mode.READ),)),
        None,
        ("other-alpha",),
    ),
    "suffix inside a folder's name": (
        replace(DONE, calls=(call("/x/myskills/alpha/SKILL.md", mode=Mode.READ),)),
        None,
        ("alpha",),
    ),
}


@pytest.mark.parametrize(
    ("transcript", "mode", "also"), NOT_TRIGGERED.values(), ids=NOT_TRIGGERED.keys()
)
def test_not_triggered(transcript: Transcript, mode: Mode | None, also: tuple[str, ...]) -> None:
    reading = read(transcript)
    assert (reading.outcome, reading.reason) == (Outcome.NOT_TRIGGERED, None)
    assert (reading.step, reading.mode, reading.also_fired) == (None, mode, also)


UNDECIDED = {
    "failure": (replace(DONE, failure="auth"), "auth"),
    "failure after a nested call": (
        replace(DONE, failure="rate", calls=(call("alpha", mode=Mode.NESTED),)),
        "rate",
    ),
    "failure in a timed out trial": (
        replace(DONE, failure="idle", timed_out=True, turns=3),
        "idle",
    ),
    "wall clock before two turns": (replace(DONE, timed_out=True), "timeout"),
    "no turn": (replace(DONE, turns=0, model=None), "no_request"),
    "another model": (replace(DONE, model="claude-opus-4-8"), "wrong_model"),
    "called by another model": (
        replace(DONE, model="claude-opus-4-8", calls=(call("alpha"),)),
        "wrong_model",
    ),
}


@pytest.mark.parametrize(("transcript", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_undecided(transcript: Transcript, reason: str) -> None:
    reading = read(transcript)
    assert (reading.outcome, reading.reason, reading.step) == (Outcome.UNDECIDED, reason, None)


def test_a_read_of_the_skill_is_a_trigger_of_its_own_mode() -> None:
    made = call("/p/skills/alpha/SKILL.md", 2, Mode.READ)
    reading = read(replace(DONE, calls=(made,), turns=2))
    assert (reading.outcome, reading.mode, reading.step) == (Outcome.TRIGGERED, Mode.READ, 2)


def test_a_read_of_an_agent_is_no_delegation() -> None:
    made = call("/p/agents/helper.md", 1, Mode.READ, TargetKind.AGENT)
    reading = read(replace(DONE, calls=(made,)), AGENT)
    assert (reading.outcome, reading.mode) == (Outcome.NOT_TRIGGERED, Mode.READ)
    assert not is_trigger(made, AGENT)


def test_an_agent_is_called_by_its_qualified_name() -> None:
    made = call("demo:helper", kind=TargetKind.AGENT)
    assert read(replace(DONE, calls=(made,)), AGENT).outcome is Outcome.TRIGGERED
    bare = call("helper", kind=TargetKind.AGENT, refused=True)
    assert read(replace(DONE, calls=(bare,)), AGENT).outcome is Outcome.NOT_TRIGGERED


FINDER = replace(AGENT, names=frozenset({"demo:gap-finder"}))


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("demo:Gap-Finder", Outcome.TRIGGERED),
        ("demo:gap_finder", Outcome.TRIGGERED),
        ("demo:gap finder", Outcome.TRIGGERED),
        ("DEMO:gapfinder", Outcome.TRIGGERED),
        ("demo:gap--finder", Outcome.TRIGGERED),
        ("gap-finder", Outcome.NOT_TRIGGERED),
        ("demo_gap-finder", Outcome.NOT_TRIGGERED),
        ("demo:gap-finders", Outcome.NOT_TRIGGERED),
    ],
)
def test_an_agents_name_is_compared_as_claude_code_does(name: str, outcome: Outcome) -> None:
    made = call(name, kind=TargetKind.AGENT)
    assert read(replace(DONE, calls=(made,)), FINDER).outcome is outcome


MODELS = {
    "same": ("claude-sonnet-4-5", "claude-sonnet-4-5", True),
    "dated answer": ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", True),
    "undated answer": ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
    "other date": ("claude-sonnet-4-5-20250101", "claude-sonnet-4-5-20250929", False),
    "alias": ("claude-sonnet-5-5", "sonnet", True),
    "alias, long context": ("claude-sonnet-5-5", "sonnet[1m]", True),
    "long context": ("claude-opus-4-6", "claude-opus-4-6[1m]", True),
    "other family": ("claude-opus-4-8", "sonnet", False),
    "other version": ("claude-sonnet-5", "claude-sonnet-4-5", False),
    "longer version": ("claude-sonnet-5-5", "claude-sonnet-5", False),
    "cloud id": (
        "claude-sonnet-4-5-20250929",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        True,
    ),
    "default": ("claude-opus-5-5", "default", True),
    "gateway's own name": ("house-model", "house-model", True),
    "simulated": ("simulated", "sonnet", True),
    "nothing answered": (None, "sonnet", True),
}


@pytest.mark.parametrize(("answered", "asked", "same"), MODELS.values(), ids=MODELS.keys())
def test_the_model_that_answered_is_the_one_asked(
    answered: str | None, asked: str, same: bool
) -> None:
    assert is_model_asked(answered, asked) is same


calls = st.builds(
    Call,
    kind=st.sampled_from(TargetKind),
    name=st.sampled_from(["alpha", "demo:alpha", "/alpha", "beta", "/p/skills/alpha/SKILL.md", ""]),
    step=st.integers(0, 6),
    mode=st.sampled_from(Mode),
    refused=st.booleans(),
)
transcripts = st.builds(
    Transcript,
    calls=st.lists(calls, max_size=4).map(tuple),
    turns=st.integers(0, 6),
    model=st.sampled_from([None, "claude-sonnet-4-5", "claude-opus-4-8", ""]),
    cli_version=st.just("2.1.332"),
    usage=st.just(Usage()),
    duration=st.just(1.0),
    failure=st.sampled_from([None, *UNDECIDED_REASONS]),
    ended_by_limit=st.booleans(),
    timed_out=st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(transcripts)
def test_every_transcript_has_one_outcome_with_the_fields_that_go_with_it(
    transcript: Transcript,
) -> None:
    reading = read(transcript)
    assert (reading.reason is not None) == (reading.outcome is Outcome.UNDECIDED)
    assert (reading.step is not None) == (reading.outcome is Outcome.TRIGGERED)
    assert reading.reason is None or reading.reason in UNDECIDED_REASONS
    if reading.outcome is Outcome.NOT_TRIGGERED:
        assert transcript.failure is None
        assert transcript.turns > 0
