"""The options of scil run, acil run and measure, each said once, and the records they come in.

About ten stand under "Options" in `--help`, what most people need; the rest is "Advanced".
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from skillwalker.cli.options import JsonOption, ProjectOption

SEARCH = "Advanced: search"
GATE = "Advanced: gate"
TRIALS = "Advanced: trials"
LIMITS = "Advanced: limits"
RESULT = "Advanced: result"

Eval = Annotated[str | None, typer.Option("--eval", metavar="SUITE", help="The suite.")]
Search = Annotated[
    Literal["phases", "race"] | None,
    typer.Option(
        help="phases measures every text on every case; race spends each trial where it says most."
        " Default: race, or phases with an option of theirs or under four trials a case.",
        rich_help_panel=SEARCH,
    ),
]
MaxIterations = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Candidates to measure, the original included (phases). Default: 5.",
        rich_help_panel=SEARCH,
    ),
]
Holdout = Annotated[
    float | None,
    typer.Option(
        help="Share of the cases that the improver never sees. Default: 0.", rich_help_panel=SEARCH
    ),
]
RunsPerQuery = Annotated[
    int | None,
    typer.Option(
        help="Most runs of a case in one evaluation; odd (phases). Default: 1.",
        rich_help_panel=SEARCH,
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--model", help="Model of the improver. Default: opus.", rich_help_panel=SEARCH),
]
TrialModel = Annotated[
    list[str] | None,
    typer.Option(
        "--trial-model",
        metavar="MODEL",
        help="Model of every trial, whatever the cases say; repeated: each case under each.",
        rich_help_panel=SEARCH,
    ),
]
Seed = Annotated[int, typer.Option(help="Of all random draws.", rich_help_panel=SEARCH)]
Gate = Annotated[
    float,
    typer.Option("--gate", metavar="P", help="Least P(better) to improve.", rich_help_panel=GATE),
]
NoGate = Annotated[
    bool, typer.Option("--no-gate", help="Take the best score unconfirmed.", rich_help_panel=GATE)
]
ConfirmRuns = Annotated[
    int | None,
    typer.Option(
        help="Most rounds of original against best (phases). Default: 3.", rich_help_panel=GATE
    ),
]
MaxLoss = Annotated[
    float,
    typer.Option(help="Most that recall or specificity may lose.", rich_help_panel=GATE),
]
GuardNeighbours = Annotated[
    bool,
    typer.Option(
        "--guard-neighbours",
        help="Measure the siblings' own cases too; refuse a text that takes them.",
        rich_help_panel=GATE,
    ),
]
Engine = Annotated[
    Literal["docker", "local", "simulated"] | None,
    typer.Option(help="What runs a trial. Default: docker if it is ready, else local."),
]
Improver = Annotated[
    Literal["api", "cli", "simulated"] | None,
    typer.Option(help="Who proposes descriptions.", rich_help_panel=TRIALS),
]
Neighbours = Annotated[
    list[str] | None,
    typer.Option(
        metavar="plugin|none|PATH",
        help="Rivals installed beside the target; repeatable. Default: plugin, its siblings.",
        rich_help_panel=TRIALS,
    ),
]
Listing = Annotated[
    Literal["real", "roomy"],
    typer.Option(help="roomy lifts the listing budget; labelled.", rich_help_panel=TRIALS),
]
Claude = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The Claude CLI (engine local).", rich_help_panel=TRIALS),
]
MaxTurns = Annotated[int, typer.Option(help="Model turns of a trial.", rich_help_panel=TRIALS)]
Timeout = Annotated[float, typer.Option(help="Seconds of a trial.", rich_help_panel=TRIALS)]
Concurrency = Annotated[int, typer.Option(help="Trials at the same time.", rich_help_panel=TRIALS)]
MaxTrials = Annotated[
    int | None,
    typer.Option(
        help="Most trials, controls and retries included; 0 spends nothing.",
    ),
]
MaxCostUsd = Annotated[
    float | None,
    typer.Option(
        "--max-cost-usd",
        metavar="USD",
        help="Most money of all calls: none starts that might pass it; estimated where not known.",
    ),
]
Deadline = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN",
        help="Nothing starts after it: 07:30 (the next one), 90m or 2h30m.",
        rich_help_panel=LIMITS,
    ),
]
MaxPause = Annotated[
    str | None,
    typer.Option(
        metavar="SPAN",
        help="How long rate limits may pause it in all. Default: 30m.",
        rich_help_panel=LIMITS,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Show plan, trials, money and hours at worst; spends nothing."),
]
Apply = Annotated[bool, typer.Option("--apply", help="Write an improved description.")]
AllowSimulated = Annotated[
    bool,
    typer.Option(
        "--allow-simulated", help="Write even what was only simulated.", rich_help_panel=RESULT
    ),
]
RequireImprovement = Annotated[
    bool,
    typer.Option("--require-improvement", help="Exit 4 unless improved.", rich_help_panel=RESULT),
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        metavar="RATE",
        help="Exit 4 when the file's balanced accuracy is lower (0 to 1), 3 when it has none.",
        rich_help_panel=RESULT,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Take over no trial of an earlier run.", rich_help_panel=TRIALS),
]
More = Annotated[
    int | None,
    typer.Option(
        "--more",
        metavar="N",
        min=1,
        help="With --resume: N further confirm rounds of a finished run.",
        rich_help_panel=GATE,
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume",
        metavar="RUN_ID",
        help="Go on with a run that ended early, in its own folder.",
    ),
]
AcceptChanges = Annotated[
    bool,
    typer.Option(
        "--accept-changes",
        help="Resume although suite, target, siblings or CLI changed.",
        rich_help_panel=RESULT,
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the cases as JUnit XML. Missing folders are made in the project and here.",
        rich_help_panel=RESULT,
    ),
]
NoHtml = Annotated[
    bool, typer.Option("--no-html", help="Write no report.html.", rich_help_panel=RESULT)
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Only the result.", rich_help_panel=RESULT)]
Debug = Annotated[
    bool, typer.Option("--debug", help="Log what is done, to stderr.", rich_help_panel=RESULT)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How better descriptions are looked for; measure looks for none."""

    search: Search = None
    max_iterations: MaxIterations = None
    holdout: Holdout = None
    model: Model = None
    improver: Improver = None
    gate: Gate = 0.9
    no_gate: NoGate = False
    confirm_runs: ConfirmRuns = None
    max_loss: MaxLoss = 0.05
    guard_neighbours: GuardNeighbours = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOptions:
    """How a trial is run."""

    runs_per_query: RunsPerQuery = None
    trial_model: TrialModel = None
    seed: Seed = 0
    engine: Engine = None
    neighbours: Neighbours = None
    listing: Listing = "real"
    claude: Claude = None
    max_turns: MaxTurns = 4
    timeout: Timeout = 180.0
    concurrency: Concurrency = 4
    fresh: Fresh = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitOptions:
    """What may be spent."""

    max_cost_usd: MaxCostUsd = None
    max_trials: MaxTrials = None
    deadline: Deadline = None
    max_pause: MaxPause = None
    dry_run: DryRun = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """What happens with an improved description, or may improve it; scil and acil run only."""

    more: More = None
    apply: Apply = False
    allow_simulated: AllowSimulated = False
    require_improvement: RequireImprovement = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What every recorded run takes."""

    resume: Resume = None
    accept_changes: AcceptChanges = False
    fail_under: FailUnder = None
    junit: Junit = None
    no_html: NoHtml = False
    quiet: Quiet = False
    debug: Debug = False
    project: ProjectOption = None
    as_json: JsonOption = False
