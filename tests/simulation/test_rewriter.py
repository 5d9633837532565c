"""The simulated improver: its texts do better on the router, and keep every rule."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.improver import Brief, EarlierCandidate, TrainCase
from skillwalker.datatypes.scores import SetScore
from skillwalker.datatypes.vocabulary import Operator, TargetKind
from skillwalker.lint import lint_description
from skillwalker.quotes import find_quote
from skillwalker.simulation.lexical.frames import ENGLISH, GERMAN, JAPANESE, frame_for
from skillwalker.simulation.rewriter import rewrite
from skillwalker.simulation.router import ListingEntry, choose, probability


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A target with a poor description, its body and twenty prompts."""

    name: str
    poor: str
    body: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]


BREWING = World(
    name="brewing",
    poor="Coffee stuff",
    body="""# Brewing

Plan and correct the brewing of filter coffee and espresso: dose, grind, water and time.

- Dose and ratio: weigh the beans, 60 grams a litre for filter, and write the ratio down.
- Grind: finer when the cup is sour or watery, coarser when it is bitter or the shot chokes.
- Water: temperature, hardness, minerals. Soft water tastes flat.
- Extraction: time, yield, channeling, crema; the espresso shot should take 25 to 30 seconds.
""",
    positives=(
        "My espresso runs through in twelve seconds, what now?",
        "The filter tastes sour since I bought new beans",
        "How coarse should I grind for a French press?",
        "bitter cup every morning, help",
        "Which ratio of beans to water for a litre?",
        "Mein Espresso schmeckt sauer, soll ich feiner mahlen?",
        "The shot chokes the machine, nothing comes out",
        "Is our tap water too hard for brewing?",
        "no crema at all on my shots",
        "Dial in this Ethiopian for a V60, please",
    ),
    negatives=(
        "Which coffee machine should the office buy?",
        "Write a poem about coffee",
        "How much caffeine is in a cup of tea?",
        "Descale the machine: which acid?",
        "Calculate the price of a litre of milk for the café",
        "Translate the coffee menu into French",
        "How do I remove a coffee stain from a shirt?",
        "Plan the opening hours of our coffee bar",
        "What is the capital of Ethiopia?",
        "Order ten kilos of beans from our roaster",
    ),
)
MORTGAGES = World(
    name="loan-check",
    poor="Hilft bei Krediten",
    body="""# Kreditprüfung

Prüft Angebote für Baufinanzierungen: Zinsbindung, Tilgung, Sondertilgung, Restschuld und Gebühren.

- Vergleiche den Effektivzins der Angebote, nicht den Sollzins.
- Berechne die Restschuld am Ende der Zinsbindung und die monatliche Rate.
- Suche Klauseln: Bereitstellungszinsen, Sondertilgung, Vorfälligkeitsentschädigung.
""",
    positives=(
        "Ist der Effektivzins in diesem Angebot in Ordnung?",
        "Wie hoch ist die Restschuld nach zehn Jahren Zinsbindung?",
        "Vergleich mir die beiden Baufinanzierungen",
        "Darf ich laut Vertrag Sondertilgungen leisten?",
        "Welche Rate haben wir bei drei Prozent Tilgung?",
        "Was kosten uns die Bereitstellungszinsen, wenn der Bau sich verzögert?",
        "Lohnt sich eine längere Zinsbindung?",
        "restschuld berechnen",
        "Die Bank nennt nur den Sollzins, ist das Angebot gut?",
        "Kommen wir vorzeitig heraus, und was kostet die Vorfälligkeitsentschädigung?",
    ),
    negatives=(
        "Schreib der Bank eine Kündigung für das Girokonto",
        "Was ist der Unterschied zwischen Kredit und Leasing?",
        "Wie hoch sind die Zinsen auf Tagesgeld?",
        "Entwirf ein Angebot für unseren Kunden aus dem Bau",
        "Übersetze den Kaufvertrag ins Englische",
        "Wann zahlt man Grunderwerbsteuer?",
        "Erinnere den Mieter an die Rate für die Küche",
        "Rechne den Bauplan in Quadratmeter um",
        "Bewerte meinen Lebenslauf",
        "Wie wird das Wetter in Kiel?",
    ),
)
GARDEN = World(
    name="pruning",
    poor="庭の手伝い",
    body="""# 剪定

庭木と果樹の剪定の時期と方法を決める。枝を見て、切る場所を示す。

- 剪定の時期: 落葉樹は冬、常緑樹は春。
- 果樹: 実を多くするための枝の切り方。
- 病気の枝、枯れ枝、徒長枝の処理。
""",
    positives=(
        "梅の剪定はいつがいいですか",
        "柿の枝が伸びすぎました。どこを切ればいいですか",
        "徒長枝だけを切る方法を教えて",
        "枯れ枝の見分け方は?",
        "生垣の刈り込みの時期を知りたい",
        "果樹の実を増やす剪定",
        "病気の枝をどこまで切るべきか",
        "冬に切ってよい庭木の一覧",
        "常緑樹の枝の手入れ",
        "バラの剪定を写真で見てほしい",
    ),
    negatives=(
        "庭に置く椅子を選んで",
        "東京の天気は?",
        "野菜の種をまく時期",
        "庭の設計図を描いて",
        "枝豆の料理を教えて",
        "芝生の肥料はどれがいい?",
        "害虫の名前を知りたい",
        "引っ越しの手伝いを頼む手紙",
        "盆栽の展覧会の予定",
        "物置の値段を比べて",
    ),
)
WORLDS = [
    pytest.param(BREWING, id="English"),
    pytest.param(MORTGAGES, id="German"),
    pytest.param(GARDEN, id="Japanese"),
]
SIBLINGS = (("bookkeeping", "Enters invoices, prices and orders. Use for a price or an order."),)


