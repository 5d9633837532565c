import dataclasses
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.inputs import ListingPlace, TriggerCase
from skillwalker.datatypes.scores import CaseResult
from skillwalker.datatypes.vocabulary import CaseSet, ListingState, Outcome
from skillwalker.errors import PreflightError
from skillwalker.plan import Plan
from skillwalker.preflight import check_controls, check_instrument, check_listing, control_cases
from tests.bench import make_bench_project, plan_of
from tests.measured import trial


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(make_bench_project(tmp_path))


class Controls:
    """Answers each control from a script of outcomes, two a look."""

    def __init__(self, explicit: str, unrelated: str) -> None:
        self.scripts = {True: list(explicit), False: list(unrelated)}
        self.looks = 0

    async def __call__(self, cases: Sequence[TriggerCase]) -> tuple[CaseResult, ...]:
        """Answer the next two runs of each."""
        self.looks += 1
        return tuple(self._result(case) for case in cases)

    def _result(self, case: TriggerCase) -> CaseResult:
        script = self.scripts[case.should_trigger]
        marks = [script.pop(0), script.pop(0)]
        outcomes = {
            "y": Outcome.TRIGGERED,
            "n": Outcome.NOT_TRIGGERED,
            "?": Outcome.UNDECIDED,
        }
        trials = tuple(trial(case.name, outcomes[mark]) for mark in marks)
        return CaseResult(case=case, set=CaseSet.CONTROL, trials=trials)


@pytest.mark.parametrize(
    ("explicit", "unrelated", "looks", "fault"),
    [
        pytest.param("yy", "nn", 1, None, id="both right"),
        pytest.param("nn", "nn", 1, "triggered it in 0 of 2 runs", id="never triggers"),
        pytest.param("yy", "yy", 1, "the target in 2 of 2 runs", id="always triggers"),
        pytest.param("ynyy", "nn", 2, None, id="split, then right"),
        pytest.param("ynyn", "nn", 2, "triggered it in 2 of 4 runs", id="split twice"),
        pytest.param("ynnn", "nn", 2, "triggered it in 1 of 4 runs", id="split, then wrong"),
        pytest.param("yy", "ynnn", 2, None, id="unrelated split, then quiet"),
        pytest.param("yy", "nyny", 2, "the target in 2 of 4 runs", id="unrelated split twice"),
        pytest.param("yy", "ynyy", 2, "the target in 3 of 4 runs", id="unrelated, then loud"),
        pytest.param("yn?y", "nn", 2, None, id="split, then right as far as it says"),
        pytest.param("yn??", "nn", 2, "triggered it in 1 of 2 runs", id="split, then nothing"),
    ],
)
def test_controls(plan: Plan, explicit: str, unrelated: str, looks: int, fault: str | None) -> None:
    cases = control_cases(plan.target, plan.listing, "sonnet")
    controls = Controls(explicit, unrelated)
    if fault is None:
        anyio.run(check_controls, cases, controls)
    else:
        with pytest.raises(PreflightError, match=f"does not measure.* {fault}"):
            anyio.run(check_controls, cases, controls)
    assert controls.looks == looks


def test_the_explicit_control_names_the_target_as_claude_sees_it(plan: Plan) -> None:
    explicit, unrelated = control_cases(plan.target, plan.listing, "opus")
    assert "demo:code-review" in explicit.prompt
    assert explicit.should_trigger
    assert not unrelated.should_trigger
    assert {explicit.model, unrelated.model} == {"opus"}


def test_the_unrelated_control_shares_no_word_with_the_target(plan: Plan) -> None:
    geography = dataclasses.replace(plan.target, description="What is the capital of a country?")
    _, unrelated = control_cases(geography, plan.listing, "sonnet")
    assert "capital" not in unrelated.prompt


@pytest.mark.parametrize(
    ("about", "subject"),
    [
        pytest.param("What is this? The name of a file.", "Norway", id="no subject"),
        pytest.param("Capitals of Norwegian towns", "planet", id="other forms"),
        pytest.param("Capital letters, closely read", "Moby-Dick", id="the next one"),
        pytest.param("Capital, sun, who writes", "penguins", id="and the next"),
        pytest.param("Decapitated undertow, sunken", "Norway", id="no part of a word"),
        pytest.param("CAPITAL", "planet", id="in capitals"),
        pytest.param("capital planet novel penguin giraffe", "Norway", id="the first of equals"),
        pytest.param("capital Norway sun novel penguin knee giraffe", "planet", id="the fewest"),
    ],
)
def test_the_unrelated_control_is_the_first_with_the_fewest_subjects_in_common(
    plan: Plan, about: str, subject: str
) -> None:
    _, unrelated = control_cases(
        dataclasses.replace(plan.target, description=about), plan.listing, "sonnet"
    )
    assert subject in unrelated.prompt


def test_what_is_listed_beside_the_description_counts_too(plan: Plan) -> None:
    listed = dataclasses.replace(plan.listing.listed, text="Reviews. - When a capital is asked for")
    place = dataclasses.replace(plan.listing, listed=listed)
    _, unrelated = control_cases(plan.target, place, "sonnet")
    assert "capital" not in unrelated.prompt


def with_state(place: ListingPlace, state: ListingState) -> ListingPlace:
    return dataclasses.replace(place, state=state)


@pytest.mark.parametrize("state", [ListingState.WHOLE, ListingState.CUT])
def test_a_target_that_is_shown_passes(plan: Plan, state: ListingState) -> None:
    check_listing(with_state(plan.listing, state))


@pytest.mark.parametrize("state", [ListingState.NAME_ONLY, ListingState.ABSENT])
def test_a_target_that_is_not_shown_is_refused_before_any_trial(
    plan: Plan, state: ListingState
) -> None:
    controls = Controls("yy", "nn")
    place = with_state(plan.listing, state)
    with pytest.raises(PreflightError, match="code-review"):
        anyio.run(check_instrument, plan.target, place, ("sonnet",), controls)
    assert controls.looks == 0


def test_every_model_has_controls_of_its_own(plan: Plan) -> None:
    controls = Controls("yyyy", "nnnn")
    anyio.run(check_instrument, plan.target, plan.listing, ("opus", "sonnet"), controls)
    assert controls.scripts == {True: [], False: []}
