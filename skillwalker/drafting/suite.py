"""Drafted cases as cases of a suite (pure)."""

from collections.abc import Sequence

from skillwalker.datatypes.drafts import DraftedCase, DraftKind
from skillwalker.suites.new_suite import DRAFTED, NewCase, name_cases


def as_new_cases(cases: Sequence[DraftedCase], *tags: str) -> tuple[NewCase, ...]:
    """Name and tag drafted cases.

    Args:
        cases: what was drafted.
        tags: further ones of every case.
    """
    names = name_cases([case.prompt for case in cases])
    return tuple(
        NewCase(
            name=name,
            prompt=case.prompt,
            should_trigger=case.should_trigger,
            tags=(DRAFTED, *tags, *(() if case.should_trigger else (_tag(case.kind),))),
            preferred=case.sibling,
        )
        for name, case in zip(names, cases, strict=True)
    )


def _tag(kind: DraftKind) -> str:
    return str(kind)
