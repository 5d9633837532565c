"""The completer, through the real SDK against a real server on loopback."""

import json
import subprocess
import sys
from typing import NoReturn

import anthropic
import anyio
import httpx2
import pytest

from skillwalker.completers.api import AnthropicCompleter, explain
from skillwalker.completers.protocol import (
    MODEL_ALIASES,
    RateLimitedError,
    UnansweredError,
    UnusableReplyError,
    paid_without_reply,
    resolve_model,
)
from skillwalker.datatypes.improver import Completion
from skillwalker.errors import CompletionError, ConfigError
from skillwalker.prices import Price
from tests.messages_server import (
    MessagesServer,
    Reply,
    fails,
    message,
    says,
    serve_messages,
)

KEY = "sk-ant-marker-key"
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


def ask(
    server: MessagesServer | str,
    prompt: str = "Say a word.",
    *,
    model: str = "opus",
    api_key: str | None = KEY,
    auth_token: str | None = None,
    max_retries: int = 2,
    timeout: float = 20.0,
    max_pause: float = 20.0,
    prices: dict[str, Price] | None = None,
    role: str = "improver",
) -> Completion:
    completer = AnthropicCompleter(
        model=model,
        api_key=api_key,
        auth_token=auth_token,
        base_url=server if isinstance(server, str) else server.url,
        max_retries=max_retries,
        timeout=timeout,
        max_pause=max_pause,
        prices=prices or {},
        role=role,
    )

    async def run() -> Completion:
        with anyio.fail_after(15):
            return await completer.complete(prompt, schema=SCHEMA)

    return anyio.run(run)


def test_white_space_around_the_address_is_nothing() -> None:
    with serve_messages(says("{}")) as server:
        assert ask(f" {server.url}\n").text
        assert len(server.requests) == 1


def test_a_prompt_arrives_whole_and_the_answer_comes_back() -> None:
    prompt = 'Größe, 日本語, \u202e, "quotes" \\ and\n<tags>\n' + "x" * 200_000
    with serve_messages(says('{"word": "ja"}')) as server:
        completion = ask(server, prompt)
    assert completion.text == '{"word": "ja"}'
    assert completion.model == "claude-opus-5-5"
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert request.prompt == prompt
    assert request.body["model"] == "claude-opus-5-5"
    assert request.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert "tools" not in request.body


def test_usage_and_cost_are_those_of_the_model_that_answered() -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 100,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 20,
    }
    reply = message(
        model="claude-sonnet-5-5", content=[{"type": "text", "text": "{}"}], usage=usage
    )
    with serve_messages(reply) as server:
        completion = ask(server, model="opus")
        own = Price(input=0.0, output=0.0, cache_write=0.0, cache_read=1_000_000.0)
        priced = ask(server, prices={"claude-sonnet-5-5": own})
    assert completion.model == "claude-sonnet-5-5"
    assert completion.usage.input_tokens == 1000
    assert completion.usage.output_tokens == 100
    assert completion.usage.cache_write_tokens == 10
    assert completion.usage.cache_read_tokens == 20
    assert completion.usage.cost_usd == pytest.approx(0.003027)
    assert priced.usage.cost_usd == pytest.approx(20.0)


def test_an_unknown_price_stays_unknown() -> None:
    with serve_messages(says("{}", model="house-model")) as server:
        assert ask(server).usage.cost_usd is None


@pytest.mark.parametrize(
    ("name", "full"),
    [*MODEL_ALIASES.items(), ("claude-opus-4-6", "claude-opus-4-6"), ("house", "house")],
)
def test_aliases_become_full_ids(name: str, full: str) -> None:
    assert resolve_model(name) == full
    with serve_messages(says("{}")) as server:
        ask(server, model=name)
    assert server.requests[0].body["model"] == full


