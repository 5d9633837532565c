import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import CaseSet, Verdict
from skillwalker.report.wording import SIMULATED
from tests.bench import make_bench_project
from tests.histories import NEW, TRIAL, Past, gate, trials, write_all, write_past

A, B = "20260101T080000", "20260102T080000"
BEFORE = {"p1": "t t", "p2": "n n", "n1": "n n", "n2": "n t"}
Capture = pytest.CaptureFixture[str]

EXPECTED = """\
Statistics of 2 runs in output

Coverage (4 folders)
  read           2 runs (measure 1, scil 1)
  no runs        1: notes
  not readable   0 runs
  left out       1 simulated; --simulated counts them

Outcomes (25 trials, each by its last attempt)
                  triggered       not  undecided    trials   retried
  claude-sonnet-5-5, engine docker, dontAsk, https://api.anthropic.com, within 4 turns
    confirm               3         5          0         8         0
    train                 7         9          1        17         2

Rates of what the files held (16 decided trials; mean over cases, 90 % intervals)
  demo:review: claude-sonnet-5-5, engine docker, dontAsk, https://api.anthropic.com, \
within 4 turns,
    CLI 2.1.332
    all          recall 50 % (4/8), 12–88 %; specificity 88 % (7/8), 33–99 %
                 2 runs, 4 cases, 1 description
    2026-01-01   recall 50 % (2/4), 12–88 %; specificity 75 % (3/4), 25–96 %
    2026-01-02   recall 50 % (2/4), 12–88 %; specificity 100 % (4/4), 43–100 %

Searches (1 run of scil and acil, 1 ended)
  verdicts       improved 1/1
  ended by       iterations 1/1
  gate           passed 1/1
  applied        1 run of 1, 1 measured by confirm rounds
    20260102T080000 demo:review: +25 points (-100 to +100), 4 cases
      before: recall 50 % (1/2), 12–88 %; specificity 100 % (2/2), 43–100 %
      after:  recall 100 % (2/2), 43–100 %; specificity 100 % (2/2), 43–100 %
    mean +25 points over 1 of 1 applied run: claude-sonnet-5-5, engine docker, dontAsk,
      https://api.anthropic.com, within 4 turns

Undecided after the retry (1 of 25 trials)
  claude-sonnet-5-5, engine docker, dontAsk, https://api.anthropic.com, within 4 turns: 1 of 25
                 rate 1/1

Cost (28 calls, retries and controls among them)
  trial          $0.24 for 27 calls, 3 of them of unknown cost
  improver       $0.50 for 1 call
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "evals").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def write_history(project: Path) -> None:
    """A measurement, an applied search and a simulated run."""
    one = {"p1": "t", "p2": "n", "n1": "n", "n2": "n"}
    searched = (
        *trials(one),
        *trials({"p1": "t", "p2": "t", "n1": "n", "n2": "ut"}, text=NEW),
        *trials(one, side=CaseSet.CONFIRM, first=1),
        *trials(
            {"p1": "t", "p2": "t", "n1": "n", "n2": "n"}, text=NEW, side=CaseSet.CONFIRM, first=1
        ),
    )
    write_all(
        project / "output",
        (
            Past(run_id=A, trials=trials(BEFORE | {"p3": "uu"})),
            Past(
                run_id=B,
                kind="scil",
                best=NEW,
                applied=True,
                verdict=Verdict.IMPROVED,
                gate=gate(passed=True),
                improver_cost=0.5,
                trials=searched,
            ),
            Past(run_id="20260103T080000", simulated=True, trials=trials({"p1": "t"})),
        ),
    )
    (project / "output/notes").mkdir()


def test_stats_for_people(project: Path, capsys: Capture) -> None:
    write_history(project)
    assert main(["stats"]) == 0
    assert capsys.readouterr().out == EXPECTED


def test_stats_as_json_is_one_object_with_the_same_figures(project: Path, capsys: Capture) -> None:
    write_history(project)
    assert main(["--json", "stats"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["schema_version"] == 1
    assert figures["coverage"]["read"] == {"measure": 1, "scil": 1}
    assert figures["search"][0]["verdicts"] == {"improved": 1}
    assert figures["rates"][0]["rates"]["recall"]["n"] == 8
    assert figures["rates"][0]["days"][0]["day"] == "2026-01-01"
    assert figures["undecided"][0]["reasons"] == {"rate": 1}


def test_simulated_figures_are_said_to_be_so_first_and_last(project: Path, capsys: Capture) -> None:
    write_history(project)
    assert main(["stats", "--simulated"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[-1] == SIMULATED
    assert any("SIMULATED" in line for line in lines[5:-1])


@pytest.mark.parametrize("words", ["", "--since 2026-01-01", "--target demo:x", "--simulated"])
def test_an_empty_history_is_no_error(project: Path, capsys: Capture, words: str) -> None:
    assert main(["stats", *shlex.split(words)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "No run is recorded in output yet"
    assert main(["stats", "--json", *shlex.split(words)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["coverage"]["read"] == {}
    assert (figures["outcomes"], figures["rates"], figures["rated"]) == ([], [], 0)
    assert [cost["usage"]["calls"] for cost in figures["costs"]] == [0, 0, 0]
    assert not (project / "output").exists()


@pytest.mark.parametrize("words", ["--since 2027-01-01", "--target demo:nothing"])
def test_a_filter_that_leaves_nothing_says_what_there_is(
    project: Path, capsys: Capture, words: str
) -> None:
    write_history(project)
    assert main(["stats", *words.split()]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("No run in output is counted: all were left out")
    assert ("demo:review" in first) is ("--target" in words)


def test_a_file_may_be_named_by_its_whole_path(project: Path, capsys: Capture) -> None:
    write_history(project)
    path = project / "plugins/demo/skills/review/SKILL.md"
    assert main(["stats", "--json", "--target", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["read"] == {"measure": 1, "scil": 1}


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("stats --since yesterday", 2, "'yesterday' is no date; write it as 2026-11-30"),
        ("stats --target ''", 2, "it is empty; name something"),
        ("diff A", 2, "missing argument 'b'"),
        (f"diff {A} {B} --of worst", 2, "'worst' is none; choose original or best"),
        (f"diff {A} nothing", 1, "there is no run 'nothing' in"),
        (f"diff {A} {A}", 1, "named twice"),
        (f"diff {A} notes", 1, "it has no run.json"),
        (f"diff {A} 20260103T080000 --of best", 1, "no trial of its best"),
    ],
)
def test_wrong_input_is_one_line(
    project: Path, capsys: Capture, line: str, code: int, message: str
) -> None:
    write_history(project)
    trials_file = project / "output/20260103T080000/trials.jsonl"
    trials_file.write_text("")
    assert main(shlex.split(line)) == code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert message.lower() in streams.err.lower()
    assert len(streams.err.splitlines()) == 1


def test_a_damaged_run_is_named_and_the_rest_counted(project: Path, capsys: Capture) -> None:
    write_history(project)
    (project / f"output/{A}/trials.jsonl").write_text("\x1b[31mred\n{}\n")
    assert main(["stats"]) == 0
    out = capsys.readouterr().out
    assert "not readable   1 run\n" in out
    assert f"{A}: trials.jsonl, line 1: not JSON" in out
    assert "read           1 run (scil 1)" in out
    assert "\x1b" not in out


def test_hostile_names_stay_on_their_line(project: Path, capsys: Capture) -> None:
    name = "p\x1b[2J\nq"
    past = Past(run_id=A, target="demo:\x1b]0;x", cases={name: True}, trials=trials({name: "t"}))
    write_past(project / "output", past)
    later = replace(past, run_id=B, trials=trials({name: "n"}, like=replace(TRIAL, reason="x")))
    write_past(project / "output", later)
    assert main(["stats"]) == 0
    assert main(["diff", A, B]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "q (should trigger)" in out


DIFF = """\
demo:review: A 20260101T080000 against B 20260102T080000
  A: original description, 9 trials, 1 undecided (all its trials), engine docker, CLI 2.1.332
  B: applied description, 4 trials (its confirm rounds alone), engine docker, CLI 2.1.332
  description: another text in each
  also differs: text original in A, best in B

