"""What is asked of a run and what it will do: resolved, split and checked, before any spending."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from skillwalker.completers.protocol import resolve_model
from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import (
    ListingPlace,
    NeighbourCase,
    SplitCase,
    Target,
    TriggerCase,
)
from skillwalker.datatypes.vocabulary import Severity, TargetKind
from skillwalker.frontmatter.text import read_frontmatter, replace_description
from skillwalker.listing.listed import CLAUDE_VERSION
from skillwalker.listing.shown_text import columns, flattened
from skillwalker.metrics.track import open_metrics
from skillwalker.neighbours import SIBLINGS, neighbour_cases, rivals_of
from skillwalker.paths import Places
from skillwalker.search.choice import settle_search, warn_of_choice, warn_of_own_runs
from skillwalker.settings import MetricSettings
from skillwalker.steps.step_1_resolve import MEASURE, resolve
from skillwalker.steps.step_2_split import split_cases
from skillwalker.targets.file import require_triggerable
from skillwalker.targets.names import place_in_listing


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherRounds:
    """Confirm rounds that were asked for when a run had come to its end (`--more`)."""

    rounds: int
    looks: int
    """The how-manyth gating of the target their judgement is; it raises the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked of a run."""

    run_kind: str
    """scil, acil or measure."""
    kind: TargetKind
    suite: str | None
    target: str | None
    config: LoopConfig
    engine: str
    """Its name; `Surroundings.open_engine` opens it."""
    engine_why: str = ""
    """Why it was chosen, for the first line."""
    improver: str
    """api, cli or simulated."""
    neighbours: tuple[str, ...] = (SIBLINGS,)
    """Whose skills and agents are shown beside the target; see `rivals_of`."""
    claude: str | None = None
    """The CLI that was named, for a later life of the run."""
    challenger: str | None = None
    """A text to be held against the file's own, in place of a search."""
    against: str | None = None
    """The recorded run that a measurement is compared with."""
    looks: int = 1
    """The how-manyth gating of this target it is, this one included; it raises the gate."""
    fresh: bool = False
    """Take over no trial of an earlier run."""
    more: tuple[FurtherRounds, ...] = ()
    """What was asked for after the run's own confirm rounds, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run will do: resolved, split and checked, with nothing spent yet."""

    kind: str
    """scil, acil or measure: the first word of the run's files."""
    suite: str
    target: Target
    target_path: str
    """Relative to the project where it lies inside."""
    rivals: tuple[Target, ...]
    cases: tuple[SplitCase, ...]
    listing: ListingPlace
    """How the original stands for the first case's model."""
    config: LoopConfig
    cli_version: str = CLAUDE_VERSION
    """The Claude Code whose listing is meant."""
    listing_budget: int | None = None
    """Columns in place of Claude Code's own budget (`--listing roomy`)."""
    looks: int = 1
    """As in `Order`."""
    neighbours: tuple[NeighbourCase, ...] = ()
    """Requests of the rivals, where they are guarded."""
    more: tuple[FurtherRounds, ...] = ()
    """As in `Order`."""
    metrics: tuple[str, ...] = ()
    """Those that the suite has tracked beside each text."""
    declared: tuple[MetricSettings, ...] = ()
    """All metrics of the project."""

    @property
    def last_look(self) -> int:
        """The how-manyth gating of the target the last one of this run is."""
        return self.more[-1].looks if self.more else self.looks

    @property
    def listing_mode(self) -> str:
        """Real, or roomy: what is measured then holds for nobody's Claude Code."""
        return "real" if self.listing_budget is None else "roomy"

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is measured."""
        return tuple(sorted({split.case.model for split in self.cases}))


def prepare(
    places: Places,
    *,
    kind: TargetKind,
    suite: str | None,
    target: str | None,
    config: LoopConfig,
    run_kind: str,
    neighbours: Sequence[str] = (SIBLINGS,),
    resolve_model: Callable[[str], str] = str,
    listing_budget: int | None = None,
    looks: int = 1,
) -> Plan:
    """Resolve the target and its cases, split them, and see what Claude Code is shown.

    Args:
        places: the project.
        kind: skill or agent.
        suite: its name; None means the only one that has cases for the target.
        target: as written; None means the only one that the suite has cases for.
        config: how it is measured.
        run_kind: scil, acil or measure.
        neighbours: whose skills and agents are shown beside the target; see `rivals_of`.
        resolve_model: gives the full id behind an alias, which means another model in each
            version of the CLI.
        listing_budget: columns of the listing; None takes Claude Code's own.
        looks: the how-manyth gating of this target it is.

    Raises:
        SuiteError: the suite is missing or wrong, or cannot be split as asked.
        TargetError: the target is missing, or can never trigger.
        ConfigError: the suite has metrics tracked, and something is wrong with the project's.
        StoreError: what the project notes about its metrics cannot be read.
    """
    resolved = resolve(
        places,
        kind=kind,
        suite=suite,
        target=target,
        trial_models=config.trial_models,
        run_kind=run_kind,
    )
    found = resolved.target
    require_triggerable(found)
    called = _called(resolved.cases, resolve_model)
    cases = split_cases(called, suite=resolved.suite, target=found.id, fraction=config.holdout)
    rivals = rivals_of(found, resolved.siblings, neighbours, places)
    inside = found.path.is_relative_to(places.project)
    declared = (places.metrics or ()) if resolved.metrics else ()
    if declared:
        open_metrics(declared, project=places.project)
    guarded = rivals if config.guard_neighbours else ()
    return Plan(
        kind=run_kind,
        suite=resolved.suite,
        target=found,
        target_path=(found.path.relative_to(places.project) if inside else found.path).as_posix(),
        rivals=rivals,
        cases=cases,
        listing=place_in_listing(found, rivals, model=cases[0].case.model, budget=listing_budget),
        config=settle_search(config, len(cases)),
        listing_budget=listing_budget,
        looks=looks,
        neighbours=neighbour_cases(places, guarded, called, config.trial_models, resolve_model),
        metrics=resolved.metrics if declared else (),
        declared=declared,
    )


def plan_order(order: Order, places: Places, *, listing_budget: int | None = None) -> Plan:
    """Resolve what is asked of a run; nothing is spent and nothing written.

    Args:
        order: what is asked.
        places: the project.
        listing_budget: columns of the listing; None takes Claude Code's own.

    Raises:
        SuiteError: as of `prepare`.
        TargetError: as of `prepare`.
    """
    return prepare(
        places,
        kind=order.kind,
        suite=order.suite,
        target=order.target,
        config=order.config,
        run_kind=order.run_kind,
        neighbours=order.neighbours,
        resolve_model=str if order.engine == "simulated" else resolve_model,
        listing_budget=listing_budget,
        looks=order.looks,
    )


def _called(
    cases: Sequence[TriggerCase], resolve_model: Callable[[str], str]
) -> tuple[TriggerCase, ...]:
    """Name the models of cases by their full ids; two names of one model make one case."""
    called = (replace(case, model=resolve_model(case.model)) for case in cases)
    return tuple({(case.name, case.model): case for case in called}.values())


def warn_of_plan(plan: Plan) -> tuple[str, ...]:
    """Say what a user should know of a plan before it is paid for."""
    if plan.kind == MEASURE:
        return (*warn_of_file(plan), *warn_of_models(plan))
    return (
        *warn_of_file(plan),
        *warn_of_choice(plan.config, len(plan.cases)),
        *warn_of_own_runs(plan.config, plan.cases),
        *warn_of_models(plan),
    )


def warn_of_file(plan: Plan) -> tuple[str, ...]:
    """Warn of what is an error in the target's file and yet can be measured."""
    errors = (each for each in plan.listing.listed.findings if each.severity is Severity.ERROR)
    return tuple(f"{plan.target_path}: {error.message}" for error in errors)


