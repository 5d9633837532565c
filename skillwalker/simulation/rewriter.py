"""The simulated improver's writing: a plausible better description, made of words.

It takes words from the body and from the prompts that fail, never their wording, puts them into
sentences of the description's language, and draws boundaries against false triggers. The same
brief always gives the same text.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from skillwalker.datatypes.improver import Brief, EarlierCandidate
from skillwalker.datatypes.vocabulary import Operator, TargetKind
from skillwalker.quotes import find_quote
from skillwalker.simulation.lexical.frames import ENGLISH, GERMAN, Frame, frame_for, join_words
from skillwalker.simulation.lexical.statements import read_statements
from skillwalker.simulation.lexical.vocabulary import TermEvidence, learn
from skillwalker.simulation.lexical.words import GENERIC_WEIGHT, Term, terms, weights

_MOST_TOPICS: Final = 26
_MOST_BODY_TOPICS: Final = 6
_MOST_NEW_TOPICS: Final = 14
"""Of an edit, which is to stay small."""
_MOST_BOUNDARIES: Final = 14
_LONGEST_LEAD: Final = 200
_VARIANTS: Final = 60
_SENTENCE: Final = re.compile(
    r"(?P<sentence>[^。！？\n]+?(?:[。！？]|[.!?](?=\s|$)|$))|[^。！？\n]*\n"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")
"""Not allowed in a skill's description."""
_ROLE: Final = re.compile(r"^You\s+(?:are\s+)?")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A description in parts; the words stand most important first."""

    frame: Frame
    lead: str
    topics: tuple[str, ...]
    boundaries: tuple[str, ...]
    sibling: str | None
    keeps_lead: bool
    """The lead is the whole current text, to which words are added."""
    turn: int = 0
    """Which of the frame's sentences is used."""


def rewrite(brief: Brief, *, skip: int = 0) -> str:
    """Write a description that should do better than the brief's current one.

    Args:
        brief: what any improver is told.
        skip: how many answers to pass over, when those were refused.

    Returns:
        A text of at most `max_chars` UTF-16 units that is none of the brief's earlier ones, as
        far as variations last.
    """
    taken = {_folded(brief.current)}
    taken.update(_folded(attempt.description) for attempt in brief.history)
    prompts = tuple(case.prompt for case in (*brief.failures, *brief.successes))
    last = brief.current
    for text in _candidates(brief):
        if _folded(text) in taken or find_quote(text, prompts) is not None:
            continue
        taken.add(_folded(text))
        last = text
        if skip == 0:
            break
        skip -= 1
    return last


def _folded(text: str) -> str:
    """Fold what a model would not tell apart."""
    return " ".join(text.casefold().split())


def _candidates(brief: Brief) -> Iterator[str]:
    """Yield texts of the brief's operator and, when those are used up, of the others."""
    evidence = TermEvidence(brief.failures, brief.successes, brief.body)
    for operator in dict.fromkeys((brief.operator, Operator.COMBINE, Operator.REWRITE)):
        draft = _draft(brief, evidence, operator)
        display = _spellings(brief, draft.frame)
        for variant in range(_VARIANTS):
            text = _fit(_vary(draft, variant), display, brief.max_chars)
            yield text if brief.kind is TargetKind.AGENT else _one_line(text)


def _one_line(text: str) -> str:
    """Bring a text into the form that a skill's description must have."""
    return " ".join(_TAG.sub(" ", text).split())


def _draft(brief: Brief, evidence: TermEvidence, operator: Operator) -> _Draft:
    """Choose the parts by the operator."""
    match operator:
        case Operator.REWRITE:
            return _from_body(brief, evidence)
        case Operator.COMBINE:
            return _from_best(brief, evidence)
        case Operator.EDIT:
            return _from_current(brief, evidence)


