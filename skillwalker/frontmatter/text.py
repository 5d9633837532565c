"""What Claude Code reads of a file's frontmatter, and the bytes that a new description changes.

All here is a function of the bytes: nothing is opened or written. Of what is written only the
bytes of the value change, and the result is read again before it is given back.
"""

import re
from dataclasses import dataclass
from itertools import zip_longest

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.frontmatter.block import (
    JS_SPACE,
    Block,
    BlockState,
    FrontmatterEntry,
    quoted_line,
    read_block,
)
from skillwalker.frontmatter.entry_values import (
    is_true,
    names_of,
    other_reading,
    shown_text,
    text_of,
)
from skillwalker.frontmatter.scalar_text import Scalar, in_styles

__all__ = [
    "FrontmatterReading",
    "keep_keys",
    "read_frontmatter",
    "replace_description",
]

_UNSHOWABLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef]|[\ufffe\uffff]"
)
_EXAMPLE = "description: TEXT"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontmatterReading:
    """What Claude Code takes from one file, before it flattens, escapes or caps it."""

    description: str | None
    """None when Claude Code gets nothing from the `description` key."""
    span: tuple[int, int] | None
    """Bytes of the value of `description`, empty where the value is; None without such a key."""
    name: str | None
    when_to_use: str | None
    """As joined behind a skill's description; for an agent what stands in for a missing one."""
    body: str
    disable_model_invocation: bool
    user_invocable: bool
    has_paths: bool
    """Whether a project's skill waits for a file that matches."""
    tools: tuple[str, ...] | None
    """None for all tools."""
    disallowed_tools: tuple[str, ...]
    block: Block
    """The entries it was taken from, with their places."""


def read_frontmatter(
    content: bytes, kind: TargetKind, position: Position = Position.PLUGIN
) -> FrontmatterReading:
    """Read a file as Claude Code does in that position, whatever the bytes."""
    block = read_block(content)
    entry = block.last("description")
    invocable = block.last("user-invocable")
    tools = names_of(block, "tools")
    return FrontmatterReading(
        description=_description(entry, kind, position),
        span=_span(block, entry) if entry else None,
        name=text_of(block, "name"),
        when_to_use=_when_to_use(block, kind),
        body=block.body,
        disable_model_invocation=is_true(block.last("disable-model-invocation")),
        user_invocable=invocable is None or is_true(invocable),
        has_paths=any(pattern != "**" for pattern in names_of(block, "paths")),
        tools=None if not tools or "*" in tools else tools,
        disallowed_tools=names_of(block, "disallowedTools"),
        block=block,
    )


def _span(block: Block, entry: FrontmatterEntry) -> tuple[int, int]:
    place = block.source.byte_offset
    return place(entry.value_start), place(entry.value_end)


def _description(
    entry: FrontmatterEntry | None, kind: TargetKind, position: Position
) -> str | None:
    if entry is None or entry.is_map:
        return None
    if kind is TargetKind.AGENT and position is Position.PROJECT:
        text = entry.value if isinstance(entry.value, str) else ""
        return text.replace("\\n", "\n") or None
    return shown_text(entry.value)


def _when_to_use(block: Block, kind: TargetKind) -> str | None:
    if kind is TargetKind.SKILL:
        return text_of(block, "when_to_use") or None
    entries = (block.last("when_to_use"), block.last("when-to-use"))
    texts = (shown_text(entry.value) for entry in entries if entry and not entry.is_map)
    return next((text for text in texts if text), None)


def replace_description(
    content: bytes, text: str, kind: TargetKind, position: Position = Position.PLUGIN
) -> bytes:
    """Put a text in place of the description; no byte outside of the value changes.

    Args:
        content: the whole file.
        text: what Claude Code is to read, before it flattens, escapes or caps it.
        kind: how the file is read.
        position: how the file is read.

    Raises:
        TargetError: there is no value to replace, or no way to write this text; the message says
            why and what to do.
    """
    old = read_frontmatter(content, kind, position)
    entry = _replaceable(old)
    _require_showable(text, kind, position)
    first, last = _span(old.block, entry)
    faults: list[str] = []
    for scalar in in_styles(text, _scalar(old.block, entry, kind, position)):
        gap = "" if first < last else " "
        written = content[:first] + f"{gap}{scalar}".encode() + content[last:]
        fault = _fault(old, read_frontmatter(written, kind, position), text)
        if fault is None:
            return written
        faults.append(fault)
    raise TargetError(f"this description cannot be written: {'; or '.join(dict.fromkeys(faults))}")


def _replaceable(reading: FrontmatterReading) -> FrontmatterEntry:
    """Find the entry to write to, or say which line helps."""
    block = reading.block
    if block.state is BlockState.ABSENT:
        raise TargetError(
            "there is no frontmatter between two lines `---` at the top of the file, so no"
            f" description to replace; put these lines first: `---`, `{_EXAMPLE}`, `---`"
        )
    if block.state is BlockState.UNREADABLE:
        raise TargetError(
            "the frontmatter is no YAML, and Claude Code cannot repair it; mend"
            f" {_invalid_line(block)} first"
        )
    entry = block.last("description")
    if entry is None:
        raise TargetError(
            "the frontmatter has no key `description`; add this line below the first `---`:"
            f" `{_EXAMPLE}`"
        )
    what = "an anchor, a tag or an alias" if entry.decorated else "a list or a map"
    if entry.decorated or entry.is_map or isinstance(entry.value, tuple):
        raise TargetError(
            f"line {block.source.line(entry.start)}: the value of `description` is or has {what};"
            f" put this line in its place: `{_EXAMPLE}`"
        )
    return entry


