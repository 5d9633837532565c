"""A real HTTP server on loopback that answers the Messages API from a script."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON_HEADERS = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_HEADERS)
    cut: bool = False
    """Close the connection in the middle of the body."""
    stall: bool = False
    """Answer nothing until the server is closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, object]

    @property
    def prompt(self) -> str:
        """The text of the only message."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        (message,) = messages
        assert isinstance(message["content"], str)
        return message["content"]


def says(
    text: str, *, model: str = "claude-opus-5-5", stop_reason: str | None = "end_turn"
) -> Reply:
    """A message with that text, 1,000 tokens read and 100 written."""
    return message(content=[{"type": "text", "text": text}], model=model, stop_reason=stop_reason)


def message(**fields: object) -> Reply:
    """A message of the API, with some fields as given; a field that is `...` is left out."""
    whole = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 100},
    } | fields
    kept = {name: value for name, value in whole.items() if value is not ...}
    return Reply(body=json.dumps(kept).encode())


def fails(status: int, words: str = "on purpose", **headers: str) -> Reply:
    """An error of the API; an underscore in a header's name stands for a dash."""
    body = {"type": "error", "error": {"type": "some_error", "message": words}}
    return Reply(
        status=status,
        body=json.dumps(body).encode(),
        headers=JSON_HEADERS | {name.replace("_", "-"): value for name, value in headers.items()},
    )


@dataclass(slots=True)
class MessagesServer:
    """The server's address, its script, and what it was asked."""

    url: str
    replies: tuple[Reply, ...]
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def next_reply(self, request: Request) -> Reply:
        """Take the next reply; the last one is repeated."""
        self.requests.append(request)
        return self.replies[min(len(self.requests), len(self.replies)) - 1]


@contextmanager
def serve_messages(*replies: Reply) -> Iterator[MessagesServer]:
    """Serve a script for the length of a block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.daemon_threads = True
    served = MessagesServer(f"http://127.0.0.1:{server.server_address[1]}", replies)
    server.RequestHandlerClass = _handler(served)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(served: MessagesServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            request = Request(
                path=self.path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=json.loads(self.rfile.read(length)),
            )
            reply = served.next_reply(request)
            if reply.stall:
                served.closing.wait()
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
            self.close_connection = reply.cut

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
            """Keep the test's output clean."""

    return Handler
