"""What the judge is asked: the criteria that need it, and one that must fail.

The canary asks for a word that nobody said. A judge that grants it grants anything, and nothing
that it says is believed.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.judging import Criterion, Evidence, Graded, Question, Rubric

_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aeiou"
_CANARY = "The final answer contains the word `{word}`."
NOT_RECORDED = "the files of this trial are not known, so nothing can be said about this one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The questions about one trial."""

    questions: tuple[Question, ...]
    """With the canary among them; none when nothing needs the judge."""
    canary: str
    """Id of the question that must fail."""
    settled: tuple[Graded, ...]
    """What is known without the judge."""


def ask_about(rubric: Rubric, evidence: Evidence, *, shown: str) -> Asking:
    """Sort the criteria into those that need the judge and those that do not.

    Args:
        rubric: what is graded by.
        evidence: what there is of the trial.
        shown: all that the judge will see, in which the canary's word must not stand.
    """
    there = _files_there(evidence)
    settled = tuple(
        graded
        for criterion in rubric.criteria
        if (graded := _without_judge(criterion, there, evidence)) is not None
    )
    known = {graded.criterion for graded in settled}
    open_ones = [criterion for criterion in rubric.criteria if criterion not in known]
    if not open_ones:
        return Asking(questions=(), canary="", settled=settled)
    seed = hashlib.sha256((shown + repr(rubric)).encode("utf-8", "replace")).digest()
    place = seed[0] % (len(open_ones) + 1)
    canary = Criterion(text=_CANARY.format(word=_word(seed, shown)))
    asked: Sequence[Criterion] = [*open_ones[:place], canary, *open_ones[place:]]
    questions = tuple(
        Question(id=f"c{number}", criterion=criterion)
        for number, criterion in enumerate(asked, start=1)
    )
    return Asking(questions=questions, canary=questions[place].id, settled=settled)


def _files_there(evidence: Evidence) -> frozenset[str]:
    """Name the files that the working folder held at the end, as far as is known."""
    output = evidence.output or ()
    gone = {file.path for file in output if file.reason == "deleted"}
    return frozenset(file.path for file in (*evidence.scaffold, *output)) - gone


def _without_judge(
    criterion: Criterion, there: frozenset[str], evidence: Evidence
) -> Graded | None:
    """Grade a criterion whose file is not there."""
    if criterion.file is None or criterion.file in there:
        return None
    if evidence.output is None or evidence.output_fault is not None:
        return Graded(criterion=criterion, status=Status.UNKNOWN, reasoning=NOT_RECORDED)
    why = f"the file {criterion.file} is not in the working folder"
    return Graded(criterion=criterion, status=Status.FAILED, reasoning=why)


def _word(seed: bytes, shown: str) -> str:
    """Make a word that stands nowhere in what is shown."""
    while True:
        letters = (
            _CONSONANTS[byte % len(_CONSONANTS)] if at % 2 == 0 else _VOWELS[byte % len(_VOWELS)]
            for at, byte in enumerate(seed[1:13])
        )
        word = "".join(letters)
        if word not in shown.casefold():
            return word
        seed = hashlib.sha256(seed).digest()
