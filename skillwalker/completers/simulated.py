"""A completer without a model, for runs that are simulated throughout."""

from collections.abc import Mapping

from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.simulation.answers import simulated_answer

MODEL = "simulated"


class SimulatedCompleter:
    """Implements `Completer` for every prompt that we write, at once, for nothing."""

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt; the form of the answer is the role's, whatever the schema says.

        Raises:
            CompletionError: the prompt is none that we write.
        """
        del schema
        return Completion(text=simulated_answer(prompt), model=MODEL, usage=Usage(cost_usd=0.0))
