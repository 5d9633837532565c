"""Start-up is a feature: help and completion must answer at once."""

import json
import subprocess
import sys

import pytest

LOADED = """
import json, sys
from skillwalker.cli import main
code = main({arguments})
ours = [name for name in sys.modules if name.startswith("skillwalker")]
heavy = ["anyio", "anthropic", "docker", "yaml", "frontmatter", "jinja2"]
print(json.dumps([code, ours, [name for name in heavy if name in sys.modules]]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["scil", "--help"], ["scil", "run", "--help"], ["evals", "--help"], ["--version"]],
    ids=" ".join,
)
def test_help_imports_typer_and_the_command_line_alone(arguments: list[str]) -> None:
    script = LOADED.format(arguments=arguments)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, ours, heavy = json.loads(ran.stderr.splitlines()[-1])
    outside = [n for n in ours if n != "skillwalker" and not n.startswith("skillwalker.cli")]
    assert (code, outside, heavy) == (0, [], [])
