"""The fakes keep the protocols they stand in for."""

from pathlib import Path

import anyio
import pytest

from skillwalker.completers.protocol import Completer
from skillwalker.datatypes.trials import CalledAs, Invocation
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import Engine
from skillwalker.errors import TrialError
from skillwalker.trials.journal import Journal
from tests.fakes import (
    ChanceEngine,
    FailingEngine,
    MemoryJournal,
    PromptEngine,
    RaisingEngine,
    ScriptedCompleter,
    always_engine,
    never_engine,
)

CALLED_AS = CalledAs(
    kind=TargetKind.SKILL, names=frozenset({"demo:alpha", "alpha"}), path_suffix="alpha/SKILL.md"
)


def invocation(run_index: int = 0, prompt: str = "hello") -> Invocation:
    return Invocation(
        prompt=prompt,
        plugin_dirs=(Path("plugin"),),
        project_dir=None,
        scaffold=None,
        model="sonnet",
        max_turns=4,
        timeout=1.0,
        called_as=CALLED_AS,
        run_index=run_index,
    )


async def share_triggered(engine: Engine, runs: int) -> float:
    transcripts = [await engine.run(invocation(index)) for index in range(runs)]
    return sum(bool(transcript.calls) for transcript in transcripts) / runs


@pytest.mark.parametrize(
    ("engine", "low", "high"),
    [
        pytest.param(always_engine(), 1.0, 1.0, id="always"),
        pytest.param(never_engine(), 0.0, 0.0, id="never"),
        pytest.param(ChanceEngine(0.3), 0.25, 0.35, id="three in ten"),
    ],
)
def test_an_engine_triggers_as_often_as_it_says(engine: Engine, low: float, high: float) -> None:
    assert low <= anyio.run(share_triggered, engine, 1000) <= high


def test_a_failing_engine_recovers_when_told_to() -> None:
    engine: Engine = FailingEngine("rate", failures=1)
    first, second = (anyio.run(engine.run, invocation()) for _ in range(2))
    assert (first.failure, second.failure) == ("rate", None)


def test_a_raising_engine_raises() -> None:
    engine: Engine = RaisingEngine()
    with pytest.raises(TrialError, match="set_up"):
        anyio.run(engine.run, invocation())


def test_a_prompt_engine_calls_what_its_table_says() -> None:
    engine: Engine = PromptEngine({"hello": ("demo:alpha", "demo:beta")})
    names = [call.name for call in anyio.run(engine.run, invocation()).calls]
    assert names == ["demo:alpha", "demo:beta"]
    assert anyio.run(engine.run, invocation(prompt="other")).calls == ()


def test_a_scripted_completer_replies_in_order() -> None:
    completer = ScriptedCompleter(("one", "two"))
    protocol: Completer = completer

    async def ask() -> list[str]:
        schema = {"type": "object"}
        return [(await protocol.complete(prompt, schema=schema)).text for prompt in ("a", "b")]

    assert anyio.run(ask) == ["one", "two"]
    assert completer.prompts == ["a", "b"]


def test_the_memory_journal_is_a_journal() -> None:
    journal: Journal = MemoryJournal()
    assert journal.recorded_answer(1) is None
