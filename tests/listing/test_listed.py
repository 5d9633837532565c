import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.inputs import Listed
from skillwalker.datatypes.vocabulary import ListingState, Position, TargetKind
from skillwalker.frontmatter.text import read_frontmatter
from skillwalker.listing.listed import (
    budget_chars,
    list_file,
    listing_line,
    longest_that_fits,
    place_in_listing,
    tools_suffix,
)
from skillwalker.listing.shown_text import columns, utf16_units

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT
PLUGIN, PROJECT = Position.PLUGIN, Position.PROJECT
DATA = Path(__file__).parents[1] / "data" / "frontmatter"
CASES: dict[str, dict[str, dict[str, list[str | None] | None]]] = json.loads(
    (DATA / "cases.json").read_text("utf-8")
)
NASTY = json.loads((DATA / "nasty.json").read_text("utf-8"))["cases"]
SONNET, OPUS = "claude-sonnet-4-5", "claude-opus-5-5"


def plugin_of(position: Position) -> str | None:
    return "fm" if position is PLUGIN else None


def what_follows(listed: Listed) -> str | None:
    return listed.text if listed.text is not None else listed.stand_in


@pytest.mark.parametrize("position", Position)
@pytest.mark.parametrize("name", CASES)
def test_a_file_is_listed_as_claude_code_lists_it(name: str, position: Position) -> None:
    content = (DATA / name).read_bytes()
    kind = SKILL if name.startswith("skills/") else AGENT
    number = Path(name).stem.split("-")[0]
    path = Path(f"folder-{number}/SKILL.md" if kind is SKILL else f"file-{number}.md")
    listed = list_file(path, content, kind, position, plugin_of(position))
    recorded = CASES[name]["2.1.332"][position]
    assert listed.listed is (recorded is not None)
    if recorded is not None:
        assert [listed.name, listed.alias, what_follows(listed)] == recorded[:3]
        from_claude = recorded[2] in {"Agent from fm plugin", "Skill"}
        assert listed.own_text == (None if from_claude else recorded[2])
    if recorded is not None and kind is AGENT:
        reading = read_frontmatter(content, kind, position)
        assert tools_suffix(reading) == f"(Tools: {recorded[3]})"


@pytest.mark.parametrize("position", Position)
@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("name", NASTY)
def test_a_nasty_file_is_listed_as_claude_code_lists_it(
    name: str, kind: TargetKind, position: Position
) -> None:
    path = Path("x/SKILL.md" if kind is SKILL else "x.md")
    content = NASTY[name]["content"].encode()
    listed = list_file(path, content, kind, position, plugin_of(position))
    assert (what_follows(listed) if listed.listed else None) == NASTY[name][kind][position]


def a_skill(
    name: str, text: str = "Reviews code.", *more: str, position: Position = PLUGIN
) -> Listed:
    content = "\n".join(["---", f"description: {text}", *more, "---", ""]).encode()
    return list_file(Path(name) / "SKILL.md", content, SKILL, position, plugin_of(position))


@pytest.mark.parametrize(
    ("folder", "name", "position", "shown", "alias"),
    [
        pytest.param("a", "a", PLUGIN, "fm:a", None, id="same"),
        pytest.param("a", "b", PLUGIN, "fm:a", "fm:b", id="other"),
        pytest.param("a", "b", PROJECT, "a", "b", id="other in a project"),
        pytest.param("a", "fm:b", PLUGIN, "fm:a", "fm:b", id="prefix once"),
        pytest.param("a", "x:b", PLUGIN, "fm:a", "fm:x:b", id="colon"),
        pytest.param("a", "A b", PLUGIN, "fm:a", None, id="space"),
        pytest.param("a", "<b>", PLUGIN, "fm:a", None, id="tag"),
        pytest.param("a", "é-日本", PLUGIN, "fm:a", "fm:é-日本", id="any script"),
        pytest.param("a", "n" * 256, PROJECT, "a", "n" * 256, id="longest"),
        pytest.param("a", "n" * 257, PROJECT, "a", None, id="too long"),
        pytest.param("a", "n" * 256, PLUGIN, "fm:a", None, id="too long with its prefix"),
        pytest.param("日本 a.b", "c", PLUGIN, "fm:---a-b", "fm:c", id="folder of a plugin"),
        pytest.param("日本 a.b", "c", PROJECT, "日本 a.b", "c", id="folder of a project"),
    ],
)
def test_a_skill_has_the_name_of_its_folder_and_perhaps_a_second(
    folder: str, name: str, position: Position, shown: str, alias: str | None
) -> None:
    listed = a_skill(folder, "x", f"name: {name}", position=position)
    assert (listed.name, listed.alias) == (shown, alias)


