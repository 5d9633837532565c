import pytest

from skillwalker.counting import counted


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("case",), "0 cases"),
        (1, ("case",), "1 case"),
        (2, ("case",), "2 cases"),
        (1, ("criterion", "criteria"), "1 criterion"),
        (2, ("criterion", "criteria"), "2 criteria"),
    ],
)
def test_a_number_has_the_noun_that_it_needs(
    number: int, words: tuple[str, ...], said: str
) -> None:
    assert counted(number, *words) == said
