"""Answers a judge's prompt without a model: it compares the words of criterion and answer.

It judges nothing. It exists so that a graded suite can be tried offline, and everything that
shows its verdicts says so.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from skillwalker.errors import CompletionError
from skillwalker.simulation.lexical.stems import stem
from skillwalker.simulation.lexical.stopwords import STOP_WORDS

CRITERIA_LINE: Final = "<criteria>"
"""Stands alone on a line of every judge's prompt and in no other."""
ENOUGH: Final = 0.5
"""Share of a criterion's words that must stand in the answer."""

_BLOCK: Final = r"^<{name}>[^\S\n]*$(.*?)^</{name}>[^\S\n]*$"
_WORD: Final = re.compile(r"\w+")
_EXACT: Final = re.compile(r"`([^`]+)`")
_ABSENCE: Final = re.compile(r"\b(not|never|no|nicht|kein|keine)\b", re.IGNORECASE)
_FRAME: Final = frozenset(
    map(stem, ("answer", "contain", "contains", "criterion", "file", "final", "says", "word"))
)


def is_judging(prompt: str) -> bool:
    """Say whether a prompt is a judge's."""
    return f"\n{CRITERIA_LINE}\n" in prompt


def simulated_grades(prompt: str) -> str:
    """Write the reply to a judge's prompt; the same prompt always has the same reply.

    A criterion passes when half of its words stand in the answer or in its file; words in
    backticks must stand there letter by letter, and after "not" the words must be missing.

    Raises:
        CompletionError: the prompt is no judge's.
    """
    criteria, material = _block("criteria", prompt), _block("material", prompt)
    if not isinstance(criteria, list) or not isinstance(material, dict):
        raise CompletionError(
            "the simulated judge found no criteria and material in its prompt; choose another"
            " --judge"
        )
    verdicts = [_verdict(one, material) for one in criteria if isinstance(one, dict)]
    return json.dumps({"verdicts": verdicts}, ensure_ascii=False)


def scripted_grades(prompt: str, verdicts: Mapping[str, str]) -> str:
    """Write the reply to a judge's prompt from a table.

    Args:
        prompt: the judge's.
        verdicts: passed, failed or unknown by criterion; `*` stands for those it does not name,
            which fail without it.
    """
    criteria = _block("criteria", prompt)
    others = verdicts.get("*", "failed")
    said = [
        {
            "id": one.get("id"),
            "reasoning": "as the script says",
            "verdict": verdicts.get(str(one.get("criterion")), others),
        }
        for one in _listed(criteria)
    ]
    return json.dumps({"verdicts": said}, ensure_ascii=False)


def _block(name: str, prompt: str) -> object:
    found = re.search(_BLOCK.format(name=name), prompt, re.MULTILINE | re.DOTALL)
    try:
        return None if found is None else json.loads(found.group(1))
    except ValueError:
        return None


def _verdict(question: Mapping[str, object], material: Mapping[str, object]) -> dict[str, object]:
    criterion = str(question.get("criterion"))
    text = "\n".join(_texts(question.get("file"), material))
    missing = [exact for exact in _EXACT.findall(criterion) if exact not in text]
    wanted = frozenset(_stems(_ABSENCE.sub(" ", criterion))) - _FRAME
    there = wanted & frozenset(_stems(text))
    share = len(there) / len(wanted) if wanted else 0.0
    is_there = not missing and share >= ENOUGH
    passed = not is_there if _ABSENCE.search(criterion) else is_there
    reasoning = (
        f"SIMULATED: {len(there)} of {len(wanted)} words of the criterion stand in what is graded"
        + (f"; `{missing[0]}` does not" if missing else "")
    )
    return {
        "id": question.get("id"),
        "reasoning": reasoning,
        "verdict": "passed" if passed else "failed",
    }


def _texts(file: object, material: Mapping[str, object]) -> Iterator[str]:
    """Give what is graded: one file, or the answer with every file that was made."""
    made, at_start = (material.get(key) for key in ("files_made_or_changed", "files_at_start"))
    files = _listed(made) + (_listed(at_start) if file is not None else [])
    if file is None:
        yield str(material.get("final_answer"))
    yield from (
        str(one.get("text", "")) for one in files if file is None or one.get("path") == file
    )


def _listed(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _stems(text: str) -> Iterator[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return (stem(word) for word in words if word not in STOP_WORDS)