@pytest.mark.parametrize(
    ("name", "in_plugin", "in_project"),
    [
        pytest.param("name: b", "fm:b", "b", id="name"),
        pytest.param("name: 42", "fm:42", None, id="number"),
        pytest.param("name: ''", "fm:file", None, id="empty"),
        pytest.param("model: opus", "fm:file", None, id="none"),
        pytest.param("name: -b", "fm:-b", None, id="dash"),
        pytest.param("name: 'a：b'", "fm:a：b", None, id="full-width colon"),
        pytest.param(f"name: {'n' * 257}", "fm:file", None, id="too long"),
    ],
)
def test_an_agent_has_the_name_in_its_frontmatter(
    name: str, in_plugin: str, in_project: str | None
) -> None:
    content = f"---\n{name}\ndescription: x\n---\n".encode()
    for position, expected in ((PLUGIN, in_plugin), (PROJECT, in_project)):
        listed = list_file(Path("file.md"), content, AGENT, position, plugin_of(position))
        assert listed.name == expected


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        pytest.param("## Two\nx", "Two", id="heading"),
        pytest.param("\n\n  text  \nx", "text", id="text"),
        pytest.param("#NoSpace", "#NoSpace", id="no space"),
        pytest.param("#\nnext", "#", id="bare"),
        pytest.param("w" * 100, "w" * 100, id="longest"),
        pytest.param("# " + "w" * 101, "w" * 97 + "...", id="too long"),
        pytest.param("# <b>\ta", "&lt;b&gt; a", id="escaped"),
        pytest.param("", "Skill", id="empty"),
    ],
)
def test_a_skill_without_a_text_is_listed_by_its_first_line(body: str, shown: str) -> None:
    listed = list_file(Path("a/SKILL.md"), body.encode(), SKILL, PROJECT, None)
    assert (listed.listed, listed.text, listed.stand_in) == (True, None, shown)
    assert not list_file(Path("a/SKILL.md"), body.encode(), SKILL, PLUGIN, "fm").listed


def test_a_skill_is_cut_at_1536_characters_and_an_agent_is_not() -> None:
    assert a_skill("a", "x" * 1536).text == "x" * 1536
    assert a_skill("a", "x" * 1537).text == "x" * 1535 + "…"
    assert a_skill("a", "x" * 1535, "when_to_use: y").text == "x" * 1535 + "…"
    assert utf16_units(a_skill("a", "🎉" * 800).text or "") <= 1536
    content = f"---\ndescription: {'x' * 9000}\n---\n".encode()
    assert list_file(Path("a.md"), content, AGENT, PLUGIN, "fm").text == "x" * 9000


def test_a_file_over_a_mebibyte_is_not_loaded() -> None:
    for position in Position:
        content = b"---\nname: a\ndescription: x\n---\n"
        for size, is_listed in ((1 << 20, True), ((1 << 20) + 1, False)):
            whole = content.ljust(size, b"y")
            for path, kind in ((Path("a/SKILL.md"), SKILL), (Path("a.md"), AGENT)):
                listed = list_file(path, whole, kind, position, plugin_of(position))
                assert listed.listed is is_listed


@pytest.mark.parametrize("folder", ["a<b", "a\x07b", "n" * 257], ids=["tag", "bell", "long"])
def test_a_project_offers_no_skill_of_such_a_name(folder: str) -> None:
    assert not a_skill(folder, position=PROJECT).listed


