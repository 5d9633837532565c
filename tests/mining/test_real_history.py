"""What the real CLI writes into a home is read as what was typed and what was called."""

import subprocess
from pathlib import Path

import pytest

from skillwalker.claude_code.command import Access, build_arguments, build_environment
from skillwalker.datatypes.mining import Fired
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.mining.sessions import Reader
from skillwalker.standin.behaviour import scripted
from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.server import serve
from tests.clis import VERSIONS, need_cli
from tests.projects import make_project

pytestmark = pytest.mark.cli

PROMPT = "Would you let this patch\ninto main?"
REPLIES = (
    Reply(blocks=(Say("I look."), Use("Skill", {"skill": "demo:review"}))),
    Reply(blocks=(Say("Done."),)),
)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_kept_conversation_is_read(tmp_path: Path, version: str) -> None:
    binary = need_cli(version)
    make_project(tmp_path / "p")
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    arguments = build_arguments(
        binary=str(binary),
        plugin_dirs=(str(tmp_path / "p/plugins/demo"),),
        has_project=False,
        model="claude-opus-5-5",
        max_turns=4,
    )
    with serve(scripted(REPLIES)) as standin:
        environment = build_environment(
            Access(api_key="sk-ant-dummy", base_url=standin.url),
            home=str(tmp_path / "home"),
            temp=str(tmp_path),
            path="/usr/local/bin:/usr/bin:/bin",
        )
        subprocess.run(
            [word for word in arguments if word != "--no-session-persistence"],
            env=environment,
            cwd=tmp_path / "work",
            input=PROMPT.encode(),
            capture_output=True,
            timeout=60,
        )
    reader = Reader()
    (asked,) = reader.conversations(tmp_path / "home/.claude")
    assert (asked.prompt, asked.is_first) == (PROMPT, True)
    assert asked.fired == (Fired(kind=TargetKind.SKILL, name="demo:review"),)
    assert asked.when is not None
    assert (reader.unread_lines, reader.unread_files) == (0, 0)
