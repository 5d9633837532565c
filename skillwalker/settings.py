"""The settings of a project, as its file has them: where things lie and what the defaults are."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Models that a role gets when no flag names one; None leaves the product's default."""

    improver: str | None = None
    trial: str | None = None
    judge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Limits that hold when no flag names one."""

    max_cost_usd: float | None = None
    max_trials: int | None = None
    deadline: str | None = None
    """As the flag takes it: `HH:MM` or `2h30m`."""
    max_pause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSettings:
    """Price of a model in US dollars per million tokens, instead of the built-in table's."""

    model: str
    input: float
    output: float
    cache_write: float
    cache_read: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSettings:
    """A declared metric: measured by a command, or composed of others."""

    name: str
    kind: str
    unit: str
    description: str
    version: int
    command: tuple[str, ...] = ()
    """Program and arguments; run without a shell."""
    composition: str | None = None
    """How `parts` are joined: sum, max or min."""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that skillwalker.toml may say; a field has its default when it says nothing."""

    source: Path | None = None
    """The file that was read."""
    plugin_dirs: tuple[str, ...] = ()
    evals_dir: str = "evals"
    output_dir: str = "output"
    engine: str | None = None
    claude: str | None = None
    models: ModelSettings = field(default_factory=ModelSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    prices: tuple[PriceSettings, ...] = ()
    engine_env: tuple[str, ...] = ()
    metrics: tuple[MetricSettings, ...] = ()
