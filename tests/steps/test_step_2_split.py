import string
import time
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.inputs import SplitCase, TriggerCase
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.errors import SuiteError
from skillwalker.steps.step_2_split import split_cases
from skillwalker.suites.near_duplicates import group_near_duplicates

FRACTIONS = st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.7])
LETTERS = string.ascii_lowercase + "äßéжの検査 "


def case(name: str, prompt: str, should_trigger: bool = True) -> TriggerCase:
    return TriggerCase(name=name, prompt=prompt, should_trigger=should_trigger, model="sonnet")


@st.composite
def case_lists(draw: st.DrawFn) -> tuple[TriggerCase, ...]:
    prompts = draw(st.lists(st.text(LETTERS, min_size=1, max_size=30), max_size=25))
    labels = draw(st.lists(st.booleans(), min_size=len(prompts), max_size=len(prompts)))
    return tuple(
        case(f"case {at}", prompt, label)
        for at, (prompt, label) in enumerate(zip(prompts, labels, strict=True))
    )


def split(
    cases: tuple[TriggerCase, ...], fraction: float, suite: str = "s", target: str = "demo:x"
) -> tuple[SplitCase, ...]:
    return split_cases(cases, suite=suite, target=target, fraction=fraction)


def sides(split_cases: tuple[SplitCase, ...]) -> dict[str, CaseSet]:
    return {one.case.name: one.set for one in split_cases}


# Twelve prompts a class that share no words: every fraction of the tests below leaves both sides
# at least two of each class, so that the laws are not tried on empty ground.
TOPICS = (
    "parsley", "granite", "umbrella", "volcano", "keyboard", "penguin",
    "saxophone", "tractor", "lighthouse", "cinnamon", "glacier", "origami",
)  # fmt: skip
ENOUGH = tuple(case(f"+{word}", f"tell me about {word}s") for word in TOPICS) + tuple(
    case(f"-{word}", f"draw {word} {word[::-1]} now", should_trigger=False) for word in TOPICS
)


@settings(max_examples=60, deadline=None)
@given(cases=case_lists(), fraction=FRACTIONS)
def test_split_is_complete_and_repeatable(cases: tuple[TriggerCase, ...], fraction: float) -> None:
    found = split(ENOUGH + cases, fraction)
    assert tuple(one.case for one in found) == ENOUGH + cases
    assert {one.set for one in found} <= {CaseSet.TRAIN, CaseSet.HOLDOUT}
    assert found == split(ENOUGH + cases, fraction)


@settings(max_examples=60, deadline=None)
@given(cases=case_lists(), fraction=FRACTIONS, data=st.data())
def test_order_changes_nothing(
    cases: tuple[TriggerCase, ...], fraction: float, data: st.DataObject
) -> None:
    shuffled = tuple(data.draw(st.permutations(ENOUGH + cases)))
    assert {one.case.name: one for one in split(shuffled, fraction)} == {
        one.case.name: one for one in split(ENOUGH + cases, fraction)
    }


@settings(max_examples=60, deadline=None)
@given(
    cases=case_lists(), new=st.text(LETTERS, min_size=1), label=st.booleans(), fraction=FRACTIONS
)
def test_a_case_like_no_other_moves_no_other(
    cases: tuple[TriggerCase, ...], new: str, label: bool, fraction: float
) -> None:
    before = ENOUGH + cases
    added = case("new", new, label)
    prompts = [one.prompt for one in before if one.should_trigger is label]
    groups = group_near_duplicates([*prompts, new])
    assume(groups.count(groups[-1]) == 1)
    after = sides(split((*before, added), fraction))
    assert {name: side for name, side in after.items() if name != "new"} == sides(
        split(before, fraction)
    )


ALIKE = tuple(
    case(f"alike {at}", f"tell me all you know about the parsley and its cousins {word}".strip())
    for at, word in enumerate(("", "now", "today", "please"))
)


def test_the_order_of_near_duplicates_changes_nothing() -> None:
    points = {
        tuple(sorted((one.case.name, one.group, one.set) for one in split(some + ENOUGH, 0.4)))
        for some in permutations(ALIKE)
    }
    assert len(points) == 1
    assert len({one.group for one in split(ALIKE, 0)}) == 1


@settings(max_examples=60, deadline=None)
@given(word=st.text(LETTERS.strip(), min_size=1, max_size=6), fraction=FRACTIONS)
def test_a_near_duplicate_that_is_added_moves_nothing_but_its_own_group(
    word: str, fraction: float
) -> None:
    before = ENOUGH + ALIKE
    added = case("new", f"{ALIKE[0].prompt} {word}")
    after = split((*before, added), fraction)
    own = {one.case.name for one in after if one.group == after[-1].group}
    assert own == {one.name for one in (*ALIKE, added)}
    assert len({one.set for one in after if one.case.name in own}) == 1
    others = {name: side for name, side in sides(after).items() if name not in own}
    assert others.items() <= sides(split(before, fraction)).items()


@settings(max_examples=60, deadline=None)
@given(cases=case_lists(), fraction=FRACTIONS)
def test_a_group_is_on_one_side_and_of_one_label(
    cases: tuple[TriggerCase, ...], fraction: float
) -> None:
    found = split(ENOUGH + cases, fraction)
    for label in (True, False):
        members = [one for one in found if one.case.should_trigger is label]
        groups = group_near_duplicates([one.case.prompt for one in members])
        for left, left_group in zip(members, groups, strict=True):
            for right, right_group in zip(members, groups, strict=True):
                assert (left.group == right.group) is (left_group == right_group)
                assert left.set is right.set or left.group != right.group
    labels: dict[str, bool] = {}
    for one in found:
        assert labels.setdefault(one.group, one.case.should_trigger) is one.case.should_trigger


