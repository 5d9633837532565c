import dataclasses
from dataclasses import replace

import pytest

from skillwalker.datatypes.scores import GateResult, Rate, UsageTotal
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, TargetKind, Verdict
from skillwalker.report import wording
from skillwalker.report.plain import one_line, printable, words_changed
from tests.measured import trigger_case

GATE = GateResult(
    p_better=0.97,
    threshold=0.9,
    passed=True,
    change=0.123,
    interval=(0.02, 0.22),
    recall_change=0.2,
    specificity_change=0.0,
    rounds=2,
    reason="better with P 0.97",
)
SUMMARY = Summary(
    run_id="r",
    kind="scil",
    suite="s",
    target="demo:x",
    target_kind=TargetKind.SKILL,
    target_path="p",
    target_sha256="",
    position="plugin",
    engine="local",
    simulated=False,
    endpoint="",
    cli_version="",
    permission_mode="",
    models=(),
    seed=0,
    verdict=Verdict.KEPT,
    stopped_because=StopReason.ITERATIONS,
    cause=None,
    original_description="old",
    best_description="old",
    best_iteration=1,
    improved=False,
    applied=False,
    measured_on="search",
    original=None,
    best=None,
    gate=None,
    rate_in_file=None,
    iterations=1,
    trials=0,
    undecided=0,
    usage=(),
    listing=None,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (0.0, "0 %"),
        (0.001, "< 1 %"),
        (0.006, "1 %"),
        (0.126, "13 %"),
        (0.5, "50 %"),
        (0.994, "99 %"),
        (200 / 201, "> 99 %"),
        (1.0, "100 %"),
    ],
)
def test_only_a_whole_is_100_percent_and_only_nothing_is_0(value: float | None, text: str) -> None:
    assert wording.percent(value) == text


@pytest.mark.parametrize(
    ("change", "interval", "text"),
    [
        pytest.param(None, None, "—", id="not measured"),
        pytest.param(0.25, None, "+25 points", id="a lone case"),
        pytest.param(-0.004, (-0.1, 0.004), "+0 points (90 % interval -10 to +0)", id="no -0"),
    ],
)
def test_a_change_stands_with_its_interval(
    change: float | None, interval: tuple[float, float] | None, text: str
) -> None:
    assert wording.points_within(change, interval) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (0.5, "0.50"), (0.996, "> 0.99"), (1.0, "> 0.99"), (0.001, "< 0.01")],
)
def test_a_probability_never_looks_certain(value: float | None, text: str) -> None:
    assert wording.probability(value) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (Rate(k=0, n=0, rate=None, low=None, high=None), "—"),
        (Rate(k=3, n=4, rate=0.75, low=None, high=None), "75 % (3/4)"),
        (Rate(k=3, n=4, rate=0.75, low=0.4, high=0.93), "75 % (3/4), 40–93 %"),
        (
            Rate(k=5, n=25, rate=0.35, low=0.2, high=0.5),
            "35 % over cases (5 of 25 runs), 20–50 %",
        ),
    ],
)
def test_a_rate_names_its_denominator(rate: Rate, text: str) -> None:
    assert wording.rate(rate) == text


def test_every_reason_to_stop_has_words() -> None:
    assert set(wording.STOPS) == set(StopReason)


def test_an_unknown_cost_is_never_free() -> None:
    usage = (("trial", UsageTotal(calls=3, cost_usd=0.5, cost_unknown_calls=2)),)
    text = wording.money(dataclasses.replace(SUMMARY, usage=usage))
    assert text == "calls: 3 trial; cost $0.50 and 2 calls of unknown cost"


def test_control_codes_do_not_reach_a_terminal() -> None:
    hostile = "a\x1b[2Jb\x07c\r\nd\u200be\tf"
    assert "\x1b" not in printable(hostile)
    assert one_line(hostile) == "a�[2Jb�c� d\u200be f"


def test_a_change_shows_lost_and_gained_words_without_colour_too() -> None:
    text = words_changed("Reviews all code in a merge", "Reviews code before a merge")
    assert text.plain == "Reviews[- all-] code [-in-]{+before+} a merge"


def test_a_rewrite_is_shown_as_two_paragraphs() -> None:
    text = words_changed("Helps with code review", "Reads a diff. Use before a merge.")
    assert text.plain == "- Helps with code review\n+ Reads a diff. Use before a merge."


def test_equal_texts_have_no_marks() -> None:
    assert words_changed("same text", "same text").plain == "same text"


@pytest.mark.parametrize(
    ("endpoint", "simulated", "billed"),
    [
        pytest.param("https://api.anthropic.com", False, True, id="real"),
        pytest.param("http://127.0.0.1:8100", True, False, id="stand-in"),
        pytest.param("simulated", True, True, id="simulated engine beside a paid improver"),
    ],
)
def test_a_stand_in_bills_nobody(endpoint: str, simulated: bool, billed: bool) -> None:
    used = (("trial", UsageTotal(calls=3, cost_usd=0.5, cost_unknown_calls=1)),)
    text = wording.money(
        dataclasses.replace(SUMMARY, usage=used, endpoint=endpoint, simulated=simulated)
    )
    assert ("$" in text) is billed
    assert ("nobody is billed" in text) is not billed


def test_one_call_is_no_calls() -> None:
    assert wording.unknown_calls(1) == "1 call of unknown cost"
    assert wording.unknown_calls(2) == "2 calls of unknown cost"


def test_a_probability_beside_an_interval_that_holds_0_is_said_to_be_too_sure() -> None:
    assert wording.likelihood(0.998, (-0.1, 0.6)) == ", which holds 0: P(better) > 0.99 is too sure"
    assert wording.likelihood(0.002, (-0.6, 0.1)) == ", which holds 0: P(better) < 0.01 is too sure"
    assert wording.likelihood(0.6, (-0.1, 0.2)) == ", P(better) 0.60"
    assert wording.likelihood(0.998, (0.1, 0.6)) == ", P(better) > 0.99"
    assert wording.likelihood(None, None) == f", P(better) {wording.NOT_MEASURED}"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "1 case"),
        (["a", "b"], "2 cases"),
        (["a", "b", "a", "b"], "4 (2 cases on each of 2 models)"),
    ],
    ids=["one", "two", "two on two models"],
)
def test_a_case_on_several_models_is_counted_once(names: list[str], text: str) -> None:
    assert wording.counted(names) == text


def test_models_are_named_and_whether_each_case_is_on_all() -> None:
    one, other = trigger_case("a"), trigger_case("b")
    on_haiku = [replace(case, model="haiku") for case in (one, other)]
    assert wording.models([one, other]) == "model sonnet"
    assert wording.models([one, on_haiku[1]]) == "models haiku, sonnet"
    assert wording.models([one, other, *on_haiku]) == "each on models haiku, sonnet"
