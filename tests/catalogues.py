"""Generated catalogues: many small plugins of one skill, with a suite each."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from skillwalker.catalogue import CatalogueEntry
from skillwalker.config import Login, LoopConfig
from skillwalker.datatypes.nights import NightSummary, Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.engines.simulated import SimulatedEngine
from skillwalker.limits import Limits
from skillwalker.overnight.journal import NightTask
from skillwalker.overnight.living import live_night
from skillwalker.overnight.night import NightTools, Start
from skillwalker.overnight.standing import Claude
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.recording.frozen import Earlier
from tests.bench import places_of

THINGS = ("invoice", "recipe", "melody", "garden", "bicycle", "passport", "telescope", "pottery")
FIRST = "Handles requests."
"""A description that says nothing, so that a better one is easily found."""
ANSWERS = ("write a poem about the sea", "what is the weather in Oslo", "book a table for two")
DEAF, MUTE = "unheard", "unanswered"
"""Words of prompts whose every trial times out, or calls nothing."""


def thing_of(number: int) -> str:
    """Name what the skill of a number is about."""
    return f"{THINGS[number % len(THINGS)]}{number}"


def write_target(project: Path, number: int, *, prompts: tuple[str, ...] | None = None) -> Path:
    """Write a plugin with one skill, and its suite; give the skill's file."""
    thing = thing_of(number)
    plugin = project / "plugins" / f"p{number:02}"
    path = plugin / "skills" / thing / "SKILL.md"
    path.parent.mkdir(parents=True)
    (plugin / ".claude-plugin").mkdir()
    (plugin / ".claude-plugin" / "plugin.json").write_text(f'{{"name": "p{number:02}"}}')
    path.write_text(
        f"---\nname: {thing}\ndescription: {FIRST}\n---\n\n"
        f"Check every {thing} with care, repair the {thing} and file the {thing}.\n"
    )
    positives = prompts or (
        f"please check my {thing}",
        f"repair the {thing} for me",
        f"file this {thing} where it belongs",
    )
    cases = [
        {
            "name": f"{'yes' if expected else 'no'} {at}",
            "type": "skill-call",
            "skillFile": f"p{number:02}:{thing}",
            "prompt": prompt,
            "expect": [{"skill-call": expected}],
        }
        for expected, texts in ((True, positives), (False, ANSWERS))
        for at, prompt in enumerate(texts)
    ]
    folder = project / "evals" / f"s{number:02}"
    folder.mkdir(parents=True)
    (folder / "tests.json").write_text(json.dumps({"plugins": [f"p{number:02}"], "tests": cases}))
    return path


def make_catalogue(root: Path, targets: int) -> Path:
    """Make a project of so many targets."""
    project = root / "project"
    for number in range(targets):
        write_target(project, number)
    return project


@dataclass(slots=True)
class DeafEngine:
    """The simulated engine, in which trials of some prompts time out."""

    inner: SimulatedEngine

    @property
    def facts(self) -> EngineFacts:
        """Those of the simulated engine."""
        return self.inner.facts

    async def run(self, invocation: Invocation) -> Transcript:
        """Answer, or time out."""
        found = await self.inner.run(invocation)
        if MUTE in invocation.prompt:
            return replace(found, calls=())
        if DEAF not in invocation.prompt:
            return found
        return Transcript(
            calls=(),
            turns=0,
            model=None,
            cli_version=found.cli_version,
            usage=found.usage,
            duration=0.0,
            failure="timeout",
            detail="timed out on purpose",
        )


@dataclass(slots=True)
class Catalogue:
    """A project and the nights over it."""

    project: Path
    apply: bool = False
    config: LoopConfig = field(default_factory=lambda: LoopConfig(max_iterations=2, confirm_runs=2))
    told: list[tuple[str, Stage, int]] = field(default_factory=list)
    """Suite, stage and exit code of each run."""
    on_run: Callable[[], None] = lambda: None
    """Is called behind each run."""
    simulated: bool = True
    """Whether no model answers, as the night is told."""

    def task(self, **values: object) -> NightTask:
        """What is asked of a night."""
        template = Order(
            run_kind="measure",
            kind=TargetKind.SKILL,
            suite=None,
            target=None,
            config=self.config,
            engine="simulated",
            improver="simulated",
        )
        return NightTask(template=template, **values)  # type: ignore[arg-type]  # a test's own

    async def live(
        self, folder: Path, *, limits: Limits | None = None, **values: object
    ) -> NightSummary:
        """Live a night in a folder, or go on with it."""
        return await self.go_on(self.task(**values), folder, limits)

    async def go_on(
        self, task: NightTask, folder: Path, limits: Limits | None = None
    ) -> NightSummary:
        """Live a night as it is asked, or as it was."""
        await anyio.Path(folder).mkdir(parents=True, exist_ok=True)
        limits = limits or Limits()
        tools = NightTools(
            places=places_of(self.project),
            start=self.starter(limits),
            limits=limits,
            claude=Claude(cli_version="simulated", simulated=self.simulated),
            ended=self._take,
        )
        return await live_night(task, tools, folder)

    def starter(self, limits: Limits) -> Start:
        """Make what does the runs of a night."""
        places = places_of(self.project)

        async def start(
            order: Order, earlier: Earlier | None, began: Callable[[str], None]
        ) -> tuple[Summary, Path]:
            around = Surroundings(
                places=places,
                temporary=self.project.parent,
                login=Login(),
                listener=lambda _event: None,
                approve=lambda _summary: self.apply and order.challenger is None,
                limits=limits.share(),
                open_engine=self._open,
                began=began,
            )
            return await run_order(order, around, earlier)

        return start

    def _open(self) -> AbstractAsyncContextManager[Engine]:
        @asynccontextmanager
        async def opened() -> AsyncIterator[Engine]:
            yield DeafEngine(SimulatedEngine(seed=0))

        return opened()

    def _take(self, entry: CatalogueEntry, result: StageResult) -> None:
        self.told.append((entry.suite, result.stage, result.exit_code))
        self.on_run()
