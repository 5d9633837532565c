"""A command's default is that of the record which it fills; both say it, for start-up's sake."""

from dataclasses import fields
from typing import Any

import pytest

from skillwalker.cli.eval_commands import EvalTrialOptions, JudgeOptions
from skillwalker.cli.loop_options import LimitOptions, SearchOptions, TrialOptions
from skillwalker.config import EvalConfig, LoopConfig

GROUPS = [
    (SearchOptions, LoopConfig),
    (TrialOptions, LoopConfig),
    (LimitOptions, LoopConfig),
    (EvalTrialOptions, EvalConfig),
    (JudgeOptions, EvalConfig),
    (LimitOptions, EvalConfig),
]


@pytest.mark.parametrize(("group", "config"), GROUPS, ids=lambda one: one.__name__)
def test_a_command_and_its_record_have_the_same_defaults(
    group: type[Any], config: type[Any]
) -> None:
    of_record = {one.name: one.default for one in fields(config)}
    said = {
        one.name: (one.default, of_record[one.name])
        for one in fields(group)
        if one.default is not None and one.name in of_record
    }
    assert {name: pair for name, pair in said.items() if pair[0] != pair[1]} == {}
