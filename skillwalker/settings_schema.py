"""The form of skillwalker.toml: which keys there are and what each may be."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from skillwalker.forms import Form, Text
from skillwalker.settings import (
    BudgetSettings,
    MetricSettings,
    ModelSettings,
    PriceSettings,
    Settings,
)


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _variable(text: str) -> str:
    if not text or "=" in text or not text.isprintable():
        raise PydanticCustomError("variable", "the name of an environment variable")
    return text


Variable = Annotated[str, AfterValidator(_variable)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class TableForm(Form):
    """A table of the file, with kebab-case keys."""

    model_config = ConfigDict(alias_generator=_kebab)


class ModelsForm(TableForm):
    """[models]."""

    improver: Text | None = None
    trial: Text | None = None
    judge: Text | None = None

    def settings(self) -> ModelSettings:
        """Give the record."""
        return ModelSettings(improver=self.improver, trial=self.trial, judge=self.judge)


class BudgetForm(TableForm):
    """[budget]."""

    max_cost_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    max_trials: Annotated[int, Field(ge=0)] | None = None
    deadline: Text | None = None
    max_pause: Text | None = None

    def settings(self) -> BudgetSettings:
        """Give the record."""
        return BudgetSettings(
            max_cost_usd=self.max_cost_usd,
            max_trials=self.max_trials,
            deadline=self.deadline,
            max_pause=self.max_pause,
        )


class PriceForm(TableForm):
    """[prices."MODEL"]."""

    input: Price
    output: Price
    cache_write: Price
    cache_read: Price

    def settings(self, model: str) -> PriceSettings:
        """Give the record."""
        return PriceSettings(
            model=model,
            input=self.input,
            output=self.output,
            cache_write=self.cache_write,
            cache_read=self.cache_read,
        )


class MetricForm(TableForm):
    """[metrics.NAME]."""

    kind: Literal["bounded", "positive", "signed"]
    unit: Text
    description: Text
    version: Annotated[int, Field(ge=1)] = 1
    direction: Literal["increase", "decrease"] | None = None
    scale: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    command: Annotated[list[Text], Field(min_length=1)] | None = None
    sum: Annotated[list[Text], Field(min_length=1)] | None = None
    max: Annotated[list[Text], Field(min_length=1)] | None = None
    min: Annotated[list[Text], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "MetricForm":
        if sum(part is not None for part in (self.command, *self._compositions().values())) != 1:
            raise PydanticCustomError(
                "source", 'measured by exactly one of "command", "sum", "max" and "min"'
            )
        if self.kind == "bounded" and self.scale != 1:
            raise PydanticCustomError("scale", 'without "scale": a bounded number has one')
        return self

    def settings(self, name: str) -> MetricSettings:
        """Give the record."""
        composed = {word: parts for word, parts in self._compositions().items() if parts}
        composition, parts = next(iter(composed.items()), (None, []))
        return MetricSettings(
            name=name,
            kind=self.kind,
            unit=self.unit,
            description=self.description,
            version=self.version,
            command=tuple(self.command or ()),
            composition=composition,
            parts=tuple(parts),
            direction=self.direction,
            scale=self.scale,
        )

    def _compositions(self) -> dict[str, list[str] | None]:
        return {"sum": self.sum, "max": self.max, "min": self.min}


class SettingsForm(TableForm):
    """The whole file."""

    plugin_dirs: list[Text] = Field(default_factory=list)
    evals_dir: Text = "evals"
    output_dir: Text = "output"
    engine: Literal["docker", "local", "simulated"] | None = None
    claude: Text | None = None
    models: ModelsForm = Field(default_factory=ModelsForm)
    budget: BudgetForm = Field(default_factory=BudgetForm)
    prices: dict[Text, PriceForm] = Field(default_factory=dict)
    engine_env: list[Variable] = Field(default_factory=list)
    metrics: dict[Text, MetricForm] = Field(default_factory=dict)

    def settings(self, source: Path) -> Settings:
        """Give the record."""
        return Settings(
            source=source,
            plugin_dirs=tuple(self.plugin_dirs),
            evals_dir=self.evals_dir,
            output_dir=self.output_dir,
            engine=self.engine,
            claude=self.claude,
            models=self.models.settings(),
            budget=self.budget.settings(),
            prices=tuple(form.settings(model) for model, form in self.prices.items()),
            engine_env=tuple(self.engine_env),
            metrics=tuple(form.settings(name) for name, form in self.metrics.items()),
        )
