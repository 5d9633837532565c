"""What the real Claude CLIs list is what is computed, line by line and to the character."""

import itertools
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code.command import Access, build_arguments, build_environment
from skillwalker.config import Login, LoopConfig
from skillwalker.datatypes.inputs import Listed, ListingPlace
from skillwalker.datatypes.trials import BuiltPlugin
from skillwalker.datatypes.vocabulary import ListingState, Position, TargetKind
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import PreflightError
from skillwalker.listing.listed import list_file, place_in_listing
from skillwalker.plan import Plan, for_version, prepare
from skillwalker.recorder import open_recorder
from skillwalker.sent_listing import check_shown, difference
from skillwalker.standin.behaviour import scripted
from skillwalker.standin.replies import Reply, Say
from skillwalker.standin.request import ListedEntry, read_listing
from skillwalker.standin.server import Standin, serve
from skillwalker.steps.step_3_build_plugin import build_plugin
from tests.bench import call_cases, make_bench_project, places_of, skill_text
from tests.clis import VERSIONS, need_cli

pytestmark = pytest.mark.cli

OLDER, NEWER = "claude-sonnet-4-5", "claude-opus-5-5"
PATH = "/usr/local/bin:/usr/bin:/bin"
SIZES = (500, 40, 1_200, 90, 1_530, 250, 760, 25, 1_024, 330)
NO_OWN_SKILLS = (
    '{"disableBundledSkills":true,"enabledPlugins":{"cc-plugin-plugin-authoring@builtin":false}}'
)


@dataclass(frozen=True, slots=True)
class Crowd:
    """So many skills of mixed length, shown to a model by a version of the CLI."""

    version: str
    model: str
    count: int
    bundled: bool

    @property
    def name(self) -> str:
        """Name the crowd in a path and in the test's id."""
        own = "bundled" if self.bundled else "alone"
        return f"{self.version}-{self.model}-{self.count}-{own}"


CROWDS = [
    Crowd(*facts)
    for facts in itertools.product(VERSIONS, (OLDER, NEWER), (1, 5, 20, 60), (True, False))
]


def skill_file(number: int) -> str:
    """A skill with a text of its own length, signs that are escaped or wide, and other names."""
    text = (f"Number {number}: use <it> & 語 when asked. " + "word " * 400)[: SIZES[number % 10]]
    later = "when_to_use: On Mondays.\n" if number % 7 == 3 else ""
    name = f"other-{number}" if number % 5 == 2 else f"s{number:02}"
    return f"---\nname: {name}\ndescription: '{text}'\n{later}---\nDo it.\n"


def write_crowd(folder: Path, count: int) -> list[Listed]:
    """Write a plugin of skills, and compute how each is listed."""
    listed = []
    for number in range(count):
        path = folder / f"skills/s{number:02}/SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(skill_file(number))
        content = path.read_bytes()
        listed.append(list_file(path, content, TargetKind.SKILL, Position.PLUGIN, folder.name))
    (folder / ".claude-plugin").mkdir()
    (folder / ".claude-plugin/plugin.json").write_text(f'{{"name": "{folder.name}"}}')
    return listed


def run_crowd(crowd: Crowd, binary: Path, standin: Standin) -> list[tuple[ListingPlace, str]]:
    """Run the CLI once and give each skill's place, with how the request differs from it."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        listed = write_crowd(root / "crowd", crowd.count)
        for name in ("home", "work"):
            (root / name).mkdir()
        arguments = build_arguments(
            binary=str(binary),
            plugin_dirs=(str(root / "crowd"),),
            has_project=False,
            model=crowd.model,
            max_turns=1,
        )
        environment = build_environment(
            Access(api_key="sk-ant-dummy", base_url=f"{standin.url}/{crowd.name}"),
            home=str(root / "home"),
            temp=str(root),
            path=PATH,
        )
        alone = () if crowd.bundled else ("--settings", NO_OWN_SKILLS)
        subprocess.run(
            [*arguments, *alone],
            env=environment,
            cwd=root / "work",
            input=b"Hello.",
            capture_output=True,
            timeout=60,
        )
    sent = next(one for one in tuple(standin.requests) if one.prefix == crowd.name)
    return [
        (where, difference(where, read_listing(sent.body)) or "")
        for where in (
            place_in_listing(
                one, listed, model=crowd.model, bundled=crowd.bundled, version=crowd.version
            )
            for one in listed
        )
    ]


Runs = dict[Crowd, Future[list[tuple[ListingPlace, str]]]]


@pytest.fixture(scope="module")
def crowds() -> Iterator[Runs]:
    """Start the CLI for every crowd, a few at a time; each test waits for its own."""
    binaries = {version: need_cli(version) for version in VERSIONS}
    pool = ThreadPoolExecutor(4)
    with serve(scripted([Reply(blocks=(Say("Hello."),))])) as standin:
        yield {
            crowd: pool.submit(run_crowd, crowd, binaries[crowd.version], standin)
            for crowd in CROWDS
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("crowd", CROWDS, ids=[crowd.name for crowd in CROWDS])
def test_every_line_of_a_crowd_is_sent_as_computed(crowds: Runs, crowd: Crowd) -> None:
    found = crowds[crowd].result()
    assert len(found) == crowd.count
    assert [fault for _, fault in found if fault] == []
    states = {where.state for where, _ in found}
    if crowd.count == 60:
        assert states >= {ListingState.WHOLE, ListingState.NAME_ONLY}


# --- a target past the budget ------------------------------------------------------------------


def crowded_plan(root: Path, version: str, model: str, text: str) -> Plan:
    """Plan a run on a target that stands behind siblings which take most of the budget."""
    cases = [{**case, "model": model} for case in call_cases()]
    project = make_bench_project(root, cases=cases)
    skills = project / "plugins/demo/skills"
    (skills / "code-review/SKILL.md").write_text(skill_text("code-review", text))
    for number in range(40):
        folder = skills / f"a{number:02}"
        folder.mkdir()
        (folder / "SKILL.md").write_text(skill_text(folder.name, "x" * (600 + 10 * number)))
    plan = prepare(
        places_of(project),
        kind=TargetKind.SKILL,
        suite="review",
        target=None,
        config=LoopConfig(),
        run_kind="measure",
    )
    return for_version(plan, version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("model", [OLDER, NEWER])
def test_a_target_past_the_budget_is_refused_with_the_length_that_fits(
    tmp_path: Path, version: str, model: str
) -> None:
    settings = EngineSettings(
        login=Login(), temporary=tmp_path / "t", path=PATH, claude=str(need_cli(version))
    )
    settings.temporary.mkdir()
    plan = crowded_plan(tmp_path, version, model, "y" * 1_024)
    fits = plan.listing.longest
    assert fits is not None

    def build(text: str) -> BuiltPlugin:
        return build_plugin(plan.target, text, rivals=plan.rivals, into=tmp_path)

    async def look() -> tuple[ListedEntry, ...]:
        async with open_recorder("local", settings) as probe:
            original = plan.target.description
            with pytest.raises(PreflightError, match=f"at most {fits} characters"):
                await check_shown(plan, original, build(original), probe)
            await check_shown(plan, "z" * fits, build("z" * fits), probe)
            return await probe(build("z" * (fits + 1)), model)

    sent = anyio.run(look)
    assert [line.text for line in sent if line.name == "demo:code-review"] == [None]
    assert list(settings.temporary.iterdir()) == []
