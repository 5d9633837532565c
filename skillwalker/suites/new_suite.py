"""A new suite: made beside its place, checked whole, and only then put there."""

import json
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from skillwalker.datatypes.inputs import Suite, Target
from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.paths import Places, is_file_name
from skillwalker.suites.load import TESTS_FILE, load_suite
from skillwalker.targets.kind import KINDS

LONGEST_NAME = 64
"""Characters of a case's name that is made of its prompt."""
DRAFTED = "drafted"
"""Tag of a case that nobody has looked at yet, or that began as one."""

Test = dict[str, object]
"""An entry of `tests`."""
Fill = Callable[[Path], dict[str, object]]
"""Puts a suite's files into its folder and gives its tests.json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCase:
    """A prompt and whether it should call the target, to be written into a suite."""

    name: str
    prompt: str
    should_trigger: bool
    tags: tuple[str, ...] = ()
    preferred: str | None = None
    """Id of the target that should be called instead."""


def require_new(name: str, places: Places) -> None:
    """Refuse a name that no new suite can have.

    Raises:
        SuiteError: it is taken, or is no name of a folder.
    """
    if not is_file_name(name) or name.startswith("."):
        raise SuiteError(f"{quoted(name)} cannot name a suite: it is no name of a folder")
    if name.startswith("-"):
        raise SuiteError(
            f"{quoted(name)} cannot name a suite: commands would take it for an option; "
            "begin it with a letter or a digit"
        )
    if (places.evals_dir / name).exists() or (places.evals_dir / name).is_symlink():
        raise SuiteError(
            f"there is a suite {quoted(name)} already; nothing was written: "
            "give another --suite, or remove it first"
        )


def write_suite(name: str, places: Places, fill: Fill) -> Suite:
    """Write a suite and read it back.

    Args:
        name: of a suite that is not there; see `require_new`.
        places: the project's folders.
        fill: makes its content.

    Raises:
        SuiteError: it would be refused when it is read, or cannot be written; nothing is left.
    """
    root = places.evals_dir
    created = missing_folders(root)
    staged = root / f".importing-{secrets.token_hex(4)}"
    try:
        staged.mkdir(parents=True)
        tests = json.dumps(fill(staged), ensure_ascii=False, indent=2)
        (staged / TESTS_FILE).write_text(f"{tests}\n", encoding="utf-8")
        load_suite(places, staged.name)
        staged.rename(root / name)
    except SuiteError as error:
        raise SuiteError(str(error).replace(staged.name, name)) from error
    except OSError as error:
        raise SuiteError(f"{root / name}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        drop_empty(created)
    return load_suite(places, name)


def missing_folders(folder: Path) -> list[Path]:
    """List what is to be made for a folder to be there, from itself upwards."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def drop_empty(folders: Sequence[Path]) -> None:
    """Remove the folders that were made for nothing."""
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:  # it holds the suite, or was never made
            return


def tests_file(name: str, places: Places) -> str:
    """Write where a suite's tests.json lies, from the project on where it lies inside."""
    path = places.evals_dir / name / TESTS_FILE
    inside = path.is_relative_to(places.project)
    return (path.relative_to(places.project) if inside else path).as_posix()


def suite_values(
    cases: Sequence[NewCase], target: Target, written: str, places: Places
) -> dict[str, object]:
    """Make the tests.json of cases about one target.

    Args:
        cases: their names differ.
        target: the skill or agent.
        written: the target as the cases name it.
        places: the project's folders.
    """
    tests = [call_test(case, target, written) for case in cases]
    return {"plugins": plugins_of(target, places), "tests": tests}


def call_test(case: NewCase, target: Target, written: str) -> Test:
    """Make the entry of one case."""
    facts = KINDS[target.kind]
    test: Test = {
        "name": case.name,
        "type": str(facts.case_type),
        facts.suite_key: written,
        "prompt": case.prompt,
    }
    if case.tags:
        test["tags"] = list(case.tags)
    if case.preferred is not None:
        test["preferred"] = case.preferred
    return {**test, "expect": [{facts.expectation: case.should_trigger}]}


def plugins_of(target: Target, places: Places) -> list[str]:
    """Name the plugin that a suite about a target needs; none where the project has none."""
    plugin = target.plugin
    return [plugin] if plugin is not None and places.plugin_folder(plugin) is not None else []


def name_cases(prompts: Sequence[str]) -> tuple[str, ...]:
    """Name cases by the beginnings of their prompts, no two alike."""
    names: dict[str, None] = {}
    for prompt in prompts:
        one_line = "".join(char if char.isprintable() else " " for char in prompt)
        brief = shorten(one_line, LONGEST_NAME, placeholder=" …")
        if not brief.strip(" …"):  # one word that is longer than a name
            brief = f"{one_line.strip()[:LONGEST_NAME]}…"
        number, name = 1, brief
        while name in names:
            number += 1
            name = f"{brief} ({number})"
        names[name] = None
    return tuple(names)
