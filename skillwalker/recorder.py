"""Shows what Claude Code really sends of a candidate, without asking the API.

The engine of the run is opened once more, against a server on loopback that answers every
request itself and forwards none: no key is given to it and nothing can be paid.
"""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from skillwalker.config import Login
from skillwalker.datatypes.trials import BuiltPlugin, Invocation
from skillwalker.engines.protocol import Engine
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.errors import PreflightError, TrialError
from skillwalker.sent_listing import Probe
from skillwalker.standin.behaviour import scripted
from skillwalker.standin.replies import Reply, Say
from skillwalker.standin.request import ListedEntry, read_listing, read_prompt
from skillwalker.standin.server import Standin, serve

PROMPT = "What is the capital of Norway?"
NO_KEY = "sk-ant-no-key-recorder-only"
TIMEOUT = 60.0

_ELSEWHERE = re.compile(r"(?i)\w*_proxy|CLAUDE_CODE_USE_\w+")
"""Variables that would lead a request past the recorder."""


class Recorder:
    """Runs a trial of a copy and reads what its request lists; opened by `open_recorder`.

    Args:
        engine: sends its requests to `standin`.
        standin: remembers them.
        on_request: is told for which model a request was seen, and of how many bytes.
    """

    def __init__(
        self, engine: Engine, standin: Standin, on_request: Callable[[str, int], None] | None = None
    ) -> None:
        self._engine = engine
        self._standin = standin
        self._on_request = on_request

    async def __call__(self, built: BuiltPlugin, model: str) -> tuple[ListedEntry, ...]:
        """Give what the first request of a trial lists.

        Raises:
            PreflightError: no request was sent.
            EngineUnavailableError: no trial can run.
        """
        self._standin.requests.clear()
        try:
            transcript = await self._engine.run(_invocation(built, model))
            why = transcript.detail or "no reason was given"
        except TrialError as error:
            why = error.detail
        asked = (one for one in self._standin.requests if read_prompt(one.body) == PROMPT)
        first = next(asked, None)
        if first is None:
            raise PreflightError(
                f"what Claude Code lists for {model} could not be seen: it sent no request ({why})"
            )
        if self._on_request is not None:
            self._on_request(model, len(first.raw))
        return read_listing(first.body)


@asynccontextmanager
async def open_recorder(
    engine: str,
    settings: EngineSettings,
    *,
    on_request: Callable[[str, int], None] | None = None,
) -> AsyncIterator[Probe]:
    """Open an engine like the run's against a recorder on loopback.

    Args:
        engine: its name.
        settings: of the run; login and address are replaced.
        on_request: is told for which model a request was seen, and of how many bytes.

    Raises:
        EngineUnavailableError: no trial can run.
    """
    with serve(scripted([Reply(blocks=(Say("Oslo."),))]), keep=20) as standin:
        told = settings_at(settings, standin.url)
        async with open_engine(engine, seed=0, settings=told) as opened:
            yield Recorder(opened, standin, on_request)


def settings_at(settings: EngineSettings, url: str) -> EngineSettings:
    """Send an engine to an address on loopback, without its login and what leads elsewhere."""
    variables = settings.engine_env.items()
    return replace(
        settings,
        login=Login(api_key=NO_KEY, base_url=url),
        concurrency=1,
        engine_env={name: text for name, text in variables if not _ELSEWHERE.fullmatch(name)},
    )


def _invocation(built: BuiltPlugin, model: str) -> Invocation:
    """Build a trial that lists what the run's trials list."""
    return Invocation(
        prompt=PROMPT,
        plugin_dirs=built.plugin_dirs,
        project_dir=built.project_dir,
        scaffold=None,
        model=model,
        max_turns=1,
        timeout=TIMEOUT,
        called_as=None,
        run_index=0,
    )
