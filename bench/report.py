"""Size and time of the report of a run of 200 cases and 10 iterations.

    .venv/bin/python -m bench.report [CASES] [ITERATIONS]

The run is made up: three runs a case and iteration, a fifth of them missed, and three confirm
rounds. Prints the page's size, the time to write it, and how long a headless Chromium takes until
it is loaded and laid out, where there is one.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.report.html.page import render_run
from tests.browser import PROGRAMS, open_browser
from tests.recorded_runs import recorded_case, recorded_run

MOST_BYTES = 2_000_000
OPENINGS = 5
TEXT = "Reviews a change as a careful colleague would, with evidence, and names what would hurt. "


def made_up(cases: int, iterations: int) -> RecordedRun:
    """Make a run of that size; every fifth run of a case misses."""
    letters = "tttnt"
    told = []
    for number in range(cases):
        positive = number % 2 == 0
        case = recorded_case(f"case {number}: asks in its own words for a thing", positive=positive)
        runs = tuple(
            "".join(letters[(number + i + j) % 5] for j in range(3)) for i in range(iterations)
        )
        flipped = tuple(text.translate(str.maketrans("tn", "nt")) for text in runs)
        told.append((case, runs if positive else flipped))
    texts = [f"{TEXT * 8}{number}"[-1024:] for number in range(iterations)]
    return recorded_run(told, confirm=[(runs[0], runs[-1]) for _, runs in told], texts=texts)


def main() -> None:
    """Print the figures."""
    cases, iterations = (int(text) for text in (*sys.argv[1:], "200", "10")[:2])
    run = made_up(cases, iterations)
    begun = time.perf_counter()
    html = render_run(run, dialogues=None, next_command="skillwalker apply RUN_ID")
    seconds = time.perf_counter() - begun
    size = len(html.encode())
    print(f"{cases} cases, {iterations} iterations, {len(run.trials)} trials")
    print(f"size {size:,} bytes without transcripts; written in {seconds:.2f} s")
    if (cases, iterations) == (200, 10):
        assert size < MOST_BYTES
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        print("there is no Chromium to open it with")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        path.write_text(html, encoding="utf-8")
        with open_browser(program, Path(folder, "profile")) as browser:
            for _ in range(OPENINGS):
                browser.look()
                browser.open(path)
                took = browser.evaluate(
                    "document.body.offsetHeight && performance.timing.domComplete"
                    " - performance.timing.navigationStart"
                )
                print(f"opened in {took} ms, laid out {browser.evaluate('performance.now()'):.0f}")


if __name__ == "__main__":
    main()
