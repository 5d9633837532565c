"""What fired instead of the target, case by case, as the summary tells it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.summary import Confused, Summary
from skillwalker.datatypes.trials import Call, Invocation, Transcript
from skillwalker.datatypes.vocabulary import Mode, TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.loop import improve
from skillwalker.recording.summary_records import read_summary, summary_record
from skillwalker.verdict import summarise
from tests.bench import NEGATIVES, POSITIVES, Bench, make_bench_project, plan_of, reply
from tests.fakes import ScriptedCompleter, call_of, engine_facts, transcript

BETTER = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."
WEATHER = Call(kind=TargetKind.SKILL, name="demo:weather", step=1, mode=Mode.TOOL)


@dataclass(slots=True)
class RivalEngine:
    """A rival fires for a negative, and for one positive until the text is better."""

    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Look at the text in the plugin that is shown."""
        called_as = invocation.called_as
        assert called_as is not None
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        if "Reviews" in shown and invocation.prompt in POSITIVES:
            return transcript(call_of(called_as))
        if invocation.prompt in {POSITIVES[0], NEGATIVES[1]}:
            return transcript(WEATHER)
        return transcript()


def summary_of(tmp_path: Path, *, iterations: int) -> Summary:
    plan = plan_of(make_bench_project(tmp_path))
    bench = Bench(workdir=tmp_path / "work", max_iterations=iterations)
    completer = ScriptedCompleter([reply(f"{BETTER} {n}.") for n in range(1, iterations)])
    engine = RivalEngine()
    measured = anyio.run(improve, plan, bench.tools(engine=engine, completer=completer))
    return summarise(plan, measured, run_id="r", facts=engine.facts)


def test_what_fired_instead_is_told_of_both_texts(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, iterations=2)
    assert summary.measured_on == "confirm"
    assert summary.gate is not None
    rounds = summary.gate.rounds
    assert set(summary.confusion) == {
        Confused(
            case="yes 0",
            should_trigger=True,
            original=(("demo:weather", rounds),),
            best=(),
        ),
        Confused(
            case="no 1",
            should_trigger=False,
            original=(("demo:weather", rounds),),
            best=(("demo:weather", rounds),),
        ),
    }


def test_a_measurement_has_one_text(tmp_path: Path) -> None:
    confusion = {one.case: one for one in summary_of(tmp_path, iterations=1).confusion}
    assert confusion["yes 0"].original == (("demo:weather", 1),)
    assert {one.best for one in confusion.values()} == {None}


@pytest.mark.parametrize("iterations", [1, 2])
def test_confusion_survives_the_disk(tmp_path: Path, iterations: int) -> None:
    summary = summary_of(tmp_path, iterations=iterations)
    row = json.loads(json.dumps(summary_record(summary)))
    assert row["confusion"]["no 1"]["original"]["demo:weather"] >= 1
    assert read_summary(row).confusion == summary.confusion
