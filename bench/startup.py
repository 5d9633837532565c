"""Processor seconds of `scil --help` against a bare typer program with the same options.

    .venv/bin/python bench/startup.py

Both programs run in the same loop, in turn, so that what else the machine does meets both alike.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15

BARE = """
import typer
from skillwalker_bare import run
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
app.command("run")(run)
app.callback()(lambda: None)
app(["--help"])
"""

IMPORTED = """
import sys
from skillwalker.cli import main
code = main(["scil", "--help"])
own = sorted(n for n in sys.modules if n.startswith("skillwalker") and n.count(".") < 3)
foreign = sorted(
    n for n in ("anyio", "anthropic", "docker", "pydantic", "yaml", "frontmatter", "jinja2")
    if n in sys.modules
)
print(code, own, foreign, file=sys.stderr)
"""


def cpu_of(arguments: list[str], **environment: str) -> float:
    """Processor seconds, user and system, of one child."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, env=environment or None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bare_program(folder: Path) -> list[str]:
    """Write a program with the options of `scil run` and nothing behind them."""
    options = Path(__file__).parents[1] / "skillwalker/cli/loop_options.py"
    names = [
        line.partition(" = ")[0]
        for line in options.read_text().splitlines()
        if " = Annotated[" in line
    ]
    parameters = ", ".join(f"o{i}: options.{name} = None" for i, name in enumerate(names))
    (folder / "bare_options.py").write_text(options.read_text())
    (folder / "skillwalker_bare.py").write_text(
        f"import bare_options as options\n\ndef run({parameters}): pass\n"
    )
    (folder / "bare.py").write_text(BARE)
    return [sys.executable, str(folder / "bare.py")]


def main() -> None:
    """Print both figures and their difference."""
    ours = [sys.executable, "-c", "from skillwalker.cli import main; main(['scil', '--help'])"]
    with tempfile.TemporaryDirectory() as name:
        bare = bare_program(Path(name))
        figures = [(cpu_of(ours), cpu_of(bare)) for _ in range(ROUNDS)]
    own, base = (statistics.median(column) for column in zip(*figures, strict=True))
    print(f"scil --help {own:.3f} s, bare typer {base:.3f} s, above it {own - base:+.3f} s")
    subprocess.run([sys.executable, "-c", IMPORTED], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
