from pathlib import Path

import pytest

from skillwalker.config import EvalConfig
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.evaluation.cases import plan_case
from skillwalker.evaluation.known import KnownTargets
from skillwalker.suites.load import load_suite
from tests.eval_world import CALLS_AUDITOR, case, make_eval_project
from tests.projects import call_case


@pytest.mark.parametrize(
    "entry", [call_case("a"), case("a", CALLS_AUDITOR)], ids=["call", "prompt"]
)
def test_a_plan_reads_each_target_once(tmp_path: Path, entry: dict[str, object]) -> None:
    known = KnownTargets(make_eval_project(tmp_path, entry))
    suite = load_suite(known.places, "mixed")
    first = plan_case(known, suite, suite.cases[0], EvalConfig())
    for path in tmp_path.glob("plugins/**/*.md"):
        path.write_text("---\ndescription: Something else entirely.\n---\n")
    assert plan_case(known, suite, suite.cases[0], EvalConfig()) == first


def test_a_target_that_is_refused_stays_so(tmp_path: Path) -> None:
    known = KnownTargets(make_eval_project(tmp_path, call_case("a")))
    for _ in range(2):
        with pytest.raises(TargetError, match=r"there is no skill .demo:nothing."):
            known.resolve("demo:nothing", TargetKind.SKILL)
    with pytest.raises(TargetError):
        known.resolve("demo:nothing", TargetKind.SKILL, triggerable=True)
