"""Records the streams of tests/stream_cases.py from the real CLIs into tests/data/streams.

Run it from the checkout: `.venv/bin/python -m tests.record_streams [CASE…]`. Paths of the trial
are replaced, and fields that say nothing about the rules are dropped, so that the files stay
small and the same wherever they are recorded.
"""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from skillwalker.claude_code.command import Access, build_arguments, build_environment
from skillwalker.standin.replies import Reply
from skillwalker.standin.server import MessageRequest, serve
from tests.clis import find_cli
from tests.stream_cases import (
    AGENT_FILE,
    CASES,
    MODEL,
    NESTED_PROMPT,
    SKILL_FILES,
    VERSIONS,
    StreamCase,
)

DATA = Path(__file__).parent / "data" / "streams"
DROPPED = ("uuid", "timestamp", "tools", "capabilities", "memory_paths", "messaging_socket_path")
DEAD_URL = "http://127.0.0.1:9"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a run of the CLI left."""

    lines: tuple[bytes, ...]
    exit_code: int
    stderr: str
    requests: int


class Script:
    """Answers a case's requests in order, those of a subagent from their own list."""

    def __init__(self, case: StreamCase) -> None:
        self._main = list(case.replies)
        self._nested = list(case.nested)

    def __call__(self, asked: MessageRequest) -> Reply:
        """Give the next reply; the last one again when none is left."""
        messages = asked.body.get("messages")
        first = messages[0] if isinstance(messages, list) and messages else None
        # The prompt of a subagent stands in its own first message; the main thread's history
        # holds it only in later ones.
        is_nested = NESTED_PROMPT in json.dumps(first)
        replies = self._nested if is_nested and self._nested else self._main
        if is_nested and not self._nested:
            return Reply(blocks=self._main[-1].blocks)
        return replies.pop(0) if len(replies) > 1 else replies[0]


def write_plugin(folder: Path) -> Path:
    """Write the demo plugin of the cases."""
    plugin = folder / "demo"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "demo", "version": "1.0.0"}')
    for name, fields in SKILL_FILES.items():
        skill = plugin / "skills" / name
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\n{fields}\n---\nAnswer: skill triggered.\n")
    (plugin / "agents").mkdir()
    (plugin / "agents" / "helper.md").write_text(AGENT_FILE)
    return plugin


def record(case: StreamCase, binary: Path) -> Recorded:
    """Run one case against a stand-in of its own."""
    with tempfile.TemporaryDirectory() as name, serve(Script(case)) as standin:
        root = Path(name)
        for folder in ("home", "work", "tmp"):
            (root / folder).mkdir()
        plugin = write_plugin(root)
        url = DEAD_URL if case.dead_server else standin.url
        env = build_environment(
            Access(api_key="sk-ant-dummy", base_url=url),
            home=str(root / "home"),
            temp=str(root / "tmp"),
            path="/usr/bin:/bin",
        )
        arguments = build_arguments(
            binary=str(binary),
            plugin_dirs=(str(plugin),),
            has_project=False,
            model=MODEL,
            max_turns=case.max_turns,
        )
        done = subprocess.run(
            [*arguments, *case.arguments],
            input=case.prompt.encode(),
            env={**env, **case.env},
            cwd=root / "work",
            capture_output=True,
            timeout=60,
        )
        lines = tuple(clean(line, name) for line in done.stdout.splitlines())
        stderr = done.stderr.decode(errors="replace").replace(name, "/trial")
        return Recorded(lines, done.returncode, stderr[:400], len(standin.requests))


def clean(line: bytes, root: str) -> bytes:
    """Replace the trial's paths and drop what the rules do not read."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    kept = {key: value for key, value in event.items() if key not in DROPPED}
    text = json.dumps(kept, ensure_ascii=False)
    return text.replace(root, "/trial").replace(root.replace("/", "-"), "-trial").encode()


def main(names: list[str]) -> None:
    """Record the named cases, or all."""
    cases = [case for case in CASES if not names or case.name in names]
    for version in VERSIONS:
        binary = find_cli(version)
        if binary is None:
            sys.exit(f"Claude CLI {version} is not installed; run .ci/install-clis")
        folder = DATA / version
        folder.mkdir(parents=True, exist_ok=True)
        exits_file = folder / "exits.json"
        exits = json.loads(exits_file.read_text()) if exits_file.exists() else {}
        with ThreadPoolExecutor(2) as pool:
            done = pool.map(lambda case: record(case, binary), cases)  # noqa: B023 (drained at once)
            for case, recorded in zip(cases, done, strict=True):
                (folder / f"{case.name}.jsonl").write_bytes(b"\n".join(recorded.lines) + b"\n")
                exits[case.name] = {
                    "exit_code": recorded.exit_code,
                    "requests": recorded.requests,
                    "stderr": recorded.stderr,
                }
        ordered = {case.name: exits[case.name] for case in CASES if case.name in exits}
        exits_file.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
