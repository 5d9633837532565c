"""What Claude Code shows a model of one file, and how it stands in the whole listing.

Skills share a budget: over it whole descriptions are dropped, names never. Agents have none.

Source: behaviour of Claude Code 2.1.332, docs/how-claude-code-reads-files.md.
"""

import dataclasses
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import Listed, ListingPlace
from skillwalker.datatypes.vocabulary import ListingState, Position, TargetKind
from skillwalker.frontmatter.text import FrontmatterReading, read_frontmatter
from skillwalker.listing.budget import (
    CLAUDE_VERSION,
    BundledSkills,
    budget_chars,
    bundled_skills,
)
from skillwalker.listing.findings import MOST_BYTES, SKILL_CAP, find
from skillwalker.listing.line import line_of
from skillwalker.listing.shown_text import columns, cut, unescaped

__all__ = [
    "CLAUDE_VERSION",
    "budget_chars",
    "in_listing_order",
    "list_file",
    "listing_line",
    "listing_states",
    "longest_that_fits",
    "place_in_listing",
    "tools_suffix",
]

PLAIN = frozenset({"2.1.197"})
"""Versions that write a skill's `<` and `>` as they are, and no second name behind the first."""
_NO_BUNDLED = BundledSkills()


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
    line = line_of(path, reading, kind, position, plugin)
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
        stand_in_is_own=loaded and text is None and line.stand_in_is_own,
    )
    return dataclasses.replace(listed, findings=find(listed, reading, content, line.text))


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
    budget: int | None = None,
) -> ListingPlace:
    """Say how a file stands among all that are installed, in a home without history.

    Args:
        target: the file.
        all_listed: everything installed, the target too.
        model: a full id or an alias.
        bundled: whether Claude Code's own skills are listed.
        version: of Claude Code.
        budget: columns of the whole listing; None takes those of the model and version.
    """
    budget = budget_chars(model, version) if budget is None else budget
    own = bundled_skills(version) if bundled else _NO_BUNDLED
    if target.kind is TargetKind.AGENT:
        used = columns(listing_line(target)) if target.listed else 0
        state = ListingState.WHOLE if target.listed else ListingState.ABSENT
        longest = MOST_BYTES if target.listed else None
        return ListingPlace(
            listed=target, budget_chars=None, used_chars=used, state=state, longest=longest
        )
    order = _in_order(target, all_listed)
    shown = _as_shown(order, version)
    whole, left = _share(shown, budget, own)
    return ListingPlace(
        listed=target,
        budget_chars=budget,
        used_chars=budget - left,
        state=_state(target, whole=target in order and whole[order.index(target)]),
        longest=_longest(shown, order.index(target), budget, own) if target in order else None,
    )


def in_listing_order(files: Sequence[Listed]) -> list[Listed]:
    """Sort files as they stand in a request: a project's, then plugins' by folder."""
    return sorted(files, key=_place_key)


def listing_states(
    skills: Sequence[Listed],
    *,
    model: str,
    in_order: bool = False,
    version: str = CLAUDE_VERSION,
) -> tuple[tuple[Listed, ListingState], ...]:
    """Say how each of many skills stands in the listing; those not listed are last.

    Args:
        skills: all that are installed.
        model: a full id or an alias.
        in_order: whether they get room in the order given; else in that of a home without history.
        version: of Claude Code.
    """
    skills = skills if in_order else in_listing_order(skills)
    order = [skill for skill in skills if skill.listed]
    shown = _as_shown(order, version)
    whole, _ = _share(shown, budget_chars(model, version), bundled_skills(version))
    states = [(skill, _state(skill, whole=fits)) for skill, fits in zip(order, whole, strict=False)]
    absent = [(skill, ListingState.ABSENT) for skill in skills if not skill.listed]
    return (*states, *absent)


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
    return in_listing_order([skill for skill in skills if skill.listed])


def _place_key(skill: Listed) -> tuple[bool, str, str]:
    plugin, _, folder = (skill.name or "").rpartition(":")
    bare = "".join(c for c in unicodedata.normalize("NFKD", folder) if c.isalnum() or c in "-_")
    return skill.position is Position.PLUGIN, plugin, f"{bare.casefold()}\0{skill.name}"


def _as_shown(skills: Sequence[Listed], version: str) -> list[Listed]:
    """Take back second names, and the entities of `<` and `>`: older versions write neither."""
    if version not in PLAIN:
        return list(skills)
    return [
        dataclasses.replace(skill, alias=None, text=skill.text and unescaped(skill.text))
        for skill in skills
    ]


def _share(skills: Sequence[Listed], budget: int, own: BundledSkills) -> tuple[list[bool], int]:
    """Give out the budget in order: which skills stay whole, and what is left."""
    names = [columns(name) for name in _shown_names(skills)] + [name for name, _ in own.commands]
    extras = [columns(f": {_behind_name(skill)}") for skill in skills]
    extras += [extra for _, extra in own.commands]
    left = budget - own.columns - sum(names) - max(0, own.lines + len(names) - 1)
    whole: list[bool] = []
    for extra in extras:
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
    budget: int | None = None,
) -> int:
    """Say how many columns the target's text may have so that it is still sent.

    The text is the description, with ` - ` and `when_to_use` behind it where there is one.
    """
    if target.kind is TargetKind.AGENT:
        return MOST_BYTES
    order = _in_order(target, all_listed)
    place = order.index(target) if target in order else len(order)
    own = bundled_skills(version) if bundled else _NO_BUNDLED
    budget = budget_chars(model, version) if budget is None else budget
    return _longest(_as_shown(order, version), place, budget, own)


def _longest(order: Sequence[Listed], place: int, budget: int, own: BundledSkills) -> int:
    """Say what is left for the text of the skill at a place in the order."""
    # What stands behind the target gets its share after it; only the names come first.
    silent = [dataclasses.replace(skill, text="", stand_in=None) for skill in order[place:]]
    own = dataclasses.replace(own, commands=tuple((name, 0) for name, _ in own.commands))
    whole, left = _share([*order[:place], *silent], budget, own)
    separators = len(": ") * sum(whole[place : place + len(silent)])
    return max(0, min(SKILL_CAP, left + separators - len(": ")))
