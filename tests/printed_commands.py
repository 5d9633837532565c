"""The commands that the program prints for a user to copy, and whether it takes them."""

import re
import shlex
from contextlib import suppress

from typer import BadParameter, Exit
from typer.core import TyperGroup
from typer.main import get_command

from skillwalker.cli.app import PROGRAMS

_WORD = r"(?:[^\s;,()'`|]*'[^'\n]*'|[^\s;,()'`|]+)"
_COMMAND = re.compile(rf"(?<![\w/.:-])(?:skillwalker|scil|acil)(?: {_WORD})+")
_PROSE = frozenset(("says", "shows", "does", "adds", "makes", "to", "prints", "takes", "settles"))
_PLACES = {"N": "1", "CASE": "x", "TARGET": "demo:weather", "FILE": "f.json", "RUN_ID": "x"}
_OPTIONS = frozenset({"-C", "--project"})


def commands_in(text: str) -> list[list[str]]:
    """Find the commands in what was printed, word by word, each once."""
    found = {tuple(_words(match[0])): None for match in _COMMAND.finditer(text)}
    return [list(words) for words in found if _is_command(words)]


def _words(written: str) -> list[str]:
    """Leave out the prose behind a command, and put something in for what stands for something."""
    words = []
    for word in shlex.split(written):
        if word in _PROSE:
            break
        if word != "…":
            words.append(_PLACES.get(word, word).rstrip(".:"))
    return words


def _is_command(words: tuple[str, ...]) -> bool:
    """Say whether what follows the program is a command, not prose about it."""
    rest = list(words[1:])
    if rest and rest[0] in _OPTIONS:
        rest = rest[2:]
    group = get_command(PROGRAMS[words[0]])
    assert isinstance(group, TyperGroup)
    return bool(rest) and rest[0] in group.commands


def parse(words: list[str]) -> None:
    """Give a command to the real parser, without running it.

    Raises:
        TyperException: it is refused, which ends with exit code 2.
    """
    name, arguments = words[0], words[1:]
    command = get_command(PROGRAMS[name])
    while isinstance(command, TyperGroup):
        while arguments and arguments[0] in _OPTIONS:
            arguments = arguments[2:]
        if not arguments or arguments[0] not in command.commands:
            raise BadParameter(f"{name} has no command {arguments[:1]}")
        name, command = arguments[0], command.commands[arguments[0]]
        arguments = arguments[1:]
    with suppress(Exit):  # of --help
        command.make_context(name, arguments)
