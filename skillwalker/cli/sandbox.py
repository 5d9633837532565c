"""sandbox build, status, clean: the image that the docker engine runs trials in."""

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from skillwalker.engines.docker.image import SandboxImage
    from skillwalker.engines.docker.readiness import Readiness

Base = Annotated[
    str | None,
    typer.Option(
        metavar="IMAGE",
        help="A local image to put the CLI of this machine into; asks no registry. It needs "
        "glibc, bash, coreutils and git.",
    ),
]
Claude = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="With --base: the Claude CLI for Linux, or the npm folder it is installed in; "
        "default: `claude` in the settings, else on PATH.",
    ),
]
CliVersion = Annotated[
    str | None,
    typer.Option(
        "--cli-version",
        metavar="VERSION",
        help="Without --base: the version of Claude Code; default: the pinned one.",
    ),
]


def sandbox_build(
    ctx: typer.Context,
    base: Base = None,
    claude: Claude = None,
    cli_version: CliVersion = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Build the image that the docker engine runs trials in; no key gets into it."""
    from skillwalker.cli.environment import read_docker_host, temporary_folder
    from skillwalker.engines.docker.client import connect
    from skillwalker.engines.docker.image import (
        PINNED_CLI,
        build_from_registry,
        build_on_base,
        find_native_cli,
    )

    if base is None and claude is not None:
        raise typer.BadParameter("--claude needs --base; a registry image gets its own CLI")
    if base is not None and cli_version is not None:
        raise typer.BadParameter("--cli-version is for a registry image; name the CLI by --claude")
    binary = find_native_cli(claude or _own_claude(ctx, project)) if base is not None else None
    with closing(connect(read_docker_host())) as client:
        if base is None or binary is None:
            image = build_from_registry(
                client,
                version=cli_version or PINNED_CLI,
                temporary=temporary_folder(),
                progress=_tell,
            )
        else:
            image = build_on_base(
                client, base=base, binary=binary, temporary=temporary_folder(), progress=_tell
            )
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(_record(image), indent=2))
    else:
        say(f"built {_words(image)}")


def sandbox_status(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Say whether the docker engine could run; exit 3 if it could not."""
    from skillwalker.cli.environment import read_docker_host
    from skillwalker.engines.docker.readiness import look

    readiness = look(read_docker_host())
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(_status_record(readiness), indent=2))
    else:
        say("\n".join(_status_lines(readiness)))
    if readiness.lack is not None:
        raise typer.Exit(3)


def sandbox_clean(
    ctx: typer.Context,
    containers_only: Annotated[
        bool, typer.Option("--containers-only", help="Leave the images.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove what killed runs left behind, and the sandbox images; nothing that is not ours."""
    from skillwalker.cli.environment import read_docker_host
    from skillwalker.engines.docker.client import connect
    from skillwalker.engines.docker.image import list_images, remove_image
    from skillwalker.engines.docker.sweep import sweep

    with closing(connect(read_docker_host())) as client:
        containers = sweep(client)
        images = () if containers_only else list_images(client)
        for image in images:
            remove_image(client, image)
    if wants_json(ctx, as_json):
        record = {"containers": containers, "images": [_record(image) for image in images]}
        typer.echo(json.dumps(record, indent=2))
        return
    say(f"removed {containers} abandoned container{'' if containers == 1 else 's'}")
    for image in images:
        say(f"removed {_words(image)}")


def _own_claude(ctx: typer.Context, project: Path | None) -> Path:
    """Find the CLI that the local engine would run.

    Raises:
        ConfigError: there is none.
    """
    import shutil

    from skillwalker.cli.environment import search_path
    from skillwalker.errors import ConfigError

    name = open_project(ctx, project).settings.claude or "claude"
    found = shutil.which(name, path=search_path())
    if found is None:
        raise ConfigError(f"the Claude CLI {name!r} was not found; name it by --claude PATH")
    return Path(found)


def _tell(line: str) -> None:
    say(line, err=True)


def _words(image: "SandboxImage") -> str:
    size = image.size_bytes / 10**6
    return (
        f"image {', '.join(image.names) or image.short_id} ({image.short_id}, Claude Code "
        f"{image.cli_version}, {size:.0f} MB)"
    )


def _record(image: "SandboxImage") -> dict[str, object]:
    return {
        "id": image.id,
        "names": list(image.names),
        "cli_version": image.cli_version,
        "size_bytes": image.size_bytes,
    }


def _status_record(readiness: "Readiness") -> dict[str, object]:
    return {
        "ready": readiness.lack is None,
        "lack": readiness.lack,
        "daemon": readiness.daemon,
        "image": None if readiness.image is None else _record(readiness.image),
        "images": [_record(image) for image in readiness.images],
        "abandoned_containers": readiness.abandoned,
    }


def _status_lines(readiness: "Readiness") -> list[str]:
    lines = [f"daemon: {readiness.daemon or 'none answers'}"]
    lines += [_words(image) for image in readiness.images]
    if readiness.abandoned:
        lines.append(
            f"containers of killed runs: {readiness.abandoned} (the next run removes them)"
        )
    lines.append("ready" if readiness.lack is None else f"not ready: {readiness.lack}")
    return lines
