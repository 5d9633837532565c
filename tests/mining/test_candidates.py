import json
from datetime import UTC, datetime
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.mining import Candidate
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.mining.candidates import mine
from skillwalker.targets.known import known_targets
from skillwalker.targets.names import resolve_target
from tests.mining.test_sessions import called, user
from tests.projects import make_project, write

DAY = "2026-11-{:02}T08:00:00Z"


def history(home: Path, *conversations: list[dict[str, object]]) -> None:
    for number, events in enumerate(conversations):
        text = "\n".join(map(json.dumps, events))
        write(home / f"projects/-p/{number}.jsonl", text)


def about(tmp_path: Path) -> tuple[Target, list[Target]]:
    places = make_project(tmp_path / "p")
    target = resolve_target("demo:review", TargetKind.SKILL, places)
    known = [each for kind in TargetKind for each in known_targets(places, kind)]
    return target, [each for each in known if each.id != target.id]


def find(
    tmp_path: Path, *conversations: list[dict[str, object]], most: int = 40
) -> list[Candidate]:
    target, rivals = about(tmp_path)
    home = tmp_path / "c"
    history(home, *conversations)
    return list(mine(home, target=target, rivals=rivals, since=None, most=most)[0])


def test_labels_say_what_was_called(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        [user("would you let this into main"), called("Skill", skill="demo:review")],
        [user("is this diff any good at all"), called("Skill", skill="review")],
        [user("put version two out today"), called("Skill", skill="demo:release")],
        [user("a review of the last quarter, one page")],
        [user("what is the capital of France")],
        [user("an agent of that name"), called("Agent", subagent_type="demo:review")],
    )
    labels = {each.prompt: (each.triggered, each.preferred) for each in found}
    assert labels == {
        "would you let this into main": (True, None),
        "is this diff any good at all": (True, None),
        "put version two out today": (False, "demo:release"),
        "a review of the last quarter, one page": (False, None),
        "an agent of that name": (False, None),
    }


def test_what_means_nothing_alone_is_left_out(tmp_path: Path) -> None:
    call = called("Skill", skill="demo:review")
    found = find(
        tmp_path,
        [user("review my latest commit"), call, user("yes, go on"), call, user("ok"), call],
    )
    assert [each.prompt for each in found] == ["review my latest commit"]


def test_asked_twice_is_one_and_called_once_is_called(tmp_path: Path) -> None:
    found = find(
        tmp_path,
        [user("Look at my diff, please")],
        [user("look at my  diff, please"), called("Skill", skill="demo:review")],
    )
    assert [(each.prompt, each.triggered) for each in found] == [("Look at my diff, please", True)]


def test_secrets_are_taken_out_before_anything_is_given(tmp_path: Path) -> None:
    (one,) = find(
        tmp_path,
        [user("review it, password=hunter2 in the env"), called("Skill", skill="demo:review")],
    )
    assert "hunter2" not in one.prompt
    assert one.redacted == ("password",)


def test_both_labels_get_room(tmp_path: Path) -> None:
    words = [
        "alpha",
        "bravo",
        "charlie",
        "delta",
        "echo",
        "foxtrot",
        "golf",
        "hotel",
        "india",
        "juliett",
    ]
    yes = [[user(f"{w} {w}s one thing"), called("Skill", skill="review")] for w in words]
    no = [[user(f"review of the {w} {w}ing team")] for w in words]
    found = find(tmp_path, *yes, *no, most=6)
    assert [each.triggered for each in found] == [True] * 3 + [False] * 3


def test_since_leaves_the_earlier_out(tmp_path: Path) -> None:
    history(
        tmp_path / "c",
        [user("the first of all prompts", timestamp=DAY.format(1))],
        [user("another one, much later on", timestamp=DAY.format(20))],
        [user("one that has no moment at all")],
    )
    since = datetime(2026, 11, 10, tzinfo=UTC)
    found, coverage = mine(tmp_path / "c", target=None, rivals=(), since=since, most=9)
    assert [each.prompt for each in found] == ["another one, much later on"]
    assert (coverage.files, coverage.prompts) == (3, 1)


def test_without_a_target_nothing_is_labelled(tmp_path: Path) -> None:
    history(tmp_path / "c", [user("put version two out today"), called("Skill", skill="x")])
    (one,) = mine(tmp_path / "c", target=None, rivals=(), since=None, most=9)[0]
    assert (one.triggered, one.fired) == (None, ("x",))


def test_typed_lines_have_no_label(tmp_path: Path) -> None:
    write(tmp_path / "c/history.jsonl", json.dumps({"display": "review my whole branch"}))
    target, rivals = about(tmp_path)
    found, _ = mine(tmp_path / "c", target=target, rivals=rivals, since=None, most=9)
    assert found == ()


def test_nearly_the_same_is_listed_once(tmp_path: Path) -> None:
    call = called("Skill", skill="demo:review")
    found = find(
        tmp_path,
        [user("look at the diff of my branch, please"), call],
        [user("look at the diff of my branch please!"), call],
    )
    assert len(found) == 1


def test_a_short_prompt_counts_where_a_conversation_begins(tmp_path: Path) -> None:
    call = called("Skill", skill="demo:review")
    found = find(tmp_path, [user("review my branch"), call, user("now the tests"), call])
    assert [each.prompt for each in found] == ["review my branch"]
