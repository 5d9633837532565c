"""Cuts a stream of bytes into lines, with bounded memory."""

from collections.abc import Iterator

MAX_LINE = 32 * 2**20
"""Bytes of the longest line that is kept; the rest of a longer one is read and dropped."""


class LineCutter:
    """Holds the part of a line that has arrived.

    Args:
        longest: bytes of the longest line that is kept.
    """

    def __init__(self, longest: int = MAX_LINE) -> None:
        self._longest = longest
        self._held = bytearray()
        self._is_dropping = False

    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """Give the lines that a chunk completes, without their ends.

        A caller that stops in the middle must not go on with another chunk.
        """
        head, newline, rest = chunk.partition(b"\n")
        self._held += head
        while newline:
            line, self._held = bytes(self._held), bytearray()
            if not self._is_dropping:
                yield line
            self._is_dropping = False
            head, newline, rest = rest.partition(b"\n")
            self._held += head
        if self._is_dropping or len(self._held) > self._longest:
            self._is_dropping = True
            self._held = bytearray()

    def last(self) -> bytes:
        """Give what came after the last line's end; empty when nothing did."""
        return b"" if self._is_dropping else bytes(self._held)
