"""What the records of scores add up."""

from hypothesis import given
from hypothesis import strategies as st

from skillwalker.datatypes.scores import sum_usage
from skillwalker.datatypes.trials import Usage

COSTS = st.lists(st.none() | st.floats(min_value=0, max_value=5), max_size=30)


@given(costs=COSTS, data=st.data())
def test_trials_cost_the_same_in_whichever_order_they_ended(
    costs: list[float | None], data: st.DataObject
) -> None:
    usages = [Usage(cost_usd=cost) for cost in costs]
    assert sum_usage(data.draw(st.permutations(usages))) == sum_usage(usages)


def test_an_unknown_cost_is_counted_and_not_free() -> None:
    total = sum_usage((Usage(cost_usd=0.5), Usage(cost_usd=None), Usage(cost_usd=0.25)))
    assert (total.calls, total.cost_usd, total.cost_unknown_calls) == (3, 0.75, 1)
