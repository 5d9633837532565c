"""Records of options, spread into a command's parameters."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from skillwalker.cli.option_groups import spread_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """A group of options."""

    colour: Annotated[str, typer.Option("--colour", help="Which.")] = "red"
    layers: Annotated[int, typer.Option("--layers")] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Needy:
    """A group with an option that must be given."""

    colour: str


def test_the_fields_of_a_record_are_options_and_reach_the_command_as_that_record() -> None:
    seen: list[object] = []

    @spread_groups
    def draw(ctx: typer.Context, shape: str = "line", *, paint: Paint) -> None:
        """Draw."""
        seen.append((shape, paint, ctx.info_name))

    app = typer.Typer()
    app.command("draw")(draw)
    result = CliRunner().invoke(app, ["--shape", "dot", "--colour", "blue"], prog_name="draw")
    assert result.exit_code == 0, result.output
    assert seen == [("dot", Paint(colour="blue", layers=1), "draw")]


def test_two_options_of_one_name_are_an_error_when_the_command_is_made() -> None:
    def draw(colour: str = "", *, paint: Paint) -> None:
        del colour, paint

    with pytest.raises(TypeError, match="two options have the same name"):
        spread_groups(draw)


def test_an_option_without_a_default_is_an_error_when_the_command_is_made() -> None:
    def draw(*, paint: Needy) -> None:
        del paint

    with pytest.raises(TypeError, match="the option colour has no default"):
        spread_groups(draw)
