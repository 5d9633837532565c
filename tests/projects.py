"""Small projects on disk for tests of what reads them."""

import json
from pathlib import Path

from skillwalker.paths import Places, open_places
from skillwalker.settings import Settings

SKILL = "---\nname: {name}\ndescription: Use when {name} is asked for.\n---\nDo it.\n"


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def make_project(root: Path) -> Places:
    """Make a project with one plugin of two skills and an agent, and a skill of its own."""
    for skill in ("review", "release"):
        write(root / f"plugins/demo/skills/{skill}/SKILL.md", SKILL.format(name=skill))
    write(root / "plugins/demo/.claude-plugin/plugin.json", '{"name": "demo"}')
    write(root / "plugins/demo/agents/auditor.md", SKILL.format(name="auditor"))
    write(root / ".claude/skills/local/SKILL.md", SKILL.format(name="local"))
    return open_places(root, Settings(), root / "home")


def write_suite(places: Places, name: str, suite: object) -> Path:
    """Write a suite's tests.json; give the suite's folder."""
    text = suite if isinstance(suite, str | bytes) else json.dumps(suite)
    return write(places.evals_dir / name / "tests.json", text).parent


def call_case(name: str, expected: bool = True, /, **keys: object) -> dict[str, object]:
    """Make a skill-call case of `demo:review`; keys override."""
    case: dict[str, object] = {
        "name": name,
        "type": "skill-call",
        "skillFile": "demo:review",
        "prompt": f"prompt of {name}",
        "expect": [{"skill-call": expected}],
    }
    return {key: value for key, value in (case | keys).items() if value is not ...}
