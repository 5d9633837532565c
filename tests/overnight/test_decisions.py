import pytest

from skillwalker.datatypes.lock_entries import AppliedChange, EntryKey, LockEntry
from skillwalker.datatypes.scores import Rate, Rates
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.overnight.decisions import (
    by_need,
    change_to_recheck,
    is_stale,
    reason_not_to_tune,
)

CHANGE = AppliedChange(run_id="20261129T220000", replaced="old", description="new")


def rates(rate: float | None, width: float = 0.1) -> Rates:
    known = Rate(k=1, n=2, rate=0.5, low=0.0, high=1.0)
    balanced = Rate(
        k=0,
        n=0 if rate is None else 10,
        rate=rate,
        low=None if rate is None else rate - width,
        high=None if rate is None else rate + width,
    )
    return Rates(accuracy=known, recall=known, specificity=known, balanced=balanced)


def entry(**values: object) -> LockEntry:
    settings: dict[str, object] = {
        "key": EntryKey(path="skills/x/SKILL.md", suite="s", simulated=False),
        "kind": TargetKind.SKILL,
        "target": "demo:x",
        "fingerprint": "now",
        "rates": rates(0.6),
    }
    return LockEntry(**{**settings, **values})  # type: ignore[arg-type]  # a row of the table


@pytest.mark.parametrize(
    ("known", "stale"),
    [
        (None, True),
        (entry(), False),
        (entry(fingerprint="before"), True),
        (entry(rates=None), True),
        (entry(fingerprint=None), True),
    ],
    ids=["never measured", "as it was", "something changed", "no rates", "no fingerprint"],
)
def test_what_is_stale(known: LockEntry | None, stale: bool) -> None:
    assert is_stale(known, "now") is stale


@pytest.mark.parametrize(
    ("known", "text", "due"),
    [
        (entry(applied=CHANGE), "new", True),
        (entry(applied=CHANGE), "by hand", False),
        (
            entry(
                applied=AppliedChange(run_id="r", replaced="old", description="new", rechecked=True)
            ),
            "new",
            False,
        ),
        (entry(), "new", False),
        (None, "new", False),
    ],
    ids=["due", "the file holds another text", "once is enough", "no change", "unknown"],
)
def test_which_change_is_rechecked(known: LockEntry | None, text: str, due: bool) -> None:
    assert change_to_recheck(known, text) == (CHANGE if due else None)


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (entry(), None),
        (entry(rates=rates(0.89)), None),
        (entry(rates=rates(0.9)), "good enough"),
        (entry(rates=rates(None)), "no balanced rate"),
        (entry(rates=None), "no balanced rate"),
        (None, "no balanced rate"),
        (entry(tuned="now"), "came to its end before"),
        (entry(tuned="before"), None),
        (entry(tuned=None, fingerprint="other"), None),
    ],
)
def test_what_is_worth_a_search(known: LockEntry | None, reason: str | None) -> None:
    said = reason_not_to_tune(known, "now")
    assert said is None if reason is None else reason in str(said)


def test_the_lowest_rate_comes_first_and_of_equal_ones_the_surer() -> None:
    entries = {
        "good": entry(rates=rates(0.8)),
        "unsure": entry(rates=rates(0.5, width=0.3)),
        "sure": entry(rates=rates(0.5, width=0.1)),
        "same": entry(rates=rates(0.8)),
    }
    assert by_need(entries) == ("sure", "unsure", "good", "same")
