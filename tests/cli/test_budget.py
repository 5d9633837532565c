"""What may be spent, from the outside: trials, dollars, a deadline, a plan, several models."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.report.wording import SIMULATED as SIMULATED_LOUD
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.bench import call_cases, make_bench_project, write_cases

SIMULATED = ("--engine", "simulated")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def lines(project: Path, run_id: str, name: str) -> int:
    return len((project / "output" / run_id / name).read_text("utf-8").splitlines())


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", ["1", "7"])
@pytest.mark.parametrize("search", ["phases", "race"])
def test_37_trials_are_37_controls_included(
    project: Path, capsys: pytest.CaptureFixture[str], concurrency: str, search: str
) -> None:
    words = ("--max-trials", "37", "--concurrency", concurrency, "--search", search)
    code, summary = run_json(capsys, "scil", "run", *SIMULATED, *words)
    assert code == 0
    assert summary["trials"] == lines(project, summary["run_id"], "trials.jsonl") <= 37


def test_several_targets_share_one_budget(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = call_cases("demo:weather", positives=["how is the weather"], negatives=["sing"])
    write_cases(project, "sky", more)
    words = ("demo:code-review", "demo:weather", "--max-trials", "20")
    code, record = run_json(capsys, "measure", *SIMULATED, *words)
    first, second = record["runs"]
    assert code == 3
    assert (first["stopped_because"], first["trials"]) == ("iterations", 16)
    assert (second["stopped_because"], second["trials"]) == ("budget", 4)
    assert second["limit"] == "--max-trials"


def test_a_deadline_that_is_now_measures_nothing_and_says_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", *SIMULATED, "--deadline", "0m"]) == 3
    said = capsys.readouterr().err
    assert "inconclusive, the deadline came: " in said
    assert "next: skillwalker measure --resume" in said
    assert project.exists()


def test_a_resumed_run_takes_another_limit(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, cut = run_json(capsys, "measure", *SIMULATED, "--deadline", "0m")
    words = ("--deadline", "2h", "--max-pause", "5m", "--max-cost-usd", "1")
    code, whole = run_json(capsys, "measure", "--resume", cut["run_id"], *words)
    assert (code, whole["stopped_because"], whole["trials"]) == (0, "iterations", 16)
    assert project.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-cost-usd", "-1"], "--max-cost-usd must be at least 0 dollars"),
        (["--max-cost-usd", "inf"], "--max-cost-usd must be at least 0 dollars"),
        (["--max-cost-usd", "nan"], "--max-cost-usd must be at least 0 dollars"),
        (["--timeout", "inf"], "--timeout must be more than 0 seconds, and a number; got inf"),
        (["--timeout", "nan"], "--timeout must be more than 0 seconds, and a number; got nan"),
        (["--deadline", "25:00"], "--deadline: there is no '25:00' on a clock"),
        (["--max-pause", "soon"], "--max-pause: 'soon' is no span"),
    ],
)
def test_a_wrong_limit_is_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["measure", *SIMULATED, *words]) == 2
    assert message in capsys.readouterr().err
    assert not (project / "output").exists()


@pytest.mark.parametrize(
    ("setting", "code", "message"),
    [
        ('deadline = "noon"', 1, "skillwalker.toml: \"budget.deadline\": 'noon' is no time"),
        ('max-pause = "soon"', 1, "skillwalker.toml: \"budget.max-pause\": 'soon' is no span"),
        ("max-trials = 0", 3, "the budget was spent: 0 of 0 trials"),
        ('deadline = "0m"', 3, "the deadline came"),
    ],
)
def test_the_settings_hold_where_no_flag_does(
    project: Path, capsys: pytest.CaptureFixture[str], setting: str, code: int, message: str
) -> None:
    (project / "skillwalker.toml").write_text(f"[budget]\n{setting}\n")
    assert main(["measure", *SIMULATED]) == code
    assert message in capsys.readouterr().err
    flags = ("--max-trials", "99", "--deadline", "1h", "--max-pause", "1m")
    assert main(["measure", *SIMULATED, *flags]) == 0


def test_dollars_without_a_price_are_refused_before_anything_is_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--engine", "local", "--trial-model", "secret-model", "--max-cost-usd", "1")
    assert main(["measure", *words]) == 1
    said = capsys.readouterr().err
    assert "no price of secret-model is known" in said
    assert '[prices."secret-model"]' in said
    assert not (project / "output").exists()


# --- the plan ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["scil run", "measure"])
@pytest.mark.parametrize("search", ["phases", "race"])
def test_a_plan_spends_and_writes_nothing_and_bounds_what_is_run(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, search: str
) -> None:
    extra = ("--search", search) if command == "scil run" else ()
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    code, plan = run_json(capsys, *command.split(), *SIMULATED, *extra, "--dry-run")
    assert code == 0
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert plan["dry_run"]
    assert (plan["cases"], plan["train"], plan["holdout"], plan["payer"]) == (12, 12, 0, "nobody")
    assert (plan["likely_usd"], plan["worst_usd"]) == (0.0, 0.0)
    _, summary = run_json(capsys, *command.split(), *SIMULATED, *extra)
    assert summary["trials"] <= plan["worst_trials"]
    assert summary["trials"] - summary["undecided"] <= plan["trials"]


def test_a_plan_says_who_pays_what_by_whose_price(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    prices = "input = 1\noutput = 1\ncache-write = 1\ncache-read = 1\n"
    (project / "skillwalker.toml").write_text(f'[prices."mine"]\n{prices}')
    words = ("--engine", "local", "--max-trials", "30", "--concurrency", "2", "--dry-run")
    models = ("--trial-model", "mine", "--trial-model", "haiku")
    assert main(["scil", "run", *words, *models]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for words_of in (
        "paid by API key",
        "models claude-haiku-5-5, mine",
        "15 trial calls of mine: $0.61 to",
        "the project's settings",
        "list prices of 2026-10-24",
        "--max-trials allows 30",
        "4 improver calls of claude-opus-5-5",
        "time with 2 at once: about 4m",
    ):
        assert words_of in said
    assert not (project / "output").exists()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["measure", "scil run", "evals run"])
def test_a_plan_says_what_a_budget_in_dollars_allows_and_warns_of_a_small_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    words = (*command.split(), "--engine", "local", "--dry-run")
    _, free = run_json(capsys, *words)
    assert free["warnings"] in ([], ())
    for most, warned in ((0.01, True), (1000, False)):
        limited = (*words, "--max-cost-usd", str(most))
        _, plan = run_json(capsys, *limited)
        said = [one for one in plan["warnings"] if "--max-cost-usd" in one]
        assert (plan["max_cost_usd"], bool(said)) == (most, warned)
        assert main([*limited]) == 0
        printed = " ".join(capsys.readouterr().out.split())
        assert f"at worst; --max-cost-usd allows ${most:.2f}" in printed
        assert ("warning: --max-cost-usd 0.01 is less than the $" in printed) is warned


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["measure", "scil run", "evals run"])
def test_a_plan_against_a_stand_in_is_called_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    words = (*command.split(), "--engine", "local", "--dry-run")
    with serve(RoutedBehaviour()) as standin:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", standin.url)
        _, plan = run_json(capsys, *words)
        assert main([*words]) == 0
    assert (plan["payer"], plan["simulated"]) == ("nobody: a stand-in answers", True)
    assert SIMULATED_LOUD in " ".join(capsys.readouterr().out.split())
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    _, plan = run_json(capsys, *words)
    assert (plan["payer"], plan["simulated"]) == ("API key", False)
    assert main([*words]) == 0
    assert SIMULATED_LOUD not in " ".join(capsys.readouterr().out.split())


def test_a_plan_of_an_unknown_price_says_what_to_write(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--engine", "local", "--trial-model", "secret-model", "--dry-run")
    code, plan = run_json(capsys, "measure", *words)
    assert (code, plan["likely_usd"], plan["worst_usd"]) == (0, None, None)
    assert main(["measure", *words]) == 0
    assert 'no price is known; write [prices."secret-model"]' in capsys.readouterr().out
    assert project.exists()


@pytest.mark.usefixtures("project")
def test_a_plan_without_a_login_says_that_the_run_would_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--engine", "local", "--dry-run")
    for command in ("measure", "scil run", "evals run"):
        _, plan = run_json(capsys, *command.split(), *words)
        assert any("exit code 3" in warning for warning in plan["warnings"]), command
        assert plan["simulated"] is False, command
        assert main([*command.split(), *words]) == 0
        assert "no login is set, so a run would end with exit code 3" in capsys.readouterr().out
        _, plan = run_json(capsys, *command.split(), *SIMULATED, "--dry-run")
        assert not any("login" in warning for warning in plan["warnings"])
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    _, plan = run_json(capsys, "measure", *words)
    assert not any("login" in warning for warning in plan["warnings"])


def test_a_plan_of_several_targets_is_several_plans(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_cases(project, "sky", call_cases("demo:weather"))
    words = ("demo:code-review", "demo:weather", "--dry-run")
    _, record = run_json(capsys, "measure", *SIMULATED, *words)
    assert [plan["target"] for plan in record["runs"]] == ["demo:code-review", "demo:weather"]


# --- several models ----------------------------------------------------------------------------


def test_every_case_is_measured_under_every_model(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ("--trial-model", "opus", "--trial-model", "haiku", "--trial-model", "opus")
    code, summary = run_json(capsys, "measure", *SIMULATED, *models)
    assert (code, summary["trials"]) == (0, 2 * (12 + 4))
    assert set(summary["by_model"]) == {"opus", "haiku"}
    assert summary["by_model"]["opus"]["original"]["accuracy"]["n"] == 12
    rates = {m: one["original"]["balanced"]["rate"] for m, one in summary["by_model"].items()}
    lowest = min(rates, key=lambda model: rates[model])
    is_alone = len(set(rates.values())) == 2
    assert summary["weakest_model"] == (lowest if is_alone else None)
    folder = project / "output" / summary["run_id"]
    (row,) = map(json.loads, (folder / "measure-iteration.jsonl").read_text().splitlines())
    assert len({(case["case"], case["model"]) for case in row["cases"]}) == 24
    assert main(["measure", *SIMULATED, *models[:4]]) == 0
    said = capsys.readouterr().err
    assert "Balanced accuracy by model" in said
    assert ("(weakest)" in said) == is_alone


def test_one_model_has_no_weakest(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, summary = run_json(capsys, "measure", *SIMULATED)
    assert list(summary["by_model"]) == ["sonnet"]
    assert summary["weakest_model"] is None
    assert project.exists()


def test_models_with_cases_of_one_kind_each_have_no_weakest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [
        {**case, "model": "opus" if str(case["name"]).startswith("yes") else "haiku"}
        for case in call_cases()
    ]
    write_cases(project, "review", cases)
    _, summary = run_json(capsys, "measure", *SIMULATED)
    assert set(summary["by_model"]) == {"opus", "haiku"}
    assert summary["original"]["balanced"]["rate"] is not None
    assert summary["weakest_model"] is None


def test_several_models_are_resumed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = ("--trial-model", "opus", "--trial-model", "haiku")
    _, cut = run_json(capsys, "measure", *SIMULATED, *models, "--max-trials", "20")
    _, whole = run_json(capsys, "measure", "--resume", cut["run_id"], "--max-trials", "99")
    assert (whole["stopped_because"], whole["trials"]) == ("iterations", 32)
    assert project.exists()


def test_models_that_have_one_kind_of_case_each_are_warned_about(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [
        {**case, "model": "opus" if str(case["name"]).startswith("yes") else "haiku"}
        for case in call_cases()
    ]
    write_cases(project, "review", cases)
    assert main(["measure", *SIMULATED]) == 0
    warning = "warning: haiku, opus have cases of one kind only"
    assert warning in capsys.readouterr().err
    assert main(["measure", *SIMULATED, "--dry-run"]) == 0
    assert warning in capsys.readouterr().out
    assert main(["measure", *SIMULATED, "--trial-model", "opus"]) == 0
    assert "one kind only" not in capsys.readouterr().err
