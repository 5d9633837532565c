"""Writes docs/reference/ from what the program says of itself: help texts and schemas.

`python -m tools.reference` writes the pages anew; a test fails while one of them is stale. What a
key means is said in `tools/key_meanings.py`, and a key without a meaning is an error.
"""

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from tools.key_meanings import CASE, EXPECTATION, METRIC, SETTINGS, SUITE

COLUMNS = 80
REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Written by `python -m tools.reference`; change the program, not this page. -->"
TABLE_HEAD = "| key | value | default | meaning |\n|---|---|---|---|\n"

Node = Mapping[str, Any]


def pages() -> dict[str, str]:
    """Give the text of every generated page by its file name."""
    return {
        "commands.md": _commands_page(),
        "settings.md": _settings_page(),
        "tests-json.md": _suite_page(),
    }


def write(texts: Mapping[str, str], folder: Path = REFERENCE) -> list[str]:
    """Write the pages that are stale, and name them."""
    stale = []
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")
            stale.append(name)
    return stale


def command_paths() -> list[tuple[str, ...]]:
    """Give every command as the words that lead to it, groups before what is in them."""
    import typer

    from skillwalker.cli.app import app

    return list(_walk(typer.main.get_command(app), ()))


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name, child in sorted(getattr(command, "commands", {}).items()):
        yield from _walk(child, (*words, name))


def _commands_page() -> str:
    parts = [f"{NOTE}\n\n# Commands\n"]
    parts.append(
        "`scil …` is short for `skillwalker scil …`, `acil …` for `skillwalker acil …`. "
        "`-C` and `--json`\nmay stand before the subcommand, too.\n"
    )
    paths = command_paths()
    parts.append(
        "\n".join(f"- [{_title(p)}](#{_title(p).replace(' ', '-')})" for p in paths) + "\n"
    )
    helps = (f"## {_title(words)}\n\n```text\n{help_text(words)}```\n" for words in paths)
    return "\n".join([*parts, *helps])


def _title(words: tuple[str, ...]) -> str:
    return " ".join(("skillwalker", *words))


def help_text(words: tuple[str, ...]) -> str:
    """Give what `--help` prints on a terminal of 80 columns, without colour."""
    from skillwalker.cli import main

    before = dict(os.environ)
    os.environ.update(COLUMNS=str(COLUMNS), NO_COLOR="1", TERM="dumb")
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            code = main([*words, "--help"])
    finally:
        os.environ.clear()
        os.environ.update(before)
    if code:
        raise SystemExit(f"{_title(words)} --help ended with {code}")
    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _settings_page() -> str:
    from skillwalker.settings_schema import SettingsForm

    schema = SettingsForm.model_json_schema()
    forms = schema["$defs"]
    tables = {
        "The file": (schema, SETTINGS, ""),
        "[models]": (forms["ModelsForm"], SETTINGS, "models."),
        "[budget]": (forms["BudgetForm"], SETTINGS, "budget."),
        '[prices."MODEL"]': (forms["PriceForm"], SETTINGS, "prices."),
        "[metrics.NAME]": (forms["MetricForm"], METRIC, ""),
    }
    head = (
        f"{NOTE}\n\n# Settings: skillwalker.toml\n\n"
        "The file lies in the project's folder; `[tool.skillwalker]` in `pyproject.toml` is read "
        "where there\nis none. All keys are optional. A flag wins over a key. An unknown key is "
        "refused.\n"
    )
    return _with_tables(head, tables)


def _suite_page() -> str:
    from skillwalker.suites.schema import json_schema

    schema: Node = json_schema()
    forms = schema["$defs"]
    tables = {
        "The suite": (schema, SUITE, ""),
        "A case of `tests`": (forms["CaseForm"], CASE, ""),
        "An expectation of `expect`": (forms["ExpectationForm"], EXPECTATION, ""),
        "`llm-judge`": (forms["JudgeForm"], EXPECTATION, "llm-judge."),
        "`skill-call`, the long form": (forms["SkillCallForm"], EXPECTATION, "skill-call."),
        "`agent-call`, the long form": (forms["AgentCallForm"], EXPECTATION, "agent-call."),
    }
    head = (
        f"{NOTE}\n\n# Cases: evals/SUITE/tests.json\n\n"
        "`skillwalker evals schema` prints the same as a JSON Schema, for your editor. Every fault "
        "of a file\nis named at once, with its place, before anything is spent. "
        "An unknown key is refused.\n"
    )
    return _with_tables(head, tables)


def _with_tables(head: str, tables: Mapping[str, tuple[Node, Mapping[str, str], str]]) -> str:
    parts = [head]
    for title, (form, meanings, prefix) in tables.items():
        rows = "".join(_row(form, key, meanings[prefix + key]) for key in form["properties"])
        parts.append(f"## {title}\n\n{TABLE_HEAD}{rows}")
    return "\n".join(parts)


def _row(form: Node, key: str, meaning: str) -> str:
    value = form["properties"][key]
    default = "required" if key in form.get("required", ()) else _default(value)
    return f"| `{key}` | {_kind(value)} | {default} | {meaning} |\n"


def _default(value: Node) -> str:
    default = value.get("default")
    return "" if default is None else f"`{default}`"


def _kind(value: Node) -> str:
    """Say in words what a key may hold."""
    if "anyOf" in value or "oneOf" in value:
        choices = value.get("anyOf") or value["oneOf"]
        return " or ".join(_kind(each) for each in choices if each.get("type") != "null")
    if "$ref" in value:
        return "object"
    if "enum" in value:
        return ", ".join(f"`{each}`" for each in value["enum"])
    kind = str(value["type"])
    if kind == "array":
        items = _kind(value["items"])
        return f"list of {items}s" if " " not in items else f"list of {items}"
    if kind == "object":
        return "table"
    return kind + _bounds(value)


def _bounds(value: Node) -> str:
    words = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤"}
    found = [f"{sign} {value[key]}" for key, sign in words.items() if key in value]
    if "not" in value:
        found.append("odd")
    return f" ({', '.join(found)})" if found else ""


if __name__ == "__main__":
    written = write(pages())
    sys.stdout.write("".join(f"docs/reference/{name}: written\n" for name in written))
