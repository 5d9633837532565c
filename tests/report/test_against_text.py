"""What became of a target since an earlier run, in lines for a terminal."""

from dataclasses import replace

from skillwalker.report.against_text import against_lines
from tests.recorded_runs import AGAINST, plain_run


def test_the_classes_stand_with_their_intervals_in_80_columns() -> None:
    run = plain_run()
    wide = replace(
        AGAINST,
        recall_change=-1.0,
        recall_interval=(-1.0, 1.0),
        specificity_change=1.0,
        specificity_interval=(-1.0, 1.0),
    )
    first, classes, *_ = against_lines(replace(run.summary, against=wide))
    assert first.startswith("demo:review against run 20261101T000000: dropped by 10 points")
    assert classes == (
        "  by class (90 %): recall -100 (-100 to +100), specificity +100 (-100 to +100)"
    )
    assert len(classes) <= 80


def test_a_class_without_an_interval_and_a_run_without_a_comparison_have_no_line() -> None:
    run = plain_run()
    alone = replace(AGAINST, recall_interval=None)
    lines = list(against_lines(replace(run.summary, against=alone)))
    assert not any("by class" in line for line in lines)
    assert not list(against_lines(run.summary))
