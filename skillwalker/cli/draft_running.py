"""What evals draft does once its options are read."""

import json
from functools import partial
from math import fsum
from shlex import quote

import anyio
import typer

from skillwalker.cli.draft_task import SIMULATED, Drafter, DraftTask
from skillwalker.cli.engines import engine_settings, payer_of
from skillwalker.cli.named_files import target_asked
from skillwalker.cli.options import Project
from skillwalker.cli.process import EXIT_INTERRUPTED
from skillwalker.cli.reviewing import as_text, keep, require_editor, review
from skillwalker.cli.saying import say
from skillwalker.cli.signals import run_watched
from skillwalker.cli.usage import named
from skillwalker.completers.limited import LimitedCompleter
from skillwalker.completers.protocol import resolve_model
from skillwalker.completers.registry import open_completer
from skillwalker.counting import counted
from skillwalker.datatypes.drafts import Draft, DraftKind, DraftRequest
from skillwalker.datatypes.inputs import Suite, Target
from skillwalker.datatypes.vocabulary import Purpose, TargetKind
from skillwalker.drafting.draft import MAX_CALLS, draft_cases, make_request
from skillwalker.drafting.suite import as_new_cases
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import BudgetReached, CompletionError, ConfigError, SuiteError, TargetError
from skillwalker.estimate.guess import cold_cost, make_prior, require_prices
from skillwalker.limits import Limits
from skillwalker.paths import Places, in_project
from skillwalker.prices import prices_by_model
from skillwalker.report.wording import NOBODY_PAYS
from skillwalker.standin.server import is_standin
from skillwalker.suites.new_suite import require_new, suite_values, tests_file, write_suite
from skillwalker.targets.kind import KINDS
from skillwalker.targets.known import known_targets
from skillwalker.targets.names import named_siblings, written_in_suites

GRACE = 180.0
"""Seconds that an answer may take behind a deadline: as many as a trial."""


def the_target(skill: str | None, agent: str | None, places: Places) -> Target:
    """Find the target: what is named, else the only one there is.

    Raises:
        TargetError: none is named, and there is not one alone.
    """
    asked = target_asked(skill, agent, places)
    if asked is not None:
        return asked
    known = [target for kind in TargetKind for target in known_targets(places, kind)]
    if len(known) == 1:
        return known[0]
    if not known:
        raise TargetError("the project has no skill and no agent yet; name one by --skill PATH")
    names = ", ".join(f"{KINDS[each.kind].option} {each.id}" for each in known)
    raise TargetError(f"say which skill or agent is meant: {names}")


def draft(opened: Project, task: DraftTask, *, as_json: bool) -> int:
    """Draft a suite, tell what was written and what it cost; give the exit code.

    Raises:
        SkillwalkerError: the suite exists, nobody can be asked, or nothing usable came.
    """
    places = opened.places
    require_new(task.suite, places)
    editor = require_editor() if task.review else ()
    told = engine_settings(opened, concurrency=1, claude=task.claude)
    drafter = _drafter(opened, task, told)
    if task.dry_run:
        payer = payer_of(drafter.improver, told)
        most = _worst_cost(opened, drafter)
        return _tell_plan(task, drafter, most, payer, as_json=as_json)
    completer = _completer(opened, task, drafter, told)
    say(f"drafting {counted(task.count, 'case')} for {task.target.id}: {_who(drafter)}", err=True)
    request = make_request(task.target, named_siblings(task.target, places), count=task.count)
    drafted = _ask(request, completer, standin=drafter.standin)
    if drafted is None:
        return EXIT_INTERRUPTED
    values = _values(drafted, drafter, task.target, places)
    left = review(values, editor) if editor else values
    suite = _write(task.suite, left, places) if left is not None else None
    _tell(drafted, drafter, task, suite, places, as_json=as_json)
    return EXIT_INTERRUPTED if completer.limits.interrupted else 0


def _drafter(opened: Project, task: DraftTask, told: EngineSettings) -> Drafter:
    """Choose who is asked.

    Raises:
        ConfigError: the money is limited and the model's price is not known.
    """
    login, settings = told.login, opened.settings
    improver = task.improver or ("api" if login.api_key or login.auth_token else "cli")
    model = named("--model", task.model) or settings.models.improver or "opus"
    standin = improver != SIMULATED and is_standin(login.base_url or "")
    drafter = Drafter(improver=improver, model=resolve_model(model), standin=standin)
    if task.max_cost_usd is not None and not drafter.is_free:
        require_prices([drafter.model], settings.prices)
    return drafter


def _completer(
    opened: Project, task: DraftTask, drafter: Drafter, told: EngineSettings
) -> LimitedCompleter:
    """Open who is asked, under the limit of money.

    Raises:
        ConfigError: there is no login, or no CLI.
    """
    if not (drafter.is_free or told.access.is_set):
        raise ConfigError(
            f"improver {drafter.improver}: there is no login for Claude; set ANTHROPIC_API_KEY"
            " (skillwalker doctor says what else will do), or add"
            f" --improver {SIMULATED} for ready sentences, free"
        )
    prices = opened.settings.prices
    free = [Purpose.IMPROVER] if drafter.is_free else []
    return LimitedCompleter(
        inner=open_completer(
            drafter.improver, model=drafter.model, login=told.login, settings=told, prices=prices
        ),
        limits=Limits(max_cost_usd=task.max_cost_usd, prior=make_prior(prices, free=free)),
        purpose=Purpose.IMPROVER,
        model=drafter.model,
        grace=GRACE,
    )


