from pathlib import Path

import pytest

from skillwalker.catalogue import CatalogueEntry, of_shard, read_catalogue
from skillwalker.datatypes.vocabulary import TargetKind
from tests.bench import call_cases, make_bench_project, places_of, write_cases


def project_of(root: Path) -> Path:
    project = make_bench_project(root)
    write_cases(project, "gaps", call_cases("demo:gap-analyzer", kind=TargetKind.AGENT))
    return project


def test_every_target_stands_in_the_catalogue_with_each_of_its_suites(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    write_cases(project, "again", call_cases("plugins/demo/skills/code-review"))
    found = read_catalogue(places_of(project))
    assert [(e.path, e.suite, e.kind.value, e.target) for e in found.entries] == [
        ("plugins/demo/agents/gap-analyzer.md", "gaps", "agent", "demo:gap-analyzer"),
        ("plugins/demo/skills/code-review/SKILL.md", "again", "skill", "demo:code-review"),
        ("plugins/demo/skills/code-review/SKILL.md", "review", "skill", "demo:code-review"),
    ]
    assert found.broken == ()


def test_a_broken_suite_is_named_and_hides_no_other(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    write_cases(project, "broken", [{"name": "x"}])
    write_cases(project, "lost", call_cases("demo:nobody"))
    found = read_catalogue(places_of(project))
    assert len(found.entries) == 2
    assert [one.suite for one in found.broken] == ["broken", "lost"]
    assert "demo:nobody" in found.broken[1].reason


@pytest.mark.parametrize(
    ("kinds", "suite", "suites"),
    [
        ((TargetKind.SKILL,), None, ["review"]),
        ((TargetKind.AGENT,), None, ["gaps"]),
        (tuple(TargetKind), "gaps", ["gaps"]),
        ((TargetKind.SKILL,), "gaps", []),
    ],
    ids=["skills", "agents", "one suite", "none of that kind"],
)
def test_a_part_of_the_catalogue_can_be_asked_for(
    tmp_path: Path, kinds: tuple[TargetKind, ...], suite: str | None, suites: list[str]
) -> None:
    found = read_catalogue(places_of(project_of(tmp_path)), kinds=kinds, suite=suite)
    assert [entry.suite for entry in found.entries] == suites


def entry(path: str, suite: str = "s") -> CatalogueEntry:
    return CatalogueEntry(path=path, suite=suite, kind=TargetKind.SKILL, target=path)


@pytest.mark.parametrize("shards", [1, 2, 3, 7])
def test_each_target_belongs_to_exactly_one_shard_with_all_its_suites(shards: int) -> None:
    entries = tuple(entry(f"skills/{n}", suite) for n in range(60) for suite in ("a", "b"))
    parts = [of_shard(entries, number, shards) for number in range(1, shards + 1)]
    assert sorted(one for part in parts for one in part) == sorted(entries)
    paths = [{one.path for one in part} for part in parts]
    assert sum(map(len, paths)) == 60


def test_a_new_target_moves_no_other_to_another_shard() -> None:
    entries = tuple(entry(f"skills/{n}") for n in range(20))
    more = (*entries, entry("skills/new"))
    assert set(of_shard(entries, 1, 3)) <= set(of_shard(more, 1, 3))
