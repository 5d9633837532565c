"""Finds and builds the image that trials run in: Claude Code of one version, and no key.

The version that an image is labelled with is what its own `claude --version` says, asked in a
container of it. Only what the classic builder knows is used, so that every engine builds it.
"""

import io
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from skillwalker.claude_code.version import find_version, is_version
from skillwalker.engines.docker.client import BUILD_HINT, CALL_TIMEOUT, translate
from skillwalker.engines.docker.sweep import LABEL, owner_labels, this_process
from skillwalker.errors import ConfigError, EngineError, EngineUnavailableError
from skillwalker.listing.budget import CLAUDE_VERSION

if TYPE_CHECKING:
    from docker import DockerClient

IMAGE = "skillwalker-sandbox"
PINNED_CLI = CLAUDE_VERSION
"""The version of Claude Code that the registry image gets unless another is asked for."""
CLI_LABEL = f"{LABEL}.cli"

_NEEDED = ("bash", "cp", "git", "timeout")
_CHECK = (
    'for name in "$@"; do command -v "$name" >/dev/null || { echo "no $name" >&2; exit 1; }; done; '
    "exec claude --version"
)
_REMEDY = (
    "name an image that is there by --base, which asks no registry, or see that Docker reaches one"
)
_ON_BASE = "FROM {base}\nCOPY claude /usr/local/bin/claude\n"
_FROM_REGISTRY = """\
FROM node:22-bookworm-slim
RUN apt-get update \\
 && apt-get install -y --no-install-recommends ca-certificates git procps ripgrep \\
 && rm -rf /var/lib/apt/lists/* \\
 && npm install -g @anthropic-ai/claude-code@{version} \\
 && npm cache clean --force
"""
_LABELLED = 'FROM {image}\nLABEL {label}="image" {cli_label}="{version}"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxImage:
    """An image that trials can run in."""

    id: str
    names: tuple[str, ...]
    cli_version: str
    size_bytes: int

    @property
    def short_id(self) -> str:
        """What people read of the id."""
        return self.id.removeprefix("sha256:")[:12]


def find_image(client: "DockerClient", name: str = IMAGE) -> SandboxImage | None:
    """Find a sandbox image; None when there is none of that name, or it is not one of ours.

    Raises:
        EngineError: the daemon does not answer.
    """
    from docker.errors import DockerException, ImageNotFound

    try:
        found = client.images.get(name).attrs
    except ImageNotFound:
        return None
    except (DockerException, OSError) as error:
        raise translate(f"looking for image {name}", error) from error
    labels = (found.get("Config") or {}).get("Labels") or {}
    if CLI_LABEL not in labels:
        return None
    return SandboxImage(
        id=str(found["Id"]),
        names=tuple(found.get("RepoTags") or ()),
        cli_version=str(labels[CLI_LABEL]),
        size_bytes=int(found.get("Size") or 0),
    )


def need_image(client: "DockerClient", name: str = IMAGE) -> SandboxImage:
    """Find a sandbox image.

    Raises:
        EngineUnavailableError: it is not there.
        EngineError: the daemon does not answer.
    """
    image = find_image(client, name)
    if image is None:
        raise EngineUnavailableError(
            f"engine docker: there is no sandbox image {name!r}; {BUILD_HINT}"
        )
    return image


def build_on_base(
    client: "DockerClient",
    *,
    base: str,
    binary: Path,
    temporary: Path,
    progress: Callable[[str], None],
) -> SandboxImage:
    """Put a Claude CLI of this machine into an image that is there.

    Args:
        client: the daemon.
        base: a local image with glibc, bash, coreutils and git.
        binary: the CLI's native program for Linux, from `find_native_cli`.
        temporary: where the build's input is written.
        progress: takes each line of the build.

    Raises:
        EngineError: the build failed; the message says at what.
    """
    return _finish(client, _ON_BASE.format(base=base), {"claude": binary}, temporary, progress)


def build_from_registry(
    client: "DockerClient", *, version: str, temporary: Path, progress: Callable[[str], None]
) -> SandboxImage:
    """Build from a public image and the CLI's package (untested: needs both registries).

    Raises:
        ConfigError: that is no version.
        EngineError: the build failed; the message says at what.
    """
    if not is_version(version):
        raise ConfigError(f"--cli-version: {version!r} is no version; write it as {PINNED_CLI}")
    return _finish(client, _FROM_REGISTRY.format(version=version), {}, temporary, progress)


