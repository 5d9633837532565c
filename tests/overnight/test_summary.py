import json
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.nights import BrokenSuite, NightAction, NightSummary, NightTarget
from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import StoreError
from skillwalker.overnight.summary import (
    merge_nights,
    night_exit_code,
    night_folder,
    read_entries,
    read_night,
    write_night,
)
from skillwalker.recording.night_files import NIGHT_SUMMARY
from skillwalker.report.night_text import night_lines
from tests.recording.test_lock_file import entry_of, key_of

RATE = Rate(k=6, n=10, rate=0.6, low=0.4, high=0.8)


def target(path: str, action: NightAction = NightAction.KEPT, **values: object) -> NightTarget:
    settings: dict[str, object] = {
        "path": path,
        "suite": "s",
        "kind": TargetKind.SKILL,
        "target": f"demo:{path}",
        "action": action,
        "before": RATE,
        "trials": 10,
        "cost_usd": 0.5,
    }
    return NightTarget(**{**settings, **values})  # type: ignore[arg-type]  # a row of a test


def night(*targets: NightTarget, **values: object) -> NightSummary:
    settings: dict[str, object] = {
        "night_id": "20261130T220000",
        "engine": "docker",
        "simulated": False,
        "cli_version": "2.1.332",
        "shard": None,
        "stopped_because": "done",
        "targets": targets,
        "broken": (),
    }
    return NightSummary(**{**settings, **values})  # type: ignore[arg-type]  # a row of a test


def test_a_night_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    whole = night(target("a"), broken=(BrokenSuite(suite="x", reason="it is broken"),))
    write_night(tmp_path, whole, {key_of(): entry_of()})
    assert read_night(tmp_path) == whole
    assert read_entries(tmp_path) == {key_of(): entry_of()}
    row = json.loads((tmp_path / NIGHT_SUMMARY).read_bytes())
    assert row["counts"]["kept"] == 1
    assert set(row["counts"]) == {action.value for action in NightAction}
    assert (row["trials"], row["cost_usd"], row["exit_code"]) == (10, 0.5, 1)


@pytest.mark.parametrize(
    ("summary", "code"),
    [
        (night(target("a")), 0),
        (night(), 0),
        (night(target("a", exit_code=3)), 3),
        (night(target("a", exit_code=3), target("b", exit_code=1)), 1),
        (night(target("a"), broken=(BrokenSuite(suite="x", reason="r"),)), 1),
        (night(target("a"), stopped_because="budget"), 0),
        (night(target("a"), missing=("2/3",)), 3),
        (night(target("a", exit_code=4), missing=("2/3",)), 3),
        (night(target("a", exit_code=1), stopped_because="interrupted"), 130),
    ],
)
def test_the_worst_end_gives_the_exit_code(summary: NightSummary, code: int) -> None:
    assert night_exit_code(summary) == code


def test_the_parts_of_a_night_make_the_summary_of_the_whole() -> None:
    whole = night(
        *(target(name) for name in "abcdef"),
        broken=(BrokenSuite(suite="x", reason="r"), BrokenSuite(suite="y", reason="r")),
    )
    parts = [
        replace(whole, night_id=str(n), shard=f"{n + 1}/3", targets=whole.targets[n::3])
        for n in (2, 0, 1)
    ]
    assert merge_nights(whole.night_id, parts) == whole


@pytest.mark.parametrize(
    ("stops", "merged"),
    [
        (("done", "done"), "done"),
        (("done", "budget"), "budget"),
        (("deadline", "interrupted"), "interrupted"),
    ],
)
def test_a_part_that_was_stopped_shows_in_the_whole(stops: tuple[str, str], merged: str) -> None:
    parts = [night(target(stop + str(n)), stopped_because=stop) for n, stop in enumerate(stops)]
    assert merge_nights("n", parts).stopped_because == merged


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([night(target("a")), night(target("a"))], "a .suite s. stands in two"),
        ([night(target("a")), night(target("b"), engine="local")], "docker, local"),
        (
            [night(target("a")), night(target("b"), simulated=True, night_id="theirs")],
            "only some of the nights were simulated .theirs.",
        ),
        (
            [night(target("a"), shard="1/2"), night(target("b"), shard="2/3")],
            "different divisions .1/2, 2/3.",
        ),
    ],
    ids=["the same shard twice", "two engines", "a stand-in's", "two divisions"],
)
def test_parts_that_do_not_belong_together_are_refused(
    parts: list[NightSummary], said: str
) -> None:
    with pytest.raises(StoreError, match=said):
        merge_nights("n", parts)


def test_a_missing_part_is_named_until_it_is_merged_too() -> None:
    parts = [night(target(str(n)), shard=f"{n}/10") for n in range(1, 11)]
    assert merge_nights("n", parts).missing == ()
    some = merge_nights("n", [*parts[:1], *parts[2:9]])
    assert (some.missing, night_exit_code(some)) == (("2/10", "10/10"), 3)
    told = "\n".join(night_lines(some, folder="output/n", is_merged=True))
    assert "missing: parts 2/10, 10/10; what was measured there is in none of the folders" in told
    assert told.count("missing") == 1 + told.count("merge all parts again when the missing") == 2
    assert merge_nights("n", [some, parts[9]]).missing == ("2/10",)
    assert merge_nights("n", [some, parts[9], parts[1]]).missing == ()


def test_a_part_that_measured_nothing_is_of_no_kind() -> None:
    unopened = night(target("a", action=NightAction.FAILED), cli_version="")
    assert merge_nights("n", [unopened, night(target("b"), simulated=True)]).simulated


def test_the_newest_night_of_an_output_folder_is_found(tmp_path: Path) -> None:
    newest = "20261130T220000-10"
    for stamp in ("20261129T220000", "20261130T220000-2", newest, "20261130T220000"):
        (tmp_path / stamp).mkdir()
        write_night(tmp_path / stamp, night(night_id=stamp), {})
    assert night_folder(tmp_path).name == newest
    assert read_night(tmp_path).night_id == newest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}", "schema_version"),
        (b"{", "not JSON"),
        (b'{"schema_version": 2}', "schema_version 2"),
        (b'{"schema_version": 1, "night_id": 5}', "night_id"),
    ],
)
def test_a_summary_that_cannot_be_read_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / NIGHT_SUMMARY).write_bytes(content)
    with pytest.raises(StoreError, match=said):
        read_night(tmp_path)


def test_a_folder_without_a_night_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"holds no overnight-summary\.json"):
        read_night(tmp_path)