@pytest.mark.parametrize(
    ("model", "newest", "older"),
    [
        ("claude-sonnet-4-5", 8_000, 8_000),
        ("claude-haiku-4-5-20251001", 8_000, 8_000),
        ("claude-opus-4-6", 8_000, 8_000),
        ("claude-opus-4-6[1m]", 40_000, 40_000),
        ("claude-opus-4-7", 30_000, 6_000),
        ("claude-opus-4-8", 30_000, 6_000),
        ("claude-opus-4-10", 30_000, 6_000),
        ("sonnet", 30_000, 6_000),
        ("haiku", 30_000, 8_000),
        ("claude-something-9", 30_000, 6_000),
    ],
)
def test_the_budget_of_a_model(model: str, newest: int, older: int) -> None:
    assert budget_chars(model) == newest
    assert budget_chars(model, "2.1.197") == older


# Skills of 500 characters in one plugin, as counted in the requests of both versions.
@pytest.mark.parametrize(
    ("version", "bundled", "count", "whole"),
    [
        ("2.1.332", True, 3, 3),
        ("2.1.332", True, 4, 3),
        ("2.1.332", True, 5, 3),
        ("2.1.332", True, 15, 3),
        ("2.1.332", True, 20, 3),
        ("2.1.332", True, 60, 2),
        ("2.1.332", True, 150, 0),
        ("2.1.332", False, 3, 3),
        ("2.1.332", False, 4, 4),
        ("2.1.332", False, 5, 5),
        ("2.1.332", False, 15, 15),
        ("2.1.332", False, 20, 15),
        ("2.1.332", False, 60, 14),
        ("2.1.332", False, 150, 12),
        ("2.1.197", True, 3, 3),
        ("2.1.197", True, 4, 4),
        ("2.1.197", True, 5, 5),
        ("2.1.197", True, 15, 7),
        ("2.1.197", True, 20, 7),
        ("2.1.197", True, 60, 6),
        ("2.1.197", True, 150, 4),
        ("2.1.197", False, 3, 3),
        ("2.1.197", False, 4, 4),
        ("2.1.197", False, 5, 5),
        ("2.1.197", False, 15, 15),
        ("2.1.197", False, 20, 15),
        ("2.1.197", False, 60, 14),
        ("2.1.197", False, 150, 12),
    ],
)
def test_whole_descriptions_are_dropped_over_the_budget(
    version: str, bundled: bool, count: int, whole: int
) -> None:
    skills = [a_skill(f"s{index:03}", "x" * 500) for index in range(count)]
    places = [
        place_in_listing(skill, skills, model=SONNET, bundled=bundled, version=version)
        for skill in (skills if count <= 20 else skills[: whole + 1])
    ]
    assert sum(place.state is ListingState.WHOLE for place in places) == whole
    assert all(place.budget_chars == 8_000 for place in places)
    used = {place.used_chars for place in places}
    assert len(used) == 1
    assert used.pop() <= 8_000 or whole == 0


# As above, of shorter texts: the last that fits shows what Claude Code's own lines take.
@pytest.mark.parametrize(("count", "size", "whole"), [(60, 20, 54), (100, 20, 33), (150, 5, 18)])
def test_the_last_text_that_fits_is_the_one_that_was_sent(
    count: int, size: int, whole: int
) -> None:
    skills = [a_skill(f"s{index:05}", "x" * size) for index in range(count)]
    last, next_one = skills[whole - 1], skills[whole]
    assert place_in_listing(last, skills, model=SONNET).state is ListingState.WHOLE
    assert place_in_listing(next_one, skills, model=SONNET).state is ListingState.NAME_ONLY


def test_a_short_text_fits_behind_a_long_one_that_was_dropped() -> None:
    skills = [a_skill(name, "x" * size) for name, size in (("a", 1500), ("b", 1500), ("c", 50))]
    states = [place_in_listing(skill, skills, model=SONNET).state for skill in skills]
    assert states == [ListingState.WHOLE, ListingState.NAME_ONLY, ListingState.WHOLE]


