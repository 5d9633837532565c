"""Descriptions that say nothing: a text that was to be written later, or words without a subject.

Only English words are known to be empty; a word of any other language is taken for a subject.
"""

import re
from collections.abc import Iterator

from skillwalker.checking.descriptions import description_line
from skillwalker.checking.findings import CheckedTarget, CheckFinding
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.faults import quoted

_PLACEHOLDERS = (
    re.compile(r"\W*(?:tbd|tba|placeholder)\b", re.IGNORECASE),
    re.compile(
        r"\W*(?:todo|fixme|xxx)(?:\s*$|\s*[:.!(\]…—]|\s+-\s"
        r"|\W+(?:describe|write|add|fill|explain|say|what|when|description)\b)",
        re.IGNORECASE,
    ),
    re.compile(r".*\blorem ipsum\b", re.IGNORECASE | re.DOTALL),
    re.compile(r"\W*(?:(?:your|insert|add|put|the) )?description (?:goes )?here\b", re.IGNORECASE),
)
"""A skill may be about to-do comments, so the word alone says nothing: it stands before a mark,
or before what is to be done."""
_EMPTY_WORDS = """
a about all also an and any anything are as assist assistance assistant assists at be by can
claude different do does etc every everything for from general generally get gets good great
handle handles help helper helpful helping helps here how i if in into is it its job jobs kind
kinds like make makes many me more my need needed needs nice of on or other perform performs
provide provides should skill agent so some something sort sorts stuff support supports task
tasks that the them these thing things this those to tool tools use used useful user users uses
using various very want wants way ways what whatever when whenever where which will with work
works you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+")


def check_words(checked: CheckedTarget) -> Iterator[CheckFinding]:
    """Say that no word of a description tells when to call its target.

    Args:
        checked: the skill or agent.
    """
    text = checked.target.description.strip()
    words = _WORD.findall(text.lower().replace("’", "").replace("'", ""))
    if not checked.listed.listed or not words:
        return
    if any(form.match(text) for form in _PLACEHOLDERS):
        fault = f"was to be written later: it says {quoted(text)}"
    elif all(word in _EMPTY for word in words):
        fault = "names no subject: every word of it fits any skill"
    else:
        return
    yield CheckFinding(
        rule="says-nothing",
        severity=Severity.WARNING,
        path=checked.target.path,
        line=description_line(checked),
        message=f"the description {fault}",
        remedy="say what it does, and which requests it is for",
    )
