"""Runs that are killed with -9 at random moments and resumed, until they come to their end."""

import json
import multiprocessing
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from skillwalker.cli import main

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["skillwalker.cli.improve", "skillwalker.cli.resuming"])
NEVER = 120.0
"""Seconds in which a life of a run ends by itself."""
OWN_WORDS = ("run_id", "run_index_there", "began")
TIMES = ("duration_s", "duration", "seconds")
SIMULATED_STRATEGIES = {
    "phases": ("--runs-per-query", "5", "--holdout", "0.5"),
    "race": ("--search", "race", "--max-trials", "150"),
}
TRIAL_KEY = ("candidate", "case", "model_asked", "run_index", "attempt")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One process of a run."""

    code: int | None
    """None when it was killed."""
    out: str
    seconds: float


def live(words: Sequence[str], home: Path, *, seconds: float = NEVER) -> Life:
    """Give a command to a process of its own, and kill that after some seconds."""
    out = home / "out.json"
    out.unlink(missing_ok=True)
    process = _FORKS.Process(target=_command, args=(list(words), str(home)))
    began = time.monotonic()
    process.start()
    process.join(timeout=seconds)
    killed = process.is_alive()
    process.kill()
    process.join()
    code = process.exitcode
    process.close()
    said = out.read_text("utf-8") if out.exists() else ""
    killed |= code is not None and code < 0
    return Life(code=None if killed else code, out=said, seconds=time.monotonic() - began)


def _command(words: list[str], home: str) -> None:
    """Run the command line in a process that may be killed."""
    os.environ.update(HOME=home, TMPDIR=home)
    with (Path(home) / "out.json").open("w") as out, (Path(home) / "err.txt").open("a") as err:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(words)
        out.flush()
    os._exit(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run that came to its end, however often it was killed."""

    folder: Path
    summary: Row
    kills: int
    lives: tuple[Life, ...]


def live_warm(home: Path) -> None:
    """Let the first process wait for the imports of all."""
    live(("scil", "run", "--help"), home)


def live_simulated(
    project: Path, strategy: str, most_kills: int, moments: Iterator[float]
) -> "Ended":
    """Carry out a simulated run that writes what it finds, with some kills."""
    common = ("--apply", "--allow-simulated", "--no-html", "--json", "-C", str(project))
    return run_to_its_end(
        ("scil", "run", "--engine", "simulated", *SIMULATED_STRATEGIES[strategy], *common),
        lambda run_id: ("scil", "run", "--resume", run_id, *common),
        project,
        moments,
        most_kills=most_kills,
        begin=lambda words, seconds: live(words, project.parent, seconds=seconds),
    )


def resumable(project: Path) -> Path | None:
    """Find the run that got as far as its record."""
    found = sorted((project / "output").glob("2*/run.json"))
    return found[0].parent if found else None


def run_to_its_end(
    start: Sequence[str],
    again: Callable[[str], Sequence[str]],
    project: Path,
    moments: Iterator[float],
    *,
    most_kills: int,
    begin: Callable[[Sequence[str], float], Life],
    after_kill: Callable[[], None] = lambda: None,
) -> Ended:
    """Start a run, kill it at the given moments of its lives, and resume it until it ends.

    Args:
        start: the command that starts the run.
        again: the command that goes on with a run of that name.
        project: where it is recorded.
        moments: seconds after which a life is killed.
        most_kills: kills after which it is let live.
        begin: gives a command to a process that is killed after some seconds.
        after_kill: is called when a life was killed.
    """
    lives: list[Life] = []
    kills = 0
    while True:
        run = resumable(project)
        words = start if run is None else again(run.name)
        lives.append(begin(words, next(moments) if kills < most_kills else NEVER))
        if lives[-1].code is not None:
            break
        kills += 1
        after_kill()
    assert lives[-1].code == 0, (lives[-1], words)
    run = resumable(project)
    assert run is not None
    return Ended(folder=run, summary=json.loads(lives[-1].out), kills=kills, lives=tuple(lives))


def moments_until(seconds: float, seed: int) -> Iterator[float]:
    """Draw moments within a time."""
    random = Random(seed)  # noqa: S311 (no secret)
    while True:
        yield random.uniform(0, seconds)


def rows(run: Path, name: str) -> list[Row]:
    """Read the lines of a file; none where there is no file."""
    path = run / name
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    )


def assert_nothing_twice(run: Path) -> None:
    """See that no trial, iteration or answer was recorded twice."""
    trials = [tuple(row[key] for key in TRIAL_KEY) for row in rows(run, "trials.jsonl")]
    assert len(set(trials)) == len(trials)
    iterations = [row["iteration"] for row in rows(run, "scil-iteration.jsonl")]
    assert iterations == list(range(1, len(iterations) + 1))
    answers = [row["proposal"] for row in rows(run, "improver.jsonl") if row["final"]]
    assert len(set(answers)) == len(answers)


def plain(value: object) -> object:
    """Leave out of a record what no two runs share: names and times."""
    if isinstance(value, Mapping):
        left_out = {*OWN_WORDS, *TIMES}
        return {key: plain(item) for key, item in value.items() if key not in left_out}
    return [plain(item) for item in value] if isinstance(value, list) else value


def what_is_left(project: Path, run: Path) -> dict[str, object]:
    """Give all that a run left, so that two of them can be compared."""
    trials = sorted(rows(run, "trials.jsonl"), key=lambda row: [str(row[key]) for key in TRIAL_KEY])
    for row in trials:
        row["transcript"] = row["transcript"] is not None
    lock = project / "skillwalker.lock"
    return {
        "summary": plain(json.loads((run / "scil-summary.json").read_text("utf-8"))),
        "trials": plain(trials),
        "iterations": plain(rows(run, "scil-iteration.jsonl")),
        "answers": plain(rows(run, "improver.jsonl")),
        "lock": plain(json.loads(lock.read_text("utf-8"))) if lock.exists() else None,
        "files": {str(path): path.read_bytes() for path in project.glob("plugins/*/skills/*/*")},
    }


def differences(one: object, other: object, at: str = "") -> list[str]:
    """Name the places where two records differ, with what stands there."""
    if isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        return [line for key in one for line in differences(one[key], other[key], f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{at}[{n}]")]
    return [] if one == other else [f"{at}: {one!r} != {other!r}"]


def begin_anew(project: Path, make: Callable[[], Path]) -> Path:
    """Make a project again where one was."""
    shutil.rmtree(project, ignore_errors=True)
    return make()
