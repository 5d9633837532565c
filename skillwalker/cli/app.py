"""The tree of commands, and how a command's end becomes an exit code.

Importing it imports typer and nothing heavier: every command imports what it needs when it runs,
so that `--help` and completion answer at once.
"""

from collections.abc import Sequence

import typer

from skillwalker.cli import (
    checking,
    doctor,
    drafting,
    eval_commands,
    evals,
    files,
    importing,
    improve,
    metric,
    overnight,
    report,
    runs,
    sandbox,
    standin,
    stats,
)
from skillwalker.cli.commands import Group, use_everywhere
from skillwalker.cli.completion import answer, complete_everywhere
from skillwalker.cli.environment import is_completing
from skillwalker.cli.options import JsonOption, ProjectOption, remember
from skillwalker.cli.saying import say

CONTEXT = {"help_option_names": ["-h", "--help"]}


def _group(name: str, summary: str) -> typer.Typer:
    """Make an empty command group."""
    return typer.Typer(
        name=name,
        cls=Group,
        help=summary,
        no_args_is_help=True,
        context_settings=CONTEXT,
        pretty_exceptions_enable=False,
    )


app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    context_settings=CONTEXT,
    pretty_exceptions_enable=False,
    help="Measure whether Claude Code uses your skills and agents, and improve their descriptions.",
)


def _print_version(value: bool) -> None:
    """Print the version and leave."""
    if value:
        from skillwalker import __version__

        typer.echo(f"skillwalker {__version__}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    project: ProjectOption = None,
    as_json: JsonOption = False,
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Remember what was said before the subcommand."""
    remember(ctx, project=project, as_json=as_json, version=version)


scil_app = _group("scil", "Skill Call Improvement Loop: improve a skill's description.")
scil_app.callback()(root)
scil_app.command("run", help="Improve a skill's description.")(improve.scil_run)
acil_app = _group("acil", "Agent Call Improvement Loop: improve an agent's description.")
acil_app.callback()(root)
acil_app.command("run", help="Improve an agent's description.")(improve.acil_run)
evals_app = _group("evals", "Suites of cases: run and score them, list them, print their schema.")
evals_app.callback()(root)
evals_app.command("run", help="Run the cases of suites and evaluate them.")(eval_commands.evals_run)
evals_app.command("score", help="Evaluate a recorded run; runs nothing.")(eval_commands.evals_score)
evals_app.command("list", help="List suites, their cases by type, and targets.")(evals.evals_list)
evals_app.command("schema", help="Print the JSON Schema of tests.json.")(evals.evals_schema)
evals_app.command("import", help="Write other tools' trigger evals as a suite.")(
    importing.evals_import
)
evals_app.command("check", help="Say what is wrong with suites and descriptions.")(
    checking.evals_check
)
evals_app.command("draft", help="Let Claude propose the cases of a new suite.")(
    drafting.evals_draft
)
evals_app.command(
    "mine",
    help="Find cases in your own Claude Code history (~/.claude). Nothing is sent; keys, passwords"
    " and addresses are taken out. A label says what was called then.",
    short_help="Find cases in your own Claude Code history; sends nothing.",
)(drafting.evals_mine)
sandbox_app = _group("sandbox", "The image that the docker engine runs trials in.")
sandbox_app.callback()(root)
sandbox_app.command("build", help="Build the image.")(sandbox.sandbox_build)
sandbox_app.command("status", help="Say whether the docker engine could run.")(
    sandbox.sandbox_status
)
sandbox_app.command("clean", help="Remove abandoned containers and the images.")(
    sandbox.sandbox_clean
)
metric_app = _group("metric", "Verification commands, METRIC lines, and the calibration gate.")
metric_app.callback()(root)
metric_app.command(
    "run",
    help="Run a verification command and read its metric.",
    context_settings=metric.COMMAND_CONTEXT,
)(metric.metric_run)
metric_app.command("extract", help="Read METRIC lines from a file or stdin.")(metric.metric_extract)
metric_app.command("list", help="List the declared metrics.")(metric.metric_list)
metric_app.command("status", help="Show what metrics are worth by their calibrations.")(
    metric.metric_status
)
metric_app.command("calibrate", help="Note a prediction and what came of it.")(
    metric.metric_calibrate
)
for group in (metric_app, scil_app, acil_app, evals_app, sandbox_app):
    app.add_typer(group)
app.command("measure", help="Measure a target; never writes it.")(improve.measure)
app.command("overnight", help="Measure what is stale and improve what is worth it, by one budget.")(
    overnight.overnight
)
app.command("show", help="Show what Claude Code is shown of a skill or agent.")(files.show)
app.command("describe", help="Write a description by hand, with checks and undo.")(files.describe)
app.command("apply", help="Write a recorded run's best description.")(files.apply)
app.command("undo", help="Put back the bytes that a write replaced.")(files.undo)
app.command(
    "doctor",
    help="Say what is missing for a real run, and what mends it. Exit 0 if engine docker or local"
    " could run now, else 1.",
    short_help="Say what is missing for a real run, and what mends it.",
)(doctor.doctor)
app.command("init", help="Write settings and a first suite where there are none.")(doctor.init)
app.command("standin", help="Serve a stand-in for the Claude API on loopback, for dry runs.")(
    standin.standin
)
app.command("trial", help="Show one recorded trial.")(runs.trial)
app.command("stats", help="Sum up all recorded runs.")(stats.stats)
app.command("diff", help="Compare two recorded runs case by case.")(stats.diff)
app.command("report", help="Write a run's report as HTML and Markdown, or an index of all runs.")(
    report.report
)
use_everywhere(app, metric_app, scil_app, acil_app, evals_app, sandbox_app)
complete_everywhere(app, metric_app, scil_app, acil_app, evals_app, sandbox_app)


PROGRAMS = {"skillwalker": app, "scil": scil_app, "acil": acil_app}
"""The commands of each console script; completion asks a script by its own name."""


def run(arguments: Sequence[str], program: str = "skillwalker") -> int:
    """Run one command line and give its exit code.

    Args:
        arguments: without the program's name.
        program: the console script.
    """
    if is_completing(program):
        return answer(PROGRAMS[program], program)
    try:
        code: object = PROGRAMS[program](args=arguments, prog_name=program, standalone_mode=False)
    except typer.TyperException as error:
        from skillwalker.cli.usage import wrong_usage

        message = wrong_usage(error)
        if message:  # without arguments, the help was shown instead
            say(f"skillwalker: {message}", err=True)
        return error.exit_code
    except Exception as error:
        # Loaded only when something was raised: `--help` imports typer and this package alone.
        from skillwalker.cli.raised import told_of

        told = told_of(error)
        if told is None:
            raise
        say(f"skillwalker: {told}", err=True)
        return told.exit_code
    return code if isinstance(code, int) else 0
