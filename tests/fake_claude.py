"""A program in the place of the Claude CLI: it notes how it was called and prints a stream."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODEL = "claude-opus-5-5"
INIT = {"type": "system", "subtype": "init", "claude_code_version": "2.1.332", "model": MODEL}

_PROGRAM = """#!{python}
import json, os, sys
folder = {folder!r}
asked = {{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(),
         "home": os.listdir(os.environ["HOME"]), "stdin": sys.stdin.read()}}
with open(folder + "/asked.jsonl", "a") as out:
    out.write(json.dumps(asked) + "\\n")
{extra}
for line in json.load(open(folder + "/stream.json")):
    print(json.dumps(line), flush=True)
sys.exit({code})
"""


@dataclass(frozen=True, slots=True)
class FakeClaude:
    """The program and what it was asked."""

    folder: Path

    @property
    def path(self) -> str:
        """Where it lies."""
        return str(self.folder / "claude")

    @property
    def asked(self) -> list[dict[str, Any]]:
        """Every call, the oldest first."""
        lines = (self.folder / "asked.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


def message(text: str) -> dict[str, object]:
    """An assistant's event."""
    return {
        "type": "assistant",
        "parent_tool_use_id": None,
        "message": {
            "id": "msg_1",
            "model": MODEL,
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 1_000, "output_tokens": 100},
        },
    }


def result(text: str = "", **fields: object) -> dict[str, object]:
    """The last event."""
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": text,
        "total_cost_usd": 99.0,
        **fields,
    }


def fake_claude(folder: Path, *stream: object, code: int = 0, extra: str = "") -> FakeClaude:
    """Write the program.

    Args:
        folder: where; made when missing.
        stream: the events that it prints.
        code: its exit code.
        extra: Python that runs before.
    """
    folder.mkdir(exist_ok=True)
    (folder / "stream.json").write_text(json.dumps(stream))
    program = folder / "claude"
    program.write_text(
        _PROGRAM.format(python=sys.executable, folder=str(folder), extra=extra, code=code)
    )
    program.chmod(0o755)
    return FakeClaude(folder)
