"""The standin command: a server until Ctrl-C, with the answers and faults that were asked for."""

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.standin.server import is_standin


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command; what is still there at the end is killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "skillwalker", "standin", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ask(url: str, text: str = "Hello.") -> dict[str, Any]:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/v1/messages", data)  # noqa: S310 (on loopback)
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 (on loopback)
        found: dict[str, Any] = json.load(answer)
    return found


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended_and_ends_well(ending: signal.Signals) -> None:
    with running() as process:
        url = first_line(process)
        assert is_standin(url)
        assert ask(url)["content"] == [{"type": "text", "text": "Done."}]
        process.send_signal(ending)
        assert process.wait(timeout=20) == 0
        assert process.stdout is not None
        out = process.stdout.read()
        assert process.stderr is not None
        assert process.stderr.read() == "stopped\n"
    assert f"ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=" in out
    assert "--engine local" in out
    assert not is_standin(url)


def test_script_and_faults_are_served(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"text": "Scripted."}]')
    with running("--json", "--script", str(script), "--fault", "529,ok") as process:
        url = json.loads(first_line(process))["base_url"]
        with pytest.raises(urllib.error.HTTPError, match="529") as refused:
            ask(url)
        refused.value.close()
        assert ask(url)["content"] == [{"type": "text", "text": "Scripted."}]


def test_the_port_is_the_one_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["standin", "--port", str(port)]) == 1
    assert f"--port: {port} cannot be listened on" in capsys.readouterr().err
    with running("--port", str(port)) as process:
        assert first_line(process) == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["--fault", "bogus"], 1, "'bogus' is no fault", id="fault"),
        pytest.param(["--script", "none.json"], 1, "none.json cannot be read", id="script"),
        pytest.param(["--port", "70000"], 2, "--port", id="port"),
        pytest.param(["--delay", "-1"], 2, "--delay", id="delay"),
    ],
)
def test_wrong_arguments_serve_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert main(["standin", *arguments]) == code
    assert words in capsys.readouterr().err
