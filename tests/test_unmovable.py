"""A case in which the target stays out even when named is told to people, not to the improver."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.summary import Warned
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.engines.protocol import EngineFacts
from skillwalker.loop import MeasuredRun, improve
from skillwalker.recording.summary_records import read_summary, summary_record
from skillwalker.report.wording import beside_the_rates
from skillwalker.search.choice import choose_strategy
from skillwalker.verdict import summarise
from tests.bench import POSITIVES, Bench, make_bench_project, plan_of, reply
from tests.fakes import MemoryJournal, ScriptedCompleter, call_of, engine_facts, transcript

BETTER = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."
STUCK = POSITIVES[0]
ALSO = POSITIVES[1]
"""Stays out, but answers to its name."""
SEARCHES = pytest.mark.parametrize("search", ["phases", "race"])


@dataclass(slots=True)
class UnaidedEngine:
    """Never calls the target for two prompts; when it is named, for the second of them."""

    facts: EngineFacts = field(default_factory=engine_facts)
    fails: bool = False

    async def run(self, invocation: Invocation) -> Transcript:
        """Look at the prompt."""
        called_as = invocation.called_as
        assert called_as is not None
        by_name = invocation.prompt.startswith("Use the ")
        if by_name and self.fails:
            return transcript(failure="crash")
        if by_name and ALSO in invocation.prompt:
            return transcript(call_of(called_as))
        wanted = invocation.prompt in POSITIVES and invocation.prompt not in {STUCK, ALSO}
        return transcript(call_of(called_as)) if wanted else transcript()


def run(
    tmp_path: Path, search: str, engine: UnaidedEngine, journal: MemoryJournal | None = None
) -> tuple[MeasuredRun, ScriptedCompleter, Bench]:
    project = make_bench_project(tmp_path)
    config = LoopConfig(search=search, gate=0.9)
    plan = plan_of(project, config)
    completer = ScriptedCompleter([reply(f"{BETTER} Version {n}.") for n in range(1, 12)])
    bench = Bench(workdir=tmp_path / "work", journal=journal or MemoryJournal())
    tools = bench.tools(
        engine=engine,
        completer=completer,
        strategy=choose_strategy(config, plan.cases, controls=8),
    )
    return anyio.run(improve, plan, tools), completer, bench


@SEARCHES
def test_a_case_that_stays_out_by_name_leaves_the_improvers_list(
    tmp_path: Path, search: str
) -> None:
    measured, completer, bench = run(tmp_path, search, UnaidedEngine())
    assert [case.prompt for case in measured.unmovable] == [STUCK]
    asked = [trial for trial in measured.trials if trial.set is CaseSet.CONTROL]
    assert sorted(trial.case for trial in asked) == sorted(
        ["control by name: yes 0"] * 2 + ["control by name: yes 1"] * 2
    )
    assert STUCK in completer.prompts[0]
    assert STUCK not in completer.prompts[-1]
    assert ALSO in completer.prompts[-1]
    assert not any("control by name" in prompt for prompt in completer.prompts)
    warned = [event.message for event in bench.events if isinstance(event, Warned)]
    assert len(warned) == 1
    assert warned[0].startswith("case 'yes 0' cannot be moved")


@SEARCHES
def test_it_is_not_out_of_the_score(tmp_path: Path, search: str) -> None:
    measured, _, _ = run(tmp_path, search, UnaidedEngine())
    for iteration in measured.history.iterations[:1]:
        assert STUCK in {result.case.prompt for result in iteration.results}


def test_what_says_nothing_is_a_case_like_others(tmp_path: Path) -> None:
    measured, completer, _ = run(tmp_path, "phases", UnaidedEngine(fails=True))
    assert measured.unmovable == ()
    assert measured.cause is None
    assert STUCK in completer.prompts[-1]


@SEARCHES
def test_a_later_life_of_the_run_knows_it_without_asking_again(tmp_path: Path, search: str) -> None:
    journal = MemoryJournal()
    whole, first, _ = run(tmp_path / "a", search, UnaidedEngine(), journal)
    written = len(journal.written)
    again, second, _ = run(tmp_path / "b", search, UnaidedEngine(), journal)
    assert again.unmovable == whole.unmovable
    assert len(journal.written) == written
    assert (len(first.prompts) > 2, second.prompts) == (True, [])


def test_the_summary_and_the_console_name_it(tmp_path: Path) -> None:
    measured, _, _ = run(tmp_path, "phases", UnaidedEngine())
    plan = plan_of(tmp_path / "project")
    summary = summarise(plan, measured, run_id="r", facts=engine_facts())
    assert summary.unmovable == ("yes 0",)
    assert beside_the_rates(summary) == [
        "'yes 0' cannot be moved by a description: the target stays out even when it is named"
    ]
    row = json.loads(json.dumps(summary_record(summary)))
    assert read_summary(row).unmovable == summary.unmovable
