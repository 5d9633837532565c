"""What no improver may see, in whole runs: hidden prompts and confirm results, however it lived."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from skillwalker.preflight import UNRELATED_PROMPTS
from tests.bench import NEGATIVES, POSITIVES, call_cases, make_bench_project, write_cases
from tests.kills import Life, live, resumable, rows

STRATEGIES = {
    "phases": ("--max-iterations", "4"),
    "race": ("--search", "race", "--max-trials", "150"),
}
NEIGHBOURS = ("what is the weather in Bergen", "will it rain in Oslo tomorrow")
HIDDEN_CONTROL = "now, before anything else"
COMMON = ("--no-html", "--json", "-C")


def marked(prompts: Sequence[str], word: str) -> list[str]:
    """Give each prompt a word that stands nowhere else."""
    return [f"{prompt} {word}{chr(97 + at)}canary" for at, prompt in enumerate(prompts)]


def canary(prompt: str) -> str:
    """Find the word of a prompt."""
    return next(word for word in prompt.split() if word.endswith("canary"))


def make_project(root: Path) -> Path:
    """Make a project whose cases, and those of a neighbour, can be told in any text."""
    project = make_bench_project(
        root,
        cases=call_cases(positives=marked(POSITIVES, "yes"), negatives=marked(NEGATIVES, "no")),
    )
    others = call_cases("demo:weather", positives=marked(NEIGHBOURS, "near"), negatives=())
    write_cases(project, "weather", others)
    return project


def start_of(strategy: str, project: Path, seed: int) -> tuple[str, ...]:
    """The command that starts a run."""
    return (
        *("scil", "run", "--eval", "review", "--engine", "simulated", "--holdout", "0.55"),
        *("--guard-neighbours", "--gate", "0.9999", "--seed", str(seed)),
        *(*STRATEGIES[strategy], *COMMON, str(project)),
    )


@settings(max_examples=4, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(
    strategy=st.sampled_from(sorted(STRATEGIES)),
    seed=st.integers(0, 99),
    kills=st.lists(st.floats(0.05, 1.0), max_size=2),
    further=st.integers(0, 2),
)
def test_no_prompt_of_an_improver_holds_what_is_hidden(
    strategy: str, seed: int, kills: list[float], further: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder))
        run = live_on(project, start_of(strategy, project, seed), kills)
        if further:
            resume(project, run, "--more", str(further))
        look_through(run)


def live_on(project: Path, start: Sequence[str], kills: Sequence[float]) -> Path:
    """Start a run, kill it after some seconds each time, and let it end; give its folder."""
    for seconds in kills:
        run = resumable(project)
        if run is None:
            live(start, project.parent, seconds=seconds)
        else:
            resume(project, run, seconds=seconds)
    run = resumable(project)
    last = live(start, project.parent) if run is None else resume(project, run)
    assert last.code == 0
    run = resumable(project)
    assert run is not None
    return run


def resume(project: Path, run: Path, *words: str, seconds: float = 120.0) -> Life:
    """Go on with a run."""
    resumed = ("scil", "run", "--resume", run.name, "--max-trials", "9999")
    return live((*resumed, *words, *COMMON, str(project)), project.parent, seconds=seconds)


def look_through(run: Path) -> None:
    """See that the prompts of a run hold train requests, and nothing that is hidden."""
    record = json.loads((run / "run.json").read_text("utf-8"))
    shown = {canary(c["prompt"]) for c in record["cases"] if c["set"] == "train"}
    hidden = {canary(c["prompt"]) for c in record["cases"] if c["set"] == "holdout"}
    assert len(hidden) >= 4
    near = {canary(case["prompt"]) for case in record["neighbours"]}
    assert len(near) == len(NEIGHBOURS)
    prompts = "\n".join(row["prompt"] for row in rows(run, "improver.jsonl"))
    assert [word for word in (*hidden, *near) if word in prompts] == []
    assert [text for text in (HIDDEN_CONTROL, *UNRELATED_PROMPTS) if text in prompts] == []
    assert not prompts or any(word in prompts for word in shown)
    assert {"control", "confirm"} <= {row["set"] for row in rows(run, "trials.jsonl")} or not (
        json.loads((run / "scil-summary.json").read_text("utf-8"))["gate"]["rounds"]
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_confirm_results_change_no_prompt(tmp_path: Path, strategy: str) -> None:
    project = make_project(tmp_path)
    run = live_on(project, start_of(strategy, project, 3), ())
    asked = rows(run, "improver.jsonl")
    assert asked
    assert any(row["set"] == "confirm" for row in rows(run, "trials.jsonl"))
    assert resume(project, run, "--more", "2").code == 0
    assert rows(run, "improver.jsonl") == asked
