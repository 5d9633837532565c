"""One file as a target: read from the disk, and what Claude Code lists of it."""

import dataclasses
import errno
from pathlib import Path

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from skillwalker.datatypes.inputs import Finding, Listed, Target
from skillwalker.datatypes.vocabulary import Position, Severity, TargetKind
from skillwalker.errors import TargetError
from skillwalker.frontmatter.text import FrontmatterReading, read_frontmatter
from skillwalker.listing.listed import list_file
from skillwalker.paths import is_file_name
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import (
    PROJECT_FOLDER,
    Place,
    files_of,
    folders_to_agent,
    is_named_by_frontmatter,
    place_of,
)

_UNREADABLE_YAML = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What PyYAML raises on files that people write, its own errors and Python's from inside it."""


def yaml_text(content: bytes) -> str | None:
    """Read the description as a plain YAML parser does: what the author meant to write.

    Returns:
        The text; None where the frontmatter is no YAML or the description is no text.
    """
    text = content.decode("utf-8-sig", errors="replace")
    try:
        metadata, _ = frontmatter.parse(text, handler=YAMLHandler())
        value = metadata.get("description")
    except _UNREADABLE_YAML:
        return None
    return value if isinstance(value, str) else None


def read_target(path: Path, kind: TargetKind, position: Position | None = None) -> Target:
    """Read a file as a skill or agent.

    Args:
        path: absolute; kept as it is, so that a link stays the place that is written to.
        kind: what to read it as.
        position: overrides what the folders above it say.

    Raises:
        TargetError: the file is missing or cannot be read.
    """
    content = read_bytes(path, KINDS[kind].noun)
    place = place_of(path, kind, position)
    reading = read_frontmatter(content, kind, place.position)
    listed = _list(path, content, kind, place, reading)
    return Target(
        kind=kind,
        position=place.position,
        plugin=place.plugin,
        name=_name(path, kind, place, listed),
        alias=_without_plugin(listed.alias, place),
        path=path,
        content=content,
        description=reading.description or "",
        body=reading.body,
    )


def empty_target(path: Path, kind: TargetKind, position: Position | None = None) -> Target:
    """Stand for a file that is there and cannot be read; the arguments are `read_target`'s."""
    place = place_of(path, kind, position)
    return Target(
        kind=kind,
        position=place.position,
        plugin=place.plugin,
        name=path.parent.name if kind is TargetKind.SKILL else path.stem,
        alias=None,
        path=path,
        content=b"",
        description="",
        body="",
    )


def unread(target: Target, why: str, *, rule: str = "unreadable") -> Listed:
    """Tell that Claude Code lists nothing of a file that cannot be read."""
    finding = Finding(rule=rule, severity=Severity.ERROR, line=None, message=why)
    return Listed(
        path=target.path,
        kind=target.kind,
        position=target.position,
        listed=False,
        name=None,
        alias=None,
        text=None,
        yaml_text=None,
        findings=(finding,),
    )


def shown_file(
    path: Path, kind: TargetKind, position: Position | None = None
) -> tuple[Target, Listed]:
    """Read a file and tell what Claude Code shows of it; one that cannot be read is shown as such.

    The arguments are `read_target`'s.
    """
    try:
        target = read_target(path, kind, position)
    except TargetError as error:
        target = empty_target(path, kind, position)
        return target, unread(target, str(error))
    return target, list_target(target)


def read_bytes(path: Path, noun: str) -> bytes:
    """Read a file, whatever it holds.

    Raises:
        TargetError: it is missing, no regular file, or cannot be read.
    """
    try:
        if path.is_file():
            return path.read_bytes()
        there = path.exists()
        if path.is_dir():
            next(path.iterdir(), None)
    except OSError as error:
        why = error.strerror or error
        raise TargetError(f"{noun} file {path} cannot be read: {why}") from error
    except ValueError as error:
        raise TargetError(f"{noun} file {path} cannot be read: {error}") from error
    if there:
        raise TargetError(f"{noun} file {path} is not a regular file; name the file itself")
    raise TargetError(f"{noun} file {path} {_nowhere(path)}; check the path")


