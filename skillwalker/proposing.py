"""Asks the improver for a child of a candidate, and refuses what could not be measured."""

from skillwalker.brief import train_only, write_brief
from skillwalker.completers.protocol import Completer
from skillwalker.datatypes.improver import Answer
from skillwalker.datatypes.vocabulary import CaseSet, ListingState
from skillwalker.errors import TargetError
from skillwalker.frontmatter.text import read_frontmatter
from skillwalker.lint import lint_description
from skillwalker.plan import Plan, place, room
from skillwalker.search.protocol import History, Propose
from skillwalker.steps.step_6_improve import improve


async def propose(plan: Plan, history: History, work: Propose, completer: Completer) -> Answer:
    """Ask for a child of an iteration.

    Args:
        plan: the target and its rivals.
        history: what was measured so far; only its train results go any further.
        work: whose child, and how it is to be made.
        completer: who is asked.

    Raises:
        CompletionError: the improver cannot be reached or gives no answer at all.
    """
    target = plan.target
    records = tuple(train_only(iteration) for iteration in history.iterations)
    brief = write_brief(
        target,
        parent=records[work.parent - 1],
        history=records,
        siblings=plan.rivals,
        operator=work.operator,
        max_units=min(plan.config.max_description_units, room(plan)),
        when_to_use=read_frontmatter(target.content, target.kind, target.position).when_to_use,
        adaptive=plan.config.search == "race",
    )
    return await improve(brief, completer=completer, check=lambda text: faults(plan, history, text))


def faults(plan: Plan, history: History, text: str) -> tuple[str, ...]:
    """Say why a text cannot be a candidate.

    It is compared with train queries only, so that no fault can tell the improver of another.
    """
    target = plan.target
    found = lint_description(
        text,
        kind=target.kind,
        max_units=plan.config.max_description_units,
        queries=tuple(s.case.prompt for s in plan.cases if s.set is CaseSet.TRAIN),
        earlier=tuple(iteration.description for iteration in history.iterations),
    )
    return found or _unwritable(plan, text) or ()


def _unwritable(plan: Plan, text: str) -> tuple[str, ...]:
    """Say why a text could not be written, or would not be shown once it is."""
    try:
        places = [place(plan, text, model=model) for model in plan.models]
    except TargetError as error:
        return (str(error),)
    hidden = {ListingState.NAME_ONLY, ListingState.ABSENT}
    if any(found.state in hidden for found in places):
        return (
            "the listing leaves no room for it, so Claude would not see it; write at most"
            f" {room(plan)} characters",
        )
    return ()