claude-sonnet-5-5: no difference shown, +38 points of balanced accuracy (90 % interval -100 to +100)
  over 4 cases decided in both; mean over cases, 90 % intervals
  recall       A 50 % (2/4), 12–88 %; B 100 % (2/2), 43–100 %; +50 points
  specificity  A 75 % (3/4), 25–96 %; B 100 % (2/2), 43–100 %; +25 points
  balanced     A 62 % (5/8), 31–84 %; B 100 % (4/4), 59–100 %; +38 points
  intervals of the changes: recall -100 to +100, specificity -100 to +100
  these cases are too few to show a change of any size
  moved (2 of 4 cases; correct of decided trials)
    0/2 → 1/1     p2 (should trigger)
    1/2 → 1/1     n2 (should not trigger)

left out (1 case)
  not in A: p3
"""


def test_diff_for_people(project: Path, capsys: Capture) -> None:
    write_history(project)
    assert main(["diff", A, B]) == 0
    assert capsys.readouterr().out == DIFF


def test_diff_as_json(project: Path, capsys: Capture) -> None:
    write_history(project)
    assert main(["diff", A, B, "--json", "--of", "original"]) == 0
    comparison = json.loads(capsys.readouterr().out)
    assert comparison["schema_version"] == 1
    assert (comparison["a"]["run_id"], comparison["b"]["which"]) == (A, "original")
    (model,) = comparison["models"]
    assert model["shown"] == "no_difference_shown"
    assert [pair["case"] for pair in model["pairs"]] == ["n1", "n2", "p1", "p2"]
    assert comparison["left_out"][0]["case"] == "p3"


def test_what_the_product_itself_records_is_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = make_bench_project(tmp_path)
    base = ["-C", str(project), "--json"]
    engine = ["--engine", "simulated"]
    assert main([*base, "measure", *engine]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert main([*base, "scil", "run", *engine, "--max-iterations", "2"]) == 0
    improved = json.loads(capsys.readouterr().out)
    assert main([*base, "stats"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["simulated"] == 2
    assert main([*base, "stats", "--simulated"]) == 0
    figures = json.loads(capsys.readouterr().out)
    usage = [improved["usage"], measured["usage"]]
    calls = {c["purpose"]: c["usage"]["calls"] for c in figures["costs"] if c["simulated"]}
    assert calls["trial"] == sum(one["trial"]["calls"] for one in usage)
    assert calls["improver"] == improved["usage"]["improver"]["calls"]
    assert figures["not_rated"] == 0
    assert main([*base, "diff", measured["run_id"], improved["run_id"]]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert model["a"]["balanced"]["rate"] == measured["original"]["balanced"]["rate"]