def test_same_prompt_with_both_labels_is_in_two_groups() -> None:
    found = split_cases(
        (case("a", "Polish this"), case("b", "polish this", False)),
        suite="s",
        target="t",
        fraction=0,
    )
    assert found[0].group != found[1].group


def test_a_larger_fraction_only_moves_cases_into_the_holdout() -> None:
    held: set[str] = set()
    for fraction in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        now = {
            name
            for name, side in sides(
                split_cases(ENOUGH, suite="s", target="demo:x", fraction=fraction)
            ).items()
            if side is CaseSet.HOLDOUT
        }
        assert held <= now
        held = now


def test_the_share_is_about_the_fraction() -> None:
    cases = tuple(
        case(f"{label} {number}", f"{number * 7919:x} {number * 104729:o}", label)
        for label in (True, False)
        for number in range(1, 1001)
    )
    found = split_cases(cases, suite="s", target="t", fraction=0.3)
    assert abs(sum(one.set is CaseSet.HOLDOUT for one in found) / len(found) - 0.3) < 0.05


@pytest.mark.parametrize("change", ["suite", "target"])
def test_suite_and_target_enter_the_hash(change: str) -> None:
    names = {"suite": "s", "target": "t"}
    one = split_cases(ENOUGH, **names, fraction=0)
    other = split_cases(ENOUGH, **(names | {change: "u"}), fraction=0)
    assert {found.group for found in one}.isdisjoint(found.group for found in other)


def test_no_text_can_forge_the_border_between_suite_and_target() -> None:
    pairs = [("a", "b:c"), ("a:b", "c"), ("a1:b", "c"), ("", "ab:c"), ("a\0b", "c"), ("a", "\0bc")]
    groups = {
        split_cases((case("x", "p"),), suite=suite, target=target, fraction=0)[0].group
        for suite, target in pairs
    }
    assert len(groups) == len(pairs)


def test_name_model_and_tags_do_not_enter_the_hash() -> None:
    renamed = tuple(
        replace(one, name=f"renamed {one.name}", model="opus", tags=("t",)) for one in ENOUGH
    )
    before = split_cases(ENOUGH, suite="s", target="t", fraction=0.4)
    after = split_cases(renamed, suite="s", target="t", fraction=0.4)
    assert [one.set for one in before] == [one.set for one in after]


HELD = [
    "+umbrella",
    "+keyboard",
    "+saxophone",
    "+lighthouse",
    "-keyboard",
    "-penguin",
    "-tractor",
    "-glacier",
]


def test_sides_are_frozen() -> None:
    """A new version of the program must not move cases that users have looked at."""
    found = split_cases(ENOUGH, suite="s", target="demo:x", fraction=0.4)
    assert [one.case.name for one in found if one.set is CaseSet.HOLDOUT] == HELD


def test_fraction_zero_is_all_train_whatever_there_is() -> None:
    found = split_cases((case("only", "p"),), suite="s", target="t", fraction=0)
    assert [one.set for one in found] == [CaseSet.TRAIN]
    assert split_cases((), suite="s", target="t", fraction=0) == ()


def test_too_few_cases_of_a_class_are_refused_with_the_number_to_add() -> None:
    cases = (*ENOUGH[:12], ENOUGH[12], ENOUGH[13])
    with pytest.raises(SuiteError) as caught:
        split_cases(cases, suite="s", target="demo:x", fraction=0.4)
    message = str(caught.value)
    assert message.startswith("suite 's', target 'demo:x': --holdout 0.4 leaves ")
    assert message.endswith(
        "each side needs 2 positive and 2 negative cases: "
        "add at least 2 more negative, or use --holdout 0"
    )


def test_a_fraction_that_does_not_fit_is_refused_with_one_that_does() -> None:
    with pytest.raises(SuiteError) as caught:
        split_cases(ENOUGH, suite="s", target="demo:x", fraction=0.01)
    message = str(caught.value)
    assert "leaves 0 positive in holdout and 1 negative in holdout" in message
    advice = float(message.rpartition("--holdout ")[2].removesuffix(" would do"))
    assert split_cases(ENOUGH, suite="s", target="demo:x", fraction=advice)
    with pytest.raises(SuiteError):
        split_cases(ENOUGH, suite="s", target="demo:x", fraction=round(advice - 0.01, 2))


def test_near_duplicates_alone_cannot_be_split() -> None:
    cases = tuple(case(f"p{at}", "review this code now") for at in range(8)) + ENOUGH[12:]
    with pytest.raises(SuiteError, match="no share would do with these cases; add some in other"):
        split_cases(cases, suite="s", target="t", fraction=0.5)


def test_a_thousand_cases_are_split_at_once() -> None:
    words = [f"{number * 2654435761 % 2**32:x}"[:5] for number in range(900)]
    cases = tuple(
        case(
            str(at), " ".join(words[(at * step * step) % 900] for step in range(1, 25)), at % 2 == 0
        )
        for at in range(1000)
    )
    start = time.process_time()
    split_cases(cases, suite="s", target="t", fraction=0.4)
    assert time.process_time() - start < 5  # comparing all pairs takes longer
