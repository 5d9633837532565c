"""What a run has come to so far, an event a line (pure)."""

from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.summary import Proposed, RoundDone
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.report import wording
from skillwalker.report.plain import one_line
from skillwalker.steps.step_5_score import score


def news(event: Proposed | RoundDone) -> str:
    """Tell a proposal or a confirm round in one line."""
    match event:
        case Proposed(description=None, reason=reason):
            return f"the improver gave nothing usable: {one_line(reason)}"
        case Proposed(reason=reason):
            return f"proposed: {one_line(reason)}"
        case RoundDone(rounds=rounds, gate=gate):
            likely = wording.likelihood(gate.p_better, gate.interval)
            return f"round {rounds}: {wording.change(gate)}{likely}"


def iteration_line(iteration: Iteration, *, of: Iteration) -> str:
    """Tell an iteration in one line; one that was run on fewer cases than another says so."""
    train = score(iteration.results, CaseSet.TRAIN)
    holdout = score(iteration.results, CaseSet.HOLDOUT)
    text = f"iteration {iteration.number} ({iteration.phase.value}): train {train.passed}/"
    text += f"{train.passed + train.failed} passed"
    if holdout.total:
        text += f", holdout {holdout.passed}/{holdout.passed + holdout.failed}"
    undecided = train.undecided + holdout.undecided
    if len(iteration.results) < len(of.results):
        text += f" (a first look at {len(iteration.results)} of {len(of.results)} cases)"
    return f"{text}, {undecided} undecided" if undecided else text
