"""Many targets in one command: --all, --stale, --against; one budget, one run folder each."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import typer

from skillwalker.catalogue import Broken, read_catalogue
from skillwalker.cli import caps, planning, running
from skillwalker.cli.catalogue_options import MeasureOptions
from skillwalker.cli.endings import Wishes
from skillwalker.cli.engines import look_at_engine
from skillwalker.cli.environment import can_ask
from skillwalker.cli.finishing import finishing
from skillwalker.cli.loop_options import LimitOptions
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.cli.process import EXIT_INTERRUPTED
from skillwalker.cli.saying import say
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import SkillwalkerError, SuiteError
from skillwalker.limits import Limits
from skillwalker.overnight.standing import Claude, look_at
from skillwalker.plan import Order, plan_order
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.store import find_run
from skillwalker.statistics.last_runs import alike, find_last_runs, require_alike
from skillwalker.targets.names import resolve_target

LAST = "last"
FRESH = "nothing that it depends on changed since it was measured"
FAULT = 1
"""Exit code of a suite that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a command is to run, and what it leaves out."""

    orders: tuple[Order, ...]
    broken: tuple[Broken, ...] = ()
    fresh: tuple[Order, ...] = ()
    """Left out, since their rates still hold."""


def require_cap(limits: Limits, *, what: str) -> None:
    """Refuse to spend without a bound where nobody watches.

    Args:
        limits: of the whole command.
        what: the option or command that needs one.

    Raises:
        BadParameter: exit code 2.
    """
    if not limits.has_cap and not can_ask():
        raise typer.BadParameter(
            f"{what} without a terminal needs --max-cost-usd or --max-trials (or a budget in"
            " skillwalker.toml): nobody is there to stop it"
        )


def select_all(
    opened: Project,
    *,
    kinds: Sequence[TargetKind],
    suite: str | None,
    order_for: Callable[..., Order],
) -> Selection:
    """Order a run for every target with each suite that has cases for it.

    Args:
        opened: the project.
        kinds: of the targets that are wanted.
        suite: only this one.
        order_for: makes the order of a `kind`, a `suite` and a `target`.

    Raises:
        SuiteError: there is nothing to run at all.
    """
    found = read_catalogue(opened.places, kinds=kinds, suite=suite)
    if not found.entries:
        raise SuiteError("\n".join((_nothing(kinds), *map(_broken_line, found.broken))))
    orders = (
        order_for(kind=entry.kind, suite=entry.suite, target=entry.path) for entry in found.entries
    )
    # Each race plans with its own cases; the cap is what they share.
    shared = tuple(replace(one, config=replace(one.config, race_trials=None)) for one in orders)
    return Selection(orders=shared, broken=found.broken)


def narrow(
    selection: Selection, chosen: MeasureOptions, opened: Project, machinery: Machinery
) -> Selection:
    """Leave out what is fresh, and name the run that each is held against, where that is asked.

    Raises:
        EngineUnavailableError: no trial can run.
        StoreError: the named run cannot be compared; or the lock file cannot be read.
        BadParameter: a named run is held against several targets.
    """
    if not chosen.stale and chosen.against is None:
        return selection
    facts = look_at_engine(machinery.choice, machinery.settings)
    if chosen.stale:
        selection = _only_stale(selection, opened, machinery, facts)
    if chosen.against is None:
        return selection
    if chosen.against != LAST:
        one = _against_named(selection.orders, chosen.against, opened, machinery, facts)
        return replace(selection, orders=one)
    return replace(selection, orders=_against_last(selection.orders, opened, machinery, facts))


def without_doubles(selection: Selection, opened: Project) -> Selection:
    """Take a target once that was named twice, however it was written, and say so."""
    kept: dict[object, Order] = {}
    for order in selection.orders:
        key = _file_of(order, opened), order.suite
        if key in kept:
            first = kept[key].target
            note = "" if first == order.target else f", as {first}"
            say(f"note: {order.target} was named before{note}; measured once", err=True)
        kept.setdefault(key, order)
    return replace(selection, orders=tuple(kept.values()))


def _file_of(order: Order, opened: Project) -> object:
    """Find the file that a written target means; one that cannot be found is its own."""
    try:
        return resolve_target(order.target or "", order.kind, opened.places).path.resolve()
    except SkillwalkerError:  # its run will say so
        return order.target


def run_selection(
    selection: Selection, opened: Project, machinery: Machinery, wishes: Wishes, limits: Limits
) -> int:
    """Do all runs under one budget, then name what could not be run; give the exit code."""
    with finishing(limits) as finish:
        ran = running.run_catalogue(selection.orders, opened, machinery, wishes, finish)
        _tell(selection, ran, wishes)
        return EXIT_INTERRUPTED if ran.left and limits.interrupted else finish.code(ran.exit_code)


def _tell(selection: Selection, ran: running.Ran, wishes: Wishes) -> None:
    """Tell what was run, and what was not."""
    if selection.broken:
        ran.codes.append(FAULT)
    if wishes.as_json:
        left = [_row(one, FRESH) for one in selection.fresh]
        left += [_row(one, "a limit ended the command before its turn") for one in ran.left]
        typer.echo(
            json.dumps(
                {
                    "runs": ran.records,
                    "left_out": left,
                    "failed": [_row(one, reason) for one, reason in ran.failed],
                    "broken": [{"suite": b.suite, "reason": b.reason} for b in selection.broken],
                },
                ensure_ascii=False,
                indent=2,
            )
        )
    _say_left(selection, ran)


def start_selection(
    selection: Selection,
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    limits: LimitOptions,
    *,
    flag: str | None,
) -> int:
    """Do what was selected, or only say what that would take.

    Args:
        selection: what is to be run.
        opened: the project.
        machinery: what runs the trials.
        wishes: what is to be done with the results.
        limits: as they were given.
        flag: the option that asked for everything; None where targets were named.

    Raises:
        BadParameter: exit code 2; nothing bounds what is spent, and nobody watches.
    """
    if not selection.orders:
        return run_selection(selection, opened, machinery, wishes, Limits())
    config = selection.orders[0].config
    shared = caps.open_limits(opened, limits, config, machinery.choice, machinery.improver)
    if limits.dry_run:
        return planning.show_all_plans(
            selection.orders, selection.broken, opened, machinery, as_json=wishes.as_json
        )
    if flag is not None:
        require_cap(shared, what=flag)
    return run_selection(selection, opened, machinery, wishes, shared)


def _only_stale(
    selection: Selection, opened: Project, machinery: Machinery, facts: EngineFacts
) -> Selection:
    """Leave out what nothing changed for; what cannot be looked at is left to its run to name."""
    claude = Claude(
        cli_version=facts.cli_version,
        simulated=facts.simulated,
        listing_budget=machinery.settings.listing_budget,
    )
    known = read_lock(opened.places.project)
    stale: list[Order] = []
    fresh: list[Order] = []
    for order in selection.orders:
        try:
            is_stale = look_at(order, opened.places, claude, known).is_stale
        except SkillwalkerError:
            is_stale = True
        (stale if is_stale else fresh).append(order)
    return replace(selection, orders=tuple(stale), fresh=tuple(fresh))


def _against_last(
    orders: Sequence[Order], opened: Project, machinery: Machinery, facts: EngineFacts
) -> tuple[Order, ...]:
    """Name each target's newest run that can be compared; one that has none is only measured."""
    runs = find_last_runs(opened.places.output_dir)
    found: list[Order] = []
    for order in orders:
        try:
            plan = plan_order(
                order, opened.places, listing_budget=machinery.settings.listing_budget
            )
        except SkillwalkerError:  # its run will say so
            found.append(order)
            continue
        last = runs.get(alike(plan, facts))
        if last is None:
            say(
                f"warning: {plan.target.id} (suite {plan.suite}): there is nothing to compare with:"
                " no earlier run on this engine, endpoint and permission mode measured it",
                err=True,
            )
        found.append(replace(order, against=None if last is None else last.name))
    return tuple(found)


