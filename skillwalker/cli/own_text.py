"""A description that a user wrote: read, checked, and what is wrong with the file it goes to."""

import sys
from dataclasses import replace
from pathlib import Path

import typer

from skillwalker.cli.show_text import short_path
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.errors import ConfigError, TargetError
from skillwalker.lint import lint_description
from skillwalker.targets.file import list_target


def read_text(name: str) -> str:
    """Read the text to write; the line end that closes a text file is not part of it.

    Args:
        name: of the file; `-` is stdin.

    Raises:
        ConfigError: it cannot be read, or is no UTF-8.
    """
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return content.decode("utf-8-sig").rstrip("\r\n")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"--text-file {name}: cannot be read as UTF-8 text: {why}") from error


def require_clean(target: Target, text: str) -> None:
    """Refuse a text that a description may not be.

    Raises:
        TargetError: it is one; the message lists why.
    """
    faults = lint_description(text, kind=target.kind)
    if faults:
        listed = "\n".join(f"- {fault}" for fault in faults)
        raise TargetError(f"the text cannot be the description of {target.id}:\n{listed}")


def warn_of_file(target: Target, content: bytes, project: Path) -> None:
    """Say what is wrong with a target's file, whatever its description.

    Args:
        target: as its file was read.
        content: what that is to hold.
        project: paths are shown from it on.
    """
    listed = list_target(replace(target, content=content))
    faults = [each.message for each in listed.findings if each.severity is Severity.ERROR]
    if not listed.listed and not faults:
        faults = ["Claude Code does not list it; see 'skillwalker show'"]
    for fault in faults:
        typer.echo(f"warning: {short_path(target.path, project)}: {fault}", err=True)
