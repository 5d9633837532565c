"""Takes secrets out of prompts before anybody sees them as cases (pure).

Patterns find what has a form: keys with a known prefix, values beside a telling word, long
random strings. A password in free words has none; so people review what is mined.

Source: the formats of detect-secrets and gitleaks, and the vendors' own prefixes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_WORD = r"(?:pass(?:word|wd|phrase)?|pwd|passwort|secret|token|api[_ -]?key|access[_ -]?key|pin)"
_KEYS = r"""
    sk-ant-[\w-]{8,} | sk-(?:proj-)?[A-Za-z0-9_-]{16,}        # Anthropic, OpenAI
  | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{20,}           # GitHub
  | gl(?:pat|dt|rt|ptt)-[\w-]{16,}                            # GitLab
  | xox[abeoprs]-[\w-]{10,} | xapp-[\w-]{10,}                 # Slack
  | (?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,}                      # AWS
  | AIza[\w-]{30,} | ya29\.[\w-]{20,}                         # Google
  | (?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}       # Stripe
  | npm_[A-Za-z0-9]{20,} | pypi-[\w-]{20,} | hf_[A-Za-z0-9]{20,}
  | SG\.[\w-]{16,}\.[\w-]{16,} | dop_v1_[0-9a-f]{32,}         # SendGrid, DigitalOcean
  | eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?                      # JSON Web Token
  | \b\d{8,10}:[A-Za-z0-9_-]{30,}                             # Telegram
"""
SHORTEST_RANDOM = 32
"""Characters from which on a mix of cases and digits is no word and no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """A form of secret."""

    kind: str
    pattern: re.Pattern[str]
    put: str | Callable[[re.Match[str]], str]


def _random(found: re.Match[str]) -> str:
    """Replace a run that mixes cases and digits, as keys do and words and paths do not."""
    text = found.group()
    mixed = any(map(str.islower, text)) and any(map(str.isupper, text))
    return "[key]" if mixed and any(map(str.isdigit, text)) else text


def _card(found: re.Match[str]) -> str:
    """Replace digits that pass the check of payment cards (Luhn)."""
    digits = [int(char) for char in found.group() if char.isdigit()][::-1]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[1::2]]
    return "[card number]" if (sum(digits[::2]) + sum(doubled)) % 10 == 0 else found.group()


_RULES = (
    _Rule(
        kind="private key",
        pattern=re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*-----|\Z)",
            re.DOTALL,
        ),
        put="[private key]",
    ),
    _Rule(
        kind="password in a URL",
        pattern=re.compile(
            r"(?P<scheme>\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@]{1,200}@", re.IGNORECASE
        ),
        put=r"\g<scheme>",
    ),
    _Rule(
        kind="secret in a URL",
        pattern=re.compile(
            rf"(?P<name>[?&](?:{_WORD}|sig|signature|auth|key|code)=)[^\s&#]+", re.IGNORECASE
        ),
        put=r"\g<name>[secret]",
    ),
    _Rule(kind="key", pattern=re.compile(_KEYS, re.VERBOSE), put="[key]"),
    _Rule(
        kind="login in a header",
        pattern=re.compile(r"\b(?P<name>Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE),
        put=r"\g<name> [secret]",
    ),
    _Rule(
        kind="password",
        pattern=re.compile(
            rf"(?P<name>[\w-]{{0,40}}{_WORD}[\w-]{{0,40}}[\"']?\s{{0,9}}(?:[:=]|=>)\s{{0,9}})"
            r"(?!\[)(?:\"[^\"\n]+\"|'[^'\n]+'|[^\s,;\"']{3,})",
            re.IGNORECASE,
        ),
        put=r"\g<name>[secret]",
    ),
    _Rule(
        kind="password",
        pattern=re.compile(
            rf"(?P<name>\b{_WORD}\s+(?:is|ist|lautet|was|to)\s+)(?!\[)(?=\S*(?:\d|[^\w\s]\w))\S{{4,}}",
            re.IGNORECASE,
        ),
        put=r"\g<name>[secret]",
    ),
    _Rule(
        kind="e-mail",
        pattern=re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}"),
        put="[e-mail]",
    ),
    _Rule(kind="long number", pattern=re.compile(r"\b(?:0x)?[0-9a-fA-F]{32,}\b"), put="[hex]"),
    _Rule(
        kind="key",
        pattern=re.compile(rf"(?<![\w+/=-])[\w+=-]{{{SHORTEST_RANDOM},}}(?![\w+=-])"),
        put=_random,
    ),
    _Rule(kind="card number", pattern=re.compile(r"\b\d(?:[ -]?\d){12,18}\b"), put=_card),
    _Rule(
        kind="user name",
        pattern=re.compile(r"(?P<base>/(?:home|Users)/|[A-Za-z]:\\Users\\)(?!user\b)[^\s/\\\"':]+"),
        put=r"\g<base>user",
    ),
)


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Take out what looks like a secret.

    Returns:
        The text with marks in the place of secrets, and the kinds that were found.
    """
    kinds: dict[str, None] = {}
    for rule in _RULES:
        changed = rule.pattern.sub(rule.put, text)
        if changed != text:
            kinds[rule.kind] = None
            text = changed
    return text, tuple(kinds)
