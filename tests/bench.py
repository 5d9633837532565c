"""A small project and everything that a run of the loop on it needs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import ListingPlace, Target
from skillwalker.datatypes.summary import Event
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.limits import Limits
from skillwalker.loop import Tools
from skillwalker.paths import Places, open_places
from skillwalker.plan import Plan, prepare
from skillwalker.preflight import Measurer
from skillwalker.search.phases import Phases
from skillwalker.settings import load_settings
from tests.fakes import ChanceEngine, MemoryJournal, ScriptedCompleter

POSITIVES = (
    "please review my pull request before I merge it",
    "look over this diff for mistakes",
    "check these changes for bugs and tell me what to fix",
    "can a second pair of eyes go through my patch",
    "is this commit safe to merge",
    "critique the code in src/app.py line by line",
)
NEGATIVES = (
    "write a poem about the sea",
    "what is the weather in Oslo",
    "translate this letter into French",
    "book a table for two on Friday",
    "summarise the minutes of yesterday's meeting",
    "explain how photosynthesis works",
)
DESCRIPTION = "Helps with code review"


def skill_text(name: str, description: str) -> str:
    """The text of a SKILL.md."""
    return (
        f"---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n"
        "Review pull requests, diffs, patches and commits for bugs before a merge.\n"
    )


def agent_text(name: str, description: str) -> str:
    """The text of an agent's file."""
    return f"---\nname: {name}\ndescription: {description}\n---\n\nCompare code with its plan.\n"


def call_cases(
    target: str = "demo:code-review",
    *,
    kind: TargetKind = TargetKind.SKILL,
    positives: Sequence[str] = POSITIVES,
    negatives: Sequence[str] = NEGATIVES,
) -> list[dict[str, object]]:
    """Cases of tests.json, the positives first."""
    return [
        {
            "name": f"{'yes' if expected else 'no'} {number}",
            "type": f"{kind.value}-call",
            f"{kind.value}File": target,
            "prompt": prompt,
            "expect": [{f"{kind.value}-call": expected}],
        }
        for expected, prompts in ((True, positives), (False, negatives))
        for number, prompt in enumerate(prompts)
    ]


def write_cases(project: Path, name: str, cases: Sequence[Mapping[str, object]]) -> Path:
    """Write a suite's tests.json."""
    folder = project / "evals" / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tests.json"
    suite = {"plugins": ["demo"], "tests": list(cases)}
    path.write_text(json.dumps(suite, ensure_ascii=False), encoding="utf-8")
    return path


def make_bench_project(root: Path, *, cases: Sequence[Mapping[str, object]] | None = None) -> Path:
    """Write a project with a plugin of two skills and an agent, and the suite `review`."""
    project = root / "project"
    plugin = project / "plugins" / "demo"
    for name, text in (
        (".claude-plugin/plugin.json", '{"name": "demo", "version": "1.0.0"}'),
        ("skills/code-review/SKILL.md", skill_text("code-review", DESCRIPTION)),
        ("skills/weather/SKILL.md", skill_text("weather", "Tells the weather of a city.")),
        ("agents/gap-analyzer.md", agent_text("gap-analyzer", "Compares plans with code.")),
    ):
        path = plugin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_cases(project, "review", cases if cases is not None else call_cases())
    return project


def places_of(project: Path) -> Places:
    """The folders of a project whose user has an empty home."""
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    return open_places(project, load_settings(project), home)


def plan_of(project: Path, config: LoopConfig | None = None, *, kind: str = "scil") -> Plan:
    """The plan of a run on the project's skill."""
    return prepare(
        places_of(project),
        kind=TargetKind.SKILL,
        suite="review",
        target=None,
        config=config or LoopConfig(),
        run_kind=kind,
    )


async def passing_preflight(
    target: Target, place: ListingPlace, models: Sequence[str], measure: Measurer
) -> None:
    """A preflight that passes without a trial."""
    assert target.id
    assert place.budget_chars
    assert models
    assert callable(measure)


@dataclass(slots=True)
class Bench:
    """Everything a run of the loop needs, with what it said kept for the test."""

    workdir: Path
    engine: ChanceEngine = field(default_factory=lambda: ChanceEngine(0.5))
    completer: ScriptedCompleter = field(default_factory=lambda: ScriptedCompleter(()))
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    limits: Limits = field(default_factory=Limits)
    events: list[Event] = field(default_factory=list)
    max_iterations: int = 5
    runs: int = 1

    def tools(self, **changes: object) -> Tools:
        """The tools of a run."""
        self.workdir.mkdir(exist_ok=True)
        settings: dict[str, object] = {
            "engine": self.engine,
            "strategy": Phases(max_iterations=self.max_iterations, runs=self.runs),
            "journal": self.journal,
            "limits": self.limits,
            "listener": self.events.append,
            "workdir": self.workdir,
            "completer": self.completer,
            "preflight": passing_preflight,
        }
        return Tools(**{**settings, **changes})  # type: ignore[arg-type]  # a test's own mixture


def reply(description: str) -> str:
    """An improver's answer."""
    return json.dumps({"description": description, "reason": "because of the failures"})
