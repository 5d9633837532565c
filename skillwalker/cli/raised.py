"""What was raised, as the one error that a user is told."""

from typing import TypeVar

from skillwalker.errors import SkillwalkerError, StoreError

_E = TypeVar("_E", bound=BaseException)


def told_of(error: BaseException) -> SkillwalkerError | None:
    """Give the error to tell of: itself, the first of ours in a group, or the system's own words.

    Args:
        error: whatever came up. Tasks that failed together come in a group.

    Returns:
        None for what nobody foresaw, of which the traceback is wanted.
    """
    ours = _first(error, SkillwalkerError)
    if ours is not None:
        return ours
    refused = _first(error, OSError)
    if refused is None or refused.errno is None:
        return None
    what = f"cannot use {refused.filename}" if refused.filename else "the system refused"
    return StoreError(f"{what}: {refused.strerror}")


def _first(error: BaseException, kind: type[_E]) -> _E | None:
    """Find the first error of a kind, however deep in groups."""
    if isinstance(error, kind):
        return error
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((found for each in inner if (found := _first(each, kind)) is not None), None)
