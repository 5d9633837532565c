"""Asking Claude for an answer in a given form: the protocol, and the SDK's client behind it."""

from collections.abc import Mapping
from typing import Protocol

from skillwalker.datatypes.improver import Completion


class Completer(Protocol):
    """What the improver and the judge ask.

    `complete` sends one prompt and gives one JSON object that matches the schema, as text.

    Raises:
        CompletionError: nothing usable came back after every retry.
    """

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object."""
        ...
