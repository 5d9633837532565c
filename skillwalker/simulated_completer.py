"""A completer without a model: it answers an improver's prompt by the rewriter."""

import json
from collections.abc import Mapping

from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.rewriter import read_brief, rewrite

MODEL = "simulated"


class SimulatedCompleter:
    """Writes descriptions from the brief that stands in the prompt.

    A brief that comes again was refused the first time, so it gets the next variation.
    """

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer an improver's prompt; the schema is the improver's, whatever it says.

        Raises:
            CompletionError: the prompt holds no brief, so it is not an improver's.
        """
        del schema
        brief = read_brief(prompt)
        key = repr(brief)
        times = self._asked.get(key, 0)
        self._asked[key] = times + 1
        reply = {
            "description": rewrite(brief, skip=times),
            "reason": f"simulated {brief.operator.value}: words of the body and of failing prompts",
        }
        text = json.dumps(reply, ensure_ascii=False)
        return Completion(text=text, model=MODEL, usage=Usage(cost_usd=0.0))
