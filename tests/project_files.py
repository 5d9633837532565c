"""Projects of a few files, as tests need them."""

import contextlib
import json
import resource
from collections.abc import Iterator
from pathlib import Path

from skillwalker.paths import Places

TEXT = "Reviews code for faults. Use when someone asks for a review of their changes."


def skill_file(description: str = TEXT, *, name: str | None = None, more: str = "") -> str:
    """The text of a SKILL.md or an agent's file."""
    named = "" if name is None else f"name: {name}\n"
    return f"---\n{named}description: {description}\n{more}---\n\n# Heading\n\nBody.\n"


def write_files(root: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def manifest(name: str, **more: object) -> str:
    """The text of a plugin.json."""
    return json.dumps({"name": name, **more}, ensure_ascii=False)


def places_of(project: Path, *plugin_dirs: Path) -> Places:
    """The folders of a project whose user lives in `home` beside it."""
    return Places(
        project=project,
        evals_dir=project / "evals",
        plugin_dirs=(project / "plugins", *plugin_dirs),
        output_dir=project / "output",
        home=project.parent / "home",
    )


@contextlib.contextmanager
def full_disk(largest: int) -> Iterator[None]:
    """Let no file grow beyond some bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
