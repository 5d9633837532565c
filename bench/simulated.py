"""Simulated trials per second with journaling, and memory at 100,000 trials.

    .venv/bin/python bench/simulated.py [TRIALS]

One measured step on the demo's code-review skill: engine, vote, record on disk (each line synced)
and score. Prints trials per second of wall and of processor time, and the peak of the process.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import anyio

from skillwalker.config import LoopConfig
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.summary import Event
from skillwalker.datatypes.vocabulary import Phase, TargetKind
from skillwalker.engines.registry import open_engine
from skillwalker.limits import Limits
from skillwalker.measuring import Measuring, every_case
from skillwalker.paths import open_places
from skillwalker.plan import Plan, prepare
from skillwalker.recording.store import RunStore
from skillwalker.settings import Settings
from skillwalker.steps.step_5_score import rates
from skillwalker.targets.names import description_hash

PROJECT = Path(__file__).parents[1]


def _ignore(event: Event) -> None:
    """Let an event pass."""
    del event


async def measure(plan: Plan, folder: Path, runs: int) -> Iteration:
    """Measure the original once, with as many runs a case as make up the trials."""
    text = plan.target.description
    async with open_engine("simulated", seed=0) as engine:
        store = RunStore(folder, paid=False)
        measuring = Measuring(
            plan,
            engine=engine,
            journal=store,
            limits=Limits(),
            listener=_ignore,
            workdir=folder,
        )
        results = await measuring.run(every_case(plan.cases, runs), text, 1)
        store.close()
    return Iteration(
        number=1,
        phase=Phase.EXPLORE,
        candidate=description_hash(text),
        description=text,
        results=results,
    )


def main() -> None:
    """Run once and print the figures."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(dir=PROJECT / "output") as name:
        places = open_places(PROJECT, Settings(), Path(name))
        plan = prepare(
            places,
            kind=TargetKind.SKILL,
            suite="code-review",
            target=None,
            config=LoopConfig(),
            run_kind="measure",
        )
        # A vote of r runs ends after (r + 1) / 2 equal ones, so twice the runs give the trials.
        runs = 2 * (trials // len(plan.cases)) + 1
        wall, cpu = time.perf_counter(), time.process_time()
        iteration = anyio.run(measure, plan, Path(name), runs)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    done = sum(len(result.trials) for result in iteration.results)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = rates(iteration.results).balanced
    print(
        f"{done} trials in {wall:.1f} s: {done / wall:.0f} a second, {done / cpu:.0f} a CPU second"
    )
    print(f"peak memory {peak:.0f} MB; balanced accuracy {rate.rate}")


if __name__ == "__main__":
    main()
