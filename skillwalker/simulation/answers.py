"""Answers every prompt that we write, as the role that it asks: judge, drafter or improver."""

from skillwalker.simulation.drafting import is_drafting, simulated_draft
from skillwalker.simulation.grading import is_judging, simulated_grades
from skillwalker.simulation.reply import simulated_reply


def simulated_answer(prompt: str) -> str:
    """Write the reply to a prompt.

    Raises:
        CompletionError: it is none that we write.
    """
    if is_judging(prompt):
        return simulated_grades(prompt)
    return simulated_draft(prompt) if is_drafting(prompt) else simulated_reply(prompt)
