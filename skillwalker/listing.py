"""What Claude Code shows a model of one file, and how it stands in the whole listing.

Skills share a budget: over it whole descriptions are dropped, names never. Agents have none.

Source: behaviour of Claude Code 2.1.332, docs/how-claude-code-reads-files.md.
"""

import dataclasses
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.inputs import Listed, ListingPlace
from skillwalker.datatypes.vocabulary import ListingState, Position, TargetKind
from skillwalker.frontmatter_block import JS_SPACE
from skillwalker.frontmatter_text import FrontmatterReading, read_frontmatter
from skillwalker.listing_budget import CLAUDE_VERSION, BundledSkills, budget_chars, bundled_skills
from skillwalker.listing_findings import MOST_BYTES, SKILL_CAP, find
from skillwalker.shown_text import columns, cut, flattened, utf16_units

__all__ = ["list_file", "listing_line", "longest_that_fits", "place_in_listing", "tools_suffix"]

_LONGEST_NAME = 256
_LONGEST_HEADING = 100
_HEADING = re.compile(f"#+[{JS_SPACE}]+([^{JS_SPACE}][^\n\r\u2028\u2029]*)")
_NOT_IN_FOLDERS = re.compile(r"[^A-Za-z0-9_-]")
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029<>]")
_NO_BUNDLED = BundledSkills(lines=0, columns=0)


