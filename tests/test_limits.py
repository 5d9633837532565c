from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.limits import Limits


def test_no_limit_admits_everything() -> None:
    limits = Limits()
    assert [limits.admit() for _ in range(1000)] == [None] * 1000


def test_the_trial_after_the_last_is_refused() -> None:
    limits = Limits(max_trials=2)
    assert [limits.admit() for _ in range(3)] == [None, None, StopReason.BUDGET]


def test_zero_trials_spends_nothing() -> None:
    assert Limits(max_trials=0).admit() is StopReason.BUDGET


def test_trials_of_an_earlier_life_count() -> None:
    limits = Limits(max_trials=37)
    limits.count_earlier(37)
    assert limits.admit() is StopReason.BUDGET


def test_nothing_starts_at_the_deadline() -> None:
    now = [0.0]
    limits = Limits(deadline=10.0, clock=lambda: now[0])
    assert limits.admit() is None
    now[0] = 10.0
    assert limits.admit() is StopReason.DEADLINE


def test_an_interrupt_lets_nothing_more_start() -> None:
    limits = Limits()
    assert limits.admit() is None
    limits.interrupt()
    assert limits.admit() is StopReason.INTERRUPTED
    assert limits.interrupted


def test_asking_whether_a_limit_is_reached_spends_nothing() -> None:
    limits = Limits(max_trials=1)
    assert [limits.reached() for _ in range(5)] == [None] * 5
    assert limits.admit() is None
