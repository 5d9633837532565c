"""Engine `local`: runs the Claude CLI on this machine, each trial in a slot of its own."""

import subprocess
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from skillwalker.claude_code.binary import find_binary
from skillwalker.claude_code.command import Access, build_arguments, build_environment
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits, run_process
from skillwalker.claude_code.process_tree import end_marked
from skillwalker.claude_code.version import find_version
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.engines.output_files import Snapshot, read_output, snapshot
from skillwalker.engines.protocol import IDLE_TIMEOUT, EngineFacts
from skillwalker.engines.slots import Slot, claim_abandoned, claim_slots, close_root, open_root
from skillwalker.engines.trial_reader import TrialReader
from skillwalker.engines.workspace import fill_workspace
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.prices import Price
from skillwalker.scratch import is_full, no_place
from skillwalker.standin.server import is_standin
from skillwalker.transcripts.failures import shorten

_INSTALL = (
    "install it with `npm install -g @anthropic-ai/claude-code`, or say where it is with --claude "
    "PATH or `claude` in skillwalker.toml"
)
_LOGIN = "set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN to what `claude setup-token` prints"
VERSION_TIMEOUT = 10.0
"""Seconds for the CLI to say its version."""
_ACTING_MODE = "acceptEdits"
_ACTING_TOOLS = ("Bash",)
"""With these a trial works on its folder without being asked, and root may run it too; Claude Code
refuses to skip every question where it is root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """What a local engine is told once."""

    access: Access
    temp_root: Path
    """Folder in which the slots' folder is made, as short as a socket's path needs."""
    path: str
    """PATH of the trials."""
    concurrency: int
    claude: str = "claude"
    """A name on `path`, or a path."""
    extra_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that the user asked for in `engine-env`."""
    permission_mode: str = "dontAsk"
    listing_budget: int | None = None
    idle_timeout: float = IDLE_TIMEOUT
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of the project's settings by model; they hold whatever the table says."""


class LocalEngine:
    """Runs the Claude CLI in slots; opened by `open_local`.

    Args:
        settings: what it was told.
        binary: the CLI.
        facts: what to record with each trial.
        slots: where trials run, as many as there can be at a time.
    """

    def __init__(
        self, settings: LocalSettings, binary: str, facts: EngineFacts, slots: tuple[Slot, ...]
    ) -> None:
        self._settings = settings
        self._binary = binary
        self._facts = facts
        self._give, self._take = _queue(slots)

    @property
    def facts(self) -> EngineFacts:
        """What to record with each trial."""
        return self._facts

    def close(self) -> None:
        """Close what the engine holds in memory."""
        self._give.close()
        self._take.close()

    async def run(self, invocation: Invocation) -> Transcript:
        """Run Claude Code once in the next free slot.

        Raises:
            EngineUnavailableError: the CLI cannot be started, or nothing can be written.
            TrialError: the trial's folders cannot be made.
        """
        slot = await self._take.receive()
        try:
            await to_thread.run_sync(self._prepare, slot, invocation)
            return await self._run_in(slot, invocation)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(slot.empty)
            self._give.send_nowait(slot)

    def _prepare(self, slot: Slot, invocation: Invocation) -> None:
        try:
            slot.lay_out()
            fill_workspace(
                slot.work,
                scaffold=invocation.scaffold,
                project_dir=invocation.project_dir,
                env={"PATH": self._settings.path, "HOME": str(slot.home)},
            )
        except subprocess.SubprocessError as error:
            raise TrialError("set_up", f"{invocation.scaffold}: git failed: {error}") from error
        except OSError as error:
            if is_full(error):
                raise no_place(slot.folder, error) from error
            place = error.filename or invocation.scaffold
            detail = f"{place}: cannot set up the working folder: {error.strerror or error}"
            raise TrialError("set_up", detail) from error

    async def _run_in(self, slot: Slot, invocation: Invocation) -> Transcript:
        reader = TrialReader(invocation, self._settings.prices)
        before = await to_thread.run_sync(_remember, slot.work) if invocation.may_act else None
        began = anyio.current_time()
        end = await self._start(slot, invocation, reader.take)
        transcript = reader.finish(end, duration=anyio.current_time() - began)
        if before is None:
            return transcript
        output = await to_thread.run_sync(read_output, slot.work, before)
        return replace(transcript, output=output)

    async def _start(
        self, slot: Slot, invocation: Invocation, on_line: Callable[[bytes], Next]
    ) -> ProcessEnd:
        settings = self._settings
        arguments = build_arguments(
            binary=self._binary,
            plugin_dirs=tuple(_absolute(folder) for folder in invocation.plugin_dirs),
            has_project=invocation.project_dir is not None,
            model=invocation.model,
            max_turns=invocation.max_turns,
            permission_mode=self._facts.mode_of(may_act=invocation.may_act),
            allowed_tools=_ACTING_TOOLS if invocation.may_act else (),
        )
        try:
            return await run_process(
                arguments,
                env=_environment(settings, slot),
                cwd=slot.work,
                marker=slot.marker,
                stdin=invocation.prompt.encode(errors="surrogatepass"),
                on_line=on_line,
                limits=TimeLimits(wall=invocation.timeout, idle=settings.idle_timeout),
            )
        except OSError as error:
            detail = f"{self._binary}: cannot start the Claude CLI ({error.strerror}); {_INSTALL}"
            raise EngineUnavailableError(detail) from error


