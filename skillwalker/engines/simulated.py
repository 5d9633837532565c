"""The simulated engine: answers trials by the lexical router, at once, offline and for nothing.

It measures no model. It exists for a first look, for demonstrations and for tests of the loop,
and everything that shows its results says so.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anyio.lowlevel import checkpoint

from skillwalker.datatypes.trials import Call, Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import Mode, Position, TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import TrialError
from skillwalker.simulation.router import ListingEntry, choose_entry, draw
from skillwalker.targets.file import shown_file
from skillwalker.targets.place import PROJECT_FOLDER, files_of

NAME: Final = "simulated"
_FACTS: Final = EngineFacts(
    name=NAME,
    simulated=True,
    endpoint=NAME,
    cli_version=NAME,
    permission_mode="dontAsk",
    effort="default",
    headline=(
        "engine simulated: it compares the words of prompts and"
        " descriptions, asks no Claude, and nobody pays"
    ),
)
_FIRST_TURN: Final = 0.8
"""Share of calls that come at the first turn; the others come at the second."""
_TURNS_WITHOUT_CALL: Final = 2
_COMMAND: Final = re.compile(r"/([^\s/]+)(?:\s|$)")

_Folders = tuple[tuple[Path, ...], Path | None]


class SimulatedEngine:
    """Implements `engines.protocol.Engine` without running anything.

    Folders are read once: a candidate's copy never changes after it was built.

    Args:
        seed: of the run; another seed, other noise.
    """

    def __init__(self, *, seed: int) -> None:
        self._seed = seed
        self._catalogs: dict[_Folders, tuple[ListingEntry, ...]] = {}

    @property
    def facts(self) -> EngineFacts:
        """What to record with each trial."""
        return _FACTS

    async def run(self, invocation: Invocation) -> Transcript:
        """Answer one trial.

        Raises:
            TrialError: a folder of the invocation cannot be read.
        """
        await checkpoint()
        catalog = self._catalog(invocation)
        command = _command(invocation.prompt, catalog)
        if command is not None:
            return _transcript(command, Mode.COMMAND, step=1)
        chosen = choose_entry(
            invocation.prompt, catalog, seed=self._seed, run_index=invocation.run_index
        )
        if chosen is None:
            return _transcript(None, Mode.TOOL, step=min(_TURNS_WITHOUT_CALL, invocation.max_turns))
        return _transcript(chosen, Mode.TOOL, step=self._step(chosen, invocation))

    def _step(self, chosen: ListingEntry, invocation: Invocation) -> int:
        """Say at which turn the call comes."""
        late = draw(
            "step", invocation.prompt, chosen, seed=self._seed, run_index=invocation.run_index
        )
        return 1 if late < _FIRST_TURN else min(2, invocation.max_turns)

    def _catalog(self, invocation: Invocation) -> tuple[ListingEntry, ...]:
        """Read what the invocation's folders list, once."""
        key = (invocation.plugin_dirs, invocation.project_dir)
        catalog = self._catalogs.get(key)
        if catalog is None:
            catalog = self._catalogs[key] = read_catalog(*key)
        return catalog


def read_catalog(
    plugin_dirs: tuple[Path, ...], project_dir: Path | None
) -> tuple[ListingEntry, ...]:
    """Read what Claude Code would list of plugin folders and of a project's `.claude`.

    Raises:
        TrialError: a folder is missing.
    """
    roots = [(folder, Position.PLUGIN) for folder in plugin_dirs]
    if project_dir is not None:
        roots.append((project_dir / PROJECT_FOLDER, Position.PROJECT))
    return tuple(entry for root, position in roots for entry in _entries(root, position))


def _entries(root: Path, position: Position) -> Iterator[ListingEntry]:
    """Yield the listed files below one folder; what cannot be read is not listed."""
    if not root.is_dir():
        raise TrialError("set_up", f"{root} is not a folder; build the plugin copy first")
    for kind in TargetKind:
        for path in files_of(root, kind):
            _, listed = shown_file(path, kind, position)
            if listed.listed and listed.name is not None:
                yield ListingEntry(listed.name, kind, listed.text or listed.stand_in or "")


def _command(prompt: str, catalog: tuple[ListingEntry, ...]) -> ListingEntry | None:
    """Find the skill that a prompt names as a slash command; other words with a slash are text."""
    named = _COMMAND.match(prompt)
    if named is None:
        return None
    name = named.group(1)
    skills = [entry for entry in catalog if entry.kind is TargetKind.SKILL]
    exact = [entry for entry in skills if entry.name == name]
    bare = [entry for entry in skills if entry.name.rpartition(":")[2] == name]
    return next(iter((*exact, *bare)), None)


def _transcript(called: ListingEntry | None, mode: Mode, *, step: int) -> Transcript:
    """Write down a trial that ended at a turn."""
    calls: tuple[Call, ...] = ()
    if called is not None:
        calls = (Call(kind=called.kind, name=called.name, step=step, mode=mode),)
    return Transcript(
        calls=calls,
        turns=step,
        model=NAME,
        cli_version=NAME,
        usage=Usage(cost_usd=0.0),
        duration=0.0,
        answer="skill triggered" if called is not None else "",
    )
