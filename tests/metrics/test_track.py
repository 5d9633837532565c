"""Metrics beside a candidate: the copy they see, what they give, and what they may forbid."""

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.metrics import Calibration, Direction, TrackedMetric
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import ConfigError, TargetError
from skillwalker.metrics.built_in import BUILT_IN_NAMES, track_text, track_trials
from skillwalker.metrics.gate import gates_apply
from skillwalker.metrics.history import CALIBRATIONS, REGISTRY, append_row
from skillwalker.metrics.plugin_copy import copy_with
from skillwalker.metrics.rows import tracked_row
from skillwalker.metrics.track import track
from skillwalker.settings import MetricSettings
from skillwalker.targets.file import read_target
from skillwalker.targets.names import place_in_listing
from tests.metrics.specs import spec
from tests.projects import make_project, write

TEXT = "Use when a review of changes is asked for."
LENGTH = """
import json, os
from pathlib import Path
text = Path(os.environ["SKILLWALKER_TARGET"]).read_text()
Path("left-behind").write_text("")
print(json.dumps({"metric_value": len(text.split("description: ")[1].splitlines()[0])}))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    make_project(folder)
    (tmp_path / "tmp").mkdir()
    return folder


def skill(project: Path, path: str = "plugins/demo/skills/review/SKILL.md") -> Target:
    return read_target(project / path, TargetKind.SKILL)


def python(name: str, code: str, *more: str, **keys: object) -> MetricSettings:
    command = (sys.executable, "-S", "-c", code, *more)
    return spec(name, "positive", command=command, unit="n", **keys)


def tracked(
    project: Path, names: Sequence[str], metrics: Sequence[MetricSettings], text: str = TEXT
) -> tuple[TrackedMetric, ...]:
    return anyio.run(
        partial(
            track,
            names,
            metrics,
            project=project,
            target=skill(project),
            description=text,
            env={"PATH": os.defpath},
            temporary=project.parent / "tmp",
        )
    )


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_command_sees_the_candidate_and_harms_nothing(project: Path) -> None:
    before = everything(project)
    metrics = (python("length", LENGTH, direction="decrease"), python("other", "boom"))
    (found,) = tracked(project, ["length"], metrics)
    assert found == TrackedMetric(
        name="length",
        value=len(TEXT),
        unit="n",
        version=1,
        direction=Direction.DECREASE,
        load_bearing=False,
    )
    assert everything(project) == before
    assert [*(project.parent / "tmp").iterdir()] == []


def test_each_command_gets_a_copy_of_its_own(project: Path) -> None:
    code = "import os; print('METRIC files=%d' % os.path.exists('left-behind'))"
    found = tracked(project, ["a", "files"], (python("a", LENGTH), python("files", code)))
    assert [metric.value for metric in found] == [len(TEXT), 0]


def test_arguments_may_name_the_places(project: Path) -> None:
    write(project / "count.py", "import sys; print('METRIC n=%d' % len(open(sys.argv[1]).read()))")
    metric = spec("n", "positive", command=(sys.executable, "-S", "{project}/count.py", "{target}"))
    (found,) = tracked(project, ["n"], [metric])
    assert found.value is not None
    assert found.value > len(TEXT)


def test_a_failure_is_a_value_with_its_reason(project: Path) -> None:
    metrics = (
        python("crash", "raise SystemExit(3)"),
        python("other", "print('METRIC x=1')"),
        python("negative", "print('METRIC negative=-1')"),
        python("fine", "print('METRIC fine=1')"),
        spec("all", "positive", unit="n", parts=("fine", "crash")),
        spec("absent", command=("no-such-program",)),
    )
    found = tracked(project, [metric.name for metric in metrics], metrics)
    assert [metric.value for metric in found] == [None, None, None, 1, None, None]
    errors = [metric.error or "" for metric in found]
    assert errors[:5] == [
        "crashed with exit code 3",
        'the metric "other" is missing; there is "x"',
        "-1 is negative, which a positive metric never is",
        "",
        "crash: crashed with exit code 3",
    ]
    assert "cannot be started" in errors[5]


def test_a_composite_runs_its_parts_once(project: Path) -> None:
    metrics = (python("a", LENGTH), spec("all", "positive", unit="n", parts=("a", "a")))
    found = tracked(project, ["all", "a"], metrics)
    assert [metric.value for metric in found] == [2 * len(TEXT), len(TEXT)]


def test_nothing_named_is_nothing_done(project: Path) -> None:
    assert tracked(project, [], [spec("a b")]) == ()


def test_what_is_wrong_with_the_metrics_is_said(project: Path) -> None:
    with pytest.raises(ConfigError, match='no metric "b"'):
        tracked(project, ["b"], [spec("a")])
    append_row(project, REGISTRY, {"metric": "a", "version": 1, "fingerprint": "else"})
    with pytest.raises(ConfigError, match="set its version to 2"):
        tracked(project, ["a"], [spec("a")])
    with pytest.raises(TargetError):
        tracked(project, ["a"], [spec("a", version=2)], "\x00")


def test_calibrations_make_a_metric_load_bearing(project: Path) -> None:
    for _ in range(5):
        pair = Calibration(metric="a", version=1, predicted=1.0, observed=1.0)
        row = {"metric": pair.metric, "version": 1, "predicted": 1.0, "observed": 1.0}
        append_row(project, CALIBRATIONS, row)
    metrics = (python("a", "print('METRIC a=1')"), python("b", "print('METRIC b=1')"))
    assert [m.load_bearing for m in tracked(project, ["a", "b"], metrics)] == [True, False]


def test_the_copy_is_the_plugin_without_what_does_not_belong(project: Path) -> None:
    plugin = project / "plugins/demo"
    write(plugin / "scripts/run.sh", "x")
    write(plugin / "node_modules/big.js", "x")
    write(plugin / "output/run/trials.jsonl", "x")
    os.mkfifo(plugin / "pipe")
    (plugin / "link").symlink_to("/nowhere")
    (plugin / "circle").symlink_to("circle")
    target = skill(project)
    temporary = project.parent / "tmp"
    with copy_with(target, TEXT, temporary=temporary, leave_out=[plugin / "output"]) as copy:
        names = {str(path.relative_to(copy.root)) for path in copy.root.rglob("*")}
        assert {"scripts/run.sh", "link", "circle", ".claude-plugin/plugin.json"} <= names
        assert "skills/release/SKILL.md" in names
        assert not names & {"pipe", "node_modules", "output"}
        assert read_target(copy.file, TargetKind.SKILL).description == TEXT
    with copy_with(target, target.description, temporary=temporary) as copy:
        assert copy.file.read_bytes() == target.content


def test_of_a_claude_folder_only_skills_and_agents_are_copied(project: Path) -> None:
    write(project / ".claude/.credentials.json", "secret")
    target = skill(project, ".claude/skills/local/SKILL.md")
    with copy_with(target, TEXT, temporary=project.parent / "tmp") as copy:
        assert [path.name for path in copy.root.iterdir()] == ["skills"]
        assert TEXT.encode() in copy.file.read_bytes()


def test_a_file_that_stands_alone_takes_its_own_folder(project: Path) -> None:
    write(project / "loose/review/SKILL.md", skill(project).content)
    write(project / "loose/secret.txt", "x")
    target = skill(project, "loose/review/SKILL.md")
    with copy_with(target, TEXT, temporary=project.parent / "tmp") as copy:
        assert copy.file == copy.root / "SKILL.md"
        assert [*copy.root.iterdir()] == [copy.file]


def test_a_linked_file_is_not_written_through(project: Path) -> None:
    own = write(project / "own.md", skill(project).content)
    path = project / "plugins/demo/skills/review/SKILL.md"
    path.unlink()
    path.symlink_to(own)
    before = own.read_bytes()
    with copy_with(skill(project), TEXT, temporary=project.parent / "tmp") as copy:
        assert TEXT.encode() in copy.file.read_bytes()
    assert own.read_bytes() == before


def figure(value: float | None, name: str = "a", **keys: object) -> TrackedMetric:
    values: dict[str, object] = {
        "name": name,
        "value": value,
        "unit": "ms",
        "version": 1,
        "direction": Direction.DECREASE,
        "load_bearing": True,
    }
    return TrackedMetric(**(values | keys))  # type: ignore[arg-type]  # keys of the record


UP = Direction.INCREASE


@pytest.mark.parametrize(
    ("original", "best", "reason"),
    [
        pytest.param(
            figure(10), figure(11), '"a" got worse: 10 to 11 ms, and less is better', id="worse"
        ),
        pytest.param(figure(10), figure(10), None, id="equal"),
        pytest.param(figure(10), figure(9), None, id="better"),
        pytest.param(
            figure(10, direction=UP), figure(9, direction=UP), "and more is better", id="increase"
        ),
        pytest.param(figure(10, direction=UP), figure(11, direction=UP), None, id="increased"),
        pytest.param(
            figure(10, load_bearing=False), figure(99, load_bearing=False), None, id="advisory"
        ),
        pytest.param(figure(10, direction=None), figure(99), None, id="no direction"),
        pytest.param(
            figure(10),
            figure(None, error="boom"),
            '"a" could not be measured with the new text (boom)',
            id="crash",
        ),
        pytest.param(figure(10), figure(1, "b"), "it was not tracked", id="missing"),
        pytest.param(figure(None), figure(1), None, id="unknown before"),
        pytest.param(figure(None), figure(None, error="x"), "could not be measured", id="never"),
    ],
)
def test_a_worse_load_bearing_metric_forbids_writing(
    original: TrackedMetric, best: TrackedMetric, reason: str | None
) -> None:
    told = gates_apply([original], [best])
    assert (told is None) if reason is None else (reason in (told or ""))
    assert gates_apply([], [best]) is None


def test_every_reason_is_said() -> None:
    original = [figure(1), figure(1, "b"), figure(1, "c")]
    told = gates_apply(original, [figure(2), figure(2, "b"), figure(1, "c")])
    assert (told or "").count("got worse") == 2


def test_length_share_tokens_and_cost_are_always_there(project: Path) -> None:
    target = skill(project)
    place = place_in_listing(target, (), model="sonnet")
    usage = Usage(input_tokens=10, output_tokens=2, cache_read_tokens=5, cost_usd=0.25)
    length, share = track_text("ab\U0001f600", place)
    tokens, cost = track_trials([usage, usage])
    assert {m.name for m in (length, share, tokens, cost)} == BUILT_IN_NAMES
    assert (length.value, tokens.value, cost.value) == (4, 17, 0.25)
    assert share.value is not None
    assert 0 < share.value < 0.05
    assert not any(m.load_bearing for m in (length, share, tokens, cost))
    assert tracked_row(tokens)["value"] == 17


def test_what_is_not_known_is_none() -> None:
    unknown = Usage(input_tokens=1, cost_usd=None)
    known = Usage(input_tokens=2, cost_usd=0.5)
    assert [metric.value for metric in track_text("ab", None)] == [2, None]
    assert [metric.value for metric in track_trials([unknown, known])] == [1.5, None]
    assert [metric.value for metric in track_trials([])] == [None, None]
    assert "cost of 1 trial is" in (track_trials([unknown])[1].error or "")