def test_thinking_before_the_answer_is_no_part_of_it() -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": '{"word":'},
        {"type": "text", "text": ' "a"}'},
    ]
    with serve_messages(message(content=content)) as server:
        assert json.loads(ask(server).text) == {"word": "a"}


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(fails(429, retry_after="0.01"), id="rate limit with retry-after"),
        pytest.param(fails(529, retry_after="0.01"), id="overloaded"),
        pytest.param(fails(500, retry_after="0.01"), id="server error"),
        pytest.param(Reply(body=b'{"id": "msg', cut=True), id="cut connection"),
    ],
)
def test_what_passes_is_asked_again(first: Reply) -> None:
    with serve_messages(first, says('{"word": "ok"}')) as server:
        assert ask(server).text == '{"word": "ok"}'
    assert len(server.requests) == 2
    assert server.requests[0].body == server.requests[1].body


def test_a_long_wait_for_a_rate_limit_is_left_to_the_whole_run() -> None:
    with serve_messages(fails(429, retry_after="3600")) as server:
        with pytest.raises(RateLimitedError, match="limit is reached") as caught:
            ask(server)
        assert len(server.requests) == 1
    assert caught.value.retry_after == 3600


@pytest.mark.parametrize("said", ["soon", "Wed, 21 Oct 2026 07:28:00 GMT", "0.01"])
def test_a_rate_limit_that_names_no_seconds_is_tried_a_few_times(said: str) -> None:
    with serve_messages(fails(429, retry_after=said)) as server:
        with pytest.raises(RateLimitedError) as caught:
            ask(server, max_retries=1)
        assert len(server.requests) == 2
    assert caught.value.retry_after is None


def test_what_the_api_asks_for_is_bounded() -> None:
    with serve_messages(fails(529, retry_after="3600")) as server:
        with pytest.raises(CompletionError, match=r"no answer within 0\.3 seconds"):
            ask(server, timeout=0.2, max_pause=0.1)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "asked", "words"),
    [
        pytest.param(fails(400, "max_tokens: too many"), 1, "max_tokens: too many", id="400"),
        pytest.param(fails(401), 1, "check ANTHROPIC_API_KEY", id="401"),
        pytest.param(fails(402), 1, "billing", id="402"),
        pytest.param(fails(403), 1, "workspace", id="403"),
        pytest.param(fails(404), 1, "check --model", id="404"),
        pytest.param(fails(413), 1, "too long", id="413"),
        pytest.param(fails(418), 1, "refused the request", id="a client error of no name"),
        pytest.param(fails(429, retry_after="0.01"), 3, "limit is reached", id="429"),
        pytest.param(fails(529, retry_after="0.01"), 3, "overloaded", id="529"),
        pytest.param(fails(599, retry_after="0.01"), 3, "the API failed", id="599"),
        pytest.param(
            Reply(status=502, body=b"<html>", headers={"retry-after": "0.01"}),
            3,
            "status 502",
            id="a gateway's page",
        ),
    ],
)
def test_a_status_that_stays_is_a_completion_error(reply: Reply, asked: int, words: str) -> None:
    with serve_messages(reply) as server, pytest.raises(CompletionError) as caught:
        ask(server)
    assert len(server.requests) == asked
    assert words in str(caught.value)
    assert "model claude-opus-5-5 at 127.0.0.1" in str(caught.value)
    assert isinstance(caught.value.__cause__, anthropic.APIStatusError)


