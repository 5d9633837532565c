"""The end of a run under Ctrl-C: what is done is told whole, whatever comes meanwhile.

A run that has written a file must say so. So the first signal is only noted; the second cuts what
can be made again, as the pages of a report; the third ends the command wherever it is.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from skillwalker.cli.process import EXIT_INTERRUPTED, Interrupted, handled
from skillwalker.cli.saying import say
from skillwalker.limits import Limits

CUTS, ENDS = 2, 3
"""The signals that cut what can be made again, and that end the command."""
DONE = "the run was done when Ctrl-C came"


@dataclass(slots=True, kw_only=True)
class Finish:
    """The signals that have come, and what they may cut."""

    limits: Limits
    count: int = 0
    cuttable: bool = False

    def receive(self, _number: int, _frame: FrameType | None) -> None:
        """Take a signal, in the main thread between two instructions.

        Raises:
            Interrupted: it is one too many for what is being done.
        """
        self.count = max(self.count, int(self.limits.interrupted)) + 1
        self.limits.interrupt()
        if self.count >= ENDS or (self.cuttable and self.count >= CUTS):
            raise Interrupted

    @contextmanager
    def may_be_cut(self, remedy: str) -> Iterator[None]:
        """Make what can be made again; a second signal leaves it unfinished.

        Args:
            remedy: what a user is told then.
        """
        self.cuttable = True
        try:
            yield
        except Interrupted:
            if self.count >= ENDS:
                raise
            say(remedy, err=True)
        finally:
            self.cuttable = False

    def code(self, code: int, *, still: Sequence[str] = ()) -> int:
        """Give the exit code, and say that a run was done when it was interrupted.

        Args:
            code: what the runs came to.
            still: commands that do what the interrupt left undone; none where all was done.
        """
        if not self.limits.interrupted:
            return code
        for command in still:
            say(f"next: {command}", err=True)
        if code != EXIT_INTERRUPTED and not still:
            say(DONE, err=True)
        return EXIT_INTERRUPTED


@contextmanager
def finishing(limits: Limits) -> Iterator[Finish]:
    """Let signals be noted until a command has told its result.

    It is begun before the run, whose own watch stands in for it as long as the run lasts: so no
    moment between the two is left in which a signal loses the result.

    Args:
        limits: of the run; an interrupt before the run ends it before anything is spent.
    """
    finish = Finish(limits=limits)
    with handled(finish.receive):
        yield finish
