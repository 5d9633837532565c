import dataclasses
from dataclasses import replace

import pytest

from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.report import wording
from skillwalker.report.verdict_text import verdict
from tests.report.test_wording import GATE, SUMMARY


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param(
            {"verdict": Verdict.IMPROVED, "gate": GATE},
            "demo:x: improved, balanced accuracy +12 points (90 % interval +2 to +22),"
            " P(better) 0.97.",
            id="improved",
        ),
        pytest.param({"verdict": Verdict.IMPROVED}, "unconfirmed", id="improved without a gate"),
        pytest.param(
            {"gate": dataclasses.replace(GATE, passed=False, reason="No convincing difference.")},
            "original kept. No convincing difference.",
            id="kept by the gate",
        ),
        pytest.param({"iterations": 3}, "no candidate scored better", id="kept by the search"),
        pytest.param({"kind": "measure"}, "demo:x: measured.", id="measure"),
        pytest.param(
            {"kind": "measure", "stopped_because": StopReason.BUDGET},
            "measured, until the budget was spent.",
            id="measure to a limit",
        ),
        pytest.param(
            {"best_iteration": 2, "stopped_because": StopReason.INTERRUPTED},
            "Iteration 2 scored better in the search, but it was interrupted before it was",
            id="better but unconfirmed",
        ),
        pytest.param(
            {
                "verdict": Verdict.INCONCLUSIVE,
                "stopped_because": StopReason.PREFLIGHT,
                "cause": "no daemon answers",
            },
            "inconclusive, the instrument does not measure: no daemon answers.",
            id="inconclusive",
        ),
    ],
)
def test_a_verdict_is_one_sentence(changes: dict[str, object], words: str) -> None:
    summary = dataclasses.replace(SUMMARY, **changes)  # type: ignore[arg-type]  # a table's rows
    assert words in verdict(summary)


def test_a_class_that_a_passing_text_loses_is_named_in_the_headline() -> None:
    gate = dataclasses.replace(GATE, recall_change=0.6, specificity_change=-0.1)
    said = verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=gate))
    assert said.endswith("; specificity -10 points, within --max-loss by the posterior median.")
    wide = dataclasses.replace(gate, specificity_interval=(-0.3, 0.1))
    said = verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=wide))
    assert "; specificity -10 points (90 % interval -30 to +10), within --max-loss" in said
    unseen = dataclasses.replace(gate, specificity_change=-0.004)
    said = verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=unseen))
    assert "--max-loss" not in said


@pytest.mark.parametrize(
    ("interval", "rounds", "applied", "text"),
    [
        pytest.param(
            (0.02, 0.22),
            1,
            False,
            "improved, balanced accuracy +12 points (90 % interval +2 to +22), P(better) 0.97.",
            id="the interval leaves 0 out",
        ),
        pytest.param(
            (-0.01, 0.3),
            1,
            False,
            "improved, but the 90 % interval holds 0: balanced accuracy +12 points (90 % interval"
            " -1 to +30). After one confirm round P(better) 0.97 is too sure; more rounds tell"
            " more, and are another look, which asks more (scil run --resume r --more N).",
            id="one round",
        ),
        pytest.param(
            (0.0, 0.3),
            3,
            True,
            "improved, but the 90 % interval holds 0: balanced accuracy +12 points (90 % interval"
            " +0 to +30). After 3 confirm rounds P(better) 0.97 is too sure.",
            id="applied",
        ),
    ],
)
def test_what_an_interval_that_holds_0_means_is_said_before_the_probability(
    interval: tuple[float, float], rounds: int, applied: bool, text: str
) -> None:
    gate = dataclasses.replace(GATE, interval=interval, rounds=rounds)
    summary = replace(SUMMARY, verdict=Verdict.IMPROVED, gate=gate, applied=applied)
    assert verdict(summary) == f"demo:x: {text}"
    little = replace(summary, gate=replace(gate, p_better=0.93))
    assert ("P(better) 0.93 shows little" in verdict(little)) == (interval[0] <= 0)


@pytest.mark.parametrize(
    ("advice", "ending"),
    [
        pytest.param(
            "it would take about 9 rounds (432 trials) in all",
            "; it would take about 9 rounds (432 trials) in all (scil run --resume r --more N).",
            id="rounds",
        ),
        pytest.param(
            "it would take about 7 cases; more rounds of these will not do",
            "; it would take about 7 cases; more rounds of these will not do.",
            id="cases, so no command for rounds",
        ),
    ],
)
def test_a_pass_that_shows_little_says_what_would_show_more(advice: str, ending: str) -> None:
    gate = replace(GATE, interval=(-0.01, 0.3), advice=advice)
    said = verdict(replace(SUMMARY, verdict=Verdict.IMPROVED, gate=gate))
    assert said.endswith(ending)


@pytest.mark.parametrize(
    "reason", [StopReason.BUDGET, StopReason.DEADLINE, StopReason.RATE_LIMIT], ids=str
)
@pytest.mark.parametrize("found", [Verdict.IMPROVED, Verdict.KEPT], ids=str)
def test_a_limit_that_cut_the_rounds_short_is_said_whatever_the_verdict(
    reason: StopReason, found: Verdict
) -> None:
    gate = replace(GATE, passed=found is Verdict.IMPROVED, reason="no convincing difference")
    whole = replace(SUMMARY, verdict=found, gate=gate, stopped_because=StopReason.ITERATIONS)
    cut = replace(whole, stopped_because=reason, cause="41 of 41 trials")
    extra = verdict(cut).removeprefix(verdict(whole))
    assert extra == f" It went no further, for {wording.STOPS[reason]}: 41 of 41 trials."


def test_a_search_without_a_second_text_speaks_of_none() -> None:
    small = replace(SUMMARY, iterations=1, stopped_because=StopReason.UNRESOLVED)
    said = verdict(small)
    assert said.startswith("demo:x: original kept; no other text was measured: the budget is too")
    assert "told apart" not in said
    assert said.endswith(
        " A new run with more trials can search: scil run --eval s --search race --max-trials N,"
        " with the other options of this one."
    )
    assert "scil -C 'my p' run --eval 'a b' --search" in verdict(
        replace(small, suite="a b"), project="my p"
    )
    spent = replace(small, stopped_because=StopReason.BUDGET, cause="12 of 12 trials")
    assert verdict(spent).endswith("measured: the budget was spent: 12 of 12 trials.")
    assert "no candidate scored better" in verdict(replace(small, iterations=2))


def test_a_text_that_could_not_be_written_says_so_in_the_verdict() -> None:
    refused = replace(SUMMARY, verdict=Verdict.IMPROVED, gate=GATE, not_written="a.md is read-only")
    assert verdict(refused).endswith(" It could not be written: a.md is read-only.")
