import dataclasses
import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.trials import Call
from skillwalker.datatypes.vocabulary import Mode, Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.calling import called_as
from skillwalker.targets.known import known_targets
from skillwalker.targets.names import (
    description_hash,
    place_in_listing,
    resolve_target,
    siblings,
)
from skillwalker.transcripts.outcome import resolves
from tests.project_files import TEXT, manifest, places_of, skill_file, write_files

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT
NFD = unicodedata.normalize("NFD", "prüfen")
NFC = unicodedata.normalize("NFC", "prüfen")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    project, extra = tmp_path / "project", tmp_path / "extra"
    write_files(
        project,
        {
            "plugins/demo/skills/alpha/SKILL.md": skill_file(),
            "plugins/demo/skills/beta/SKILL.md": skill_file("Beta work.", name="display-beta"),
            "plugins/demo/skills/コードレビュー/SKILL.md": skill_file(),
            f"plugins/demo/skills/{NFD}/SKILL.md": skill_file(),
            "plugins/demo/agents/file-name.md": skill_file("An agent.", name="gap"),
            "plugins/demo/agents/plain.md": skill_file("Another agent."),
            "plugins/demo/agents/sub/deep.md": skill_file("A third agent.", name="deep"),
            "plugins/renamed/.claude-plugin/plugin.json": manifest("real"),
            "plugins/renamed/skills/alpha/SKILL.md": skill_file(),
            "beside/skills/alpha/SKILL.md": skill_file(),
            ".claude/skills/alpha/SKILL.md": skill_file("Project alpha."),
            ".claude/agents/one.md": skill_file("Project agent.", name="uno"),
        },
    )
    write_files(extra, {"more/skills/alpha/SKILL.md": skill_file()})
    write_files(
        tmp_path / "home", {".claude/skills/mine/SKILL.md": skill_file("The user's own skill.")}
    )
    return places_of(project, extra)


@pytest.mark.parametrize(
    ("written", "kind", "path", "meant"),
    [
        ("demo:alpha", SKILL, "plugins/demo/skills/alpha/SKILL.md", "demo:alpha"),
        ("demo:display-beta", SKILL, None, None),
        ("demo:コードレビュー", SKILL, "plugins/demo/skills/コードレビュー/SKILL.md", None),
        (f"demo:{NFC}", SKILL, f"plugins/demo/skills/{NFD}/SKILL.md", f"demo:{NFD}"),
        ("renamed:alpha", SKILL, "plugins/renamed/skills/alpha/SKILL.md", "real:alpha"),
        ("real:alpha", SKILL, "plugins/renamed/skills/alpha/SKILL.md", "real:alpha"),
        ("beside:alpha", SKILL, "beside/skills/alpha/SKILL.md", "beside:alpha"),
        ("more:alpha", SKILL, "../extra/more/skills/alpha/SKILL.md", "more:alpha"),
        ("project:alpha", SKILL, ".claude/skills/alpha/SKILL.md", "project:alpha"),
        ("user:mine", SKILL, "../home/.claude/skills/mine/SKILL.md", None),
        ("demo:gap", AGENT, "plugins/demo/agents/file-name.md", "demo:gap"),
        ("demo:file-name", AGENT, "plugins/demo/agents/file-name.md", "demo:gap"),
        ("demo:plain", AGENT, "plugins/demo/agents/plain.md", "demo:plain"),
        ("demo:sub:deep", AGENT, "plugins/demo/agents/sub/deep.md", "demo:sub:deep"),
        ("demo:deep", AGENT, "plugins/demo/agents/sub/deep.md", "demo:sub:deep"),
        ("project:uno", AGENT, ".claude/agents/one.md", "project:uno"),
        ("project:one", AGENT, ".claude/agents/one.md", "project:uno"),
        ("plugins/demo/skills/alpha/SKILL.md", SKILL, "plugins/demo/skills/alpha/SKILL.md", None),
        ("plugins/demo/skills/alpha", SKILL, "plugins/demo/skills/alpha/SKILL.md", "demo:alpha"),
        ("./plugins/demo/skills/alpha/", SKILL, "plugins/demo/skills/alpha/SKILL.md", None),
        (".claude/skills/alpha", SKILL, ".claude/skills/alpha/SKILL.md", "project:alpha"),
        ("plugins/demo/agents/plain.md", AGENT, "plugins/demo/agents/plain.md", "demo:plain"),
    ],
)
def test_every_written_form_finds_its_file(
    places: Places, written: str, kind: TargetKind, path: str | None, meant: str | None
) -> None:
    if path is None:
        with pytest.raises(TargetError):
            resolve_target(written, kind, places)
        return
    target = resolve_target(written, kind, places)
    assert target.path.resolve() == (places.project / path).resolve()
    assert target.kind is kind
    assert meant is None or target.id == meant


