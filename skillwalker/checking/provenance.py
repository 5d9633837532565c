"""Cases that nobody has settled yet: examples, drafts and what was found in a history."""

from collections.abc import Iterator
from dataclasses import dataclass

from skillwalker.checking.findings import CheckFinding, TargetCases
from skillwalker.datatypes.vocabulary import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What tags say of a case, and what is to be done about it."""

    tags: tuple[str, ...]
    """All of them stand on the case; the last one names the kind."""
    severity: Severity
    what: str
    remedy: str


KINDS = (
    _Kind(
        tags=("drafted", "example"),
        severity=Severity.WARNING,
        what="made of the target's own words, so that they measure nothing of what people ask",
        remedy="put real prompts in their place",
    ),
    _Kind(
        tags=("drafted", "simulated"),
        severity=Severity.WARNING,
        what="written by no model, so that they measure nothing of what people ask",
        remedy="put real prompts in their place, or draft them with Claude",
    ),
    _Kind(
        tags=("mined",),
        severity=Severity.INFO,
        what="labelled by what was called then, not by what should have been",
        remedy="settle each label, then remove the tag",
    ),
    _Kind(
        tags=("drafted",),
        severity=Severity.INFO,
        what="tidier than what people write, and nobody may have read them yet",
        remedy="read them, put real prompts in their place as you find some, and remove the tag",
    ),
)
"""By what `init`, `evals draft` and `evals mine` write; of several kinds the first one counts."""


def check_provenance(cases: TargetCases) -> Iterator[CheckFinding]:
    """Tell once for each kind of cases that were put there by a command, and how many they are."""
    seen: set[str] = set()
    for kind in KINDS:
        own = [
            each
            for each in cases.cases
            if {*kind.tags} <= {*each.case.tags} and each.case.name not in seen
        ]
        seen |= {each.case.name for each in own}
        if own:
            are = "is" if len(own) == 1 else "are"
            yield CheckFinding(
                rule=f"{kind.tags[-1]}-cases",
                severity=kind.severity,
                path=cases.path,
                line=own[0].line,
                message=f"{len(own)} of the cases about {cases.checked.target.id} {are} tagged "
                f"{kind.tags[-1]}: {kind.what}",
                remedy=kind.remedy,
            )
