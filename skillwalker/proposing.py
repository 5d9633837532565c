"""Asks the improver for a child of a candidate, and refuses what could not be measured."""

from collections.abc import Callable, Collection

from skillwalker.brief import train_only, write_brief
from skillwalker.completers.protocol import Completer
from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.vocabulary import CaseSet, ListingState
from skillwalker.errors import BudgetReached, CompletionError, TargetError
from skillwalker.frontmatter.text import read_frontmatter
from skillwalker.limits import Limits
from skillwalker.lint import lint_description
from skillwalker.plan import Plan, place, room
from skillwalker.search.protocol import History, Propose
from skillwalker.steps.step_6_improve import improve
from skillwalker.trials.journal import Journal


class Proposals:
    """The improver's answers of one run, those of its earlier lives among them.

    Args:
        plan: the target and its rivals.
        journal: keeps each call as soon as it was answered, and each answer before it is used.
        limits: says whether the improver may be asked.
        completer: who is asked; None for a run that only measures.
    """

    def __init__(
        self, plan: Plan, *, journal: Journal, limits: Limits, completer: Completer | None
    ) -> None:
        self.answers: list[Answer] = []
        self._plan = plan
        self._journal = journal
        self._limits = limits
        self._completer = completer

    async def next(
        self, history: History, work: Propose, unmovable: Collection[TriggerCase]
    ) -> Answer:
        """Take the recorded answer of an earlier life of this run, or ask.

        Args:
            history: what was measured so far.
            work: whose child, and how it is to be made.
            unmovable: cases that the improver is not told of.

        Raises:
            BudgetReached: a limit forbids the call.
            CompletionError: the improver cannot be reached or gives no answer at all.
        """
        number = len(self.answers) + 1
        recorded = self._journal.recorded_answer(number)
        if recorded is not None:
            self.answers.append(recorded)
            return recorded
        if self._limits.reached() is not None:
            raise self._limits.error()
        if self._completer is None:
            raise CompletionError("there is no improver to ask: the run only measures")
        kept: list[Exchange] = []

        def keep(call: Exchange) -> None:
            self._journal.record_call(number, call)
            kept.append(call)

        try:
            answer = await propose(self._plan, history, work, self._completer, unmovable, keep=keep)
        except (CompletionError, BudgetReached) as error:
            cut = Answer(description=None, reason=str(error), exchanges=tuple(kept))
            self.answers.append(cut)
            raise
        self._journal.record_answer(number, answer)
        self.answers.append(answer)
        return answer


async def propose(
    plan: Plan,
    history: History,
    work: Propose,
    completer: Completer,
    unmovable: Collection[TriggerCase] = (),
    *,
    keep: Callable[[Exchange], None] = lambda _call: None,
) -> Answer:
    """Ask for a child of an iteration.

    Args:
        plan: the target and its rivals.
        history: what was measured so far; only its train results go any further.
        work: whose child, and how it is to be made.
        completer: who is asked.
        unmovable: cases that the improver is not told of.
        keep: is given at once each call that was paid for and brought no answer yet.

    Raises:
        BudgetReached: a limit forbids another call.
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
        unmovable=unmovable,
    )
    return await improve(
        brief,
        completer=completer,
        check=lambda text: faults(plan, history, text),
        keep=keep,
    )


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
