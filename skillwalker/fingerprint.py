"""When a recorded rate still speaks of what is there: all that it depends on, as a hash (pure)."""

import json
from collections.abc import Mapping
from hashlib import sha256

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.plan import Plan
from skillwalker.targets.names import description_hash
from skillwalker.trials.cell_key import folder_hash

LENGTH = 16
"""Hex digits: 64 bits are enough to tell the states of one target from one another."""


def target_fingerprint(plan: Plan, *, engine: str, text: str | None = None) -> str:
    """Hash what the rates of a target depend on.

    Description, cases, siblings' descriptions, models, engine, Claude Code's version and the
    listing's budget count. How often a case is run does not, nor the seed or the body.

    Args:
        plan: with the version of the Claude Code that was found.
        engine: what runs the trials.
        text: a description in place of the target's own.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    siblings = sorted(
        [rival.kind, rival.id, description_hash(rival.description)] for rival in plan.rivals
    )
    measured = {"siblings": siblings, "cli_version": plan.cli_version}
    return _hash({**_own(plan, engine, text), **measured})


def search_fingerprint(plan: Plan, *, engine: str, text: str | None = None) -> str:
    """Hash what makes another search worth while: the same without siblings and version.

    A sibling's new text or another Claude Code asks for a measurement: else each improvement
    would start the search of all its neighbours again, and each release that of everything.

    Args:
        plan: as for `target_fingerprint`.
        engine: what runs the trials.
        text: a description in place of the target's own.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    return _hash(_own(plan, engine, text))


def _own(plan: Plan, engine: str, text: str | None) -> dict[str, object]:
    """Tell what of a target's own its rates depend on.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    return {
        "description": description_hash(plan.target.description if text is None else text),
        "cases": cases_fingerprint(plan),
        "engine": engine,
        "listing_budget": plan.listing_budget,
    }


def cases_fingerprint(plan: Plan) -> str:
    """Hash the cases of a target, and nothing else.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    return _hash({"cases": sorted(_case(split, plan.config.max_turns) for split in plan.cases)})


def _case(split: SplitCase, max_turns: int) -> list[str]:
    """Tell what decides how a case's trials come out and are judged."""
    case = split.case
    return [
        case.name,
        case.prompt,
        str(case.should_trigger),
        case.model,
        str(case.max_turns or max_turns),
        "" if case.scaffold is None else folder_hash(case.scaffold),
    ]


def _hash(facts: Mapping[str, object]) -> str:
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode("ascii")).hexdigest()[:LENGTH]
