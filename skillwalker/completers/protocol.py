"""What the improver and the judge ask, and which model an alias means."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.errors import BudgetReached, CompletionError

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
        UnansweredError: nothing came back after every retry; what that has used is attached.
        CompletionError: nobody could be asked.
    """

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object."""
        ...


class UnansweredError(CompletionError):
    """A question was asked and brought nothing to read, but it may have cost something.

    Args:
        message: what happened and what to do about it.
        completion: what there is of a reply, with what the question has used; a cost of None is
            not known.
    """

    def __init__(self, message: str, completion: Completion) -> None:
        super().__init__(message)
        self.completion = completion


class UnusableReplyError(UnansweredError):
    """A reply came and was paid for, but it was refused or cut."""


class RateLimitedError(UnansweredError):
    """A rate limit refused the question, and still did after every retry.

    Args:
        message: what happened and what to do about it.
        resets_at: when the limit ends, in seconds since 1970; None when nobody says.
        retry_after: in how many seconds, where only that is known.
        completion: what the turns before the refusal have used; default: there were none.
    """

    def __init__(
        self,
        message: str,
        *,
        resets_at: float | None = None,
        retry_after: float | None = None,
        completion: Completion | None = None,
    ) -> None:
        super().__init__(message, completion or no_reply("", Usage(cost_usd=0.0)))
        self.resets_at = resets_at
        self.retry_after = retry_after


class QuestionCutError(BudgetReached):
    """A limit came before a question was answered, but it may have cost something.

    Args:
        reached: the limit.
        completion: what the question has used; a cost of None is not known.
    """

    def __init__(self, reached: BudgetReached, completion: Completion) -> None:
        super().__init__(
            reached.reason,
            flag=reached.flag,
            detail=reached.detail,
            refused_usd=reached.refused_usd,
        )
        self.completion = completion


def no_reply(model: str, usage: Usage) -> Completion:
    """Say what a question to a model has used that brought no reply."""
    return Completion(text="", model=model, usage=usage)


def paid_without_reply(error: CompletionError | BudgetReached) -> Completion | None:
    """Give what a question has used that ended in an error; None where that was nothing."""
    if not isinstance(error, UnansweredError | QuestionCutError):
        return None
    completion, usage = error.completion, error.completion.usage
    is_free = usage.cost_usd == 0.0 and not (usage.input_tokens or usage.output_tokens)
    return None if is_free else completion


def resolve_model(name: str) -> str:
    """Give the full id behind an alias; a full id stays as it is."""
    return MODEL_ALIASES.get(name, name)
