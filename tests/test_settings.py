import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.errors import ConfigError
from skillwalker.settings import (
    BudgetSettings,
    MetricSettings,
    ModelSettings,
    PriceSettings,
    Settings,
    load_settings,
)
from tests.projects import write

WHOLE = """
plugin-dirs = ["more"]
evals-dir = "suites"
output-dir = "runs"
engine = "local"
claude = "/opt/claude"
engine-env = ["HTTPS_PROXY"]
models = { improver = "opus", trial = "sonnet", judge = "haiku" }
budget = { max-cost-usd = 5, max-trials = 100, deadline = "2h30m", max-pause = "30m" }

[prices."claude-x"]
input = 1
output = 2.5
cache-write = 1.25
cache-read = 0.1

[metrics.speed]
kind = "positive"
unit = "ms"
description = "time of a build"
command = ["make", "bench"]
direction = "decrease"
scale = 250

[metrics.all]
kind = "positive"
unit = "ms"
description = "all times"
version = 2
sum = ["speed", "other"]
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    source = write(tmp_path / "skillwalker.toml", WHOLE)
    assert load_settings(tmp_path) == Settings(
        source=source,
        plugin_dirs=("more",),
        evals_dir="suites",
        output_dir="runs",
        engine="local",
        claude="/opt/claude",
        engine_env=("HTTPS_PROXY",),
        models=ModelSettings(improver="opus", trial="sonnet", judge="haiku"),
        budget=BudgetSettings(max_cost_usd=5, max_trials=100, deadline="2h30m", max_pause="30m"),
        prices=(
            PriceSettings(model="claude-x", input=1, output=2.5, cache_write=1.25, cache_read=0.1),
        ),
        metrics=(
            MetricSettings(
                name="speed",
                kind="positive",
                unit="ms",
                description="time of a build",
                version=1,
                command=("make", "bench"),
                direction="decrease",
                scale=250,
            ),
            MetricSettings(
                name="all",
                kind="positive",
                unit="ms",
                description="all times",
                version=2,
                composition="sum",
                parts=("speed", "other"),
            ),
        ),
    )


def test_a_project_without_settings_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()
    write(tmp_path / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert load_settings(tmp_path) == Settings()


def test_pyproject_is_read_unless_there_is_a_file_of_our_own(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.skillwalker]\nevals-dir = "a"\n')
    assert load_settings(tmp_path).evals_dir == "a"
    write(tmp_path / "skillwalker.toml", '\ufeffevals-dir = "b"\n')
    assert load_settings(tmp_path).evals_dir == "b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "evals-dir = 3",
            'skillwalker.toml: "evals-dir" must be a text in quotes, not 3',
            id="type",
        ),
        pytest.param(
            'plugin-dir = ["x"]',
            'skillwalker.toml: unknown key "plugin-dir"; did you mean "plugin-dirs"?',
            id="unknown",
        ),
        pytest.param(
            "[budget]\nmax-trails = 1",
            'skillwalker.toml: unknown key "budget.max-trails"; did you mean "max-trials"?',
            id="unknown inside",
        ),
        pytest.param(
            "[models]\nxyz = 'a'",
            'skillwalker.toml: unknown key "models.xyz"; known: "improver", "trial", "judge"',
            id="unknown and like nothing",
        ),
        pytest.param(
            'engine = "api"',
            'skillwalker.toml: engine "api" is reserved and not built yet; '
            "choose docker, local or simulated",
            id="reserved",
        ),
        pytest.param(
            'engine = "dock"',
            'skillwalker.toml: "engine" must be "docker", "local" or "simulated", not "dock"',
            id="engine",
        ),
        pytest.param(
            "[budget]\nmax-trials = true",
            'skillwalker.toml: "budget.max-trials" must be a whole number, not true',
            id="bool is no number",
        ),
        pytest.param(
            "[budget]\nmax-cost-usd = inf",
            'skillwalker.toml: "budget.max-cost-usd" must be a finite number, not inf',
            id="inf",
        ),
        pytest.param(
            "[prices.m]\ninput = -1\noutput = 1\ncache-write = 1",
            'skillwalker.toml: "prices.m.input" must be at least 0, not -1\n'
            'skillwalker.toml: "prices.m.cache-read" is missing; add it',
            id="two faults",
        ),
        pytest.param(
            '[metrics.m]\nkind = "bounded"\nunit = "u"\ndescription = "d"',
            'skillwalker.toml: "metrics.m" must be measured by exactly one of '
            '"command", "sum", "max" and "min"',
            id="metric without a source",
        ),
        pytest.param(
            '[metrics.m]\nkind = "bounded"\nunit = "u"\ndescription = "d"\nmax = ["a"]\n'
            'direction = "up"\nscale = 0',
            'skillwalker.toml: "metrics.m.direction" must be "increase" or "decrease", not "up"\n'
            'skillwalker.toml: "metrics.m.scale" must be more than 0, not 0',
            id="direction and scale",
        ),
        pytest.param(
            '[metrics.m]\nkind = "bounded"\nunit = "u"\ndescription = "d"\nmax = ["a"]\nscale = 2',
            'skillwalker.toml: "metrics.m" must be without "scale": a bounded number has one',
            id="bounded with a scale",
        ),
        pytest.param(
            'engine-env = ["A=B"]',
            'skillwalker.toml: "engine-env[0]" must be the name of an environment variable, '
            'not "A=B"',
            id="variable",
        ),
        pytest.param(
            'output-dir = ""', 'skillwalker.toml: "output-dir" must not be empty', id="empty"
        ),
    ],
)
def test_a_wrong_setting_is_named_with_file_and_key(
    tmp_path: Path, text: str, message: str
) -> None:
    write(tmp_path / "skillwalker.toml", text)
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path)
    assert str(caught.value) == message


def test_faults_in_pyproject_name_the_table(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.skillwalker]\nevals-dir = 3\n")
    with pytest.raises(ConfigError, match=r"^pyproject\.toml: \[tool\.skillwalker\] \"evals-dir\""):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        pytest.param("a = 1\nb = ]\n", r"skillwalker\.toml: invalid TOML: .*line 2", id="syntax"),
        pytest.param(b"a = '\xff'", r"skillwalker\.toml: byte 5 is not UTF-8", id="bytes"),
        pytest.param("a = " + "9" * 5000, r"skillwalker\.toml: invalid TOML", id="huge number"),
        pytest.param("a = " + "[" * 20_000, "nested too deep", id="depth"),
    ],
)
def test_an_unreadable_file_is_refused_with_its_place(
    tmp_path: Path, content: str | bytes, match: str
) -> None:
    write(tmp_path / "skillwalker.toml", content)
    with pytest.raises(ConfigError, match=match):
        load_settings(tmp_path)


def test_a_folder_in_the_file_s_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "skillwalker.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path)


KEYS = ("plugin-dirs", "engine", "models", "budget", "prices", "metrics", "engine-env", "x")
VALUES = st.sampled_from(
    ["1", "1.5", "true", '"a"', "[]", '["a", 1]', "{}", "{ a = 1 }", "1979-05-27", "nan", '"\\n"']
)


def faults_of(folder: Path) -> list[str]:
    try:
        load_settings(folder)
    except ConfigError as error:
        return str(error).splitlines()
    return []


@settings(max_examples=100, deadline=None)
@given(pairs=st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_values_give_settings_or_our_error(
    tmp_path_factory: pytest.TempPathFactory, pairs: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("p")
    write(folder / "skillwalker.toml", "".join(f"{key} = {pairs[key]}\n" for key in pairs))
    assert all(line.startswith("skillwalker.toml: ") for line in faults_of(folder))


@pytest.mark.parametrize("name", ["skillwalker.toml", "pyproject.toml"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigError, match=f"{name}: cannot be read .not a regular file"):
        load_settings(tmp_path)
