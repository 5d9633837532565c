"""The recorder shows what a request lists, and asks nobody."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from skillwalker.config import Login
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import PreflightError, TrialError
from skillwalker.recorder import PROMPT, Recorder, open_recorder, settings_at
from skillwalker.standin.request import ListedEntry
from skillwalker.standin.server import MessageRequest, Standin
from tests.fakes import engine_facts, transcript
from tests.measured import BUILT

LISTING = (
    "The following skills are available for use with the Skill tool:\n\n- demo:review: Reviews."
)


def asked(prompt: str, listing: str = LISTING) -> MessageRequest:
    content = [{"type": "text", "text": text} for text in (listing, prompt)]
    body: dict[str, object] = {"messages": [{"role": "user", "content": content}]}
    return MessageRequest(prefix="", number=1, headers={}, body=body, raw=b"")


@dataclass(slots=True)
class AskingEngine:
    """Sends requests as a trial would, or fails in its own way."""

    standin: Standin
    send: Callable[[Invocation], tuple[MessageRequest, ...]]
    failure: str | None = None
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Leave requests at the stand-in."""
        self.standin.requests.extend(self.send(invocation))
        if self.failure == "raised":
            raise TrialError("set_up", "no space left on device")
        return transcript(failure=self.failure, detail=self.failure and "the CLI's own words")


def look(
    send: Callable[[Invocation], tuple[MessageRequest, ...]], failure: str | None = None
) -> tuple[ListedEntry, ...]:
    standin = Standin("http://127.0.0.1:9", deque([asked(PROMPT, "of an earlier look")]))
    recorder = Recorder(AskingEngine(standin, send, failure), standin)
    return anyio.run(recorder, BUILT, "claude-opus-5-5")


def test_what_the_first_request_lists_is_given() -> None:
    def send(invocation: Invocation) -> tuple[MessageRequest, ...]:
        assert invocation.plugin_dirs == BUILT.plugin_dirs
        assert (invocation.model, invocation.called_as) == ("claude-opus-5-5", None)
        return asked("a title for the session", "nothing"), asked(invocation.prompt)

    (line,) = look(send)
    assert (line.kind, line.name, line.text) == (TargetKind.SKILL, "demo:review", "Reviews.")


def test_the_size_of_the_request_is_told_by_model() -> None:
    told: list[tuple[str, int]] = []
    standin = Standin("http://127.0.0.1:9", deque())
    whole = replace(asked(PROMPT), raw=b"x" * 1234)
    engine = AskingEngine(standin, lambda _invocation: (asked("a title"), whole))
    recorder = Recorder(engine, standin, lambda model, size: told.append((model, size)))
    anyio.run(recorder, BUILT, "claude-opus-5-5")
    assert told == [("claude-opus-5-5", 1234)]


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        pytest.param("crash", "the CLI's own words", id="it crashed"),
        pytest.param("raised", "no space left on device", id="it could not be started"),
        pytest.param(None, "no reason was given", id="it just sent none"),
    ],
)
def test_without_a_request_nothing_can_be_said(failure: str | None, words: str) -> None:
    with pytest.raises(PreflightError, match="claude-opus-5-5 could not be seen") as seen:
        look(lambda _invocation: (), failure)
    assert words in str(seen.value)


SETTINGS = EngineSettings(
    login=Login(api_key="sk-ant-real", oauth_token="token-real", base_url="https://real.example"),
    temporary=Path("/tmp"),  # noqa: S108 (nothing is written there)
    path="/usr/bin",
    concurrency=8,
    claude="/opt/claude",
    engine_env={
        "HTTPS_PROXY": "http://p",
        "no_proxy": "x",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "A": "b",
    },
    permission_mode="plan",
    listing_budget=12,
)


def test_the_recorder_gets_no_login_and_no_way_out() -> None:
    told = settings_at(SETTINGS, "http://127.0.0.1:1")
    for secret in ("sk-ant-real", "token-real", "real.example"):
        assert secret not in f"{told.login.secrets} {told.access.base_url} {told.engine_env}"
    assert told.access.base_url == "http://127.0.0.1:1"
    assert told.engine_env == {"A": "b"}


def test_what_decides_the_listing_stays() -> None:
    told = settings_at(SETTINGS, "http://127.0.0.1:1")
    same = replace(SETTINGS, login=told.login, engine_env=told.engine_env, concurrency=1)
    assert told == same


def test_an_engine_that_sends_nothing_is_told_so() -> None:
    async def look_with_the_simulated_engine() -> None:
        async with open_recorder("simulated", SETTINGS) as probe:
            await probe(BUILT, "sonnet")

    with pytest.raises(PreflightError, match="it sent no request"):
        anyio.run(look_with_the_simulated_engine)
