"""The key proxy: what passes, with which login, and what does not."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from skillwalker.claude_code.command import Access
from skillwalker.engines.key_proxy import GATEWAY, MAX_BODY, KeyProxy, serve_key_proxy
from skillwalker.errors import EngineUnavailableError
from skillwalker.standin.behaviour import scripted
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply, Say
from skillwalker.standin.server import Standin, serve

KEY = "sk-ant-marker-key"
STREAMED = {"model": "m", "stream": True, "messages": []}


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a unix socket, as a sandbox dials it."""

    def __init__(self, path: Path) -> None:
        super().__init__("sandbox", timeout=10)
        self.path = path

    def connect(self) -> None:
        """Dial the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(str(self.path))


@dataclass(frozen=True, slots=True)
class Place:
    """A proxy in front of a stand-in."""

    standin: Standin
    proxy: KeyProxy
    socket_path: Path

    @property
    def host(self) -> str:
        """The host that a sandbox names."""
        return (self.proxy.access.base_url or "").removeprefix("http://").partition("/")[0]

    @property
    def placeholder(self) -> str:
        """What a sandbox holds in place of the key."""
        return self.proxy.access.api_key or ""

    @contextmanager
    def ask(
        self,
        path: str = "/v1/messages",
        *,
        method: str = "POST",
        body: object = None,
        **headers: str,
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request with a good login, unless a header says otherwise; "" leaves one out."""
        connection = SocketConnection(self.socket_path)
        given = {"host": self.host, "x_api_key": self.placeholder, **headers}
        sent = {name.replace("_", "-"): value for name, value in given.items() if value}
        data = json.dumps({"model": "m", "messages": []} if body is None else body)
        try:
            # Another method is refused by its name; a body could meet a closed connection.
            connection.request(method, path, body=data if method == "POST" else None, headers=sent)
            yield connection.getresponse()
        finally:
            connection.close()


@contextmanager
def placed(
    folder: Path, *replies: Reply, access: Access | None = None, prefix: str = ""
) -> Iterator[Place]:
    answers = scripted(replies or (Reply(blocks=(Say("hello"),)),))
    with serve(answers) as standin:
        real = access or Access(api_key=KEY)
        asked = Access(
            api_key=real.api_key,
            auth_token=real.auth_token,
            oauth_token=real.oauth_token,
            base_url=standin.url + prefix,
        )
        path = folder / "api.sock"
        with serve_key_proxy(asked, socket_path=path) as proxy:
            yield Place(standin, proxy, path)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with placed(tmp_path) as made:
        yield made


def test_the_api_gets_the_key_and_the_sandbox_the_answer(place: Place) -> None:
    with place.ask("/v1/messages?beta=true", anthropic_beta="a,b") as response:
        answer = json.loads(response.read())
    assert (response.status, answer["content"][0]["text"]) == (200, "hello")
    assert response.getheader("Server") == "skillwalker-standin"
    (asked,) = place.standin.requests
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-beta"] == "a,b"
    assert place.placeholder not in json.dumps(asked.headers)


