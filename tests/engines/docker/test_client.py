"""Errors of the Docker SDK become ours, with what to do about them."""

import pytest

from skillwalker.engines.docker.client import connect, translate
from skillwalker.errors import EngineUnavailableError, TrialError


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("unix:///nowhere/docker.sock", id="no socket"),
        pytest.param("tcp://127.0.0.1:1", id="refused"),
        pytest.param("foo://x", id="no address"),
        pytest.param("tcp://", id="half an address"),
    ],
)
def test_a_daemon_that_does_not_answer_is_said_in_one_line(host: str) -> None:
    with pytest.raises(EngineUnavailableError, match="no daemon answers at") as caught:
        connect(host, timeout=2)
    assert "\n" not in str(caught.value)
    assert "DOCKER_HOST" in str(caught.value)


def test_what_is_refused_is_one_trial_and_what_is_gone_the_run() -> None:
    from docker.errors import APIError, DockerException, ImageNotFound

    refused = translate("making x", APIError("no", explanation="no space left on device"))
    assert isinstance(refused, TrialError)
    assert (refused.reason, "no space left" in refused.detail) == ("set_up", True)
    gone = translate("making x", ImageNotFound("no such image"))
    assert isinstance(gone, EngineUnavailableError)
    assert "sandbox build" in str(gone)
    silent = translate("making x", DockerException("boom"))
    assert isinstance(silent, EngineUnavailableError)
    assert "boom" in str(translate("making x", ConnectionResetError(104, "boom")))
