"""One file's line in the listing: whether it has one, its names and its text.

Source: behaviour of Claude Code 2.1.332, docs/how-claude-code-reads-files.md.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.frontmatter.block import JS_SPACE
from skillwalker.frontmatter.text import FrontmatterReading
from skillwalker.listing.shown_text import flattened, utf16_units

__all__ = ["Line", "line_of"]

_LONGEST_NAME = 256
_LONGEST_HEADING = 100
_HEADING = re.compile(f"#+[{JS_SPACE}]+([^{JS_SPACE}][^\n\r\u2028\u2029]*)")
_NOT_IN_FOLDERS = re.compile(r"[^A-Za-z0-9_-]")
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029<>]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A file's line in the listing, before it is cut."""

    name: str
    alias: str | None
    text: str | None
    stand_in: str
    stand_in_is_own: bool
    loaded: bool


def line_of(
    path: Path,
    reading: FrontmatterReading,
    kind: TargetKind,
    position: Position,
    plugin: str | None,
) -> Line:
    """Make a file's line, as if nothing else were installed."""
    match kind:
        case TargetKind.SKILL:
            name = _skill_name(path, plugin)
            return Line(
                name=name,
                alias=_alias(name, reading.name, plugin),
                text=_skill_text(reading, position),
                stand_in=_heading(reading.body, position),
                stand_in_is_own=bool(reading.body.strip(JS_SPACE)),
                loaded=_is_skill_loaded(reading, position, name),
            )
        case TargetKind.AGENT:
            return Line(
                name=_agent_name(path, reading.name, plugin),
                alias=None,
                text=_agent_text(reading, position),
                stand_in=f"Agent from {(plugin or '').partition(':')[0]} plugin",
                stand_in_is_own=False,
                loaded=position is Position.PLUGIN or _is_agent_loaded(reading),
            )


def _skill_name(path: Path, plugin: str | None) -> str:
    folder = path.parent.name
    return folder if plugin is None else f"{plugin}:{_NOT_IN_FOLDERS.sub('-', folder)}"


def _alias(name: str, given: str | None, plugin: str | None) -> str | None:
    """Find the second name, which stands in brackets when it tells something and is plain."""
    if not given or utf16_units(given) > _LONGEST_NAME:
        return None
    prefix = "" if plugin is None else f"{plugin}:"
    alias = given if given.startswith(prefix) else prefix + given
    is_plain = utf16_units(alias) <= _LONGEST_NAME and all(map(_is_plain, alias))
    return alias if is_plain and alias != name and not name.endswith(f":{alias}") else None


def _is_plain(char: str) -> bool:
    return char in "_:.-" or unicodedata.category(char)[0] in "LMN"


def _skill_text(reading: FrontmatterReading, position: Position) -> str | None:
    """Join what follows the name; None when none of it is the file's own."""
    if reading.description is None and reading.when_to_use is None:
        return None
    own = None if reading.description is None else flattened(reading.description)
    shown = own or _heading(reading.body, position)
    return f"{shown} - {flattened(reading.when_to_use)}" if reading.when_to_use else shown


def _heading(body: str, position: Position) -> str:
    """Find the first line of the body, which stands in for a description."""
    line = next((line for line in body.split("\n") if line.strip(JS_SPACE)), "").strip(JS_SPACE)
    if not line:
        return "Plugin skill" if position is Position.PLUGIN else "Skill"
    heading = _HEADING.fullmatch(line)
    text = heading[1] if heading else line
    if utf16_units(text) <= _LONGEST_HEADING:
        return flattened(text)
    kept = text.encode("utf-16-le")[: 2 * (_LONGEST_HEADING - 3)]
    return flattened(kept.decode("utf-16-le", errors="replace") + "...")


def _is_skill_loaded(reading: FrontmatterReading, position: Position, name: str) -> bool:
    if reading.disable_model_invocation:
        return False
    match position:
        case Position.PLUGIN:
            return reading.description is not None or reading.when_to_use is not None
        case Position.PROJECT:
            fits = utf16_units(name) <= _LONGEST_NAME and not _NOT_IN_NAMES.search(name)
            return fits and not reading.has_paths


def _agent_name(path: Path, given: str | None, plugin: str | None) -> str:
    name = given if given and utf16_units(given) <= _LONGEST_NAME else path.stem
    return name if plugin is None else f"{plugin}:{name}"


def _agent_text(reading: FrontmatterReading, position: Position) -> str | None:
    stands_in = reading.when_to_use if position is Position.PLUGIN else None
    return reading.description or stands_in


def _is_agent_loaded(reading: FrontmatterReading) -> bool:
    """Whether an agent of a project has the name and the text that it needs there."""
    entry = reading.block.last("name")
    name = entry.value if entry is not None and not entry.is_map else None
    if not isinstance(name, str) or not name or name.startswith("-"):
        return False
    is_qualified = ":" in unicodedata.normalize("NFKC", name)
    fits = utf16_units(name) <= _LONGEST_NAME and not is_qualified
    return fits and reading.description is not None
