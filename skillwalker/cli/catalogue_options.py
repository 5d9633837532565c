"""The options that choose many targets at once, and what they are held against."""

from dataclasses import dataclass
from typing import Annotated

import typer

All = Annotated[
    bool,
    typer.Option(
        "--all", help="Every target with every suite that has cases for it, under one budget."
    ),
]
Stale = Annotated[
    bool,
    typer.Option(
        "--stale",
        help="Only what changed since it was measured; without a TARGET, of the whole catalogue.",
    ),
]
AgainstRun = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="last|RUN_ID",
        help="Hold it against an earlier run; flipped cases are run again.",
    ),
]
FailOnDrop = Annotated[
    float | None,
    typer.Option(
        "--fail-on-drop",
        metavar="N",
        min=0,
        max=100,
        help="With --against: exit 4 when balanced accuracy fell by N points or more, not by luck.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOptions:
    """Whether a run command takes the whole catalogue."""

    every: All = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """What `measure` takes beside; a run command never writes with them."""

    every: All = False
    stale: Stale = False
    against: AgainstRun = None
    fail_on_drop: FailOnDrop = None
