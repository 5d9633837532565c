"""What evals mine does once its options are read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import typer
from rich.console import Console
from rich.prompt import Confirm

from skillwalker.cli.environment import can_ask, read_editor
from skillwalker.cli.named_files import one_target
from skillwalker.cli.options import Project
from skillwalker.cli.reviewing import as_text, keep, require_editor, review
from skillwalker.cli.saying import say
from skillwalker.cli.show_text import plain
from skillwalker.counting import counted
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.mining import Candidate, MiningCoverage
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import SuiteError, TargetError
from skillwalker.mining.candidates import mine
from skillwalker.paths import Places
from skillwalker.suites.new_suite import (
    NewCase,
    name_cases,
    require_new,
    suite_values,
    tests_file,
    write_suite,
)
from skillwalker.targets.known import known_targets
from skillwalker.targets.names import written_in_suites
from skillwalker.targets.place import PROJECT_FOLDER

MINED = "mined"
NEAR_MISS = "near-miss"
SHOWN = 160
"""Characters of a prompt in the list; the suite and `--json` have it whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MineTask:
    """What is asked for."""

    target: str | None
    since: datetime | None
    suite: str | None
    most: int
    review: bool
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """What was found."""

    target: Target | None
    candidates: tuple[Candidate, ...]
    coverage: MiningCoverage


def mine_history(opened: Project, task: MineTask, *, as_json: bool) -> None:
    """List prompts of the user's history, or write them as a suite after they were reviewed.

    Raises:
        SkillwalkerError: there is no such target, or the suite exists.
        BadParameter: exit code 2; nobody is there to review.
    """
    places = opened.places
    known = [each for kind in TargetKind for each in known_targets(places, kind)]
    target = _target(task.target, known, places)
    if task.suite is not None:
        _require_suite(task, target, places)
    found = _mine(task, target, known, places)
    path = None
    if task.suite is not None and target is not None:
        path = _write(found, target, task, places, as_json=as_json)
    elif not as_json:
        _print(found)
    if as_json:
        typer.echo(json.dumps(_record(found, path), ensure_ascii=False))
    _tell_coverage(found)


def _target(written: str | None, known: Sequence[Target], places: Places) -> Target | None:
    if written is not None:
        return one_target(written, places, None)
    return known[0] if len(known) == 1 else None


def _require_suite(task: MineTask, target: Target | None, places: Places) -> None:
    """Refuse before anything is read what could not be written.

    Raises:
        TargetError: nobody says what the suite is about.
        SuiteError: it exists.
        BadParameter: nobody would look at it.
    """
    if target is None:
        raise TargetError("say which skill or agent the suite is about: --target TARGET")
    require_new(task.suite or "", places)
    if not (task.yes or task.review or can_ask()):
        raise typer.BadParameter(
            "nobody is there to review what is found: add --review, which opens $EDITOR, or --yes",
            param_hint="'--suite'",
        )
    if task.review:
        require_editor()


def _mine(task: MineTask, target: Target | None, known: Sequence[Target], places: Places) -> Mined:
    rivals = [
        each
        for each in known
        if (target is None or each.path != target.path)
        and written_in_suites(each, places) == each.id
    ]
    candidates, coverage = mine(
        places.home / PROJECT_FOLDER,
        target=target,
        rivals=rivals,
        since=task.since,
        most=task.most,
    )
    return Mined(target=target, candidates=candidates, coverage=coverage)


def _write(
    found: Mined, target: Target, task: MineTask, places: Places, *, as_json: bool
) -> str | None:
    """Let the user review what was found, and write what is left.

    Raises:
        SuiteError: what the user left cannot be read; it is kept.
    """
    name = task.suite or ""
    cases = _cases(found.candidates)
    if not cases:
        say("nothing was found; nothing was written", err=True)
        return None
    values: dict[str, object] | None = suite_values(
        cases, target, written_in_suites(target, places), places
    )
    if not task.yes and values is not None:
        values = _reviewed(found, values, task)
    if values is None:
        say("nothing was left; nothing was written", err=True)
        return None
    try:
        suite = write_suite(name, places, lambda _folder: values)
    except SuiteError as error:
        raise SuiteError(f"{error}\n{keep(as_text(values))}") from error
    path = tests_file(name, places)
    if not as_json:
        say(f"{path}: {counted(len(suite.cases), 'case')} for {target.id}, each tagged {MINED}")
    return path


def _reviewed(found: Mined, values: dict[str, object], task: MineTask) -> dict[str, object] | None:
    """Open the editor if there is one; else show everything and ask."""
    if task.review or read_editor() is not None:
        return review(values, require_editor())
    _print(found, err=True)
    ask = "Write these as cases? They may hold what only you can see is private"
    try:
        answer = Confirm.ask(ask, default=False, console=Console(stderr=True))
    except EOFError:
        return None
    return values if answer else None


def _cases(candidates: Sequence[Candidate]) -> tuple[NewCase, ...]:
    labelled = [each for each in candidates if each.triggered is not None]
    names = name_cases([each.prompt for each in labelled])
    return tuple(
        NewCase(
            name=name,
            prompt=each.prompt,
            should_trigger=each.triggered is True,
            tags=(MINED, *([] if each.triggered else [NEAR_MISS])),
            preferred=each.preferred,
        )
        for name, each in zip(names, labelled, strict=True)
    )


def _print(found: Mined, *, err: bool = False) -> None:
    for each in found.candidates:
        called = ", ".join(each.fired) or ("nothing recorded" if each.triggered is None else "none")
        day = "" if each.when is None else f" {each.when:%Y-%m-%d}"
        prompt = " ".join(each.prompt.split())
        brief = prompt if len(prompt) <= SHOWN else f"{prompt[:SHOWN]}…"
        say(plain(f"{_label(each)}{day} [called: {called}] {brief}"), err=err)


def _label(each: Candidate) -> str:
    return {True: "called  ", False: "not     ", None: "        "}[each.triggered]


def _tell_coverage(found: Mined) -> None:
    read = found.coverage
    say(
        f"read {counted(read.files, 'file')} with {counted(read.prompts, 'distinct prompt')} on"
        " this machine; "
        "nothing was sent anywhere",
        err=True,
    )
    if read.unread_lines or read.unread_files:
        say(
            f"not read: {counted(read.unread_lines, 'line')}, torn or too long, and"
            f" {counted(read.unread_files, 'file')}",
            err=True,
        )
    hidden = sum(bool(each.redacted) for each in found.candidates)
    if hidden:
        say(
            f"secrets were taken out of {counted(hidden, 'prompt')}; look at them all the same",
            err=True,
        )
    if found.target is not None:
        say("a label says what was called then, not what should have been", err=True)


def _record(found: Mined, path: str | None) -> dict[str, object]:
    read = found.coverage
    return {
        "target": None if found.target is None else found.target.id,
        "path": path,
        "candidates": [
            {
                "prompt": each.prompt,
                "triggered": each.triggered,
                "fired": list(each.fired),
                "preferred": each.preferred,
                "redacted": list(each.redacted),
                "when": None if each.when is None else each.when.isoformat(),
                "first_in_conversation": each.is_first,
            }
            for each in found.candidates
        ],
        "files": read.files,
        "prompts": read.prompts,
        "unread_lines": read.unread_lines,
        "unread_files": read.unread_files,
    }
