"""Each case on several models, from the outside: more trials, and no more cases."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import NEGATIVES, POSITIVES, make_bench_project

BOTH = ("--trial-model", "sonnet", "--trial-model", "haiku")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = make_bench_project(tmp_path)
    monkeypatch.chdir(project)
    return project


def measured(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, object], str]:
    assert main(["measure", "--engine", "simulated", "--fresh", "--no-html", "--json", *words]) == 0
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert isinstance(summary, dict)
    return summary, err


def intervals(summary: dict[str, object]) -> dict[str, tuple[float, float]]:
    rates = summary["original"]
    assert isinstance(rates, dict)
    return {name: (rate["low"], rate["high"]) for name, rate in rates.items()}


@pytest.mark.usefixtures("project")
def test_two_models_that_agree_say_no_more_than_one(capsys: pytest.CaptureFixture[str]) -> None:
    one, _ = measured(capsys, "--trial-model", "sonnet")
    two, said = measured(capsys, *BOTH)
    assert two["trials"] > one["trials"]  # type: ignore[operator]  # numbers
    for name, limits in intervals(one).items():
        assert intervals(two)[name] == pytest.approx(limits), name
    cases = f"{len(POSITIVES) + len(NEGATIVES)} cases ({len(POSITIVES)} should trigger"
    assert cases in said
    assert "each on models haiku, sonnet" in said
    assert main(["measure", "--engine", "simulated", *BOTH, "--dry-run"]) == 0
    assert cases.replace(" cases", "").partition("(")[2] in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_case_that_was_not_run_again_has_not_flipped(capsys: pytest.CaptureFixture[str]) -> None:
    measured(capsys, *BOTH)
    again, said = measured(capsys, *BOTH, "--against", "last")
    against = again["against"]
    assert isinstance(against, dict)
    assert against["change"] == 0
    assert (against["flipped"], "flipped" in said) == ([], False)
