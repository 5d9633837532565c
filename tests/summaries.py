"""Summaries of runs for tests of what is made of them."""

from skillwalker.datatypes.scores import GateResult, Rate, Rates
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.plan import Plan

BETTER = "Use when a pull request is to be reviewed."


def rates(rate: float) -> Rates:
    """Four equal rates."""
    one = Rate(k=round(rate * 100), n=100, rate=rate, low=rate - 0.1, high=rate + 0.1)
    return Rates(accuracy=one, recall=one, specificity=one, balanced=one)


def gate(*, passed: bool, rounds: int = 3) -> GateResult:
    """A gate after so many rounds."""
    return GateResult(
        p_better=0.95 if passed else 0.6,
        threshold=0.9,
        passed=passed,
        change=0.1,
        interval=(0.0, 0.2),
        recall_change=0.1,
        specificity_change=0.1,
        rounds=rounds,
        reason="",
    )


def ended_search(plan: Plan, better: str = BETTER, **changes: object) -> Summary:
    """A search that found a better text and was refused by the gate."""
    values: dict[str, object] = {
        "run_id": "20261130T120000",
        "kind": "scil",
        "suite": plan.suite,
        "target": plan.target.id,
        "target_kind": plan.target.kind,
        "target_path": plan.target_path,
        "target_sha256": "",
        "position": plan.target.position,
        "engine": "docker",
        "simulated": False,
        "endpoint": "",
        "cli_version": plan.cli_version,
        "permission_mode": "dontAsk",
        "models": (),
        "seed": 0,
        "verdict": Verdict.KEPT,
        "stopped_because": StopReason.ITERATIONS,
        "cause": None,
        "original_description": plan.target.description,
        "best_description": better,
        "best_iteration": 2,
        "improved": False,
        "applied": False,
        "measured_on": "confirm",
        "original": rates(0.6),
        "best": rates(0.7),
        "gate": gate(passed=False),
        "rate_in_file": None,
        "iterations": 5,
        "trials": 100,
        "undecided": 0,
        "usage": (),
        "listing": None,
    }
    return Summary(**{**values, **changes})  # type: ignore[arg-type]  # a row of a test
