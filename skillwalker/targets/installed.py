"""What a user's Claude Code would list in a project: their own, the project's, their plugins'.

Source: behaviour of Claude Code 2.1.332 and the files that it keeps in a home: the record of
installed plugins, `enabledPlugins` of the settings, `skillUsage` of `.claude.json`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.datatypes.inputs import Listed, Target
from skillwalker.datatypes.vocabulary import ListingState, TargetKind
from skillwalker.listing.budget import budget_chars
from skillwalker.listing.listed import in_listing_order, listing_states
from skillwalker.paths import Places, plugin_name
from skillwalker.targets.file import shown_file
from skillwalker.targets.place import INSTALLED, PROJECT_FOLDER, files_of
from skillwalker.user_files import read_regular

SETTINGS = ("settings.json", "settings.local.json")
STATE = ".claude.json"
"""Claude Code's own notes, in the home."""
FAMILIES = (
    ("opus, sonnet and the newer models", "sonnet"),
    ("claude-sonnet-4-5, claude-haiku-4-5 and older", "claude-haiku-4-5"),
    ("those of before with a window of 1M ([1m])", "claude-opus-4-6[1m]"),
)
"""Models that have the same room for the listing, and one of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledTarget:
    """A file that is installed, and what Claude Code shows of it."""

    target: Target
    listed: Listed
    uses: int
    """How often the user's Claude Code called it: the more, the sooner its text gets room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How the skills stand in the listing of a family of models."""

    family: str
    model: str
    """One of them."""
    budget_chars: int
    whole: tuple[str, ...]
    name_only: tuple[str, ...]
    """Names whose text the model does not get, the most used first."""


def find_installed(places: Places) -> tuple[InstalledTarget, ...]:
    """Read all that the user has in this project, in the order of the listing."""
    own, project = places.home / PROJECT_FOLDER, places.project / PROJECT_FOLDER
    roots = dict.fromkeys((own, project, *sorted(_plugin_roots(places), key=plugin_name)))
    uses = _uses(places.home)
    found: list[InstalledTarget] = []
    for kind in TargetKind:
        taken: dict[str, int] = {}
        for root in _by_precedence(tuple(roots), own, project, kind):
            for target, listed in _listed_below(root, kind, is_users=root == own != project):
                name = listed.name or ""
                if listed.listed and taken.setdefault(name, len(found)) != len(found):
                    continue  # Claude Code lists the first of that name alone
                found.append(InstalledTarget(target=target, listed=listed, uses=uses.get(name, 0)))
    return tuple(found)


def rooms(found: Sequence[InstalledTarget]) -> tuple[Room, ...]:
    """Say for each family of models whose text is sent and who is there by name only.

    Claude Code gives room to the skills by their use, then in the order of the listing.
    """
    skills = [each for each in found if each.listed.kind is TargetKind.SKILL]
    order = [each.listed for each in sorted(skills, key=lambda each: -each.uses)]
    made = []
    for family, model in FAMILIES:
        states = listing_states(order, model=model, in_order=True)
        made.append(
            Room(
                family=family,
                model=model,
                budget_chars=budget_chars(model),
                whole=_names(states, ListingState.WHOLE, ListingState.CUT),
                name_only=_names(states, ListingState.NAME_ONLY),
            )
        )
    return tuple(made)


def _names(states: Sequence[tuple[Listed, ListingState]], *wanted: ListingState) -> tuple[str, ...]:
    return tuple(listed.name or "" for listed, state in states if state in wanted)


def _by_precedence(
    roots: Sequence[Path], own: Path, project: Path, kind: TargetKind
) -> tuple[Path, ...]:
    """Order the roots: of two skills named alike the user's is listed, of two agents the project's.

    The two are listed in that order as well.
    """
    first = (own, project) if kind is TargetKind.SKILL else (project, own)
    return tuple(dict.fromkeys((*first, *roots)))


def _listed_below(
    root: Path, kind: TargetKind, *, is_users: bool
) -> Iterator[tuple[Target, Listed]]:
    read: dict[Path, tuple[Target, Listed]] = {}
    for path in files_of(root, kind):
        target, listed = shown_file(path, kind)
        read[path] = replace(target, is_users=is_users), listed
    ordered = in_listing_order([listed for _, listed in read.values()])
    return (read[listed.path] for listed in ordered)


def _plugin_roots(places: Places) -> Iterator[Path]:
    """Give the folders of the plugins that are installed for this project and not switched off."""
    record = _read(places.home / PROJECT_FOLDER / INSTALLED)
    plugins = record.get("plugins")
    disabled = _disabled(places)
    for key, entry in plugins.items() if isinstance(plugins, dict) else ():
        for row in entry if isinstance(entry, list) else [entry]:
            path = row.get("installPath") if isinstance(row, dict) else None
            if isinstance(path, str) and key not in disabled and _is_for(row, places.project):
                yield places.home / PROJECT_FOLDER / path


def _is_for(row: Mapping[str, object], project: Path) -> bool:
    """Say whether an installation is the user's everywhere, or this project's."""
    path = row.get("projectPath")
    return not isinstance(path, str) or Path(path) == project


def _disabled(places: Places) -> frozenset[str]:
    """Read which plugins the settings switch off; the nearest settings decide."""
    said: dict[str, object] = {}
    for root in (places.home, places.project):
        for name in SETTINGS:
            enabled = _read(root / PROJECT_FOLDER / name).get("enabledPlugins")
            said |= enabled if isinstance(enabled, dict) else {}
    return frozenset(key for key, value in said.items() if value is False)


def _uses(home: Path) -> dict[str, int]:
    """Read how often each skill was called."""
    usage = _read(home / STATE).get("skillUsage")
    rows = usage.items() if isinstance(usage, dict) else ()
    counts = ((name, row.get("usageCount")) for name, row in rows if isinstance(row, dict))
    return {name: count for name, count in counts if isinstance(count, int)}


def _read(path: Path) -> dict[str, object]:
    try:
        value = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
