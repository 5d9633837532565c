"""Tells what a description asks for from what it excludes.

"Use when ...", "Not for ...", "use X instead": the statements by which a model chooses among
skills, as far as their words show them.
"""

import re
from dataclasses import dataclass
from typing import Final

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|[。！？\n•]+")
_ABBREVIATION: Final = re.compile(r"\b(e\.g|i\.e|etc|z\.\s?B|d\.\s?h|bzw|vs)\.", re.IGNORECASE)

_EXCLUDES_FROM_HERE: Final = re.compile(
    r"""\b(?:
        (?:not|never)\s+(?:(?:meant|intended|suitable|suited|used?|trigger(?:ed)?|applicable)\s+)?
            (?:(?:it|this)\s+)?(?:for|when|if|on|with|in)\b
      | (?:do\s+not|don['’]t|never|avoid)\s+(?:us(?:e|ing)|trigger(?:ing)?|apply(?:ing)?)\b
      | (?:skip|except|excluding|out\s+of\s+scope|unless|rather\s+than|other\s+than)\b
      | (?:nicht|niemals|nie)\s+(?:\w+\s+)?(?:für|bei|zum|zur|verwenden|nutzen|benutzen|geeignet)\b
      | (?:außer|ausgenommen|statt)\b
      | (?:pas\s+pour|ne\s+pas\s+utiliser|sauf|no\s+usar|no\s+para|excepto)\b
    )|不用于|不适用|不要用|请勿""",
    re.IGNORECASE | re.VERBOSE,
)
_EXCLUDES_ALL: Final = re.compile(
    r"\binstead\b(?!\s+of)|\bstattdessen\b"
    r"|使わない|使わず|使用しない|使用せず|用いない|向かない|不向き|対象外|対象ではない|ではありません|を除く|には不要",
    re.IGNORECASE,
)
_ASKS_AGAIN: Final = re.compile(
    r"[;,(]\s*(?:but\s+)?(?:(?:do\s+)?use\s+(?:(?:it|this)\s+)?|only\s+)(?:when|for|if|whenever)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:use\s+(?:(?:it|this(?:\s+\w+)?)\s+)?(?:when|whenever|for|if|to|proactively)"
    r"|when(?:ever)?\s+(?:the\s+user|someone|asked|you)|triggers?\b|also\s+for|covers?\b"
    r"|verwende\w*|nutze\w*|wenn\b|auch\s+für|bei\s+fragen)|場合|とき|際に|依頼|使用する|使う|用于|适用|时使用|时也使用",
    re.IGNORECASE,
)
_CATCH_ALL: Final = re.compile(
    r"\b(?:(?:any|every|all|each)\s+(?:\w+\s+){0,2}?(?:request|task|question|prompt|message|"
    r"conversation|situation|problem|user|thing|case|time|topic|kind|job|work|purpose)s?"
    r"|everything|anything|whatever|always|no\s+matter\s+what|regardless)\b"
    r"|\b(?:jede[rsmn]?|alle[rsmn]?)\s+(?:\w+\s+)?(?:anfrage|aufgabe|frage|bitte|nachricht)n?\b"
    r"|\b(?:immer|egal\s+was|für\s+alles)\b"
    r"|すべて|全て|あらゆる|常に|どんな|何でも|所有|任何|一切",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statements:
    """The parts of a description, each a text."""

    says: str
    """What the target is."""
    asks: str
    """When it is to be used."""
    excludes: str
    """When it is not."""
    catch_alls: int
    """How many times it claims everything."""


def _part(sentence: str) -> tuple[str, str]:
    """Cut a sentence into what it wants and what it excludes."""
    if _EXCLUDES_ALL.search(sentence):
        return "", sentence
    found = _EXCLUDES_FROM_HERE.search(sentence)
    if found is None:
        return sentence, ""
    again = _ASKS_AGAIN.search(sentence, found.end())
    end = again.start() if again else len(sentence)
    return f"{sentence[: found.start()]} {sentence[end:]}", sentence[found.start() : end]


def read_statements(description: str) -> Statements:
    """Sort the sentences of a description by what they do."""
    says: list[str] = []
    asks: list[str] = []
    excludes: list[str] = []
    for sentence in _SENTENCE_END.split(_ABBREVIATION.sub(r"\1", description)):
        wanted, unwanted = _part(sentence)
        excludes.append(unwanted)
        (asks if _ASKS.search(wanted) else says).append(wanted)
    return Statements(
        says="\n".join(filter(str.strip, says)),
        asks="\n".join(filter(str.strip, asks)),
        excludes="\n".join(filter(str.strip, excludes)),
        catch_alls=sum(len(_CATCH_ALL.findall(part)) for part in (*says, *asks)),
    )
