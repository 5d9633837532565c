"""Step 3: takes a target, a candidate and the rivals, gives a throw-away copy of all of them.

What is measured must be what would be written: the candidate goes into the copy by the same
byte-exact replacement that writes the user's file, under the real name, in the position where
the file lives. What could make a trial cost more or fail for another reason (tool rules, hooks,
model, the body's work) stays out, for the rivals too: one that fires says so and stops.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.trials import BuiltPlugin
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.frontmatter.text import keep_keys, replace_description
from skillwalker.scratch import no_place
from skillwalker.targets.calling import called_as
from skillwalker.targets.file import layout_path
from skillwalker.targets.names import description_hash

NOOP_BODY = 'Respond with: "skill triggered" — nothing else.'
"""Source: the reference's temp plugin (founding document 002, Constants)."""

KEPT_KEYS = {
    TargetKind.SKILL: frozenset(
        {
            "name",
            "description",
            "when_to_use",
            "paths",
            "disable-model-invocation",
            "user-invocable",
        }
    ),
    # An agent's tools stand in its line of the listing, so they are part of what is measured.
    TargetKind.AGENT: frozenset({"name", "description", "tools", "disallowedTools"}),
}


def build_plugin(
    target: Target, description: str, *, rivals: Sequence[Target], into: Path
) -> BuiltPlugin:
    """Write the copy of one candidate.

    Args:
        target: the skill or agent under trial.
        description: the candidate; the file's own text gives a copy of the file as it is.
        rivals: siblings that a model could choose instead, with their own descriptions.
        into: an existing folder; the copy gets a folder of its own in it.

    Returns:
        The folders to show to Claude Code, and the names that count as a call of the target.

    Raises:
        TargetError: the description cannot be written so that Claude Code reads it.
        EngineUnavailableError: the copy cannot be written, as on a full disk.
    """
    candidate = description_hash(description)
    content = target.content
    if description != target.description:
        content = replace_description(content, description, target.kind, target.position)
    digest = hashlib.sha256()
    roots: dict[tuple[Position, str | None], Path] = {}
    taken: set[Path] = set()
    for copied, original in ((target, content), *((rival, rival.content) for rival in rivals)):
        root = _root(copied, roots, into / candidate)
        place = root / layout_path(copied)
        if place in taken:
            continue  # two of one name: the first is loaded, as by Claude Code
        taken.add(place)
        # What Claude Code lists, with a body that does no work.
        stripped = keep_keys(original, KEPT_KEYS[copied.kind], f"\n{NOOP_BODY}\n")
        _write(place, stripped)
        name = place.relative_to(into).as_posix().removeprefix(candidate)
        digest.update(f"{name}\0{len(stripped)}\0".encode() + stripped)
    return BuiltPlugin(
        candidate=candidate,
        plugin_dirs=tuple(r for (where, _), r in roots.items() if where is Position.PLUGIN),
        project_dir=roots.get((Position.PROJECT, None)),
        called_as=called_as(target, tuple(rivals)),
        listing_key=digest.hexdigest()[:16],
    )


def _root(copied: Target, roots: dict[tuple[Position, str | None], Path], first: Path) -> Path:
    """Give the folder of a file's plugin, or of the project; the target's own is the first."""
    key = (copied.position, copied.plugin)
    if key not in roots:
        roots[key] = first.with_name(f"{first.name}-{len(roots)}") if roots else first
        if copied.position is Position.PLUGIN:
            _write_manifest(roots[key], copied.plugin or copied.name)
    return roots[key]


def _write_manifest(root: Path, name: str) -> None:
    """Give the throw-away plugin the real plugin's name."""
    manifest = {"name": name, "version": "0.0.0"}
    content = json.dumps(manifest, ensure_ascii=False).encode()
    _write(root / ".claude-plugin" / "plugin.json", content)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise no_place(path, error) from error
