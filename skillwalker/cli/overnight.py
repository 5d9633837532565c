"""overnight: measure what is stale, search what is worth it, under one budget and deadline."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from skillwalker.cli.loop_options import (
    AllowSimulated,
    Apply,
    Debug,
    Eval,
    LimitOptions,
    NoHtml,
    Quiet,
    SearchOptions,
    TrialOptions,
)
from skillwalker.cli.option_groups import spread_groups
from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json

StaleOrAll = Annotated[
    bool,
    typer.Option(
        "--stale/--all", help="Measure only what changed since it was measured, or everything."
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="K/N", help="Only the K-th of N parts: one for each of N machines."
    ),
]
MergeFlag = Annotated[
    bool,
    typer.Option(
        "--merge", help="Put nights of several machines together: overnight --merge DIR DIR…"
    ),
]
ResumeNight = Annotated[
    str | None,
    typer.Option("--resume", metavar="ID", help="Go on with a night that ended early."),
]
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[DIR]...", help="With --merge: folders of nights.", show_default=False),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightOptions:
    """What belongs to a night as a whole."""

    stale: StaleOrAll = True
    apply: Apply = False
    allow_simulated: AllowSimulated = False
    shard: Shard = None
    merge: MergeFlag = False
    resume: ResumeNight = None
    no_html: NoHtml = False
    quiet: Quiet = False
    debug: Debug = False
    project: ProjectOption = None
    as_json: JsonOption = False


@spread_groups
def overnight(
    ctx: typer.Context,
    folders: Folders = None,
    suite: Eval = None,
    *,
    search: SearchOptions,
    trials: TrialOptions,
    limits: LimitOptions,
    night: NightOptions,
) -> None:
    """Measure what is stale, then improve what is worth it, under one budget."""
    from skillwalker.cli import night_running
    from skillwalker.cli.night_ending import NightWishes

    opened = open_project(ctx, night.project)
    wishes = NightWishes(
        apply=night.apply,
        allow_simulated=night.allow_simulated,
        html=not night.no_html,
        quiet=night.quiet,
        debug=night.debug,
        as_json=wants_json(ctx, night.as_json),
    )
    if folders and not night.merge:
        raise typer.BadParameter("folders of nights go with --merge")
    if night.merge:
        raise typer.Exit(night_running.merge(ctx, tuple(folders or ()), opened, wishes))
    if night.resume is not None:
        code = night_running.resume(ctx, night.resume, opened, trials, limits, wishes)
        raise typer.Exit(code)
    asked = night_running.NightScope(
        suite=suite, every=not night.stale, shard=night_running.shard_of(night.shard)
    )
    raise typer.Exit(night_running.begin(asked, opened, search, trials, limits, wishes))
