"""Trials of an eval run in trials.jsonl, and the same read again with today's detector."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from skillwalker.datatypes.trials import Transcript
from skillwalker.errors import StoreError
from skillwalker.evaluation.rescoring import rescore_run
from skillwalker.paths import Places
from skillwalker.recording.records import read_trial
from skillwalker.targets.names import description_hash
from tests.eval_world import (
    ALL_MET,
    REVIEW,
    TableEngine,
    broken,
    case,
    make_eval_project,
    order_of,
    run_order,
    said,
)
from tests.fake_claude import INIT, result
from tests.projects import call_case


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text("utf-8").splitlines()]


def test_every_trial_of_every_type_is_a_line(tmp_path: Path) -> None:
    outcome = run_order(make_eval_project(tmp_path), TableEngine(ALL_MET), order_of(concurrency=1))
    skill, agent, work, delegated = lines_of(outcome.folder)
    for row in (skill, agent, work, delegated):
        read_trial(row)
        assert (row["run_id"], row["set"], row["iteration"]) == (outcome.folder.name, "train", 1)
        assert row["model_asked"] == row["model"] == "claude-sonnet-5-5"
        assert (row["suite"], row["transcript"] is not None) == ("mixed", True)
    assert (skill["outcome"], skill["step"], skill["mode"]) == ("triggered", 1, "tool")
    assert (skill["target"], skill["target_kind"]) == ("demo:review", "skill")
    assert skill["should_trigger"] is True
    assert (agent["outcome"], agent["step"], agent["target"]) == ("triggered", 2, "demo:auditor")
    assert (work["outcome"], work["reason"], work["target"]) == ("undecided", "no_target", None)
    assert work["should_trigger"] is None
    assert (delegated["outcome"], delegated["should_trigger"]) == ("triggered", True)
    assert [row["case_type"] for row in (skill, agent, work, delegated)] == [
        "skill-call",
        "agent-call",
        "prompt",
        "agent-prompt",
    ]
    assert len({row["cell_key"] for row in (skill, agent, work, delegated)}) == 4


def test_a_line_names_the_description_that_was_measured(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), call_case("b"))
    outcome = run_order(places, TableEngine(), order_of(concurrency=1))
    first, second = lines_of(outcome.folder)
    text = (places.project / "plugins/demo/skills/review/SKILL.md").read_text("utf-8")
    description = text.split("description: ")[1].split("\n")[0]
    assert first["candidate"] == second["candidate"] == description_hash(description)
    assert first["cell_key"] != second["cell_key"]
    assert first["transcript"] != second["transcript"]


def test_the_same_experiment_has_the_same_key_in_another_run(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), case("w", {"result-contains": "x"}))
    keys = [
        [row["cell_key"] for row in lines_of(run_order(places, TableEngine()).folder)]
        for _ in range(2)
    ]
    assert sorted(keys[0]) == sorted(keys[1])
    skill = places.project / "plugins/demo/skills/review/SKILL.md"
    skill.write_text(skill.read_text("utf-8").replace("Do it.", "Do it otherwise."), "utf-8")
    changed = [row["cell_key"] for row in lines_of(run_order(places, TableEngine()).folder)]
    # The body is no part of a call's copy, but all of what a prompt case works with.
    assert len(set(changed) & set(keys[0])) == 1


def test_a_trial_that_says_nothing_has_its_reason_and_both_attempts(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, case("w", {"result-contains": "x"}), call_case("a"))
    engine = TableEngine({"prompt of w": [broken("crash")], "prompt of a": [broken("auth")]})
    outcome = run_order(places, engine, order_of(concurrency=1))
    found = [(row["case"], row["attempt"], row["reason"]) for row in lines_of(outcome.folder)]
    assert sorted(found) == [
        ("a", 0, "auth"),
        ("a", 1, "auth"),
        ("w", 0, "crash"),
        ("w", 1, "crash"),
    ]


def test_call_cases_are_denied_and_prompt_cases_may_act(tmp_path: Path) -> None:
    engine = TableEngine(ALL_MET)
    run_order(make_eval_project(tmp_path), engine, order_of(concurrency=1))
    assert [one.may_act for one in engine.invocations] == [False, False, True, True]


def test_two_suites_with_a_case_of_one_name_keep_both_streams(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a"), suite="one")
    make_eval_project(tmp_path, call_case("a"), suite="two")
    outcome = run_order(places, TableEngine(), order_of("one", "two"))
    names = {row["transcript"] for row in lines_of(outcome.folder)}
    assert len(names) == 2
    assert all((outcome.folder / name).is_file() for name in names)


# --- read again --------------------------------------------------------------------------------


def stream(*events: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(event).encode() for event in (INIT, *events))


def asks(tool: str, **given: object) -> dict[str, object]:
    block = {"type": "tool_use", "id": "t1", "name": tool, "input": given}
    return {
        "type": "assistant",
        "message": {
            "id": "m1",
            "model": "claude-sonnet-5-5",
            "stop_reason": "tool_use",
            "content": [block],
        },
    }


CALLED = stream(asks("Skill", skill="demo:review"))
QUIET = stream(
    {
        "type": "assistant",
        "message": {
            "id": "m1",
            "model": "claude-sonnet-5-5",
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "ok"}],
        },
    },
    result("ok"),
)


def recorded(root: Path, *answers: Transcript) -> tuple[Places, Path]:
    """A run whose cases c0, c1… got the answers."""
    cases = [call_case(f"c{n}", prompt=f"p{n}") for n in range(len(answers))]
    places = make_eval_project(root, *cases)
    engine = TableEngine({f"p{n}": [answer] for n, answer in enumerate(answers)})
    return places, run_order(places, engine, order_of(concurrency=1)).folder


def test_a_run_that_reads_as_it_did_has_no_change(tmp_path: Path) -> None:
    places, folder = recorded(
        tmp_path,
        said("", REVIEW, raw=CALLED, turns=1),
        said("ok", raw=QUIET, turns=1),
        said("", raw=(*QUIET[:2], QUIET[1].replace(b'"m1"', b'"m2"')), turns=2, timed_out=True),
        said("", turns=0, failure="idle", raw=CALLED[:1]),
    )
    found = rescore_run(places, folder.name)
    assert found.changed == ()
    assert (found.trials, found.read_again) == (5, 5)


def test_a_trial_that_reads_otherwise_is_named(tmp_path: Path) -> None:
    places, folder = recorded(tmp_path, said("ok", raw=CALLED), said("", REVIEW, raw=QUIET))
    missed, invented = rescore_run(places, folder.name).changed
    assert (missed.case, missed.before.outcome, missed.after.outcome) == (
        "c0",
        "not_triggered",
        "triggered",
    )
    assert (missed.after.step, invented.after.outcome) == (1, "not_triggered")


def test_what_cannot_be_read_again_is_counted(tmp_path: Path) -> None:
    places = make_eval_project(
        tmp_path, call_case("a"), call_case("b"), case("w", {"result-contains": "x"})
    )
    engine = TableEngine({"prompt of a": [said("", raw=())], "prompt of b": [said("", raw=QUIET)]})
    folder = run_order(places, engine, order_of(concurrency=1)).folder
    found = rescore_run(places, folder.name)
    assert (found.trials, found.read_again) == (3, 1)
    assert (found.without_transcript, found.without_target) == (1, 1)
    for path in (folder / "transcripts").iterdir():
        path.write_bytes(gzip.compress(b"x")[:9])
    assert rescore_run(places, folder.name).without_transcript == 2


def test_a_run_without_trials_is_named(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path)
    (places.output_dir / "20260101T000000").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"has no trials\.jsonl"):
        rescore_run(places, "20260101T000000")
