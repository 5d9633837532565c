"""A metric's description says what is measured in the world, not what its author would like (pure).

Source: the define-metric skill of veegee82/loss-driven-development, "gaming-guard". Phrases are
matched as whole words, so that a text that merely holds their letters is not refused.
"""

import re

SELF_REFERENCES = (
    "my current action",
    "my current approach",
    "my approach",
    "my last action",
    "the action just taken",
    "the current action",
    "current_action",
    "i want",
    "i prefer",
    "i would like",
    "meine aktion",
    "mein ansatz",
    "ich will",
    "ich möchte",
    "je veux",
    "je préfère",
    "quiero",
    "prefiero",
)
"""Words by which a description speaks of who measures."""

_ANY = re.compile(
    r"(?<![^\W_])(" + "|".join(re.escape(phrase) for phrase in SELF_REFERENCES) + r")(?![^\W_])"
)


def find_self_reference(description: str) -> str | None:
    """Find the first phrase that rewards instead of measuring; None when there is none."""
    match = _ANY.search(" ".join(description.casefold().split()))
    return match[1] if match else None
