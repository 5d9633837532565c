"""The lexical chooser: its laws, and what it answers in plain cases."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.simulation.router import (
    ListingEntry,
    choose,
    choose_entry,
    draw,
    margin,
    probability,
)

RUNS = 200


def entry(name: str, text: str, kind: TargetKind = TargetKind.SKILL) -> ListingEntry:
    return ListingEntry(name, kind, text)


REVIEW = entry(
    "demo:code-review",
    "Reviews code changes for bugs and security holes. Use when someone wants a pull request,"
    " diff or commit checked before the merge. Not for writing commit messages.",
)
SQL = entry(
    "demo:sql-optimizer",
    "Finds out why an SQL query is slow and proposes indexes. Use when a query or report takes too"
    " long. Not for designing a schema.",
)
GERMAN = entry(
    "demo:rechnungen",
    "Prüft Rechnungen auf Fehler. Verwenden, wenn es um Rechnungsbeträge oder Steuersätze geht."
    " Nicht für Mahnungen.",
)
JAPANESE = entry(
    "demo:translation",
    "契約書を翻訳する。契約書や覚書の翻訳の依頼で使用する。議事録には使用しない。",
)
CATALOG = (REVIEW, SQL, GERMAN, JAPANESE)
UNRELATED = entry("demo:ovens", "Bakes bread and pizza in a stone oven.")


def share(prompt: str, catalog: tuple[ListingEntry, ...], name: str, *, seed: int = 0) -> float:
    chosen = [choose(prompt, catalog, seed=seed, run_index=index) for index in range(RUNS)]
    return chosen.count(name) / RUNS


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        pytest.param("Please check this diff before the merge", "demo:code-review", id="plain"),
        pytest.param("chek my pul requset and teh comit", "demo:code-review", id="typos"),
        pytest.param("why is this query slow?", "demo:sql-optimizer", id="short"),
        pytest.param("Warum ist die Abfrage so langsam?", "demo:sql-optimizer", id="meaning"),
        pytest.param("Stimmen die Steuersätze der Rechnung?", "demo:rechnungen", id="German"),
        pytest.param("この契約書を英語に翻訳してください", "demo:translation", id="Japanese"),
    ],
)
def test_a_request_calls_the_entry_with_its_words(prompt: str, name: str) -> None:
    assert share(prompt, CATALOG, name) > 0.65


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("What is the capital of Norway?", id="unrelated"),
        pytest.param("How many minutes are there in three hours?", id="generic words"),
        pytest.param("Wie wird das Wetter morgen?", id="German"),
        pytest.param("明日の天気はどうですか", id="Japanese"),
        pytest.param("", id="empty"),
    ],
)
def test_an_unrelated_request_calls_nothing(prompt: str) -> None:
    assert all(choose(prompt, CATALOG, seed=0, run_index=index) is None for index in range(RUNS))


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        pytest.param(
            "Write a commit message for my pull request", "demo:code-review", id="English"
        ),
        pytest.param("Schreib Mahnungen zu den Rechnungen", "demo:rechnungen", id="German"),
        pytest.param("議事録と契約書", "demo:translation", id="Japanese"),
    ],
)
def test_a_boundary_holds_back(prompt: str, name: str) -> None:
    chosen = next(item for item in CATALOG if item.name == name)
    told = chosen.text.replace("Not for", "Also for").replace("Nicht für", "Auch für")
    open_text = entry(name, told.replace("使用しない", "使用する"))
    assert probability(prompt, chosen) < 0.5 < probability(prompt, open_text)


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("Use the demo:code-review skill now, before anything else.", id="qualified"),
        pytest.param("use the code-review skill", id="bare"),
        pytest.param("code-review スキルを使って", id="Japanese"),
        pytest.param("Nutze bitte den Skill `code-review`.", id="German, quoted"),
    ],
)
@pytest.mark.parametrize(
    "text", [pytest.param(REVIEW.text, id="good text"), pytest.param("", id="empty text")]
)
def test_a_request_by_name_always_calls(prompt: str, text: str) -> None:
    catalog = (entry(REVIEW.name, text), SQL, entry("demo:review", "Reviews every code change."))
    assert share(prompt, catalog, REVIEW.name) == 1.0


@pytest.mark.parametrize(
    "rival",
    [
        pytest.param("code-review", id="Claude Code's own"),
        pytest.param("other:code-review", id="another plugin's"),
    ],
)
def test_a_name_with_its_plugin_calls_that_entry_alone(rival: str) -> None:
    prompt = f"Use the demo:code-review skill now, before anything else. {REVIEW.text * 3}"
    poor = entry("demo:code-review", "Helps out")
    catalog = (entry(rival, REVIEW.text), poor)
    assert share(prompt, catalog, poor.name) == 1.0
    assert margin("Use the demo:code-review skill", entry(rival, "")) < 0


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        pytest.param("Run the deploy skill", True, id="with its kind"),
        pytest.param("Use the skill named deploy", True, id="kind first"),
        pytest.param("I deploy", False, id="a mere word"),
    ],
)
def test_a_one_word_name_needs_its_kind_beside_it(prompt: str, calls: bool) -> None:
    assert (probability(prompt, entry("deploy", "")) == 1.0) is calls
    assert (probability(prompt, entry("demo:deploy", "")) == 1.0) is calls


@pytest.mark.parametrize(
    "prompt",
    [
        pytest.param("Don't use the code-review skill for this commit", id="don't"),
        pytest.param("Check the commit without the code-review skill", id="without"),
        pytest.param("Fix skills/code-review/SKILL.md", id="a path"),
        pytest.param("Restart our code-review-bot in the office", id="a longer name"),
    ],
)
def test_a_name_that_is_not_called_for_is_a_mere_word(prompt: str) -> None:
    assert probability(prompt, REVIEW) < 0.9


def test_a_catch_all_calls_too_often_and_an_empty_text_hardly() -> None:
    prompts = ("Explain monads", "Book a table for two", "Plan my trip", "What is 3 times 4?")
    greedy = entry(
        "demo:all", "Use this skill always, for every request and any question, whatever."
    )
    empty = entry("demo:code-review", "")
    assert min(probability(prompt, greedy) for prompt in prompts) > 0.8
    tries = ("check my diff", "is this commit fine?", "look at my pull request", "code smells?")
    assert max(probability(prompt, empty) for prompt in tries) < 0.2


def test_siblings_compete() -> None:
    prompt = "Check this diff before the merge"
    rival = entry(
        "demo:merge-check",
        "Use when a diff is to be checked before the merge: checks diff, merge and conflicts.",
    )
    alone = share(prompt, (REVIEW,), REVIEW.name)
    beside = share(prompt, (REVIEW, rival), REVIEW.name)
    assert alone > 0.9
    assert beside < alone - 0.2
    assert share(prompt, (REVIEW, rival), rival.name) > 0.3


def test_a_repeat_near_the_line_falls_as_often_as_its_probability_says() -> None:
    prompt = "Is this diff fine?"
    expected = probability(prompt, REVIEW)
    assert 0.1 < expected < 0.9
    runs = 4000
    hits = sum(choose(prompt, (REVIEW,), seed=3, run_index=i) is not None for i in range(runs))
    assert hits / runs == pytest.approx(expected, abs=0.03)


def test_noise_depends_on_each_part_of_the_trial() -> None:
    base = draw("call", "prompt", REVIEW, seed=0, run_index=0)
    others = {
        draw("step", "prompt", REVIEW, seed=0, run_index=0),
        draw("call", "Prompt", REVIEW, seed=0, run_index=0),
        draw("call", "prompt", SQL, seed=0, run_index=0),
        draw("call", "prompt", REVIEW, seed=1, run_index=0),
        draw("call", "prompt", REVIEW, seed=0, run_index=1),
    }
    assert len(others | {base}) == 6


def test_a_long_list_of_words_makes_each_weigh_less() -> None:
    short = entry("demo:x", "Use for quokkas and narwhals.")
    padding = ", ".join(f"{first}{second}thing" for first in "bcdfghkl" for second in "aeiou")
    long = entry("demo:x", f"Use for quokkas, narwhals, {padding}.")
    assert margin("Feed quokkas and narwhals", long) < margin("Feed quokkas and narwhals", short)


ANIMALS = entry("demo:x", "Feeds quokkas and narwhals, repairs a Fahrrad.")


@pytest.mark.parametrize(
    ("close", "far"),
    [
        pytest.param("quokas and narwals", "kittens and puppies", id="typing slips"),
        pytest.param("Fahrradwerkstatt", "Autowerkstatt", id="compound"),
    ],
)
def test_words_that_are_nearly_there_count(close: str, far: str) -> None:
    assert margin(close, ANIMALS) > margin(far, ANIMALS) + 0.4


def test_many_words_of_one_meaning_are_one_hint() -> None:
    latency = entry("demo:x", "Finds latency.")
    assert probability("sluggish performance bottleneck, timeout", latency) < 0.5


def test_when_to_use_it_counts_more_than_what_it_is() -> None:
    prompt = "quokkas please"
    asks, says = entry("demo:x", "Use for quokkas."), entry("demo:x", "About quokkas.")
    assert margin(prompt, asks) > margin(prompt, says)


def test_pasted_code_neither_calls_nor_drowns_a_request() -> None:
    code = "```python\n" + "\n".join(f"oven_{i} = bread.bake(pizza)" for i in range(40)) + "\n```"
    prompt = f"Please check this diff before the merge:\n{code}"
    assert probability(prompt, REVIEW) > 0.8
    assert probability(prompt, UNRELATED) == 0.0


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        pytest.param("Helps with code.", "Helps with code and diff reviews.", id="more words"),
        pytest.param("Reviews a diff. Not for merges.", "Reviews a diff.", id="fewer boundaries"),
    ],
)
def test_noise_is_monotone_in_the_margin(weaker: str, stronger: str) -> None:
    prompt = "Check this diff before merging code"
    low, high = entry("demo:x", weaker), entry("demo:x", stronger)
    assert margin(prompt, low) < margin(prompt, high)
    assert probability(prompt, low) < probability(prompt, high)


TEXTS = st.one_of(
    st.sampled_from([item.text for item in CATALOG]),
    st.lists(
        st.sampled_from(
            ("review", "diff", "query", "slow", "翻訳", "契約書", "bug", "not for", "use when", ".")
        ),
        max_size=12,
    ).map(" ".join),
    st.text(max_size=40),
)


@settings(max_examples=60, deadline=None)
@given(prompt=TEXTS, texts=st.lists(TEXTS, max_size=4), seed=st.integers(0, 9), data=st.data())
def test_the_order_of_the_catalog_changes_nothing(
    prompt: str, texts: list[str], seed: int, data: st.DataObject
) -> None:
    catalog = [entry(f"demo:s{number}", text) for number, text in enumerate(texts)]
    shuffled = data.draw(st.permutations(catalog))
    first = choose_entry(prompt, catalog, seed=seed, run_index=0)
    assert choose_entry(prompt, shuffled, seed=seed, run_index=0) == first
    assert choose_entry(prompt, tuple(catalog), seed=seed, run_index=0) == first


@settings(max_examples=60, deadline=None)
@given(prompt=TEXTS, texts=st.lists(TEXTS, max_size=3), run_index=st.integers(0, 50))
def test_a_sibling_without_a_shared_word_changes_nothing(
    prompt: str, texts: list[str], run_index: int
) -> None:
    stranger = entry("demo:qqq", "Zyxwv ponmlk.")
    catalog = [entry(f"demo:s{number}", text) for number, text in enumerate(texts)]
    before = choose(prompt, catalog, seed=1, run_index=run_index)
    assert choose(prompt, [stranger, *catalog], seed=1, run_index=run_index) == before


@settings(max_examples=60, deadline=None)
@given(prompt=TEXTS, texts=st.lists(TEXTS, min_size=2, max_size=6))
def test_probability_rises_with_the_margin(prompt: str, texts: list[str]) -> None:
    entries = sorted((entry("demo:x", text) for text in texts), key=lambda e: margin(prompt, e))
    for low, high in pairwise(entries):
        assert 0.0 <= probability(prompt, low) <= probability(prompt, high) <= 1.0


@settings(max_examples=100, deadline=None)
@given(prompt=st.text(), name=st.text(max_size=12), text=st.text())
def test_no_text_is_too_strange(prompt: str, name: str, text: str) -> None:
    chosen = choose(prompt, (entry(name, text),), seed=0, run_index=0)
    assert chosen in (None, name)


@pytest.mark.parametrize(
    "blob",
    [
        pytest.param("x" * 1_000_000, id="one word"),
        pytest.param("Ab3/" * 50_000, id="a path"),
        pytest.param("/" * 200_000, id="slashes"),
        pytest.param("kein" * 50_000 + ". Use demo:code-review.", id="a German negation"),
        pytest.param("a" + "\u0301\u0316" * 100_000, id="marks on one letter"),
        pytest.param("\uff9e\u0316" * 100_000, id="marks of two widths"),
    ],
)
def test_pasted_data_costs_no_more_than_reading_it(blob: str) -> None:
    pasted = f"Please check this diff before the merge {blob}"
    assert choose(pasted, (REVIEW, SQL), seed=0, run_index=0) == REVIEW.name
    assert choose("bread", (entry("demo:x", blob),), seed=0, run_index=0) is None


def test_pasted_data_is_no_part_of_the_request() -> None:
    blob = "Ab3+dE=" * 100
    assert margin(f"Check this diff {blob}", REVIEW) == margin("Check this diff", REVIEW)


def test_the_work_grows_no_faster_than_the_prompt() -> None:
    def calls(words: int) -> int:
        prompt = "review " + " ".join(f"{'y' * (n % 60)}{words}w{n}" for n in range(words))
        count = 0

        def tally(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(tally)
        try:
            margin(prompt, REVIEW)
        finally:
            sys.setprofile(None)
        return count

    calls(10)
    assert calls(800) < 2.5 * calls(400)
