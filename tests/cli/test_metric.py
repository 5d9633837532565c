"""metric run, extract, list, status, calibrate: what they print, note and end with."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillwalker.claude_code.process_tree import find_marked
from skillwalker.cli import main
from tests.projects import write

Output = pytest.CaptureFixture[str]
METRICS = """
[metrics.rate]
kind = "bounded"
unit = "rate"
description = "share of failing tests"
direction = "decrease"
command = ["measure"]

[metrics.all]
kind = "bounded"
unit = "rate"
description = "all of them"
direction = "decrease"
sum = ["rate"]
"""
KEYS = {"success", "metric_value", "metric_name", "unit", "goal_achieved", "runs", "error"}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "skillwalker.toml", METRICS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def history(project: Path) -> list[dict[str, object]]:
    path = project / "metrics/history.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(capsys: Output, *words: str) -> tuple[int, dict[str, object]]:
    """Run `metric run --json` and give its exit code and result."""
    code = main(["metric", "run", "--json", *words])
    result = json.loads(capsys.readouterr().out)
    assert set(result) == KEYS
    return code, result


def said(text: str) -> list[str]:
    return ["--", "printf", "%s", text]


LATENCY = '{"success": true, "metric_name": "latency", "metric_value": 50, "unit": "ms"}'


@pytest.mark.parametrize(
    ("options", "text", "code", "achieved"),
    [
        pytest.param([], LATENCY, 0, None, id="no goal"),
        pytest.param(["--goal", "50", "--direction", "decrease"], LATENCY, 0, True, id="reached"),
        pytest.param(["--goal", "49", "--direction", "decrease"], LATENCY, 4, False, id="missed"),
        pytest.param(["--goal", "50", "--direction", "increase"], LATENCY, 0, True, id="up"),
        pytest.param(["--goal", "51", "--direction", "increase"], LATENCY, 4, False, id="up miss"),
        pytest.param(["--goal", "-5", "--direction", "decrease"], LATENCY, 4, False, id="negative"),
        pytest.param([], '{"success": true}', 0, True, id="boolean"),
        pytest.param([], '{"success": false}', 1, None, id="boolean failure"),
        pytest.param(
            ["--goal", "1", "--direction", "increase"], '{"success": true}', 1, None, id="no number"
        ),
        pytest.param([], "42", 1, None, id="a bare number"),
        pytest.param(["--primary", "other"], LATENCY, 1, None, id="missing primary"),
        pytest.param(["--primary", "a"], "METRIC a=1\nMETRIC b=2", 0, None, id="METRIC lines"),
    ],
)
def test_a_run_ends_by_what_it_measured(
    capsys: Output, options: list[str], text: str, code: int, achieved: bool | None
) -> None:
    found, result = run(capsys, *options, *said(text))
    assert (found, result["goal_achieved"]) == (code, achieved)
    assert result["success"] == (code != 1)
    assert (result["error"] is None) == (code != 1)
    runs = result["runs"]
    assert isinstance(runs, list)
    assert len(runs) == 3


def test_the_result_is_the_median_of_the_runs_that_measured(project: Path, capsys: Output) -> None:
    script = "n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $n = 1 ] && exit 7; "
    write(project / "go.sh", script + 'echo "METRIC t_ms=$((100 - n))"')
    code, result = run(capsys, "--runs", "4", "sh", "go.sh")
    assert code == 0
    assert (result["metric_value"], result["metric_name"], result["unit"]) == (98, "t_ms", "ms")
    assert result["error"] == "1 of 4 runs failed; the first: crashed with exit code 7"


@pytest.mark.parametrize("as_json", [True, False])
def test_a_result_that_cannot_be_noted_is_told_first(
    project: Path, capsys: Output, as_json: bool
) -> None:
    (project / "metrics").write_text("a file where the folder should be")
    options = ["--runs", "1", *(["--json"] if as_json else [])]
    assert main(["metric", "run", *options, *said("METRIC t_ms=98")]) == 1
    out, err = capsys.readouterr()
    if as_json:
        result = json.loads(out)
        assert (result["success"], result["metric_value"]) == (True, 98)
    else:
        assert out.startswith("t_ms 98 ms")
    assert err.startswith("skillwalker: the result is not in the history: metrics/history.jsonl")
    assert len(err.splitlines()) == 1


def test_each_run_is_noted_with_its_secondaries(project: Path, capsys: Output) -> None:
    goal = ["--primary", "a", "--goal", "1", "--direction", "increase"]
    run(capsys, *goal, *said("METRIC a=1\nMETRIC b_ms=2"))
    run(capsys, *goal, *said("METRIC a=0\nMETRIC c=3"))
    run(capsys, "--primary", "a", *said("nothing"))
    run(capsys, "--no-history", *said(LATENCY))
    rows = history(project)
    picked = ("iteration", "metric_name", "metric_value", "goal_achieved", "success", "metrics")
    assert [tuple(row[key] for key in picked) for row in rows] == [
        (1, "a", 1, True, True, {"b_ms": 2}),
        (2, "a", 0, False, True, {"b_ms": None, "c": 3}),
        (3, "a", None, None, False, {"b_ms": None, "c": None}),
    ]
    assert all(str(row["timestamp"]).endswith("Z") for row in rows)
    assert main(["metric", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["secondaries"] == [
        {"name": "b_ms", "unit": "ms", "seen_with": "a"},
        {"name": "c", "unit": None, "seen_with": "a"},
    ]


def test_only_shell_brings_in_a_shell(capsys: Output) -> None:
    words = ["--runs", "1", "--no-history"]
    script = "echo '{\"metric_value\": 1}' | sed s/1/7/"
    assert run(capsys, *words, "--shell", "--", script)[1]["metric_value"] == 7
    assert run(capsys, *words, "--", "echo", "METRIC a=1", "|", "false")[0] == 1
    assert run(capsys, *words, "--", script)[0] == 1


def test_options_behind_the_program_are_the_program_s(capsys: Output) -> None:
    code, result = run(capsys, "--runs", "1", "printf", "--json", "--goal")
    assert code == 1
    assert '"--json"' in str(result["error"])


def test_a_command_runs_where_the_user_is_or_in_the_project_that_is_named(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    script = "import os; print('METRIC depth=%d' % os.path.exists('skillwalker.toml'))"
    words = ["--runs", "1", "--", sys.executable, "-S", "-c", script]
    assert run(capsys, *words)[1]["metric_value"] == 0
    assert run(capsys, "-C", str(project), *words)[1]["metric_value"] == 1
    assert len(history(project)) == 2


def test_a_command_gets_the_environment_without_the_login(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("MINE", "1")
    script = "import os; print('METRIC n=%d' % (2 * ('MINE' in os.environ) + ('ANTHROPIC_API_KEY' in os.environ)))"  # noqa: E501 (one line of another program)
    words = ["--runs", "1", "--", sys.executable, "-S", "-c", script]
    assert run(capsys, *words)[1]["metric_value"] == 2
    write(project / "skillwalker.toml", 'engine-env = ["ANTHROPIC_API_KEY"]')
    assert run(capsys, *words)[1]["metric_value"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--goal", "1", "x"], "--goal N and --direction increase|decrease go together"),
        (["--direction", "increase", "x"], "--goal N and --direction increase|decrease go"),
        (["--goal", "1", "--direction", "up", "x"], "--direction must be increase or decrease"),
        (["--goal", "nan", "--direction", "increase", "x"], "--goal must be a finite number"),
        (["--timeout", "0", "x"], "--timeout must be more than 0 seconds"),
        (["--timeout", "inf", "x"], "--timeout must be more than 0 seconds"),
        (["--runs", "0", "x"], "must be at least 1"),
        ([], "missing argument"),
    ],
)
def test_wrong_usage_runs_nothing(
    project: Path, capsys: Output, words: list[str], message: str
) -> None:
    assert main(["metric", "run", *words]) == 2
    assert message in capsys.readouterr().err
    assert history(project) == []


def test_people_get_words(capsys: Output) -> None:
    goal = ["--goal", "49", "--direction", "decrease"]
    assert main(["metric", "run", *goal, *said(LATENCY)]) == 4
    assert capsys.readouterr().out == "latency 50 ms (median of 3 runs)\ngoal at most 49: missed\n"
    assert main(["metric", "run", "no-such-program"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith('failed: "no-such-program" cannot be started')
    assert main(["metric", "run", *said('{"success": true}')]) == 0
    assert capsys.readouterr().out == "success\n"


def test_an_interrupt_ends_the_command_and_notes_nothing(project: Path) -> None:
    script = "import time; print('x', flush=True); open('started', 'w').close(); time.sleep(600)"
    words = ["metric", "run", "--", sys.executable, "-S", "-c", script]
    os.mkfifo(project / "started")
    with subprocess.Popen(
        [sys.executable, "-m", "skillwalker", *words],
        cwd=project,
        env={**os.environ, "TREE": str(project)},
        stderr=subprocess.PIPE,
    ) as child:
        (project / "started").open().close()  # waits until the command runs
        child.send_signal(signal.SIGINT)
        _, stderr = child.communicate(timeout=30)
    assert (child.returncode, stderr) == (130, b"")
    assert find_marked(f"TREE={project}") == frozenset()
    assert history(project) == []


EXTRACT = "METRIC total_µs=14600\r\nnoise\r\nMETRIC cache.hits=1\r\nMETRIC cache.hits=42\r\n"


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_metrics_are_extracted_from_stdin_or_a_file(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: Mapping[str, object] = {
        "metric": 14600,
        "metrics": {"cache.hits": 42},
        "units": {"total_µs": "µs"},
    }
    write(project / "out.txt", EXTRACT)
    for words in ([], ["-"], [str(project / "out.txt")]):
        feed(monkeypatch, EXTRACT)
        assert main(["metric", "extract", "--primary", "total_µs", "--json", *words]) == 0
        assert json.loads(capsys.readouterr().out) == expected
    assert main(["metric", "extract", str(project / "out.txt")]) == 0
    assert capsys.readouterr().out == "total_µs 14600 µs\ncache.hits 42\n"


def test_a_missing_primary_is_an_error_and_the_rest_is_shown(project: Path, capsys: Output) -> None:
    write(project / "out.txt", EXTRACT)
    assert main(["metric", "extract", "--primary", "wall", "--json", "out.txt"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["metric"] is None
    assert err.count("\n") == 1
    assert '"wall" is missing; there is "total_µs", "cache.hits"' in err
    assert main(["metric", "extract", "--primary", "wall", "absent.txt"]) == 1
    assert capsys.readouterr().err.startswith("skillwalker: absent.txt: cannot be read")


def calibrate(*words: str, predicted: str = "0.3", observed: str = "0.28") -> int:
    numbers = ["--predicted", predicted, "--observed", observed]
    return main(["metric", "calibrate", *words, *numbers])


def test_five_good_predictions_promote_and_two_bad_ones_demote(capsys: Output) -> None:
    for _ in range(4):
        assert calibrate("rate") == 0
    assert "promoted" not in capsys.readouterr().out
    assert calibrate("rate", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n"], record["state"], record["promoted"]) == (5, "load_bearing", True)
    assert record["load_bearing"] is True
    assert calibrate("rate", predicted="1", observed="0") == 0
    assert calibrate("rate", predicted="1", observed="0") == 0
    assert "rate is advisory again" in capsys.readouterr().out


def test_list_and_status_say_what_a_metric_is_worth(project: Path, capsys: Output) -> None:
    for _ in range(5):
        calibrate("rate")
    calibrate("all")
    capsys.readouterr()
    assert main(["metric", "status", "--json"]) == 0
    rate, composed = json.loads(capsys.readouterr().out)["metrics"]
    assert (rate["load_bearing"], composed["load_bearing"], composed["n"]) == (True, False, 1)
    assert main(["metric", "status", "rate"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["NAME", "VERSION", "SAMPLES"]
    assert lines[1].split() == ["rate", "1", "5", "0.020", "0.020", "0.020", "load-bearing"]
    assert main(["metric", "list"]) == 0
    assert "sum of rate" in capsys.readouterr().out
    write(
        project / "skillwalker.toml",
        METRICS.replace('"decrease"\ncomm', '"decrease"\nversion = 2\ncomm'),
    )
    assert main(["metric", "status"]) == 0
    assert "n/a" in capsys.readouterr().out


def test_a_change_without_a_version_is_refused(project: Path, capsys: Output) -> None:
    calibrate("rate")
    write(project / "skillwalker.toml", METRICS.replace('["measure"]', '["other"]'))
    for words in (["list"], ["status"], ["calibrate", "rate", "--predicted=0", "--observed=0"]):
        capsys.readouterr()
        assert main(["metric", *words]) == 1
        assert "set its version to 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "predicted", "code", "message"),
    [
        ("rat", "0.1", 1, 'there is no metric "rat"; did you mean "rate"?'),
        ("rate", "1.5", 1, '--predicted of "rate": 1.5 is outside of 0 to 1'),
        ("rate", "nan", 2, "--predicted must be a finite number"),
        ("rate", "x", 2, "'x' is not a number"),
    ],
)
def test_a_wrong_calibration_notes_nothing(
    project: Path, capsys: Output, name: str, predicted: str, code: int, message: str
) -> None:
    assert calibrate(name, predicted=predicted) == code
    assert message in capsys.readouterr().err
    assert not (project / "metrics").exists()


def test_torn_lines_are_told_and_newer_ones_refused(project: Path, capsys: Output) -> None:
    calibrate("rate")
    path = project / "metrics/calibrations.jsonl"
    path.write_bytes(path.read_bytes() + b'{"torn')
    assert main(["metric", "status"]) == 0
    assert "calibrations.jsonl: line 2 is torn" in capsys.readouterr().err
    path.write_text('{"schema_version": 99}\n')
    assert main(["metric", "status"]) == 1
    assert "schema_version 99" in capsys.readouterr().err


def test_a_project_without_metrics_is_told_how_to_declare_some(
    project: Path, capsys: Output
) -> None:
    write(project / "skillwalker.toml", "")
    assert main(["metric", "list", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"metrics": [], "secondaries": []}
    assert err.startswith("No metrics are declared; write [metrics.NAME]")


@pytest.mark.parametrize("words", [("status", "nope"), ("calibrate", "nope")], ids=lambda w: w[0])
def test_a_named_metric_where_none_is_declared_is_answered_once(
    project: Path, capsys: Output, words: tuple[str, str]
) -> None:
    write(project / "skillwalker.toml", "")
    values = ("--predicted", "1", "--observed", "1") if words[0] == "calibrate" else ()
    assert main(["metric", *words, *values]) == 1
    out, err = capsys.readouterr()
    start = 'skillwalker: there is no metric "nope". No metrics are declared; write [metrics.NAME]'
    assert out == ""
    assert " ".join(err.split()).startswith(start)
    assert err.count("declared") == 1
    assert "there is none" not in err
