"""The sandbox image: what is put into it, and how it is found again."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillwalker.engines.docker.client import connect
from skillwalker.engines.docker.image import (
    IMAGE,
    build_from_registry,
    build_on_base,
    find_image,
    find_native_cli,
    need_image,
)
from skillwalker.errors import ConfigError, EngineError, EngineUnavailableError
from tests.clis import VERSIONS, need_cli
from tests.docker_daemon import docker_host, need_docker

if TYPE_CHECKING:
    from docker import DockerClient

ELF = b"\x7fELF\x02"
BASE = "skillwalker-test-base"


@pytest.fixture
def client() -> Iterator["DockerClient"]:
    need_docker(VERSIONS[0])
    with closing(connect(docker_host())) as opened:
        yield opened


@pytest.mark.parametrize(
    ("place", "given"),
    [
        pytest.param("claude", "claude", id="the program"),
        pytest.param("claude", ".", id="its folder"),
        pytest.param("node_modules/.bin/claude", ".", id="an npm folder"),
        pytest.param("bin/claude", ".", id="a prefix"),
    ],
)
def test_the_native_cli_is_found(tmp_path: Path, place: str, given: str) -> None:
    program = tmp_path / "elsewhere"
    program.write_bytes(ELF)
    link = tmp_path / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(program)
    assert find_native_cli(tmp_path / given) == program


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(None, "there is no Claude CLI", id="absent"),
        pytest.param(b"#!/usr/bin/env node\n", "no program for Linux", id="a script"),
        pytest.param(b"\xcf\xfa\xed\xfe", "no program for Linux", id="a Mac's program"),
        pytest.param(b"", "no program for Linux", id="empty"),
    ],
)
def test_what_is_no_cli_for_linux_is_refused(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "claude"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        find_native_cli(path)


def test_a_folder_without_a_cli_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no Claude CLI"):
        find_native_cli(tmp_path)


@pytest.mark.docker
@pytest.mark.parametrize("version", VERSIONS)
def test_an_image_is_labelled_with_the_version_that_runs_in_it(
    client: "DockerClient", version: str
) -> None:
    image = need_image(client, f"{IMAGE}:{version}")
    assert image.cli_version == version
    assert f"{IMAGE}:{version}" in image.names
    assert image.size_bytes > 10**8


@pytest.mark.docker
def test_the_programs_mode_does_not_double_the_image(client: "DockerClient") -> None:
    image = need_image(client, f"{IMAGE}:{VERSIONS[0]}")
    program = find_native_cli(need_cli(VERSIONS[0])).stat().st_size
    base = client.images.get(BASE).attrs["Size"]
    assert image.size_bytes < base + program * 1.1


@pytest.mark.docker
def test_an_image_that_is_not_ours_is_none(client: "DockerClient") -> None:
    assert find_image(client, BASE) is None
    assert find_image(client, "no-such-image") is None
    with pytest.raises(EngineUnavailableError, match="sandbox build"):
        need_image(client, BASE)


@pytest.mark.docker
def test_a_build_without_its_base_says_what_to_do(client: "DockerClient", tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_bytes(ELF)
    with pytest.raises(EngineError, match="--base"):
        build_on_base(
            client, base="no-such-image", binary=program, temporary=tmp_path, progress=print
        )


@pytest.mark.docker
def test_a_cli_that_does_not_run_makes_no_image(client: "DockerClient", tmp_path: Path) -> None:
    program = tmp_path / "claude"
    program.write_bytes(ELF)
    before = find_image(client)
    with pytest.raises(EngineError, match="does not run in it"):
        build_on_base(client, base=BASE, binary=program, temporary=tmp_path, progress=print)
    assert find_image(client) == before


def test_a_version_that_is_none_is_refused_before_anything(tmp_path: Path) -> None:
    class NeverAsked:
        """Stands where a client would."""

    with pytest.raises(ConfigError, match="2; rm"):
        build_from_registry(
            NeverAsked(),  # type: ignore[arg-type]  # it is not reached
            version="2; rm -rf /",
            temporary=tmp_path,
            progress=print,
        )
