"""The version that Claude Code says it has."""

import re

_VERSION = re.compile(r"\d+\.\d+\.\d+\S*")


def find_version(said: str) -> str | None:
    """Find the version in what `claude --version` says."""
    match = _VERSION.search(said)
    return match.group() if match else None


def is_version(text: str) -> bool:
    """Say whether a text is a version and nothing else."""
    return _VERSION.fullmatch(text) is not None
