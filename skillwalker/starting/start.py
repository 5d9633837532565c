"""Makes a project ready: settings, lines for git and a first suite; nothing is overwritten.

Everything is planned before anything is written, so that a refusal leaves the project as it was.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.catalogue import read_catalogue
from skillwalker.datatypes.drafts import DraftKind
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.drafting.draft import make_request
from skillwalker.drafting.suite import as_new_cases
from skillwalker.drafting.taking import take
from skillwalker.errors import ConfigError, SuiteError, TargetError
from skillwalker.paths import Places
from skillwalker.settings import SETTINGS_FILE, Settings
from skillwalker.simulation.drafting import propose
from skillwalker.starting.plugin_dirs import find_plugin_dirs
from skillwalker.suites.new_suite import require_new, suite_values, tests_file, write_suite
from skillwalker.targets.file import can_trigger, list_target, read_target
from skillwalker.targets.file_swap import swap_bytes
from skillwalker.targets.known import known_targets
from skillwalker.targets.names import named_siblings, written_in_suites
from skillwalker.targets.place import find_files
from skillwalker.user_files import read_regular, real_path

GITIGNORE = ".gitignore"
LOCK = "skillwalker.lock"
EXAMPLES = 8
"""Cases of a first suite: enough to see the form, few enough to be read."""
EXAMPLE = "example"
"""Tag of a case that is made of a target's words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """One file of a start: what was done to it, or that it was there."""

    path: str
    """Relative to the project where it lies inside."""
    done: str
    """written, extended, or there."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What was found and written."""

    steps: tuple[FileStep, ...]
    targets: tuple[Target, ...]
    """What a suite can be about: those that can trigger, where there is any."""
    suites: tuple[str | None, ...]
    """Of each of these, a sound suite that has cases about it; None where there is none."""
    target: Target | None
    """What the suite is about; None where several are there and none was named."""
    suite: str | None
    notes: tuple[str, ...] = ()


def find_targets(places: Places, target: Target | None) -> tuple[Target, ...]:
    """Find every skill and agent of a folder, wherever in it they lie.

    Args:
        places: the project's folders.
        target: one that is named, and may lie elsewhere.

    Raises:
        TargetError: there is none.
    """
    known = [each for kind in TargetKind for each in known_targets(places, kind)]
    found = {real_path(each.path): each for each in (*known, *([target] if target else []))}
    for path, kind in find_files(places.project):
        if real_path(path) in found or _is_ours(path, places):
            continue
        try:
            found[real_path(path)] = read_target(path, kind)
        except TargetError:
            continue  # evals check says what is wrong with it
    if not found:
        raise TargetError(
            f"there is no skill and no agent in {places.project}; go to the folder that holds a "
            "SKILL.md, plugins/ or .claude/, or name it by -C DIR"
        )
    return tuple(found.values())


def start(
    places: Places,
    settings: Settings,
    targets: tuple[Target, ...],
    *,
    target: Target | None,
    suite: str | None,
) -> Start:
    """Write what is not there yet.

    Args:
        places: the project's folders.
        settings: as read.
        targets: what was found; see `find_targets`.
        target: what the suite is about; None takes the only one.
        suite: its name; None takes the target's.

    Raises:
        SuiteError: a folder of the suite's name is there, and is not about the target.
        ConfigError: a file cannot be read or written.
    """
    offered = _offered(targets)
    chosen = target or (offered[0] if len(offered) == 1 else None)
    there = None if chosen is None else _suite_there(chosen, suite, places)
    name = suite or (None if chosen is None else chosen.name)
    if name is not None and chosen is not None and there is None:
        require_new(name, places)
    dirs, notes = find_plugin_dirs(places.project, targets)
    steps = [_settings(places, settings, dirs), _gitignore(places)]
    if settings.source is None:
        more = tuple(places.project / each for each in dirs)
        places = replace(places, plugin_dirs=(*places.plugin_dirs, *more))
    if chosen is not None and name is not None:
        steps.append(_there(there, places) if there else _write_suite(name, chosen, places))
    return Start(
        steps=tuple(steps),
        targets=offered,
        suites=_suites_of(offered, places),
        target=chosen,
        suite=there or (name if chosen is not None else None),
        notes=(*notes, *_left_out(targets, offered)),
    )


