"""Runs of the real Claude CLI against a stand-in that notes what each life of them asks for."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.standin.server import Standin, serve
from tests.bench import NEGATIVES, POSITIVES, call_cases, make_bench_project
from tests.kills import Ended, Life, resumable, run_to_its_end
from tests.standin_log import Asking, kill_what_is_left, steady, trials_asked, trials_recorded
from tests.user_runs import TARGET, User

CONCURRENCY = 2
STRATEGIES = {
    "phases": ("--max-iterations", "2", "--confirm-runs", "1"),
    "race": ("--search", "race", "--max-trials", "40"),
}


def make_small_project(root: Path) -> Path:
    """Make a project with four cases."""
    cases = call_cases(positives=POSITIVES[:2], negatives=NEGATIVES[:2])
    return make_bench_project(root, cases=cases)


@dataclass(slots=True)
class Watched:
    """Runs commands against a stand-in, and looks at what each of their lives asks it for."""

    user: User
    standin: Standin
    asked: list[Counter[Asking]] = field(default_factory=list)
    """By the trials of each life."""
    before: list[Counter[Asking]] = field(default_factory=list)
    """What was on the disk when the life began."""

    def begin(self, words: Sequence[str], seconds: float) -> Life:
        """Live until the end, or until it is killed after some seconds."""
        self.before.append(self._recorded())
        self.standin.requests.clear()
        process = self.user.start(*words)
        began = time.monotonic()
        try:
            out, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kill_what_is_left(self.user.project.parent)
            out, said = "", ""
        killed = process.returncode < 0
        assert killed or process.returncode == 0, said
        self.asked.append(trials_asked(self.standin.requests, TARGET))
        code = None if killed else process.returncode
        return Life(code=code, out=out, seconds=time.monotonic() - began)

    def _recorded(self) -> Counter[Asking]:
        """Count what is on the disk."""
        run = resumable(self.user.project)
        return Counter() if run is None else trials_recorded(run)

    def assert_nothing_asked_twice(self, ended: Ended) -> None:
        """See that no life asked for what was finished, and that a kill repeats few trials."""
        needed = trials_recorded(ended.folder)
        on_disk = [*self.before[1:], needed]
        for asked, before, after in zip(self.asked, self.before, on_disk, strict=True):
            for asking, times in asked.items():
                assert times <= needed[asking] - before[asking], asking
            assert asked.total() - (after.total() - before.total()) <= CONCURRENCY


@contextmanager
def watched(root: Path) -> Iterator[Watched]:
    """Make a project and its user, beside a stand-in that answers the same each time."""
    with serve(steady, keep=100_000) as standin:
        yield Watched(User(make_small_project(root), standin.url), standin)
        kill_what_is_left(root)


def words_of(strategy: str, binary: Path) -> tuple[str, ...]:
    """The command that starts a run."""
    return (
        *("scil", "run", "--engine", "local", "--claude", str(binary), "--improver", "cli"),
        *("--concurrency", str(CONCURRENCY), "--gate", "0.5", "--no-html", "--json"),
        *("--apply", "--allow-simulated", *STRATEGIES[strategy]),
    )


def live_through(
    watched: Watched, start: Sequence[str], kills: int, moments: Iterator[float]
) -> Ended:
    """Run to the end, with some kills."""
    apply = ("--apply", "--allow-simulated", "--no-html", "--json")
    return run_to_its_end(
        start,
        lambda run_id: ("scil", "run", "--resume", run_id, *apply),
        watched.user.project,
        moments,
        most_kills=kills,
        begin=watched.begin,
    )
