import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skillwalker.errors import StoreError
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.folders import FolderKind, began, kind_of
from skillwalker.statistics.reading import RunFilter, read_history
from skillwalker.statistics.run_facts import read_run_facts, read_spent
from skillwalker.targets.names import description_hash
from tests.histories import OLD, Past, trials, write_past

RUN = "20260101T080000"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        (RUN, datetime(2026, 1, 1, 8, tzinfo=UTC)),
        (f"{RUN}-12", datetime(2026, 1, 1, 8, tzinfo=UTC)),
        ("20261301T080000", None),
        ("20260101", None),
        (f"{RUN}-x", None),
        ("notes", None),
    ],
)
def test_a_run_began_when_its_name_says(name: str, moment: datetime | None) -> None:
    assert began(Path(name)) == moment


@pytest.mark.parametrize(
    ("name", "file", "kind"),
    [
        (RUN, None, FolderKind.EMPTY),
        (RUN, "run.json", FolderKind.LOOP),
        (RUN, "trials.jsonl", FolderKind.EMPTY),
        (RUN, "test-config.jsonl", FolderKind.EVAL),
        (RUN, "original/1.json", FolderKind.DESCRIBE),
        (RUN, "overnight-summary.json", FolderKind.OVERNIGHT),
        (RUN, "holiday.jpg", FolderKind.NO_RUN),
        ("notes", "run.json", FolderKind.NO_RUN),
    ],
)
def test_a_folder_is_what_its_files_say(
    tmp_path: Path, name: str, file: str | None, kind: FolderKind
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    if file is not None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text("")
    assert kind_of(folder) is kind


def change_plan(folder: Path, **changes: object) -> None:
    path = folder / "run.json"
    plan = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in plan.items() if value is not ...}))


@pytest.mark.parametrize(
    ("facts", "order", "simulated"),
    [
        ({"simulated": True, "endpoint": "https://api.anthropic.com"}, {}, True),
        ({"simulated": False, "endpoint": "http://127.0.0.1:1"}, {}, False),
        ({"endpoint": "http://127.0.0.1:8080"}, {}, True),
        ({"endpoint": "http://[::1]:8080/v1"}, {}, True),
        ({"endpoint": "https://api.anthropic.com"}, {}, False),
        (None, {"engine": "simulated"}, True),
        (None, {"engine": "docker"}, False),
    ],
    ids=["said", "said-not", "loopback", "loopback-6", "api", "never-opened", "real"],
)
def test_a_run_that_was_killed_is_not_taken_for_real(
    tmp_path: Path, facts: object, order: object, simulated: bool
) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, ended=False))
    change_plan(folder, facts=facts, order=order)
    assert read_run_facts(folder, NOON).simulated is simulated


def write_rows(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_run_without_its_plan_is_read_from_summary_and_iterations(tmp_path: Path) -> None:
    past = Past(run_id=RUN, trials=trials({"p1": "t t", "n1": "t", "x": "t"}))
    folder = write_past(tmp_path, past)
    (folder / "run.json").unlink()
    write_rows(
        folder / "measure-iteration.jsonl",
        {
            "iteration": 1,
            "candidate": description_hash(OLD),
            "cases": [
                {"case": "p1", "triggered": 2, "not_triggered": 0, "passed": True},
                {"case": "n1", "triggered": 1, "not_triggered": 0, "passed": False},
                {"case": "x", "triggered": 1, "not_triggered": 1, "passed": None},
                {"case": "y", "should_trigger": True},
                "noise",
            ],
        },
    )
    facts = read_run_facts(folder, NOON)
    assert facts.should_trigger == {"p1": True, "n1": False, "y": True}
    assert facts.original == description_hash(OLD)
    assert facts.target == "demo:review"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema_version": 2}, "schema_version 2"),
        ({"kind": "dream"}, "'dream'"),
        ({"target": 5}, "names its target"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, ended=False))
    change_plan(folder, **changes)
    with pytest.raises(StoreError, match=reason):
        read_run_facts(folder, NOON)


def test_a_broken_summary_is_a_reason(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN))
    (folder / "measure-summary.json").write_text("{")
    ((_, why),) = read_history(tmp_path, RunFilter()).coverage.unreadable
    assert why.startswith("measure-summary.json, line 1: not JSON")


def test_calls_of_an_improver_without_a_price_are_unknown(tmp_path: Path) -> None:
    folder = write_past(tmp_path, Past(run_id=RUN, ended=False))
    usage = {"input_tokens": 5, "output_tokens": 1, "cost_usd": None}
    write_rows(folder / "improver.jsonl", {"usage": usage}, {"usage": usage | {"cost_usd": 0.5}})
    (improver,) = (s.usage for s in read_spent(folder, simulated=False) if s.purpose == "improver")
    assert (improver.calls, improver.cost_unknown_calls, improver.cost_usd) == (2, 1, 0.5)
    assert improver.input_tokens == 10


def test_decided_trials_of_unknown_cases_are_counted_apart(tmp_path: Path) -> None:
    past = Past(run_id=RUN, cases={"p1": True}, trials=trials({"p1": "t", "gone": "t n u"}))
    write_past(tmp_path, past)
    figures = make_figures(read_history(tmp_path, RunFilter()))
    assert (figures.rated, figures.not_rated) == (1, 2)


def test_a_roomy_listing_is_a_setting_of_its_own(tmp_path: Path) -> None:
    for run_id, mode in ((RUN, "real"), (f"{RUN}-2", "roomy")):
        write_past(tmp_path, Past(run_id=run_id, listing_mode=mode, trials=trials({"p1": "t"})))
    figures = make_figures(read_history(tmp_path, RunFilter()))
    assert [row.setting.listing_mode for row in figures.rates] == ["real", "roomy"]
