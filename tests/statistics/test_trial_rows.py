import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.history import RecordedHistory
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.recording.store import RunStore
from skillwalker.statistics import trial_rows
from skillwalker.statistics.reading import RunFilter, read_history
from tests.histories import TRIAL, Past, trials, write_past

RUN = "20260101T080000"
RUNS = ("20260101T080000", "20260101T080000-2")
WORDS = st.lists(st.sampled_from(["t", "n", "u", "ut", "un", "uu"]), max_size=4).map(" ".join)
Change = Callable[[bytes], bytes]


def read(output: Path) -> RecordedHistory:
    return read_history(output, RunFilter())


def counted(history: RecordedHistory) -> Counter[tuple[str, str, Outcome, str | None]]:
    counts: Counter[tuple[str, str, Outcome, str | None]] = Counter()
    for count in history.trials:
        counts[count.run_id, count.setting.model, count.outcome, count.reason] += count.trials
    return +counts


@settings(max_examples=15, deadline=None)
@given(pasts=st.lists(st.dictionaries(st.sampled_from("ab日"), WORDS), min_size=1, max_size=2))
def test_both_readers_agree_on_what_a_run_holds(pasts: list[Mapping[str, str]]) -> None:
    with TemporaryDirectory() as name:
        output = Path(name)
        expected: Counter[tuple[str, str, Outcome, str | None]] = Counter()
        for run_id, outcomes in zip(RUNS, pasts, strict=False):
            made = trials(outcomes, like=replace(TRIAL, model_asked="claude-sonnet-5-5"))
            folder = write_past(output, Past(run_id=run_id, trials=made))
            last = {(t.case, t.run_index): t for t in RunStore(folder).trials}
            expected += Counter(
                (run_id, "claude-sonnet-5-5", t.outcome, t.reason) for t in last.values()
            )
        history = read(output)
    assert counted(history) == expected
    assert sum(count.attempts for count in history.trials) == sum(
        len(trials(outcomes)) for outcomes in pasts
    )


@pytest.mark.parametrize("folder", ["plain", "a[b]*?", "it's {x} $y"])
def test_sound_files_are_read_where_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    def refuse(path: Path, _read: object) -> None:
        raise AssertionError(f"{path} was read row by row")

    output = tmp_path / folder
    write_past(output, Past(run_id=RUN, trials=trials({"p1": "t n"})))
    write_past(output, Past(run_id=f"{RUN}-2"))
    write_past(output, Past(run_id=f"{RUN}-3", trials=trials({"p1": "t n"})))
    monkeypatch.setattr(trial_rows, "read_each", refuse)
    assert sum(count.trials for count in read(output).trials) == 4


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda text: text[:-1], 2),
        (lambda text: text + text[: len(text) // 6], 3),
        (lambda text: text + b"\xff\xfe", 3),
        (lambda text: text.replace(b'"p1"', b'"odd \\ud800"'), 3),
    ],
    ids=["no-line-end", "torn", "torn-bytes", "lone-surrogate"],
)
def test_what_a_kill_leaves_is_read(tmp_path: Path, change: Change, left: int) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=trials({"p1": "t n t"})))
    path = folder / "trials.jsonl"
    path.write_bytes(change(path.read_bytes()))
    history = read(tmp_path)
    assert history.coverage.unreadable == ()
    assert sum(count.trials for count in history.trials) == left
    assert history.coverage.without_trials == ()