def test_an_absolute_path_is_one(places: Places) -> None:
    path = places.project / "plugins" / "demo" / "skills" / "alpha" / "SKILL.md"
    target = resolve_target(str(path), SKILL, places)
    assert (target.path, target.position, target.plugin) == (path, Position.PLUGIN, "demo")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("demo:nothing", "known: demo:alpha"),
        ("demo:alpah", 'did you mean "demo:alpha"?'),
        ("alpha", 'did you mean "demo:alpha"?'),
        ("nowhere:alpha", "real:alpha"),
        ("user:alpha", "known: "),
        ("demo:../../x", "demo:alpha"),
        ("demo:..", "is not a name"),
        ("demo:", "is not a name"),
        (":alpha", "is not a name"),
        ("..:alpha", "is not a name"),
        ("demo:a\nb", "is not a name"),
        ("demo:a\\b", "is not a name"),
        ("demo:\ud800", "is not a name"),
        ("demo:a\0b", "is not a name"),
        ("", "no skill is named"),
        (" ", "no skill is named"),
        ("plugins/demo/skills/nothing", "there is no skill at"),
        ("plugins/demo/skills/nothing/SKILL.md", "does not exist"),
        ("plugins/demo", "does not exist"),
        ("plugins/demo/agents/plain.md", "must be named SKILL.md"),
        ("plugins/demo/a\x07", "control characters"),
        ("x/" + "y" * 5_000, "cannot be read"),
        ("demo:" + "y" * 5_000, "known: demo:alpha"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_a_wrong_name_is_refused_and_says_what_there_is(
    places: Places, written: str, words: str
) -> None:
    with pytest.raises(TargetError) as caught:
        resolve_target(written, SKILL, places)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 1_000 or "/" in written


def test_a_folder_is_no_agent(places: Places) -> None:
    with pytest.raises(TargetError, match=r"name the agent's \.md file"):
        resolve_target("plugins/demo/agents", AGENT, places)


def test_a_project_without_targets_says_so(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="has no skills yet"):
        resolve_target("demo:alpha", SKILL, places_of(tmp_path))


def test_a_file_that_is_no_markdown_is_no_agent(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    with pytest.raises(TargetError, match="must be named"):
        resolve_target("./program", AGENT, places_of(tmp_path))


@settings(max_examples=60, deadline=None)
@given(written=st.text(max_size=40))
@example(written="/bin/sh")
def test_any_name_gives_a_target_or_our_error(
    tmp_path_factory: pytest.TempPathFactory, written: str
) -> None:
    places = places_of(tmp_path_factory.getbasetemp())
    for kind in TargetKind:
        with pytest.raises(TargetError):
            resolve_target(written, kind, places)


def test_a_repository_that_is_a_plugin_is_found_by_its_name(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {".claude-plugin/plugin.json": manifest("own"), "skills/a/SKILL.md": skill_file()},
    )
    target = resolve_target("own:a", SKILL, places_of(tmp_path))
    assert target.path == tmp_path / "skills" / "a" / "SKILL.md"
    assert [known.id for known in known_targets(places_of(tmp_path), SKILL)] == ["own:a"]


def test_known_targets_are_those_of_plugins_and_project(places: Places) -> None:
    skills = [target.id for target in known_targets(places, SKILL)]
    agents = [target.id for target in known_targets(places, AGENT)]
    assert sorted(skills) == sorted(
        [
            "demo:alpha",
            "demo:beta",
            "demo:コードレビュー",
            f"demo:{NFD}",
            "real:alpha",
            "more:alpha",
            "project:alpha",
        ]
    )
    assert agents == ["demo:gap", "demo:plain", "demo:sub:deep", "project:uno"]


def test_siblings_are_what_is_listed_beside_the_target(places: Places) -> None:
    write_files(
        places.project / "plugins" / "demo",
        {
            "skills/hidden/SKILL.md": skill_file(more="disable-model-invocation: true\n"),
            "skills/empty/SKILL.md": skill_file(""),
        },
    )
    target = resolve_target("demo:alpha", SKILL, places)
    assert sorted(other.id for other in siblings(target)) == sorted(
        [
            "demo:beta",
            "demo:コードレビュー",
            f"demo:{NFD}",
            "demo:gap",
            "demo:plain",
            "demo:sub:deep",
        ]
    )
    in_project = resolve_target("project:alpha", SKILL, places)
    assert [other.id for other in siblings(in_project)] == ["project:uno"]


def test_a_target_named_through_a_link_is_not_its_own_sibling(places: Places) -> None:
    link = places.project / "plugins" / "demo" / "skills" / "link"
    link.symlink_to(places.project / "plugins" / "demo" / "skills" / "alpha")
    target = resolve_target("demo:link", SKILL, places)
    assert target.path == link / "SKILL.md", "the link is kept, for writing"
    assert "demo:alpha" not in {other.id for other in siblings(target)}


def names(places: Places, written: str, kind: TargetKind = SKILL) -> set[str]:
    target = resolve_target(written, kind, places)
    return set(called_as(target, siblings(target)).names)


def test_a_skill_is_called_by_its_full_name_its_bare_name_and_its_alias(places: Places) -> None:
    assert names(places, "demo:alpha") == {"demo:alpha", "alpha"}
    assert names(places, "demo:beta") == {
        "demo:beta",
        "beta",
        "demo:display-beta",
        "display-beta",
    }
    assert names(places, "project:alpha") == {"alpha"}


def test_an_agent_is_called_by_its_listed_name_only(places: Places) -> None:
    assert names(places, "demo:gap", AGENT) == {"demo:gap"}
    assert names(places, "demo:sub:deep", AGENT) == {"demo:sub:deep"}
    assert names(places, "project:uno", AGENT) == {"uno"}


def test_a_name_that_another_skill_has_too_is_not_the_target_s(places: Places) -> None:
    write_files(
        places.project / "plugins" / "demo",
        {
            "skills/one/SKILL.md": skill_file(name="alpha"),
            "skills/two/SKILL.md": skill_file(name="twin"),
            "skills/three/SKILL.md": skill_file(name="twin"),
        },
    )
    assert names(places, "demo:alpha") == {"demo:alpha"}
    assert names(places, "demo:one") == {"demo:one", "one"}
    assert names(places, "demo:two") == {"demo:two", "two"}


def test_a_bundled_skill_keeps_its_bare_name_except_from_a_project(places: Places) -> None:
    write_files(
        places.project,
        {
            "plugins/demo/skills/code-review/SKILL.md": skill_file(),
            ".claude/skills/simplify/SKILL.md": skill_file(),
        },
    )
    assert names(places, "demo:code-review") == {"demo:code-review"}
    assert names(places, "project:simplify") == {"simplify"}


@pytest.mark.parametrize(
    ("written", "kind", "suffix"),
    [
        ("demo:alpha", SKILL, "skills/alpha/SKILL.md"),
        ("project:alpha", SKILL, ".claude/skills/alpha/SKILL.md"),
        ("demo:gap", AGENT, "agents/file-name.md"),
        ("demo:sub:deep", AGENT, "agents/sub/deep.md"),
        ("project:uno", AGENT, ".claude/agents/one.md"),
    ],
)
def test_a_read_of_the_file_is_known_by_its_path_s_end(
    places: Places, written: str, kind: TargetKind, suffix: str
) -> None:
    target = resolve_target(written, kind, places)
    known = called_as(target, ())
    assert known.path_suffix == suffix
    read = Call(kind=kind, name=f"/slot/copy/{suffix}", step=1, mode=Mode.READ)
    assert resolves(read, known)
    assert not resolves(dataclasses.replace(read, name=f"/slot/copy/x{suffix}"), known)


def test_the_target_has_a_place_in_the_listing(places: Places) -> None:
    target = resolve_target("demo:alpha", SKILL, places)
    place = place_in_listing(target, siblings(target), model="claude-sonnet-4-5")
    assert place.listed.text == TEXT
    assert place.used_chars > len(TEXT)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("", "e3b0c44298fc1c14"), ("abc", "ba7816bf8f01cfea"), ("é", "4a99557e4033c353")],
)
def test_a_candidate_is_named_by_its_hash(text: str, digits: str) -> None:
    assert description_hash(text) == digits


