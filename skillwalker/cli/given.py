"""Which options stand on a command line, where that differs from their defaults."""

from collections.abc import Set

import typer


def given_options(ctx: typer.Context) -> frozenset[str]:
    """Name the parameters that stand on the command line."""
    names = (str(param.name) for param in ctx.command.params)
    sources = ((name, ctx.get_parameter_source(name)) for name in names)
    return frozenset(name for name, source in sources if source and source.name == "COMMANDLINE")


def refuse_settled(
    ctx: typer.Context, given: Set[str], *, may_be_given: Set[str], beside: str, why: str
) -> None:
    """Refuse options that cannot be other than they were.

    Args:
        ctx: of the command.
        given: parameters that stand on its line.
        may_be_given: those that change nothing.
        beside: the option that settles the others.
        why: one clause, for the message.

    Raises:
        BadParameter: exit code 2, naming them.
    """
    settled = [param for param in ctx.command.params if param.name in given - may_be_given]
    if settled:
        flags = ", ".join(param.opts[0] if param.opts else str(param.name) for param in settled)
        raise typer.BadParameter(f"{flags} cannot be given with {beside}: {why}")
