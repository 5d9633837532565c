"""The entry of skillwalker.lock after a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.lock_entries import AppliedChange, LockEntry
from skillwalker.datatypes.scores import GateResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.fingerprint import search_fingerprint, target_fingerprint
from skillwalker.plan import FurtherRounds, Plan
from skillwalker.remembering import (
    entry_key,
    looks_taken,
    rechecked,
    remembered,
    undone_later,
    written_later,
)
from skillwalker.search.gate import threshold
from skillwalker.targets.names import description_hash
from tests.bench import DESCRIPTION, make_bench_project, plan_of
from tests.summaries import BETTER, ended_search, gate, rates


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(make_bench_project(tmp_path))


def applied(plan: Plan) -> Summary:
    return ended_search(
        plan, verdict=Verdict.IMPROVED, improved=True, applied=True, gate=gate(passed=True)
    )


def measured(plan: Plan, **changes: object) -> Summary:
    settings: dict[str, object] = {"kind": "measure", "best_iteration": 1, "gate": None}
    settings |= {"best": None, **changes}
    return ended_search(plan, plan.target.description, **settings)


def after(entry: LockEntry | None, plan: Plan, summary: Summary) -> LockEntry:
    new = remembered(entry, plan, summary)
    assert new is not None
    return new


def test_rates_are_those_of_what_the_file_holds_at_the_end(plan: Plan) -> None:
    kept, written = after(None, plan, ended_search(plan)), after(None, plan, applied(plan))
    assert kept.rates == rates(0.6)
    assert kept.fingerprint == target_fingerprint(plan, engine="docker")
    assert written.rates == rates(0.7)
    assert written.fingerprint == target_fingerprint(plan, engine="docker", text=BETTER)
    assert written.candidate == description_hash(BETTER)


def test_a_run_that_could_not_measure_leaves_the_entry_alone(plan: Plan) -> None:
    assert remembered(None, plan, ended_search(plan, verdict=Verdict.INCONCLUSIVE)) is None
    assert remembered(None, plan, ended_search(plan, original=None)) is None


@pytest.mark.parametrize(
    ("summary_gate", "looks"),
    [(gate(passed=False), 1), (gate(passed=False, rounds=0), 0), (None, 0)],
    ids=["confirmed", "not worth a round", "no gate"],
)
def test_a_look_is_a_gate_with_confirm_rounds(
    plan: Plan, summary_gate: GateResult | None, looks: int
) -> None:
    assert after(None, plan, ended_search(plan, gate=summary_gate)).looks == looks


def test_looks_add_up_over_nights_and_over_improvements_that_were_written(plan: Plan) -> None:
    first = after(None, plan, ended_search(plan))
    second = after(first, replace(plan, looks=2), replace(applied(plan), run_id="20261201T120000"))
    written = replace(plan, target=replace(plan.target, description=BETTER))
    assert (first.looks, second.looks, looks_taken(second, written)) == (1, 2, 2)


def judged_at(summary: Summary, look: int) -> Summary:
    """The same run, judged by the bar of a later look."""
    assert summary.gate is not None
    return replace(summary, gate=replace(summary.gate, threshold=threshold(0.9, look)))


def test_further_rounds_of_a_run_are_another_look_and_a_life_of_it_none(plan: Plan) -> None:
    summary = ended_search(plan)
    first = after(None, plan, summary)
    assert after(first, plan, summary).looks == 1  # killed behind the lock's entry, and resumed
    more = replace(plan, more=(FurtherRounds(rounds=2, looks=2),))
    again = judged_at(summary, 2)
    second = after(first, more, again)
    assert (second.looks, after(second, more, again).looks) == (2, 2)
    elsewhere = replace(judged_at(summary, 3), run_id="20261201T120000")
    other = after(second, replace(plan, looks=3), elsewhere)
    third = replace(more, more=(*more.more, FurtherRounds(rounds=1, looks=4)))
    assert (other.looks, after(other, third, judged_at(summary, 4)).looks) == (3, 4)


def test_looks_go_on_with_other_cases_and_begin_anew_with_a_text_by_hand(plan: Plan) -> None:
    entry = after(None, plan, ended_search(plan))
    assert looks_taken(entry, plan) == 1
    assert looks_taken(entry, replace(plan, cases=plan.cases[1:])) == 1
    by_hand = replace(plan, target=replace(plan.target, description="By hand"))
    assert looks_taken(entry, by_hand) == 0
    assert looks_taken(None, plan) == 0


@pytest.mark.parametrize(
    ("reason", "is_tuned"),
    [
        (StopReason.ITERATIONS, True),
        (StopReason.PERFECT, True),
        (StopReason.UNRESOLVED, True),
        (StopReason.BUDGET, False),
        (StopReason.DEADLINE, False),
        (StopReason.RATE_LIMIT, False),
        (StopReason.INTERRUPTED, False),
    ],
)
def test_only_a_search_that_came_to_its_end_is_not_begun_again(
    plan: Plan, reason: StopReason, is_tuned: bool
) -> None:
    entry = after(None, plan, ended_search(plan, stopped_because=reason))
    assert entry.tuned == (search_fingerprint(plan, engine="docker") if is_tuned else None)


@pytest.mark.parametrize(
    ("reason", "cause", "iterations", "is_tuned"),
    [
        pytest.param(StopReason.UNRESOLVED, None, 1, False, id="too small a budget"),
        pytest.param(StopReason.UNRESOLVED, None, 2, True, id="told apart from none"),
        pytest.param(StopReason.ITERATIONS, None, 1, False, id="one iteration allowed"),
        pytest.param(StopReason.PERFECT, None, 1, True, id="nothing to mend"),
        pytest.param(StopReason.IMPROVER, None, 1, True, id="the improver found nothing"),
        pytest.param(StopReason.IMPROVER, "no answer", 3, False, id="it could not be asked"),
    ],
)
def test_a_search_that_searched_nothing_is_begun_again(
    plan: Plan, reason: StopReason, cause: str | None, iterations: int, is_tuned: bool
) -> None:
    summary = ended_search(plan, stopped_because=reason, cause=cause, iterations=iterations)
    assert (after(None, plan, summary).tuned is not None) == is_tuned


def test_further_rounds_that_were_never_run_are_no_look(plan: Plan) -> None:
    summary = ended_search(plan)
    first = after(None, plan, summary)
    more = replace(plan, more=(FurtherRounds(rounds=2, looks=2),))
    assert after(first, more, summary).looks == 1
    assert after(first, more, judged_at(summary, 2)).looks == 2


def test_the_best_rejected_text_is_kept_and_a_later_measurement_keeps_it(plan: Plan) -> None:
    searched = after(None, plan, ended_search(plan))
    assert searched.rejected is not None
    assert searched.rejected.description == BETTER
    again = after(searched, plan, measured(plan))
    assert (again.rejected, again.tuned) == (searched.rejected, searched.tuned)
    by_hand = replace(plan, target=replace(plan.target, description="By hand"))
    assert after(searched, by_hand, measured(by_hand)).rejected is None


def test_a_written_change_is_remembered_while_the_file_holds_it(plan: Plan) -> None:
    entry = after(None, plan, applied(plan))
    change = AppliedChange(run_id="20261130T120000", replaced=DESCRIPTION, description=BETTER)
    assert entry.applied == change
    written = replace(plan, target=replace(plan.target, description=BETTER))
    assert after(entry, written, measured(written)).applied == change
    assert after(entry, plan, measured(plan)).applied is None


def test_a_change_that_was_checked_again_says_so(plan: Plan) -> None:
    entry = rechecked(after(None, plan, applied(plan)))
    assert entry.applied is not None
    assert entry.applied.rechecked
    nothing = after(None, plan, ended_search(plan))
    assert rechecked(nothing) == nothing


def test_what_a_stand_in_answered_is_remembered_as_simulated(plan: Plan) -> None:
    summary = replace(applied(plan), engine="local", simulated=True)
    entry = after(None, plan, summary)
    assert entry.key.simulated
    assert undone_later(entry, plan).key == entry.key


def later(entry: LockEntry | None, plan: Plan, text: str = BETTER) -> LockEntry:
    key = entry_key(plan, simulated=False)
    return written_later(entry, plan, text, key=key, engine="docker", run_id="20261201T120000")


def test_a_text_that_was_written_later_has_no_rates_and_keeps_looks_and_the_end_of_the_search(
    plan: Plan,
) -> None:
    searched = after(None, plan, ended_search(plan))
    written = later(searched, plan)
    assert (written.rates, written.fingerprint, written.run_id) == (None, None, None)
    assert written.candidate == description_hash(BETTER)
    assert written.looks == searched.looks == 1
    assert written.tuned == search_fingerprint(plan, engine="docker", text=BETTER)
    assert written.rejected is None
    assert written.applied == AppliedChange(
        run_id="20261201T120000", replaced=DESCRIPTION, description=BETTER
    )


def test_what_was_written_later_and_undone_is_as_before_but_not_measured(plan: Plan) -> None:
    searched = after(None, plan, ended_search(plan))
    undone = undone_later(later(searched, plan, "Another text."), plan)
    assert undone == replace(searched, rates=None, fingerprint=None, run_id=None)


def test_a_search_of_other_cases_is_not_carried_over(plan: Plan) -> None:
    searched = after(None, plan, ended_search(plan))
    fewer = replace(plan, cases=plan.cases[1:])
    assert later(searched, fewer).tuned is None
    assert later(searched, fewer).looks == 1
    assert undone_later(later(searched, plan), fewer).tuned is None


def test_a_text_that_was_written_of_what_nobody_remembers_is_rechecked_too(plan: Plan) -> None:
    written = later(None, plan)
    assert written.applied is not None
    assert (written.looks, written.tuned) == (0, None)
