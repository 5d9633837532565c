"""Engine `docker`: runs each trial in a fresh container that holds no key and has no network."""

import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
from anyio import to_thread

from skillwalker.claude_code.command import Access, build_arguments, build_environment
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits
from skillwalker.datatypes.trials import Invocation, OutputFiles, Transcript
from skillwalker.engines.docker import hardening as inside
from skillwalker.engines.docker.client import connect, read_daemon
from skillwalker.engines.docker.container import Containers
from skillwalker.engines.docker.facts import describe_engine
from skillwalker.engines.docker.hardening import CANNOT_SET_UP, Job
from skillwalker.engines.docker.image import SandboxImage, need_image
from skillwalker.engines.docker.settings import DockerSettings
from skillwalker.engines.docker.sweep import sweep, this_process
from skillwalker.engines.docker.trial_folder import inner_plugin_dirs, write_trial
from skillwalker.engines.key_proxy import KeyProxy, serve_key_proxy
from skillwalker.engines.output_files import Snapshot, snapshot
from skillwalker.engines.protocol import EngineFacts
from skillwalker.engines.trial_reader import TrialReader
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.scratch import no_place, scratch_folder
from skillwalker.standin.server import is_standin
from skillwalker.transcripts.failures import shorten

_CLI = "claude"
_SOCKET = "api.sock"
_SPARE_CONNECTIONS = 8
_LOGIN = "set ANTHROPIC_API_KEY"
_SHARED = "see that the daemon runs on this machine and may mount the folder that TMPDIR names"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an engine's files lie, and who holds the key for its containers."""

    folder: Path
    sockets: Path | None
    """Folder of the proxy's socket; None when the proxy listens on a port."""
    proxy: KeyProxy


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """How a program in a container ended, after how many seconds, and what it left."""

    end: ProcessEnd
    duration: float
    output: OutputFiles | None


class DockerEngine:
    """Runs Claude Code in containers; opened by `open_docker`.

    Args:
        settings: what it was told.
        place: where its files lie and who holds the key.
        containers: what starts its containers.
        image: what they are made of.
        facts: what to record with each trial.
    """

    def __init__(
        self,
        settings: DockerSettings,
        *,
        place: _Place,
        containers: Containers,
        image: SandboxImage,
        facts: EngineFacts,
    ) -> None:
        self._settings = settings
        self._place = place
        self._containers = containers
        self._image = image
        self._facts = facts
        self._owner = this_process()
        # Trials beyond it wait here, so that none spends its time waiting for a thread.
        self._free = anyio.CapacityLimiter(settings.concurrency)

    @property
    def facts(self) -> EngineFacts:
        """What to record with each trial."""
        return self._facts

    async def run(self, invocation: Invocation) -> Transcript:
        """Run Claude Code once in a container of its own.

        Raises:
            EngineUnavailableError: the daemon does not answer, or the image is gone.
            TrialError: the trial's folder or container cannot be made.
        """
        settings = self._settings
        mode = self._facts.mode_of(may_act=invocation.may_act)
        arguments = build_arguments(
            binary=_CLI,
            plugin_dirs=inner_plugin_dirs(invocation),
            has_project=invocation.project_dir is not None,
            model=invocation.model,
            max_turns=invocation.max_turns,
            permission_mode=mode,
        )
        reader = TrialReader(invocation, settings.prices)
        limits = TimeLimits(wall=invocation.timeout, idle=settings.idle_timeout)
        async with self._free:
            ended = await self._run_in_container(
                arguments, invocation, on_line=reader.take, limits=limits
            )
        transcript = reader.finish(ended.end, duration=ended.duration)
        return self._explain(replace(transcript, output=ended.output))

    async def probe(self) -> None:
        """Run the CLI once without a request, and see that the daemon sees our files.

        Raises:
            EngineUnavailableError: no trial could run.
        """
        nothing = Invocation(
            prompt="",
            plugin_dirs=(),
            project_dir=None,
            scaffold=None,
            model="",
            max_turns=1,
            timeout=60.0,
            called_as=None,
            run_index=0,
        )
        said: list[bytes] = []

        def on_line(line: bytes) -> Next:
            said.append(line)
            return Next.MORE

        try:
            ended = await self._run_in_container(
                (_CLI, "--version"),
                nothing,
                on_line=on_line,
                limits=TimeLimits(wall=60.0, idle=60.0),
            )
        except TrialError as error:
            raise EngineUnavailableError(f"engine docker: {error.detail}; {_SHARED}") from error
        end = ended.end
        if end.exit_code != 0 or not b"".join(said).startswith(self._image.cli_version.encode()):
            words = shorten(end.stderr or b" ".join(said).decode(errors="replace")) or "nothing"
            raise EngineUnavailableError(
                f"engine docker: Claude Code does not run in image {self._image.short_id}: it "
                f"says {words!r} (exit code {end.exit_code}); {_SHARED}"
            )

    async def _run_in_container(
        self,
        arguments: Sequence[str],
        invocation: Invocation,
        *,
        on_line: Callable[[bytes], Next],
        limits: TimeLimits,
    ) -> "_Ended":
        """Run a program on an invocation's files."""
        name = f"skillwalker-{self._owner.pid}-{secrets.token_hex(6)}"
        folder = self._place.folder / name
        job = Job(
            name=name,
            image=self._image.id,
            argv=arguments,
            env=self._environment(),
            folder=folder,
            sockets=self._place.sockets,
            owner=self._owner,
            mark=f"ended-{secrets.token_hex(12)}" if invocation.may_act else None,
        )
        before: Snapshot | None = None
        try:
            write = partial(write_trial, folder, invocation, path=self._settings.path)
            await to_thread.run_sync(write)
            if invocation.may_act:
                before = await to_thread.run_sync(snapshot, folder / "work")
            began = anyio.current_time()
            end, output = await self._containers.run(
                job, on_line=on_line, limits=limits, before=before
            )
            duration = anyio.current_time() - began
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))
        if end.exit_code == CANNOT_SET_UP:
            raise TrialError("set_up", f"cannot fill the working folder: {shorten(end.stderr)}")
        return _Ended(end=end, duration=duration, output=output)

    def _environment(self) -> dict[str, str]:
        settings = self._settings
        access = settings.access
        secret = {access.api_key, access.auth_token, access.oauth_token}
        built = build_environment(
            self._place.proxy.access,
            home=inside.HOME,
            temp=inside.TEMP,
            path=inside.PATH,
            extra={n: v for n, v in settings.extra_env.items() if v not in secret},
            listing_budget=settings.listing_budget,
        )
        if self._place.sockets is not None:
            built["ANTHROPIC_UNIX_SOCKET"] = f"{inside.SOCKETS}/{_SOCKET}"
        return built

    def _explain(self, transcript: Transcript) -> Transcript:
        """Say why a connection failed: the CLI sees only that the proxy hung up."""
        faults = self._place.proxy.faults
        if transcript.failure != "connection" or not faults:
            return transcript
        return replace(transcript, detail=shorten(f"{self._facts.endpoint}: {faults[-1]}"))


