"""A candidate counts only when requests hold it as it was computed."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.summary import IterationDone, Proposed
from skillwalker.datatypes.trials import BuiltPlugin
from skillwalker.datatypes.vocabulary import ListingState, StopReason, TargetKind
from skillwalker.errors import PreflightError
from skillwalker.loop import MeasuredRun, improve
from skillwalker.plan import Plan, for_version, place, room
from skillwalker.preflight import check_listing
from skillwalker.sent_listing import check_shown, difference
from skillwalker.standin.request import ListedEntry
from skillwalker.steps.step_3_build_plugin import build_plugin
from tests.bench import DESCRIPTION, Bench, make_bench_project, plan_of, reply, skill_text
from tests.fakes import ScriptedCompleter

NAME = "demo:code-review"
BETTER = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."
OTHER = "Looks at commits before a merge. Use when someone wants another pair of eyes on code."


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(make_bench_project(tmp_path))


def entry(text: str | None, name: str = NAME, kind: TargetKind = TargetKind.SKILL) -> ListedEntry:
    return ListedEntry(kind=kind, name=name, alias=None, text=text)


def sends(*entries: ListedEntry) -> Callable[[BuiltPlugin, str], object]:
    """Make a probe that always sees the same lines."""

    async def probe(built: BuiltPlugin, model: str) -> tuple[ListedEntry, ...]:
        assert built.plugin_dirs
        assert model
        return entries

    return probe


async def faithful(built: BuiltPlugin, model: str) -> tuple[ListedEntry, ...]:
    """A probe that sees what the copy holds."""
    assert model
    text = (built.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
    shown = text.split("description: ")[1].splitlines()[0]
    return (entry(shown), entry("Tells the weather of a city.", "demo:weather"))


def place_with(plan: Plan, text: str, state: ListingState = ListingState.WHOLE) -> ListingPlace:
    listed = dataclasses.replace(plan.listing.listed, text=text)
    return dataclasses.replace(plan.listing, listed=listed, state=state)


SAME = [
    pytest.param(DESCRIPTION, DESCRIPTION, id="the same text"),
    pytest.param("one two", "one\n\ttwo", id="an older version keeps line breaks"),
    pytest.param("use &lt;it&gt;", "use <it>", id="an older version writes signs as they are"),
    pytest.param("joined\u200bwords", "joined words", id="invisible characters"),
]


@pytest.mark.parametrize(("computed", "sent"), SAME)
def test_a_line_as_computed_is_no_difference(plan: Plan, computed: str, sent: str) -> None:
    lines = (entry("Tells the weather of a city.", "demo:weather"), entry(sent))
    assert difference(place_with(plan, computed), lines) is None


DIFFERENT = [
    pytest.param([entry("Another text")], ["'Helps with code", "'Another text'"], id="text"),
    pytest.param([entry(DESCRIPTION[:-1])], ["21 characters", "22 characters"], id="cut"),
    pytest.param([entry(None)], ["sent was its name only"], id="dropped"),
    pytest.param(
        [entry("x", "demo:weather")], ["no line of that name", "demo:weather"], id="absent"
    ),
    pytest.param([], ["no line of that name", "nothing"], id="no listing at all"),
    pytest.param(
        [entry(DESCRIPTION), entry("A rival")], ["2 lines have that name", "A rival"], id="twice"
    ),
    pytest.param(
        [entry(DESCRIPTION, kind=TargetKind.AGENT)], ["no line of that name"], id="other kind"
    ),
]


@pytest.mark.parametrize(("sent", "words"), DIFFERENT)
def test_a_difference_shows_both_sides(
    plan: Plan, sent: Sequence[ListedEntry], words: Sequence[str]
) -> None:
    fault = difference(plan.listing, sent)
    assert fault is not None
    for part in words:
        assert part in fault


def test_a_text_that_is_sent_although_it_was_computed_to_be_dropped_is_a_difference(
    plan: Plan,
) -> None:
    dropped = place_with(plan, DESCRIPTION, ListingState.NAME_ONLY)
    assert difference(dropped, (entry(None),)) is None
    fault = difference(dropped, (entry(DESCRIPTION),))
    assert fault is not None
    assert "expected was its name only" in fault


def test_long_texts_are_quoted_where_they_part(plan: Plan) -> None:
    same = "word " * 100
    fault = difference(place_with(plan, f"{same}one end"), (entry(f"{same}other end"),))
    assert fault is not None
    assert "one end" in fault
    assert "other end" in fault
    assert len(fault) < 600


def test_every_model_is_looked_at(plan: Plan, tmp_path: Path) -> None:
    cases = list(plan.cases)
    cases[0] = dataclasses.replace(
        cases[0], case=dataclasses.replace(cases[0].case, model="claude-opus-5-5")
    )
    two = dataclasses.replace(plan, cases=tuple(cases))
    seen: list[str] = []

    async def probe(built: BuiltPlugin, model: str) -> tuple[ListedEntry, ...]:
        seen.append(model)
        return await faithful(built, model)

    built = build_plugin(plan.target, DESCRIPTION, rivals=plan.rivals, into=tmp_path)
    anyio.run(check_shown, two, DESCRIPTION, built, probe)
    assert seen == list(two.models)
    assert len(seen) == 2


# --- in the loop -------------------------------------------------------------------------------


def run(plan: Plan, bench: Bench, probe: object) -> MeasuredRun:
    return anyio.run(improve, plan, bench.tools(probe=probe))


def test_an_original_that_is_not_sent_ends_the_run_before_any_trial(
    plan: Plan, tmp_path: Path
) -> None:
    bench = Bench(workdir=tmp_path / "work")
    measured = run(plan, bench, sends(entry("Something else")))
    assert measured.stopped is StopReason.PREFLIGHT
    assert measured.cause is not None
    assert "as Skillwalker computed" in measured.cause
    assert (measured.trials, bench.engine.invocations) == ((), [])


def test_a_candidate_that_is_not_sent_is_refused_and_never_measured(
    plan: Plan, tmp_path: Path
) -> None:
    async def probe(built: BuiltPlugin, model: str) -> tuple[ListedEntry, ...]:
        (line, *others) = await faithful(built, model)
        return (entry(None) if line.text == BETTER else line, *others)

    bench = Bench(
        workdir=tmp_path / "work",
        completer=ScriptedCompleter((reply(BETTER), reply(OTHER))),
        max_iterations=3,
    )
    measured = run(plan, bench, probe)
    texts = [
        event.iteration.description for event in bench.events if isinstance(event, IterationDone)
    ]
    assert texts == [DESCRIPTION, OTHER]
    refused, taken = [event for event in bench.events if isinstance(event, Proposed)]
    assert refused.description is None
    assert "sent was its name only" in refused.reason
    assert taken.description == OTHER
    assert [len(answer.exchanges) for answer in measured.answers] == [1, 1], "both were paid for"


# --- room ---------------------------------------------------------------------------------------


def crowded(tmp_path: Path, text: str = DESCRIPTION) -> Plan:
    """A plan whose target stands behind siblings that leave it little room."""
    project = make_bench_project(tmp_path)
    skills = project / "plugins/demo/skills"
    (skills / "code-review/SKILL.md").write_text(skill_text("code-review", text))
    for number in range(25):
        folder = skills / f"a{number:02}"
        folder.mkdir()
        (folder / "SKILL.md").write_text(skill_text(folder.name, "x" * 1_000))
    return plan_of(project)


def test_a_target_without_room_is_refused_with_three_ways_out(tmp_path: Path) -> None:
    plan = crowded(tmp_path, "y" * 1_024)
    fits = plan.listing.longest
    assert fits is not None
    with pytest.raises(PreflightError) as refused:
        check_listing(plan.listing)
    for words in (f"at most {fits} characters", "--listing roomy", "larger listing budget"):
        assert words in str(refused.value)
    assert place(plan, "z" * fits).state is ListingState.WHOLE
    assert place(plan, "z" * (fits + 1)).state is ListingState.NAME_ONLY


def test_a_roomy_listing_has_room_and_says_so(tmp_path: Path) -> None:
    plan = crowded(tmp_path, "y" * 1_024)
    roomy = for_version(dataclasses.replace(plan, listing_budget=1_000_000), plan.cli_version)
    assert (plan.listing_mode, roomy.listing_mode) == ("real", "roomy")
    assert roomy.listing.state is ListingState.WHOLE
    assert roomy.listing.budget_chars == 1_000_000


def test_trials_of_a_roomy_listing_are_another_experiment(plan: Plan, tmp_path: Path) -> None:
    keys = []
    for budget in (None, 1_000_000, 500_000):
        bench = Bench(workdir=tmp_path / f"work-{budget}", max_iterations=1)
        one = dataclasses.replace(plan, listing_budget=budget)
        keys.append({trial.cell_key for trial in anyio.run(improve, one, bench.tools()).trials})
    assert not keys[0] & keys[1]
    assert not keys[1] & keys[2]


def test_the_listing_is_that_of_the_claude_code_that_was_found(plan: Plan) -> None:
    assert plan.listing.budget_chars == 30_000
    assert for_version(plan, "2.1.197").listing.budget_chars == 6_000


def test_an_older_version_counts_signs_as_they_are(plan: Plan) -> None:
    tags, words = "Use <it>." * 20, "Use (it)." * 20
    newest, older = (
        place(for_version(plan, version), tags).used_chars
        - place(for_version(plan, version), words).used_chars
        for version in ("2.1.332", "2.1.197")
    )
    assert (newest, older) == (20 * (len("&lt;&gt;") - 2), 0)


def test_the_improver_is_told_the_room_that_the_listing_leaves(tmp_path: Path) -> None:
    plan = crowded(tmp_path)
    assert 0 < room(plan) < 1_024
    bench = Bench(
        workdir=tmp_path / "work",
        completer=ScriptedCompleter((reply("w" * (room(plan) + 1)), reply(BETTER))),
        max_iterations=2,
    )
    anyio.run(improve, plan, bench.tools())
    first, second = bench.completer.prompts
    assert f'"max_chars": {room(plan)}' in first
    assert f"write at most {room(plan)} characters" in second
