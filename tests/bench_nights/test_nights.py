"""Many simulated nights: the catalogue comes to rest, and the figures are those of the nights."""

import pytest

from bench.nights.__main__ import main
from bench.nights.catalogue import Became, Catalogue, NightFigures, live_through, make_targets
from bench.nights.changes import CHANGES
from bench.nights.night import Night, Proposal, Rules
from bench.nights.table import last_change, night_rows, row
from bench.nights.target import USERS, Surroundings
from bench.strategies.world import Setting
from skillwalker.config import LoopConfig

SMALL = Setting(fewest_cases=12, most_cases=16)


@pytest.mark.parametrize("search", ["phases", "race"])
def test_an_unchanged_catalogue_comes_to_rest(search: str) -> None:
    rules = Rules(config=LoopConfig(search=search))
    lived = live_through(1, nights=8, change="nothing changes", rules=rules, count=8)
    assert sum(night.applied for night in lived.nights) > 0
    assert last_change(lived) <= 3
    assert all(night.trials == 0 for night in lived.nights[5:])
    assert sum(target.changes > 0 for target in lived.targets) == sum(
        night.applied for night in lived.nights
    )


def test_the_same_seed_gives_the_same_nights_and_another_gives_others() -> None:
    def lived(seed: int) -> Catalogue:
        return live_through(
            seed, nights=3, change="nothing changes", rules=Rules(), count=3, setting=SMALL
        )

    assert lived(1) == lived(1)
    assert lived(1) != lived(2)


def test_what_has_changed_is_measured_again() -> None:
    measured = {
        change: [night.measured for night in lived.nights]
        for change in CHANGES
        for lived in [
            live_through(4, nights=10, change=change, rules=Rules(), count=2, setting=SMALL)
        ]
    }
    assert measured["nothing changes"][5:] == [0, 0, 0, 0, 0]
    assert (
        measured["a new case in every third night"][5],
        measured["a new Claude Code in every third night"][5],
    ) == (2, 2)
    assert measured["a new model in night 10"][5:] == [0, 0, 0, 0, 2]


def test_a_new_case_is_asked_of_every_text_that_is_still_there() -> None:
    targets = make_targets(0, 2, SMALL)
    before = [len(target.skill.queries) for target in targets]
    truths = [target.truth(USERS) for target in targets]
    for night in range(1, 7):
        CHANGES["a new case in every third night"](night, Surroundings(), targets)
    for target, count, truth in zip(targets, before, truths, strict=True):
        assert len(target.skill.queries) == count + 2
        assert [query.positive for query in target.skill.queries[count:]] == [False, True]
        assert len(target.texts[USERS].chances) == count + 2
        assert target.truth(USERS) == truth


def test_looks_are_counted_over_searches_with_new_cases() -> None:
    targets = make_targets(5, 2, SMALL)
    asked: list[float] = []
    for number in (3, 6, 9, 12):
        around = CHANGES["a new case in every third night"](number, Surroundings(), targets)
        Night(number=number, rules=Rules(), around=around).live(targets)
        entry = targets[0].entry
        assert entry is not None
        asked.append(entry.looks)
    assert asked == sorted(asked)
    assert asked[-1] > 1


def test_a_revert_is_taken_only_while_the_file_holds_what_was_written() -> None:
    (target,) = make_targets(1, 1, SMALL)
    night = Night(number=1, rules=Rules(), around=Surroundings())
    night.live([target])
    target.texts["other"] = target.texts[USERS]
    target.file = "other"
    night.take_back(Proposal(target=target, written="gone since", replaced=USERS), [target])
    assert target.file == "other"
    proposal = Proposal(target=target, written="other", replaced=USERS)
    assert not proposal.is_right
    night.take_back(proposal, [target])
    assert target.file == USERS
    assert target.entry is not None
    assert target.entry.rates is None


def test_rows_are_the_figures_of_all_catalogues() -> None:
    busy = NightFigures(
        measured=4, rechecked=1, searched=3, trials=200, applied=2, harms=1, proposals=2, right=1
    )
    idle = NightFigures(
        measured=0, rechecked=0, searched=0, trials=0, applied=0, harms=0, proposals=0, right=0
    )
    targets = (
        Became(changes=1, harmed=True, below=True, gain=-0.02),
        Became(changes=1, harmed=False, below=False, gain=0.1),
        *(Became(changes=0, harmed=False, below=False, gain=0.0),) * 2,
    )
    lived = Catalogue(nights=(busy, idle), targets=targets)
    assert row("nothing", "as shipped", [lived, lived]) == (
        "| nothing | as shipped | 8 | 2 of 4 | 25.0% (8.7 to 54.0) | 25.0% (8.7 to 54.0)"
        " | +2.0 | 25% | 4, 2 | 50 | night 1 |"
    )
    assert list(night_rows([lived, lived])) == [
        "| 1 | 4.0 | 1.0 | 3.0 | 200 | 2.0 | 1.0 | 2.0, 1.0 |"
    ]


def test_the_command_prints_a_row_a_variant(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--catalogues", "1", "--targets", "2", "--nights", "2", "--jobs", "1"]
    main([*small, "--change", "nothing changes"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Simulated; 1 catalogues, 2 nights")
    assert [line.split(" | ")[1] for line in lines if line.startswith("| nothing")] == [
        "as shipped",
        "threshold not raised",
        "proposed reverts taken",
    ]
    main([*small, "--change", "nothing changes", "--variant", "as shipped", "--by-night"])
    assert "| 1 | 2.0 |" in capsys.readouterr().out