@asynccontextmanager
async def open_docker(settings: DockerSettings) -> AsyncIterator[DockerEngine]:
    """Open the engine: sweep what a killed run left, serve the key proxy, try a container.

    Raises:
        EngineUnavailableError: there is no daemon, no image, no login, or no container runs.
        EngineError: the daemon refused something.
    """
    if not settings.access.is_set:
        raise EngineUnavailableError(f"engine docker: there is no login for Claude; {_LOGIN}")
    async with AsyncExitStack() as stack:
        connections = 2 * settings.concurrency + _SPARE_CONNECTIONS
        client = await to_thread.run_sync(
            partial(connect, settings.docker_host, connections=connections)
        )
        stack.callback(client.close)
        await to_thread.run_sync(sweep, client)
        image = await to_thread.run_sync(need_image, client, settings.image)
        daemon = await to_thread.run_sync(read_daemon, client)
        folder = stack.enter_context(scratch_folder(settings.temp_root))
        place = stack.enter_context(_lay_out(folder, settings.access, daemon.passes_sockets))
        simulated = await to_thread.run_sync(is_standin, settings.access.base_url or "")
        engine = DockerEngine(
            settings,
            place=place,
            containers=Containers(client, streams=settings.concurrency),
            image=image,
            facts=describe_engine(
                settings.access,
                image,
                permission_mode=settings.permission_mode,
                simulated=simulated,
                is_closed=daemon.passes_sockets,
            ),
        )
        await engine.probe()
        yield engine


@contextmanager
def _lay_out(folder: Path, access: Access, passes_sockets: bool) -> Iterator[_Place]:
    """Serve the key proxy out of a run's folder.

    Raises:
        EngineUnavailableError: the folder cannot be written.
    """
    sockets = folder / "s" if passes_sockets else None
    with ExitStack() as stack:
        try:
            if sockets is not None:
                sockets.mkdir(mode=0o755)
            served = serve_key_proxy(access, socket_path=sockets and sockets / _SOCKET)
            proxy = stack.enter_context(served)
        except OSError as error:
            raise no_place(folder, error) from error
        yield _Place(folder=folder, sockets=sockets, proxy=proxy)
