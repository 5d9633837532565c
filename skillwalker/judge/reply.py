"""Reads what the judge answered, and says what is wrong with it (pure)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.judging import Graded, Question
from skillwalker.judge.prompt import VERDICTS

NOTHING_SAID = "the judge said nothing usable about this one"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """A reply as far as it can be used, by the questions' ids."""

    verdicts: dict[str, Graded]
    fault: str | None
    """What is wrong with it; the judge is told."""


def read_reply(reply: str, questions: Sequence[Question]) -> ReadReply:
    """Take the verdicts out of a reply.

    A verdict without a reason is none: whoever reads a failure must be able to check it.
    """
    try:
        value = json.loads(reply)
    except (ValueError, RecursionError):
        return ReadReply(
            verdicts={}, fault="it is no JSON; reply with one JSON object and nothing else"
        )
    entries = value.get("verdicts") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return ReadReply(verdicts={}, fault="it is no JSON object with the list verdicts")
    asked = {question.id: question for question in questions}
    found: dict[str, Graded] = {}
    faults: list[str] = []
    for entry in entries:
        fault = _take(entry, asked, found)
        if fault is not None:
            faults.append(fault)
    missing = [name for name in asked if name not in found]
    if missing:
        faults.append(f"there is no usable verdict for {', '.join(missing)}")
    return ReadReply(verdicts=found, fault="; ".join(dict.fromkeys(faults)) or None)


def grades_of(read: ReadReply, questions: Sequence[Question]) -> tuple[Graded, ...]:
    """Give a grade for every question; what the judge left out is unknown."""
    return tuple(
        read.verdicts.get(one.id)
        or Graded(
            criterion=one.criterion,
            status=Status.UNKNOWN,
            reasoning=f"{NOTHING_SAID}: {read.fault}",
        )
        for one in questions
    )


def _take(entry: object, asked: dict[str, Question], found: dict[str, Graded]) -> str | None:
    """Take one verdict; gives what is wrong with it."""
    if not isinstance(entry, dict):
        return "a verdict is no object"
    name, verdict, reasoning = (entry.get(key) for key in ("id", "verdict", "reasoning"))
    if not isinstance(name, str) or name not in asked:
        return f"there is no criterion {name!r}"[:80]
    if name in found:
        del found[name]
        del asked[name]
        return f"{name} has two verdicts"
    if verdict not in VERDICTS:
        return f"the verdict of {name} is none of {', '.join(VERDICTS)}"
    if not isinstance(reasoning, str) or not reasoning.strip():
        return f"{name} has no reasoning"
    found[name] = Graded(
        criterion=asked[name].criterion, status=Status(verdict), reasoning=reasoning.strip()
    )
    return None
