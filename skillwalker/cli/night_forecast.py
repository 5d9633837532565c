"""overnight --dry-run: what a night would measure and search, and its worst case."""

import json
from collections.abc import Sequence

import typer

from skillwalker.catalogue import Broken
from skillwalker.cli.engines import look_at_engine
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.cli.saying import say, say_report
from skillwalker.errors import EngineUnavailableError
from skillwalker.estimate.nights import Intention
from skillwalker.overnight.intentions import intend
from skillwalker.overnight.journal import NightTask
from skillwalker.overnight.living import choose_entries
from skillwalker.overnight.standing import Claude
from skillwalker.recording.lock_file import read_lock
from skillwalker.report.night_text import forecast_lines
from skillwalker.report.wording import SIMULATED


def show_forecast(task: NightTask, opened: Project, machinery: Machinery, *, as_json: bool) -> int:
    """Print what a night would do and take at the most; give the exit code.

    Raises:
        SuiteError: the suites' folder cannot be read.
        StoreError: the lock file cannot be read.
    """
    entries, broken = choose_entries(task, opened.places)
    claude = _claude(machinery)
    intentions = tuple(
        intend(
            task,
            entries,
            opened.places,
            claude,
            read_lock(opened.places.project),
            opened.settings.prices,
        )
    )
    config = task.template.config
    if as_json:
        record = _record(intentions, broken, task) | {"simulated": claude.simulated}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        lines = forecast_lines(
            intentions, max_trials=config.max_trials, max_cost_usd=config.max_cost_usd
        )
        say_report("\n".join((*lines, *((SIMULATED,) if claude.simulated else ()))))
    for one in broken:
        say(f"broken: suite {one.suite}: {one.reason}", err=True)
    return 1 if broken or any(one.is_faulty for one in intentions) else 0


def _claude(machinery: Machinery) -> Claude:
    """Say which Claude Code would run the trials; without one, everything counts as stale."""
    version, simulated = "", machinery.choice.name == "simulated"
    try:
        facts = look_at_engine(machinery.choice, machinery.settings)
        version, simulated = facts.cli_version, facts.simulated
    except EngineUnavailableError as error:
        say(f"warning: no trial could run now ({error}); everything counts as stale", err=True)
    return Claude(
        cli_version=version,
        simulated=simulated,
        listing_budget=machinery.settings.listing_budget,
    )


def _record(
    intentions: Sequence[Intention], broken: Sequence[Broken], task: NightTask
) -> dict[str, object]:
    """Make the JSON object of a forecast."""
    work = [one for intention in intentions for one in intention.work]
    dollars = [one.estimate.worst_usd for one in work]
    config = task.template.config
    return {
        "dry_run": True,
        "targets": [
            {
                "target": one.entry.target,
                "path": one.entry.path,
                "suite": one.entry.suite,
                "reason": one.reason,
                "work": [
                    {
                        "stage": part.stage,
                        "condition": part.condition,
                        "trials": part.estimate.trials,
                        "worst_trials": part.estimate.worst_trials,
                        "worst_usd": part.estimate.worst_usd,
                    }
                    for part in one.work
                ],
            }
            for one in intentions
        ],
        "broken": [{"suite": one.suite, "reason": one.reason} for one in broken],
        "trials": sum(one.estimate.trials for one in work),
        "worst_trials": sum(one.estimate.worst_trials for one in work),
        "worst_usd": None if None in dollars else sum(filter(None, dollars)),
        "max_trials": config.max_trials,
        "max_cost_usd": config.max_cost_usd,
    }
