import pytest

from skillwalker.trials.undecided import Misses, UndecidedRun


def misses(most: float, count: int) -> Misses[int]:
    made: Misses[int] = Misses(most)
    for job in range(count):
        made.add(UndecidedRun(job=job, reason="crash", detail=None, is_old=job % 2 == 0))
    return made


@pytest.mark.parametrize(
    ("most", "count", "runs", "too_many"),
    [
        pytest.param(0.1, 0, 0, False, id="nothing of nothing"),
        pytest.param(0.1, 3, 30, False, id="just a tenth"),
        pytest.param(0.1, 4, 30, True, id="over a tenth"),
        pytest.param(0.29, 29, 100, False, id="just the share, below it in floating point"),
        pytest.param(0.0, 1, 100, True, id="none allowed"),
        pytest.param(1.0, 5, 5, False, id="all allowed"),
    ],
)
def test_too_many(most: float, count: int, runs: int, too_many: bool) -> None:
    assert misses(most, count).are_too_many(runs) is too_many


def test_old_ones_are_taken_once() -> None:
    made = misses(0.1, 5)
    assert made.take_old() == (0, 2, 4)
    assert made.take_old() == ()
    assert not made.are_too_many(20)


def test_an_error_without_a_detail_has_no_empty_brackets() -> None:
    text = str(misses(0.1, 5).error(20))
    assert "5 of 20 trials" in text
    assert "by `crash`. Nothing" in text
