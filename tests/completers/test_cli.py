"""Asking through the CLI: what it is told, what is taken of its answer, what its failures mean."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code.command import Access
from skillwalker.claude_code.process_tree import find_marked
from skillwalker.completers.cli import CliCompleter
from skillwalker.completers.protocol import (
    Completer,
    RateLimitedError,
    UnansweredError,
    UnusableReplyError,
    paid_without_reply,
)
from skillwalker.datatypes.improver import Completion
from skillwalker.errors import CompletionError
from skillwalker.prices import Price
from skillwalker.steps.step_6_improve import ANSWER_SCHEMA
from tests.fake_claude import INIT, MODEL, FakeClaude, fake_claude, message, result

KEY = "sk-ant-planted-key"
ANSWER = {"description": "Reviews 変更. <b>", "reason": "because"}


def completer(program: FakeClaude, **changes: object) -> CliCompleter:
    temp = program.folder.parent / "t"
    temp.mkdir(exist_ok=True)
    fields: dict[str, object] = {
        "model": "opus",
        "access": Access(api_key=KEY, base_url="http://127.0.0.1:9"),
        "temp_root": temp,
        "path": "/usr/bin:/bin",
        "claude": program.path,
    }
    build: Callable[..., CliCompleter] = CliCompleter
    return build(**{**fields, **changes})


def ask(asked: Completer, prompt: str = "Improve it.") -> Completion:
    async def complete() -> Completion:
        return await asked.complete(prompt, schema=ANSWER_SCHEMA)

    return anyio.run(complete)


def answering(folder: Path, **fields: object) -> FakeClaude:
    return fake_claude(folder / "fake", INIT, message("text"), result("text", **fields))


def test_the_structured_answer_is_the_text(tmp_path: Path) -> None:
    claude = answering(tmp_path, structured_output=ANSWER)
    completion = ask(completer(claude))
    assert json.loads(completion.text) == ANSWER
    assert completion.model == MODEL


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param(json.dumps(ANSWER), json.dumps(ANSWER), id="an object"),
        pytest.param('Here:\n```json\n{"a": {"b": 1}}\n```', '{"a": {"b": 1}}', id="in a fence"),
        pytest.param("I will not.", "I will not.", id="none: the asker refuses it"),
    ],
)
def test_without_a_structured_answer_the_object_is_taken_from_the_text(
    tmp_path: Path, said: str, text: str
) -> None:
    claude = fake_claude(tmp_path / "fake", INIT, message(said), result(said))
    assert ask(completer(claude)).text == text


def test_tokens_cost_what_the_price_table_says_not_what_the_cli_says(tmp_path: Path) -> None:
    claude = answering(tmp_path, structured_output=ANSWER)
    usage = ask(completer(claude)).usage
    assert (usage.input_tokens, usage.output_tokens) == (1_000, 100)
    assert usage.cost_usd == pytest.approx(0.004 + 0.002)
    prices = {MODEL: Price(input=1_000.0, output=0.0, cache_write=0.0, cache_read=0.0)}
    assert ask(completer(claude, prices=prices)).usage.cost_usd == pytest.approx(1.0)


def test_the_cli_gets_the_prompt_and_nothing_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/planted")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x: planted")
    claude = answering(tmp_path, structured_output=ANSWER)
    prompt = "--help\n変更 " + "x" * 200_000
    ask(completer(claude, extra_env={"HTTPS_PROXY": "http://p:1"}), prompt)
    (asked,) = claude.asked
    assert asked["stdin"] == prompt
    assert "planted" not in json.dumps({**asked["env"], "ANTHROPIC_API_KEY": ""})
    assert (asked["env"]["ANTHROPIC_API_KEY"], asked["env"]["HTTPS_PROXY"]) == (KEY, "http://p:1")
    assert asked["home"] == []
    assert asked["cwd"].startswith(str(tmp_path / "t"))
    argv = asked["argv"]
    assert KEY not in json.dumps(argv)
    for flag, value in (("--model", MODEL), ("--tools", ""), ("--setting-sources", "")):
        assert argv[argv.index(flag) + 1] == value
    assert json.loads(argv[argv.index("--json-schema") + 1]) == dict(ANSWER_SCHEMA)
    assert {"--strict-mcp-config", "--no-session-persistence"} <= set(argv)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    claude = answering(tmp_path, structured_output=ANSWER)
    ask(completer(claude))
    (asked,) = claude.asked
    assert list((tmp_path / "t").iterdir()) == []
    assert not find_marked(f"HOME={asked['env']['HOME']}")


def test_a_cli_without_schemas_is_told_the_form_in_the_prompt(tmp_path: Path) -> None:
    extra = (
        'if "--json-schema" in asked["argv"]:\n'
        "    sys.exit(\"error: unknown option '--json-schema'\")"
    )
    said = json.dumps(ANSWER)
    claude = fake_claude(tmp_path / "fake", INIT, message(said), result(said), extra=extra)
    assert json.loads(ask(completer(claude)).text) == ANSWER
    first, second = claude.asked
    assert first["stdin"] == "Improve it."
    assert json.dumps(dict(ANSWER_SCHEMA), ensure_ascii=False) in second["stdin"]


FAILED = {"is_error": True, "terminal_reason": "api_error"}
ASKING = {"type": "system", "subtype": "status", "status": "requesting"}
FAILURES = [
    pytest.param(
        [INIT, result(f"bad key {KEY}", api_error_status=401, **FAILED)],
        "setup-token",
        id="401",
    ),
    pytest.param([INIT, result("over", api_error_status=529, **FAILED)], "overloaded", id="529"),
    pytest.param([INIT, result("x", api_error_status=429, **FAILED)], "spend limit", id="429"),
    pytest.param([INIT, result("x", api_error_status=404, **FAILED)], "check --model", id="404"),
    pytest.param([INIT, result("odd", api_error_status=400, **FAILED)], "odd", id="its own words"),
    pytest.param(
        [INIT, message("so far"), result("over", api_error_status=529, **FAILED)],
        "overloaded",
        id="529 after an answer",
    ),
    pytest.param([INIT], "without a result", id="no result"),
    pytest.param([], "without a result", id="no word at all"),
]


@pytest.mark.parametrize(("stream", "words"), FAILURES)
def test_a_failure_says_what_it_means_and_no_secret(
    tmp_path: Path, stream: list[object], words: str
) -> None:
    claude = fake_claude(tmp_path / "fake", *stream)
    with pytest.raises(CompletionError) as failed:
        ask(completer(claude))
    said = str(failed.value)
    assert words in said
    assert said.startswith(f"improver cli, model {MODEL}: ")
    assert KEY not in said
    assert "\n" not in said
    assert isinstance(failed.value, RateLimitedError) is ("spend limit" in words)


@pytest.mark.parametrize(
    ("stream", "cost"),
    [
        pytest.param(
            [INIT, message("so far"), result("x", api_error_status=429, **FAILED)],
            0.006,
            id="a rate limit after a turn",
        ),
        pytest.param(
            [INIT, message("so far"), result("x", api_error_status=529, **FAILED)],
            0.006,
            id="overload after a turn",
        ),
        pytest.param([INIT, message("so far")], 0.006, id="the end after a turn"),
        pytest.param([INIT, result("x", api_error_status=429, **FAILED)], 0.0, id="429 at once"),
        pytest.param([INIT, result("x", api_error_status=401, **FAILED)], 0.0, id="401 at once"),
        pytest.param(
            [INIT, ASKING, result("x", api_error_status=500, **FAILED)], None, id="500 at once"
        ),
    ],
)
def test_a_failure_says_what_the_turns_before_it_used(
    tmp_path: Path, stream: list[object], cost: float | None
) -> None:
    claude = fake_claude(tmp_path / "fake", *stream)
    with pytest.raises(UnansweredError) as failed:
        ask(completer(claude))
    used = failed.value.completion
    assert used.model == MODEL
    assert used.usage.cost_usd == (None if cost is None else pytest.approx(cost))
    assert (paid_without_reply(failed.value) is None) is (cost == 0.0)


def test_a_price_that_is_not_known_is_no_free_turn(tmp_path: Path) -> None:
    stream = [INIT, message("so far"), result("x", api_error_status=429, **FAILED)]
    text = json.dumps(stream).replace(MODEL, "claude-unheard-of-1")
    claude = fake_claude(tmp_path / "fake", *json.loads(text))
    with pytest.raises(RateLimitedError) as failed:
        ask(completer(claude))
    assert failed.value.completion.usage.cost_usd is None
    assert paid_without_reply(failed.value) is not None


def test_a_remedy_names_the_option_of_whoever_was_asked(tmp_path: Path) -> None:
    claude = fake_claude(tmp_path / "fake", INIT, result("x", api_error_status=404, **FAILED))
    with pytest.raises(CompletionError, match="check --judge-model"):
        ask(replace(completer(claude), role="judge"))


def test_a_long_wait_for_a_rate_limit_is_not_sat_through(tmp_path: Path) -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": 3_600_000,
        "error_status": 429,
    }
    extra = f"print(json.dumps({retry!r}), flush=True); import time; time.sleep(600)"
    claude = fake_claude(tmp_path / "fake", extra=extra)
    with pytest.raises(RateLimitedError) as caught:
        ask(completer(claude))
    assert caught.value.retry_after == 3600


@pytest.mark.parametrize(
    ("last", "words"),
    [
        pytest.param(result(""), "no text", id="an empty reply"),
        pytest.param(
            result("", subtype="error_max_turns", is_error=True), "within 4 turns", id="turns"
        ),
    ],
)
def test_a_reply_that_cannot_be_read_was_paid_for(
    tmp_path: Path, last: dict[str, object], words: str
) -> None:
    claude = fake_claude(tmp_path / "fake", INIT, message(""), last)
    with pytest.raises(UnusableReplyError, match=words) as refused:
        ask(completer(claude))
    assert refused.value.completion.usage.input_tokens == 1_000


def test_a_cli_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    extra = (
        f"print({json.dumps(json.dumps(message('so far')))}, flush=True)\n"
        "import subprocess, time\nsubprocess.Popen(['sleep', '600'])\ntime.sleep(600)"
    )
    claude = fake_claude(tmp_path / "fake", INIT, extra=extra)
    with pytest.raises(CompletionError, match=r"no answer within 2\.5 seconds"):
        ask(completer(claude, timeout=2.5))
    assert not find_marked(f"HOME={claude.asked[0]['env']['HOME']}")
    assert list((tmp_path / "t").iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"access": Access()}, "no login", id="no login"),
        pytest.param({"claude": "no-such-claude"}, "was not found", id="no CLI"),
        pytest.param({"claude": "/usr"}, "is a folder", id="a folder"),
        pytest.param({"temp_root": Path("/proc/none")}, "TMPDIR", id="no place"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    claude = answering(tmp_path, structured_output=ANSWER)
    with pytest.raises(CompletionError, match=words):
        ask(completer(claude, **changes))


def test_a_program_that_is_none_is_named(tmp_path: Path) -> None:
    claude = answering(tmp_path)
    Path(claude.path).write_text("#!/no/such/interpreter\n")
    with pytest.raises(CompletionError, match="cannot be started"):
        ask(completer(claude))
