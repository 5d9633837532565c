import dataclasses
import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.trials import Trial, TrialKey, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Mode, Outcome, Phase
from skillwalker.errors import RunNotFoundError, StoreError
from skillwalker.recording.rows import read_rows, write_atomically
from skillwalker.recording.store import (
    SET_ASIDE,
    TRIALS,
    RunStore,
    create_run,
    find_run,
    list_runs,
    read_transcript,
)

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
TRIAL = Trial(
    case="asks – für 日本",
    set=CaseSet.TRAIN,
    candidate="0123456789abcdef",
    iteration=1,
    run_index=0,
    attempt=0,
    model="claude-sonnet-5-5",
    model_asked="sonnet",
    engine="simulated",
    endpoint="simulated",
    permission_mode="dontAsk",
    cli_version="simulated",
    effort="default",
    cell_key="k",
    outcome=Outcome.TRIGGERED,
    reason=None,
    step=1,
    turns=1,
    mode=Mode.TOOL,
    also_fired=("demo:other",),
    usage=Usage(input_tokens=3, output_tokens=5, cost_usd=None, cost_estimated=True),
    duration=0.25,
    transcript=None,
)
KEY = TrialKey("0123456789abcdef", "asks – für 日本", "sonnet", 0, 0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore(tmp_path, secrets=("sk-secret", ""))
    yield opened
    opened.close()


def test_runs_of_one_second_get_folders_of_their_own(tmp_path: Path) -> None:
    names = [create_run(tmp_path / "output", NOON).name for _ in range(11)]
    assert names[:3] == ["20261130T120000", "20261130T120000-2", "20261130T120000-3"]
    newest = [run.name for run in list_runs(tmp_path / "output")]
    assert newest[0] == "20261130T120000-11"
    assert newest[-1] == "20261130T120000"


def test_an_output_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("")
    with pytest.raises(StoreError, match="output"):
        create_run(tmp_path / "output", NOON)


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "/etc", "20991231T000000"])
def test_an_unknown_run_is_refused_with_the_newest(tmp_path: Path, name: str) -> None:
    create_run(tmp_path, NOON)
    with pytest.raises(RunNotFoundError, match="20261130T120000"):
        find_run(tmp_path, name)


def test_a_trial_is_on_disk_before_it_counts(tmp_path: Path, store: RunStore) -> None:
    store.record_trial(TRIAL, ())
    row = json.loads((tmp_path / "trials.jsonl").read_text(encoding="utf-8"))
    assert row["schema_version"] == 1
    assert row["run_id"] == tmp_path.name
    assert row["cost_usd"] is None
    assert row["duration_s"] == 0.25
    assert row["also_fired"] == ["demo:other"]


def test_a_later_life_of_the_run_finds_its_trials(tmp_path: Path) -> None:
    first = RunStore(tmp_path)
    first.record_trial(TRIAL, ())
    second = dataclasses.replace(TRIAL, outcome=Outcome.UNDECIDED, reason="rate", run_index=1)
    first.record_trial(second, ())
    first.close()
    later = RunStore(tmp_path)
    assert later.recorded_trial(KEY) == TRIAL
    assert later.trials == (TRIAL, second)
    assert later.recorded_trial(dataclasses.replace(KEY, attempt=1)) is None


def test_a_torn_last_line_is_left_out_and_cut_off(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_trial(TRIAL, ())
    store.close()
    path = tmp_path / "trials.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    later = RunStore(tmp_path)
    assert later.trials == (TRIAL,)
    later.record_trial(dataclasses.replace(TRIAL, run_index=1), ())
    later.close()
    assert len(list(read_rows(path))) == 2


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_bytes(b"{}\nnot json\n{}\n")
    with pytest.raises(StoreError, match=r"trials\.jsonl, line 2"):
        list(read_rows(tmp_path / "trials.jsonl"))


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text('{"schema_version": 99}\n')
    with pytest.raises(StoreError, match="schema_version 99"):
        RunStore(tmp_path)


def test_a_stream_is_kept_as_received_and_named_without_the_users_text(
    tmp_path: Path, store: RunStore
) -> None:
    raw = (b'{"type":"system"}', b"not json sk-secret \xff")
    kept = store.record_trial(TRIAL, raw)
    assert kept.transcript is not None
    assert kept.transcript.isascii()
    text = gzip.decompress((tmp_path / kept.transcript).read_bytes())
    assert text == b'{"type":"system"}\nnot json [redacted] \xff\n'
    assert read_transcript(tmp_path, kept.transcript) == (raw[0], b"not json [redacted] \xff")


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b"x")[:-4]])
def test_a_broken_transcript_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.gz").write_bytes(content)
    with pytest.raises(StoreError, match=r"t\.gz"):
        read_transcript(tmp_path, "t.gz")
    with pytest.raises(StoreError, match="missing"):
        read_transcript(tmp_path, "missing")


