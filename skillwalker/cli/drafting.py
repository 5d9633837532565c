"""evals draft and evals mine: cases without typing, from Claude or from the user's own history."""

from typing import Annotated, Literal

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json

Skill = Annotated[
    str | None, typer.Option("--skill", metavar="TARGET", help="The skill that they are about.")
]
Agent = Annotated[
    str | None, typer.Option("--agent", metavar="TARGET", help="The agent that they are about.")
]
SuiteName = Annotated[
    str | None,
    typer.Option("--suite", metavar="NAME", help="Name of the new suite; default: the target's."),
]
Review = Annotated[
    bool,
    typer.Option("--review", help="Open the draft in $EDITOR first; what you leave is written."),
]


def evals_draft(
    ctx: typer.Context,
    skill: Skill = None,
    agent: Agent = None,
    suite: SuiteName = None,
    count: Annotated[
        int, typer.Option(min=4, max=100, help="Cases; half of them should not trigger.")
    ] = 20,
    improver: Annotated[
        Literal["api", "cli", "simulated"] | None,
        typer.Option(help="Who drafts. Default: api if a key is set, else cli."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model that drafts. Default: opus.")] = None,
    claude: Annotated[
        str | None, typer.Option(metavar="PATH", help="The Claude CLI (improver cli).")
    ] = None,
    max_cost_usd: Annotated[
        float | None,
        typer.Option("--max-cost-usd", metavar="USD", min=0, help="Most money it may take."),
    ] = None,
    review: Review = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it may take; asks nobody.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> int:
    """Let Claude propose cases for a new suite: check them, mark them, let you review them."""
    from skillwalker.cli.draft_running import draft, the_target
    from skillwalker.cli.draft_task import DraftTask

    opened = open_project(ctx, project)
    target = the_target(skill, agent, opened.places)
    task = DraftTask(
        target=target,
        suite=suite or target.name,
        count=count,
        improver=improver,
        model=model,
        claude=claude,
        max_cost_usd=max_cost_usd,
        review=review,
        dry_run=dry_run,
    )
    return draft(opened, task, as_json=wants_json(ctx, as_json))


def evals_mine(
    ctx: typer.Context,
    target: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="The skill or agent; default: the only one there is."),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Prompts from this day or time (UTC) on.")
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write them as this new suite, once you have seen them."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=500, help="Prompts at the most.")] = 40,
    review: Review = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="With --suite: write unseen; look at the file then.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Find prompts in your own Claude Code history (~/.claude); nothing leaves this machine.

    Each is labelled by what Claude called then. Keys, passwords and addresses are taken out.
    """
    from skillwalker.cli.mine_running import MineTask, mine_history
    from skillwalker.cli.moments import moment_said

    if (yes or review) and suite is None:
        raise typer.BadParameter("--yes and --review go with --suite NAME")
    opened = open_project(ctx, project)
    task = MineTask(
        target=target,
        since=moment_said(since),
        suite=suite,
        most=most,
        review=review,
        yes=yes,
    )
    mine_history(opened, task, as_json=wants_json(ctx, as_json))
