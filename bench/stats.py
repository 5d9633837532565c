"""Time and memory of `skillwalker stats` over a million recorded trials.

    .venv/bin/python bench/stats.py [TRIALS] [RUNS]

The runs are written by the store that writes real ones, in a folder that is thrown away; then the
command runs in a process of its own, as a user starts it. Nothing is cached between two rounds but
the system's own pages.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from skillwalker.datatypes.trials import Trial, Usage  # noqa: E402  # found by the line above
from skillwalker.datatypes.vocabulary import CaseSet, Outcome  # noqa: E402  # the same
from tests.histories import TRIAL, Past, write_past  # noqa: E402  # the same

ROUNDS = 3
CASES = {f"asks for a review in plain words {number}": number % 2 == 0 for number in range(30)}
TEXTS = tuple(f"{number:016x}" for number in range(5))
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
UNDECIDED = 0.03


def trials_of_run(draw: random.Random, number: int) -> tuple[Trial, ...]:
    """Draw the trials of one run: all cases under each text in turn, retries included."""
    found: list[Trial] = []
    for place in range(number):
        turn, case = divmod(place, len(CASES))
        text = TRIAL.candidate if turn % 6 == 0 else TEXTS[turn % 6 - 1]
        trial = replace(
            TRIAL,
            case=tuple(CASES)[case],
            candidate=text,
            run_index=turn // 6,
            set=CaseSet.TRAIN if turn < 12 else CaseSet.CONFIRM,
            outcome=draw.choice((Outcome.TRIGGERED, Outcome.NOT_TRIGGERED)),
            cell_key=f"{draw.getrandbits(256):064x}",
            transcript=f"transcripts/{text}-{case:012x}-{turn}-0.jsonl.gz",
            usage=Usage(input_tokens=2_000, output_tokens=90, cache_read_tokens=15_000),
        )
        if draw.random() < UNDECIDED:
            found.append(replace(trial, outcome=Outcome.UNDECIDED, reason="rate", model=None))
            trial = replace(trial, attempt=1)
        found.append(trial)
    return tuple(found)


def write_history(output: Path, trials: int, runs: int) -> None:
    """Write runs, an hour apart."""
    draw = random.Random(0)  # noqa: S311  # a benchmark, no secret
    for number in range(runs):
        moment = FIRST + timedelta(hours=number)
        past = Past(
            run_id=f"{moment:%Y%m%dT%H%M%S}",
            target=f"demo:skill-{number % 20}",
            cases=CASES,
            trials=trials_of_run(draw, trials // runs),
        )
        write_past(output, past)


def main() -> None:
    """Write once, sum up a few times, and print the figures."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    with tempfile.TemporaryDirectory() as name:
        write_history(Path(name) / "output", trials, runs)
        files = list(Path(name).glob("output/*/trials.jsonl"))
        size = sum(file.stat().st_size for file in files) / 1e6
        rows = sum(file.read_bytes().count(b"\n") for file in files)
        print(f"{rows} rows of {trials} trials in {runs} runs, {size:.0f} MB")
        command = [sys.executable, "-m", "skillwalker", "-C", name, "stats", "--json"]
        for _ in range(ROUNDS):
            before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            done = subprocess.run(command, capture_output=True, check=True, cwd=PROJECT)
            wall = time.perf_counter() - wall
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            figures = json.loads(done.stdout)
            counted = sum(
                row["triggered"] + row["not_triggered"] + row["undecided"]
                for row in figures["outcomes"]
            )
            assert counted == trials // runs * runs, counted
            peak = after.ru_maxrss / 1024
            print(f"stats: {wall:.1f} s of wall, {cpu:.1f} s of CPU, peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
