"""The settings of the public functions: names, types, defaults, and what each is for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypedDict

from skillwalker.config import Login
from skillwalker.datatypes.evals import EvalEvent
from skillwalker.datatypes.summary import Event
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import SkillwalkerError
from skillwalker.limits import Limits
from skillwalker.settings import MetricSettings, PriceSettings

StrPath = str | Path
_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")
_RENAMED = {"test": "test_filter"}
"""Flags whose argument has another name."""


class TrialSettings(TypedDict, total=False):
    """What every function that runs trials takes by these names, beside its own signature."""

    concurrency: int
    """Trials at the same time. Default: 4."""
    seed: int
    """Of every random draw. Default: 0."""
    trial_model: str | tuple[str, ...] | None
    """Overrides the model of every case; several (loops only) measure each case under each."""
    max_turns: int
    timeout: float
    """Seconds of a trial."""
    max_trials: int | None
    """Most trials, controls and retries included; 0 spends nothing. Default: no limit."""
    max_undecided: float
    """Share of the trials that may stay undecided before the run stops. Default: 0.1."""
    login: Login
    """Of the improver; its secrets stand in no file. Default: that of the engine, else none."""
    engine_settings: EngineSettings
    """What every engine but the simulated one needs, the login of its trials among it."""
    prices: Sequence[PriceSettings]
    """Of trials and of the improver, whatever the built-in table says."""
    plugin_dirs: Sequence[StrPath]
    """Folders of plugins beside `<repo_root>/plugins`, as in skillwalker.toml."""
    home: StrPath
    """The home in which `user:` targets lie. Default: there are none."""
    temporary: StrPath
    """An existing folder for throw-away copies. Default: the engine's, else the output folder."""
    metrics: Sequence[MetricSettings]
    """What suites may have tracked beside each text. Default: nothing, whatever they name."""
    html: bool
    """Whether report.html is written beside report.md. Default: yes."""


class LoopSettings(TrialSettings, total=False):
    """What `run_scil_loop` and `run_acil_loop` take by these names as well."""

    search: Literal["phases", "race"]
    """How better descriptions are looked for. Default: race; phases where an option of theirs is
    given (max_iterations, holdout, runs_per_query, confirm_runs) or max_trials leaves less than
    four trials a case."""
    max_iterations: int
    """Candidates to measure in phases, the original included. Default: 5."""
    holdout: float
    """Share of the cases that the improver never sees. Default: 0."""
    runs_per_query: int
    """Most runs of a case in one evaluation; odd. Default: 1."""
    model: str
    """Of the improver. Default: opus."""
    improver: Literal["api", "cli", "simulated"]
    """Default: simulated with the simulated engine, else api."""
    gate: float | None
    """Least P(better) for an improvement, default 0.9; None takes the best score unconfirmed."""
    confirm_runs: int
    """Most rounds of original against best. Default: 3."""
    max_loss: float
    """Most that recall or specificity may lose. Default: 0.05."""
    guard_neighbours: bool
    """Whether the rivals' own requests are measured too and may not be taken. Default: no."""
    neighbours: str | Sequence[str]
    """Who stands beside the target: plugin (its siblings), none, or paths. Default: plugin."""
    max_cost_usd: float | None
    """Most US dollars of trials and improver together. Default: no limit."""
    max_pause: float
    """Seconds that pauses for rate limits may take in all. Default: 1800."""
    limits: Limits
    """Of several runs together, with a deadline if there is one; this run shares them."""
    fresh: bool
    """Whether to take over no trial of an earlier run. Default: no."""
    command_env: Mapping[str, str]
    """The whole environment of the commands of metrics. Default: empty."""
    allow_simulated: bool
    """Whether `apply` may write a simulated result. Default: no."""
    listener: Callable[[Event], None]
    """Is told of every step and trial."""


class JudgeSettings(TypedDict, total=False):
    """What `run_test_eval` takes by these names, for the judge."""

    judge: Literal["api", "cli", "simulated"]
    """Default: simulated for a run of the simulated engine, else api."""
    judge_model: str | None
    """That every rubric is graded by. Default: what the suite says, else opus."""
    judge_runs: int
    """How often the judge is asked about a trial; odd. Default: 1."""
    concurrency: int
    """Questions to the judge at the same time. Default: 4."""
    login: Login
    """Of the judge; its secrets stand in no file. Default: that of the engine settings, else none.
    """
    engine_settings: EngineSettings
    """What the judge `cli` needs."""
    max_cost_usd: float | None
    """Most US dollars of all questions together. Default: no limit."""
    max_pause: float
    """Seconds that pauses for rate limits may take in all. Default: 1800."""
    limits: Limits
    """Of several runs together, with a deadline if there is one; this one shares them."""
    prices: Sequence[PriceSettings]
    """Whatever the built-in table says."""


class EvalSettings(TrialSettings, total=False):
    """What `run_evals` takes by these names as well."""

    judge: Literal["api", "cli", "simulated"]
    """Default: simulated with the simulated engine, else api."""
    judge_model: str | None
    """That every rubric is graded by. Default: what the suite says, else opus."""
    judge_runs: int
    """How often the judge is asked about a trial; odd. Default: 1."""

    repeats: int
    """Runs of a case that says nothing of its own; odd. Default: 1."""
    max_cost_usd: float | None
    """Most US dollars of trials and judge together. Default: no limit."""
    max_pause: float
    """Seconds that pauses for rate limits may take in all. Default: 1800."""
    limits: Limits
    """Of several runs together, with a deadline if there is one; this one shares them."""
    unsafe_local: bool
    """Whether real plugins may act on this machine, outside a container. Default: no."""
    listener: Callable[[EvalEvent], None]
    """Is told of every trial."""


@contextmanager
def told_by_name(
    function: str, given: Mapping[str, object], known: Set[str], *own: str
) -> Iterator[None]:
    """Do a function's work, and name its settings in every error as its caller does.

    Args:
        function: the public one.
        given: the settings that it was given.
        known: the settings that it takes.
        own: its other arguments that a flag is called after.

    Raises:
        TypeError: a setting is none of its.
    """
    for name in given:
        if name not in known:
            raise TypeError(
                f"{function}() has no setting {name!r}; it takes {', '.join(sorted(known))}"
            )
    try:
        yield
    except SkillwalkerError as error:
        error.args = (_by_name(str(error), {*known, *own}), *error.args[1:])
        raise


def _by_name(message: str, known: Set[str]) -> str:
    """Write the flags of a message as the arguments that they stand for."""

    def name(flag: re.Match[str]) -> str:
        argument = flag[1].replace("-", "_")
        argument = _RENAMED.get(argument, argument)
        return argument if argument in known else flag[0]

    return _FLAG.sub(name, message)
