"""Names in prompts; what they make of a choice between entries is tested with the router."""

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.simulation.naming import bonus, naming_of

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


def said(prompt: str, name: str, kind: TargetKind = SKILL) -> float:
    return bonus(prompt, naming_of(name, kind))


@pytest.mark.parametrize(
    ("prompt", "first", "second"),
    [
        pytest.param("use demo:tune", ("demo:tune", SKILL), ("tune", SKILL), id="another place"),
        pytest.param(
            "use the tune-up skill", ("tune-up", SKILL), ("demo:tune-up", SKILL), id="no plugin"
        ),
        pytest.param(
            "use the tune skill", ("tune", SKILL), ("demo:tune", SKILL), id="one word, no plugin"
        ),
        pytest.param(
            "use the demo:tune agent", ("demo:tune", AGENT), ("demo:tune", SKILL), id="an agent"
        ),
        pytest.param(
            "use the demo:tune skill", ("demo:tune", SKILL), ("demo:tune", AGENT), id="a skill"
        ),
        pytest.param(
            "use the skill `tune-up`", ("tune-up", SKILL), ("tune-up", AGENT), id="kind first"
        ),
        pytest.param("tune-up エージェント", ("tune-up", AGENT), ("tune-up", SKILL), id="Japanese"),
    ],
)
def test_of_two_entries_the_one_that_is_meant_gets_more(
    prompt: str, first: tuple[str, TargetKind], second: tuple[str, TargetKind]
) -> None:
    assert said(prompt, *first) > said(prompt, *second)


@pytest.mark.parametrize(
    ("prompt", "name", "is_called"),
    [
        pytest.param("use the tune agent", "demo:tune", True, id="a skill that is called an agent"),
        pytest.param("use the tune skill and the tune agent", "tune", True, id="both kinds"),
        pytest.param("tune it", "tune", False, id="a mere word"),
        pytest.param("see skills/tune-up/SKILL.md", "tune-up", False, id="a path"),
        pytest.param("use other:tune-up", "demo:tune-up", False, id="another plugin's"),
    ],
)
def test_a_name_calls_an_entry(prompt: str, name: str, is_called: bool) -> None:
    assert (said(prompt, name) > 0) is is_called
    assert said(prompt, name) >= 0


@pytest.mark.parametrize("kind", TargetKind)
def test_a_name_that_is_ruled_out_counts_against_it(kind: TargetKind) -> None:
    assert said("do not use the tune-up skill", "demo:tune-up", kind) < 0
    assert said("ohne den Skill tune-up", "tune-up", kind) < 0


def test_a_word_for_another_kind_beside_the_own_one_takes_nothing_away() -> None:
    alone = said("use the tune skill", "tune")
    assert said("use the tune skill and the tune agent", "tune") == alone
    assert 0 < said("use the tune agent", "tune") < alone