@pytest.mark.parametrize(
    ("reply", "cost"),
    [
        pytest.param(fails(400), 0.0, id="400"),
        pytest.param(fails(429), 0.0, id="429"),
        pytest.param(fails(529), 0.0, id="529"),
        pytest.param(fails(500), None, id="500: it may have worked before"),
        pytest.param(Reply(body=b'{"id": "msg', cut=True), None, id="a cut connection"),
        pytest.param(Reply(body=b"{not json"), None, id="broken JSON"),
        pytest.param(message(usage=...), None, id="no usage"),
        pytest.param(Reply(stall=True), None, id="no answer in time"),
    ],
)
def test_what_a_failed_question_cost_is_free_only_where_it_was_refused(
    reply: Reply, cost: float | None
) -> None:
    with serve_messages(reply) as server, pytest.raises(UnansweredError) as caught:
        ask(server, timeout=0.5, max_retries=0)
    assert caught.value.completion.usage.cost_usd == cost
    assert (paid_without_reply(caught.value) is None) is (cost == 0.0)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(fails(404), id="no such model"),
        pytest.param(message(content=[]), id="no text"),
        pytest.param(message(stop_reason="refusal"), id="refused"),
    ],
)
def test_a_remedy_names_the_option_of_whoever_was_asked(reply: Reply) -> None:
    with serve_messages(reply) as server:
        for role, flag in (("improver", " --model"), ("judge", " --judge-model")):
            with pytest.raises(CompletionError) as caught:
                ask(server, max_retries=0, role=role)
            assert flag in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(body=b"<html>hello</html>", headers={}), id="a page"),
        pytest.param(Reply(body=b"{not json"), id="broken JSON"),
        pytest.param(Reply(body=b"\xff\xfe\x00"), id="no UTF-8"),
        pytest.param(Reply(body=b""), id="nothing"),
        pytest.param(Reply(body=b"null"), id="null"),
        pytest.param(Reply(body=b"[]"), id="a list"),
        pytest.param(Reply(body=b'"text"'), id="a string"),
        pytest.param(Reply(body=b'{"ok": true}'), id="another API"),
        pytest.param(message(content=...), id="no content"),
        pytest.param(message(content="text"), id="content is a string"),
        pytest.param(message(content=["text"]), id="content of strings"),
        pytest.param(message(content=[{"type": "text"}]), id="a text block without text"),
        pytest.param(message(content=[{"type": "text", "text": None}]), id="a null text"),
        pytest.param(message(content=[{"text": "x"}]), id="a block without a type"),
        pytest.param(message(usage=...), id="no usage"),
        pytest.param(message(usage={}), id="empty usage"),
        pytest.param(message(model=...), id="no model"),
        pytest.param(message(stop_reason=["refusal"]), id="stop reason is a list"),
    ],
)
def test_garbage_is_a_completion_error(reply: Reply) -> None:
    with serve_messages(reply) as server, pytest.raises(CompletionError) as caught:
        ask(server, max_retries=0)
    assert "model claude-opus-5-5" in str(caught.value)


def test_a_block_of_an_unknown_kind_is_passed_over() -> None:
    content = [{"type": "hologram", "data": 1}, {"type": "text", "text": "{}"}]
    with serve_messages(message(content=content)) as server:
        assert ask(server).text == "{}"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param(says("No.", stop_reason="refusal"), "refused to answer", id="refusal"),
        pytest.param(says('{"wo', stop_reason="max_tokens"), "token limit", id="max_tokens"),
        pytest.param(
            says("", stop_reason="model_context_window_exceeded"), "too long", id="context window"
        ),
        pytest.param(says("", stop_reason="tool_use"), "called a tool", id="tool_use"),
        pytest.param(says("", stop_reason="pause_turn"), "paused", id="pause_turn"),
        pytest.param(says(" \n"), "no text", id="blank"),
        pytest.param(message(), "no text", id="no block"),
    ],
)
def test_a_reply_that_is_none_is_an_error_that_keeps_its_cost(reply: Reply, words: str) -> None:
    with serve_messages(reply) as server, pytest.raises(UnusableReplyError) as caught:
        ask(server)
    assert len(server.requests) == 1
    assert words in str(caught.value)
    assert caught.value.completion.usage.cost_usd == pytest.approx(0.006)
    assert caught.value.completion.model == "claude-opus-5-5"


def test_a_stop_reason_that_is_new_hides_no_answer() -> None:
    with serve_messages(says("{}", stop_reason="enlightenment")) as server:
        assert ask(server).text == "{}"


def test_a_hang_ends_with_the_timeout() -> None:
    hang = serve_messages(Reply(stall=True))
    with hang as server, pytest.raises(CompletionError, match="no answer in time"):
        ask(server, timeout=0.2, max_retries=0)