def _from_body(brief: Brief, evidence: TermEvidence) -> _Draft:
    """Start anew: what the body says, and the words that prompts share."""
    frame = frame_for(brief.current or brief.body)
    leads = (_body_lead(brief.body, frame), _sentences(brief.current, 1))
    lead = max(leads, key=lambda text: (bool(text), evidence.worth(text)))
    kept = _good_terms(brief.current, evidence)
    topics = [*kept[:_MOST_TOPICS], *evidence.shared_topics()[:_MOST_TOPICS]]
    return _finish(
        brief, evidence, frame, lead, topics + evidence.body_topics()[:_MOST_BODY_TOPICS]
    )


def _good_terms(description: str, evidence: TermEvidence) -> list[Term]:
    """Take the words of a description that do more good than harm."""
    statements = read_statements(description)
    wanted = terms(f"{statements.asks}\n{statements.says}")
    return [term for term in wanted if term.weight > GENERIC_WEIGHT and evidence.score(term) > 0]


def _from_best(brief: Brief, evidence: TermEvidence) -> _Draft:
    """Join the words of the two best attempts that do more good than harm."""
    frame = frame_for(brief.current or brief.body)
    best = _best_attempts(brief.history) or (brief.current,)
    inherited = [term for text in best for term in _good_terms(text, evidence)]
    topics = inherited[:_MOST_TOPICS] + evidence.shared_topics()[:_MOST_NEW_TOPICS]
    return _finish(brief, evidence, frame, _sentences(best[0], 1), topics)


def _from_current(brief: Brief, evidence: TermEvidence) -> _Draft:
    """Keep the text and add what it lacks; a text without room is combined anew."""
    current = brief.current.strip()
    if _units(current) > brief.max_chars * 0.9:
        return _from_best(brief, evidence)
    draft = _finish(brief, evidence, frame_for(current or brief.body), current, [])
    topics = draft.topics[:_MOST_NEW_TOPICS]
    if not topics and not draft.boundaries:
        spare = (*evidence.shared_topics(), *evidence.body_topics())
        known = weights(current)
        topics = tuple(t.surface for t in spare if not known.keys() & set(t.keys))[:2]
    return replace(draft, topics=topics, keeps_lead=bool(current))


def _finish(
    brief: Brief, evidence: TermEvidence, frame: Frame, lead: str, topics: list[Term]
) -> _Draft:
    """Add the words that some prompt still lacks, and the boundaries."""
    statements = read_statements(lead)
    known = weights(f"{brief.name}\n{statements.says}\n{statements.asks}")
    for term in topics:
        learn(known, term)
    missing = evidence.missing_topics(known)
    for term in missing:
        learn(known, term)
    said = weights(lead)
    held = weights(statements.excludes)
    boundaries = [t for t in evidence.boundaries(known) if not held.keys() & set(t.keys)]
    unsaid = [term for term in (*missing, *topics) if not said.keys() >= set(term.keys)]
    return _Draft(
        frame=frame,
        lead=lead,
        topics=_once(unsaid),
        boundaries=_once(boundaries)[:_MOST_BOUNDARIES],
        sibling=_sibling(brief, boundaries),
        keeps_lead=False,
    )


def _once(chosen: Sequence[Term]) -> tuple[str, ...]:
    """Name each term once, whatever its inflections."""
    return tuple({term.keys: term.surface for term in reversed(chosen)}.values())[::-1]


def _sibling(brief: Brief, boundaries: Sequence[Term]) -> str | None:
    """Name the sibling whose job the excluded words are, if one clearly is."""
    keys = {key for term in boundaries for key in term.keys}
    shared = Counter({name: len(keys & weights(text).keys()) for name, text in brief.siblings})
    ranked = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
    return ranked[0][0] if ranked and ranked[0][1] > 1 else None


def _best_attempts(history: Sequence[EarlierCandidate]) -> tuple[str, ...]:
    """Take the two descriptions that did best on train, the later one first on a tie."""

    def accuracy(numbered: tuple[int, EarlierCandidate]) -> tuple[float, int]:
        number, attempt = numbered
        return (-1.0 if attempt.score.accuracy is None else attempt.score.accuracy), number

    ranked = sorted(enumerate(history), key=accuracy, reverse=True)
    return tuple(attempt.description for _, attempt in ranked[:2])


