"""What the improver and the judge ask, and which model an alias means."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from skillwalker.datatypes.improver import Completion
from skillwalker.errors import CompletionError

MODEL_ALIASES = MappingProxyType(
    {
        "opus": "claude-opus-5-5",
        "sonnet": "claude-sonnet-5-5",
        "haiku": "claude-haiku-5-5",
    }
)
"""What the aliases of Claude Code 2.1.332 stand for."""


MODEL_FLAGS = MappingProxyType({"improver": "--model", "judge": "--judge-model"})
"""The option that names the model of a role."""


class Completer(Protocol):
    """What the improver and the judge ask.

    `complete` sends one prompt and gives the text of the reply, which was asked to be one JSON
    object that matches the schema. Whoever asks reads it and checks it.

    Raises:
        UnusableReplyError: the model answered, and was paid, but with nothing to read.
        CompletionError: nothing came back after every retry.
    """

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object."""
        ...


class UnusableReplyError(CompletionError):
    """A reply came and was paid for, but it was refused or cut.

    Args:
        message: what happened and what to do about it.
        completion: what there is of the reply, with what it cost.
    """

    def __init__(self, message: str, completion: Completion) -> None:
        super().__init__(message)
        self.completion = completion


class RateLimitedError(CompletionError):
    """A rate limit refused the question, and still did after every retry; nothing was paid.

    Args:
        message: what happened and what to do about it.
        resets_at: when the limit ends, in seconds since 1970; None when nobody says.
        retry_after: in how many seconds, where only that is known.
    """

    def __init__(
        self, message: str, *, resets_at: float | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.resets_at = resets_at
        self.retry_after = retry_after


def resolve_model(name: str) -> str:
    """Give the full id behind an alias; a full id stays as it is."""
    return MODEL_ALIASES.get(name, name)
