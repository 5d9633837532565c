"""Asks the judge about one trial, as often as wanted, and makes one grade of its answers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillwalker.completers.protocol import Completer, UnusableReplyError, paid_without_reply
from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.improver import Completion, Exchange
from skillwalker.datatypes.judging import Criterion, Grade, Graded, Rubric
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import BudgetReached, CompletionError
from skillwalker.judge.prompt import ANSWER_SCHEMA, write_prompt
from skillwalker.judge.questions import Asking
from skillwalker.judge.reply import grades_of, read_reply

MAX_CALLS = 2
"""The first question, and one more when the reply cannot be used."""
GULLIBLE = (
    "the judge granted that the answer holds a word that nobody said, so nothing it says is"
    " believed; choose another judge model"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One run of the judge over one trial."""

    exchanges: tuple[Exchange, ...]
    """Each was paid for; the last one counts."""
    failure: str | None = None
    """Why there is no reply to count."""
    stopped: StopReason | None = None
    """The limit that let nothing more be asked, where that is why."""


async def hold_sitting(
    asking: Asking,
    shown: Mapping[str, object],
    *,
    completer: Completer,
    keep: Callable[[Exchange], None] = lambda _call: None,
) -> Sitting:
    """Ask the judge once, and once more when its reply cannot be used.

    Args:
        asking: the questions.
        shown: what the judge may look at.
        completer: who judges.
        keep: is given each call as soon as it is over: it was paid for, whatever becomes of the
            next.
    """
    exchanges: list[Exchange] = []

    def take(call: Exchange) -> None:
        keep(call)
        exchanges.append(call)

    refused: tuple[str, str] | None = None
    failure: str | None = None
    for _ in range(MAX_CALLS):
        prompt = write_prompt(shown, asking.questions, refused=refused)
        try:
            completion = await completer.complete(prompt, schema=ANSWER_SCHEMA)
        except UnusableReplyError as error:
            failure = str(error)
            take(_exchange(prompt, error.completion, failure))
            continue
        except (CompletionError, BudgetReached) as error:
            if (paid := paid_without_reply(error)) is not None:
                take(_exchange(prompt, paid, str(error)))
            stopped = StopReason(error.reason) if isinstance(error, BudgetReached) else None
            return Sitting(exchanges=tuple(exchanges), failure=str(error), stopped=stopped)
        fault, failure = read_reply(completion.text, asking.questions).fault, None
        take(_exchange(prompt, completion, fault))
        if fault is None:
            break
        refused = (completion.text, fault)
    return Sitting(exchanges=tuple(exchanges), failure=failure)


def grade(rubric: Rubric, asking: Asking, sittings: Sequence[Sitting]) -> Grade:
    """Make one grade of all sittings: for each criterion what most of them say.

    Args:
        rubric: in whose order the criteria come.
        asking: what was asked, and what is known without the judge.
        sittings: every run of the judge; none when nothing needed it.
    """
    votes = [_votes(asking, one) for one in sittings if one.failure is None]
    model = next((one.exchanges[-1].model for one in sittings if one.exchanges), None)
    canary = next((q.criterion for q in asking.questions if q.id == asking.canary), None)
    settled = {graded.criterion: graded for graded in asking.settled}
    if canary is not None and any(vote[canary].status is Status.PASSED for vote in votes):
        broken = GULLIBLE
    elif canary is not None and not votes:
        words = next((one.failure for one in sittings if one.failure), "it was not asked")
        broken = f"the judge could not be asked: {words}"
    else:
        broken = None
    pairs = [
        (settled[one], None) if one in settled else _graded(one, votes, broken)
        for one in rubric.criteria
    ]
    return Grade(
        criteria=tuple(graded for graded, _ in pairs),
        agreement=tuple(share for _, share in pairs),
        model=model,
        broken=broken,
    )


def _votes(asking: Asking, sitting: Sitting) -> dict[Criterion, Graded]:
    """Read a sitting's last reply, by criterion."""
    read = read_reply(sitting.exchanges[-1].reply, asking.questions)
    grades = grades_of(read, asking.questions)
    return {graded.criterion: graded for graded in grades}


def _graded(
    criterion: Criterion, votes: Sequence[Mapping[Criterion, Graded]], broken: str | None
) -> tuple[Graded, float | None]:
    """Say what most sittings say of a criterion, and what share of them that is."""
    if broken is not None:
        status = Status.INFRASTRUCTURE if votes else Status.UNKNOWN
        return Graded(criterion=criterion, status=status, reasoning=broken), None
    grades = [vote[criterion] for vote in votes]
    counts = Counter(one.status for one in grades)
    (status, most), *others = counts.most_common()
    if others and others[0][1] == most:
        words = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
        tied = Graded(
            criterion=criterion,
            status=Status.UNKNOWN,
            reasoning=f"the judge's runs disagree: {words}",
        )
        return tied, most / len(grades)
    return next(one for one in grades if one.status is status), most / len(grades)


def _exchange(prompt: str, completion: Completion, fault: str | None) -> Exchange:
    """Record one call."""
    return Exchange(
        prompt=prompt,
        reply=completion.text,
        fault=fault,
        model=completion.model,
        usage=completion.usage,
    )
