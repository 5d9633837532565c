from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.unopened import is_unopened
from tests.bench import make_bench_project, plan_of
from tests.summaries import ended_search


@pytest.mark.parametrize(
    ("stopped", "cli_version", "is_meant"),
    [
        pytest.param(StopReason.PREFLIGHT, "", True, id="no engine"),
        pytest.param(StopReason.PREFLIGHT, "2.1.332", False, id="a target's own fault"),
        pytest.param(StopReason.CONVERGED, "", False, id="measured"),
    ],
)
def test_only_what_no_target_can_help_speaks_for_the_others(
    tmp_path: Path, stopped: StopReason, cli_version: str, is_meant: bool
) -> None:
    summary = ended_search(
        plan_of(make_bench_project(tmp_path)), stopped_because=stopped, cli_version=cli_version
    )
    assert is_unopened(summary) is is_meant
