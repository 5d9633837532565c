"""Asks Claude through the CLI, for those who pay by subscription and have no API key.

The CLI answers in a fresh home, without tools, settings, servers or memory, and with a system
prompt of one sentence: what it gets is the prompt and nothing of the host.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import anyio
from anyio import to_thread

from skillwalker.claude_code.binary import find_binary
from skillwalker.claude_code.command import Access, build_environment
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits, run_process
from skillwalker.completers.protocol import (
    MODEL_FLAGS,
    RateLimitedError,
    UnansweredError,
    UnusableReplyError,
    resolve_model,
)
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Transcript, Usage
from skillwalker.engines.slots import Slot, claim_slots, close_root, open_root
from skillwalker.errors import CompletionError, EngineUnavailableError
from skillwalker.prices import Price, cost_usd
from skillwalker.transcripts.events import read_json
from skillwalker.transcripts.failures import shorten
from skillwalker.transcripts.stream import Ending, StreamParser

SYSTEM_PROMPT = "Answer with one JSON object of the given form, and with nothing else."
MAX_RETRIES = 6
"""Retries of one request inside the CLI: about half a minute, as the SDK's six."""
MAX_TURNS = 4
"""The structured answer is a turn, and so is each correction that the CLI asks for."""
IDLE_TIMEOUT = 180.0