def test_no_server_is_a_completion_error() -> None:
    with serve_messages(says("{}")) as server:
        url = server.url
    with pytest.raises(CompletionError, match="no connection"):
        ask(url, max_retries=0)


def test_half_a_character_is_a_completion_error() -> None:
    script = serve_messages(says("{}"))
    with script as server, pytest.raises(CompletionError, match="no valid JSON text"):
        ask(server, "\ud800")
    assert server.requests == []


def test_the_environment_gives_no_login_and_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-more: of-the-environment")
    with serve_messages(says("{}")) as server:
        ask(server, api_key=None, auth_token="our-token")
        ask(server, api_key=KEY, auth_token="our-token")
    first, second = (request.headers for request in server.requests)
    assert first["authorization"] == "Bearer our-token"
    assert KEY in " ".join(second.values())
    assert "our-token" not in " ".join(second.values())
    assert "environment" not in " ".join([*first.values(), *second.values()])


def test_the_environment_names_no_proxy_and_no_certificates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    with serve_messages(says("{}")) as server:
        assert ask(server, max_retries=0).text == "{}"


def test_nothing_heavy_is_imported_before_the_first_question() -> None:
    code = (
        "import sys, skillwalker.steps.step_6_improve, skillwalker.completers.api as c;"
        "c.AnthropicCompleter(model='opus', api_key='k');"
        "print(sorted({'anthropic', 'httpx2', 'jinja2', 'pydantic'} & set(sys.modules)))"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (child.stdout, child.stderr) == ("[]\n", "")


def test_a_path_in_the_address_is_kept() -> None:
    with serve_messages(says("{}")) as server:
        ask(f"{server.url}/run-7/")
    assert server.requests[0].path == "/run-7/v1/messages"


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_secret_that_a_server_echoes_stays_out_of_the_message(status: int) -> None:
    reply = fails(status, f"bad key {KEY}\x1b[31m\n\tin {'x' * 2000}")
    with serve_messages(reply) as server, pytest.raises(CompletionError) as caught:
        ask(server, max_retries=0)
    text = str(caught.value)
    assert "marker" not in text
    assert "bad key [secret]" in text
    assert text.isprintable()
    assert len(text) < 600


@pytest.mark.parametrize("before", range(295, 325, 3))
def test_no_half_of_a_secret_is_left_where_words_are_cut(before: int) -> None:
    script = serve_messages(fails(401, "x" * before + KEY))
    with script as server, pytest.raises(CompletionError) as caught:
        ask(server)
    assert "sk-ant" not in str(caught.value)


def test_the_login_of_an_address_stays_out_of_the_message() -> None:
    with pytest.raises(CompletionError) as caught:
        ask("http://user:hidden@127.0.0.1:1/?q=hidden", max_retries=0)
    assert "hidden" not in str(caught.value)


def test_a_completer_does_not_show_its_login() -> None:
    completer = AnthropicCompleter(model="opus", api_key=KEY, auth_token="token-marker")
    assert "marker" not in repr(completer)


@pytest.mark.parametrize(
    ("key", "token", "url", "words"),
    [
        pytest.param(None, None, None, "set ANTHROPIC_API_KEY", id="no login"),
        pytest.param("", "", None, "set ANTHROPIC_API_KEY", id="empty login"),
        pytest.param("sk ant", None, None, "ANTHROPIC_API_KEY holds", id="space in the key"),
        pytest.param("sk-ant\n", None, None, "ANTHROPIC_API_KEY holds", id="line break"),
        pytest.param("schlüssel", None, None, "ANTHROPIC_API_KEY holds", id="umlaut"),
        pytest.param(None, "a\tb", None, "ANTHROPIC_AUTH_TOKEN holds", id="tab in the token"),
        pytest.param("k", None, "localhost:8080", "ANTHROPIC_BASE_URL", id="no scheme"),
        pytest.param("k", None, "ftp://host", "ANTHROPIC_BASE_URL", id="ftp"),
        pytest.param("k", None, "http://", "ANTHROPIC_BASE_URL", id="no host"),
        pytest.param("k", None, "http://[::1", "ANTHROPIC_BASE_URL", id="half an address"),
        pytest.param("k", None, "http://host:port", "ANTHROPIC_BASE_URL", id="port of letters"),
        pytest.param("k", None, "http://ho st", "ANTHROPIC_BASE_URL", id="space"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_asked(
    key: str | None, token: str | None, url: str | None, words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        AnthropicCompleter(model="opus", api_key=key, auth_token=token, base_url=url)
    assert not (key and key in str(caught.value))


def sdk_errors() -> tuple[type[Exception], ...]:
    """Every exception class that the SDK has defined once a client is there."""
    assert anthropic.AsyncAnthropic(api_key=KEY).messages is not None
    waiting: list[type[Exception]] = [Exception]
    seen: set[type[Exception]] = set()
    while waiting:
        for child in waiting.pop().__subclasses__():
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    of_sdk = (error for error in seen if error.__module__.partition(".")[0] == "anthropic")
    return tuple(sorted(of_sdk, key=lambda error: error.__qualname__))


NOT_FROM_A_MESSAGE = {
    # Raised by parts that are not used here: tools and stores that the SDK runs, streams.
    "ConfirmDeclinedError",
    "ConfirmFailedError",
    "DisabledMemberError",
    "FileStoreError",
    "InvalidMemberInputError",
    "MissingStreamClassError",
    "SessionMemoryError",
    "TabMissingError",
    "ToolError",
    "URLRefusedError",
    "UnavailableMemberError",
    "UnknownMemberError",
    "UnsupportedMCPValueError",
    "UploadNoRootsError",
    "UploadOutsideRootsError",
    "UploadRefusedError",
    "_NonObjectPayloadError",
}


def made(error: type[Exception]) -> Exception:
    """An instance such as a request of ours would raise."""
    request = httpx2.Request("POST", "http://127.0.0.1/v1/messages")
    if issubclass(error, anthropic.APIStatusError):
        status = getattr(error, "status_code", 500)
        response = httpx2.Response(status, request=request)
        return error("no", response=response, body={"error": {"message": "own words"}})
    if issubclass(error, anthropic.APIConnectionError):
        return error(request=request)
    return error.__new__(error)


def raising(error: Exception, http: httpx2.AsyncClient) -> AnthropicCompleter:
    """A completer whose client raises an error instead of asking."""

    class RaisingCompleter(AnthropicCompleter):
        def _client(self) -> anthropic.AsyncAnthropic:
            async def refuse(_request: object, _call_next: object) -> NoReturn:
                raise error

            return anthropic.AsyncAnthropic(
                api_key=KEY, max_retries=0, middleware=[refuse], http_client=http
            )

    return RaisingCompleter(model="opus", api_key=KEY)


def test_no_error_class_of_the_sdk_is_left_out() -> None:
    errors = [error for error in sdk_errors() if error.__name__ not in NOT_FROM_A_MESSAGE]
    assert len(errors) > 40

    async def run() -> None:
        http = httpx2.AsyncClient()  # never used, and opening one for each error takes seconds
        for error in errors:
            with pytest.raises(CompletionError, match="claude-opus-5-5"):
                await raising(made(error), http).complete("x", schema=SCHEMA)

    anyio.run(run)


def test_every_error_class_is_told_with_what_to_do() -> None:
    for error in sdk_errors():
        words = error.__name__
        if issubclass(error, anthropic.APIStatusError):
            words = f"(status {getattr(error, 'status_code', 500)}: own words)"
        elif issubclass(error, anthropic.APIConnectionError):
            words = "check"
        assert words in explain(made(error))


def test_every_status_has_a_remedy() -> None:
    request = httpx2.Request("POST", "http://127.0.0.1/v1/messages")
    for status in range(400, 600):
        response = httpx2.Response(status, request=request)
        text = explain(anthropic.APIStatusError("no", response=response, body=None))
        assert text.endswith(f"(status {status})")
        assert ";" in text
