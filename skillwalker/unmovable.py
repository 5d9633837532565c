"""Finds the cases that no description can move: the target stays out even when it is named.

Then the model does the work unaided, or is kept from delegating, whatever the description says.
To tell the improver of such a case only misleads it.
"""

from collections.abc import Callable
from dataclasses import replace

from skillwalker.datatypes import summary as events
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.measuring import Measuring, WantedCase
from skillwalker.plan import Plan
from skillwalker.search.protocol import History
from skillwalker.search.stuck import stuck_cases

RUNS = 2


class Unmovable:
    """The cases of one run that were looked into, and those that stayed unmoved.

    Args:
        plan: what is measured.
        measuring: runs the trials.
        listener: is told of each case that cannot be moved.
    """

    def __init__(
        self, plan: Plan, measuring: Measuring, listener: Callable[[events.Event], None]
    ) -> None:
        self._plan = plan
        self._measuring = measuring
        self._listener = listener
        self._asked: set[int] = set()
        self._found: list[TriggerCase] = []

    @property
    def cases(self) -> tuple[TriggerCase, ...]:
        """Those that no description can move."""
        return tuple(self._found)

    async def look(self, history: History, parent: Iteration) -> None:
        """Ask for the target by name in each case that two texts have left where it was.

        Args:
            history: what was measured so far.
            parent: the candidate whose text is shown.

        Raises:
            BudgetReached: as in `Measuring.run`.
            EngineUnavailableError: as in `Measuring.run`.
        """
        places = [at for at in stuck_cases(history) if at not in self._asked]
        if not places:
            return
        cases = [history.cases[at].case for at in places]
        wanted = [
            WantedCase(case=self._by_name(case), set=CaseSet.CONTROL, runs=RUNS) for case in cases
        ]
        results = await self._measuring.run(
            wanted,
            parent.description,
            parent.number,
            purpose=CaseSet.CONTROL,
            # One that says nothing is no reason to end the run: it stays a case like others.
            most_undecided=1.0,
        )
        self._asked.update(places)
        for case, result in zip(cases, results, strict=True):
            if _stayed_out(result):
                self._found.append(case)
                self._listener(events.Warned(message=warning(case)))

    def _by_name(self, case: TriggerCase) -> TriggerCase:
        """Write the request so that it names the target outright."""
        target, listed = self._plan.target, self._plan.listing.listed
        name = listed.name or target.name
        prompt = f"Use the {name} {target.kind.value} for this: {case.prompt}"
        return replace(case, name=f"control by name: {case.name}", prompt=prompt, runs=None)


def _stayed_out(result: CaseResult) -> bool:
    """Whether the target was not called in any run, and at least one says so."""
    return result.triggered == 0 and result.not_triggered > 0


def warning(case: TriggerCase) -> str:
    """Say what it means that a case cannot be moved."""
    return (
        f"case {case.name!r} cannot be moved by a description: the target is not called even when"
        " the request names it, so Claude does this unaided, or is kept from delegating; it"
        " still counts in every rate"
    )
