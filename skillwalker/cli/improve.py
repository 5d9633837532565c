"""scil run, acil run and measure: one command, with another kind and another last step."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.catalogue_options import AllOptions, MeasureOptions
from skillwalker.cli.loop_options import (
    Eval,
    LimitOptions,
    RunOptions,
    SearchOptions,
    TrialOptions,
    WriteOptions,
)
from skillwalker.cli.option_groups import spread_groups
from skillwalker.cli.options import open_project, wants_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillwalker.cli.endings import Wishes
    from skillwalker.cli.options import Project
    from skillwalker.cli.ordering import Machinery
    from skillwalker.plan import Order

NOTHING_WRITTEN = WriteOptions()


def improve_command(noun: str, run_kind: str) -> Callable[..., None]:
    """Make `scil run` or `acil run`.

    Args:
        noun: skill or agent, the kind of target and the option that names it.
        run_kind: scil or acil, the first word of the run's files.
    """
    target_option = typer.Option(
        f"--{noun}", metavar="TARGET", help=f"The {noun}: plugin:name, project:name or a path."
    )

    def run(
        ctx: typer.Context,
        suite: Eval = None,
        target: Annotated[str | None, target_option] = None,
        *,
        chosen: AllOptions,
        search: SearchOptions,
        trials: TrialOptions,
        limits: LimitOptions,
        write: WriteOptions,
        asked: RunOptions,
    ) -> None:
        from skillwalker.cli import ordering
        from skillwalker.datatypes.vocabulary import TargetKind

        opened, wishes = _opened(ctx, asked, write)
        if asked.resume is not None:
            code = _resume(ctx, opened, run_kind, trials, limits, asked, wishes, more=write.more)
            raise typer.Exit(code)
        ordering.require_resume("--accept-changes", asked.accept_changes)
        ordering.require_resume("--more", write.more is not None)
        machinery = ordering.machinery(opened, trials, improver=search.improver)
        config = ordering.config(opened, trials, limits, search)

        order_for = partial(
            ordering.order, run_kind=run_kind, machinery=machinery, trials=trials, config=config
        )
        if chosen.every:
            refuse_named(target, f"--{noun}")
            from skillwalker.cli import catalogue

            kinds = (TargetKind(noun),)
            whole = catalogue.select_all(opened, kinds=kinds, suite=suite, order_for=order_for)
            raise typer.Exit(
                catalogue.start_selection(whole, opened, machinery, wishes, limits, flag="--all")
            )
        orders = (order_for(kind=TargetKind(noun), suite=suite, target=target),)
        raise typer.Exit(_start(orders, opened, machinery, wishes, limits))

    run.__doc__ = f"Improve the description of one {noun}."
    return spread_groups(run)


scil_run = improve_command("skill", "scil")
acil_run = improve_command("agent", "acil")


@spread_groups
def measure(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TARGET]...", help="Skills or agents; default: the suite's one."),
    ] = None,
    suite: Eval = None,
    *,
    chosen: MeasureOptions,
    trials: TrialOptions,
    limits: LimitOptions,
    asked: RunOptions,
) -> None:
    """Measure how often Claude Code uses a skill or agent; never writes it."""
    from skillwalker.cli import ordering

    opened, wishes = _opened(ctx, asked, NOTHING_WRITTEN)
    wishes = replace(wishes, fail_on_drop=chosen.fail_on_drop)
    if asked.resume is not None:
        raise typer.Exit(_resume(ctx, opened, "measure", trials, limits, asked, wishes))
    ordering.require_resume("--accept-changes", asked.accept_changes)
    if chosen.every:
        refuse_named(targets, "TARGET")
    if chosen.fail_on_drop is not None and chosen.against is None:
        raise typer.BadParameter("--fail-on-drop goes with --against last, or with a RUN_ID")
    machinery = ordering.machinery(opened, trials)
    config = ordering.config(opened, trials, limits)
    order_for = partial(
        ordering.order, run_kind="measure", machinery=machinery, trials=trials, config=config
    )
    code = _measure(targets, suite, chosen, order_for, opened, machinery, wishes, limits)
    raise typer.Exit(code)


def _measure(
    targets: list[str] | None,
    suite: str | None,
    chosen: MeasureOptions,
    order_for: "Callable[..., Order]",
    opened: "Project",
    machinery: "Machinery",
    wishes: "Wishes",
    limits: LimitOptions,
) -> int:
    """Measure the targets that are named, or all there are."""
    from skillwalker.cli import catalogue, ordering
    from skillwalker.datatypes.vocabulary import TargetKind

    if chosen.every or (chosen.stale and not targets):
        flag = "--all" if chosen.every else "--stale"
        whole = catalogue.select_all(
            opened, kinds=tuple(TargetKind), suite=suite, order_for=order_for
        )
        whole = catalogue.narrow(whole, chosen, opened, machinery)
        return catalogue.start_selection(whole, opened, machinery, wishes, limits, flag=flag)
    named = catalogue.Selection(
        orders=tuple(
            order_for(
                kind=ordering.kind_of(opened, target=target, suite=suite),
                suite=suite,
                target=target,
            )
            for target in targets or (None,)
        )
    )
    named = catalogue.without_doubles(named, opened)
    named = catalogue.narrow(named, chosen, opened, machinery)
    if chosen.stale:
        return catalogue.start_selection(named, opened, machinery, wishes, limits, flag=None)
    return _start(named.orders, opened, machinery, wishes, limits)


def refuse_named(targets: object, what: str) -> None:
    """Refuse a target beside --all.

    Raises:
        BadParameter: exit code 2.
    """
    if targets:
        raise typer.BadParameter(f"--all takes every target there is; leave it or {what} out")


def _opened(ctx: typer.Context, asked: RunOptions, write: WriteOptions) -> "tuple[Project, Wishes]":
    """Open the project, and say what is to be done with the results."""
    from skillwalker.cli import ordering
    from skillwalker.cli.endings import Wishes
    from skillwalker.cli.output_file import output_file

    opened = open_project(ctx, asked.project)
    return opened, Wishes(
        as_json=wants_json(ctx, asked.as_json),
        quiet=asked.quiet,
        debug=asked.debug,
        apply=write.apply,
        allow_simulated=write.allow_simulated,
        require_improvement=write.require_improvement,
        fail_under=ordering.fraction("--fail-under", asked.fail_under),
        html=not asked.no_html,
        junit=output_file("--junit", asked.junit, project=opened.places.project),
    )


def _start(
    orders: "Sequence[Order]",
    opened: "Project",
    machinery: "Machinery",
    wishes: "Wishes",
    limits: LimitOptions,
) -> int:
    """Do what was ordered under one budget, or only say what that would take."""
    from skillwalker.cli import caps, planning, running

    shared = caps.open_limits(
        opened, limits, orders[0].config, machinery.choice, machinery.improver
    )
    if limits.dry_run:
        return planning.show_plans(orders, opened, machinery, as_json=wishes.as_json)
    return running.run(orders, opened, machinery, wishes, shared)


def _resume(
    ctx: typer.Context,
    opened: "Project",
    run_kind: str,
    trials: TrialOptions,
    limits: LimitOptions,
    asked: RunOptions,
    wishes: "Wishes",
    *,
    more: int | None = None,
) -> int:
    """Go on with a run of before."""
    from skillwalker.cli import resuming

    return resuming.resume(
        ctx,
        opened,
        asked.resume or "",
        run_kind=run_kind,
        concurrency=trials.concurrency,
        limits=limits,
        accept_changes=asked.accept_changes,
        more=more,
        wishes=wishes,
    )
