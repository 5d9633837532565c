import pytest
import yaml

from skillwalker.frontmatter.yaml_nodes import YamlError, compose
from skillwalker.frontmatter.yaml_values import Value, js_text, node_value


def read(text: str) -> dict[str, Value] | str | None:
    root = compose(text)
    if isinstance(root, YamlError):
        return "error"
    if not isinstance(root, yaml.MappingNode):
        return None
    return {js_text(node_value(key)): node_value(value) for key, value in root.value}


# Each as Bun's YAML parser, which is Claude Code's, reads it.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x: yes", "yes"),
        ("x: True", True),
        ("x: NULL", None),
        ("x: nUll", "nUll"),
        ("x: 0o17", 15),
        ("x: 017", 17),
        ("x: -0x1F", -31),
        ("x: 1_000", "1_000"),
        ("x: 1.10", 1.1),
        ("x: .5", 0.5),
        ("x: -.INF", float("-inf")),
        ("x: 12:30:45", "12:30:45"),
        ("x: 2026-01-02", "2026-01-02"),
        ("x: ''", ""),
        ("x: !!str 42", "42"),
        ("x: !t 42", "42"),
        ("x: !t", None),
        ("x: !!int 42", 42),
        ("x: &a b", "b"),
        ("x: &a", None),
        ("x: ,a", ",a"),
        ("x:\ta\t", "a"),
        ("x: a\t#b", "a"),
        ("x: a#b", "a#b"),
        ("x: a\n \tb", "a b"),
        ("x: a\n\t\n b", "a\nb"),
        ("x: a\n\n  b\n c", "a\nb c"),
        ("x: a\r\n  b", "a b"),
        ('x: "a\r\n  b"', "a\nb"),
        ('x: "a\r\n\r\n  b"', "a\n\nb"),
        ('x: "a\n  b"', "a b"),
        ('x: "a \\\n  b"', "a b"),
        ('x: "\\ud83d\\ude00 \\e\\_\\L"', "😀 \x1b\xa0\u2028"),
        ("x: a\u2028b\x85c", "a\u2028b\x85c"),
        ("x: |\r\n  a\r\n\r\n  b\r\n", "a\n\nb\n"),
        ("x: |\n  a", "a\n"),
        ("x: >+\n  a\n\n", "a\n\n"),
        ("x: |2-\n   a\n  b\n", " a\nb"),
        ("x: |-1\n a\n", "a"),
        ("x: >\t# c\n  a\n", "a\n"),
        ("x: [a,\n b]", ("a", "b")),
        ("? x\n: a", "a"),
        ("x: a\n...\n", "a"),
    ],
)
def test_values_are_read_as_the_parser_of_claude_code_reads_them(text: str, value: Value) -> None:
    result = read(text)
    assert isinstance(result, dict)
    assert result["x"] == value
    assert type(result["x"]) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        'x: "a" b',
        'x: "a"#b',
        'x: "a\nb"',
        "x: 'a\n\tb'",
        'x: "\\q"',
        'x: "\\ud83d"',
        "x: [a,\nb]",
        "x: [a",
        "x: [a, , ]",
        "x: a: b",
        "x: - a",
        "x: *a",
        "x: @a",
        "x: %a",
        "x:\na",
        'x:\n"a"',
        "x: |\na",
        "x: |\n    \n  a",
        "x: |x\n  a",
        "x:\n\ta",
        "x: a\n\tb",
        'y: a\nx: "b"\n\t\nz: c',
        " x: a\ny: b",
        "x: a\n y: b",
        "x: a\0",
        "x: &a]b",
        "x: a\n...\ny: b",
    ],
)
def test_what_the_parser_of_claude_code_refuses_is_refused(text: str) -> None:
    assert read(text) == "error"


@pytest.mark.parametrize("text", ["", "# c", "a", "- a", "x:b"])
def test_what_is_no_table_has_no_entries(text: str) -> None:
    assert read(text) is None


def test_an_error_names_its_line() -> None:
    error = compose("x: a\ny: *b\n")
    assert isinstance(error, YamlError)
    assert error.line == 1


@pytest.mark.parametrize("text", ["a: [" * 2000, "a: " * 5, "{" * 3000, "a: !!int x"])
def test_a_deep_or_odd_text_makes_no_traceback(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (42, "42"),
        (1.1, "1.1"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1.5e-7, "1.5e-7"),
        (0.00001, "0.00001"),
        (0.000001234, "0.000001234"),
        (1.5e300, "1.5e+300"),
        (-0.0, "0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (10**400, "Infinity"),
        (9007199254740993, "9007199254740992"),
        (("a", None, 1), "a,,1"),
    ],
)
def test_values_are_written_as_javascript_writes_them(value: Value, text: str) -> None:
    assert js_text(value) == text