def test_each_header_goes_on_once_and_no_placeholder_does(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as api:
        host = f"127.0.0.1:{api.getsockname()[1]}"
        access = Access(api_key=KEY, base_url=f"http://{host}")
        path = tmp_path / "s"
        with serve_key_proxy(access, socket_path=path) as proxy:
            connection = SocketConnection(path)
            headers = {
                "host": host,
                "X-Api-Key": proxy.access.api_key or "",
                "connection": "keep-alive",
                "te": "trailers",
            }
            connection.request("POST", "/v1/messages", body="{}", headers=headers)
            with api.accept()[0] as asked:
                got = b""
                while not got.endswith(b"{}"):
                    got += asked.recv(10_000)
            with pytest.raises(http.client.RemoteDisconnected):
                connection.getresponse()
            connection.close()
    head = got.lower().decode().split("\r\n")
    assert [
        line for line in head if line.startswith(("x-api-key", "host", "te", "connection"))
    ] == [
        f"host: {host}",
        f"x-api-key: {KEY}",
    ]
    assert "sandbox-" not in got.decode()


@pytest.mark.parametrize(
    ("access", "field"),
    [
        pytest.param(Access(auth_token="a-token"), "auth_token", id="auth token"),
        pytest.param(Access(oauth_token="a-token"), "oauth_token", id="subscription"),
    ],
)
def test_a_token_goes_as_a_bearer(tmp_path: Path, access: Access, field: str) -> None:
    with placed(tmp_path, access=access) as place:
        given = f"Bearer {getattr(place.proxy.access, field)}"
        with place.ask(x_api_key="", authorization=given) as response:
            assert response.status == 200
    (asked,) = place.standin.requests
    assert asked.headers["authorization"] == "Bearer a-token"
    assert "x-api-key" not in asked.headers


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"x_api_key": ""}, id="no login"),
        pytest.param({"x_api_key": "sandbox-0"}, id="wrong placeholder"),
        pytest.param({"x_api_key": KEY}, id="the real key"),
        pytest.param({"authorization": "Bearer mine"}, id="a login of its own beside ours"),
    ],
)
def test_only_the_placeholder_opens_it(place: Place, headers: dict[str, str]) -> None:
    with place.ask(**headers) as response:
        assert (response.status, b"authentication_error" in response.read()) == (401, True)
    assert not place.standin.requests


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        pytest.param("POST", "/v1/messages/batches", "", 404, id="another path"),
        pytest.param("POST", "/v1/files", "", 404, id="files"),
        pytest.param("POST", "/v1/messages/../models", "", 404, id="a path that climbs"),
        pytest.param("POST", "//elsewhere/v1/messages", "", 404, id="two slashes"),
        pytest.param("POST", "http://elsewhere/v1/messages", "", 404, id="a whole address"),
        pytest.param("POST", "/v1/messages", "elsewhere", 404, id="another host"),
        pytest.param("GET", "/v1/messages", "", 501, id="GET"),
        pytest.param("CONNECT", "/v1/messages", "", 501, id="CONNECT"),
    ],
)
def test_only_the_messages_api_is_reached(
    place: Place, method: str, path: str, host: str, status: int
) -> None:
    with place.ask(path, method=method, host=host or place.host) as response:
        assert response.status == status
    assert not place.standin.requests


def test_tokens_can_be_counted(place: Place) -> None:
    with place.ask("/v1/messages/count_tokens") as response:
        assert json.loads(response.read())["input_tokens"] > 0


def test_the_endpoint_keeps_its_host_and_path(tmp_path: Path) -> None:
    with placed(tmp_path, prefix="/gate/way/") as place:
        inner = (place.proxy.access.base_url or "").rstrip("/")
        assert inner == f"{place.standin.url}/gate/way"
        with place.ask("/v1/messages") as refused, place.ask("/gate/way/v1/messages") as passed:
            assert (refused.status, passed.status) == (404, 200)
    assert [asked.prefix for asked in place.standin.requests] == ["gate/way"]


def test_a_public_address_is_asked_in_the_clear_by_name(tmp_path: Path) -> None:
    with serve_key_proxy(Access(api_key=KEY), socket_path=tmp_path / "s") as proxy:
        assert proxy.access.base_url == "http://api.anthropic.com"


def test_every_run_has_placeholders_of_its_own(tmp_path: Path) -> None:
    access = Access(api_key=KEY, oauth_token="t")
    seen = set()
    for _ in range(2):
        with serve_key_proxy(access, socket_path=tmp_path / "s") as proxy:
            seen |= {proxy.access.api_key, proxy.access.oauth_token, proxy.access.auth_token}
    assert len(seen) == 5
    assert not seen & {KEY, "t"}


def test_events_pass_while_the_api_is_still_at_work(tmp_path: Path) -> None:
    stalled = Reply(blocks=(Say("so far"),), fault=InjectedFault(kind=FaultKind.STALL, after=3))
    with placed(tmp_path, stalled) as place, place.ask(body=STREAMED) as response:
        got = b""
        while b"content_block_delta" not in got:
            got += response.read1(1000)
        assert b"message_stop" not in got


def test_a_cut_stream_arrives_cut(tmp_path: Path) -> None:
    cut = Reply(blocks=(Say("so far"),), fault=InjectedFault(kind=FaultKind.CUT, after=3))
    with (
        placed(tmp_path, cut) as place,
        place.ask(body=STREAMED) as response,
        pytest.raises(http.client.IncompleteRead),
    ):
        response.read()
    assert len(place.proxy.faults) == 1


def test_a_refusal_passes_with_its_headers(tmp_path: Path) -> None:
    fault = InjectedFault(kind=FaultKind.STATUS, status=429, retry_after=7)
    with placed(tmp_path, Reply(fault=fault)) as place, place.ask() as response:
        assert (response.status, response.getheader("retry-after")) == (429, "7")