def balanced(world: World, description: str) -> float:
    """Balanced accuracy over many repeats."""
    target = ListingEntry(f"demo:{world.name}", TargetKind.SKILL, description)
    recall = [probability(prompt, target) for prompt in world.positives]
    specificity = [1 - probability(prompt, target) for prompt in world.negatives]
    return (sum(recall) / len(recall) + sum(specificity) / len(specificity)) / 2


def brief_of(
    world: World, current: str, operator: Operator, history: tuple[EarlierCandidate, ...] = ()
) -> Brief:
    """The brief after one trial of each prompt."""
    target = ListingEntry(f"demo:{world.name}", TargetKind.SKILL, current)
    cases = [(prompt, True) for prompt in world.positives]
    cases += [(prompt, False) for prompt in world.negatives]
    passed: list[TrainCase] = []
    failed: list[TrainCase] = []
    for prompt, should in cases:
        triggered = choose(prompt, (target,), seed=0, run_index=0) is not None
        case = TrainCase(
            prompt=prompt, should_trigger=should, triggered=int(triggered), decided=1, instead=()
        )
        (passed if triggered == should else failed).append(case)
    score = SetScore(passed=len(passed), failed=len(failed), undecided=0)
    return Brief(
        kind=TargetKind.SKILL,
        name=world.name,
        body=world.body,
        current=current,
        operator=operator,
        failures=tuple(failed),
        successes=tuple(passed),
        history=(*history, EarlierCandidate(description=current, score=score, resolved=False)),
        siblings=SIBLINGS,
        max_chars=1024,
    )


def faults(text: str, world: World, brief: Brief) -> tuple[str, ...]:
    return lint_description(
        text,
        kind=TargetKind.SKILL,
        max_units=brief.max_chars,
        queries=(*world.positives, *world.negatives),
        earlier=tuple(attempt.description for attempt in brief.history),
    )


@pytest.mark.parametrize("world", WORLDS)
def test_a_rewrite_and_an_edit_improve_a_poor_description(world: World) -> None:
    before = balanced(world, world.poor)
    first = brief_of(world, world.poor, Operator.REWRITE)
    rewritten = rewrite(first)
    second = brief_of(world, rewritten, Operator.EDIT, first.history)
    edited = rewrite(second)
    assert balanced(world, rewritten) >= before + 0.15
    assert balanced(world, edited) >= before + 0.15
    assert faults(rewritten, world, first) == faults(edited, world, second) == ()


