"""Runs and git: a folder of runs that git would take in is spoken of once, when it is new."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from skillwalker.cli.saying import say
from skillwalker.paths import Places, in_project

NOT_IGNORED = 1
"""What `git check-ignore` ends with where git would take a path in. Source: its manual."""
PATIENCE = 5.0
"""Seconds that git may take; nothing depends on its answer."""


@contextmanager
def new_output_named(places: Places) -> Iterator[None]:
    """Say after a run that made the output folder how it is kept out of git.

    Args:
        places: the project's folders.
    """
    is_new = not places.output_dir.exists()
    yield
    if is_new and places.output_dir.is_dir() and _would_be_taken_in(places):
        folder = places.output_dir
        if folder.is_relative_to(places.project):
            folder = folder.relative_to(places.project)
        init = in_project("skillwalker init", places.said)
        say(f"{folder}/ is not ignored by git: `{init}` adds the lines", err=True)


def _would_be_taken_in(places: Places) -> bool:
    """Ask git; where there is none, or it cannot tell, nothing is to be said."""
    command = ["git", "-C", str(places.project), "check-ignore", "-q", f"{places.output_dir}/"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == NOT_IGNORED
