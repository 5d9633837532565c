"""The entries of other tools' files made cases of one target; every entry that cannot is named."""

import dataclasses
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillwalker.errors import SuiteError
from skillwalker.faults import MOST_NAMES, quoted, shown
from skillwalker.foreign.claims import (
    Claim,
    Unreadable,
    claims_of,
    is_plain,
    names_a_skill,
    routed_to,
    subject_of,
)
from skillwalker.foreign.entries import Document, ForeignCase, ForeignEntry, FoundEntries, Values
from skillwalker.foreign.keys import NAMES, NEAR_KEYS, PROMPTS, QUALITY, ROUTE, TAGS
from skillwalker.foreign.shapes import IsTarget, find_entries
from skillwalker.normal_form import normal_form

NEAR_MISS = "near-miss"
LONGEST_NAME = 80
NAMELESS = "case"
_LINE = re.compile(r": line (\d+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCases:
    """All cases of some files."""

    cases: tuple[ForeignCase, ...]
    left_out: int
    """Entries about other skills that say nothing about the target."""
    others: tuple[str, ...]
    """Skills that files say they are about, and that are not the target."""
    repeated: tuple[str, ...] = ()
    """Places of entries with the prompt and the label of an earlier one; they are left out."""


def read_cases(documents: Sequence[Document], is_target: IsTarget) -> ReadCases:
    """Read files as cases of one target.

    Args:
        documents: the files.
        is_target: whether a name in them means the target.

    Raises:
        SuiteError: something cannot be read; the message has a line for every such entry.
    """
    cases: list[ForeignCase] = []
    faults: list[str] = []
    abouts: dict[str, None] = {}
    left_out = 0
    for document in documents:
        try:
            found = find_entries(document, is_target)
        except SuiteError as error:
            faults += document.faults or [str(error)]
            continue
        read, unread = _read_all(found, is_target)
        faults += sorted([*document.faults, *unread], key=_line_of) or _unmentioned(
            document, found, read
        )
        cases += [case for case in read if case is not None]
        left_out += found.left_out + read.count(None)
        abouts |= {found.about: None} if found.about else {}
    faults += _contradictions(cases)
    if faults:
        raise SuiteError("\n".join(faults))
    once, repeated = _without_repeats(cases)
    return ReadCases(
        cases=_uniquely_named(once),
        left_out=left_out,
        others=tuple(name for name in abouts if not is_target(name)),
        repeated=repeated,
    )


def _line_of(fault: str) -> int:
    """Give the line that a fault names; those that name none stay in their order."""
    found = _LINE.search(fault)
    return int(found[1]) if found else 0


def _read_all(
    found: FoundEntries, is_target: IsTarget
) -> tuple[list[ForeignCase | None], list[str]]:
    """Read the entries of a file, and give a line for each that cannot be read."""
    null_is_no = any(names_a_skill(_values(entry)) for entry in found.entries)
    read: list[ForeignCase | None] = []
    faults = []
    for entry in found.entries:
        try:
            read.append(_case(entry, is_target, null_is_no))
        except Unreadable as error:
            faults.append(f"{entry.where}: {error}")
    return read, faults


def _unmentioned(
    document: Document, found: FoundEntries, read: Sequence[ForeignCase | None]
) -> list[str]:
    """Doubt a file that names the skill of every entry, and never the target."""
    if any(case is not None and case.should_trigger for case in read):
        return []
    if any(entry.given is not None or is_plain(_values(entry)) for entry in found.entries):
        return []
    names = dict.fromkeys(case.preferred for case in read if case is not None and case.preferred)
    listed = ", ".join(quoted(name) for name in list(names)[:MOST_NAMES])
    return [
        f"{document.label}: names the skill of every entry, and never the target; "
        + (f"it names {listed}" if names else "it names none")
    ]


def _values(entry: ForeignEntry) -> Values:
    """Give the keys of an entry; promptfoo keeps some of them one level down."""
    values = entry.values
    if isinstance(values, str):
        return {"prompt": values}
    if not isinstance(values, Mapping):
        return {}
    inner = values.get("vars")
    return {**inner, **values} if isinstance(inner, Mapping) else values


def _case(entry: ForeignEntry, is_target: IsTarget, null_is_no: bool) -> ForeignCase | None:
    """Read one entry; None when it is about another skill and says nothing of the target."""
    if not isinstance(entry.values, str | Mapping):
        raise Unreadable(f"must be an object, not {shown(entry.values)}")
    values = _values(entry)
    prompt = _prompt(values)
    claim = _settled(entry, values, is_target, null_is_no)
    if claim is None:
        return None
    return ForeignCase(
        where=entry.where,
        name=_name(values, prompt),
        prompt=prompt,
        should_trigger=claim.should_trigger,
        preferred=claim.rival,
        tags=_tags(entry, values, claim),
    )


def _prompt(values: Values) -> str:
    given = {key: values[key] for key in PROMPTS if key in values}
    texts = {text for text in given.values() if isinstance(text, str)}
    if len(texts) > 1:
        keys = " and ".join(quoted(key) for key in given)
        raise Unreadable(f"has {keys}, which differ; keep one")
    if not texts:
        raise Unreadable(
            f'has no prompt; write it as "{PROMPTS[0]}" or "{PROMPTS[1]}"'
            + (f", not {shown(next(iter(given.values())))}" if given else "")
        )
    text = next(iter(texts))
    if not text.strip():
        raise Unreadable("has an empty prompt; write what a user would ask, or remove the entry")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise Unreadable("has half of a character in its prompt; correct it")
    return text


def _settled(
    entry: ForeignEntry, values: Values, is_target: IsTarget, null_is_no: bool
) -> Claim | None:
    """Bring together what all keys of an entry say; None when it is about another skill."""
    null_is_no = null_is_no or entry.given is not None
    claims = list(claims_of(values, is_target, null_is_no=null_is_no))
    if entry.given is not None:
        claims.append(Claim(key="its list", should_trigger=entry.given))
    subject = subject_of(values)
    if subject is not None:
        seen = _seen_from(subject, claims, is_target)
        if seen is None:
            return None
        claims = [seen]
    if not claims:
        raise Unreadable(_says_nothing(values))
    first = claims[0]
    for other in claims[1:]:
        if other.should_trigger is not first.should_trigger:
            raise Unreadable(
                f"says both that the skill should trigger and that it should not ({first.key}, "
                f"{other.key}); keep one"
            )
    return next((claim for claim in claims if claim.rival is not None), first)


def _seen_from(subject: Claim, claims: Sequence[Claim], is_target: IsTarget) -> Claim | None:
    """Turn what an entry says of the skill it is about into what that means for the target."""
    says = {claim.should_trigger for claim in claims}
    if len(says) > 1:
        raise Unreadable("says both that the skill should trigger and that it should not; keep one")
    name = subject.rival
    if name is None:  # of no skill at all
        if True in says:
            raise Unreadable(f"should trigger, but {quoted(subject.key)} names no skill; name it")
        return Claim(key=subject.key, should_trigger=False)
    if is_target(name):
        names = next((claim.names for claim in claims if claim.names), ())
        return Claim(key=subject.key, should_trigger=False not in says, names=names)
    if False in says:
        return None
    return Claim(key=subject.key, should_trigger=False, names=(name,))


def _says_nothing(values: Values) -> str:
    hint = ""
    if any(key in values for key in QUALITY):
        hint = " (it grades the work that is done: such evals are cases of the type prompt)"
    return (
        f'does not say whether the skill should trigger; add "should_trigger": true or false{hint}'
    )


def _name(values: Values, prompt: str) -> str:
    ids = [values.get(key) for key in NAMES]
    if "vars" in values:
        ids.insert(0, values.get("description"))
    said = next((text for text in ids if isinstance(text, str) and _line(text)), prompt)
    name = _line(said) or NAMELESS
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"


def _line(text: str) -> str:
    """Put a text on one line that a name may be."""
    kept = (" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)
    return " ".join("".join(c for c in kept if not "\ud800" <= c <= "\udfff").split())


def _tags(entry: ForeignEntry, values: Values, claim: Claim) -> tuple[str, ...]:
    listed = values.get("tags")
    found = [*listed] if isinstance(listed, list) else []
    found += [values.get(key) for key in TAGS]
    texts = [_line(tag) for tag in found if isinstance(tag, str)]
    # a route that is no name says what should not fire, which is near only in a negative
    is_routed = bool(values.get(ROUTE)) and not claim.should_trigger and routed_to(values) is None
    if entry.is_near or is_routed or any(values.get(key) for key in NEAR_KEYS):
        texts.append(NEAR_MISS)
    return tuple(dict.fromkeys(text for text in texts if text))


def _same(case: ForeignCase) -> str:
    """Give what the prompts of two entries have in common when they are one to a reader."""
    return normal_form("NFC", " ".join(case.prompt.split()))


def _without_repeats(
    cases: Sequence[ForeignCase],
) -> tuple[tuple[ForeignCase, ...], tuple[str, ...]]:
    """Keep the first of entries with one prompt, and what any of them says of it."""
    kept: dict[str, ForeignCase] = {}
    repeated = []
    for case in cases:
        first = kept.setdefault(_same(case), case)
        if first is not case:
            repeated.append(case.where)
            kept[_same(case)] = dataclasses.replace(
                first,
                preferred=first.preferred or case.preferred,
                tags=tuple(dict.fromkeys((*first.tags, *case.tags))),
            )
    return tuple(kept.values()), tuple(repeated)


def _contradictions(cases: Sequence[ForeignCase]) -> list[str]:
    """Name the prompts that stand in the files with both labels."""
    first: dict[str, ForeignCase] = {}
    faults = []
    for case in cases:
        other = first.setdefault(_same(case), case)
        if other.should_trigger is not case.should_trigger:
            word = "should" if case.should_trigger else "should not"
            faults.append(
                f"{case.where}: {word} trigger, but {other.where} has the same prompt and says "
                "the opposite; remove one"
            )
    return faults


def _uniquely_named(cases: Sequence[ForeignCase]) -> tuple[ForeignCase, ...]:
    """Number the names that come up again."""
    taken: set[str] = set()
    named = []
    for case in cases:
        name, number = case.name, 1
        while normal_form("NFC", name) in taken:
            number += 1
            name = f"{case.name} ({number})"
        taken.add(normal_form("NFC", name))
        named.append(dataclasses.replace(case, name=name))
    return tuple(named)