_NO_SCHEMA_OPTION = "--json-schema"
"""Stands in the complaint of a CLI that is too old for the option."""
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_INSTALL = "install Claude Code, or say where it is with --claude PATH"
_LOGIN = "set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to what `claude setup-token` prints"
_REMEDIES = MappingProxyType(
    {
        "auth": f"the login was refused; {_LOGIN}",
        "billing": "the account cannot pay for it; check its billing",
        "connection": "no connection; check the network and ANTHROPIC_BASE_URL",
        "idle": f"the CLI said nothing for {IDLE_TIMEOUT:g} seconds; try again later",
        "model_not_found": "there is no such model for this login; check {flag}",
        "overloaded": "the API is overloaded; try again later",
        "rate": "the rate or spend limit is reached; wait, or ask for a higher limit",
        "server": "the API failed; try again later",
        "cut_stream": "the answer broke off; try again",
    }
)
"""What to do about a failure, by its word of `UNDECIDED_REASONS`."""
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CliCompleter:
    """Asks through `claude -p`, each prompt in a process and a home of its own."""

    model: str
    """An alias or a full id."""
    access: Access
    temp_root: Path
    """Folder in which the home is made."""
    path: str
    """PATH: where the CLI is looked for."""
    claude: str = "claude"
    """A name on `path`, or a path."""
    extra_env: Mapping[str, str] = field(default_factory=lambda: _NOTHING, repr=False)
    prices: Mapping[str, Price] = field(default_factory=lambda: _NO_PRICES)
    timeout: float = 600.0
    """Seconds that an answer may take, the CLI's retries included."""
    max_retries: int = MAX_RETRIES
    role: str = "improver"
    """For whom is asked: the flag that chooses who answers."""

    def find(self) -> str:
        """Find the CLI and see that there is a login.

        Raises:
            CompletionError: one of the two is missing.
        """
        if not self.access.is_set:
            raise CompletionError(f"{self.role} cli: there is no login for Claude; {_LOGIN}")
        try:
            return find_binary(self.claude, path=self.path)
        except EngineUnavailableError as error:
            raise CompletionError(f"{self.role} cli: {error}; {_INSTALL}") from error

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object.

        Raises:
            UnusableReplyError: a reply came and was paid for, but it holds nothing to read.
            UnansweredError: nothing came back after every retry; the turns before were paid for.
            CompletionError: the CLI could not be started.
        """
        binary = self.find()
        form = json.dumps(dict(schema), ensure_ascii=False)
        transcript, end = await self._ask(self._arguments(binary, form), prompt)
        if transcript.model is None and _NO_SCHEMA_OPTION in end.stderr:
            asked = f"{prompt}\n\nAnswer with one JSON object that matches this schema:\n{form}\n"
            transcript, _ = await self._ask(self._arguments(binary, None), asked)
        return self._read(transcript)

    async def _ask(self, arguments: tuple[str, ...], prompt: str) -> tuple[Transcript, ProcessEnd]:
        """Run the CLI once on a prompt; when this returns, nothing of it is left."""
        parser = StreamParser(prompt=prompt)

        def on_line(line: bytes) -> Next:
            if parser.feed(line):
                return Next.STOP
            return Next.LINGER if parser.is_over else Next.MORE

        async with self._place() as slot:
            try:
                end = await run_process(
                    arguments,
                    env=self._environment(slot),
                    cwd=slot.work,
                    marker=slot.marker,
                    stdin=prompt.encode(errors="surrogatepass"),
                    on_line=on_line,
                    limits=TimeLimits(wall=self.timeout, idle=IDLE_TIMEOUT),
                )
            except OSError as error:
                raise CompletionError(
                    self._tell(f"{arguments[0]} cannot be started ({error.strerror}); {_INSTALL}")
                ) from error
        ending = Ending(
            exit_code=end.exit_code, timed_out=end.timed_out, idle=end.idle, stderr=end.stderr
        )
        return parser.finish(ending), end

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[Slot]:
        """Make a home that is deleted afterwards, and by the next run after a kill."""
        try:
            root = await to_thread.run_sync(open_root, self.temp_root)
            try:
                (slot,) = claim_slots(root, 1)
                try:
                    await to_thread.run_sync(slot.lay_out)
                    yield slot
                finally:
                    with anyio.CancelScope(shield=True):
                        await to_thread.run_sync(slot.free)
            finally:
                close_root(root)
        except EngineUnavailableError as error:
            raise CompletionError(self._tell(str(error))) from error

    def _arguments(self, binary: str, form: str | None) -> tuple[str, ...]:
        return (
            binary,
            "-p",
            *("--model", resolve_model(self.model)),
            *("--tools", ""),
            *("--system-prompt", SYSTEM_PROMPT),
            *("--setting-sources", ""),
            "--strict-mcp-config",
            "--no-session-persistence",
            *("--permission-mode", "dontAsk"),
            *("--max-turns", str(MAX_TURNS)),
            *("--output-format", "stream-json"),
            "--verbose",
            # Shows that the model is at work while it thinks.
            "--include-partial-messages",
            *(() if form is None else ("--json-schema", form)),
        )

    def _environment(self, slot: Slot) -> dict[str, str]:
        built = build_environment(
            self.access,
            home=str(slot.home),
            temp=str(slot.temp),
            path=self.path,
            extra=self.extra_env,
        )
        return {**built, "CLAUDE_CODE_MAX_RETRIES": str(self.max_retries)}

    def _read(self, transcript: Transcript) -> Completion:
        """Take the answer out of what the CLI said."""
        model = transcript.model or resolve_model(self.model)
        completion = Completion(
            text=_answer(transcript), model=model, usage=self._usage(transcript.usage, model)
        )
        if transcript.failure == "rate":
            raise RateLimitedError(
                self._tell(self._explain(transcript)),
                resets_at=transcript.resets_at,
                retry_after=transcript.retry_after,
                completion=completion,
            )
        if transcript.timed_out or transcript.failure is not None or transcript.model is None:
            raise UnansweredError(self._tell(self._explain(transcript)), completion)
        if not completion.text.strip():
            fault = (
                f"no answer of the form that was asked for came within {MAX_TURNS} turns"
                if transcript.ended_by_limit
                else "the reply holds no text"
            )
            raise UnusableReplyError(
                self._tell(f"{fault}; try again or choose another {MODEL_FLAGS[self.role]}"),
                completion,
            )
        return completion

    def _explain(self, transcript: Transcript) -> str:
        """Say what a failure means and what to do about it."""
        if transcript.timed_out:
            return f"no answer within {self.timeout:g} seconds; try again later"
        words = transcript.detail or "it said nothing"
        remedy = _REMEDIES.get(transcript.failure or "")
        if remedy is None:
            return f"it failed: {words}"
        return f"{remedy.format(flag=MODEL_FLAGS[self.role])} ({words})"

    def _usage(self, usage: Usage, model: str) -> Usage:
        """Count all turns' tokens and price them as everywhere else, whatever the CLI says."""
        if not (usage.input_tokens or usage.output_tokens):
            return usage  # known to be free, or not known at all: no price says which
        return Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            cost_usd=cost_usd(
                model,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_write_tokens=usage.cache_write_tokens,
                cache_read_tokens=usage.cache_read_tokens,
                override=self.prices,
            ),
            cost_estimated=usage.cost_estimated,
        )

    def _tell(self, what: str) -> str:
        """Say who was asked; the CLI may echo a secret, a message never does."""
        access = self.access
        for secret in (access.api_key, access.auth_token, access.oauth_token):
            what = what.replace(secret, "[secret]") if secret else what
        return f"{self.role} cli, model {resolve_model(self.model)}: {shorten(what)}"


def _answer(transcript: Transcript) -> str:
    """Give the structured answer, else the object that stands in the text, else the text."""
    for line in reversed(transcript.raw):
        event = read_json(line)
        if event is not None and event.get("type") == "result":
            found = event.get("structured_output")
            if found is not None:
                return json.dumps(found, ensure_ascii=False)
            break
    inside = _OBJECT.search(transcript.answer)
    return inside.group() if inside else transcript.answer