@pytest.mark.parametrize("world", WORLDS)
def test_a_rewrite_helps_with_prompts_that_it_never_saw(world: World) -> None:
    gains = []
    for fold in range(5):
        seen, unseen = split(world, fold)
        rewritten = rewrite(brief_of(seen, world.poor, Operator.REWRITE))
        gains.append(balanced(unseen, rewritten) - balanced(unseen, world.poor))
    assert sum(gains) / len(gains) > 0.05


def split(world: World, fold: int) -> tuple[World, World]:
    """Take every fifth prompt out."""

    def part(prompts: tuple[str, ...], *, out: bool) -> tuple[str, ...]:
        return tuple(p for number, p in enumerate(prompts) if (number % 5 == fold) is out)

    def half(*, out: bool) -> World:
        positives, negatives = part(world.positives, out=out), part(world.negatives, out=out)
        return replace(world, positives=positives, negatives=negatives)

    return half(out=False), half(out=True)


@pytest.mark.parametrize("world", WORLDS)
def test_the_operators_differ(world: World) -> None:
    earlier = brief_of(world, world.poor, Operator.REWRITE).history
    texts = {rewrite(brief_of(world, world.poor, operator, earlier)) for operator in Operator}
    assert len(texts) == len(Operator)


@pytest.mark.parametrize("operator", list(Operator))
def test_no_text_comes_twice(operator: Operator) -> None:
    current = BREWING.poor
    history: tuple[EarlierCandidate, ...] = ()
    texts = [current]
    for _ in range(12):
        brief = brief_of(BREWING, current, operator, history)
        current, history = rewrite(brief), brief.history
        assert faults(current, BREWING, brief) == ()
        texts.append(current)
    assert len(set(texts)) == len(texts)


def test_an_edit_keeps_the_text() -> None:
    current = "Corrects the brewing of coffee: dose, grind and time."
    edited = rewrite(brief_of(BREWING, current, Operator.EDIT))
    assert edited.startswith(current.rstrip("."))
    assert len(edited) > len(current)


def test_a_combination_takes_words_of_the_best_attempts() -> None:
    brief = brief_of(BREWING, BREWING.poor, Operator.COMBINE)
    best = EarlierCandidate(
        description="Corrects coffee. Use when a shot of espresso tastes bitter.",
        score=SetScore(passed=18, failed=2, undecided=0),
        resolved=True,
    )
    worst = EarlierCandidate(
        description="Corrects drinks. Use when descaling.",
        score=SetScore(passed=1, failed=19, undecided=0),
        resolved=True,
    )
    combined = rewrite(replace(brief, history=(worst, best, worst)))
    assert combined.startswith("Corrects coffee")


@pytest.mark.parametrize(
    ("world", "frame"),
    [
        pytest.param(BREWING, ENGLISH, id="English"),
        pytest.param(MORTGAGES, GERMAN, id="German"),
        pytest.param(GARDEN, JAPANESE, id="Japanese"),
    ],
)
@pytest.mark.parametrize("operator", list(Operator))
def test_the_language_is_kept(world: World, frame: object, operator: Operator) -> None:
    assert frame_for(rewrite(brief_of(world, world.poor, operator))) is frame


@pytest.mark.parametrize("most", [30, 60, 120, 300])
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("operator", list(Operator))
def test_the_length_is_kept(world: World, operator: Operator, most: int) -> None:
    brief = replace(brief_of(world, world.poor * 3, operator), max_chars=most)
    assert 0 < len(rewrite(brief).encode("utf-16-le")) // 2 <= most


def test_a_false_trigger_gets_a_boundary() -> None:
    greedy = "Use for coffee, beans and machine questions: espresso, water and cup."
    rewritten = rewrite(brief_of(BREWING, greedy, Operator.EDIT))
    assert "Not for" in rewritten
    target = ListingEntry("demo:brewing", TargetKind.SKILL, rewritten)
    before = ListingEntry("demo:brewing", TargetKind.SKILL, greedy)
    prompt = "Which coffee machine should the office buy?"
    assert probability(prompt, target) < probability(prompt, before)


def test_a_boundary_names_the_sibling_whose_job_it_is() -> None:
    world = replace(
        BREWING,
        negatives=("Enter the invoice for the espresso beans", "Check the price of coffee orders"),
    )
    current = "Use for coffee, espresso and beans."
    assert "(use bookkeeping instead)" in rewrite(brief_of(world, current, Operator.EDIT))