def find_native_cli(path: Path) -> Path:
    """Find the native program behind a path: the CLI itself, a link to it, or an npm folder.

    Raises:
        ConfigError: there is none, or it does not run on Linux.
    """
    inside = (path / "node_modules" / ".bin" / "claude", path / "bin" / "claude", path / "claude")
    found = next((one for one in inside if one.is_file()), path).resolve()
    try:
        with found.open("rb") as program:
            is_native = program.read(4) == b"\x7fELF"
    except OSError as error:
        raise ConfigError(
            f"--claude {path}: there is no Claude CLI ({error.strerror}); install one with "
            "`npm install --prefix FOLDER @anthropic-ai/claude-code` and name the folder"
        ) from error
    if not is_native:
        raise ConfigError(
            f"--claude {path}: this is no program for Linux; name the native CLI that the npm "
            "package brings, or build without --base"
        )
    return found


def list_images(client: "DockerClient") -> tuple[SandboxImage, ...]:
    """List the sandbox images.

    Raises:
        EngineError: the daemon does not answer.
    """
    from docker.errors import DockerException

    try:
        found = client.api.images(filters={"label": CLI_LABEL})
    except (DockerException, OSError) as error:
        raise translate("looking for sandbox images", error) from error
    images = (find_image(client, str(one["Id"])) for one in found)
    return tuple(image for image in images if image is not None)


def remove_image(client: "DockerClient", image: SandboxImage) -> None:
    """Remove an image under all its names.

    Raises:
        EngineError: a container still uses it.
    """
    from docker.errors import DockerException

    try:
        client.api.remove_image(image.id, force=len(image.names) > 1)
    except (DockerException, OSError) as error:
        raise translate(f"removing image {image.short_id}", error) from error


def _finish(
    client: "DockerClient",
    dockerfile: str,
    files: Mapping[str, Path],
    temporary: Path,
    progress: Callable[[str], None],
) -> SandboxImage:
    """Build an image, ask it for its version, and label and name it."""
    first = _build(client, dockerfile, files, temporary, progress)
    version = _ask_version(client, first)
    labelled = _LABELLED.format(image=first, label=LABEL, cli_label=CLI_LABEL, version=version)
    names = (f"{IMAGE}:{version}", f"{IMAGE}:latest")
    _build(client, labelled, {}, temporary, progress, names)
    return need_image(client, f"{IMAGE}:{version}")


def _build(
    client: "DockerClient",
    dockerfile: str,
    files: Mapping[str, Path],
    temporary: Path,
    progress: Callable[[str], None],
    names: tuple[str, ...] = (),
) -> str:
    from docker.errors import DockerException

    built = ""
    try:
        with tempfile.TemporaryFile(dir=temporary) as context:
            _write_context(context, dockerfile, files)
            for line in client.api.build(
                fileobj=context, custom_context=True, rm=True, forcerm=True, decode=True
            ):
                if "error" in line:
                    raise EngineError(f"building the sandbox image: {line['error']}; {_REMEDY}")
                built = (line.get("aux") or {}).get("ID", built)
                if words := str(line.get("stream", "")).strip():
                    progress(words)
        for name in names:
            client.api.tag(built, name)
    except (DockerException, OSError) as error:
        raise translate("building the sandbox image", error) from error
    return built


def _write_context(context: IO[bytes], dockerfile: str, files: Mapping[str, Path]) -> None:
    """Write what the daemon needs; a later change of mode or owner would double the image."""
    with tarfile.open(fileobj=context, mode="w") as tar:
        text = dockerfile.encode()
        entry = tarfile.TarInfo("Dockerfile")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
        for name, path in files.items():
            with path.open("rb") as source:
                entry = tar.gettarinfo(arcname=name, fileobj=source)
                entry.mode, entry.uid, entry.gid, entry.mtime = 0o755, 0, 0, 0
                entry.uname = entry.gname = ""
                tar.addfile(entry, source)
    context.seek(0)


def _ask_version(client: "DockerClient", image: str) -> str:
    """Run the CLI once, as a trial does: the image is good for nothing if that fails."""
    from docker.errors import ContainerError, DockerException

    try:
        said = client.containers.run(
            image,
            ["-c", _CHECK, "sh", *_NEEDED],
            entrypoint="/bin/sh",
            remove=True,
            stderr=True,
            network_mode="none",
            read_only=True,
            user="10001:10001",
            environment={"HOME": "/tmp"},  # noqa: S108 (inside the container)
            tmpfs={"/tmp": "rw,mode=1777"},  # noqa: S108 (inside the container)
            labels=owner_labels(this_process(), deadline=time.time() + CALL_TIMEOUT),
        )
    except ContainerError as error:
        raise EngineError(
            f"the image was built, but Claude Code does not run in it ({error}); the base "
            f"needs glibc and {', '.join(_NEEDED)}"
        ) from error
    except (DockerException, OSError) as error:
        raise translate("asking the new image for its version", error) from error
    version = find_version(said.decode(errors="replace"))
    if version is None:
        raise EngineError(f"the image was built, but `claude --version` says {said[:200]!r}")
    return version
