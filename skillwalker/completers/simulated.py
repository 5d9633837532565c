"""A completer without a model, for runs that are simulated throughout."""

from collections.abc import Mapping

from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.simulation.reply import simulated_reply

MODEL = "simulated"


class SimulatedCompleter:
    """Implements `claude.Completer` for the improver's prompts, at once and for nothing."""

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer an improver's prompt; the schema is the improver's, whatever it says.

        Raises:
            CompletionError: the prompt holds no brief, so it is not an improver's.
        """
        del schema
        return Completion(text=simulated_reply(prompt), model=MODEL, usage=Usage(cost_usd=0.0))