def test_typing_slips_of_prompts_are_not_copied() -> None:
    world = replace(
        BREWING, positives=("my esprsso tastes wierd", "esprsso is sourr", "extractoin")
    )
    rewritten = rewrite(brief_of(world, world.poor, Operator.REWRITE))
    assert "esprsso" not in rewritten
    assert "espresso" in rewritten


def test_a_prompt_is_never_quoted() -> None:
    listed = "zebras anteaters baboons camels"
    world = replace(
        BREWING,
        body=f"Feed animals.\n\n- {listed} donkeys elephants",
        positives=(listed, "zebras", "donkeys, elephants"),
        negatives=(),
    )
    brief = brief_of(world, "Animals", Operator.REWRITE)
    texts = [rewrite(brief, skip=skip) for skip in range(4)]
    assert all("camels" in text and find_quote(text, world.positives) is None for text in texts)


def test_a_word_of_many_false_triggers_is_not_taken() -> None:
    world = replace(
        BREWING,
        positives=("bitter cup of coffee", "sour coffee"),
        negatives=("coffee stain", "coffee poem", "coffee bar", "coffee shop", "coffee menu"),
        body="Correct the cup.\n\n- bitter, sour",
    )
    rewritten = rewrite(brief_of(world, "Corrects a cup.", Operator.REWRITE))
    assert "coffee" not in rewritten
    assert "sour" in rewritten


def test_a_refused_text_is_followed_by_another() -> None:
    brief = brief_of(BREWING, BREWING.poor, Operator.REWRITE)
    assert len({rewrite(brief, skip=skip) for skip in range(5)}) == 5


def test_a_skills_text_has_one_line_and_no_tags() -> None:
    current = "Corrects the brewing.\n\n<example>\nuser: sour cup\n</example>"
    edited = rewrite(brief_of(BREWING, current, Operator.EDIT))
    assert "\n" not in edited
    assert "<" not in edited


WORDS = st.text(max_size=30)
CASES = st.builds(
    TrainCase,
    prompt=WORDS,
    should_trigger=st.booleans(),
    triggered=st.integers(0, 1),
    decided=st.just(1),
    instead=st.just(()),
)
BRIEFS = st.builds(
    Brief,
    kind=st.sampled_from(TargetKind),
    name=st.text(min_size=1, max_size=10),
    body=WORDS,
    current=WORDS,
    operator=st.sampled_from(Operator),
    failures=st.lists(CASES, max_size=3).map(tuple),
    successes=st.lists(CASES, max_size=3).map(tuple),
    history=st.just(()),
    siblings=st.just(()),
    max_chars=st.integers(20, 1024),
)


@settings(max_examples=60, deadline=None)
@given(BRIEFS)
def test_any_brief_gets_the_same_text_again(brief: Brief) -> None:
    text = rewrite(brief)
    assert text == rewrite(brief)
    assert text == brief.current or len(text.encode("utf-16-le", "surrogatepass")) // 2 <= (
        brief.max_chars
    )


@pytest.mark.parametrize(
    "blob",
    [
        pytest.param("x" * 200_000, id="one word"),
        pytest.param("a." * 20_000, id="dots"),
        pytest.param("\n" * 100_000, id="blank lines"),
        pytest.param("word and word\n" * 3_000, id="lines without an end"),
    ],
)
@pytest.mark.parametrize("place", ["prompt", "body", "current"])
def test_pasted_data_costs_no_more_than_reading_it(blob: str, place: str) -> None:
    case = TrainCase(
        prompt=f"Grind the beans {blob if place == 'prompt' else ''}",
        should_trigger=True,
        triggered=0,
        decided=1,
        instead=(),
    )
    told = Brief(
        kind=TargetKind.SKILL,
        name="demo:brewing",
        body=f"Brews. {blob if place == 'body' else ''}",
        current=blob if place == "current" else "Coffee stuff",
        operator=Operator.REWRITE,
        failures=(case,),
        successes=(),
        history=(),
        siblings=(),
        max_chars=1024,
    )
    assert "grind" in rewrite(told)
