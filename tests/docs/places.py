"""The folders in which a reader of the docs types commands."""

import json
import shutil
from pathlib import Path

from tests.docs.pages import ROOT

SKILL = """\
---
name: my-skill
description: Helps with logs.
---
# Log triage

Read the log, name the first error that is a cause rather than a consequence, and give the shortest
next step. Quote the line. Do not fix anything.
"""

POSITIVES = (
    "the nightly job died, here is its log, what broke first?",
    "find the root cause in this stack trace",
    "why did the deploy log end with exit code 137",
    "600 lines of output and one of them matters, which",
    "read this crash log and tell me the first real error",
    "our build output is red, where does it start",
    "which of these errors is a cause and which a consequence",
    "look through the server log for what killed the worker",
    "the traceback mentions three files, which one is to blame",
    "pytest prints forty failures after one import error, triage them",
)
NEGATIVES = (
    "add logging to the payment module",
    "write a log rotation config for nginx",
    "explain what a stack trace is",
    "write a poem about the sea",
    "log me into the staging database",
    "fix the failing import in utils.py",
    "plot the logarithm of these values",
    "summarise this changelog for the release mail",
    "raise the error budget in the dashboard",
    "rename the log folder",
)


def write_skill(folder: Path, *, cases: int = len(POSITIVES)) -> None:
    """Write a folder with one skill, and requests as another tool keeps them.

    Args:
        folder: is made.
        cases: of each label.
    """
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    labelled = ((True, POSITIVES[:cases]), (False, NEGATIVES[:cases]))
    queries = [{"query": q, "should_trigger": label} for label, texts in labelled for q in texts]
    (folder / "queries.json").write_text(json.dumps(queries))


def make_places(root: Path) -> dict[str, Path]:
    """Make them below a folder, and give them by name.

    Args:
        root: an empty folder. Below it come `start`, in which a skill of the reader's own lies and
            pages put files, and `project`: the plugins of the program and two of its suites, for
            which the simulated engine is set.
    """
    start, project = root / "start", root / "project"
    write_skill(start / "my-skill")
    project.mkdir()
    for name in ("evals/code-review", "evals/gap-analyzer", "plugins"):
        shutil.copytree(ROOT / name, project / name)
    (project / "skillwalker.toml").write_text('engine = "simulated"\n')
    return {"start": start, "project": project}
