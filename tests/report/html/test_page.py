"""The page of a run as text: what it says, and that nothing of a user's acts in it."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from skillwalker.datatypes.metrics import MetricChange
from skillwalker.datatypes.recorded import RecordedRun, Said, Speaker
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.summary import ModelRates
from skillwalker.datatypes.vocabulary import CaseSet, StopReason, TargetKind, Verdict
from skillwalker.report import wording
from skillwalker.report.ci.markdown import markdown
from skillwalker.report.html.page import render_run, wanted_transcripts
from skillwalker.report.tables import metric_table
from tests.hostile import hostile
from tests.recorded_runs import AGAINST, everywhere, plain_run, run_on_two_models

OURS = frozenset(
    {"html", "head", "meta", "link", "title", "style", "body", "a", "header", "h1", "h2", "h3"}
    | {"p", "nav", "ul", "li", "main", "section", "table", "caption", "thead", "tbody", "tr"}
    | {
        "th",
        "td",
        "wbr",
        "dl",
        "dt",
        "dd",
        "div",
        "code",
        "del",
        "ins",
        "figure",
        "figcaption",
        "svg",
    }
    | {"g", "path", "text", "line", "details", "summary", "ol", "strong", "span", "pre", "footer"}
)
"""Every element that a page may have."""


class Page(HTMLParser):
    """Takes a page apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.words += data

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        """Give the attributes of every element of these names."""
        return [attrs for tag, attrs in self.elements if tag in tags]


def page(run: RecordedRun, **dialogues: tuple[Said, ...]) -> Page:
    return Page(render_run(run, dialogues=dialogues, next_command="skillwalker apply X"))


def test_the_verdict_is_the_one_heading_of_the_first_rank_and_comes_first() -> None:
    html = render_run(plain_run(), dialogues={}, next_command="skillwalker apply X")
    assert html.count("<h1>") == 1
    assert html.index("<h1>") < html.index("<h2")
    assert "<h1>demo:review: improved, balanced accuracy +25 points" in html


def test_a_person_who_sees_only_the_page_can_say_what_how_sure_what_cost_and_what_next() -> None:
    words = " ".join(page(plain_run()).words.split())
    for said in (
        "+25 points (90 % interval +10 to +40)",
        "0.97, needed 0.909 ",
        "Recall+50 points (90 % interval +20 to +80)",
        "Specificity+0 points (90 % interval -15 to +15)",
        "From the confirm rounds",
        "claude-sonnet-4-5",
        "2.1.332, permission mode dontAsk",
        "api.anthropic.com",
        "plugin position",
        "demo:other",
        "4: 2 should trigger, 2 should not; 1 held out",
        "Struck through: what goes.",
        "names the nouns that users type",
        "used demo:other instead",
        "undecided: crash",
        "75 % of the trials' prompts came from the cache",
        "and 1 call of unknown cost",
        "6 of 40 trials say nothing (6 crash)",
        "The cost of 1 call is not known",
        "within 4 model turns",
        "skillwalker apply X",
    ):
        assert said in words, said


def test_undecided_runs_are_seen_in_the_cells_of_their_case() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    assert '<td class="undecided">? +3 undecided</td>' in html  # nothing decided at all
    assert '<td class="heat-2 undecided">1/2 ? +1 undecided</td>' in html
    assert '<td class="heat-4">3/3 ✓</td>' in html
    assert '<td class="heat-0">0/3 ✗</td>' in html


def test_words_that_go_and_come_are_marked() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    assert "<del>and other things</del>" in html or "<del>and</del>" in html
    assert "<ins>" in html


def test_simulated_is_said_first_and_last_of_all() -> None:
    run = plain_run()
    plain = page(run).words
    simulated = page(replace(run, summary=replace(run.summary, simulated=True))).words
    assert "SIMULATED" not in plain
    body = simulated[simulated.index("Skip to the report") :]
    assert body.index(wording.SIMULATED) < body.index("demo:review")
    assert body.rindex(wording.SIMULATED) > body.rindex("One case, trial by trial")


def test_a_roomy_listing_is_said() -> None:
    run = plain_run()
    roomy = replace(run, summary=replace(run.summary, listing_mode="roomy"))
    assert wording.ROOMY in page(roomy).words


