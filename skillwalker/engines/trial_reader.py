"""Reads the stream of one trial while it runs, and says when enough was seen."""

from collections.abc import Mapping
from functools import partial

from skillwalker.claude_code.process import Next, ProcessEnd
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.prices import Price, cost_usd
from skillwalker.transcripts.events import Tokens
from skillwalker.transcripts.stream import Ending, StreamParser


class TrialReader:
    """Takes a trial's lines as they come and makes its transcript; the same for every engine.

    Args:
        invocation: what the trial was told.
        prices: of the project's settings by model.
    """

    def __init__(self, invocation: Invocation, prices: Mapping[str, Price]) -> None:
        self._parser = StreamParser(
            prompt=invocation.prompt,
            called_as=invocation.called_as,
            price=partial(_message_cost, prices),
        )

    def take(self, line: bytes) -> Next:
        """Read a line and say how the trial should go on."""
        if self._parser.feed(line):
            return Next.STOP
        return Next.LINGER if self._parser.is_over else Next.MORE

    def finish(self, end: ProcessEnd, *, duration: float) -> Transcript:
        """Give what was seen, in the light of how the program ended."""
        return self._parser.finish(
            Ending(
                exit_code=end.exit_code,
                duration=duration,
                timed_out=end.timed_out,
                idle=end.idle,
                stderr=end.stderr,
            )
        )


def _message_cost(prices: Mapping[str, Price], model: str, tokens: Tokens) -> float | None:
    return cost_usd(
        model,
        input_tokens=tokens.input or 0,
        output_tokens=tokens.output or 0,
        cache_write_tokens=tokens.cache_write or 0,
        cache_read_tokens=tokens.cache_read or 0,
        override=prices,
    )