def list_file(
    path: Path,
    content: bytes,
    kind: TargetKind,
    position: Position,
    plugin: str | None,
    yaml_text: str | None = None,
) -> Listed:
    """Say what Claude Code shows of a file that lies where it looks.

    Args:
        path: names a skill by its folder, an agent by its file.
        content: its bytes.
        kind: how it is read.
        position: how it is read.
        plugin: the plugin's name, with an agent's subfolders behind it, joined by colons.
        yaml_text: the description as a plain YAML parser reads it, to tell where the two differ.
    """
    reading = read_frontmatter(content, kind, position)
    line = _line_of(path, reading, kind, position, plugin)
    loaded = line.loaded and len(content) <= MOST_BYTES
    text = line.text
    if kind is TargetKind.SKILL and text is not None:
        text = cut(text, SKILL_CAP)
    listed = Listed(
        path=path,
        kind=kind,
        position=position,
        listed=loaded,
        name=line.name if loaded else None,
        alias=line.alias if loaded else None,
        text=text if loaded else None,
        yaml_text=yaml_text,
        stand_in=line.stand_in if loaded and text is None else None,
    )
    return dataclasses.replace(listed, findings=find(listed, reading, content, line.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A file's line in the listing, before it is cut."""

    name: str
    alias: str | None
    text: str | None
    stand_in: str
    loaded: bool


def _line_of(
    path: Path,
    reading: FrontmatterReading,
    kind: TargetKind,
    position: Position,
    plugin: str | None,
) -> _Line:
    match kind:
        case TargetKind.SKILL:
            name = _skill_name(path, plugin)
            return _Line(
                name=name,
                alias=_alias(name, reading.name, plugin),
                text=_skill_text(reading, position),
                stand_in=_heading(reading.body, position),
                loaded=_is_skill_loaded(reading, position, name),
            )
        case TargetKind.AGENT:
            return _Line(
                name=_agent_name(path, reading.name, plugin),
                alias=None,
                text=_agent_text(reading, position),
                stand_in=f"Agent from {(plugin or '').partition(':')[0]} plugin",
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


def tools_suffix(reading: FrontmatterReading) -> str:
    """Write what follows an agent's text in its line."""
    if reading.tools is not None:
        denied = frozenset(reading.disallowed_tools)
        return f"(Tools: {', '.join(tool for tool in reading.tools if tool not in denied)})"
    if reading.disallowed_tools:
        return f"(Tools: All tools except {', '.join(reading.disallowed_tools)})"
    return "(Tools: All tools)"


def listing_line(listed: Listed, tools: str = "") -> str:
    """Write the line that the request holds as long as the budget allows its text.

    Args:
        listed: the file; it must be listed.
        tools: `tools_suffix` of an agent.
    """
    line = f"{_name_only(listed)}: {_behind_name(listed)}"
    return f"{line} {tools}" if tools else line


def _name_only(listed: Listed) -> str:
    return f"- {listed.name}" + (f" ({listed.alias})" if listed.alias else "")


def _behind_name(listed: Listed) -> str:
    return listed.text if listed.text is not None else listed.stand_in or ""


def place_in_listing(
    target: Listed,
    all_listed: Sequence[Listed],
    *,
    model: str,
    bundled: bool = True,
    version: str = CLAUDE_VERSION,
) -> ListingPlace:
    """Say how a file stands among all that are installed, in a home without history.

    Args:
        target: the file.
        all_listed: everything installed, the target too.
        model: a full id or an alias.
        bundled: whether Claude Code's own skills are listed.
        version: of Claude Code.
    """
    budget = budget_chars(model, version)
    own = bundled_skills(version) if bundled else _NO_BUNDLED
    if target.kind is TargetKind.AGENT:
        used = columns(listing_line(target)) if target.listed else 0
        state = ListingState.WHOLE if target.listed else ListingState.ABSENT
        return ListingPlace(listed=target, budget_chars=None, used_chars=used, state=state)
    order = _in_order(target, all_listed)
    whole, left = _share(order, budget, own)
    return ListingPlace(
        listed=target,
        budget_chars=budget,
        used_chars=budget - left,
        state=_state(target, whole=target in order and whole[order.index(target)]),
    )


def _state(target: Listed, *, whole: bool) -> ListingState:
    if not target.listed:
        return ListingState.ABSENT
    if not whole:
        return ListingState.NAME_ONLY
    was_cut = any(finding.rule == "over-cap" for finding in target.findings)
    return ListingState.CUT if was_cut else ListingState.WHOLE


def _in_order(target: Listed, all_listed: Sequence[Listed]) -> list[Listed]:
    """The listed skills as they stand in the request: a project's, then plugins' by folder."""
    skills = {skill for skill in (*all_listed, target) if skill.kind is TargetKind.SKILL}
    return sorted((skill for skill in skills if skill.listed), key=_place_key)


def _place_key(skill: Listed) -> tuple[bool, str, str]:
    plugin, _, folder = (skill.name or "").rpartition(":")
    bare = "".join(c for c in unicodedata.normalize("NFKD", folder) if c.isalnum() or c in "-_")
    return skill.position is Position.PLUGIN, plugin, f"{bare.casefold()}\0{skill.name}"


def _share(skills: Sequence[Listed], budget: int, own: BundledSkills) -> tuple[list[bool], int]:
    """Give out the budget in order: which skills stay whole, and what is left."""
    names = [columns(name) for name in _shown_names(skills)]
    left = budget - own.columns - max(0, own.lines + len(skills) - 1) - sum(names)
    whole: list[bool] = []
    for skill in skills:
        extra = columns(f": {_behind_name(skill)}")
        whole.append(extra <= left)
        left -= extra if whole[-1] else 0
    return whole, left


def _shown_names(skills: Sequence[Listed]) -> list[str]:
    """Names with their aliases; one that means another skill already is left out."""
    taken = {skill.name for skill in skills}
    shown: list[str] = []
    for skill in skills:
        is_free = skill.alias not in taken
        taken.add(skill.alias)
        shown.append(_name_only(skill if is_free else dataclasses.replace(skill, alias=None)))
    return shown


def longest_that_fits(
    target: Listed,
    all_listed: Sequence[Listed],
    *,
    model: str,
    bundled: bool = True,
    version: str = CLAUDE_VERSION,
) -> int:
    """Say how many columns the target's text may have so that it is still sent.

    The text is the description, with ` - ` and `when_to_use` behind it where there is one.
    """
    if target.kind is TargetKind.AGENT:
        return MOST_BYTES
    order = _in_order(target, all_listed)
    place = order.index(target) if target in order else len(order)
    own = bundled_skills(version) if bundled else _NO_BUNDLED
    # Those behind the target get their share after it; only their names come first.
    silent = [dataclasses.replace(skill, text="", stand_in=None) for skill in order[place:]]
    _, left = _share([*order[:place], *silent], budget_chars(model, version), own)
    return max(0, min(SKILL_CAP, left + len(": ") * (len(silent) - 1)))