@pytest.mark.parametrize("size", [0, 20], ids=["empty", "fragment"])
def test_a_run_that_lost_all_its_trials_is_damaged(tmp_path: Path, size: int) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=trials({"p1": "t n t"})))
    sound = write_past(tmp_path, Past(run_id=f"{RUN}-2", trials=trials({"p1": "t n"})))
    path = folder / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:size])
    history = read(tmp_path)
    ((name, why),) = history.coverage.unreadable
    assert (name, history.coverage.without_trials) == (RUN, ())
    assert "trials.jsonl holds 0 of the 3 trials that the summary counts" in why
    assert [run.run_id for run in history.runs] == [sound.name]
    assert sum(count.trials for count in history.trials) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: b"no json\n" + text, "trials.jsonl, line 1: not JSON"),
        (lambda text: text + b"[]\n" + text, "trials.jsonl, line 4: not a JSON object"),
        (lambda text: text.replace(b'n":1', b'n":7'), "schema_version 7"),
        (lambda text: text.replace(b'"triggered"', b'"maybe"'), "trials.jsonl, line 1: outcome"),
        (lambda text: text.replace(b'"cost_usd":0.01', b'"cost_usd":NaN'), "NaN is no number"),
        (
            lambda text: re.sub(rb'"duration_s":[^,]+', b'"duration_s":NaN', text),
            "NaN is no number",
        ),
        (lambda text: re.sub(rb'"input_tokens":[^,]+', b'"input_tokens":NaN', text), "NaN is no"),
        (lambda text: text + b"\xff\xfe" + text, "trials.jsonl, line 4: not JSON ('utf-8'"),
        (lambda text: text.replace(b'"run_index":0', b'"run_index":null'), "run_index"),
        (lambda text: text.replace(b'"p1"', b"null"), "case"),
    ],
    ids=[
        "broken",
        "list",
        "newer",
        "outcome",
        "nan",
        "nan-duration",
        "nan-tokens",
        "utf-16",
        "index",
        "case",
    ],
)
def test_a_damaged_run_is_named_and_spoils_no_other(
    tmp_path: Path, change: Change, reason: str
) -> None:
    folder = write_past(
        tmp_path, Past(run_id=RUN, trials=trials({"p1": "t n t"}), improver_cost=1.0)
    )
    write_past(tmp_path, Past(run_id=f"{RUN}-2", trials=trials({"p1": "t"})))
    path = folder / "trials.jsonl"
    path.write_bytes(change(path.read_bytes()))
    history = read(tmp_path)
    ((run_id, why),) = history.coverage.unreadable
    assert run_id == RUN
    assert reason in why
    assert str(tmp_path) not in why
    assert [(count.run_id, count.trials) for count in history.trials] == [(f"{RUN}-2", 1)]
    assert {spent.run_id for spent in history.spent} == {f"{RUN}-2"}


def test_a_line_that_duckdb_cannot_hold_stops_nothing(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, trials=trials({"p1": "t"})))
    write_past(tmp_path, Past(run_id=f"{RUN}-2", trials=trials({"p1": "n"})))
    path = folder / "trials.jsonl"
    row = json.loads(path.read_text()) | {"transcript": "x" * 34_000_000}
    path.write_text(json.dumps(row) + "\n")
    assert sum(count.trials for count in read(tmp_path).trials) == 2


def test_a_folder_in_place_of_the_file_is_a_reason(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN))
    (folder / "trials.jsonl").mkdir()
    ((run_id, why),) = read(tmp_path).coverage.unreadable
    assert run_id == RUN
    assert why.startswith("cannot read trials.jsonl")


def test_a_trial_that_no_model_answered_counts_for_the_one_that_was_asked(tmp_path: Path) -> None:
    made = trials({"p1": "uu"}, like=replace(TRIAL, model_asked="opus"))
    write_past(tmp_path, Past(run_id=RUN, trials=made))
    (count,) = read(tmp_path).trials
    assert (count.setting.model, count.trials, count.attempts) == ("opus", 1, 2)


def test_trials_that_were_set_aside_count_for_their_cost_alone(tmp_path: Path) -> None:
    past = Past(run_id=RUN, trials=trials({"p1": "t", "n1": "n"}))
    folder = write_past(tmp_path, past)
    store = RunStore(folder)
    store.set_aside("measure", {"p1"})
    store.close()
    history = read(tmp_path)
    assert [count.outcome for count in history.trials] == [Outcome.NOT_TRIGGERED]
    own = [spent.usage for spent in history.spent if spent.purpose == "trial"]
    assert sum(usage.calls for usage in own) == 2
    assert sum(usage.cost_usd for usage in own) == pytest.approx(0.02)


def test_a_database_that_gives_up_is_one_line() -> None:
    refused = pytest.raises(StoreError, match="cannot be summed up")
    with refused as caught, trial_rows.open_database() as database:
        database.execute("SELECT nothing FROM nowhere")
    assert "\n" not in str(caught.value)