def test_a_low_cache_share_is_a_warning() -> None:
    run = plain_run()
    cold = replace(run.summary, usage=(("trial", UsageTotal(calls=9, input_tokens=9)),))
    assert "Warning: only 0 %" in page(replace(run, summary=cold)).words
    assert "Warning" not in page(run).words
    simulated = replace(cold, simulated=True)
    assert "Warning" not in page(replace(run, summary=simulated)).words


def test_several_models_have_their_own_rates_and_the_weakest_is_named() -> None:
    run = plain_run()
    rates = run.summary.original
    assert rates is not None
    models = tuple(ModelRates(model=name, original=rates, best=rates) for name in ("a", "b"))
    several = replace(run.summary, by_model=models, weakest_model="b")
    assert "b (weakest)" in page(replace(run, summary=several)).words
    assert "Rates by model" not in page(run).words


def test_a_case_that_no_description_moves_is_called_so() -> None:
    run = plain_run()
    name = "wants a second look"
    stuck = page(replace(run, summary=replace(run.summary, unmovable=(name,)))).words
    assert "No description that was tried moves this case." in stuck
    assert f"moves these cases, which count all the same: {name}." in stuck
    assert "that was tried moves" not in page(run).words


def test_a_trial_that_an_earlier_run_paid_for_counts_but_for_money() -> None:
    run = plain_run()
    moved = replace(run, trials=run.trials[1:], reused=run.trials[:1])
    before, after = (" ".join(page(one).words.split()) for one in (run, moved))
    cut = "By purpose and model"
    assert before.split(cut)[0] == after.split(cut)[0]
    assert "trialsclaude-sonnet-4-5393,900" in after


def test_trials_that_count_for_nothing_are_in_the_cost() -> None:
    run = plain_run()
    words = " ".join(page(replace(run, discarded=run.trials[:3])).words.split())
    assert "trials that count for nothingclaude-sonnet-4-53300900" in words


def nothing_measured(run: RecordedRun) -> RecordedRun:
    summary = replace(
        run.summary,
        verdict=Verdict.INCONCLUSIVE,
        stopped_because=StopReason.PREFLIGHT,
        cause="no Docker",
        original=None,
        best=None,
        gate=None,
        best_iteration=1,
        best_description=run.summary.original_description,
        improved=False,
        listing=None,
        models=(),
        usage=(),
        measured_on="nothing",
        rate_in_file=None,
    )
    return replace(run, summary=summary, iterations=(), trials=(), answers=(), cases=())


def measured_only(run: RecordedRun) -> RecordedRun:
    summary = replace(
        run.summary,
        kind="measure",
        verdict=Verdict.KEPT,
        best_iteration=1,
        best_description=run.summary.original_description,
        gate=None,
        measured_on="search",
    )
    return replace(run, summary=summary, iterations=run.iterations[:1], answers=())


@pytest.mark.parametrize("kind", list(TargetKind))
def test_what_became_of_a_target_since_an_earlier_run_is_told(kind: TargetKind) -> None:
    run = measured_only(plain_run())
    held = replace(run, summary=replace(run.summary, target_kind=kind, against=AGAINST))
    words = " ".join(page(held).words.split())
    verdict = (
        "Against run 20261101T000000: dropped by 10 points or more, -20 points of balanced accuracy"
        " (90 % interval -35 to -5), P(better) 0.02."
    )
    assert words.index(verdict) < words.index("For whom it holds")
    for said in (
        "recall-40 points (90 % interval -70 to -10)",
        "specificity+0 points",
        "balanced accuracy-20 points (90 % interval -35 to -5)",
        "asks for a reviewtrigger1/11/5stands",
        "wants a poemnot trigger1/13/5was luck",
        "CLI 2.1.300 in A, 2.1.332 in B",
        "1 case is in no figure of this comparison.",
        "wants it now: not in A",
    ):
        assert said in words, said
    assert "Against run" not in page(run).words
    (first, second), other = AGAINST.flipped, "claude-opus-4-5"
    several = replace(AGAINST, flipped=(first, replace(second, model=other)))
    held = replace(run, summary=replace(run.summary, against=several))
    assert f"wants a poemnot trigger{other}1/1" in " ".join(page(held).words.split())


