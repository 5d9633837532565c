"""Who judges is told what the settings of the run say."""

from pathlib import Path

from skillwalker.completers.api import AnthropicCompleter
from skillwalker.config import EvalConfig, Login
from skillwalker.evaluation.judge_choice import Seat, choose_judge


def test_the_judge_waits_for_the_api_as_long_as_the_run_may_pause(tmp_path: Path) -> None:
    seat = Seat(evals_dir=tmp_path, login=Login(api_key="sk-ant-x"))
    choose = choose_judge(None, by_default="api", config=EvalConfig(max_pause=7.0), seat=seat)
    judge = choose("local").open("opus")
    assert isinstance(judge, AnthropicCompleter)
    assert (judge.max_pause, judge.role) == (7.0, "judge")
