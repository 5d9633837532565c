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
    [(None, "—"), (0.0, "0 %"), (0.5, "50 %"), (0.126, "13 %"), (1.0, "100 %")],
)
def test_percent(value: float | None, text: str) -> None:
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
        pytest.param({}, "no candidate scored better", id="kept by the search"),
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
    assert words in wording.verdict(summary)


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


def test_a_class_that_a_passing_text_loses_is_named_in_the_headline() -> None:
    gate = dataclasses.replace(GATE, recall_change=0.6, specificity_change=-0.1)
    said = wording.verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=gate))
    assert said.endswith("; specificity -10 points, within --max-loss by the posterior median.")
    wide = dataclasses.replace(gate, specificity_interval=(-0.3, 0.1))
    said = wording.verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=wide))
    assert "; specificity -10 points (90 % interval -30 to +10), within --max-loss" in said
    unseen = dataclasses.replace(gate, specificity_change=-0.004)
    said = wording.verdict(dataclasses.replace(SUMMARY, verdict=Verdict.IMPROVED, gate=unseen))
    assert "--max-loss" not in said


@pytest.mark.parametrize(
    ("changes", "rounds", "applied", "text"),
    [
        pytest.param((0.02, 0.22), 1, False, None, id="the interval leaves 0 out"),
        pytest.param(
            (-0.01, 0.3),
            1,
            False,
            "the 90 % interval holds 0: one round decides little; --resume r --more 2 tells more",
            id="one round",
        ),
        pytest.param(
            (0.0, 0.3), 3, True, "the 90 % interval holds 0: 3 rounds decide little", id="applied"
        ),
    ],
)
def test_a_text_that_passed_on_little_is_said_to(
    changes: tuple[float, float], rounds: int, applied: bool, text: str | None
) -> None:
    gate = dataclasses.replace(GATE, interval=changes, rounds=rounds)
    summary = dataclasses.replace(SUMMARY, gate=gate, applied=applied)
    assert wording.doubt(summary) == text
    refused = dataclasses.replace(gate, passed=False)
    assert wording.doubt(dataclasses.replace(summary, gate=refused)) is None


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
