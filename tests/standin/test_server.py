"""The stand-in over real HTTP: answers, streams and every way of going wrong."""

import http.client
import json
import threading
import time
from collections.abc import Callable
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from skillwalker.standin.behaviour import scripted, with_faults
from skillwalker.standin.fault_words import parse_faults
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply, Say, Use
from skillwalker.standin.server import is_standin, serve

REPLY = Reply(blocks=(Say("héllo wörld"), Use("Skill", {"skill": "demo:alpha"})), output_tokens=7)
ANSWER = scripted([REPLY])


def ask(
    url: str,
    *,
    path: str = "/v1/messages?beta=true",
    method: str = "POST",
    body: object = None,
    **fields: object,
) -> tuple[int, dict[str, str], bytes]:
    """Send one request; a connection that is cut gives what came before."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    sent = json.dumps({"model": "claude-x", "messages": [], **fields} if body is None else body)
    with closing(connection):
        connection.request(method, parts.path + path, sent, {"x-api-key": "k"})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        try:
            return answer.status, headers, answer.read()
        except http.client.IncompleteRead as error:
            return answer.status, headers, error.partial


def events(stream: bytes) -> list[dict[str, object]]:
    data = [line.removeprefix(b"data: ") for line in stream.splitlines() if b"data: " in line]
    return [json.loads(line) for line in data]


def test_a_message_is_answered_whole() -> None:
    with serve(ANSWER) as standin:
        status, headers, body = ask(standin.url)
    message = json.loads(body)
    assert (status, headers["server"]) == (200, "skillwalker-standin")
    assert (message["model"], message["stop_reason"]) == ("claude-x", "tool_use")
    assert [block["type"] for block in message["content"]] == ["text", "tool_use"]
    assert message["usage"]["output_tokens"] == 7


def test_a_stream_builds_the_same_message() -> None:
    with serve(ANSWER) as standin:
        status, _, stream = ask(standin.url, stream=True)
    seen = events(stream)
    assert status == 200
    assert [str(event["type"]) for event in seen[:2]] == ["message_start", "content_block_start"]
    assert seen[-1]["type"] == "message_stop"
    deltas = [event["delta"] for event in seen if event["type"] == "content_block_delta"]
    text = "".join(delta["text"] for delta in deltas if isinstance(delta, dict) and "text" in delta)
    given = "".join(
        delta["partial_json"]
        for delta in deltas
        if isinstance(delta, dict) and "partial_json" in delta
    )
    assert (text, json.loads(given)) == ("héllo wörld", {"skill": "demo:alpha"})


def test_the_other_requests_of_the_cli_are_answered() -> None:
    with serve(ANSWER) as standin:
        assert ask(standin.url, method="HEAD", path="/")[0] == 200
        assert ask(standin.url, method="GET", path="/v1/models")[0] == 200
        status, _, body = ask(standin.url, path="/v1/messages/count_tokens")
        assert (status, json.loads(body)["input_tokens"] > 0) == (200, True)
        assert ask(standin.url, path="/v1/other")[0] == 404
        assert ask(standin.url, body=[1])[0] == 404
        assert not standin.requests


def test_requests_are_recorded_by_their_path_and_number() -> None:
    with serve(ANSWER, keep=3) as standin:
        for prefix in ("", "/a/b", "/a/b", "/a/b"):
            ask(standin.url + prefix)
        seen = [(asked.prefix, asked.number) for asked in standin.requests]
    assert seen == [("a/b", 1), ("a/b", 2), ("a/b", 3)]
    assert standin.requests[-1].headers["x-api-key"] == "k"


def test_a_script_and_faults_go_by_each_prefix_alone() -> None:
    script = scripted([Reply(blocks=(Say("first"),)), Reply(blocks=(Say("then"),))])
    behaviour = with_faults(script, parse_faults("529,429:3,ok"))
    with serve(behaviour) as standin:
        for prefix in ("/a", "/b"):
            first, second, third = (ask(standin.url + prefix) for _ in range(3))
            assert (first[0], second[0], third[0]) == (529, 429, 200)
            assert json.loads(first[2])["error"]["type"] == "overloaded_error"
            assert second[1]["retry-after"] == "3"
            assert json.loads(third[2])["content"][0]["text"] == "then"


def test_a_base_url_can_ask_for_faults() -> None:
    with serve(with_faults(ANSWER)) as standin:
        assert ask(standin.url)[0] == 200
        answers = [ask(f"{standin.url}/faults=401*2,ok/x")[0] for _ in range(4)]
    assert answers == [401, 401, 200, 200]


def broken(kind: FaultKind, **given: object) -> bytes:
    build: Callable[..., InjectedFault] = InjectedFault
    fault = build(kind=kind, pause=0.01, **given)
    with serve(with_faults(ANSWER, [fault])) as standin:
        return ask(standin.url, stream=True)[2]


def test_a_stream_can_be_cut() -> None:
    assert len(events(broken(FaultKind.CUT, after=3))) == 3


def test_a_stream_can_hold_garbage_or_an_error() -> None:
    assert b"{not json" in broken(FaultKind.MALFORMED)
    kinds = [event["type"] for event in events(broken(FaultKind.ERROR_EVENT))]
    assert "error" in kinds
    assert kinds[-1] == "message_stop"


@pytest.mark.parametrize("kind", [FaultKind.SILENT, FaultKind.STALL])
def test_a_stall_ends_when_the_stand_in_does(kind: FaultKind) -> None:
    reached = threading.Event()

    def behaviour(_asked: object) -> Reply:
        reached.set()
        return Reply(blocks=(Say("x"),), fault=InjectedFault(kind=kind))

    outcome: list[object] = []

    def client(url: str) -> None:
        try:
            outcome.append(ask(url, stream=True)[2])
        except (http.client.HTTPException, OSError) as error:
            outcome.append(error)

    began = time.monotonic()
    with serve(behaviour) as standin:
        thread = threading.Thread(target=client, args=(standin.url,))
        thread.start()
        assert reached.wait(5)
    thread.join(5)
    assert not thread.is_alive()
    assert time.monotonic() - began < 5
    assert len(outcome) == 1


def test_a_short_silence_only_delays() -> None:
    fault = InjectedFault(kind=FaultKind.SILENT, seconds=0.05)
    with serve(with_faults(ANSWER, [fault])) as standin:
        assert ask(standin.url)[0] == 200


def test_a_client_that_goes_away_harms_nobody() -> None:
    slow = Reply(blocks=(Say("x" * 5_000_000),))
    with serve(scripted([slow])) as standin:
        parts = urlsplit(standin.url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=10)
        connection.request("POST", "/v1/messages", json.dumps({"stream": True}))
        connection.close()
        assert ask(standin.url)[0] == 200


def test_a_stand_in_is_recognised() -> None:
    with serve(ANSWER) as standin:
        assert is_standin(standin.url)
        assert is_standin(f"{standin.url}/some/prefix")
    assert not is_standin(standin.url, timeout=0.5)
    assert not is_standin("")
    assert not is_standin("file:///etc/passwd")


WAYS_TO_WRITE = {
    "with a login": "http://user:p%40ss@{place}",
    "with half a login": "http://user@{place}/prefix",
    "with a scheme in capitals": "HTTP://{place}",
    "with space around it": " http://{place}/ ",
}


@pytest.mark.parametrize("form", WAYS_TO_WRITE.values(), ids=WAYS_TO_WRITE.keys())
def test_a_stand_in_is_recognised_however_its_address_is_written(form: str) -> None:
    with serve(ANSWER) as standin:
        assert is_standin(form.format(place=urlsplit(standin.url).netloc))


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_in_the_environment_hides_no_stand_in(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serve(ANSWER) as standin:
        assert is_standin(standin.url)


@pytest.mark.parametrize(
    "url", ["http://", "http://a:b", "http://[", "http://h\u00a0st/", "http://a b/"]
)
def test_an_address_that_cannot_be_asked_is_no_stand_in(url: str) -> None:
    assert not is_standin(url, timeout=0.5)


def test_a_port_in_use_is_an_os_error() -> None:
    with serve(ANSWER) as standin:
        port = urlsplit(standin.url).port or 0
        with pytest.raises(OSError, match="in use"), serve(ANSWER, port=port):
            pass
