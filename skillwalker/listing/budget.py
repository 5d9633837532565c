"""How much room Claude Code gives to its listing of skills, per model and version."""

import re
from dataclasses import dataclass

__all__ = ["CLAUDE_VERSION", "KNOWN_VERSIONS", "BundledSkills", "budget_chars", "bundled_skills"]

CLAUDE_VERSION = "2.1.332"
"""The version whose behaviour is meant where none is named."""
_OLD_BUDGET = 8_000
_LONG_CONTEXT = "[1m]"
_LONG_CONTEXT_BUDGET = 40_000
# Counted at four characters a token; every other model at three.
_OLD_MODELS = re.compile(
    r"claude-(?:3-(?:5-|7-)?(?:opus|sonnet|haiku)"
    r"|opus-4(?:-[0156])?|sonnet-4(?:-[056])?|haiku-4-5)(?:-2\d{7}|-latest)?"
)
_OLD_ALIASES = {"2.1.197": frozenset({"haiku"})}


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledSkills:
    """Claude Code's own skills, as they were in a fresh home.

    Attributes:
        lines: of those that are never reduced, which eat the budget first.
        columns: of those lines together, without the breaks between them.
        commands: columns of `- NAME` and of what follows it, of each that is reduced like any
            other and stands last.
    """

    lines: int = 0
    columns: int = 0
    commands: tuple[tuple[int, int], ...] = ()


_INIT, _REVIEW, _SECURITY_REVIEW = (6, 61), (8, 70), (17, 73)
_BUNDLED = {
    CLAUDE_VERSION: BundledSkills(lines=11, columns=6_039, commands=(_INIT, _SECURITY_REVIEW)),
    "2.1.197": BundledSkills(lines=10, columns=4_204, commands=(_INIT, _REVIEW, _SECURITY_REVIEW)),
}
_NEW_BUDGET = {CLAUDE_VERSION: 30_000, "2.1.197": 6_000}
KNOWN_VERSIONS = tuple(_NEW_BUDGET)
"""Versions whose listing was measured, the newest first."""


def budget_chars(model: str, version: str = CLAUDE_VERSION) -> int:
    """Say how many columns the whole listing of skills may have.

    Args:
        model: a full id or an alias.
        version: a version in the table; any other is taken as the newest.

    Source: measured with Claude Code 2.1.332 and 2.1.197; it is the context window in tokens, times
        three or four characters, times 0.01.
    """
    version = version if version in _NEW_BUDGET else CLAUDE_VERSION
    name = model.removesuffix(_LONG_CONTEXT)
    if not _OLD_MODELS.fullmatch(name) and name not in _OLD_ALIASES.get(version, ()):
        return _NEW_BUDGET[version]
    return _OLD_BUDGET if name == model else _LONG_CONTEXT_BUDGET


def bundled_skills(version: str = CLAUDE_VERSION) -> BundledSkills:
    """Say what Claude Code's own skills take of the budget."""
    return _BUNDLED.get(version, _BUNDLED[CLAUDE_VERSION])
