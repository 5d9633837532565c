"""A file of another tool as plain values, by its ending, without a key lost."""

import json
from collections.abc import Hashable, Sequence
from pathlib import Path

import yaml

from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.foreign.entries import Document
from skillwalker.foreign.forms import form_of
from skillwalker.foreign.prompt_lists import MARKDOWN, read_prompts
from skillwalker.foreign.tables import DELIMITERS, read_table
from skillwalker.user_files import read_regular

JSON_LINES = frozenset({".jsonl", ".ndjson"})
YAML = frozenset({".yaml", ".yml"})
TEXTS = frozenset({".txt", *MARKDOWN})
READ = (".json", *sorted(JSON_LINES), *sorted(YAML), *DELIMITERS, *sorted(TEXTS))
"""Endings of the files that are read."""


def read_document(path: Path, label: str) -> Document:
    """Read a file by its ending.

    Raises:
        SuiteError: it is missing, unreadable, of another kind, malformed, or has a key twice.
    """
    ending = path.suffix.lower()
    if ending not in READ:
        raise SuiteError(f"{label}: is no file of {', '.join(READ)}; {form_of(ending)}")
    text = _read_text(path, label)
    try:
        if ending in DELIMITERS:
            return read_table(text, label, ending)
        if ending in TEXTS:
            return read_prompts(text, label, stem=path.stem, ending=ending)
        if ending in JSON_LINES:
            return _read_lines(text, label)
        value = _read_yaml(text, label) if ending in YAML else _read_json(text, label)
    except RecursionError as error:
        raise SuiteError(f"{label}: is nested too deep; flatten it") from error
    return Document(label=label, value=value)


def _read_text(path: Path, label: str) -> str:
    try:
        return read_regular(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SuiteError(
            f"{label}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise SuiteError(f"{label}: cannot be read ({why}); check the path") from error


def _read_json(text: str, label: str, line: int = 1) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        at = f"line {line + error.lineno - 1}, column {error.colno}"
        raise SuiteError(f"{label}: {at}: invalid JSON ({error.msg}); correct it") from error
    except ValueError as error:
        raise SuiteError(f"{label}: invalid JSON: {error}") from error


def _read_lines(text: str, label: str) -> Document:
    """Read each line by itself; a line that cannot be read hides no other."""
    values: list[object] = []
    numbers: list[int] = []
    faults: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values.append(_read_json(line, label, number))
                numbers.append(number)
            except SuiteError as error:
                faults.append(str(error))
    return Document(label=label, value=values, lines={"": tuple(numbers)}, faults=tuple(faults))


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {quoted(twice)} is written twice in one object; keep one")
    return read


class _Loader(yaml.SafeLoader):
    """YAML's safe loader, which refuses a key that is written twice instead of dropping one."""

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, object]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and keys.count(key.value) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {quoted(key.value)} is written twice", key.start_mark
                )
        return super().construct_mapping(node, deep)


def _read_yaml(text: str, label: str) -> object:
    try:
        return yaml.load(text, _Loader)  # noqa: S506 (a safe loader, with one more check)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise SuiteError(f"{label}: {at}invalid YAML ({error.problem}); correct it") from error
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise SuiteError(f"{label}: invalid YAML ({error}); correct it") from error