def test_no_secret_reaches_a_file(tmp_path: Path, store: RunStore) -> None:
    exchange = Exchange(prompt="p sk-secret", reply="r", fault=None, model="m", usage=Usage())
    store.record_answer(1, Answer(description="sk-secret", reason="", exchanges=(exchange,)))
    assert "sk-secret" not in (tmp_path / "improver.jsonl").read_text()


def test_an_answer_is_found_whole_or_not_at_all(tmp_path: Path) -> None:
    asked = Exchange(prompt="p", reply="r", fault="too long", model="m", usage=Usage())
    taken = dataclasses.replace(asked, fault=None)
    answer = Answer(description="better", reason="why", exchanges=(asked, taken))
    store = RunStore(tmp_path)
    store.record_answer(1, answer)
    store.close()
    assert RunStore(tmp_path).recorded_answer(1) == answer
    path = tmp_path / "improver.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert RunStore(tmp_path).recorded_answer(1) is None


def test_a_call_is_on_the_disk_before_the_next_and_stands_there_once(tmp_path: Path) -> None:
    asked = Exchange(prompt="p", reply="r", fault="too long", model="m", usage=Usage(cost_usd=0.25))
    taken = dataclasses.replace(asked, fault=None)
    killed = RunStore(tmp_path)
    killed.record_call(1, asked)
    assert [usage.cost_usd for *_, usage in RunStore(tmp_path).calls()] == [0.25]
    killed.close()
    store = RunStore(tmp_path)  # a later life asks again from the start
    answer = Answer(description="better", reason="why", exchanges=(asked, asked, taken))
    for call in answer.exchanges[:-1]:
        store.record_call(1, call)
    assert RunStore(tmp_path).recorded_answer(1) is None
    store.record_answer(1, answer)
    store.record_answer(2, dataclasses.replace(answer, exchanges=(taken,)))
    store.close()
    again = RunStore(tmp_path)
    assert again.recorded_answer(1) == answer
    assert len(list(again.calls())) == 1 + 3 + 1


def test_lone_surrogates_do_not_lose_a_trial(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_trial(dataclasses.replace(TRIAL, case="odd \ud800"), ())
    store.close()
    assert RunStore(tmp_path).trials[0].case == "odd \ud800"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(StoreError, match="folder"):
        write_atomically(folder, b"new")
    assert path.read_bytes() == b"old"
    assert sorted(child.name for child in tmp_path.iterdir()) == ["file", "folder"]


def test_every_call_that_was_paid_is_counted_whatever_became_of_it(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_trial(TRIAL, ())
    refused = dataclasses.replace(TRIAL, outcome=Outcome.UNDECIDED, reason="rate", run_index=1)
    store.record_refused(refused)
    exchange = Exchange(
        prompt="p", reply="r", fault="short", model="m", usage=Usage(output_tokens=3, cost_usd=0.2)
    )
    store.record_call(1, exchange)
    store.close()
    again = RunStore(tmp_path)
    assert [purpose for purpose, _, _ in again.calls()] == ["trial", "trial", "improver"]
    assert [usage.cost_usd for *_, usage in again.calls()][-1] == 0.2
    assert again.spent == 1
    assert again.recorded_answer(1) is None
    again.close()


def test_trials_that_were_set_aside_stay_spent(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_trial(TRIAL, ())
    store.record_trial(dataclasses.replace(TRIAL, case="another"), ())
    store.set_aside("scil", {TRIAL.case})
    assert [trial.case for trial in store.trials] == ["another"]
    assert store.spent == 2
    store.close()
    assert RunStore(tmp_path).spent == 2


def test_setting_aside_that_was_cut_off_counts_no_trial_twice(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.record_trial(TRIAL, ())
    store.record_trial(dataclasses.replace(TRIAL, run_index=1), ())
    before = (tmp_path / TRIALS).read_bytes()
    store.set_aside("scil", {TRIAL.case})
    store.close()
    (tmp_path / TRIALS).write_bytes(before)  # killed between the two files
    again = RunStore(tmp_path)
    again.set_aside("scil", {TRIAL.case})
    again.close()
    assert [row["run_index"] for row in read_rows(tmp_path / SET_ASIDE)] == [0, 1]
    assert RunStore(tmp_path).spent == 2


def test_a_candidate_that_was_measured_further_gets_its_line_beside_a_new_one(
    tmp_path: Path,
) -> None:
    def iteration(number: int, text: str) -> Iteration:
        return Iteration(
            number=number, phase=Phase.EXPLORE, candidate="c", description=text, results=()
        )

    store = RunStore(tmp_path)
    store.write_iterations("scil", (iteration(1, "a"), iteration(2, "b")))
    store.write_iterations("scil", (iteration(1, "A"), iteration(2, "b"), iteration(3, "c")))
    store.close()
    rows = [*read_rows(tmp_path / "scil-iteration.jsonl")]
    assert [(row["iteration"], row["description"]) for row in rows] == [
        (1, "A"),
        (2, "b"),
        (3, "c"),
    ]
