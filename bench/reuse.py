"""How long it takes to find what a run may take over, where many runs lie.

    python bench/reuse.py [RUNS]

Each run has 60 cases; one in 20 is of the same target. Prints the time of one search, and how many
trials it found.
"""

import json
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.recording.records import trial_row
from skillwalker.recording.warm_search import find_warm
from skillwalker.targets.names import description_hash
from tests.measured import trial

CASES = 60
SAME = 20
FACTS = ("name", "endpoint", "permission_mode", "cli_version", "effort")
TEXT = "Helps with code review"
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def record(run_id: str, target: str) -> dict[str, object]:
    """A run.json of the usual size."""
    return {
        "schema_version": 1,
        "run_id": run_id,
        "suite": "review",
        "target_path": f"plugins/demo/skills/{target}/SKILL.md",
        "original_description": TEXT,
        "settings": {"timeout": 180.0, "max_turns": 4, "seed": 0},
        "facts": dict.fromkeys(FACTS, "local"),
        "cases": [
            {"case": f"case {n}", "model": "sonnet", "prompt": "please " * 40, "prompt_sha256": n}
            for n in range(CASES)
        ],
    }


def write_runs(output: Path, runs: int) -> None:
    """Record runs of the last days."""
    draws = [
        replace(trial(f"case {n}", Outcome.TRIGGERED), candidate=description_hash(TEXT))
        for n in range(CASES)
    ]
    lines = "".join(json.dumps(trial_row("run", one)) + "\n" for one in draws * 4)
    for number in range(1, runs + 1):
        run_id = f"{NOW - timedelta(minutes=number):%Y%m%dT%H%M%S}"
        folder = output / run_id
        folder.mkdir()
        target = "review" if number % SAME == 0 else f"other{number}"
        (folder / "run.json").write_text(json.dumps(record(run_id, target), indent=2))
        (folder / "trials.jsonl").write_text(lines)


def main() -> None:
    """Measure one search."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as folder:
        write_runs(Path(folder), runs)
        began, cpu = time.perf_counter(), time.process_time()
        found = find_warm(Path(folder), record(f"{NOW:%Y%m%dT%H%M%S}", "review"))
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"{runs} runs: {wall:.2f} s ({cpu:.2f} s CPU), {len(found)} trials found")


if __name__ == "__main__":
    main()
