from dataclasses import replace

import pytest

from skillwalker.claude_code.command import Access
from skillwalker.doctor.findings import (
    CliSeen,
    DockerSeen,
    Health,
    ProjectSeen,
    Seen,
    engine_states,
    examine,
)
from skillwalker.listing.budget import CLAUDE_VERSION

KEY, TOKEN, SUBSCRIPTION = "sk-ant-secret-1", "secret-2", "sk-ant-oat-secret-3"
GOOD = Seen(
    cli=CliSeen(path="/bin/claude", version=CLAUDE_VERSION),
    access=Access(api_key=KEY),
    docker=DockerSeen(daemon="29.1", image="abc with Claude Code 2.1.332"),
    project=ProjectSeen(
        settings="/p/skillwalker.toml",
        settings_fault=None,
        suites=1,
        broken=(),
        targets=1,
        folders=(("runs", "/p/output", True),),
    ),
)
PROJECT = GOOD.project


def states(seen: Seen) -> dict[str, bool]:
    return {state.name: state.can_run for state in engine_states(seen)}


def test_with_everything_there_all_is_well() -> None:
    assert {each.health for each in examine(GOOD)} == {Health.OK}
    assert states(GOOD) == {"docker": True, "local": True, "simulated": True}


@pytest.mark.parametrize(
    ("seen", "area", "health", "said", "remedy"),
    [
        (
            replace(GOOD, cli=CliSeen(fault="the Claude CLI 'claude' was not found")),
            "claude",
            Health.FAULT,
            "was not found",
            "npm install -g @anthropic-ai/claude-code",
        ),
        (
            replace(GOOD, cli=CliSeen(path="/bin/claude", fault="no room; set TMPDIR")),
            "claude",
            Health.FAULT,
            "no room; set TMPDIR",
            "",
        ),
        (
            replace(GOOD, access=Access(api_key=KEY, base_url="http://[")),
            "login",
            Health.FAULT,
            "ANTHROPIC_BASE_URL is no http or https address",
            "correct or unset it",
        ),
        (
            replace(GOOD, cli=CliSeen(path="/bin/claude", version="9.9.9")),
            "claude",
            Health.NOTE,
            "was not measured",
            f"npm install -g @anthropic-ai/claude-code@{CLAUDE_VERSION}",
        ),
        (replace(GOOD, access=Access()), "login", Health.FAULT, "no login", "claude setup-token"),
        (
            replace(GOOD, access=Access(api_key=KEY, oauth_token=SUBSCRIPTION)),
            "login",
            Health.NOTE,
            "CLAUDE_CODE_OAUTH_TOKEN is set too; ANTHROPIC_API_KEY pays",
            "unset ANTHROPIC_API_KEY",
        ),
        (
            replace(GOOD, docker=DockerSeen(lack="no Docker daemon answers")),
            "docker",
            Health.NOTE,
            "no Docker daemon",
            "start Docker",
        ),
        (
            replace(GOOD, docker=DockerSeen(daemon="29.1", lack="there is no sandbox image")),
            "docker",
            Health.NOTE,
            "no sandbox image",
            "skillwalker sandbox build",
        ),
        (
            replace(GOOD, docker=replace(GOOD.docker, abandoned=3)),
            "docker",
            Health.NOTE,
            "3 containers",
            "skillwalker sandbox clean --containers-only",
        ),
        (
            replace(GOOD, access=Access(oauth_token=SUBSCRIPTION)),
            "docker",
            Health.NOTE,
            "without an API key docker is not chosen",
            "--engine docker",
        ),
        (
            replace(GOOD, project=replace(PROJECT, folders=(("runs", "/p/output", False),))),
            "folders",
            Health.FAULT,
            "/p/output (runs) cannot be written",
            "mkdir -p /p/output && chmod u+w /p/output",
        ),
        (
            replace(GOOD, project=replace(PROJECT, settings_fault="skillwalker.toml: bad")),
            "settings",
            Health.FAULT,
            "skillwalker.toml: bad",
            "correct it there",
        ),
        (
            replace(GOOD, project=replace(PROJECT, targets=0)),
            "targets",
            Health.NOTE,
            "skills and agents: 0",
            "skillwalker init",
        ),
        (
            replace(GOOD, project=replace(PROJECT, suites=0)),
            "suites",
            Health.NOTE,
            "suites without faults: 0",
            "skillwalker evals draft",
        ),
        (
            replace(GOOD, project=replace(PROJECT, broken=(("x", "evals/x: empty"),))),
            "suites",
            Health.FAULT,
            "evals/x: empty",
            "skillwalker evals check",
        ),
    ],
)
def test_each_lack_is_named_with_what_mends_it(
    seen: Seen, area: str, health: Health, said: str, remedy: str
) -> None:
    (found,) = [each for each in examine(seen) if each.health is not Health.OK]
    assert (found.area, found.health) == (area, health)
    assert said in found.text
    assert remedy in (found.remedy or "")


@pytest.mark.parametrize(
    ("seen", "able"),
    [
        (replace(GOOD, access=Access()), {"docker": False, "local": False}),
        (replace(GOOD, cli=CliSeen(fault="gone")), {"docker": True, "local": False}),
        (replace(GOOD, docker=DockerSeen(lack="gone")), {"docker": False, "local": True}),
        (
            replace(GOOD, access=Access(oauth_token=SUBSCRIPTION)),
            {"docker": True, "local": True},
        ),
    ],
    ids=["no login", "no CLI", "no docker", "subscription"],
)
def test_an_engine_runs_with_what_it_needs(seen: Seen, able: dict[str, bool]) -> None:
    assert states(seen) == {**able, "simulated": True}


def test_who_pays_is_told_and_no_secret_is() -> None:
    access = Access(
        api_key=KEY,
        auth_token=TOKEN,
        oauth_token=SUBSCRIPTION,
        base_url="https://user:secret-4@proxy.test/v1",
    )
    seen = replace(GOOD, access=access)
    words = " ".join(
        [*(f"{each.text} {each.remedy}" for each in examine(seen))]
        + [state.text for state in engine_states(seen)]
    )
    assert "https://proxy.test/v1" in words
    assert "paid by the API key" in words
    assert "secret" not in words


def test_nobody_is_billed_where_a_stand_in_answers() -> None:
    (login,) = [each for each in examine(replace(GOOD, standin=True)) if each.area == "login"]
    assert "a stand-in answers: nobody is billed" in login.text
    assert "nobody is billed" not in str(examine(GOOD))


def test_a_project_without_suites_is_told_the_whole_command() -> None:
    bare = replace(GOOD, project=replace(GOOD.project, suites=0))
    (suites,) = [each for each in examine(bare) if each.area == "suites"]
    assert suites.remedy is not None
    assert "init --skill TARGET" in suites.remedy
