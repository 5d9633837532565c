"""The metrics that a project declares, checked as a whole (pure).

A metric that was registered is not changed under its name: what it measures may only change with a
higher version, and its calibrations then start anew.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillwalker.errors import ConfigError
from skillwalker.faults import closest, place, quoted
from skillwalker.metrics.built_in import BUILT_IN_NAMES
from skillwalker.metrics.composition import BOUNDED
from skillwalker.metrics.gaming_guard import find_self_reference
from skillwalker.settings import MetricSettings

Meaning = tuple[tuple[str, int, str], ...]
"""What metrics measure: of each its name, version and fingerprint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """The declared metrics of one project, by name."""

    source: str
    """The file that declares them, for messages."""
    specs: Mapping[str, MetricSettings]

    def get(self, name: str) -> MetricSettings:
        """Find a metric.

        Raises:
            ConfigError: it is not declared.
        """
        if name in self.specs:
            return self.specs[name]
        raise ConfigError(
            f"{self.source}: there is no metric {quoted(name)}; {closest(name, self.specs)}"
        )

    def parts(self, spec: MetricSettings) -> tuple[MetricSettings, ...]:
        """Give the parts of a composed metric, once for each time that they are named."""
        return tuple(self.specs[part] for part in spec.parts)

    def leaves(self, name: str) -> tuple[MetricSettings, ...]:
        """Give the metrics whose commands must run for this one, each once.

        Raises:
            ConfigError: it is not declared.
        """
        spec = self.get(name)
        if not spec.parts:
            return (spec,)
        return tuple(
            {leaf.name: leaf for part in spec.parts for leaf in self.leaves(part)}.values()
        )


def open_registry(metrics: Sequence[MetricSettings], source: str = "skillwalker.toml") -> Registry:
    """Check the metrics of a project.

    Args:
        metrics: as the settings have them.
        source: the file's name, for messages.

    Raises:
        ConfigError: something is wrong; one line per fault, each with file and key.
    """
    specs = {spec.name: spec for spec in metrics}
    faults = [
        f"{source}: {place(('metrics', spec.name))} {fault}"
        for spec in metrics
        for fault in _faults_of(spec, specs)
    ]
    if faults:
        raise ConfigError("\n".join(faults))
    return Registry(source=source, specs=specs)


def fingerprint(spec: MetricSettings) -> str:
    """Name what a metric measures: the first 16 hex digits of a hash; wording apart."""
    meaning = [spec.kind, spec.unit, spec.command, spec.composition, sorted(spec.parts)]
    text = json.dumps([*meaning, spec.direction, spec.scale])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def meanings(names: Sequence[str], metrics: Sequence[MetricSettings]) -> Meaning:
    """Name what metrics measure, and all that they are made of.

    Args:
        names: of the metrics.
        metrics: all that are declared.
    """
    specs = {spec.name: spec for spec in metrics}
    found: dict[str, MetricSettings] = {}
    waiting = [*names]
    while waiting:
        spec = specs[waiting.pop()]
        if spec.name not in found:
            found[spec.name] = spec
            waiting += spec.parts
    return tuple((name, spec.version, fingerprint(spec)) for name, spec in sorted(found.items()))


def check_unchanged(registry: Registry, registered: Mapping[str, tuple[int, str]]) -> None:
    """See that no registered metric was changed under its version.

    Args:
        registry: what is declared now.
        registered: version and fingerprint of each metric as it was registered last.

    Raises:
        ConfigError: a metric means something else, or has a lower version.
    """
    faults = []
    for spec in registry.specs.values():
        version, meaning = registered.get(spec.name, (0, ""))
        where = f"{registry.source}: {place(('metrics', spec.name))}"
        if spec.version < version:
            faults.append(f"{where} was registered with version {version}; do not go back")
        if spec.version == version and fingerprint(spec) != meaning:
            faults.append(
                f"{where} measures something else than it was registered with as version "
                f"{version}; set its version to {version + 1}"
            )
    if faults:
        raise ConfigError("\n".join(faults))


def _faults_of(spec: MetricSettings, specs: Mapping[str, MetricSettings]) -> Iterator[str]:
    if not all(char.isalnum() or char in "_-.µ" for char in spec.name):
        yield "must be named by letters, digits, '_', '-' and '.'"
    if spec.name in BUILT_IN_NAMES:
        yield "has the name of a metric that is always tracked; choose another"
    phrase = find_self_reference(spec.description)
    if phrase is not None:
        yield f"is described by {quoted(phrase)}; say what is measured, not what is wanted"
    unknown = [part for part in dict.fromkeys(spec.parts) if part not in specs]
    for part in unknown:
        others = [name for name in specs if name != spec.name]
        yield f"is made of {quoted(part)}, which is not declared; {closest(part, others)}"
    if unknown:
        return
    if _is_circular(spec, specs):
        yield "is made of itself; take it out of its parts"
    for part in dict.fromkeys(spec.parts):
        yield from _mismatches(spec, specs[part])


def _mismatches(spec: MetricSettings, part: MetricSettings) -> Iterator[str]:
    """Say why a part cannot be joined with others to this metric."""
    if part.direction != spec.direction:
        yield (
            f"and its part {quoted(part.name)} have different directions "
            f"({spec.direction or 'none'}, {part.direction or 'none'}); give both the same"
        )
    if spec.kind == BOUNDED:
        return
    if (part.kind, part.unit) != (spec.kind, spec.unit):
        yield (
            f"joins {spec.kind} numbers of {quoted(spec.unit)}, but its part {quoted(part.name)} "
            f"is {part.kind} and of {quoted(part.unit)}; make it bounded, or the parts alike"
        )


def _is_circular(spec: MetricSettings, specs: Mapping[str, MetricSettings]) -> bool:
    seen: set[str] = set()
    waiting = [*spec.parts]
    while waiting:
        name = waiting.pop()
        if name == spec.name:
            return True
        if name in specs and name not in seen:
            seen.add(name)
            waiting += specs[name].parts
    return False