def _offered(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Choose what a suite can be about, where there is any such."""
    return tuple(each for each in targets if can_trigger(list_target(each))) or targets


def _left_out(targets: tuple[Target, ...], offered: tuple[Target, ...]) -> Iterator[str]:
    names = ", ".join(each.id for each in targets if each not in offered)
    if names:
        yield f"can never trigger: {names}; 'skillwalker show' says why"


def _is_ours(path: Path, places: Places) -> bool:
    """Whether a file is a part of suites or runs: scaffolds hold skills of their own."""
    return any(path.is_relative_to(folder) for folder in (places.evals_dir, places.output_dir))


def _settings(places: Places, settings: Settings, dirs: tuple[str, ...]) -> FileStep:
    if settings.source is not None:
        known = {os.path.normpath(each) for each in settings.plugin_dirs}
        lacks = [each for each in dirs if each not in known]
        text = f"has no plugin-dirs for {', '.join(lacks)}; add them" if lacks else "is kept"
        return FileStep(path=settings.source.name, done="there", text=text)
    lines = [
        "# Settings of Skillwalker; every one is optional.",
        *([f"plugin-dirs = {json.dumps(dirs, ensure_ascii=False)}"] if dirs else []),
        '# engine = "local"        # docker, local or simulated; default: what the machine can',
        "# [budget]",
        "# max-cost-usd = 5.0     # holds for every run that names no other limit",
    ]
    _write(places.project / SETTINGS_FILE, "\n".join(lines) + "\n", old=None)
    text = f"names {', '.join(dirs)}" if dirs else "names no folder; what is here is found without"
    return FileStep(path=SETTINGS_FILE, done="written", text=text)


def _gitignore(places: Places) -> FileStep:
    """Keep runs out of git and the lock file in it."""
    path = places.project / GITIGNORE
    try:
        old = read_regular(path)
    except FileNotFoundError:
        old = None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    text = (old or b"").decode("utf-8", "surrogateescape")
    lines = {line.strip() for line in text.splitlines()}
    wanted = []
    if places.output_dir.is_relative_to(places.project):
        output = places.output_dir.relative_to(places.project).as_posix()
        forms = {f"{lead}{output}{end}" for lead in ("", "/") for end in ("", "/")}
        wanted += [] if forms & lines else [f"{output}/"]
    if {"*.lock", LOCK} & lines and f"!{LOCK}" not in lines:
        wanted.append(f"!{LOCK}")
    if not wanted:
        return FileStep(path=GITIGNORE, done="there", text="keeps runs out of git")
    gap = "" if not text or text.endswith("\n") else "\n"
    whole = f"{text}{gap}" + "".join(f"{line}\n" for line in wanted)
    _write(path, whole, old=old)
    return FileStep(
        path=GITIGNORE,
        done="extended" if text else "written",
        text=f"leaves out {', '.join(wanted)}; commit {LOCK}",
    )


def _write(path: Path, text: str, *, old: bytes | None) -> None:
    """Write a file whole or not at all, where it holds what was read."""
    new = text.encode("utf-8", "surrogateescape")
    try:
        swap_bytes(path, old=old, new=new, check=lambda _: None)
    except TargetError as error:
        raise ConfigError(str(error)) from error


def _suite_there(target: Target, suite: str | None, places: Places) -> str | None:
    """Find a sound suite that has cases about the target."""
    own = target.path.resolve()
    for entry in read_catalogue(places, kinds=(target.kind,)).entries:
        is_meant = suite is None or entry.suite == suite
        if is_meant and (places.project / entry.path).resolve() == own:
            return entry.suite
    return None


def _suites_of(targets: tuple[Target, ...], places: Places) -> tuple[str | None, ...]:
    """Find a sound suite for each target that has one."""
    entries = reversed(read_catalogue(places).entries)
    suites = {(places.project / entry.path).resolve(): entry.suite for entry in entries}
    return tuple(suites.get(each.path.resolve()) for each in targets)


def _there(suite: str, places: Places) -> FileStep:
    return FileStep(path=tests_file(suite, places), done="there", text="has cases about it already")


def _write_suite(name: str, target: Target, places: Places) -> FileStep:
    """Write examples of the target's own words, each tagged as one.

    Raises:
        SuiteError: they would be refused, as for a target whose file is not there any more.
    """
    request = make_request(target, named_siblings(target, places), count=EXAMPLES)
    entries = [
        {"kind": str(case.kind), "prompt": case.prompt, "sibling": case.sibling}
        for case in propose(request)
    ]
    cases, _ = take(entries, request, ())
    kinds = {case.kind for case in cases}
    if not {DraftKind.POSITIVE, DraftKind.NEAR_MISS} <= kinds:
        raise SuiteError(f"{target.id}: its own words give no examples; write the cases by hand")
    values = suite_values(
        as_new_cases(cases, EXAMPLE), target, written_in_suites(target, places), places
    )
    suite = write_suite(name, places, lambda _folder: values)
    return FileStep(
        path=tests_file(name, places),
        done="written",
        text=f"{len(suite.cases)} examples made of the words of {target.id}, tagged {EXAMPLE}: "
        "put real prompts in their place",
    )