def _worst_cost(opened: Project, drafter: Drafter) -> float | None:
    """Reckon what every question may cost together; None where the price is not known."""
    if drafter.is_free:
        return 0.0
    one = cold_cost(Purpose.IMPROVER, drafter.model, prices_by_model(opened.settings.prices))
    return None if one is None else one * MAX_CALLS


def _ask(request: DraftRequest, completer: LimitedCompleter, *, standin: bool) -> Draft | None:
    """Ask, and say what it cost however it ends.

    Raises:
        CompletionError: nothing usable came, or a limit forbids to ask.
    """
    limits = completer.limits
    work = partial(draft_cases, request, completer=completer)
    try:
        return anyio.run(run_watched, work, limits)
    except BudgetReached as reached:
        remedy = f"; raise {reached.flag}" if reached.flag else ""
        raise CompletionError(f"{reached}{remedy}; nothing was written") from reached
    finally:
        unknown = limits.reckoned_calls
        doubt = (
            f", of which {unknown} call{'s are' if unknown > 1 else ' is'} reckoned"
            if unknown
            else ""
        )
        spent = NOBODY_PAYS if standin else f"spent ${limits.cost_usd:.4f}{doubt}"
        say(spent, err=True)


def _values(drafted: Draft, drafter: Drafter, target: Target, places: Places) -> dict[str, object]:
    cases = as_new_cases(drafted.cases, *([SIMULATED] if drafter.is_simulated else []))
    return suite_values(cases, target, written_in_suites(target, places), places)


def _write(name: str, values: dict[str, object], places: Places) -> Suite:
    """Write the suite; what was paid for or edited is kept if it is refused."""
    try:
        return write_suite(name, places, lambda _folder: values)
    except SuiteError as error:
        raise SuiteError(f"{error}\n{keep(as_text(values))}") from error


def _who(drafter: Drafter) -> str:
    if drafter.standin:
        return f"SIMULATED, a stand-in answers in the place of {drafter.model}"
    if drafter.is_free:
        return "SIMULATED, ready sentences with the target's own words; no model is asked"
    return f"{drafter.model} is asked, by improver {drafter.improver}"


def _tell_plan(
    task: DraftTask, drafter: Drafter, most: float | None, payer: str, *, as_json: bool
) -> int:
    if as_json:
        record = {
            "suite": task.suite,
            "target": task.target.id,
            "improver": drafter.improver,
            "model": None if drafter.is_free else drafter.model,
            "simulated": drafter.is_simulated,
            "payer": payer,
            "calls": MAX_CALLS,
            "cost_usd": most,
        }
        typer.echo(json.dumps(record, ensure_ascii=False))
        return 0
    price = "a price that is not known" if most is None else f"about ${most:.2f}"
    say(
        f"suite {task.suite}: {counted(task.count, 'case')} for {task.target.id}; {_who(drafter)}; "
        f"at most {MAX_CALLS} calls, {price}, paid by {payer}; nothing was asked"
    )
    return 0


def _tell(
    drafted: Draft,
    drafter: Drafter,
    task: DraftTask,
    suite: Suite | None,
    places: Places,
    *,
    as_json: bool,
) -> None:
    path = None if suite is None else tests_file(suite.name, places)
    for refused in drafted.refused:
        say(f"not taken: {refused.fault}", err=True)
    if drafted.cut is not None:
        say(f"fewer than asked for: {drafted.cut}", err=True)
    if as_json:
        typer.echo(json.dumps(_record(drafted, drafter, task, path), ensure_ascii=False))
    elif suite is None:
        say("nothing was left; nothing was written")
    else:
        say(f"{path}: {_counts(suite)}, each tagged drafted: read them before you run them")
    if path is not None:
        asked = f"{quote(task.target.id)} --eval {quote(task.suite)}"
        command = f"skillwalker measure {asked} --dry-run"
        say(f"next: {in_project(command, places.said)}", err=True)


def _counts(suite: Suite) -> str:
    """Count what was written: after a review it is not what was drafted."""
    tags = [case.tags for case in suite.cases]
    near, jobs = (sum(str(kind) in each for each in tags) for kind in list(DraftKind)[1:])
    rest = len(suite.cases) - near - jobs
    counts = {"should trigger": rest, "near misses": near, "siblings' jobs": jobs}
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)


def _record(
    drafted: Draft, drafter: Drafter, task: DraftTask, path: str | None
) -> dict[str, object]:
    usage = [exchange.usage for exchange in drafted.exchanges]
    costs = [each.cost_usd for each in usage]
    return {
        "suite": task.suite,
        "path": path,
        "target": task.target.id,
        "improver": drafter.improver,
        "model": drafted.exchanges[-1].model if drafted.exchanges else None,
        "simulated": drafter.is_simulated,
        "cases": [
            {
                "prompt": case.prompt,
                "should_trigger": case.should_trigger,
                "kind": str(case.kind),
                "preferred": case.sibling,
            }
            for case in drafted.cases
        ],
        "refused": [{"prompt": each.prompt, "fault": each.fault} for each in drafted.refused],
        "cut": drafted.cut,
        "usage": {
            "calls": len(usage),
            "input_tokens": sum(each.input_tokens for each in usage),
            "output_tokens": sum(each.output_tokens for each in usage),
            "cost_usd": fsum(cost for cost in costs if cost is not None),
            "cost_unknown_calls": sum(cost is None for cost in costs),
        },
    }
