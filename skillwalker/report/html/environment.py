"""The templates, with every text escaped, and the page's one style sheet and its policy."""

import base64
import hashlib
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from skillwalker.report import wording
from skillwalker.report.html.costs import money
from skillwalker.report.html.dialogues import LONGEST_PROMPT
from skillwalker.report.plain import printable, shortened

TEMPLATES = Path(__file__).parent / "templates"
STYLE = "style.css"


_PERCENTAGE = re.compile(r"((?:[<>] )?\d+(?:–\d+)? %)")


@cache
def templates() -> Environment:
    """Open the templates: nothing is marked as safe but our own charts and style."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters |= {
        "percent": wording.percent,
        "rate": lambda measured: _in_wholes(wording.rate(measured)),
        "counted": wording.counted,
        "points_within": lambda change, interval: _in_wholes(
            wording.points_within(change, interval)
        ),
        "wholes": _in_wholes,
        "breakable": _breakable,
        "money": money,
        "prompt": lambda text: shortened(text, LONGEST_PROMPT),
        "number": lambda figure: f"{figure:,}",
    }
    return environment


def _in_wholes(text: str) -> Markup:
    """Let a figure break anywhere but within a percentage and its range."""
    parts = _PERCENTAGE.split(printable(text))
    whole = Markup('<span class="whole">{}</span>')
    return Markup().join(
        whole.format(part) if at % 2 else Markup.escape(part) for at, part in enumerate(parts)
    )


def _breakable(name: str) -> Markup:
    """Let the name of a target break behind its colons."""
    return Markup(":<wbr>").join(map(printable, name.split(":")))


def _visible(value: object) -> object:
    """Replace what no HTML may hold, in every text that is not our own markup."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(name: str, **values: object) -> str:
    """Fill a template; the style sheet stands in the page, and nothing else may be loaded."""
    style = (TEMPLATES / STYLE).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none';"
        " form-action 'none'"
    )
    template = templates().get_template(name)
    return template.render(style=Markup(style), policy=policy, **values)  # noqa: S704 (our own file)


def moment(run_id: str) -> str:
    """Say when a run began, from its name; the name itself where it says no time."""
    try:
        began = datetime.strptime(run_id[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return run_id
    return f"{began.day} {began:%B %Y, %H:%M} UTC"
