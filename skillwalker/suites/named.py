"""The plugins and metrics that a suite names at its head; each is looked for."""

from collections.abc import Iterator

from skillwalker.faults import closest, quoted
from skillwalker.paths import Places, plugin_name
from skillwalker.settings import SETTINGS_FILE


def plugin_faults(names: object, places: Places) -> list[str]:
    """Say which plugins are not there.

    Args:
        names: what stands in tests.json; what is no name in it is another fault.
        places: of the project.
    """
    return [
        f'"plugins[{index}]" {quoted(name)}: there is no such plugin;'
        f" {closest(name, (plugin_name(folder) for folder in places.plugin_folders()))}"
        for index, name in _texts(names)
        if places.plugin_folder(name) is None
    ]


def metric_faults(names: object, places: Places) -> list[str]:
    """Say which metrics are not declared, or named twice.

    Args:
        names: what stands in tests.json; what is no name in it is another fault.
        places: of the project.
    """
    lines = []
    declared = [metric.name for metric in places.metrics or ()]
    seen: set[str] = set()
    for index, name in _texts(names):
        where = f'"metrics[{index}]" {quoted(name)}'
        if places.metrics is not None and name not in declared:
            known = closest(name, declared)
            lines.append(f"{where}: there is no such metric in {SETTINGS_FILE}; {known}")
        if name in seen:
            lines.append(f"{where}: is named twice; keep one")
        seen.add(name)
    return lines


def _texts(names: object) -> Iterator[tuple[int, str]]:
    """Give the texts of a list with their places."""
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name.strip():
            yield index, name