def test_an_api_that_is_not_there_ends_the_connection_and_says_why(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    gone = Access(api_key=KEY, base_url=f"http://127.0.0.1:{port}")
    path = tmp_path / "s"
    with serve_key_proxy(gone, socket_path=path) as proxy:
        connection = SocketConnection(path)
        headers = {"host": f"127.0.0.1:{port}", "x-api-key": proxy.access.api_key or ""}
        connection.request("POST", "/v1/messages", body="{}", headers=headers)
        with pytest.raises(http.client.RemoteDisconnected):
            connection.getresponse()
        connection.close()
        assert "refused" in proxy.faults[-1]


def test_an_answer_that_is_shorter_than_it_says_arrives_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as api:
        host = f"127.0.0.1:{api.getsockname()[1]}"
        access, path = Access(api_key=KEY, base_url=f"http://{host}"), tmp_path / "s"
        with serve_key_proxy(access, socket_path=path) as proxy:
            connection = SocketConnection(path)
            headers = {"host": host, "x-api-key": proxy.access.api_key or ""}
            connection.request("POST", "/v1/messages", body="{}", headers=headers)
            with api.accept()[0] as asked:
                asked.recv(10_000)
                asked.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            with pytest.raises(http.client.IncompleteRead):
                connection.getresponse().read()
            connection.close()
            assert len(proxy.faults) == 1


def test_closing_ends_the_requests_under_way(tmp_path: Path) -> None:
    stalled = Reply(blocks=(Say("so far"),), fault=InjectedFault(kind=FaultKind.STALL, after=3))
    path = tmp_path / "s"
    with serve(scripted((stalled,))) as standin:
        access = Access(api_key=KEY, base_url=standin.url)
        with serve_key_proxy(access, socket_path=path) as proxy:
            connection = SocketConnection(path)
            host = standin.url.removeprefix("http://")
            headers = {"host": host, "x-api-key": proxy.access.api_key or ""}
            connection.request("POST", "/v1/messages", body=json.dumps(STREAMED), headers=headers)
            response = connection.getresponse()
            assert response.read1(10)
        assert not path.exists()
        with pytest.raises(http.client.IncompleteRead):
            response.read()
        connection.close()


@pytest.mark.parametrize(
    "length",
    [pytest.param("", id="none"), pytest.param(str(MAX_BODY + 1), id="huge")],
)
def test_a_body_of_no_or_too_great_a_length_is_refused(place: Place, length: str) -> None:
    connection = SocketConnection(place.socket_path)
    connection.putrequest("POST", "/v1/messages", skip_host=True)
    if length:
        connection.putheader("Content-Length", length)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_long_path_to_the_socket_does_not_matter(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    with placed(deep) as place:
        assert place.socket_path.is_socket()
        assert place.socket_path.stat().st_mode & 0o777 == 0o666
    assert not place.socket_path.exists()


def test_a_port_serves_where_no_socket_can_be_passed_on() -> None:
    with serve(scripted((Reply(blocks=(Say("hello"),)),))) as standin:
        access = Access(api_key=KEY, base_url=f"{standin.url}/p")
        with serve_key_proxy(access, socket_path=None) as proxy:
            inner = proxy.access.base_url or ""
            name, _, rest = inner.removeprefix("http://").partition(":")
            port, _, path = rest.partition("/")
            assert (name, path) == (GATEWAY, "p")
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=10)
            headers = {"host": f"{name}:{port}", "x-api-key": proxy.access.api_key or ""}
            connection.request("POST", "/p/v1/messages", body="{}", headers=headers)
            assert connection.getresponse().status == 200
            connection.close()
    assert standin.requests[0].headers["x-api-key"] == KEY


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://x:port", "nonsense"])
def test_an_endpoint_that_is_none_is_refused_by_its_name(tmp_path: Path, url: str) -> None:
    access = Access(api_key=KEY, base_url=url)
    with (
        pytest.raises(EngineUnavailableError, match="ANTHROPIC_BASE_URL"),
        serve_key_proxy(access, socket_path=tmp_path / "s"),
    ):
        pass


def test_a_socket_that_cannot_be_made_is_said_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "s"
    with (
        pytest.raises(EngineUnavailableError, match=r"absent/s: cannot listen.*TMPDIR"),
        serve_key_proxy(Access(api_key=KEY), socket_path=path),
    ):
        pass
