"""The stand-in's HTTP side: one thread a connection, requests recorded, faults on demand."""

import http.client
import json
import socket
import sys
import threading
import urllib.error
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from skillwalker.claude_code.endpoint import split_endpoint
from skillwalker.errors import ConfigError
from skillwalker.standin.replies import (
    FaultKind,
    InjectedFault,
    Reply,
    error_body,
    event_bytes,
    message_body,
    stream_events,
)

SERVER_NAME = "skillwalker-standin"
"""The Server header of every answer, by which a stand-in is recognised."""

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRequest:
    """One request for a message."""

    prefix: str
    """What stands in the path before `/v1/messages`: it tells parallel runs apart."""
    number: int
    """Which message request of this prefix it is, from 1."""
    headers: dict[str, str]
    """Header names in lower case."""
    body: dict[str, object]
    raw: bytes = field(repr=False)


Behaviour = Callable[[MessageRequest], Reply]
Requests = deque[MessageRequest]
"""Answers a request; called from several threads at once."""


@dataclass(slots=True)
class Standin:
    """A running stand-in."""

    url: str
    requests: Requests
    """The newest requests, oldest first."""


@contextmanager
def serve(
    behaviour: Behaviour, *, port: int = 0, host: str = "127.0.0.1", keep: int = 1000
) -> Iterator[Standin]:
    """Serve the Messages API until the block ends.

    Args:
        behaviour: answers each request.
        port: 0 takes a free one.
        host: the address to listen on; loopback unless something else is meant.
        keep: how many requests are remembered.

    Raises:
        OSError: the port is taken.
    """
    requests: Requests = deque(maxlen=keep)
    server = _Server((host, port), behaviour, requests)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Standin(f"http://{host}:{server.server_address[1]}", requests)
    finally:
        server.stop()
        thread.join()


def is_standin(url: str, *, timeout: float = 2.0) -> bool:
    """Ask whether a stand-in answers at a base URL; no answer is no stand-in."""
    address = split_endpoint(url)
    if address is None:
        return False
    # An opener of its own: urllib's default one would ask a proxy that the environment names.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        request = urllib.request.Request(address.geturl(), method="HEAD")  # noqa: S310 (the scheme is checked)
        with opener.open(request, timeout=timeout) as answer:
            return bool(answer.headers.get("Server") == SERVER_NAME)
    except urllib.error.HTTPError as error:
        with error:
            return bool(error.headers.get("Server") == SERVER_NAME)
    except (OSError, ValueError, http.client.HTTPException):
        return False


class _Server(ThreadingHTTPServer):
    """Knows its open connections, so that stopping waits for no client and no stall."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], behaviour: Behaviour, requests: Requests) -> None:
        super().__init__(address, _Handler)
        self.behaviour = behaviour
        self.requests = requests
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._total = 0
        self._open: set[socket.socket] = set()

    def number(self, prefix: str) -> tuple[int, int]:
        """Count a request: its number within the prefix and over all."""
        with self._lock:
            self._counts[prefix] += 1
            self._total += 1
            return self._counts[prefix], self._total

    def process_request(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]  # TCP only
        """Remember the connection while its thread runs."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:  # type: ignore[override]  # TCP only
        """Forget the connection and close it."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]  # TCP only
        """Take a client that went away as what it is: the end of a trial."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """End every answer and every connection, and wait for the threads."""
        self.closing.set()
        self.shutdown()
        with self._lock:
            connections = tuple(self._open)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the client closed it first
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 600

    def version_string(self) -> str:
        return SERVER_NAME

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it)
        """Stay silent: the requests are recorded."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._send(200, b'{"data":[],"has_more":false}')

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        prefix, found, rest = path.partition("/v1/messages")
        body = _json_object(raw)
        if not found or body is None:
            self._send(
                404, error_body(InjectedFault(kind=FaultKind.STATUS, status=404, message=path))
            )
        elif rest == "/count_tokens":
            self._send(200, json.dumps({"input_tokens": _tokens(raw)}).encode())
        else:
            self._answer(prefix.strip("/"), body, raw)

    def _answer(self, prefix: str, body: dict[str, object], raw: bytes) -> None:
        number, total = self.server.number(prefix)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = MessageRequest(prefix=prefix, number=number, headers=headers, body=body, raw=raw)
        self.server.requests.append(asked)
        try:
            reply = self.server.behaviour(asked)
        except ConfigError as error:  # the base URL asks for a fault that there is not
            self._refuse(InjectedFault(kind=FaultKind.STATUS, status=400, message=str(error)))
            return
        fault = reply.fault
        silence = fault.seconds if fault and fault.kind is FaultKind.SILENT else 0.0
        if self._waits(reply.delay + silence):
            return
        if fault and fault.kind is FaultKind.STATUS:
            self._refuse(fault)
        elif body.get("stream"):
            self._stream(reply, total, str(body.get("model")), _tokens(raw))
        else:
            model = str(body.get("model"))
            whole = message_body(reply, number=total, model=model, input_tokens=_tokens(raw))
            self._send(200, whole)

    def _refuse(self, fault: InjectedFault) -> None:
        extra = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
        self._send(fault.status, error_body(fault), extra)

    def _stream(self, reply: Reply, number: int, model: str, tokens: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("request-id", f"req_standin_{number:06d}")
        self.end_headers()
        events = stream_events(reply, number=number, model=model, input_tokens=tokens)
        for at, (name, data) in enumerate(events):
            if reply.fault and at == reply.fault.after:
                self._go_wrong(reply.fault)
                if self.close_connection:
                    return
            self._chunk(event_bytes(name, data))
        self._chunk(b"")

    def _go_wrong(self, fault: InjectedFault) -> None:
        """Do in the middle of a stream what the fault asks for."""
        match fault.kind:
            case FaultKind.CUT:
                # A client that sees the end together with the events before it drops them too.
                self._waits(fault.pause)
                self._cut()
            case FaultKind.STALL:
                self._waits(fault.seconds)
                self._cut()
            case FaultKind.MALFORMED:
                self._chunk(b"event: content_block_delta\ndata: {not json\n\n")
            case FaultKind.ERROR_EVENT:
                self._chunk(event_bytes("error", json.loads(error_body(fault))))
            case FaultKind.STATUS | FaultKind.SILENT:
                return

    def _cut(self) -> None:
        """Close the connection without the end that the protocol asks for."""
        self.wfile.flush()
        self.close_connection = True

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _waits(self, seconds: float) -> bool:
        """Wait as asked; True when the stand-in is closing and nothing is to be sent."""
        closing = seconds > 0 and self.server.closing.wait(seconds)
        if closing:
            self.close_connection = True
        return closing


def _json_object(raw: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _tokens(raw: bytes) -> int:
    return max(1, len(raw) // _BYTES_PER_TOKEN)
