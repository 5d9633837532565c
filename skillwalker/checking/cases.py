"""What is wrong with the cases of a suite about one target, beyond what refuses the suite."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from skillwalker.checking.findings import CheckFinding, TargetCase, TargetCases
from skillwalker.checking.ordinary_words import ORDINARY, ORDINARY_SHORT
from skillwalker.checking.power import cases_needed, detectable_change
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.faults import quoted
from skillwalker.suites.near_duplicates import group_near_duplicates, is_rewording, normalise

FROM_GUESSING = 0.5
"""From a guess to no fault at all: a suite that cannot show this change shows nothing."""
RUNS = 3
"""Runs of a case that the sizes are told for."""
NEAR_MISS = "near-miss"
SHORTEST_SHARED = 2
"""Letters and digits of a word by which a negative may be near."""
LONGEST_SHORT = 3
"""Letters of a word of which most in any language are small change."""

_SPACED_WORD = re.compile(
    r"[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+"
)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")


def check_cases(cases: TargetCases, change: float | None = None) -> Iterator[CheckFinding]:
    """Check the cases about one target.

    Args:
        cases: the cases.
        change: of balanced accuracy, that the suite should be able to show.
    """
    if not cases.positive or not cases.negative:
        yield _one_sided(cases)
    else:
        yield from _size(cases, change)
        yield from _near_misses(cases)
        yield from _models(cases)
    yield from _repeats(cases)
    yield from _contradictions(cases)
    yield from _commands(cases)
    yield from _own_runs(cases)


def _warning(
    cases: TargetCases, rule: str, message: str, remedy: str, case: TargetCase | None = None
) -> CheckFinding:
    return CheckFinding(
        rule=rule,
        severity=Severity.WARNING,
        path=cases.path,
        line=case.line if case is not None else None,
        message=message,
        remedy=remedy,
    )


def _named(cases: TargetCases) -> str:
    return f"the cases about {cases.checked.target.id}"


def _one_sided(cases: TargetCases) -> CheckFinding:
    missing = "should not" if cases.positive else "should"
    always = "always" if cases.positive else "never"
    return _warning(
        cases,
        "one-sided",
        f"{_named(cases)} have none in which it {missing} trigger: a description that {always} "
        "triggers passes them all",
        f"add prompts that {missing} trigger it"
        + (", most of them near misses" if cases.positive else ""),
    )


def _size(cases: TargetCases, change: float | None) -> Iterator[CheckFinding]:
    positive, negative = len(cases.positive), len(cases.negative)
    seen = detectable_change(positive, negative, RUNS)
    asked = FROM_GUESSING if change is None else change
    if seen is None or seen <= asked:
        return
    yield _warning(
        cases,
        "too-small",
        f"{positive + negative} cases x {RUNS} runs show a change of about {seen * 100:.0f} points "
        f"and no smaller one ({positive} should trigger, {negative} should not)",
        f"for {asked * 100:.0f} points have {cases_needed(asked, RUNS)} cases, half of each kind",
    )


def _near_misses(cases: TargetCases) -> Iterator[CheckFinding]:
    """Ask for negatives that have anything to do with what the target is for."""
    about = _content(cases.checked.target.description) | _content(cases.checked.target.name)
    for case in cases.positive:
        about |= _content(case.case.prompt)
    for case in cases.negative:
        is_marked = NEAR_MISS in case.case.tags or case.case.preferred is not None
        if is_marked or _content(case.case.prompt) & about:
            return
    yield _warning(
        cases,
        "no-near-miss",
        f"{_named(cases)} have no near miss: none that should not trigger has a telling word in "
        "common with the description or with what should",
        "add prompts that sound like its job and are not, and tag them near-miss",
        cases.negative[0],
    )


def _content(text: str) -> frozenset[str]:
    normal = normalise(text)
    stems = {word[:6] for word in _SPACED_WORD.findall(normal) if _tells(word)}  # review, reviews
    runs = _UNSPACED.findall(normal)
    return frozenset(stems | {run[at : at + 2] for run in runs for at in range(len(run) - 1)})


def _tells(word: str) -> bool:
    """Say whether a word may name a subject: css, sql and k8s do, the, is and 2024 do not."""
    if len(word) < SHORTEST_SHARED or word.isdecimal():
        return False
    return word not in (ORDINARY_SHORT if len(word) <= LONGEST_SHORT else ORDINARY)


def _models(cases: TargetCases) -> Iterator[CheckFinding]:
    """Find suites in which the model tells which side a case is on."""
    positive = {case.case.model for case in cases.positive}
    negative = {case.case.model for case in cases.negative}
    if not positive & negative:
        yield _warning(
            cases,
            "model-by-side",
            f"{_named(cases)} ask {', '.join(sorted(positive))} where it should trigger and "
            f"{', '.join(sorted(negative))} where it should not: no rate compares one model",
            "give both sides the same models",
        )


def _repeats(cases: TargetCases) -> Iterator[CheckFinding]:
    for side in (cases.positive, cases.negative):
        groups: defaultdict[int, list[TargetCase]] = defaultdict(list)
        numbers = group_near_duplicates([case.case.prompt for case in side])
        for case, number in zip(side, numbers, strict=True):
            groups[number].append(case)
        for group in groups.values():
            for case in group[1:]:
                yield _warning(
                    cases,
                    "near-duplicate",
                    f"{quoted(case.case.name)} asks nearly the same as "
                    f"{quoted(group[0].case.name)}: both count as one",
                    "ask in other words, or for something else",
                    case,
                )


def _contradictions(cases: TargetCases) -> Iterator[CheckFinding]:
    """Find rewordings of one prompt on both sides; the same prompt is refused by the loader."""
    for positive, negative in _alike(cases.positive, cases.negative):
        yield _warning(
            cases,
            "contradictory",
            f"{quoted(negative.case.name)} should not trigger and is but another wording of "
            f"{quoted(positive.case.name)}, which should",
            "change one of them, so that the difference is in what is asked",
            negative,
        )


def _alike(
    positive: Sequence[TargetCase], negative: Sequence[TargetCase]
) -> Iterator[tuple[TargetCase, TargetCase]]:
    """Pair the cases of both sides that reword each other, within near-duplicates only."""
    everything = [*positive, *negative]
    groups: defaultdict[int, list[TargetCase]] = defaultdict(list)
    numbers = group_near_duplicates([case.case.prompt for case in everything])
    for case, number in zip(everything, numbers, strict=True):
        groups[number].append(case)
    for group in groups.values():
        for first, second in combinations(group, 2):
            differ = first.expected is not second.expected
            if differ and is_rewording(first.case.prompt, second.case.prompt):
                yield (first, second) if first.expected else (second, first)


def _commands(cases: TargetCases) -> Iterator[CheckFinding]:
    """Find prompts that name the target as a slash command, which no description decides."""
    target = cases.checked.target
    names = (f"/{target.name}", f"/{target.id}")
    for case in cases.positive:
        words = case.case.prompt.split(maxsplit=1)
        if words and words[0] in names:
            yield _warning(
                cases,
                "slash-command",
                f"{quoted(case.case.name)} calls {words[0]} itself: that says nothing about the "
                "description",
                "write what a user would ask without the command",
                case,
            )


def _own_runs(cases: TargetCases) -> Iterator[CheckFinding]:
    """Tell once of cases that say how often they are run: one of the two searches decides that."""
    own = [case for case in cases.cases if case.case.runs is not None]
    if own:
        yield CheckFinding(
            rule="own-runs",
            severity=Severity.INFO,
            path=cases.path,
            line=own[0].line,
            message=f"{len(own)} of {_named(cases)} {'say' if len(own) > 1 else 'says'} `runs`: "
            "measure, evals run and --search phases heed it, --search race shares out its trials "
            "itself",
            remedy="where it matters, search with --search phases",
        )
