"""Wrong usage: one line in our words, exit 2."""

from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import make_bench_project


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def usage_error(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """Run a command line that is wrong usage and give what it says."""
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return err.removeprefix("skillwalker: ").strip()


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("measure --engine api", "--engine api"),
        ("scil run --engine=api", "--engine api"),
        ("evals run --engine api", "--engine api"),
    ],
)
def test_what_is_reserved_is_called_so(
    capsys: pytest.CaptureFixture[str], line: str, what: str
) -> None:
    assert usage_error(capsys, line) == f"{what} is reserved for a later version"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "measure --engine foo",
            "invalid value for '--engine': 'foo' is not one of 'docker', 'local', 'simulated'",
        ),
        (
            "scil run --max-iterations x",
            "invalid value for '--max-iterations': 'x' is not a whole number",
        ),
        (
            "scil run --max-iterations 0",
            "invalid value for '--max-iterations': must be at least 1; got 0",
        ),
        ("standin --port 65536", "invalid value for '--port': must be at most 65535; got 65536"),
        ("measure --seed 1.5", "invalid value for '--seed': '1.5' is not a whole number"),
        ("measure --timeout x", "invalid value for '--timeout': 'x' is not a number"),
        (
            "scil run --runs-per-query 2",
            "--runs-per-query must be an odd number, so that a vote cannot tie; got 2",
        ),
        ("scil run --engin local", "no such option: --engin (Possible options: --engine)"),
        ("nosuch", "no such command 'nosuch'"),
        ("describe x", "missing option '--text-file'"),
    ],
)
def test_a_wrong_value_is_named_in_plain_words(
    capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    said = usage_error(capsys, line)
    assert said.partition("; see '")[0] == message
    assert said.endswith(" --help'")


def test_a_number_of_thousands_of_digits_is_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert len(usage_error(capsys, f"measure --seed {'9' * 5000}")) < 200


@pytest.mark.parametrize("command", ["measure", "scil run", "acil run", "evals run"])
def test_a_trial_model_needs_a_name(
    project: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    said = usage_error(capsys, f"{command} --engine simulated --trial-model=")
    assert said.startswith("invalid value for '--trial-model': it is empty; name something")
    assert not (project / "output").exists()


def test_an_improver_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    said = usage_error(capsys, "scil run --engine simulated --model=")
    assert said.startswith("invalid value for '--model': it is empty")


def test_a_trial_model_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--engine", "simulated", "--trial-model", "haiku"]) == 0
    assert "model haiku" in capsys.readouterr().err


def test_debug_shows_our_own_log_alone(capsys: pytest.CaptureFixture[str]) -> None:
    import logging

    try:
        assert main(["measure", "--engine", "simulated", "--debug", "--quiet"]) == 0
        logging.getLogger("skillwalker.probe").debug("ours")
        logging.getLogger("asyncio").debug("theirs")
        said = capsys.readouterr().err
        assert "ours" in said
        assert "DEBUG skillwalker.cli.logs: train trial 0 of case" in said
        assert "theirs" not in said
        assert "selector" not in said
    finally:
        logging.getLogger("skillwalker").handlers.clear()
        logging.getLogger("skillwalker").setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    ("line", "flag", "value"),
    [
        ("scil run --trial-model --dry-run", "--trial-model", "--dry-run"),
        ("scil run --skill -C", "--skill", "-C"),
        ("measure --engine simulated --claude --nonsense", "--claude", "--nonsense"),
        ("measure --junit --quiet", "--junit", "--quiet"),
        ("measure --neighbours none --neighbours --quiet", "--neighbours", "--quiet"),
        ("evals import x.json --suite --skill demo:x", "--suite", "--skill"),
        ("show -C --json", "--project", "--json"),
        ("-C --json show", "--project", "--json"),
        ("evals -C --json list", "--project", "--json"),
        ("metric extract --primary --json", "--primary", "--json"),
    ],
)
def test_no_option_takes_the_next_one_for_its_value(
    capsys: pytest.CaptureFixture[str], project: Path, line: str, flag: str, value: str
) -> None:
    said = usage_error(capsys, line)
    assert said.startswith(f"{flag} needs a value, and {value} is an option")
    assert not (project / "output").exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("measure --trial-model=--odd --engine simulated --dry-run", 0, id="behind ="),
        pytest.param("stats --target -odd", 0, id="one dash, and no option"),
        pytest.param(
            "metric run --runs 1 -- true --json --goal", 1, id="of a program that says nothing"
        ),
    ],
)
def test_what_looks_like_an_option_can_be_meant(
    capsys: pytest.CaptureFixture[str], line: str, code: int
) -> None:
    assert main(line.split()) == code, capsys.readouterr().err
