"""What every command does before and after its own work.

Before: no option takes the next option for its value. After: with `--json` stdout holds an object
even where an error ended the command as inconclusive.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from skillwalker.cli.options import wants_json
from skillwalker.cli.process import EXIT_INCONCLUSIVE

STDIN = "-"


class Command(TyperCommand):
    """A command of ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line.

        Raises:
            BadParameter: exit code 2; an option took the next one for its value.
        """
        written = tuple(args)
        left = super().parse_args(ctx, args)
        _refuse_swallowed(ctx, written)
        return left

    def invoke(self, ctx: Any) -> Any:
        """Do the command's work; what ends it as inconclusive is an object with `--json` too."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if wants_json(ctx, bool(ctx.params.get("as_json"))):
                _print_inconclusive(error)
            raise


class Group(TyperGroup):
    """A group of commands of ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the subcommand.

        Raises:
            BadParameter: exit code 2; an option took the next one for its value.
        """
        written = tuple(args)
        left = super().parse_args(ctx, args)
        _refuse_swallowed(ctx, written)
        return left


def use_everywhere(*apps: typer.Typer) -> None:
    """Make all commands of these groups commands of ours."""
    for each in apps:
        for registered in each.registered_commands:
            registered.cls = Command


def _refuse_swallowed(ctx: Any, written: Sequence[str]) -> None:
    """Refuse a text or path that is an option: its own value was left out.

    What is meant as a value in spite of that is written behind `=`.

    Raises:
        BadParameter: exit code 2, naming the option that lacks its value.
    """
    if ctx.resilient_parsing:  # a shell completes the line: nothing of it is done
        return
    options = [param for param in ctx.command.get_params(ctx) if param.opts[0].startswith("-")]
    known = {flag for param in options for flag in (*param.opts, *param.secondary_opts)}
    for param in options:
        given = ctx.params.get(param.name)
        for value in given if isinstance(given, list | tuple) else (given,):
            if not isinstance(value, str | Path) or str(value) == STDIN:
                continue
            text = str(value)
            is_option = text.startswith("--") or text in known
            if is_option and not any(f"{flag}={text}" in written for flag in param.opts):
                flag = param.opts[-1]
                raise typer.BadParameter(
                    f"{flag} needs a value, and {text} is an option; a value that looks like one"
                    f" is written {flag}={text}",
                    ctx=ctx,
                )


def _print_inconclusive(error: Exception) -> None:
    """Print what ended a command before its result, where that is no fault of its input."""
    from skillwalker.cli.raised import told_of

    told = told_of(error)
    if told is not None and told.exit_code == EXIT_INCONCLUSIVE:
        record = {"schema_version": 1, "verdict": "inconclusive", "error": str(told)}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
