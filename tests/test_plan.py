"""What a user is told of a plan before it is paid for."""

from pathlib import Path

import pytest

from skillwalker.config import LoopConfig
from skillwalker.plan import warn_of_plan
from tests.bench import call_cases, make_bench_project, plan_of, write_cases


@pytest.mark.parametrize(
    ("kind", "search", "told"),
    [
        pytest.param("scil", "race", True, id="race"),
        pytest.param("scil", "phases", False, id="phases"),
        pytest.param("measure", "race", False, id="a measurement heeds them"),
    ],
)
def test_runs_of_a_case_that_go_for_nothing_are_told(
    tmp_path: Path, kind: str, search: str, told: bool
) -> None:
    project = make_bench_project(tmp_path)
    first, *others = call_cases()
    write_cases(project, "review", [{**first, "runs": 5}, *others])
    plan = plan_of(project, LoopConfig(search=search), kind=kind)
    warnings = [warning for warning in warn_of_plan(plan) if "`runs` of case" in warning]
    assert len(warnings) == told


@pytest.mark.parametrize("kind", ["scil", "measure"])
def test_what_is_an_error_in_the_file_is_told(tmp_path: Path, kind: str) -> None:
    project = make_bench_project(tmp_path)
    plan = plan_of(project, LoopConfig(), kind=kind)
    assert warn_of_plan(plan) == ()
    plan.target.path.write_bytes(plan.target.content + b"Gem\xfcse\n")
    (warning,) = warn_of_plan(plan_of(project, LoopConfig(), kind=kind))
    assert warning.startswith(f"{plan.target_path}: byte ")
    assert warning.endswith("save the file as UTF-8")
