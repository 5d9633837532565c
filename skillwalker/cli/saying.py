"""What people are told: the one place where their lines are fitted to a terminal."""

import os
import sys
from typing import TextIO

import typer


def say(text: str, *, err: bool = False) -> None:
    """Print lines for people; off a terminal each stays whole, for a log is searched by lines.

    Args:
        text: one or more lines.
        err: whether it is no result, so that it goes to stderr.
    """
    columns = terminal_columns(sys.stderr if err else sys.stdout)
    typer.echo(text if columns is None else _fitted(text, columns), err=err)


def say_report(text: str, *, err: bool = False) -> None:
    """Print a report for people; off a terminal it is as wide as a page.

    Args:
        text: one or more lines.
        err: whether it is no result, so that it goes to stderr.
    """
    from skillwalker.report.fitting import REPORT_WIDTH

    columns = terminal_columns(sys.stderr if err else sys.stdout)
    typer.echo(_fitted(text, columns or REPORT_WIDTH), err=err)


def terminal_columns(stream: TextIO) -> int | None:
    """Give the columns of a terminal; None off a terminal, or where it does not say."""
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except OSError:
        return None


def _fitted(text: str, width: int) -> str:
    from skillwalker.report.fitting import fitted

    return fitted(text, width)