def _nowhere(path: Path) -> str:
    """Say why nothing is found at a path."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a link that leads back to itself"
    except ValueError:
        return "does not exist"
    if path.is_symlink():
        return f"is a link to {path.readlink()}, where nothing is"
    return "does not exist"


def list_target(target: Target) -> Listed:
    """Tell what Claude Code shows of a target, and whether it looks where the file lies."""
    place = place_of(target.path, target.kind, target.position)
    reading = read_frontmatter(target.content, target.kind, target.position)
    listed = _list(target.path, target.content, target.kind, place, reading)
    if place.certain and not _is_loaded(target.path, target.kind, place):
        return _not_loaded(listed, place)
    return listed


def can_trigger(listed: Listed) -> bool:
    """Say whether a file's description can make Claude call it."""
    return listed.listed and listed.text is not None


def require_triggerable(target: Target) -> None:
    """Refuse a file whose description can never make Claude call it.

    Raises:
        TargetError: Claude Code does not list it, or not with a text of its own; the message
            says why and which line helps.
    """
    listed = list_target(target)
    if can_trigger(listed):
        return
    noun = KINDS[target.kind].noun
    reading = read_frontmatter(target.content, target.kind, target.position)
    if reading.disable_model_invocation and target.kind is TargetKind.SKILL:
        why = "it says 'disable-model-invocation: true'; remove that line, or set it to false"
    elif reading.description is None:
        why = (
            "Claude Code reads no description in it; add the line"
            f" 'description: what the {noun} does and when to use it' to its frontmatter"
        )
    else:
        faults = [f.message for f in listed.findings if f.severity is Severity.ERROR]
        why = "; ".join(faults) or "Claude Code does not list it; see 'skillwalker show'"
    raise TargetError(f"{noun} {target.id} ({target.path}) can never trigger: {why}")


def layout_path(target: Target) -> Path:
    """Say where a copy of a target lies in a plugin, or in a project, to keep its name."""
    place = place_of(target.path, target.kind, target.position)
    base = Path() if target.position is Position.PLUGIN else Path(PROJECT_FOLDER)
    folder = base / KINDS[target.kind].folder
    match target.kind:
        case TargetKind.SKILL:
            return folder / target.name / SKILL_FILE
        case TargetKind.AGENT:
            return folder.joinpath(*folders_to_agent(target.path, place), target.path.name)


def _list(
    path: Path, content: bytes, kind: TargetKind, place: Place, reading: FrontmatterReading
) -> Listed:
    """List a file under the name that its place gives it."""
    plugin, stand_in = place.plugin, path
    if kind is TargetKind.AGENT and plugin is not None:
        plugin = ":".join((plugin, *folders_to_agent(path, place)))
    elif kind is TargetKind.SKILL and is_named_by_frontmatter(path, place):
        name = reading.name if reading.name and is_file_name(reading.name) else path.parent.name
        stand_in = path.parent.with_name(name) / SKILL_FILE
    listed = list_file(stand_in, content, kind, place.position, plugin, yaml_text(content))
    return dataclasses.replace(listed, path=path)


def _name(path: Path, kind: TargetKind, place: Place, listed: Listed) -> str:
    match kind:
        case TargetKind.SKILL:
            named = is_named_by_frontmatter(path, place)
            return (named and _without_plugin(listed.name, place)) or path.parent.name
        case TargetKind.AGENT:
            folders = folders_to_agent(path, place) if place.plugin is not None else ()
            return _without_plugin(listed.name, place) or ":".join((*folders, path.stem))


def _without_plugin(name: str | None, place: Place) -> str | None:
    return name if name is None or place.plugin is None else name.removeprefix(f"{place.plugin}:")


def _is_loaded(path: Path, kind: TargetKind, place: Place) -> bool:
    folder = place.root / KINDS[TargetKind.SKILL].folder
    is_child = path.name == SKILL_FILE and path.parent.parent == folder
    if kind is TargetKind.SKILL and is_child and not (folder / SKILL_FILE).is_file():
        return True  # the usual place: its siblings need not be listed to know it
    files = files_of(place.root, kind)
    return path in files or path.resolve() in {file.resolve() for file in files}


def _not_loaded(listed: Listed, place: Place) -> Listed:
    facts = KINDS[listed.kind]
    finding = Finding(
        rule="not-loaded",
        severity=Severity.ERROR,
        line=None,
        message=(
            f"Claude Code does not load {facts.article} {facts.noun} from here;"
            f" move it to {place.root / facts.layout}"
        ),
    )
    return dataclasses.replace(
        listed, listed=False, name=None, alias=None, text=None, findings=(finding, *listed.findings)
    )
