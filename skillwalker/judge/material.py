"""What the judge is shown of a trial, within limits that say what they cut."""

from collections.abc import Sequence

from skillwalker.completers.data_block import cut, cut_middle
from skillwalker.datatypes.judging import Evidence
from skillwalker.datatypes.trials import OutputFile

LONGEST_TASK = 20_000
LONGEST_TRANSCRIPT = 60_000
LONGEST_ANSWER = 30_000
LONGEST_FILE = 30_000
LONGEST_SCAFFOLD = 60_000
LONGEST_OUTPUT = 120_000
"""Characters: of one text, and of all files of a kind together."""
MOST_NAMED = 200
"""Files that are named one by one."""

_WHY_NOT = {
    "binary": "binary, so its content is not shown",
    "too_large": "too large to be shown",
    "total_limit": "not shown: the files before it took all the room",
    "link": "a link inside the working folder, not followed",
    "link_out": "a link out of the working folder, not followed",
    "special": "no regular file",
    "unreadable": "could not be read",
    "deleted": "deleted by Claude",
}


def material(evidence: Evidence) -> dict[str, object]:
    """Make the data that the judge is given; `not_shown` names every cut."""
    cuts: list[str] = []
    shown: dict[str, object] = {
        "task": _text("task", evidence.task, LONGEST_TASK, cuts),
        "transcript": _middle("transcript", evidence.transcript, LONGEST_TRANSCRIPT, cuts),
        "final_answer": _middle("final_answer", evidence.answer, LONGEST_ANSWER, cuts),
        "files_at_start": _files("files_at_start", evidence.scaffold, LONGEST_SCAFFOLD, cuts),
        "files_made_or_changed": _files(
            "files_made_or_changed", evidence.output or (), LONGEST_OUTPUT, cuts
        ),
    }
    if evidence.output is None:
        cuts.append("files_made_or_changed: not recorded; nothing is known about them")
    elif evidence.output_fault is not None:
        cuts.append(f"files_made_or_changed: the list may lack some ({evidence.output_fault})")
    return {**shown, "not_shown": cuts}


def _text(name: str, text: str, longest: int, cuts: list[str]) -> str:
    if len(text) > longest:
        cuts.append(f"{name}: {len(text) - longest} of {len(text)} characters at its end")
    return cut(text, longest)


def _middle(name: str, text: str, longest: int, cuts: list[str]) -> str:
    if len(text) > longest:
        cuts.append(f"{name}: {len(text) - longest} of {len(text)} characters in its middle")
    return cut_middle(text, longest)


def _files(
    name: str, files: Sequence[OutputFile], longest: int, cuts: list[str]
) -> list[dict[str, object]]:
    """Show files in order while there is room, and name the others."""
    room = longest
    shown: list[dict[str, object]] = []
    for file in files[:MOST_NAMED]:
        entry: dict[str, object] = {"path": file.path, "size": file.size}
        if file.text is None:
            entry["note"] = _WHY_NOT.get(file.reason or "", "its content is not known")
            if file.link is not None:
                entry["points_to"] = file.link
        else:
            entry["text"] = cut(file.text, min(LONGEST_FILE, room))
            missing = len(file.text) - min(LONGEST_FILE, room)
            if missing > 0:
                cuts.append(f"{name}, {file.path}: {missing} of {len(file.text)} characters")
            room = max(0, room - len(file.text))
        shown.append(entry)
    if len(files) > MOST_NAMED:
        cuts.append(f"{name}: {len(files) - MOST_NAMED} more files")
    return shown