def _sentences(text: str, most: int) -> str:
    """Take the first sentences of a text that exclude nothing."""
    found = ((match["sentence"] or "").strip() for match in _SENTENCE.finditer(text))
    good = (sentence for sentence in found if sentence and not read_statements(sentence).excludes)
    return textwrap.shorten(" ".join(islice(good, most)), _LONGEST_LEAD, placeholder="")


def _body_lead(body: str, frame: Frame) -> str:
    """Take what the body says first, in the third person, if it is in the same language."""
    prose = re.sub(r"^[^\S\n]*(?:[#>|*`-].*|\d+\..*|<.*)$", "", body, flags=re.MULTILINE)
    paragraph = next((part for part in re.split(r"\n\s*\n", prose) if part.strip()), "")
    first = _sentences(" ".join(paragraph.split()), 1)
    if not first or frame_for(first) is not frame:
        return ""
    role = _ROLE.match(first)
    if role is None or frame is not ENGLISH:
        return first
    rest = first[role.end() :]
    verb, _, tail = rest.partition(" ")
    return rest[:1].upper() + rest[1:] if "are" in role.group() else f"{verb.title()}s {tail}"


def _spellings(brief: Brief, frame: Frame) -> dict[str, str]:
    """Learn how the body and the prompts write words: SQL, not sql."""
    prompts = (case.prompt for case in (*brief.failures, *brief.successes))
    written = Counter(re.findall(r"[^\W\d_]+", "\n".join((brief.current, brief.body, *prompts))))
    spelled: dict[str, str] = {}
    for form, _ in sorted(written.items(), key=lambda item: (-item[1], item[0])):
        spelled.setdefault(form.casefold(), form)
    return {
        folded: form
        for folded, form in spelled.items()
        if (form.isupper() and len(form) < 6) or frame is GERMAN
    }


def _vary(draft: _Draft, variant: int) -> _Draft:
    """Make the draft differ: another sentence first, then another order, then fewer words."""
    fewer, step = divmod(variant, 2 * len(draft.frame.asks))
    turns_back, turn = divmod(step, len(draft.frame.asks))
    topics = draft.topics[: max(0, len(draft.topics) - fewer)]
    return replace(draft, topics=topics[::-1] if turns_back else topics, turn=turn)


def _fit(draft: _Draft, display: dict[str, str], most: int) -> str:
    """Write the draft, dropping the least important words until it fits."""
    text = _write(draft, display)
    while _units(text) > most:
        if len(draft.boundaries) > len(draft.topics) // 2:
            draft = replace(draft, boundaries=draft.boundaries[:-1])
        elif draft.topics:
            draft = replace(draft, topics=draft.topics[:-1])
        else:
            draft = replace(draft, lead=draft.lead[: len(draft.lead) * 3 // 4].strip())
        text = _write(draft, display)
    return text


def _units(text: str) -> int:
    """Count UTF-16 units, as Claude Code does."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _write(draft: _Draft, display: dict[str, str]) -> str:
    """Put the parts into sentences."""
    frame = draft.frame
    patterns = frame.also if draft.keeps_lead else frame.asks
    sentences = [draft.lead.rstrip(" .。")] if draft.lead else []
    if draft.topics:
        words = join_words(tuple(display.get(word, word) for word in draft.topics), frame)
        sentences.append(patterns[draft.turn].format(words=words))
    if draft.boundaries and frame.excludes:
        words = join_words(tuple(display.get(word, word) for word in draft.boundaries), frame)
        pointer = frame.points_to.format(name=draft.sibling) if draft.sibling else ""
        sentences.append(frame.excludes.format(words=words) + pointer)
    return frame.stop.join(sentences) + frame.stop.rstrip() if sentences else ""