def test_half_a_character_has_a_hash_too() -> None:
    assert len(description_hash("\ud800")) == 16


def test_the_records_hold_what_the_file_holds(places: Places) -> None:
    target = resolve_target("demo:beta", SKILL, places)
    assert target.content == target.path.read_bytes()
    assert (target.description, target.alias) == ("Beta work.", "display-beta")
    assert "# Heading" in target.body
    assert json.dumps(dataclasses.asdict(target), default=repr)


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        pytest.param(SKILL, "plugins/demo/skills/pipe/SKILL.md", id="skill"),
        pytest.param(AGENT, "plugins/demo/agents/pipe.md", id="agent"),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(places: Places, kind: TargetKind, place: str) -> None:
    path = places.project / place
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(TargetError, match="is not a regular file"):
        resolve_target(place, kind, places)
    assert all(target.path != path for target in known_targets(places, kind))


def test_a_pipe_is_no_manifest_that_names_files(places: Places) -> None:
    (places.project / "plugins/piped/.claude-plugin").mkdir(parents=True)
    os.mkfifo(places.project / "plugins/piped/.claude-plugin/plugin.json")
    write_files(places.project, {"plugins/piped/skills/one/SKILL.md": skill_file()})
    assert resolve_target("piped:one", SKILL, places).id == "piped:one"


def test_a_user_without_skills_is_told_so(places: Places) -> None:
    with pytest.raises(TargetError, match=r"~/\.claude has no agents yet"):
        resolve_target("user:zzz", AGENT, dataclasses.replace(places, home=places.project / "no"))
