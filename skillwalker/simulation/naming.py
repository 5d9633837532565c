"""Whether a prompt calls for an entry of the listing by its name, or rules it out.

A user who names a skill or an agent gets it, whatever the texts say: no noise reaches what this
adds to a margin.
"""

import re
from dataclasses import dataclass
from typing import Final

from skillwalker.datatypes.vocabulary import TargetKind

_NAMED: Final = 8.0
_IN_FULL: Final = 1_000.0
"""For a name as it is listed, which means one entry: no words of another outweigh it."""
_OTHER_KIND: Final = 0.5
"""Share of it for a skill that is called an agent: one of that name and that kind goes first."""

_KIND_WORDS: Final = {
    TargetKind.SKILL: r"(?:skills?|スキル|技能)",
    TargetKind.AGENT: r"(?:(?:sub)?agent\w*|エージェント)",
}
_KIND_WORD: Final = f"(?:{'|'.join(_KIND_WORDS.values())})"
_REFUSAL: Final = (
    r"(?:not|n['’]t|never|without|avoid|skip|nicht|ohne|kein(?:e[mnrs]?)?)\s+(?:[\w'’]+\s+){0,3}?"
)
_BEFORE: Final = r"(?<![\w/.-])(?<![a-z0-9_-]:)"
"""What a name may not follow: it would be the end of a path or of another plugin's name."""
_BEHIND: Final = r"(?![\w/-]|\.\w)"


@dataclass(frozen=True, slots=True)
class Naming:
    """The patterns by which one entry is named."""

    called: re.Pattern[str]
    refused: re.Pattern[str]
    in_full: re.Pattern[str]
    """As it is listed, with its plugin where it has one."""
    own_kind: re.Pattern[str]
    other_kind: re.Pattern[str]


def naming_of(name: str, kind: TargetKind) -> Naming:
    """Make the patterns of an entry.

    A name of several words is a request by itself; a single word needs "skill" or "agent" by it.

    Args:
        name: as listed; not empty.
        kind: skill or agent.
    """
    bare = name.rsplit(":", 1)[-1]
    forms = [re.escape(name)]
    if re.search(r"[-_\s]", bare):
        forms.append(re.escape(bare))
    else:
        forms += _beside(bare, _KIND_WORD)
        if bare == name:
            forms = forms[1:]
    whole = rf"{_BEFORE}(?:{'|'.join(forms)}){_BEHIND}"
    full = forms if bare == name else [re.escape(name)]
    (other,) = set(TargetKind) - {kind}
    return Naming(
        called=re.compile(whole, re.IGNORECASE),
        refused=re.compile(_REFUSAL + whole, re.IGNORECASE),
        in_full=re.compile(rf"{_BEFORE}(?:{'|'.join(full)}){_BEHIND}", re.IGNORECASE),
        own_kind=_of_kind(name, bare, kind),
        other_kind=_of_kind(name, bare, other),
    )


def _beside(name: str, kind_word: str) -> list[str]:
    """Give the forms of a name with a word for its kind behind it or before it."""
    quoted = rf"[`\"'“„「]?{re.escape(name)}[`\"'”“」]?"
    return [rf"{quoted}[\s-]*{kind_word}", rf"{kind_word}\s+(?:named\s+|called\s+)?{quoted}"]


def _of_kind(name: str, bare: str, kind: TargetKind) -> re.Pattern[str]:
    """Make the pattern of an entry's name, with or without its plugin, beside a kind."""
    forms = [form for known in {name, bare} for form in _beside(known, _KIND_WORDS[kind])]
    return re.compile(rf"{_BEFORE}(?:{'|'.join(sorted(forms))}){_BEHIND}", re.IGNORECASE)


def bonus(prompt: str, naming: Naming) -> float:
    """Say how much a prompt's naming of an entry, or ruling out of it, adds to its margin."""
    if not naming.called.search(prompt):
        return 0.0
    if naming.refused.search(prompt):
        return -_NAMED
    share = 1.0
    if naming.other_kind.search(prompt) and not naming.own_kind.search(prompt):
        share = _OTHER_KIND
    return share * (_IN_FULL if naming.in_full.search(prompt) else _NAMED)
