"""The settings of a project, as its file has them: where things lie and what the defaults are."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.errors import ConfigError
from skillwalker.user_files import read_regular

SETTINGS_FILE = "skillwalker.toml"
PYPROJECT = "pyproject.toml"


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
    direction: str | None = None
    """Which way is better: increase or decrease; without it the metric is only shown."""
    scale: float = 1.0
    """What counts as one: a positive or signed number is brought to 0 to 1 by its share of it."""


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


def load_settings(project: Path) -> Settings:
    """Read a project's settings; a project without any gets the defaults.

    `skillwalker.toml` is read if it is there, else `[tool.skillwalker]` of `pyproject.toml`.

    Raises:
        ConfigError: the file cannot be read or a setting is wrong; one line per fault, each with
            file and key.
    """
    own = _read_toml(project / SETTINGS_FILE)
    if own is not None:
        return _check(project / SETTINGS_FILE, own)
    tool = (_read_toml(project / PYPROJECT) or {}).get("tool")
    if isinstance(tool, dict) and "skillwalker" in tool:
        return _check(project / PYPROJECT, tool["skillwalker"])
    return Settings()


def _read_toml(path: Path) -> dict[str, object] | None:
    try:
        return tomllib.loads(read_regular(path).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path.name}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path.name}: invalid TOML: {error}; correct it there") from error
    except RecursionError as error:
        raise ConfigError(f"{path.name}: values are nested too deep; flatten them") from error
    except OSError as error:
        raise ConfigError(
            f"{path.name}: cannot be read ({error.strerror}); check its permissions"
        ) from error


def _check(path: Path, values: object) -> Settings:
    # pydantic is loaded only when there is a file to check: start-up time
    from pydantic import ValidationError

    from skillwalker.faults import find_faults
    from skillwalker.settings_schema import SettingsForm

    table = "[tool.skillwalker] " if path.name == PYPROJECT else ""
    if isinstance(values, Mapping) and values.get("engine") == "api":
        raise ConfigError(
            f'{path.name}: engine "api" is reserved and not built yet; '
            "choose docker, local or simulated"
        )
    try:
        form = SettingsForm.model_validate(values)
    except ValidationError as error:
        faults = find_faults(error, SettingsForm)
        lines = (f"{path.name}: {table}{fault.message}" for fault in faults)
        raise ConfigError("\n".join(lines)) from error
    return form.settings(path)
