"""What `metric list`, `status` and `calibrate` do once their options are read."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer

from skillwalker.cli.options import open_project
from skillwalker.cli.saying import say
from skillwalker.counting import counted
from skillwalker.datatypes.metrics import Calibration, MetricStanding
from skillwalker.errors import ConfigError
from skillwalker.faults import quoted
from skillwalker.metrics.calibration import standing_of
from skillwalker.metrics.composition import kind_fault
from skillwalker.metrics.history import CALIBRATIONS, HISTORY, REGISTRY, append_row, read_rows
from skillwalker.metrics.registry import Registry, fingerprint
from skillwalker.metrics.rows import (
    calibration_row,
    known_secondaries,
    plain_number,
    read_calibrations,
    read_history,
    read_registered,
    registration_row,
)
from skillwalker.metrics.track import open_metrics
from skillwalker.settings import SETTINGS_FILE, MetricSettings

NOTHING_DECLARED = (
    f"No metrics are declared; write [metrics.NAME] tables in {SETTINGS_FILE} "
    "(kind, unit, description, and command, sum, max or min)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A project's metrics and what is known of them."""

    folder: Path
    registry: Registry
    calibrations: tuple[Calibration, ...]

    def standing(self, name: str) -> MetricStanding:
        """Say what a metric is worth."""
        return standing_of(name, self.registry, self.calibrations)


def finite(flag: str, value: float) -> float:
    """Check a number.

    Raises:
        BadParameter: exit code 2.
    """
    if not math.isfinite(value):
        raise typer.BadParameter(f"{flag} must be a finite number; got {value}")
    return value + 0.0


def show_list(ctx: typer.Context, project: Path | None, *, as_json: bool) -> None:
    """Show the declared metrics and the known secondary ones."""
    opened = _open(ctx, project)
    entries = read_history(read_rows(opened.folder, HISTORY).rows)
    names = dict.fromkeys(entry.name for entry in entries)
    secondaries = [(name, metric) for name in names for metric in known_secondaries(entries, name)]
    if as_json:
        record = {
            "metrics": [_spec_json(spec, opened) for spec in opened.registry.specs.values()],
            "secondaries": [
                {"name": metric.name, "unit": metric.unit, "seen_with": name}
                for name, metric in secondaries
            ],
        }
        typer.echo(json.dumps(record, ensure_ascii=False))
        return
    rows = [_spec_cells(spec, opened) for spec in opened.registry.specs.values()]
    _table(("NAME", "KIND", "UNIT", "VERSION", "STANDING", "MEASURED BY"), rows)
    for name, metric in secondaries:
        say(f"secondary of {name or 'runs without a name'}: {metric.name}")


def show_status(
    ctx: typer.Context, project: Path | None, name: str | None, *, as_json: bool
) -> None:
    """Show the calibrations of one metric, or of all."""
    opened = _open(ctx, project, name)
    specs = [opened.registry.get(name)] if name else [*opened.registry.specs.values()]
    if as_json:
        record = {"metrics": [_standing_json(spec, opened.standing(spec.name)) for spec in specs]}
        typer.echo(json.dumps(record, ensure_ascii=False))
        return
    heads = ("NAME", "VERSION", "SAMPLES", "MEAN ERROR", "95 %", "WORST", "STANDING")
    _table(heads, [_standing_cells(spec, opened.standing(spec.name)) for spec in specs])


def calibrate(
    ctx: typer.Context,
    project: Path | None,
    name: str,
    *,
    predicted: float,
    observed: float,
    as_json: bool,
) -> None:
    """Note a calibration, and say what the metric is worth now.

    Raises:
        ConfigError: it is not declared, was changed under its version, or has no such values.
    """
    opened = _open(ctx, project, name)
    spec = opened.registry.get(name)
    for flag, value in (("--predicted", predicted), ("--observed", observed)):
        fault = kind_fault(value, spec)
        if fault is not None:
            raise ConfigError(f"{flag} of {quoted(name)}: {fault}; nothing was noted")
    now = datetime.now(UTC)
    for known in (spec, *opened.registry.leaves(name)):
        _register(opened.folder, known, now)
    pair = Calibration(metric=name, version=spec.version, predicted=predicted, observed=observed)
    append_row(opened.folder, CALIBRATIONS, calibration_row(pair, now))
    before = opened.standing(name)
    after = standing_of(name, opened.registry, (*opened.calibrations, pair))
    if as_json:
        record = {**_standing_json(spec, after), "promoted": _promoted(before, after)}
        typer.echo(json.dumps(record, ensure_ascii=False))
        return
    say(f"{name}: {counted(after.samples, 'calibration')}, {_standing_words(after)}")
    if _promoted(before, after):
        say(f"{name} is promoted: from now on it may decide")
    elif before.load_bearing and not after.load_bearing:
        say(f"{name} is advisory again: its last predictions failed")


