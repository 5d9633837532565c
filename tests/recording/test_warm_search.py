"""Which trials of earlier runs a run may take over."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.recording.store import RunStore
from skillwalker.recording.warm_search import MOST_OF_A_CELL, find_warm
from skillwalker.targets.names import description_hash
from tests.measured import trial

TEXT = "Helps with code review"
NOW = "20261130T120000"
BEFORE = "20261129T120000"


def record(run_id: str, **changes: object) -> dict[str, Any]:
    """A run.json with what counts here."""
    row: dict[str, Any] = {
        "schema_version": 1,
        "run_id": run_id,
        "suite": "review",
        "target_path": "plugins/démo/SKILL.md",
        "original_description": TEXT,
        "settings": {"timeout": 180.0, "max_turns": 4, "seed": 0},
        "facts": {
            "name": "local",
            "endpoint": "https://api.example",
            "simulated": False,
            "permission_mode": "dontAsk",
            "cli_version": "2.1.332",
            "effort": "default",
        },
        "cases": [
            {
                "case": name,
                "model": "sonnet",
                "prompt_sha256": name,
                "scaffold_sha256": None,
                "max_turns": None,
                "timeout": None,
            }
            for name in ("a", "b")
        ],
    }
    for key, value in changes.items():
        row[key] = {**row[key], **value} if isinstance(value, Mapping) else value
    return row


def draw(case: str = "a", index: int = 0, **changes: Any) -> Trial:
    """A trial of the original."""
    plain = trial(case, Outcome.TRIGGERED, run_index=index)
    return replace(plain, **{"candidate": description_hash(TEXT), **changes})


def earlier(output: Path, run_id: str, *trials: Trial, **changes: object) -> None:
    """Record a run of before."""
    folder = output / run_id
    folder.mkdir()
    store = RunStore(folder)
    store.write_plan(record(run_id, **changes))
    for one in trials:
        store.record_trial(one, ())
    store.close()


def found(output: Path, **changes: object) -> list[tuple[str, int, str, int]]:
    """Tell of what may be taken over case and index here, then run and index there."""
    return [
        (one.trial.case, one.trial.run_index, one.run_id, one.run_index)
        for one in find_warm(output, record(NOW, **changes))
    ]


def test_draws_are_numbered_from_0_the_newest_run_first(tmp_path: Path) -> None:
    earlier(tmp_path, "20261127T120000", draw(index=0), draw(index=1), draw("b"))
    earlier(tmp_path, BEFORE, draw(index=5), draw(index=2))
    assert sorted(found(tmp_path)) == [
        ("a", 0, BEFORE, 2),
        ("a", 1, BEFORE, 5),
        ("a", 2, "20261127T120000", 0),
        ("a", 3, "20261127T120000", 1),
        ("b", 0, "20261127T120000", 0),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": Outcome.UNDECIDED, "reason": "crash"},
        {"set": CaseSet.CONFIRM},
        {"set": CaseSet.CONTROL},
        {"set": CaseSet.NEIGHBOUR},
        {"candidate": description_hash("a child")},
        {"case": "gone"},
        {"model_asked": "haiku"},
    ],
    ids=lambda changes: next(iter(changes)) + str(next(iter(changes.values()))),
)
def test_only_decided_search_trials_of_the_original_count(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    earlier(tmp_path, BEFORE, draw(**changes), draw("b"))
    assert found(tmp_path) == [("b", 0, BEFORE, 0)]


@pytest.mark.parametrize(
    "changes",
    [
        {"suite": "other"},
        {"target_path": "plugins/demo/skills/other/SKILL.md"},
        {"original_description": "Another text"},
        {"schema_version": 2},
        {"settings": {"timeout": 5.0}},
        {"settings": {"max_turns": 2}},
        {"facts": {"name": "simulated"}},
        {"facts": {"endpoint": "https://elsewhere.example"}},
        {"facts": {"simulated": True}},
        {"facts": {"permission_mode": "bypassPermissions"}},
        {"facts": {"cli_version": "2.1.197"}},
        {"facts": {"effort": "high"}},
        {"facts": None},
        {"cases": None},
    ],
    ids=str,
)
def test_runs_that_were_another_experiment_are_left_out(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    earlier(tmp_path, BEFORE, draw(), **changes)
    assert found(tmp_path) == []


@pytest.mark.parametrize("key", ["prompt_sha256", "scaffold_sha256", "max_turns", "timeout"])
def test_a_case_that_asks_something_else_now_is_left_out(tmp_path: Path, key: str) -> None:
    cases = [dict(case) for case in record(NOW)["cases"]]
    cases[0][key] = 7
    earlier(tmp_path, BEFORE, draw("a"), draw("b"))
    assert found(tmp_path, cases=cases) == [("b", 0, BEFORE, 0)]


@pytest.mark.parametrize(
    ("run_id", "is_found"),
    [
        ("20261031T120000", True),
        ("20261031T115959", False),
        ("20251130T120000", False),
        (f"{NOW}-2", True),
    ],
)
def test_a_draw_is_kept_for_thirty_days(tmp_path: Path, run_id: str, is_found: bool) -> None:
    earlier(tmp_path, run_id, draw())
    assert bool(found(tmp_path)) is is_found


def test_a_run_takes_nothing_of_itself(tmp_path: Path) -> None:
    earlier(tmp_path, NOW, draw())
    assert found(tmp_path) == []


def test_what_cannot_be_read_is_nobodys_source(tmp_path: Path) -> None:
    (tmp_path / "20261128T120000").mkdir()
    earlier(tmp_path, "20261128T130000", draw())
    (tmp_path / "20261128T130000/trials.jsonl").write_text("torn\n{}\n")
    earlier(tmp_path, "20261128T140000", draw())
    path = tmp_path / "20261128T140000/run.json"
    path.write_text(path.read_text() + "torn")
    earlier(tmp_path, BEFORE, draw())
    assert found(tmp_path) == [("a", 0, BEFORE, 0)]


def test_a_simulated_draw_keeps_its_number_and_comes_of_the_same_seed(tmp_path: Path) -> None:
    simulated: dict[str, object] = {"facts": {"name": "simulated"}}
    earlier(tmp_path, "20261127T120000", draw(index=0), draw(index=4), **simulated)
    earlier(tmp_path, "20261128T120000", draw(index=2), **simulated, settings={"seed": 1})
    earlier(tmp_path, BEFORE, draw(index=4), **simulated)
    assert found(tmp_path, **simulated) == [
        ("a", 4, BEFORE, 4),
        ("a", 0, "20261127T120000", 0),
    ]


def test_draws_of_another_cell_are_numbered_apart_and_there_is_a_most(tmp_path: Path) -> None:
    many = [draw(index=n) for n in range(MOST_OF_A_CELL + 5)]
    others = [draw(index=50 + n, cell_key="another listing") for n in range(2)]
    earlier(tmp_path, BEFORE, *many, *others)
    numbers = [index for _, index, _, _ in found(tmp_path)]
    assert numbers == [*range(MOST_OF_A_CELL), 0, 1]