def test_a_comparison_without_a_flipped_case_says_so_and_one_without_figures_has_no_table() -> None:
    run = measured_only(plain_run())
    calm = replace(AGAINST, flipped=(), differences=(), not_comparable=())
    words = page(replace(run, summary=replace(run.summary, against=calm))).words
    assert "No case was run again: none of them flipped." in words
    assert "What else differs" not in words
    silent = replace(
        calm,
        change=None,
        interval=None,
        p_better=None,
        recall_change=None,
        specificity_change=None,
        dropped=None,
    )
    words = page(replace(run, summary=replace(run.summary, against=silent))).words
    assert "No rate can be compared." in words
    assert "cannot be told: no case of one class was decided in both" in words
    assert "none of them flipped" not in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(nothing_measured, "Nothing was measured: no Docker.", id="nothing measured"),
        pytest.param(measured_only, "A better description: scil run --eval review", id="measure"),
    ],
)
def test_every_kind_of_end_has_a_page(
    change: Callable[[RecordedRun], RecordedRun], words: str
) -> None:
    assert words in " ".join(page(change(plain_run())).words.split())


SAID = (
    Said(speaker=Speaker.CLAUDE, turn=1, text="I will just do it."),
    Said(speaker=Speaker.TOOL, turn=1, tool="Bash", text="command: ls"),
    Said(speaker=Speaker.ANSWER, turn=1, text="src", is_error=True),
    Said(speaker=Speaker.END, turn=1, text="success"),
)


def with_transcripts(run: RecordedRun) -> RecordedRun:
    trials = tuple(replace(t, transcript=f"t{i}") for i, t in enumerate(run.trials))
    return replace(run, trials=trials)


def test_a_miss_has_its_transcript_one_click_away_unless_it_is_left_out() -> None:
    run = with_transcripts(plain_run())
    wanted = [str(trial.transcript) for trial in wanted_transcripts(run)]
    assert len(wanted) == 2  # of the best text's confirm runs one missed, and one says nothing
    shown = page(run, **{wanted[0]: SAID}).words
    assert "I will just do it." in shown
    assert "Claude calls Bash, turn 1" in " ".join(shown.split())
    left_out = Page(render_run(run, dialogues=None, next_command=None)).words
    assert "Transcripts are left out of this report" in left_out


def test_a_long_transcript_is_cut_and_says_so() -> None:
    run = with_transcripts(plain_run())
    wanted, *_ = wanted_transcripts(run)
    long = tuple(Said(speaker=Speaker.CLAUDE, turn=turn, text="x" * 3_000) for turn in range(1, 10))
    words = page(run, **{str(wanted.transcript): long}).words
    assert "[1000 more characters]" in words
    assert "more entries are in the transcript's file" in words


@hostile
def test_hostile_texts_are_shown_and_nothing_else(text: str) -> None:
    run = everywhere(plain_run(), text)
    said = (
        Said(speaker=Speaker.TOOL, turn=1, tool=text, text=text),
        Said(speaker=Speaker.CLAUDE, turn=2, text=text, is_nested=True),
    )
    dialogues = {str(trial.transcript): said for trial in run.trials}
    html = render_run(run, dialogues=dialogues, next_command=text)
    html.encode("utf-8")
    parsed = Page(html)
    assert {tag for tag, _ in parsed.elements} <= OURS
    names = {name for _, attrs in parsed.elements for name in attrs}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "srcset", "style", "action", "formaction", "xlink:href"}
    still = with_transcripts(plain_run())
    held = replace(still, summary=replace(still.summary, against=AGAINST))
    plain = Page(render_run(held, dialogues={}, next_command="x"))
    assert len(parsed.all("section")) == len(plain.all("section"))
    assert not parsed.all("img", "script", "iframe", "object", "form")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", html)


