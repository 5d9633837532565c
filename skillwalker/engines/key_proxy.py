"""Holds the login for sandboxes: takes their requests on a socket and sends them on with the key.

A sandbox knows only placeholders, which are random, hold for one run and open nothing but the
Messages API of one endpoint. So nothing that a model, a skill or a scaffold does inside can read
the key, and no file, environment or container description has it. Answers pass through as they
arrive; nothing is logged.
"""

import http.client
import json
import os
import secrets
import socket
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn

from skillwalker.claude_code.command import Access
from skillwalker.claude_code.endpoint import PUBLIC_API
from skillwalker.engines.key_gate import LOGIN_HEADERS, KeyGate, read_endpoint
from skillwalker.errors import EngineUnavailableError

GATEWAY = "host.docker.internal"
"""Name by which a container of Docker Desktop reaches a port on this machine's loopback."""
MAX_BODY = 64 * 2**20
MAX_SOCKET_PATH = 100
"""Bytes of a socket's path. Source: unix(7) has 108 on Linux, macOS has 104."""

_NOT_SENT_ON = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        *LOGIN_HEADERS,
    }
)
_NOT_SENT_BACK = frozenset({"connection", "keep-alive", "trailer", "transfer-encoding", "upgrade"})
_CHUNK = 64 * 2**10


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyProxy:
    """A running proxy, as a sandbox is to use it."""

    access: Access
    """Placeholders in place of the secrets, and the base URL that the sandbox asks."""
    faults: deque[str]
    """The newest things that went wrong on the way to the API, for people."""


@contextmanager
def serve_key_proxy(access: Access, *, socket_path: Path | None) -> Iterator[KeyProxy]:
    """Serve until the block ends.

    Args:
        access: the real login, and the endpoint that requests go to.
        socket_path: the socket to make, which a container gets by a bind mount. None listens on
            a port of the loopback instead, for Docker Desktop, which reaches it as `GATEWAY` but
            cannot pass a socket on (untested).

    Raises:
        EngineUnavailableError: the endpoint is no HTTP address, or the socket cannot be made.
    """
    held = _draw_placeholders(access)
    gate = KeyGate(read_endpoint(access.base_url or PUBLIC_API), dict(held.values()))
    server = _listen(gate, socket_path)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        placeholders = {name: placeholder for name, (placeholder, _) in held.items()}
        base_url = gate.admit(None if socket_path else f"{GATEWAY}:{server.server_address[1]!s}")
        yield KeyProxy(access=Access(base_url=base_url, **placeholders), faults=gate.faults)
    finally:
        gate.close()
        server.shutdown()
        thread.join()
        server.server_close()
        if socket_path is not None:
            socket_path.unlink(missing_ok=True)


def _listen(gate: KeyGate, socket_path: Path | None) -> "_UnixServer | _PortServer":
    try:
        return _PortServer(gate) if socket_path is None else _UnixServer(socket_path, gate)
    except OSError as error:
        raise EngineUnavailableError(
            f"{socket_path or 'loopback'}: cannot listen for the sandboxes' requests "
            f"({error.strerror or error}); set TMPDIR to a short path on a local disk"
        ) from error


def _draw_placeholders(access: Access) -> dict[str, tuple[str, str]]:
    """Draw a placeholder for each secret that is set: field to placeholder and secret."""
    fields = {
        "api_key": access.api_key,
        "auth_token": access.auth_token,
        "oauth_token": access.oauth_token,
    }
    return {
        name: (f"sandbox-{secrets.token_hex(24)}", secret)
        for name, secret in fields.items()
        if secret
    }


@contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """Name a socket so that a long path to its folder does not matter where that can be."""
    if len(str(path).encode()) <= MAX_SOCKET_PATH:
        yield str(path)
    elif not Path("/proc/self/fd").is_dir():
        raise OSError(f"the path is longer than {MAX_SOCKET_PATH} bytes")
    else:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{folder}/{path.name}"
        finally:
            os.close(folder)


class _Server(ThreadingMixIn, TCPServer):
    """One thread a connection; none of them keeps the run from ending."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    gate: KeyGate

    def handle_error(self, request: object, client_address: object) -> None:
        """Take a sandbox that went away as what it is: the end of a trial."""


class _UnixServer(_Server):
    address_family = socket.AF_UNIX

    def __init__(self, path: Path, gate: KeyGate) -> None:
        self.gate = gate
        with _short_name(path) as name:
            super().__init__(name, _Handler)  # type: ignore[arg-type]  # a path is its address
        # A sandbox runs as another user; the folder around it is closed to all but ours.
        path.chmod(0o666)


class _PortServer(_Server):
    def __init__(self, gate: KeyGate) -> None:
        self.gate = gate
        super().__init__(("127.0.0.1", 0), _Handler)


class _SandboxGoneError(Exception):
    """The sandbox was ended while it was answered, which is no fault of the API."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 900
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it)
        """Stay silent: what passes is nobody's business."""

    def do_POST(self) -> None:
        body = self._read_body()
        if body is None:
            self._refuse(
                413, "request_too_large", f"the body must be given, up to {MAX_BODY} bytes"
            )
        elif not self.server.gate.knows(self.path, self.headers.get("host", "")):
            self._refuse(404, "not_found_error", "the sandbox reaches the Messages API only")
        else:
            login = self.server.gate.login({n.lower(): v for n, v in self.headers.items()})
            if login is None:
                self._refuse(401, "authentication_error", "this is not the sandbox's placeholder")
            else:
                self._pass_on(body, login)

    def _read_body(self) -> bytes | None:
        given = self.headers.get("content-length", "")
        if not given.isdecimal() or int(given) > MAX_BODY:
            self.close_connection = True
            return None
        return self.rfile.read(int(given))

    def _pass_on(self, body: bytes, login: Mapping[str, str]) -> None:
        """Ask the API and hand back what it says; a connection that fails just ends, as there."""
        try:
            with self.server.gate.connection() as upstream:
                upstream.putrequest("POST", self.path, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in _NOT_SENT_ON:
                        upstream.putheader(name, value)
                for name, value in login.items():
                    upstream.putheader(name, value)
                upstream.putheader("Content-Length", str(len(body)))
                upstream.endheaders(body)
                self._hand_back(upstream.getresponse())
        except _SandboxGoneError:
            self.close_connection = True
        except (OSError, http.client.HTTPException) as error:
            self.close_connection = True
            self.server.gate.faults.append(f"{type(error).__name__}: {error}")

    def _hand_back(self, response: http.client.HTTPResponse) -> None:
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in _NOT_SENT_BACK:
                self.send_header(name, value)
        length = response.getheader("content-length")
        if length is None:
            self.send_header("Transfer-Encoding", "chunked")
        self._write_head()
        passed = 0
        while chunk := response.read1(_CHUNK):
            passed += len(chunk)
            self._write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if length is None else chunk)
        if length is None:
            self._write(b"0\r\n\r\n")
        elif passed != int(length):
            raise http.client.IncompleteRead(b"", int(length) - passed)

    def _write_head(self) -> None:
        try:
            self.end_headers()
        except OSError as error:
            raise _SandboxGoneError from error

    def _write(self, data: bytes) -> None:
        try:
            self.wfile.write(data)
        except OSError as error:
            raise _SandboxGoneError from error

    def _refuse(self, status: int, kind: str, message: str) -> None:
        words = {"type": "error", "error": {"type": kind, "message": message}}
        body = json.dumps(words).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
