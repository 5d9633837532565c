"""What a user should know about a file: why it is not listed, what is lost, what means nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from skillwalker.datatypes.inputs import Finding, Listed
from skillwalker.datatypes.vocabulary import Position, Severity, TargetKind
from skillwalker.frontmatter.block import JS_SPACE, Block, BlockState, FrontmatterEntry
from skillwalker.frontmatter.text import FrontmatterReading
from skillwalker.listing.known_keys import known_keys, meant_key
from skillwalker.listing.shown_text import utf16_units

__all__ = ["MOST_BYTES", "SKILL_CAP", "find"]

SKILL_CAP = 1536
"""UTF-16 units of a skill's text in the listing."""
MOST_BYTES = 1 << 20
"""A larger file is not loaded."""
_SHOWN_END = 40
"""Characters of a text that a message repeats."""
_SWITCHES = ("disable-model-invocation", "user-invocable")


@dataclass(frozen=True, slots=True)
class _File:
    listed: Listed
    reading: FrontmatterReading
    content: bytes
    whole: str | None
    """The text before it is cut."""

    @property
    def block(self) -> Block:
        return self.reading.block

    @property
    def is_skill(self) -> bool:
        return self.listed.kind is TargetKind.SKILL

    def line(self, entry: FrontmatterEntry | None) -> int | None:
        return None if entry is None else self.block.source.line(entry.start)


def find(
    listed: Listed, reading: FrontmatterReading, content: bytes, whole: str | None
) -> tuple[Finding, ...]:
    """Find all there is to say about a file, in order of its lines.

    Args:
        listed: the file as Claude Code shows it, without findings.
        reading: what its frontmatter says.
        content: its bytes.
        whole: its text before it is cut.
    """
    file = _File(listed, reading, content, whole)
    found = [finding for rule in _RULES for finding in rule(file)]
    return tuple(sorted(found, key=lambda finding: (finding.line or 0, finding.rule)))


def _error(rule: str, line: int | None, message: str) -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, line=line, message=message)


def _warning(rule: str, line: int | None, message: str) -> Finding:
    return Finding(rule=rule, severity=Severity.WARNING, line=line, message=message)


def _loading(file: _File) -> Iterator[Finding]:
    """Why no description of this file can make Claude call it."""
    reading, block = file.reading, file.block
    if reading.disable_model_invocation and file.is_skill:
        line = file.line(block.last(_SWITCHES[0]))
        yield _warning(  # it can be meant: such a skill is called by its user alone
            _SWITCHES[0],
            line,
            "`disable-model-invocation` is true: Claude is never told of this skill; remove the"
            " line, or set it to false",
        )
        if not reading.user_invocable:
            yield _error(
                "unreachable",
                line,
                "neither Claude nor the user can call this skill: `disable-model-invocation` is"
                " true and `user-invocable` is false; change one of them",
            )
    elif not file.listed.listed:
        yield _error("not-loaded", *_why_not_loaded(file))
    elif file.listed.text is None:
        yield _error(
            "never-triggers",
            None,
            f"Claude gets nothing of this file's own: it is listed as {file.listed.stand_in!r};"
            f" {_missing(block)}",
        )


def _why_not_loaded(file: _File) -> tuple[int | None, str]:
    if len(file.content) > MOST_BYTES:
        return None, f"Claude Code loads no file over {MOST_BYTES} bytes; shorten it"
    if file.is_skill and file.reading.has_paths and file.reading.description is not None:
        line = file.line(file.block.last("paths"))
        return line, (
            "`paths` hides a project's skill until Claude touches a file that matches; remove it"
        )
    if file.reading.description is None:
        return _place_of_description(file), f"Claude Code does not load it: {_missing(file.block)}"
    if file.is_skill:
        return None, "Claude Code does not offer a skill whose folder has such a name; rename it"
    line = file.line(file.block.last("name"))
    return line, (
        "Claude Code does not load an agent of a project whose `name` is missing, is no text,"
        " begins with `-`, holds `:` or is over 256 characters; give it a plain name"
    )


def _place_of_description(file: _File) -> int | None:
    block = file.block
    if block.state is BlockState.UNREADABLE and block.error is not None:
        return block.source.line(block.start) + block.error.line
    return file.line(block.last("description"))


def _missing(block: Block) -> str:
    match block.state:
        case BlockState.ABSENT:
            return "there is no frontmatter between two lines `---` at the top of the file; add it"
        case BlockState.UNREADABLE:
            problem = block.error.problem if block.error else "it does not parse"
            return f"the frontmatter is no YAML ({problem}); {_cure(block)}"
        case BlockState.VALID | BlockState.REPAIRED:
            if block.last("description") is None:
                return "there is no key `description`; add `description: TEXT`"
            return "`description` is empty or no text; write one on its line"


def _is_cut(block: Block) -> bool:
    """Whether three dashes inside of a line end the frontmatter, and not a line of their own."""
    return not block.source.text[: block.end].endswith("\n")


def _cure(block: Block) -> str:
    """Say what makes YAML of a frontmatter that is none."""
    if _is_cut(block):
        line = block.source.line(block.end)
        return f"write the `---` in line {line} otherwise, for it ends the frontmatter there"
    if block.error is not None and "end of stream" in block.error.problem:
        return "close the quotes or brackets that are open there"
    return "put the value in double quotes"


