"""Pauses for rate limits: until when nothing starts, and how long that may last in all."""

LONGEST_RETRY = 20.0
"""Seconds that who asks may wait for a rate limit alone; a longer one pauses the whole run, for a
trial that sleeps measures nothing."""
FIRST_PAUSE = 30.0
LONGEST_PAUSE = 300.0
"""Seconds of the pauses where nobody says when a limit ends: each twice the one before."""
MARGIN = 1.0
"""Seconds behind the end of a limit, which is given in whole seconds."""


class Pauses:
    """The pauses of everything that shares a login.

    Args:
        most: seconds that all pauses may take together.
    """

    def __init__(self, most: float) -> None:
        self.most = most
        self.until = 0.0
        """Moment until which nothing starts."""
        self.outlasting: float | None = None
        """Moment until which a limit holds for which the pauses are not long enough."""
        self._taken = 0.0
        self._next = FIRST_PAUSE

    def begin(self, *, now: float, resets_at: float | None, before: float | None) -> bool:
        """Pause until a limit ends; say whether that is more of a pause than there was.

        Args:
            now: this moment.
            resets_at: when the limit ends; None when nobody says.
            before: a deadline behind which a pause makes no sense.
        """
        if resets_at is None or resets_at <= now:
            if now < self.until:
                return False  # of those in flight together, one is enough
            resets_at = now + self._next
            self._next = min(2 * self._next, LONGEST_PAUSE)
        else:
            resets_at += MARGIN
        if resets_at <= self.until:
            return False
        more = resets_at - max(now, self.until)
        if self._taken + more > self.most or (before is not None and resets_at >= before):
            self.outlasting = resets_at
            return False
        self._taken += more
        self.until = resets_at
        return True

    def ease(self) -> None:
        """Take note that a request went through."""
        self._next = FIRST_PAUSE
