"""A completer without a model, for runs that are simulated throughout."""

from collections.abc import Mapping

from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.simulation.drafting import is_drafting, simulated_draft
from skillwalker.simulation.grading import is_judging, simulated_grades
from skillwalker.simulation.reply import simulated_reply

MODEL = "simulated"


class SimulatedCompleter:
    """Implements `Completer` for every prompt that we write, at once, for nothing."""

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt; the form of the answer is the role's, whatever the schema says.

        Raises:
            CompletionError: the prompt is neither an improver's nor a judge's.
        """
        del schema
        return Completion(text=_answer(prompt), model=MODEL, usage=Usage(cost_usd=0.0))


def _answer(prompt: str) -> str:
    """Answer as the role that is asked."""
    if is_judging(prompt):
        return simulated_grades(prompt)
    return simulated_draft(prompt) if is_drafting(prompt) else simulated_reply(prompt)
