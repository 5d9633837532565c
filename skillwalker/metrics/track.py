"""Runs the commands of a suite's metrics for one candidate.

A command runs in a copy of the target's plugin that holds the candidate. It finds the file in
`SKILLWALKER_TARGET` and the project in `SKILLWALKER_PROJECT`; in its arguments `{target}` and
`{project}` stand for the same, as no shell reads the variables.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.metrics import Direction, TrackedMetric
from skillwalker.metrics.calibration import standing_of
from skillwalker.metrics.composition import compose, kind_fault
from skillwalker.metrics.history import CALIBRATIONS, REGISTRY, read_rows
from skillwalker.metrics.plugin_copy import PluginCopy, copy_with
from skillwalker.metrics.registry import Registry, check_unchanged, open_registry
from skillwalker.metrics.rows import read_calibrations, read_registered
from skillwalker.metrics.verify import TIMEOUT, describe_failures, verify
from skillwalker.settings import MetricSettings

TARGET_VARIABLE, PROJECT_VARIABLE = "SKILLWALKER_TARGET", "SKILLWALKER_PROJECT"

Value = tuple[float | None, str | None]
"""A number, or why there is none."""


def open_metrics(
    metrics: Sequence[MetricSettings], *, project: Path, source: str = "skillwalker.toml"
) -> Registry:
    """Check a project's metrics, also against what was registered before; writes nothing.

    Raises:
        ConfigError: something is wrong with them; one line per fault.
        StoreError: `metrics/` cannot be read.
    """
    registry = open_registry(metrics, source)
    check_unchanged(registry, read_registered(read_rows(project, REGISTRY).rows))
    return registry


async def track(
    names: Sequence[str],
    settings: Sequence[MetricSettings],
    *,
    project: Path,
    target: Target,
    description: str,
    env: Mapping[str, str],
    temporary: Path,
    leave_out: Sequence[Path] = (),
    runs: int = 1,
    wall: float = TIMEOUT,
) -> tuple[TrackedMetric, ...]:
    """Measure metrics for one candidate; a command that fails is a value with its error.

    Args:
        names: the suite's metrics.
        settings: all declared metrics.
        project: the project's folder.
        target: the skill or agent.
        description: the candidate.
        env: the environment of the commands.
        temporary: where temporary folders lie.
        leave_out: folders that are not copied with the plugin, such as that of recorded runs.
        runs: how often each command runs; the median counts.
        wall: seconds of one run of a command.

    Returns:
        A record for each name, in their order.

    Raises:
        ConfigError: a metric is not declared, or not rightly.
        StoreError: `metrics/` cannot be read.
        TargetError: the description cannot be written into the file.
        EngineUnavailableError: the copy cannot be made.
    """
    if not names:
        return ()
    registry = open_metrics(settings, project=project)
    leaves = {leaf.name: leaf for name in names for leaf in registry.leaves(name)}
    calibrations = read_calibrations(read_rows(project, CALIBRATIONS).rows)
    values: dict[str, Value] = {}
    for leaf in leaves.values():
        # A copy for each: what one command leaves behind must not change what the next sees.
        with copy_with(target, description, temporary=temporary, leave_out=leave_out) as copy:
            values[leaf.name] = await _measure(leaf, copy, project, env, runs=runs, wall=wall)
    return tuple(
        _tracked(
            registry.get(name),
            value_of(name, registry, values),
            load_bearing=standing_of(name, registry, calibrations).load_bearing,
        )
        for name in names
    )


def value_of(name: str, registry: Registry, values: Mapping[str, Value]) -> Value:
    """Give a metric's value from those of the commands (pure).

    Args:
        name: a declared metric.
        registry: the declared metrics.
        values: of every metric with a command that this one needs.
    """
    spec = registry.get(name)
    if not spec.parts:
        return values[name]
    parts = []
    for part in registry.parts(spec):
        value, error = value_of(part.name, registry, values)
        if value is None:
            return None, f"{part.name}: {error}"
        parts.append((part, value))
    return _fitting(spec, compose(spec, parts))


async def _measure(
    spec: MetricSettings,
    copy: PluginCopy,
    project: Path,
    env: Mapping[str, str],
    *,
    runs: int,
    wall: float,
) -> Value:
    places = {"{target}": str(copy.file), "{project}": str(project)}
    verification = await verify(
        [_filled(argument, places) for argument in spec.command],
        env={**env, TARGET_VARIABLE: str(copy.file), PROJECT_VARIABLE: str(project)},
        cwd=copy.root,
        runs=runs,
        wall=wall,
        primary=spec.name,
    )
    median = verification.median
    if median is None or median.value is None:
        return None, describe_failures(verification, None) or "it gave no number"
    return _fitting(spec, median.value)


def _filled(argument: str, places: Mapping[str, str]) -> str:
    for word, path in places.items():
        argument = argument.replace(word, path)
    return argument


def _fitting(spec: MetricSettings, value: float) -> Value:
    fault = kind_fault(value, spec)
    return (value, None) if fault is None else (None, fault)


def _tracked(spec: MetricSettings, value: Value, *, load_bearing: bool) -> TrackedMetric:
    return TrackedMetric(
        name=spec.name,
        value=value[0],
        unit=spec.unit,
        version=spec.version,
        direction=None if spec.direction is None else Direction(spec.direction),
        load_bearing=load_bearing,
        error=value[1],
    )
