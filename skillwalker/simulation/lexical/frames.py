"""The sentences that a word list is put into, in the language of the text it replaces."""

import re
from dataclasses import dataclass
from typing import Final

_GERMAN = """
der die das und für mit nicht bei von den dem des ein eine einen zum zur wenn oder auf im ist sie zu
"""
_ENGLISH = """
the and for with not of to in on a an is are when use or this that what from by helps
"""
_SCRIPTS: Final = (r"[\u3041-\u30ff]", r"[\u3400-\u9fff]", r"[A-Za-z]")
_LETTERS_OF_A_CHARACTER: Final = 2
"""So many Latin letters say as much as one character of kana or kanji."""
_GERMAN_SIGNS: Final = frozenset(_GERMAN.split())
_ENGLISH_SIGNS: Final = frozenset(_ENGLISH.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A language's way of saying when something is used and when not."""

    asks: tuple[str, ...]
    """Sentences with a place for the words, to be taken in turn."""
    also: tuple[str, ...]
    excludes: str
    points_to: str
    """Follows the excluded words and names a sibling; empty where the language has no frame."""
    comma: str
    last: str
    """Between the last two words."""
    stop: str
    """Ends a sentence, with the space to the next."""


ENGLISH: Final = Frame(
    asks=(
        "Use when the request is about {words}",
        "Use for {words}",
        "Use whenever someone mentions {words}",
    ),
    also=("Also for {words}", "Also covers {words}", "Use for {words} too"),
    excludes="Not for {words}",
    points_to=" (use {name} instead)",
    comma=", ",
    last=" or ",
    stop=". ",
)
GERMAN: Final = Frame(
    asks=(
        "Verwenden, wenn es um {words} geht",
        "Verwenden für {words}",
        "Verwenden bei Fragen zu {words}",
    ),
    also=("Auch für {words}", "Auch bei Fragen zu {words}", "Außerdem verwenden für {words}"),
    excludes="Nicht für {words}",
    points_to=" (stattdessen {name})",
    comma=", ",
    last=" oder ",
    stop=". ",
)
JAPANESE: Final = Frame(
    asks=(
        "{words}に関する依頼で使用する",
        "{words}についての依頼の場合に使う",
        "{words}が話題のときに使う",
    ),
    also=("{words}の依頼でも使用する", "{words}の場合にも使う", "{words}のときにも使用する"),
    excludes="{words}には使用しない",
    points_to="",
    comma="、",
    last="、",
    stop="。",
)
CHINESE: Final = Frame(
    asks=("用于{words}", "涉及{words}时使用", "适用于{words}"),
    also=("也用于{words}", "涉及{words}时也使用", "同样适用于{words}"),
    excludes="不用于{words}",
    points_to="",
    comma="、",
    last="或",
    stop="。",
)
BARE: Final = Frame(
    asks=("{words}", "({words})", "- {words}"),
    also=("+ {words}", "(+ {words})", "& {words}"),
    excludes="",
    points_to="",
    comma=", ",
    last=", ",
    stop=". ",
)
"""For languages without a frame: words alone, so that the language is kept."""


def frame_for(text: str) -> Frame:
    """Choose the frame of the language a text is in."""
    kana, han, latin = (len(re.findall(script, text)) for script in _SCRIPTS)
    if (kana + han) * _LETTERS_OF_A_CHARACTER > latin:
        return JAPANESE if kana else CHINESE
    found = re.findall(r"[^\W\d_]+", text.casefold())
    german = sum(word in _GERMAN_SIGNS for word in found)
    english = sum(word in _ENGLISH_SIGNS for word in found)
    if german > english or (german == english and re.search("[äöüß]", text.casefold())):
        return GERMAN
    if english or text.isascii():
        return ENGLISH
    return BARE


def join_words(words: tuple[str, ...], frame: Frame) -> str:
    """Join words as the language does."""
    if len(words) < 2:
        return "".join(words)
    return frame.comma.join(words[:-1]) + frame.last + words[-1]
