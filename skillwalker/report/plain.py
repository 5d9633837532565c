"""Untrusted text made fit for a terminal: no control codes, and differences by words (pure)."""

import difflib
import re
import unicodedata

from rich.text import Text

MUCH_COMMON = 0.5
"""Share of words and blanks from which on a word diff reads better than two paragraphs."""

_WORDS = re.compile(r"\s+|[^\s]+")


def one_line(text: str) -> str:
    """Put a text on one line without control or formatting characters."""
    return " ".join(printable(text).split())


def printable(text: str) -> str:
    """Replace characters that could steer a terminal; line ends and tabs stay."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in _HIDDEN else "�"
        for char in text
    )


_HIDDEN = frozenset({"Cc", "Cs", "Co"})


def words_changed(before: str, after: str) -> Text:
    """Show what a description loses and gains.

    Returns:
        Word by word where much is common, lost words in `[-…-]` and gained ones in `{+…+}` as in
        git's word diff; else the old text and the new one, a paragraph each.
    """
    old, new = _WORDS.findall(printable(before)), _WORDS.findall(printable(after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < MUCH_COMMON:
        return Text.assemble(
            ("- ", "red"),
            (printable(before), "red"),
            "\n",
            ("+ ", "green"),
            (printable(after), "green"),
        )
    text = Text()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            text.append("".join(old[i1:i2]))
            continue
        if i1 != i2:
            text.append(f"[-{''.join(old[i1:i2])}-]", style="red")
        if j1 != j2:
            text.append(f"{{+{''.join(new[j1:j2])}+}}", style="green")
    return text