def test_a_projects_skills_come_before_a_plugins() -> None:
    skills = [a_skill("a", "x" * 1500), a_skill("z", "x" * 1500, position=PROJECT)]
    states = [place_in_listing(skill, skills, model=SONNET).state for skill in skills]
    assert states == [ListingState.NAME_ONLY, ListingState.WHOLE]


def test_wide_characters_count_twice() -> None:
    skills = [a_skill(f"s{index:03}", "語" * 310) for index in range(13)]
    states = [place_in_listing(s, skills, model=SONNET, bundled=False).state for s in skills]
    assert states.count(ListingState.WHOLE) == 12


def test_a_second_name_that_means_another_skill_is_not_counted() -> None:
    one, two = (a_skill(folder, "x", "name: both") for folder in ("a", "b"))
    both = place_in_listing(one, [one, two], model=SONNET, bundled=False).used_chars
    assert both == len("- fm:a (fm:both): x") + len("- fm:b: x") + 1


def test_states_of_a_target() -> None:
    cut, off = a_skill("a", "x" * 1600), a_skill("b", "x", "disable-model-invocation: true")
    assert place_in_listing(cut, [cut], model=SONNET).state is ListingState.CUT
    assert place_in_listing(off, [off], model=SONNET).state is ListingState.ABSENT
    agent = list_file(Path("a.md"), b"---\ndescription: x\n---\n", AGENT, PLUGIN, "fm")
    place = place_in_listing(agent, [cut, agent], model=SONNET)
    assert (place.state, place.budget_chars) == (ListingState.WHOLE, None)
    lost = dataclasses.replace(agent, listed=False, name=None)
    assert place_in_listing(lost, [], model=SONNET).state is ListingState.ABSENT


def test_a_line_is_what_the_request_holds() -> None:
    assert listing_line(a_skill("a", "x", "name: b")) == "- fm:a (fm:b): x"
    content = b"---\nname: a\ndescription: x\ntools: [Read, Bash]\ndisallowedTools: Bash\n---\n"
    agent = list_file(Path("a.md"), content, AGENT, PLUGIN, "fm")
    tools = tools_suffix(read_frontmatter(content, AGENT))
    assert listing_line(agent, tools) == "- fm:a: x (Tools: Read)"


SIZES = st.lists(st.integers(1, 1600), max_size=25)


@given(
    before=SIZES, after=SIZES, own=st.integers(1, 1600), model=st.sampled_from([SONNET, OPUS]),
    bundled=st.booleans(),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_the_length_that_fits_is_right(
    before: list[int], after: list[int], own: int, model: str, bundled: bool
) -> None:
    sizes = [*before, own, *after]
    skills = [a_skill(f"s{index:03}", "x" * size) for index, size in enumerate(sizes)]
    target = skills[len(before)]
    longest = longest_that_fits(target, skills, model=model, bundled=bundled)

    def state(length: int) -> ListingState:
        sized = dataclasses.replace(target, text="x" * length)
        rest = [skill for skill in skills if skill != target]
        return place_in_listing(sized, [sized, *rest], model=model, bundled=bundled).state

    if longest:
        assert state(longest) is not ListingState.NAME_ONLY
    if longest < 1536:
        assert state(longest + 1) is ListingState.NAME_ONLY


@given(sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_what_is_used_is_the_width_of_the_lines_that_are_sent(sizes: list[int]) -> None:
    skills = [a_skill(f"s{index:03}", "x" * size) for index, size in enumerate(sizes)]
    lines = []
    for skill in skills:
        place = place_in_listing(skill, skills, model=SONNET, bundled=False)
        is_whole = place.state is not ListingState.NAME_ONLY
        lines.append(listing_line(skill) if is_whole else f"- {skill.name}")
        assert place.used_chars <= 8_000
    used = sum(map(columns, lines)) + len(lines) - 1
    if skills:
        assert place_in_listing(skills[0], skills, model=SONNET, bundled=False).used_chars == used
