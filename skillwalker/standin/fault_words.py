"""Reads faults as people write them on a command line: `429:1*2,ok`, `cut:7`, `silent:60`."""

import re
from urllib.parse import unquote

from skillwalker.errors import ConfigError
from skillwalker.standin.replies import FaultKind, InjectedFault

_ITEM = re.compile(r"(?P<word>[a-z]+|\d{3})(?::(?P<value>\d+(?:\.\d+)?))?(?:\*(?P<times>\d{1,4}))?")
_KNOWN = (
    "ok, a status such as 529, 429:RETRY_AFTER, silent:SECONDS, stall:SECONDS, cut:EVENTS, "
    "malformed, error; each with *TIMES"
)


def parse_faults(words: str) -> tuple[InjectedFault | None, ...]:
    """Read a list of faults, one for each answer in order; the last one is repeated.

    Raises:
        ConfigError: a word is not known; the message lists those there are.
    """
    faults: list[InjectedFault | None] = []
    for word in filter(None, (part.strip() for part in words.split(","))):
        match = _ITEM.fullmatch(word)
        if match is None:
            raise _unknown(word)
        times = int(match["times"] or 1)
        faults.extend([_fault(word, match["word"], match["value"])] * times)
    return tuple(faults)


def _fault(item: str, word: str, value: str | None) -> InjectedFault | None:
    if word.isdigit():
        retry_after = None if value is None else float(value)
        return InjectedFault(kind=FaultKind.STATUS, status=int(word), retry_after=retry_after)
    if word == "cut":
        return InjectedFault(kind=FaultKind.CUT, after=3 if value is None else int(float(value)))
    if word in ("silent", "stall"):
        seconds = 3600.0 if value is None else float(value)
        return InjectedFault(kind=FaultKind(word), seconds=seconds)
    if word in ("malformed", "error") and value is None:
        return InjectedFault(kind=FaultKind(word))
    if word == "ok" and value is None:
        return None
    raise _unknown(item)


def _unknown(item: str) -> ConfigError:
    return ConfigError(f"--fault: {item!r} is no fault; known are: {_KNOWN}")


def faults_in_path(prefix: str) -> tuple[InjectedFault | None, ...]:
    """Read the faults that a base URL asks for: a path segment `faults=WORDS`; none is no fault.

    Raises:
        ConfigError: a word is not known.
    """
    for segment in prefix.split("/"):
        name, given, words = unquote(segment).partition("=")
        if given and name == "faults":
            return parse_faults(words)
    return ()