def test_the_page_may_load_nothing_and_its_style_is_the_one_that_it_names() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(
        str(attrs["content"])
        for attrs in Page(html).all("meta")
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "@import" not in style
    assert "url(" not in style
    addresses = [value for _, attrs in Page(html).elements for value in (attrs.get("href"),)]
    assert all(value is None or value.startswith(("#", "data:,")) for value in addresses)
    assert 'style="' not in html


def test_a_percentage_is_never_broken_and_a_name_breaks_behind_its_colon() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    assert re.search(r'<span class="whole">\d+ %</span> \(\d+/\d+\), <span class="whole">', html)
    assert re.search(r'<span class="whole">\d+–\d+ %</span>', html)
    assert '<th scope="col" class="figure">demo:<wbr>other</th>' in html


def test_a_measurement_is_no_search() -> None:
    run = measured_only(plain_run())
    html = render_run(run, dialogues={}, next_command=None)
    text = markdown(run, next_command=None)
    assert "<span>Mean over cases of the share" in html
    assert "The search's own rates" not in html
    assert "<figcaption>Recall" not in html  # one text alone went nowhere
    assert "\n| mean over cases, 90 % intervals | original |\n" in text
    html = render_run(plain_run(), dialogues={}, next_command=None)
    assert "The search's own rates" in html
    assert "<figcaption>Recall" in html


def test_headings_tables_and_language_are_those_of_a_page_that_can_be_heard() -> None:
    parsed = page(plain_run())
    assert parsed.all("html")[0]["lang"] == "en"
    ranks = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert ranks[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(ranks))
    assert all(attrs.get("scope") for attrs in parsed.all("th"))
    assert all(attrs.get("aria-label") for attrs in parsed.all("div") if attrs.get("role"))
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = {str(attrs["href"]) for attrs in parsed.all("a")}
    assert targets <= {f"#{name}" for name in ids}


def test_a_text_that_passed_on_little_is_said_to_before_any_probability() -> None:
    run = plain_run()
    assert run.summary.gate is not None
    gate = replace(run.summary.gate, passed=True, p_better=0.998, interval=(-0.05, 0.4), rounds=1)
    words = page(replace(run, summary=replace(run.summary, gate=gate, applied=False))).words
    said, _, rest = words.partition("improved, but the 90 % interval holds 0: ")
    assert "P(better)" not in said
    assert "After one confirm round P(better) > 0.99 is too sure; more rounds tell more" in rest
    assert "P(better)the interval holds 0, so > 0.99 is too sure, needed" in rest
    assert "holds 0" not in page(run).words


def test_the_sections_stand_in_the_order_of_the_contents() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    contents = re.findall(r'<li><a href="#([a-z]+)">', html)
    assert re.findall(r'<section aria-labelledby="(\w+)">', html) == contents
    assert contents[:5] == ["whom", "result", "iterations", "cases", "text"]
    run = plain_run()
    held = replace(run, summary=replace(run.summary, against=AGAINST))
    html = render_run(held, dialogues={}, next_command=None)
    contents = re.findall(r'<li><a href="#([a-z]+)">', html)
    assert re.findall(r'<section aria-labelledby="(\w+)">', html) == contents
    assert contents[:3] == ["whom", "result", "against"]


def test_the_confirm_rounds_stand_before_the_search_in_the_table_of_cases() -> None:
    html = render_run(plain_run(), dialogues={}, next_command=None)
    table = html[html.index('<table class="heat">') :]
    columns = re.findall(r'<th scope="col">([^<]*)</th>', table[: table.index("</thead>")])
    assert columns[:4] == ["Case", "Set", "confirmed: original", "confirmed: best"]
    run = plain_run()
    alike = tuple(replace(case, set=CaseSet.TRAIN) for case in run.cases)
    html = render_run(replace(run, cases=alike), dialogues={}, next_command=None)
    assert '<th scope="col">Set</th>' not in html
    assert 'class="set"' not in html
    assert f'colspan="{len(columns) - 1}"' in html


def test_the_standing_of_metrics_is_shown_where_one_has_any() -> None:
    run = plain_run()
    own = MetricChange(
        name="own", unit=None, original=1.0, best=2.0, load_bearing=False, direction=None
    )
    for metric, is_shown in ((own, True), (replace(own, built_in=True), False)):
        told = replace(run, summary=replace(run.summary, metrics=(metric,)))
        html = render_run(told, dialogues={}, next_command=None)
        assert ('<th scope="col">Standing</th>' in html) is is_shown
        assert ("standing |" in markdown(told, next_command=None)) is is_shown
        assert (len(metric_table(told.summary).columns) == 4) is is_shown


def test_a_case_on_two_models_is_counted_once() -> None:
    words = " ".join(page(run_on_two_models()).words.split())
    assert (
        "Cases4: 2 should trigger, 2 should not; 1 held out from the improver; each on 2" in words
    )
    assert " of 8 (4 cases on each of 2 models) were missed at least once" in words
    assert "each on" not in page(plain_run()).words