def _against_named(
    orders: Sequence[Order],
    run_id: str,
    opened: Project,
    machinery: Machinery,
    facts: EngineFacts,
) -> tuple[Order, ...]:
    """Hold the one target against a named run.

    Raises:
        BadParameter: there are several targets.
        StoreError: there is no such run, or it cannot be compared.
    """
    if len(orders) > 1:
        raise typer.BadParameter(
            f"--against {run_id} names one run, and {len(orders)} targets are to be measured;"
            " give one TARGET, or --against last"
        )
    folder = find_run(opened.places.output_dir, run_id)
    for order in orders:
        plan = plan_order(order, opened.places, listing_budget=machinery.settings.listing_budget)
        require_alike(folder, alike(plan, facts))
    return tuple(replace(order, against=folder.name) for order in orders)


def _nothing(kinds: Sequence[TargetKind]) -> str:
    """Say that there is nothing to run."""
    what = f"a {kinds[0].value}" if kinds == (TargetKind.SKILL,) else "an agent"
    wanted = what if len(kinds) == 1 else "a skill or an agent"
    return f"no suite has cases for {wanted}; 'skillwalker evals list' shows what there is"


def _broken_line(broken: Broken) -> str:
    return f"suite {broken.suite} cannot be measured: {broken.reason}"


def _row(order: Order, reason: str) -> dict[str, object]:
    return {"target": order.target, "suite": order.suite, "reason": reason}


def _say_left(selection: Selection, ran: running.Ran) -> None:
    """Tell what was not run, and why."""
    for order in ran.left:
        say(f"not run: {order.target} (suite {order.suite}): a limit came first", err=True)
    for broken in selection.broken:
        say(f"skillwalker: {_broken_line(broken)}", err=True)
    if selection.fresh:
        names = ", ".join(f"{one.target} (suite {one.suite})" for one in selection.fresh)
        say(f"left out, {len(selection.fresh)} fresh ({FRESH}): {names}", err=True)