@asynccontextmanager
async def open_local(settings: LocalSettings) -> AsyncIterator[LocalEngine]:
    """Open the engine: find the CLI, sweep what a killed run left, and claim the slots.

    Raises:
        EngineUnavailableError: there is no CLI, no login, no address, or no place to run trials.
    """
    if not settings.access.is_set:
        raise EngineUnavailableError(f"engine local: there is no login for Claude; {_LOGIN}")
    if settings.access.fault is not None:
        raise EngineUnavailableError(f"engine local: {settings.access.fault}")
    try:
        binary = find_binary(settings.claude, path=settings.path)
    except EngineUnavailableError as error:
        raise EngineUnavailableError(f"engine local: {error}; {_INSTALL}") from error
    root = await to_thread.run_sync(open_root, settings.temp_root)
    slots: tuple[Slot, ...] = ()
    engine = None
    try:
        for abandoned in claim_abandoned(root):
            await _sweep(abandoned)
        slots = claim_slots(root, settings.concurrency)
        version = await _read_version(binary, settings, slots[0])
        simulated = await to_thread.run_sync(is_standin, settings.access.base_url or "")
        facts = _facts(settings, version, simulated=simulated)
        engine = LocalEngine(settings, binary, facts, slots)
        yield engine
    finally:
        with anyio.CancelScope(shield=True):
            if engine is not None:
                engine.close()
            for slot in slots:
                await _sweep(slot)
            close_root(root)


async def _sweep(slot: Slot) -> None:
    """End what still runs in a slot, delete its files and let go of it."""
    await end_marked(slot.marker)
    await to_thread.run_sync(slot.free)


async def _read_version(binary: str, settings: LocalSettings, slot: Slot) -> str:
    lines: list[bytes] = []

    def on_line(line: bytes) -> Next:
        lines.append(line)
        return Next.LINGER

    await to_thread.run_sync(slot.lay_out)
    try:
        end = await run_process(
            (binary, "--version"),
            env=_environment(settings, slot),
            cwd=slot.work,
            marker=slot.marker,
            stdin=b"",
            on_line=on_line,
            limits=TimeLimits(wall=VERSION_TIMEOUT, idle=VERSION_TIMEOUT),
        )
    except OSError as error:
        detail = f"{binary}: cannot start the Claude CLI ({error.strerror}); {_INSTALL}"
        raise EngineUnavailableError(detail) from error
    said = b"\n".join(lines).decode(errors="replace")
    version = find_version(said)
    if version is None and (end.timed_out or end.idle):
        raise EngineUnavailableError(
            f"{binary}: `--version` did not answer within {VERSION_TIMEOUT:g} s; {_INSTALL}"
        )
    if version is None:
        words = shorten((said.strip() or end.stderr.strip()).partition("\n")[0]) or "nothing"
        raise EngineUnavailableError(
            f"{binary}: `--version` says {words!r}, which is no Claude CLI; {_INSTALL}"
        )
    return version


def _facts(settings: LocalSettings, version: str, *, simulated: bool) -> EngineFacts:
    endpoint = settings.access.endpoint
    payer = "nobody: a stand-in answers" if simulated else f"the {settings.access.payer}"
    return EngineFacts(
        name="local",
        simulated=simulated,
        endpoint=endpoint,
        cli_version=version,
        permission_mode=settings.permission_mode,
        effort="default",
        headline=f"engine local: Claude Code {version} on this machine, requests to {endpoint}, "
        f"paid by {payer}",
        acting_mode=_ACTING_MODE,
    )


def _remember(work: Path) -> Snapshot:
    """Remember what a trial finds.

    Raises:
        TrialError: something of it cannot be read.
    """
    try:
        return snapshot(work)
    except OSError as error:
        detail = f"{error.filename}: cannot read the working folder: {error.strerror or error}"
        raise TrialError("set_up", detail) from error


def _absolute(path: str | Path) -> str:
    """Name a file so that it is found from a trial's working folder too."""
    return str(Path(path).absolute())


def _environment(settings: LocalSettings, slot: Slot) -> dict[str, str]:
    return build_environment(
        settings.access,
        home=str(slot.home),
        temp=str(slot.temp),
        path=settings.path,
        extra=settings.extra_env,
        listing_budget=settings.listing_budget,
    )


def _queue(
    slots: tuple[Slot, ...],
) -> tuple[MemoryObjectSendStream[Slot], MemoryObjectReceiveStream[Slot]]:
    give, take = anyio.create_memory_object_stream[Slot](len(slots))
    for slot in slots:
        give.send_nowait(slot)
    return give, take
