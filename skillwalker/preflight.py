"""Before the first case: is the target shown to the model, and do two controls answer rightly?

A run whose controls fail measures nothing, whatever rates it would print, so it stops here.
"""

import re
from collections.abc import Awaitable, Callable, Sequence

from skillwalker.datatypes.inputs import ListingPlace, Target, TriggerCase
from skillwalker.datatypes.scores import CaseResult, join_results
from skillwalker.datatypes.vocabulary import ListingState
from skillwalker.errors import PreflightError

_SUBJECTS = {
    "What is the capital of Norway?": ("capit", "norw"),
    "Which planet is closest to the sun?": ("plane", "clos", "sun"),
    "Who wrote the novel Moby-Dick?": ("wr[io]t", "novel", "moby", "dick"),
    "Do penguins have knees?": ("penguin", "knee"),
    "How tall can a giraffe grow?": ("tall", "giraf", "gr[eo]w"),
}
"""Unrelated requests, with the beginnings of the words that say what each is about."""
UNRELATED_PROMPTS = tuple(_SUBJECTS)
CONTROL_RUNS = 2

Measurer = Callable[[Sequence[TriggerCase]], Awaitable[tuple[CaseResult, ...]]]
"""Runs each control `CONTROL_RUNS` more times and gives the new results in order."""


Preflight = Callable[[Target, ListingPlace, Sequence[str], Measurer], Awaitable[None]]
"""Target, its place in the listing, the models that are measured, and a way to run controls."""


async def check_instrument(
    target: Target, place: ListingPlace, models: Sequence[str], measure: Measurer
) -> None:
    """See that the target is listed and that the controls answer rightly on every model.

    Raises:
        PreflightError: nothing that is measured now would be true.
        UndecidedError: the controls could not be run.
    """
    check_listing(place)
    controls = (control for model in models for control in control_cases(target, place, model))
    await check_controls(tuple(controls), measure)


def check_listing(place: ListingPlace) -> None:
    """Refuse a target whose description the model does not get.

    Raises:
        PreflightError: the target is absent, or named without its description.
    """
    name = place.listed.name or place.listed.path.name
    match place.state:
        case ListingState.WHOLE | ListingState.CUT:
            return
        case ListingState.ABSENT:
            raise PreflightError(
                f"{name} is not in the listing that Claude Code sends, so no description of it can"
                f" matter; `skillwalker show {place.listed.path}` says why"
            )
        case ListingState.NAME_ONLY:
            raise PreflightError(
                f"{name} is listed by name only: the listing uses {place.used_chars} of"
                f" {place.budget_chars} characters, so its description is dropped and cannot"
                f" matter. {_ways_out(place)}"
            )


def _ways_out(place: ListingPlace) -> str:
    """Say what can be done about a description that is dropped."""
    shorter = (
        f"shorten the text to at most {place.longest} characters (`when_to_use` included)"
        if place.longest
        else "shorten or remove what is listed before it (no text of its own would fit)"
    )
    return (
        f"Three ways out: {shorter}; lift the budget with --listing roomy, whose numbers are"
        " labelled, for nobody's Claude Code has that much room; or choose a model with a larger"
        " listing budget"
    )


def control_cases(
    target: Target, place: ListingPlace, model: str
) -> tuple[TriggerCase, TriggerCase]:
    """Write the two controls: one names the target outright, one has nothing to do with it."""
    name = place.listed.name or target.name
    about = f"{target.name} {target.description} {place.listed.text or ''}".casefold()
    unrelated = min(UNRELATED_PROMPTS, key=lambda prompt: _shared(prompt, about))
    return (
        TriggerCase(
            name="control: explicit request",
            prompt=f"Use the {name} {target.kind.value} now, before anything else.",
            should_trigger=True,
            model=model,
        ),
        TriggerCase(
            name="control: unrelated request",
            prompt=unrelated,
            should_trigger=False,
            model=model,
        ),
    )


def _shared(prompt: str, about: str) -> int:
    """Count the subjects of an unrelated request that a text has in any of their forms.

    Every text has words such as "is" and "the", which say nothing of what it is about.
    """
    return sum(re.search(rf"\b{start}", about) is not None for start in _SUBJECTS[prompt])


def control_trials(models: Sequence[str]) -> int:
    """Say how many trials the controls of one text take, where none is run again."""
    return 2 * CONTROL_RUNS * len(models)


async def check_controls(cases: Sequence[TriggerCase], measure: Measurer) -> None:
    """Run each control twice, and twice more where the two disagree; then all four count.

    Args:
        cases: the controls, for each model that is measured.
        measure: runs each of them twice.

    Raises:
        PreflightError: a control did not answer rightly in most of its runs; the message says
            which.
    """
    results = await measure(cases)
    split = tuple(result.case for result in results if result.passed is None)
    again = await measure(split) if split else ()
    both = join_results((*results, *again))
    faults = tuple(_fault(result) for result in both if not result.passed)
    if faults:
        raise PreflightError("the instrument does not measure: " + "; ".join(faults))


def _fault(result: CaseResult) -> str:
    """Say what a control did and what that means."""
    decided = result.triggered + result.not_triggered
    if result.case.should_trigger:
        return (
            f"a prompt that asks for the target by name triggered it in {result.triggered} of"
            f" {decided} runs (prompt: {result.case.prompt!r}, model {result.case.model});"
            " the target does not reach the model, or calls are not seen"
        )
    return (
        f"an unrelated prompt triggered the target in {result.triggered} of {decided} runs"
        f" (prompt: {result.case.prompt!r}, model {result.case.model});"
        " it would fire on anything, so no description can be told from another"
    )
