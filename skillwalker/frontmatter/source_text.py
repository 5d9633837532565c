"""A file's bytes as the text that Claude Code decodes, with each character's place in the file."""

from bisect import bisect_right
from dataclasses import dataclass

__all__ = ["SourceText", "decode"]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A decoded file without its byte order mark; invalid bytes are U+FFFD.

    Attributes:
        pieces: (first character, first byte, text) of each run of valid UTF-8 or of one U+FFFD.
    """

    text: str
    pieces: tuple[tuple[int, int, str], ...]
    size: int

    def byte_offset(self, char_offset: int) -> int:
        """Say where in the file the character stands."""
        if char_offset >= len(self.text):
            return self.size
        place = bisect_right(self.pieces, char_offset, key=lambda piece: piece[0]) - 1
        first_char, first_byte, text = self.pieces[place]
        return first_byte + len(text[: char_offset - first_char].encode())

    def line(self, char_offset: int) -> int:
        """Say in which line, from 1, the character stands."""
        return self.text.count("\n", 0, char_offset) + 1


def decode(content: bytes) -> SourceText:
    """Decode a file as Claude Code does: UTF-8, one byte order mark dropped."""
    start = len(_BOM) if content.startswith(_BOM) else 0
    pieces: list[tuple[int, int, str]] = []
    chars = 0
    while start < len(content):
        try:
            text, end = content[start:].decode(), len(content)
        except UnicodeDecodeError as error:
            text, end = content[start : start + error.start].decode(), start + error.start
            bad = start + error.end
        else:
            bad = end
        if text:
            pieces.append((chars, start, text))
            chars += len(text)
        if bad > end:
            pieces.append((chars, end, "\ufffd"))
            chars += 1
        start = bad
    whole = "".join(text for _, _, text in pieces)
    return SourceText(text=whole, pieces=tuple(pieces), size=len(content))
