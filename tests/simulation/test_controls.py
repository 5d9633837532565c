"""A simulated run never fails its controls by the router's noise."""

import dataclasses
from collections.abc import Iterator
from random import Random

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.plan import Plan
from skillwalker.preflight import UNRELATED_PROMPTS, control_cases
from skillwalker.simulation.lexical.statements import read_statements
from skillwalker.simulation.lexical.stopwords import GENERIC_WORDS, STOP_WORDS
from skillwalker.simulation.lexical.thesaurus import listed_words
from skillwalker.simulation.router import ListingEntry, choose_entry, probability
from tests.bench import make_bench_project, plan_of

TEXTS = 600
RUNS = 4
"""As many as a control may get."""
VOCABULARY = (
    tuple(sorted(set(listed_words().split()))),
    tuple(sorted(GENERIC_WORDS)),
    tuple(sorted(STOP_WORDS)),
)
CONTROL_WORDS = tuple(sorted({word.strip("?") for p in UNRELATED_PROMPTS for word in p.split()}))
"""What the unrelated prompts are made of; one word in twelve of a text."""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return plan_of(make_bench_project(tmp_path_factory.mktemp("controls")))


def descriptions() -> Iterator[str]:
    """Texts of 2 to 30 words, half of them in the form of a description.

    None claims everything more than twice: such a text does fire on anything.
    """
    random = Random("controls")  # noqa: S311 (a test's texts)

    def word() -> str:
        return random.choice(
            CONTROL_WORDS if random.random() < 1 / 12 else random.choice(VOCABULARY)
        )

    number = 0
    while number < TEXTS:
        said, asked = (" ".join(word() for _ in range(random.randint(1, 15))) for _ in range(2))
        text = f"{said} {asked}" if number % 2 else f"{said}. Use when asked for {asked}."
        if read_statements(text).catch_alls <= 2:
            number += 1
            yield text


def rivals(name: str, kind: TargetKind, text: str) -> tuple[ListingEntry, ...]:
    """Entries that are nearly the target: its name in another plugin, in none, of another kind."""
    bare = name.rpartition(":")[2]
    (other,) = set(TargetKind) - {kind}
    catalog = (
        ListingEntry(f"other:{bare}", kind, f"Always use now. {text}"),
        ListingEntry(name, other, f"Use now, before anything else. {text}"),
        ListingEntry(bare, kind, text),
        ListingEntry(f"{name}-too", kind, text),
    )
    return tuple(entry for entry in catalog if (entry.name, entry.kind) != (name, kind))


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("name", ["demo:code-review", "demo:deploy", "code-review", "deploy"])
def test_controls_hold_for_hundreds_of_descriptions(
    plan: Plan, name: str, kind: TargetKind
) -> None:
    listed = dataclasses.replace(plan.listing.listed, name=name, text=None)
    place = dataclasses.replace(plan.listing, listed=listed)
    of_kind = dataclasses.replace(plan.target, kind=kind)
    for text in descriptions():
        target = dataclasses.replace(of_kind, description=text)
        explicit, unrelated = control_cases(target, place, "sonnet")
        entry = ListingEntry(name, kind, text)
        catalog = (entry, *rivals(name, kind, text))
        for run_index in range(RUNS):
            called = choose_entry(explicit.prompt, catalog, seed=0, run_index=run_index)
            assert called == entry
        # Of what has nothing to do with the prompt no seed and no repeat makes a call.
        assert probability(unrelated.prompt, entry) == 0.0, (unrelated.prompt, text)


def test_a_text_that_fires_on_anything_still_fails(plan: Plan) -> None:
    text = "Use this always, for every request and any question, whatever."
    target = dataclasses.replace(plan.target, description=text)
    _, unrelated = control_cases(target, plan.listing, "sonnet")
    assert probability(unrelated.prompt, ListingEntry("demo:code-review", target.kind, text)) > 0.9