def _invalid_line(block: Block) -> str:
    if block.error is None:
        return "it"
    return f"line {block.source.line(block.start) + block.error.line} ({block.error.problem})"


def _require_showable(text: str, kind: TargetKind, position: Position) -> None:
    if found := _UNSHOWABLE.search(text):
        raise TargetError(
            f"the description holds the character U+{ord(found[0]):04X}, which Claude Code does not"
            " show; remove it"
        )
    if not text.strip(JS_SPACE):
        raise TargetError("the description is empty, and Claude Code drops an empty one; write one")
    in_project = kind is TargetKind.AGENT and position is Position.PROJECT
    if not in_project and text != text.strip(JS_SPACE):
        raise TargetError(
            "the description begins or ends with white space, which Claude Code strips; remove it"
        )
    if in_project and "\\n" in text:
        raise TargetError(
            "the description holds a backslash before the letter n, which Claude Code shows as a"
            " line break in an agent of a project; write it otherwise"
        )


def _scalar(block: Block, entry: FrontmatterEntry, kind: TargetKind, position: Position) -> Scalar:
    text = block.source.text
    in_project = kind is TargetKind.AGENT and position is Position.PROJECT
    return Scalar(
        written=text[entry.value_start : entry.value_end],
        style=entry.style,
        column=entry.start - (text.rfind("\n", 0, entry.start) + 1),
        newline="\r\n" if "\r\n" in text[: block.end] else "\n",
        escapes_breaks=in_project,
        keeps_last_break=in_project,
    )


def _fault(old: FrontmatterReading, new: FrontmatterReading, text: str) -> str | None:
    """Say what a written file would get wrong; None when it reads as it should."""
    if new.body != old.body:
        return "it would end the frontmatter early (`---` inside); write it without"
    if new.description != text:
        first = (
            "" if old.block.state is BlockState.VALID else f"mend {_invalid_line(old.block)}, or "
        )
        return (
            f"Claude Code would read it otherwise; {first}write it on one line in plain characters"
        )
    if other_reading(new.block) not in {None, text_of(new.block, "description")}:
        return "a YAML parser would read it otherwise than Claude Code"
    before, after = _others(old.block), _others(new.block)
    if before == after:
        return None
    was, now = next(pair for pair in zip_longest(before, after) if pair[0] != pair[1])
    key = (was or now)[0]
    return (
        f"with it the frontmatter becomes valid YAML, in which `{key}` means something else"
        f" than Claude Code reads now; put the value of `{key}` in double quotes first"
    )


def _others(block: Block) -> list[tuple[str, object]]:
    """Give all keys with their values but the description, in order."""
    return [(one.key, one.value) for one in block.entries if one.key != "description"]


def keep_keys(content: bytes, keys: frozenset[str], body: str) -> bytes:
    """Make the throw-away copy of a file: some keys byte for byte, and another body.

    Where Claude Code lists a skill by the first line of its body, that line stays in front of the
    new one; where there is no such line the copy has no body either.

    Raises:
        TargetError: the kept keys cannot be read without the others.
    """
    block = read_block(content)
    entry = block.last("description")
    if entry is None or entry.is_map or shown_text(entry.value) is None:
        heading = next((line for line in block.body.split("\n") if line.strip(JS_SPACE)), "")
        body = f"{heading}\n\n{body}" if heading else ""
    if block.state is BlockState.ABSENT:
        return body.encode()
    kept = tuple(entry for entry in block.entries if entry.key in keys)
    for lines in (_as_written(content, block, kept), _as_repaired(block, kept)):
        copy = content[: block.source.byte_offset(block.start)] + lines + b"---\n" + body.encode()
        again = read_block(copy)
        if [(e.key, e.value) for e in again.entries] == [(e.key, e.value) for e in kept]:
            return copy
    raise TargetError(
        "the frontmatter cannot be copied key by key (an alias, or a value over several lines that"
        " needs repair); write its values out, in double quotes"
    )


def _as_written(content: bytes, block: Block, kept: tuple[FrontmatterEntry, ...]) -> bytes:
    place = block.source.byte_offset
    if block.in_flow:
        pairs = (content[place(entry.start) : place(entry.end)] for entry in kept)
        return b"{" + b", ".join(pairs) + b"}\n"
    lines = (content[place(first) : place(last)] for first, last in _lines(block, kept))
    return b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)


def _as_repaired(block: Block, kept: tuple[FrontmatterEntry, ...]) -> bytes:
    """The kept lines in the quotes that Claude Code puts around them; without them they may fall.

    Dropping the line that made the YAML invalid would end the repair of the others.
    """
    text, lines = block.source.text, []
    for entry, (first, last) in zip(kept, _lines(block, kept), strict=True):
        value = text[entry.value_start : entry.value_end]
        shown = quoted_line(value) if entry.style == "line" else value
        line = text[first : entry.value_start] + shown + text[entry.value_end : last]
        lines.append(line if line.endswith("\n") else line + "\n")
    return "".join(lines).encode()


def _lines(block: Block, kept: tuple[FrontmatterEntry, ...]) -> list[tuple[int, int]]:
    """Span of the whole lines of each entry."""
    text, spans = block.source.text, []
    for entry in kept:
        end = entry.end
        if text[end - 1 : end] != "\n":
            end = text.find("\n", end, block.end) + 1 or block.end
        spans.append((text.rfind("\n", 0, entry.start) + 1, end))
    return spans
