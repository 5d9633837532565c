"""Which containers are left behind by a run that is gone."""

import subprocess
import sys
from contextlib import closing

import pytest

from skillwalker.engines.docker.client import connect
from skillwalker.engines.docker.sweep import (
    Owner,
    is_abandoned,
    list_abandoned,
    owner_labels,
    this_process,
)
from tests.clis import VERSIONS
from tests.docker_daemon import docker_host, need_docker

HERE = this_process()
NOW = 1_000_000.0


def ended_pid() -> int:
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    return child.pid


def other(**changed: object) -> Owner:
    fields = {"pid": HERE.pid, "start": HERE.start, "host": HERE.host, **changed}
    return Owner(**fields)  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize(
    ("owner", "deadline", "abandoned"),
    [
        pytest.param(HERE, NOW - 1, False, id="alive, however late"),
        pytest.param(other(pid=ended_pid()), NOW + 99, True, id="ended"),
        pytest.param(other(pid=10**20), NOW + 99, True, id="a number of no process"),
        pytest.param(other(start="1"), NOW + 99, True, id="number taken by a later process"),
        pytest.param(other(start=""), NOW + 99, False, id="alive, start unknown"),
        pytest.param(other(host="elsewhere"), NOW + 1, False, id="another machine, in time"),
        pytest.param(other(host="elsewhere"), NOW - 1, True, id="another machine, too late"),
    ],
)
def test_only_what_nobody_will_remove_is_abandoned(
    owner: Owner, deadline: float, abandoned: bool
) -> None:
    labels = owner_labels(owner, deadline=deadline)
    assert is_abandoned(labels, here=HERE, now=NOW) is abandoned


@pytest.mark.parametrize("labels", [{}, {"skillwalker.deadline": "soon"}])
def test_labels_that_cannot_be_read_are_nobodys(labels: dict[str, str]) -> None:
    assert is_abandoned(labels, here=HERE, now=NOW)


@pytest.mark.docker
def test_a_container_that_a_user_starts_from_our_image_is_left_alone() -> None:
    image = need_docker(VERSIONS[0])
    with closing(connect(docker_host())) as client:
        own = client.api.create_container(image, "true")["Id"]
        try:
            assert own not in list_abandoned(client)
        finally:
            client.api.remove_container(own)
