"""Seconds of `evals check` on a folder of many skills, a fifth of them with a suite.

    .venv/bin/python bench/check.py [SKILLS]

The child's processor seconds are the figure; the clock's depend on what else the machine does.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_WORDS = (
    "review deploy database query python report chart budget travel music kitchen garden legal "
    "invoice email slack docker cluster react vue design colour image audio video parser index"
)
WORDS = _WORDS.split()
CASES = 20


def build(root: Path, skills: int) -> None:
    """Write skills of four plugins with like descriptions, and suites of twenty cases."""
    draw = random.Random(1)  # noqa: S311 (texts, no secrets)
    for at in range(skills):
        plugin = f"plugin{at % 4}"
        folder = root / f"plugins/{plugin}/skills/skill-{at}"
        folder.mkdir(parents=True)
        does, when = (" ".join(draw.choices(WORDS, k=size)) for size in (18, 8))
        head = f"---\nname: skill-{at}\ndescription: Does {does}. Use when {when}.\n---\n"
        (folder / "SKILL.md").write_text(head + "# Body\n\n" + "Some text. " * 400)
        if at % 5 == 0:
            write_suite(root / f"evals/suite-{at}", f"{plugin}:skill-{at}", draw)


def write_suite(folder: Path, target: str, draw: random.Random) -> None:
    """Write a suite about one skill."""
    folder.mkdir(parents=True)
    tests = [
        {
            "name": f"case {at}",
            "type": "skill-call",
            "skillFile": target,
            "prompt": " ".join(draw.choices(WORDS, k=12)),
            "expect": [{"skill-call": at % 2 == 0}],
        }
        for at in range(CASES)
    ]
    (folder / "tests.json").write_text(json.dumps({"tests": tests}))


def main() -> None:
    """Check once and print what it took."""
    skills = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), skills)
        command = [sys.executable, "-m", "skillwalker", "evals", "check", "--json", "-C", folder]
        start = time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = json.loads(done.stdout)
    assert len(record["targets"]) == skills
    print(
        f"{skills} skills, {len(record['suites'])} suites: {used.ru_utime + used.ru_stime:.1f} s "
        f"CPU, {wall:.1f} s of wall, {used.ru_maxrss // 1024} MB; "
        f"{record['errors']} errors, {record['warnings']} warnings"
    )


if __name__ == "__main__":
    main()
