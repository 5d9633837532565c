"""Numbers with their nouns (pure)."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun.

    Args:
        number: how many there are.
        one: the noun for one.
        many: for none and for several; default: with an s.
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
