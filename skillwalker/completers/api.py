"""A completer that asks the Messages API through the SDK."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio

from skillwalker.budget.pauses import LONGEST_RETRY
from skillwalker.claude_code.endpoint import NO_ENDPOINT, PUBLIC_API, split_endpoint
from skillwalker.completers.protocol import (
    MODEL_FLAGS,
    RateLimitedError,
    UnansweredError,
    UnusableReplyError,
    no_reply,
    resolve_model,
)
from skillwalker.config import MAX_PAUSE
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.errors import ConfigError
from skillwalker.prices import Price, cost_usd

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message
    from httpx2 import Response

MAX_TOKENS = 16_000
"""Room for an answer and the thinking before it; the SDK wants streaming above 21,333."""
_LONGEST_WORDS = 400
_RATE_LIMITED = 429
_OVERLOADED = 529
_FREE = Usage(cost_usd=0.0)
_UNKNOWN = Usage(cost_usd=None)
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})

_REMEDIES = MappingProxyType(
    {
        400: "the API refused the request; its words say why",
        401: "the login was refused; check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
        402: "the account cannot pay for it; check its billing",
        403: "the login may not do this; check its workspace and the model's availability",
        404: "there is no such model or address; check {flag} and ANTHROPIC_BASE_URL",
        408: "the server waited too long; try again",
        409: "the server was busy with the same request; try again",
        413: "the prompt is too long; shorten the body or the cases",
        429: "the rate or spend limit is reached; wait, or ask for a higher limit",
        529: "the API is overloaded; try again later",
    }
)
"""What a status means that is left after the retries, with what to do about it."""

_UNUSABLE_STOPS = MappingProxyType(
    {
        "refusal": "the model refused to answer; look at the target's body and the cases, or choose"
        " another {flag}",
        "max_tokens": "the answer was cut at the token limit; try again or choose another {flag}",
        "model_context_window_exceeded": "the prompt is too long for the model; shorten the body"
        " or the cases",
        "tool_use": "the model called a tool where an answer was asked for; try again",
        "pause_turn": "the model paused where an answer was asked for; try again",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicCompleter:
    """Asks the Messages API through the SDK, which retries 408, 409, 429, 5xx and lost connections.

    The answer's form is the API's structured output: newer models answer a forced tool call with
    an error. Nothing is read from the environment for a login: the arguments hold.

    Raises:
        ConfigError: there is no login, it cannot stand in a header, or the URL is none.
    """

    model: str
    """An alias or a full id."""
    api_key: str | None = field(default=None, repr=False)
    """Wins over `auth_token`."""
    auth_token: str | None = field(default=None, repr=False)
    base_url: str | None = None
    max_retries: int = 6
    """With the SDK's pauses of 0.5 to 8 seconds, about 24 seconds, unless the API names longer."""
    timeout: float = 600.0
    """Seconds that one attempt may take."""
    max_pause: float = MAX_PAUSE
    """Seconds that pauses and retries may take, beside the time of one attempt."""
    prices: Mapping[str, Price] = field(default_factory=lambda: _NO_PRICES)
    role: str = "improver"
    """For whom is asked: the flag that chooses who answers."""

    def __post_init__(self) -> None:
        """Check what the SDK would only find out in the middle of a run."""
        if not (self.api_key or self.auth_token):
            raise ConfigError(
                "no login for the API: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN,"
                f" or use --{self.role} cli"
            )
        for name, secret in (
            ("ANTHROPIC_API_KEY", self.api_key),
            ("ANTHROPIC_AUTH_TOKEN", self.auth_token),
        ):
            if secret and not re.fullmatch(r"[!-~]+", secret):
                raise ConfigError(
                    f"{name} holds a space, a line break or a character that no key has;"
                    " set it again"
                )
        if split_endpoint(self._url) is None:
            raise ConfigError(NO_ENDPOINT)

    @property
    def _flag(self) -> str:
        return MODEL_FLAGS[self.role]

    @property
    def _url(self) -> str:
        return (self.base_url or PUBLIC_API).strip()

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object.

        Raises:
            UnusableReplyError: the reply was refused or cut; it was paid for.
            RateLimitedError: a rate limit refused it after every retry.
            UnansweredError: nothing came back after every retry.
        """
        longest = self.timeout + self.max_pause
        with anyio.move_on_after(longest):
            return self._read(await self._ask(prompt, schema))
        raise UnansweredError(
            f"model {resolve_model(self.model)}: no answer within {longest:g} seconds,"
            " pauses that the API asked for included; try again later",
            no_reply(resolve_model(self.model), _UNKNOWN),
        )

    async def _ask(self, prompt: str, schema: Mapping[str, object]) -> "Message":
        """Send the prompt; the one border at which the SDK's errors become ours."""
        import anthropic
        import httpx2

        try:
            async with self._client() as client:
                return await client.messages.create(
                    model=resolve_model(self.model),
                    max_tokens=MAX_TOKENS,
                    messages=[{"role": "user", "content": prompt}],
                    output_config={"format": {"type": "json_schema", "schema": dict(schema)}},
                )
        except anthropic.RateLimitError as error:
            raise RateLimitedError(
                self._tell(explain(error, flag=self._flag)),
                retry_after=_seconds(error.response.headers.get("retry-after")),
            ) from error
        except (anthropic.AnthropicError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            used = _FREE if _is_unbilled(error) else _UNKNOWN
            raise self._unanswered(explain(error, flag=self._flag), used) from error
        except ValueError as error:
            # The SDK does not translate what goes wrong when it writes and reads JSON.
            raise self._unanswered("prompt or reply is no valid JSON text", _UNKNOWN) from error

    def _client(self) -> "AsyncAnthropic":
        """Open a client that takes nothing of the environment: login, address, way and tracing."""
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Timeout

        timeout = Timeout(self.timeout, connect=min(self.timeout, 10.0))
        client = AsyncAnthropic(
            api_key=self.api_key or None,
            auth_token=None if self.api_key else self.auth_token,
            base_url=self._url,
            max_retries=self.max_retries,
            timeout=timeout,
            # The SDK's own client would go through a proxy that the environment names.
            http_client=DefaultAsyncHttpxClient(
                timeout=timeout, trust_env=False, event_hooks={"response": [_refuse_long_wait]}
            ),
            open_telemetry=False,
        )
        client._custom_headers = {}  # noqa: SLF001 (nothing else keeps ANTHROPIC_CUSTOM_HEADERS out)
        return client

    def _read(self, message: "Message") -> Completion:
        """Take the text out of a message."""
        try:
            completion = Completion(
                text=_text(message), model=message.model, usage=self._usage(message)
            )
        except (AttributeError, TypeError) as error:
            # The SDK hands on whatever a server sends, without checking its shape.
            words = "what answered is not the Messages API; check ANTHROPIC_BASE_URL"
            raise self._unanswered(words, _UNKNOWN) from error
        fault = _UNUSABLE_STOPS.get(str(message.stop_reason))
        if fault is None and not completion.text.strip():
            fault = "the reply holds no text; try again or choose another {flag}"
        if fault is not None:
            raise UnusableReplyError(self._tell(fault.format(flag=self._flag)), completion)
        return completion

    def _usage(self, message: "Message") -> Usage:
        """Count a reply's tokens and price them."""
        usage = message.usage
        write, read = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
        return Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=read,
            cache_write_tokens=write,
            cost_usd=cost_usd(
                message.model,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_write_tokens=write,
                cache_read_tokens=read,
                override=self.prices,
            ),
        )

    def _unanswered(self, what: str, used: Usage) -> UnansweredError:
        """Say that a question brought nothing, and what it has used."""
        return UnansweredError(self._tell(what), no_reply(resolve_model(self.model), used))

    def _tell(self, what: str) -> str:
        """Say where something went wrong; a server may echo a secret, a message never does."""
        for secret in (self.api_key, self.auth_token):
            what = what.replace(secret, "[secret]") if secret else what
        # Cut after the secrets are out: half a secret would not be found.
        what = what if len(what) <= _LONGEST_WORDS else f"{what[: _LONGEST_WORDS - 1]}…"
        return f"model {resolve_model(self.model)} at {urlsplit(self._url).hostname}: {what}"


