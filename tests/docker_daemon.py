"""Finds a Docker daemon with the images of `.ci/start-docker`, or says what is missing."""

import os
from contextlib import closing
from functools import cache

import pytest

from skillwalker.engines.docker.client import connect
from skillwalker.engines.docker.image import IMAGE
from skillwalker.engines.docker.readiness import look
from tests.clis import ROOT, is_required


def docker_host() -> str | None:
    """Where the daemon listens: DOCKER_HOST, else what `.ci/start-docker` left running here."""
    own = ROOT / ".cache" / "docker" / "docker.sock"
    return os.environ.get("DOCKER_HOST") or (f"unix://{own}" if own.exists() else None)


def need_docker(version: str) -> str:
    """Give a version's image, or skip the test with the reason; in CI the test fails."""
    image = f"{IMAGE}:{version}"
    lack = _lack(image)
    if lack is None:
        return image
    reason = f"{lack}; run .ci/start-docker"
    if is_required("docker"):
        pytest.fail(reason)
    pytest.skip(reason)


def our_containers() -> list[str]:
    """List the containers of ours that there are, running or not."""
    with closing(connect(docker_host())) as client:
        found = client.api.containers(all=True, filters={"label": "skillwalker=container"})
        return [str(one["Names"]) for one in found]


@cache
def _lack(image: str) -> str | None:
    return look(docker_host(), image=image).lack