def _open(ctx: typer.Context, project: Path | None, name: str | None = None) -> Opened:
    """Read a project's metrics; lines that are torn are told, and where none is declared.

    Raises:
        ConfigError: none is declared, and one was named.
    """
    opened = open_project(ctx, project)
    folder, source = opened.places.project, opened.settings.source
    registry = open_metrics(
        opened.settings.metrics,
        project=folder,
        source=SETTINGS_FILE if source is None else source.name,
    )
    rows = read_rows(folder, CALIBRATIONS)
    for line in (*rows.left_out, *read_rows(folder, REGISTRY).left_out):
        say(f"warning: {line}", err=True)
    if not registry.specs and name is not None:
        raise ConfigError(f"there is no metric {quoted(name)}. {NOTHING_DECLARED}")
    if not registry.specs:
        say(NOTHING_DECLARED, err=True)
    return Opened(folder=folder, registry=registry, calibrations=read_calibrations(rows.rows))


def _register(folder: Path, spec: MetricSettings, now: datetime) -> None:
    """Note what a metric measures from now on, unless it is noted."""
    noted = read_registered(read_rows(folder, REGISTRY).rows)
    if noted.get(spec.name) != (spec.version, fingerprint(spec)):
        append_row(folder, REGISTRY, registration_row(spec, now))


def _promoted(before: MetricStanding, after: MetricStanding) -> bool:
    return after.load_bearing and not before.load_bearing


def _spec_json(spec: MetricSettings, opened: Opened) -> dict[str, object]:
    return {
        "name": spec.name,
        "kind": spec.kind,
        "unit": spec.unit,
        "description": spec.description,
        "version": spec.version,
        "direction": spec.direction,
        "scale": plain_number(spec.scale),
        "command": list(spec.command) or None,
        "composition": spec.composition,
        "parts": list(spec.parts),
        "load_bearing": opened.standing(spec.name).load_bearing,
    }


def _standing_json(spec: MetricSettings, standing: MetricStanding) -> dict[str, object]:
    return {
        "name": spec.name,
        "version": spec.version,
        "n": standing.samples,
        "mae": standing.mean_error,
        "p95": standing.p95_error,
        "worst": standing.worst_error,
        "state": standing.state,
        "held_back_by": list(standing.held_back_by),
        "load_bearing": standing.load_bearing,
    }


def _spec_cells(spec: MetricSettings, opened: Opened) -> tuple[str, ...]:
    source = spec.command or (f"{spec.composition} of", ", ".join(spec.parts))
    worth = "load-bearing" if opened.standing(spec.name).load_bearing else "advisory"
    return (spec.name, spec.kind, spec.unit, str(spec.version), worth, " ".join(source))


def _standing_cells(spec: MetricSettings, standing: MetricStanding) -> tuple[str, ...]:
    errors = (standing.mean_error, standing.p95_error, standing.worst_error)
    return (
        spec.name,
        str(spec.version),
        str(standing.samples),
        *("n/a" if error is None else f"{error:.3f}" for error in errors),
        _standing_words(standing),
    )


def _standing_words(standing: MetricStanding) -> str:
    if standing.load_bearing:
        return "load-bearing"
    if standing.held_back_by:
        return f"advisory: so are its parts {', '.join(standing.held_back_by)}"
    return f"advisory: {standing.state.replace('_', ' ')}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns under their heads; nothing without rows."""
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for cells in (heads, *rows):
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        typer.echo("  ".join(padded).rstrip())
