"""Transcripts short enough to be read in a page; what is cut is said, with where it stands."""

from dataclasses import replace

from skillwalker.datatypes.recorded import Dialogue
from skillwalker.report.plain import shortened

LONGEST_SAID = 2_000
LONGEST_WHOLE = 10_000
LONGEST_PROMPT = 4_000


def readable(dialogue: Dialogue) -> tuple[Dialogue, int]:
    """Cut a dialogue to what a page can hold.

    Returns:
        What is left, and how many entries behind it are left out.
    """
    kept = []
    room = LONGEST_WHOLE
    for said in dialogue:
        if room <= 0:
            break
        text = shortened(said.text, min(LONGEST_SAID, room))
        room -= len(text)
        kept.append(replace(said, text=text))
    return tuple(kept), len(dialogue) - len(kept)
