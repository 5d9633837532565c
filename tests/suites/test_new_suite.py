from pathlib import Path

import pytest

from skillwalker.errors import SuiteError
from skillwalker.suites.load import load_suite
from skillwalker.suites.new_suite import require_new
from tests.eval_world import make_eval_project
from tests.projects import call_case


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("-x", "take it for an option"),
        ("--json", "take it for an option"),
        (".x", "no name of a folder"),
        ("a/b", "no name of a folder"),
        ("mixed", "already"),
    ],
)
def test_a_name_that_no_suite_can_have_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    places = make_eval_project(tmp_path, call_case("a"))
    with pytest.raises(SuiteError, match=reason):
        require_new(name, places)
    require_new("x-1", places)


@pytest.mark.parametrize("runs", [1001, 10**30 + 1])
def test_a_case_has_a_sane_number_of_runs(tmp_path: Path, runs: int) -> None:
    places = make_eval_project(tmp_path, call_case("a", runs=runs))
    with pytest.raises(SuiteError, match=r"tests\[0\] .*runs.*at most 1000"):
        load_suite(places, "mixed")


def test_a_thousand_runs_less_one_are_sane(tmp_path: Path) -> None:
    places = make_eval_project(tmp_path, call_case("a", runs=999))
    assert load_suite(places, "mixed").cases[0].runs == 999