def _text(message: "Message") -> str:
    """Join the text blocks; every other kind of block is no part of the answer."""
    return "".join(block.text for block in message.content if block.type == "text")


def _is_unbilled(error: Exception) -> bool:
    """Say whether the API refused a request; one that broke down may have worked before."""
    import anthropic

    return isinstance(error, anthropic.APIStatusError) and (
        error.status_code < 500 or error.status_code == _OVERLOADED
    )


async def _refuse_long_wait(response: "Response") -> None:
    """Keep the SDK from sleeping through a rate limit of which trials know nothing then."""
    wait = _seconds(response.headers.get("retry-after"))
    if response.status_code == _RATE_LIMITED and wait is not None and wait > LONGEST_RETRY:
        response.headers["x-should-retry"] = "false"


def _seconds(header: str | None) -> float | None:
    """Read how long to wait; a date, or nonsense, says nothing."""
    return float(header) if header is not None and re.fullmatch(r"\d{1,7}", header) else None


def explain(error: Exception, *, flag: str = MODEL_FLAGS["improver"]) -> str:
    """Say in our words what an error of the SDK means and what to do about it.

    Args:
        error: the SDK's.
        flag: the option that names the model that was asked.
    """
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code
        remedy = _REMEDIES.get(status) or (
            "the API failed; try again later"
            if status >= 500
            else "the API refused the request; its words say why"
        )
        words = _one_line(error.api_message or "")
        return f"{remedy.format(flag=flag)} (status {status}{f': {words}' if words else ''})"
    if isinstance(error, anthropic.APITimeoutError):
        return "no answer in time; try again later or check the network"
    if isinstance(error, anthropic.APIConnectionError):
        return "no connection; check the network and ANTHROPIC_BASE_URL"
    return f"the request could not be made ({type(error).__name__}); check ANTHROPIC_BASE_URL"


def _one_line(text: str) -> str:
    """Take line breaks and terminal control codes out of a server's words."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
