"""Untrusted text made fit for a terminal: no control codes, and differences by words (pure)."""

import unicodedata

from rich.text import Text

from skillwalker.faults import BIDI
from skillwalker.report.word_diff import word_diff


def one_line(text: str) -> str:
    """Put a text on one line without control or formatting characters."""
    return " ".join(printable(text).split())


def printable(text: str) -> str:
    """Replace characters that could steer a terminal; line ends and tabs stay."""
    return "".join(char if char in "\n\t" or not _steers(char) else "�" for char in text)


def _steers(char: str) -> bool:
    return char in BIDI or unicodedata.category(char) in _HIDDEN


_HIDDEN = frozenset({"Cc", "Cs", "Co"})


def shortened(text: str, longest: int) -> str:
    """Cut a text, saying how much."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [{len(text) - longest} more characters]"


def words_changed(before: str, after: str) -> Text:
    """Show what a description loses and gains.

    Returns:
        Word by word where much is common, lost words in `[-…-]` and gained ones in `{+…+}` as in
        git's word diff; else the old text and the new one, a paragraph each.
    """
    old, new = printable(before), printable(after)
    pieces = word_diff(old, new)
    if pieces is None:
        return Text.assemble(("- ", "red"), (old, "red"), "\n", ("+ ", "green"), (new, "green"))
    text = Text()
    for piece in pieces:
        match piece.kind:
            case "same":
                text.append(piece.text)
            case "lost":
                text.append(f"[-{piece.text}-]", style="red")
            case "gained":
                text.append(f"{{+{piece.text}+}}", style="green")
    return text
