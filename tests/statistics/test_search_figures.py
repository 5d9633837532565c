from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.statistics import SearchFigures
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.reading import RunFilter, read_history
from tests.histories import NEW, TRIAL, Past, trials, write_past

RUN = "20260101T080000"
SEARCH = (
    *trials({"p1": "n", "n1": "n"}),
    *trials({"p1": "t", "n1": "n"}, text=NEW),
)
APPLIED = Past(run_id=RUN, kind="scil", best=NEW, applied=True, trials=SEARCH)


def searches(output: Path, *pasts: Past) -> tuple[SearchFigures, ...]:
    for past in pasts:
        write_past(output, past)
    return make_figures(read_history(output, RunFilter(simulated=True))).search


def test_the_search_s_own_score_is_no_gain(tmp_path: Path) -> None:
    (search,) = searches(tmp_path, APPLIED)
    assert search.applied_runs == 1
    assert search.applied == ()
    assert search.mean_gains == ()


def test_a_gain_counts_confirm_trials_of_every_version_of_the_cli(tmp_path: Path) -> None:
    later = replace(TRIAL, cli_version="2.1.400")
    confirmed = (
        *trials({"p1": "n", "n1": "n"}, side=CaseSet.CONFIRM, first=1),
        *trials({"p1": "t", "n1": "n"}, side=CaseSet.CONFIRM, first=2, like=later),
        *trials({"p1": "t t", "n1": "n n"}, text=NEW, side=CaseSet.CONFIRM, first=1),
    )
    (search,) = searches(tmp_path, replace(APPLIED, trials=(*SEARCH, *confirmed)))
    (gain,) = search.applied
    assert (gain.before.recall.k, gain.before.recall.n) == (1, 2)
    assert (gain.after.recall.k, gain.after.recall.n) == (2, 2)
    assert gain.change == pytest.approx(0.25)


def test_a_gain_on_near_duplicates_is_one_draw(tmp_path: Path) -> None:
    cases = {f"p{n}": True for n in range(6)} | {f"n{n}": False for n in range(6)}
    before = dict.fromkeys(cases, "n")
    after = before | dict.fromkeys(("p0", "p1", "p2"), "t")
    confirmed = (
        *trials(before, side=CaseSet.CONFIRM, first=1),
        *trials(after, text=NEW, side=CaseSet.CONFIRM, first=1),
    )
    alone = replace(APPLIED, cases=cases, trials=(*SEARCH, *confirmed))
    groups = tuple((case, "alike" if case in {"p0", "p1", "p2"} else case) for case in cases)
    joined = replace(alone, groups=groups)
    (one,), (other,) = (searches(tmp_path / n, p) for n, p in (("a", alone), ("b", joined)))
    (plain,), (together,) = one.applied, other.applied
    assert together.change == plain.change == pytest.approx(0.25)
    assert together.p_better is not None
    assert plain.p_better is not None
    assert plain.interval is not None
    assert together.interval is not None
    assert 0.5 < together.p_better < plain.p_better
    assert together.interval[0] < plain.interval[0]
    for rate, apart in (
        (together.after.recall, plain.after.recall),
        (together.before.recall, plain.before.recall),
    ):
        assert (rate.k, rate.n) == (apart.k, apart.n)
        assert None not in (rate.low, rate.high, apart.low, apart.high)
        assert rate.high - rate.low > apart.high - apart.low  # type: ignore[operator]  # none is None


def test_simulated_searches_are_counted_apart(tmp_path: Path) -> None:
    simulated = replace(APPLIED, run_id=f"{RUN}-2", simulated=True, applied=False)
    real, made_up = searches(tmp_path, APPLIED, simulated)
    assert (real.simulated, real.runs, real.applied_runs) == (False, 1, 1)
    assert (made_up.simulated, made_up.runs, made_up.applied_runs) == (True, 1, 0)


def test_measurements_are_no_searches(tmp_path: Path) -> None:
    assert searches(tmp_path, Past(run_id=RUN, trials=SEARCH)) == ()
