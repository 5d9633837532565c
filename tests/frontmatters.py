"""Frontmatters as people write them, and prose to put into them, for hypothesis."""

from hypothesis import strategies as st

from skillwalker.frontmatter.block import JS_SPACE

_PROSE = (
    'Use|when the user|asks|for: this|(or that)|"quoted"|it\'s|#12|C#|é|日本語|🎉|⚠️|שלום|मैं|🇩🇪'
    "|\\d+|C:\\new|a/b.md|~|{x}|[y]|*|- item|&|!|%|@me|`run`|>|<b>|—|--|---|...|key: 42|yes|?|100%"
)
_PLAIN_PROSE = "Use when the user asks for a review of code e.g. in C# or 日本語 it's 🎉"
WORDS = tuple(_PROSE.split("|"))
SAFE_WORDS = tuple(_PLAIN_PROSE.split())
_NEIGHBOURS = (
    "name: x",
    "# a comment: with colon",
    "",
    "model: opus",
    "allowed-tools: Read, Bash(git *)",
    'argument-hint: "[file]"',
    "metadata:\n  author: me\n  version: '1.0'",
    "tools:\n  - Read\n  - Write",
    "license: MIT # see LICENSE",
    "when_to_use: >-\n  Before a merge.\n",
    "version: 1.10",
    "größe: ja",
)


def texts(words: tuple[str, ...], *, breaks: bool) -> st.SearchStrategy[str]:
    """Prose of those words and of free characters, trimmed and not empty."""
    free = st.text(
        st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp")), max_size=6
    )
    part = st.sampled_from(words) | free | (st.sampled_from(["\n", "\n\n"]) if breaks else free)
    joined = st.lists(part, min_size=1, max_size=30).map(" ".join)
    trimmed = joined.map(lambda text: text.strip(JS_SPACE))
    return trimmed.filter(lambda text: bool(text) and "\\n" not in text)


@st.composite
def descriptions(draw: st.DrawFn) -> str:
    """A `description` entry in any style, valid YAML that Claude Code reads as a text."""
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(SAFE_WORDS), min_size=1, max_size=8).map(" ".join),
            min_size=1,
            max_size=3,
        )
    )
    key = draw(st.sampled_from(["description:", '"description":', "description :"]))
    comment = draw(st.sampled_from(["", "", "  # why", "   "]))
    one_line = {
        "plain": f" {rows[0]}{comment}",
        "wrapped": " " + "\n  ".join(rows),
        "next line": f"\n    {rows[0]}{comment}",
        "'": " '" + rows[0].replace("'", "''") + f"'{comment}",
        '"': f' "{rows[0]}: \\"it\\""{comment}',
        "empty": draw(st.sampled_from(["", " ", " ''", " null", " ~", " # later"])),
    }
    style = draw(st.sampled_from([*one_line, "|", ">"]))
    if style in one_line:
        return key + one_line[style]
    indent = draw(st.sampled_from(["  ", "    "]))
    chomping = draw(st.sampled_from(["", "-", "+"]))
    blank = draw(st.sampled_from(["\n", "\n\n"]))
    behind = draw(st.sampled_from(["", "\n"]))
    lines = blank.join(indent + row for row in rows)
    return f"{key} {style}{chomping}{comment}\n{lines}{behind}"


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file whose frontmatter is valid YAML with one description."""
    before = draw(st.lists(st.sampled_from(_NEIGHBOURS), unique=True, max_size=3))
    after = draw(st.lists(st.sampled_from(_NEIGHBOURS), unique=True, max_size=3))
    after = [entry for entry in after if entry not in before]
    inner = "\n".join([*before, draw(descriptions()), *after])
    fence = draw(st.sampled_from(["---", "---", "---  "]))
    body = draw(st.sampled_from(["\n# Title\n\nBody --- with dashes.\n", "\n", "", "\n\nBody: x"]))
    text = f"---\n{inner}\n{fence}{body}"
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()