def warn_of_models(plan: Plan) -> tuple[str, ...]:
    """Warn of models that have cases of one kind only where the suite has both kinds.

    What differs between them may be the model or the kind of case: nothing can tell.
    """
    kinds: dict[str, set[bool]] = {}
    for split in plan.cases:
        kinds.setdefault(split.case.model, set()).add(split.case.should_trigger)
    whole = set().union(*kinds.values())
    lacking = sorted(model for model, own in kinds.items() if own != whole)
    if not lacking:
        return ()
    return (
        f"{', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} cases of one kind only"
        " (all that should trigger, or none), so what differs between the models may be the cases;"
        " give each model both kinds, or name one with --trial-model",
    )


def for_version(plan: Plan, cli_version: str) -> Plan:
    """Say what the Claude Code that was found makes of the listing."""
    plan = replace(plan, cli_version=cli_version)
    return replace(plan, listing=place(plan, plan.target.description))


def place(plan: Plan, text: str, *, model: str | None = None) -> ListingPlace:
    """Tell how the target would stand in the listing with another description.

    Args:
        plan: the target, its rivals, and the Claude Code that is meant.
        text: the description.
        model: the full id of one that is measured; default: the first case's.

    Raises:
        TargetError: the text cannot be written so that Claude Code reads it.
    """
    target = plan.target
    if text != target.description:
        content = replace_description(target.content, text, target.kind, target.position)
        target = replace(target, content=content, description=text)
    return place_in_listing(
        target,
        plan.rivals,
        model=plan.cases[0].case.model if model is None else model,
        version=plan.cli_version,
        budget=plan.listing_budget,
    )


def room(plan: Plan) -> int:
    """Say how many columns every model's listing leaves for a description.

    The `when_to_use` that is shown behind it takes its part.
    """
    target = plan.target
    reading = read_frontmatter(target.content, target.kind, target.position)
    behind = f" - {flattened(reading.when_to_use)}" if reading.when_to_use else ""
    places = (place(plan, target.description, model=model) for model in plan.models)
    return max(0, min(found.longest or 0 for found in places) - columns(behind))
