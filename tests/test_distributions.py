"""The distributions, against printed tables."""

import pytest

from skillwalker.distributions import normal_cdf, t_quantile


@pytest.mark.parametrize(
    ("df", "confidence", "quantile"),
    [
        pytest.param(1, 0.9, 6.313752, id="one"),
        pytest.param(2, 0.9, 2.919986, id="two"),
        pytest.param(3, 0.95, 3.182446, id="three, 95 %"),
        pytest.param(4, 0.9, 2.131847, id="four"),
        pytest.param(5, 0.99, 4.032143, id="five, 99 %"),
        pytest.param(10, 0.9, 1.812461, id="ten"),
        pytest.param(29, 0.95, 2.045230, id="29, 95 %"),
        pytest.param(30, 0.9, 1.697261, id="thirty"),
        pytest.param(120, 0.9, 1.657651, id="120"),
    ],
)
def test_t_quantile_is_that_of_the_tables(df: int, confidence: float, quantile: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(quantile, abs=1e-6)


@pytest.mark.parametrize(
    ("x", "p"), [(0.0, 0.5), (1.0, 0.8413447), (-1.959964, 0.025), (3.0, 0.9986501)]
)
def test_normal_cdf_is_that_of_the_tables(x: float, p: float) -> None:
    assert normal_cdf(x) == pytest.approx(p, abs=1e-7)
