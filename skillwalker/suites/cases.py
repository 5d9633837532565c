"""One entry of tests.json made a `Case`, with everything that is wrong with it said at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import ValidationError

from skillwalker.datatypes.inputs import (
    CallExpectation,
    Case,
    Expectation,
    JudgeExpectation,
    TextExpectation,
)
from skillwalker.datatypes.vocabulary import CaseType, TargetKind
from skillwalker.errors import SuiteError
from skillwalker.faults import Fault, find_faults
from skillwalker.suites.files import SuiteFiles
from skillwalker.suites.schema import RESERVED, CallForm, CaseForm, ExpectationForm, JudgeForm
from skillwalker.targets.kind import KINDS

T = TypeVar("T")

NEEDED = ("name", "prompt", "expect")
JUDGE = "llm-judge"
NAMES_A_FILE = frozenset({JUDGE, *(facts.expectation for facts in KINDS.values())})
"""Expectations whose parts may name a rubric, a skill or an agent."""
_ARTICLES = {CaseType.SKILL_CALL: "a", CaseType.AGENT_CALL: "an"}
_KIND_OF_TYPE = {
    CaseType.SKILL_CALL: TargetKind.SKILL,
    CaseType.AGENT_CALL: TargetKind.AGENT,
    CaseType.AGENT_PROMPT: TargetKind.AGENT,
}
"""Whose file a case of that type is about; a `prompt` case may be about either."""


@dataclass(slots=True, kw_only=True)
class UnfinishedCase:
    """A case on the way: what could be read of it, and its faults so far."""

    index: int
    form: CaseForm
    broken: frozenset[str] = frozenset()
    """Keys whose values are faulty; they are not called missing as well."""
    claims: tuple[int, ...] = ()
    """Place in the file of each expectation that the form still has."""
    salvaged: tuple[tuple[str, ExpectationForm], ...] = ()
    """What is sound of faulty expectations, each with its place; its files are looked at too."""
    faults: list[str] = field(default_factory=list)

    @property
    def expect(self) -> tuple[tuple[str, ExpectationForm], ...]:
        """The sound expectations, each with its place."""
        places = (f"expect[{index}]" for index in self.claims)
        return tuple(zip(places, self.form.expect or (), strict=True))

    def is_sound(self, key: str) -> bool:
        """Say whether nothing is wrong with a key, apart from its being left out."""
        return key not in self.broken

    def attempt(self, key: str, act: Callable[[], T]) -> T | None:
        """Do something that may find a fault, and note it under the key."""
        try:
            return act()
        except SuiteError as error:
            self.faults.append(f'"{key}" {error}')
            return None


def draft_case(index: int, raw: object) -> UnfinishedCase:
    """Check an entry against the form; what is faulty is left out of the draft."""
    try:
        form = CaseForm.model_validate(raw)
    except ValidationError as error:
        return _draft_sound_part(index, raw, find_faults(error, CaseForm, whole="the case"))
    return UnfinishedCase(index=index, form=form, claims=tuple(range(len(form.expect or ()))))


def _draft_sound_part(index: int, raw: object, faults: tuple[Fault, ...]) -> UnfinishedCase:
    broken = {str(fault.loc[0]) for fault in faults if fault.loc}
    claims = {fault.loc[1] for fault in faults if fault.loc[:1] == ("expect",) and fault.loc[1:]}
    entries = dict(raw) if isinstance(raw, Mapping) else {}
    sound = {key: value for key, value in entries.items() if key not in broken}
    kept: list[int] = []
    if claims or "expect" in sound:
        expect = entries["expect"] or []
        kept = [place for place in range(len(expect)) if place not in claims]
        sound["expect"] = [expect[place] for place in kept]
    draft = UnfinishedCase(
        index=index,
        form=CaseForm.model_validate(sound),
        broken=frozenset(broken) if entries else frozenset(NEEDED),
        claims=tuple(kept),
    )
    draft.faults += [_said(fault) for fault in faults]
    if claims:
        draft.salvaged = tuple(_salvage(entries["expect"], faults))
    return draft


def _salvage(
    expect: Sequence[object], faults: Sequence[Fault]
) -> Iterator[tuple[str, ExpectationForm]]:
    """Give what names a file in faulty expectations, so that all faults are said at once."""
    broken = {fault.loc[1:4] for fault in faults if fault.loc[:1] == ("expect",)}
    for at in sorted({place[0] for place in broken if place}, key=int):
        entry = expect[int(at)]
        for key, value in entry.items() if isinstance(entry, Mapping) else ():
            if key not in NAMES_A_FILE or not isinstance(value, Mapping):
                continue
            sound = {part: it for part, it in value.items() if (at, key, part) not in broken}
            sound |= {} if key == JUDGE else {"expected": True}
            with suppress(ValidationError):
                yield f"expect[{at}]", ExpectationForm.model_validate({key: sound})


def _said(fault: Fault) -> str:
    return RESERVED.get(str(fault.loc[0]), fault.message) if len(fault.loc) == 1 else fault.message


def build_case(draft: UnfinishedCase, files: SuiteFiles) -> Case:
    """Make the case; it may be used only if the draft has no fault afterwards."""
    form = draft.form
    if form.name is None and draft.is_sound("name"):
        draft.faults.append('"name" is missing; add one that no other case has')
    kind = CaseType.PROMPT if form.type == "skill-prompt" else CaseType(form.type)
    scaffold = form.scaffold
    case = Case(
        name=form.name or "",
        type=kind,
        prompt=_prompt(draft, files),
        target=_target(form, kind),
        model=form.model,
        scaffold=draft.attempt("scaffold", lambda: files.scaffold(scaffold)) if scaffold else None,
        expect=tuple(_expectations(draft, files)),
        tags=tuple(form.tags),
        runs=form.runs,
        max_turns=form.max_turns,
        timeout=form.timeout,
        preferred=form.preferred,
    )
    _require_what_the_type_needs(draft, kind)
    return case


def _target(form: CaseForm, kind: CaseType) -> str | None:
    if kind in _KIND_OF_TYPE:
        return form.file_of(_KIND_OF_TYPE[kind])
    return form.skill_file if form.skill_file is not None else form.agent_file


def _prompt(draft: UnfinishedCase, files: SuiteFiles) -> str:
    text, name = draft.form.prompt, draft.form.prompt_file
    if not (draft.is_sound("prompt") and draft.is_sound("promptFile")):
        if name is not None:
            draft.attempt("promptFile", lambda: files.prompt(name))
        return ""
    if (text is None) == (name is None):
        found = "neither" if name is None else "both"
        draft.faults.append(f'has {found} of "prompt" and "promptFile"; give exactly one')
        return ""
    if name is not None:
        return draft.attempt("promptFile", lambda: files.prompt(name)) or ""
    if not (text or "").strip():
        draft.faults.append('"prompt" is empty; write what a user would ask')
    return text or ""


def _require_what_the_type_needs(draft: UnfinishedCase, kind: CaseType) -> None:
    if kind is CaseType.AGENT_PROMPT:
        if draft.form.agent_file is None and draft.is_sound("agentFile"):
            draft.faults.append(
                'an agent-prompt case needs "agentFile": the agent that gets the prompt'
            )
        return
    if kind is CaseType.PROMPT or not draft.is_sound("expect") or not draft.expect:
        return
    target_kind = _KIND_OF_TYPE[kind]
    if all(form.call(target_kind) is None for _, form in draft.expect):
        key = KINDS[target_kind].expectation
        draft.faults.append(
            f'{_ARTICLES[kind]} {kind} case needs an expectation {{"{key}": true}} '
            f'or {{"{key}": false}}; add it to "expect"'
        )


def _expectations(draft: UnfinishedCase, files: SuiteFiles) -> Iterator[Expectation]:
    if not draft.expect and draft.is_sound("expect"):
        draft.faults.append('"expect" is missing or empty; say what should happen')
    for where, form in draft.salvaged:
        if form.llm_judge is not None:
            _judge(draft, where, form.llm_judge, files)
    for where, form in draft.expect:
        found = _expectation(draft, where, form, files)
        if found is not None:
            yield found


def _expectation(
    draft: UnfinishedCase, where: str, form: ExpectationForm, files: SuiteFiles
) -> Expectation | None:
    if form.result_contains is not None:
        return TextExpectation(text=form.result_contains, contains=True)
    if form.result_does_not_contain is not None:
        return TextExpectation(text=form.result_does_not_contain, contains=False)
    if form.llm_judge is not None:
        return _judge(draft, where, form.llm_judge, files)
    calls = ((kind, form.call(kind)) for kind in TargetKind)
    return next((_call(draft, where, kind, call) for kind, call in calls if call is not None), None)


def _judge(
    draft: UnfinishedCase, where: str, form: JudgeForm, files: SuiteFiles
) -> JudgeExpectation | None:
    key = f"{where}.llm-judge.rubricFile"
    rubric = draft.attempt(key, lambda: files.rubric(form.rubric_file))
    if rubric is None:
        return None
    return JudgeExpectation(rubric_file=rubric, model=form.model, threshold=form.threshold)


def _call(
    draft: UnfinishedCase, where: str, kind: TargetKind, call: bool | CallForm
) -> CallExpectation | None:
    facts = KINDS[kind]
    named, expected = (None, call) if isinstance(call, bool) else (call.target, call.expected)
    target = draft.form.file_of(kind) if named is None else named
    if target is None:
        if draft.is_sound(facts.suite_key):
            draft.faults.append(
                f'"{where}.{facts.expectation}" names no {facts.noun}; add "{facts.suite_key}" '
                f'to the case, or write {{"{facts.noun}": "plugin:name", "expected": '
                f"{'true' if expected else 'false'}}}"
            )
        return None
    return CallExpectation(kind=kind, target=target, expected=expected)
