"""The command that a user would give now."""

import shlex
from dataclasses import replace

import pytest

from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.paths import in_project
from skillwalker.report.next_step import next_command
from skillwalker.search.gate import judge
from skillwalker.steps.step_7_write_back import WRITE_ANYWAY
from tests.measured import results
from tests.report.test_wording import GATE, SUMMARY
from tests.summaries import rates

REFUSED = replace(GATE, passed=False, reason="not proven")
ENDS = {
    "written": replace(SUMMARY, applied=True, improved=True),
    "found": replace(SUMMARY, improved=True, verdict=Verdict.IMPROVED),
    "found by a simulation": replace(SUMMARY, improved=True, simulated=True),
    "ended early": replace(SUMMARY, stopped_because=StopReason.INTERRUPTED),
    "perhaps luck": replace(SUMMARY, gate=REFUSED),
    "kept": replace(SUMMARY, gate=None),
}


@pytest.mark.parametrize("summary", ENDS.values(), ids=ENDS)
def test_every_command_finds_the_project_that_was_named(summary: Summary) -> None:
    here = next_command(summary, quiet=False) or ""
    there = next_command(summary, quiet=False, project="my project") or ""
    assert "-C" not in here
    assert there.count(" -C 'my project' ") == len(
        [word for word in here.replace("(", " ").split() if word in {"skillwalker", "scil"}]
    )
    assert there.replace(" -C 'my project'", "") == here


def test_a_name_with_marks_of_the_shell_stays_one_word() -> None:
    command = in_project("scil run --resume X", "it's $HOME")
    assert shlex.split(command) == ["scil", "-C", "it's $HOME", "run", "--resume", "X"]


@pytest.mark.parametrize(
    ("refusal", "forces"),
    [
        (f"a.md changed since it was read; nothing was written; {WRITE_ANYWAY}", True),
        ("a.md was changed by someone else just now; nothing was written; try again", True),
        ("a.md is read-only; nothing was written; 'chmod u+w' allows it", False),
        ("the run's folder cannot be written: No space left on device", False),
    ],
    ids=["changed", "changed just now", "read-only", "full"],
)
def test_a_text_that_was_refused_is_forced_only_into_a_file_that_changed(
    refusal: str, forces: bool
) -> None:
    refused = replace(SUMMARY, improved=True, not_written=refusal)
    said = next_command(refused, quiet=False) or ""
    command = f"skillwalker apply {SUMMARY.run_id}"
    forced = f"{command} --force   (writes it into the file as it is now)"
    assert said == (forced if forces else command)


@pytest.mark.parametrize("improved", [True, False])
def test_a_simulation_leads_to_the_real_run_first(improved: bool) -> None:
    simulated = replace(SUMMARY, simulated=True, improved=improved, engine="simulated")
    said = next_command(simulated, quiet=False) or ""
    assert said.startswith("the same without --engine simulated")
    assert "skillwalker doctor" in said.split("; or ")[0]
    standin = next_command(replace(simulated, engine="local"), quiet=False) or ""
    assert "--engine simulated" not in standin


def test_more_rounds_are_advised_with_what_one_takes() -> None:
    measured = replace(SUMMARY, gate=REFUSED, original=rates(0.5), measured_on="confirm")
    said = next_command(measured, quiet=False) or ""
    assert said.endswith("--more N   (N further confirm rounds, about 200 trials each)")


def test_more_rounds_are_not_advised_where_the_gate_says_that_they_will_not_do() -> None:
    """By the gate's own words, whatever they are."""
    quiet = ["nnnnn"] * 6
    before = results(["nnnnn"] * 3 + ["ttttt"] * 3, quiet)
    after = results(["ttttt"] * 3 + ["nnnnn"] * 2 + ["ttttt"], quiet)
    gate = judge(before, after, rounds=5, threshold=0.9, max_loss=0.9)
    assert not gate.passed
    assert (gate.change or 0.0) > 0
    assert "cases" in gate.reason
    assert "--more" not in (next_command(replace(SUMMARY, gate=gate), quiet=False) or "")


@pytest.mark.parametrize(
    ("limit", "refused", "unknown", "said"),
    [
        ("--max-cost-usd", 0.041, 0, "--max-cost-usd N   (N: 1.05 for one more call)"),
        ("--max-cost-usd", 0.041, 2, "--max-cost-usd N   (N: 1.13 for one more call)"),
        ("--max-cost-usd", None, 0, "--max-cost-usd N   (N: more than 1.00)"),
        ("--max-trials", None, 0, "--max-trials N   (N: more than 9)"),
    ],
)
def test_a_limit_is_to_be_raised_far_enough_for_what_it_forbade(
    limit: str, refused: float | None, unknown: int, said: str
) -> None:
    used = UsageTotal(calls=9, cost_usd=1.0, cost_unknown_calls=unknown)
    cut = replace(
        SUMMARY,
        improved=False,
        stopped_because=StopReason.BUDGET,
        limit=limit,
        refused_usd=refused,
        trials=9,
        usage=(("trial", used),),
    )
    command = next_command(cut, quiet=False, wished=" --apply") or ""
    assert command == f"{SUMMARY.kind} run --resume {SUMMARY.run_id} --apply {said}"
