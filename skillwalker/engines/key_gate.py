"""Decides what a sandbox may ask of the API, and puts the secrets where the placeholders stand."""

import http.client
import secrets
import socket
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from urllib.parse import SplitResult

from skillwalker.claude_code.endpoint import NO_ENDPOINT, split_endpoint
from skillwalker.errors import EngineUnavailableError

CONNECT_TIMEOUT = 30.0
UPSTREAM_TIMEOUT = 600.0
"""Seconds of silence from the API; the CLI's own limit for a request."""
LOGIN_HEADERS = ("x-api-key", "authorization")

_PATHS = ("/v1/messages", "/v1/messages/count_tokens")


def read_endpoint(url: str) -> SplitResult:
    """Take a base URL apart, without a login or query in it.

    Raises:
        EngineUnavailableError: it is no HTTP address.
    """
    parts = split_endpoint(url)
    if parts is None:
        raise EngineUnavailableError(NO_ENDPOINT)
    return parts


class KeyGate:
    """What may pass, and the connections to the API that are open.

    Args:
        upstream: the endpoint, from `read_endpoint`.
        logins: placeholder to secret.
    """

    def __init__(self, upstream: SplitResult, logins: Mapping[str, str]) -> None:
        self.faults: deque[str] = deque(maxlen=20)
        self._upstream = upstream
        self._logins = logins
        self._paths = frozenset(upstream.path.rstrip("/") + path for path in _PATHS)
        self._host = upstream.netloc
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._is_closed = False

    def admit(self, host: str | None) -> str:
        """Set the one host that requests may name, and give the base URL for a sandbox.

        Without another the host is the endpoint's own, so that the CLI takes the endpoint for
        what it is; only the encryption begins here.
        """
        self._host = host or self._upstream.netloc
        return self._upstream._replace(scheme="http", netloc=self._host).geturl()

    def knows(self, path: str, host: str) -> bool:
        """Whether a request's target is the Messages API of the endpoint and nothing else."""
        return path.partition("?")[0] in self._paths and host.lower() == self._host.lower()

    def login(self, headers: Mapping[str, str]) -> dict[str, str] | None:
        """Put the secrets where the placeholders stand; None when one is not ours."""
        real: dict[str, str] = {}
        for name in LOGIN_HEADERS:
            scheme, space, given = headers.get(name, "").rpartition(" ")
            if not given:
                continue
            found = [s for p, s in self._logins.items() if secrets.compare_digest(p, given)]
            if not found:
                return None
            real[name] = f"{scheme}{space}{found[0]}"
        return real or None

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        """Open a connection to the API, which `close` can end.

        Raises:
            OSError: it cannot be reached.
        """
        host, port = self._upstream.hostname or "", self._upstream.port
        connection = (
            http.client.HTTPSConnection(
                host, port, timeout=CONNECT_TIMEOUT, context=ssl.create_default_context()
            )
            if self._upstream.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=CONNECT_TIMEOUT)
        )
        with closing(connection):
            connection.connect()
            used = connection.sock
            used.settimeout(UPSTREAM_TIMEOUT)
            with self._lock:
                if self._is_closed:
                    raise ConnectionAbortedError("the run is over")
                self._open.add(used)
            try:
                yield connection
            finally:
                with self._lock:
                    self._open.discard(used)

    def close(self) -> None:
        """End every request that is under way."""
        with self._lock:
            self._is_closed = True
            for used in self._open:
                with suppress(OSError):
                    used.shutdown(socket.SHUT_RDWR)