def _description_losses(file: _File) -> Iterator[Finding]:
    """What the author wrote and Claude does not see."""
    entry, block = file.block.last("description"), file.block
    if entry is None:
        return
    line, text = file.line(entry), block.source.text
    rest = text[entry.value_end : text.find("\n", entry.value_end)]
    has_comment = rest[:1] in {" ", "\t"} and rest.lstrip(" \t").startswith("#")
    if has_comment and entry.style == "plain" and entry.value_start < entry.value_end:
        yield _warning(
            "hash-cut",
            line,
            f"` #` begins a comment, so Claude does not see {rest.strip()!r}; put the description"
            " in double quotes if that belongs to it",
        )
    if _is_cut(block):
        yield _warning(
            "fence-cut",
            block.source.line(block.end),
            "`---` inside of a line ends the frontmatter here, and all behind it is body; write a"
            " dash otherwise",
        )
    yield from _yaml_differs(file, line)


def _yaml_differs(file: _File, line: int | None) -> Iterator[Finding]:
    seen, meant, error = file.reading.description, file.listed.yaml_text, file.block.error
    if seen is None and meant is None:
        return
    if meant is None and file.block.state is BlockState.REPAIRED and error is not None:
        at = file.block.source.line(file.block.start) + error.line
        yield _warning(
            "yaml-differs",
            at,
            f"the frontmatter is no valid YAML ({error.problem}), so other tools read nothing;"
            f" Claude Code repairs it and sees {_start_of(seen)}; {_cure(file.block)}",
        )
    elif meant is not None and meant.strip() != (seen or "").strip():
        yield _warning(
            "yaml-differs",
            line,
            f"a YAML parser reads {_start_of(meant)}, Claude Code sees {_start_of(seen)};"
            f" {_cure(file.block)}",
        )


def _start_of(text: str | None) -> str:
    if text is None:
        return "nothing"
    return repr(text if len(text) <= _SHOWN_END else f"{text[:_SHOWN_END]}\u2026")


def _length(file: _File) -> Iterator[Finding]:
    if file.is_skill and file.whole is not None and utf16_units(file.whole) > SKILL_CAP:
        end = (file.listed.text or "")[-_SHOWN_END:]
        yield _warning(
            "over-cap",
            file.line(file.block.last("description")),
            f"the text has {utf16_units(file.whole)} characters and is cut at {SKILL_CAP}, behind"
            f" {end!r}; put what matters first, or shorten it",
        )


def _switches(file: _File) -> Iterator[Finding]:
    for key in _SWITCHES:
        entry = file.block.last(key)
        if entry is not None and isinstance(entry.value, str) and file.is_skill:
            yield _warning(
                "quoted-boolean",
                file.line(entry),
                f"`{key}` is the text {entry.value!r}, not true or false; write it without quotes",
            )


def _keys(file: _File) -> Iterator[Finding]:
    known = known_keys(file.listed.kind, file.listed.position)
    for entry in file.block.entries:
        if entry.key not in known:
            meant = meant_key(entry.key, known)
            hint = f"; did you mean `{meant}`?" if meant else ""
            message = f"Claude Code knows no key `{entry.key}` in this kind of file{hint}"
            yield _warning("unknown-key", file.line(entry), message)
        if entry is not file.block.last(entry.key):
            message = f"`{entry.key}` stands in this frontmatter again; the last one counts"
            yield _warning("duplicate-key", file.line(entry), message)


def _name(file: _File) -> Iterator[Finding]:
    path, name = file.listed.path, file.reading.name
    expected = path.parent.name if file.is_skill else path.stem
    if name and name.strip(JS_SPACE) != expected:
        shown = f"; Claude sees {file.listed.name!r}" if file.listed.name else ""
        yield Finding(
            rule="name-differs",
            severity=Severity.INFO,
            line=file.line(file.block.last("name")),
            message=f"`name` is {name!r}, but the file's place says {expected!r}{shown}",
        )


def _encoding(file: _File) -> Iterator[Finding]:
    try:
        file.content.decode()
    except UnicodeDecodeError as error:
        yield _error(
            "encoding",
            file.content.count(b"\n", 0, error.start) + 1,
            f"byte {error.start} is not UTF-8, so Claude sees other characters there; save the file"
            " as UTF-8",
        )


def _older_and_other_places(file: _File) -> Iterator[Finding]:
    if file.content.startswith(b"\xef\xbb\xbf"):
        yield _warning(
            "bom-old-cli",
            1,
            "the file begins with a byte order mark, with which Claude Code 2.1.197 does not read"
            " the frontmatter; save it without",
        )
    in_plugin = file.listed.position is Position.PLUGIN
    if not file.is_skill and in_plugin and "\\n" in (file.reading.description or ""):
        yield _warning(
            "backslash-n",
            file.line(file.block.last("description")),
            "Claude sees `\\n` as it is written in an agent of a plugin; put the description in"
            " double quotes for line breaks",
        )


_RULES = (
    _encoding,
    _loading,
    _description_losses,
    _length,
    _switches,
    _keys,
    _name,
    _older_and_other_places,
)
