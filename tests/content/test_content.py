"""The suites that come with Skillwalker keep what evals/README.md asks of a suite."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillwalker.datatypes.inputs import (
    CallExpectation,
    Case,
    JudgeExpectation,
    Suite,
    Target,
    TriggerCase,
)
from skillwalker.datatypes.vocabulary import CaseSet, CaseType, TargetKind
from skillwalker.steps.step_2_split import split_cases
from skillwalker.suites.load import list_suites, load_suite
from skillwalker.suites.near_duplicates import group_near_duplicates
from skillwalker.targets.file import require_triggerable
from skillwalker.targets.names import resolve_target, siblings
from tests.content.places import PLACES, PROJECT

QUALITY = "engineering-quality"
MEASURED = {
    "changelog-writer": TargetKind.SKILL,
    "code-review": TargetKind.SKILL,
    "description-tuner": TargetKind.SKILL,
    "gap-analyzer": TargetKind.AGENT,
    "schema-explainer": TargetKind.AGENT,
    "sql-optimizer": TargetKind.SKILL,
}
"""The suites that measure a description, and the kind of their target."""
KINDS_OF_WORDING = {
    "lang:de",
    "lang:ja",
    "long",
    "near-miss",
    "oblique",
    "plain",
    "sibling",
    "typo",
}
BOTH_WAYS = ("lang:de", "lang:ja", "typo", "long")
"""Tags that say how a prompt is worded; none of them may give its label away."""
LONG_FROM = 100
PATH = re.compile(r"(?<![\w/.-])(?:[\w-]+/)+(?:[\w-]+\.\w+)?|(?<![\w/.-])[\w-]+\.(?:md|txt|sql)\b")
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
CRITERION = re.compile(r"^- \S", re.MULTILINE)

each_measured = pytest.mark.parametrize("name", MEASURED)
each_suite = pytest.mark.parametrize("name", [*MEASURED, QUALITY])


def suite(name: str) -> Suite:
    return load_suite(PLACES, name)


def should_trigger(case: Case) -> bool:
    (expectation,) = case.expect
    assert isinstance(expectation, CallExpectation)
    return expectation.expected


def target_of(case: Case, kind: TargetKind) -> Target:
    assert case.target is not None
    return resolve_target(case.target, kind, PLACES)


def tagged(cases: tuple[Case, ...], tag: str) -> tuple[Case, ...]:
    return tuple(case for case in cases if tag in case.tags)


def files_below(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def paths_in(case: Case) -> Iterator[str]:
    yield from PATH.findall(case.prompt)


def test_every_suite_is_known_here() -> None:
    assert set(list_suites(PLACES)) == {*MEASURED, QUALITY}


@each_measured
def test_suite_has_enough_cases_half_of_them_negatives(name: str) -> None:
    labels = [should_trigger(case) for case in suite(name).cases]
    assert len(labels) >= 24
    assert sum(labels) * 2 == len(labels)


@each_measured
def test_all_cases_are_about_the_one_target_that_the_suite_is_named_after(name: str) -> None:
    kind = MEASURED[name]
    targets = {target_of(case, kind).id for case in suite(name).cases}
    assert len(targets) == 1
    assert targets.pop().split(":")[1] == name


@each_measured
def test_target_can_trigger(name: str) -> None:
    require_triggerable(target_of(suite(name).cases[0], MEASURED[name]))


@each_measured
def test_every_kind_of_wording_is_there(name: str) -> None:
    tags = {tag for case in suite(name).cases for tag in case.tags}
    assert tags >= KINDS_OF_WORDING
    assert "one-word" in tags


@each_measured
@pytest.mark.parametrize("tag", BOTH_WAYS)
def test_wording_does_not_give_the_label_away(name: str, tag: str) -> None:
    assert {should_trigger(case) for case in tagged(suite(name).cases, tag)} == {True, False}


@each_measured
def test_near_misses_and_sibling_jobs_are_negatives(name: str) -> None:
    cases = suite(name).cases
    assert len(tagged(cases, "near-miss")) >= 5
    assert len(tagged(cases, "sibling")) >= 3
    assert not any(should_trigger(c) for c in cases if {"near-miss", "sibling"} & set(c.tags))


@each_measured
def test_preferred_names_a_sibling_of_the_target(name: str) -> None:
    cases = suite(name).cases
    rivals = {sibling.id for sibling in siblings(target_of(cases[0], MEASURED[name]))}
    preferred = {case.preferred for case in cases if case.preferred is not None}
    assert preferred <= rivals
    assert [c.name for c in cases if c.preferred] == [c.name for c in tagged(cases, "sibling")]


@each_measured
def test_tags_are_true(name: str) -> None:
    for case in suite(name).cases:
        words = len(case.prompt.split())
        japanese = JAPANESE.search(case.prompt) is not None
        assert ("lang:ja" in case.tags) == japanese, case.name
        assert ("long" in case.tags) == (words >= LONG_FROM), case.name
        assert ("one-word" in case.tags) == (words == 1 and not japanese), case.name


@each_measured
def test_lengths_reach_from_one_word_to_two_hundred(name: str) -> None:
    lengths = [len(case.prompt.split()) for case in suite(name).cases]
    assert min(lengths) == 1
    assert max(lengths) >= 200
    assert any(40 <= length < LONG_FROM for length in lengths)


@each_suite
def test_no_two_prompts_are_nearly_the_same(name: str) -> None:
    cases = suite(name).cases
    groups = group_near_duplicates([case.prompt for case in cases])
    twins = [cases[at].name for at, first in enumerate(groups) if at != first]
    assert twins == []


@each_measured
def test_suite_can_be_split_with_the_holdout_that_the_page_names(name: str) -> None:
    page = (PROJECT / "evals" / "README.md").read_text(encoding="utf-8")
    fraction = re.search(r"--holdout (0\.\d+)", page)
    assert fraction is not None
    cases = tuple(
        TriggerCase(
            name=case.name,
            prompt=case.prompt,
            should_trigger=should_trigger(case),
            model=case.model,
        )
        for case in suite(name).cases
    )
    target = target_of(suite(name).cases[0], MEASURED[name])
    split = split_cases(cases, suite=name, target=target.id, fraction=float(fraction[1]))
    assert {entry.set for entry in split} == {CaseSet.TRAIN, CaseSet.HOLDOUT}


@each_suite
def test_no_prompt_names_its_target(name: str) -> None:
    for case in suite(name).cases:
        assert case.target is not None
        short = case.target.split(":")[1]
        assert short not in case.prompt.casefold(), case.name


@each_suite
def test_prompt_that_speaks_of_scaffold_files_has_the_scaffold(name: str) -> None:
    loaded = suite(name)
    scaffolds = list((loaded.path / "scaffolds").iterdir())
    for case in loaded.cases:
        if case.scaffold is None:
            named = [p for p in paths_in(case) for s in scaffolds if (s / p).exists()]
            assert named == [], case.name


@each_measured
def test_files_named_in_short_prompts_exist(name: str) -> None:
    cases = [case for case in suite(name).cases if len(case.prompt.split()) < 40]
    found = [(case, path) for case in cases for path in paths_in(case)]
    assert len(found) >= 5
    for case, path in found:
        assert case.scaffold is not None, case.name
        assert (case.scaffold / path).exists(), f"{case.name}: {path}"


@each_suite
def test_scaffolds_are_small_and_hold_no_claude_settings(name: str) -> None:
    loaded = suite(name)
    used = {case.scaffold for case in loaded.cases} - {None}
    for scaffold in (loaded.path / "scaffolds").iterdir():
        assert scaffold in used
        files = files_below(scaffold)
        assert 5 <= len(files) <= 12
        assert not any(
            part.startswith(".") for f in files for part in f.relative_to(scaffold).parts
        )


@each_suite
def test_every_prompt_and_rubric_is_used(name: str) -> None:
    folder = suite(name).path
    raw = (folder / "tests.json").read_text(encoding="utf-8")
    for sub in ("prompts", "rubrics"):
        unused = [f.name for f in files_below(folder / sub) if json.dumps(f.name) not in raw]
        assert unused == []


def test_quality_suite_shows_both_types_and_every_expectation() -> None:
    raw = (PROJECT / "evals" / QUALITY / "tests.json").read_text(encoding="utf-8")
    cases = suite(QUALITY).cases
    assert {case.type for case in cases} == {CaseType.PROMPT, CaseType.AGENT_PROMPT}
    assert all(any(isinstance(e, JudgeExpectation) for e in case.expect) for case in cases)
    for key in ("skill-call", "agent-call", "result-contains", "result-does-not-contain"):
        assert json.dumps(key) in raw


def test_rubrics_hold_single_criteria() -> None:
    rubrics = files_below(PROJECT / "evals" / QUALITY / "rubrics")
    assert len(rubrics) == 4
    for rubric in rubrics:
        assert len(CRITERION.findall(rubric.read_text(encoding="utf-8"))) >= 5, rubric.name


def test_the_page_on_writing_cases_names_every_suite() -> None:
    page = (PROJECT / "evals" / "README.md").read_text(encoding="utf-8")
    assert [name for name in [*MEASURED, QUALITY] if f"`{name}`" not in page] == []
