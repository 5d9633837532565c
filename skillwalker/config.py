"""The settings of a run: frozen, and checked when they are built."""

from dataclasses import dataclass, field, fields
from math import inf
from numbers import Integral, Real
from typing import Union, get_args

from skillwalker.errors import ConfigError

DEFAULT_CASE_MODEL = "sonnet"
MAX_PAUSE = 1_800.0
"""Seconds that pauses for rate limits may take in all, where nobody says otherwise."""
SHORTEST_SECRET = 8
"""Characters under which a key is a placeholder: taking "x" out of a record would wreck it."""
_UNFLAGGED = {"max_undecided": "max_undecided", "race_trials": "race_trials"}
"""Settings that no flag sets."""
SEARCHES = ("auto", "phases", "race")
MAX_DESCRIPTION_UNITS = 1024
"""UTF-16 units of a description. Source: the upload limit of Agent Skills (agentskills.io)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How requests are paid for; a secret is never part of a message or a file."""

    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    oauth_token: str | None = field(default=None, repr=False)
    base_url: str | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not stand in any file we write; a placeholder of a few letters is none."""
        given = (self.api_key, self.auth_token, self.oauth_token)
        return tuple(secret for secret in given if secret and len(secret) >= SHORTEST_SECRET)


def _require_numbers(config: Union["LoopConfig", "EvalConfig"]) -> None:
    """Refuse what is no number where one is due: a range could not be told of it.

    Raises:
        ConfigError: a value is of another type; the message names the flag.
    """
    # what follows from another setting comes after it, so that the one that was given is named
    for setting in sorted(fields(config), key=lambda each: each.name in _UNFLAGGED):
        value = getattr(config, setting.name)
        kinds = get_args(setting.type) or (setting.type,)
        number = next((kind for kind in kinds if kind in (int, float)), None)
        if number is None or (value is None and type(None) in kinds):
            continue
        due, words = (Integral, "a whole number") if number is int else (Real, "a number")
        if isinstance(value, bool) or not isinstance(value, due):
            flag = _UNFLAGGED.get(setting.name, f"--{setting.name.replace('_', '-')}")
            raise ConfigError(f"{flag} must be {words}; got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopConfig:
    """How a target is measured and improved.

    Raises:
        ConfigError: a value is no number or out of range; the message names the flag.
    """

    search: str = "auto"
    """The strategy: phases, race, or the one that suits the budget; see `search.choice`."""
    race_trials: int | None = None
    """Trials that a race plans with, in all; None takes ten for each case."""
    max_iterations: int = 5
    holdout: float = 0.0
    """Share of the cases that the improver never sees."""
    runs_per_query: int = 1
    """Most runs of a case in one evaluation; odd, so that a vote of decided runs has no tie."""
    improver_model: str = "opus"
    trial_model: str | tuple[str, ...] | None = None
    """Overrides the model of every case; of several, each case is measured under each."""
    seed: int = 0
    gate: float | None = 0.9
    """Least P(better) for an improvement; None applies the search's choice ungated."""
    confirm_runs: int = 3
    """Most rounds in which original and best are measured side by side."""
    max_loss: float = 0.05
    """Most that recall or specificity may lose, as a fraction."""
    guard_neighbours: bool = False
    """Whether the rivals' own requests are measured too, and may not be taken from them."""
    max_turns: int = 4
    timeout: float = 180.0
    concurrency: int = 4
    max_undecided: float = 0.1
    """Share of a step's trials that may stay undecided before the run stops."""
    max_description_units: int = MAX_DESCRIPTION_UNITS
    max_trials: int | None = None
    """Most trials of any kind, controls and retries included; 0 spends nothing."""
    max_cost_usd: float | None = None
    """Most US dollars of trials and improver together."""
    max_pause: float = MAX_PAUSE
    """Seconds that pauses for rate limits may take in all."""

    @property
    def trial_models(self) -> tuple[str, ...]:
        """The models of every case; none leaves each case its own."""
        models = self.trial_model or ()
        return (models,) if isinstance(models, str) else tuple(models)

    def __post_init__(self) -> None:
        """Check every value."""
        _require_numbers(self)
        checks = (
            (self.search in SEARCHES, "--search", "phases or race", self.search),
            (self.max_iterations >= 1, "--max-iterations", "at least 1", self.max_iterations),
            (0 <= self.holdout < 1, "--holdout", "from 0 to below 1", self.holdout),
            (
                self.runs_per_query >= 1 and self.runs_per_query % 2 == 1,
                "--runs-per-query",
                "an odd number, so that a vote cannot tie",
                self.runs_per_query,
            ),
            (self.gate is None or 0 < self.gate < 1, "--gate", "between 0 and 1", self.gate),
            (self.confirm_runs >= 1, "--confirm-runs", "at least 1", self.confirm_runs),
            (0 <= self.max_loss <= 1, "--max-loss", "from 0 to 1", self.max_loss),
            (self.max_turns >= 1, "--max-turns", "at least 1", self.max_turns),
            (
                0 < self.timeout < inf,
                "--timeout",
                "more than 0 seconds, and a number",
                self.timeout,
            ),
            (self.concurrency >= 1, "--concurrency", "at least 1", self.concurrency),
            (
                self.max_trials is None or self.max_trials >= 0,
                "--max-trials",
                "at least 0",
                self.max_trials,
            ),
            (
                self.max_cost_usd is None or 0 <= self.max_cost_usd < inf,
                "--max-cost-usd",
                "at least 0 dollars, and a number",
                self.max_cost_usd,
            ),
            (
                0 <= self.max_pause < inf,
                "--max-pause",
                "at least 0 seconds, and a number",
                self.max_pause,
            ),
            (0 <= self.max_undecided <= 1, "max_undecided", "from 0 to 1", self.max_undecided),
        )
        for holds, flag, rule, value in checks:
            if not holds:
                raise ConfigError(f"{flag} must be {rule}; got {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalConfig:
    """How the cases of an eval run are run.

    Raises:
        ConfigError: a value is no number or out of range; the message names the flag.
    """

    repeats: int = 1
    """Runs of a case that says nothing of its own; odd, so that a vote has no tie."""
    trial_model: str | None = None
    """Overrides the model of every case."""
    seed: int = 0
    max_turns: int | None = None
    """Of a case that says nothing of its own; None takes the default of its type."""
    timeout: float | None = None
    concurrency: int = 4
    max_trials: int | None = None
    """Most trials, retries included; 0 spends nothing."""
    max_cost_usd: float | None = None
    """Most US dollars of trials and judge together."""
    max_pause: float = MAX_PAUSE
    """Seconds that pauses for rate limits may take in all."""
    max_undecided: float = 0.1
    """Share of the trials that may stay undecided before no further one is started."""
    unsafe_local: bool = False
    """Whether a real plugin may act on this machine, outside a container."""
    judge_model: str | None = None
    """That every rubric is graded by, whatever it says."""
    judge_runs: int = 1
    """How often the judge is asked about a trial; odd, so that a vote has no tie."""

    def __post_init__(self) -> None:
        """Check every value."""
        _require_numbers(self)
        checks = (
            (
                self.repeats >= 1 and self.repeats % 2 == 1,
                "--repeats",
                "an odd number, so that a vote cannot tie",
                self.repeats,
            ),
            (
                self.judge_runs >= 1 and self.judge_runs % 2 == 1,
                "--judge-runs",
                "an odd number, so that a vote cannot tie",
                self.judge_runs,
            ),
            (
                self.max_turns is None or self.max_turns >= 1,
                "--max-turns",
                "at least 1",
                self.max_turns,
            ),
            (
                self.timeout is None or 0 < self.timeout < inf,
                "--timeout",
                "more than 0 seconds, and a number",
                self.timeout,
            ),
            (self.concurrency >= 1, "--concurrency", "at least 1", self.concurrency),
            (
                self.max_trials is None or self.max_trials >= 0,
                "--max-trials",
                "at least 0",
                self.max_trials,
            ),
            (
                self.max_cost_usd is None or 0 <= self.max_cost_usd < inf,
                "--max-cost-usd",
                "at least 0 dollars, and a number",
                self.max_cost_usd,
            ),
            (
                0 <= self.max_pause < inf,
                "--max-pause",
                "at least 0 seconds, and a number",
                self.max_pause,
            ),
            (0 <= self.max_undecided <= 1, "max_undecided", "from 0 to 1", self.max_undecided),
        )
        for holds, flag, rule, value in checks:
            if not holds:
                raise ConfigError(f"{flag} must be {rule}; got {value}")
