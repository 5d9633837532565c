"""One recorded run, read as a side of a comparison."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from skillwalker.datatypes.comparison import (
    AskedCase,
    Basis,
    CaseOutcomes,
    ComparedRun,
    TakenTrial,
    Which,
)
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, StopReason
from skillwalker.ending import FINISHED
from skillwalker.errors import StoreError
from skillwalker.evaluation.store import is_eval_run
from skillwalker.recording.records import check_version, trial_key
from skillwalker.recording.store import PLAN, SUMMARIES, RunStore, read_plan, read_summary
from skillwalker.recording.warm import WarmTrial
from skillwalker.statistics.folders import began
from skillwalker.statistics.run_facts import read_run_facts
from skillwalker.targets.names import description_hash

Row = Mapping[str, Any]

CASE_SETS = frozenset({CaseSet.TRAIN, CaseSet.HOLDOUT, CaseSet.CONFIRM})


def read_compared(folder: Path, which: Which) -> ComparedRun:
    """Read what a run measured of one of its descriptions.

    Args:
        folder: the run's folder.
        which: the description that is meant.

    Raises:
        StoreError: it is no run of scil, acil or measure, it did not get far enough, or it
            cannot be read.
    """
    plan = _plan(folder)
    summary = _summary(folder)
    chosen = _choose(which, summary, folder)
    text = str(summary["best_description"] if chosen is Which.BEST else _original(plan, folder))
    store = RunStore(folder)
    reused = store.warm.taken
    trials = _last_attempts((*(one.trial for one in reused), *store.trials))
    basis, counted = _counted(trials, description_hash(text), _original(plan, folder) == text)
    if not counted:
        raise StoreError(_nothing_of(chosen, summary, store))
    moment = began(folder)
    if moment is None:
        raise StoreError(f"{folder.name} is not named like a run")
    facts = read_run_facts(folder, moment)
    first = counted[0]
    return ComparedRun(
        run_id=folder.name,
        target=facts.target,
        suite=facts.suite,
        simulated=facts.simulated,
        engine=first.engine,
        endpoint=first.endpoint,
        permission_mode=first.permission_mode,
        listing_mode=facts.listing_mode,
        cli_versions=tuple(sorted({trial.cli_version for trial in counted})),
        efforts=tuple(sorted({trial.effort for trial in counted})),
        which=chosen,
        applied=chosen is Which.BEST and summary.get("applied") is True,
        candidate=description_hash(text),
        description=text,
        basis=basis,
        siblings=_siblings(plan),
        accepted_changes=_accepted(plan),
        asked=_asked(plan),
        outcomes=_outcomes(counted, trials),
        taken=_taken(counted, trials, reused),
        answered=_answered(trials),
    )


def _nothing_of(chosen: Which, summary: Row, store: RunStore) -> str:
    """Say that a run measured nothing of a description, and what kept it from that."""
    said = f"run {store.run_id} holds no trial of its {chosen} description"
    stopped, cause = summary.get("stopped_because"), summary.get("cause")
    if stopped == StopReason.PREFLIGHT:
        was_run = any(trial.set is CaseSet.CONTROL for trial in store.trials)
        said += ": its controls failed" if was_run else ": nothing could be run"
    elif isinstance(stopped, str) and stopped not in FINISHED:
        said += f": it was stopped by {stopped}"
    return f"{said} ({cause})" if isinstance(cause, str) and cause else said


def _plan(folder: Path) -> Row:
    """Read what the run was asked, case by case."""
    if is_eval_run(folder):
        raise StoreError(
            f"run {folder.name} is an eval run; runs of scil, acil and measure can be compared"
        )
    plan = read_plan(folder)
    if not isinstance(plan.get("cases"), list):
        raise StoreError(
            f"run {folder.name} cannot be compared: it has no {PLAN}, so nobody can tell whether"
            " its prompts are those of the other run"
        )
    check_version(plan, f"{folder.name}/{PLAN}")
    return plan


def _summary(folder: Path) -> Row:
    """Read how the run ended; empty when it did not."""
    if not any((folder / name).is_file() for name in SUMMARIES):
        return {}
    summary = read_summary(folder)
    check_version(summary, f"the summary of run {folder.name}")
    return summary


def _choose(which: Which, summary: Row, folder: Path) -> Which:
    """Say whether the original or the best is meant."""
    if which is Which.BEST and not isinstance(summary.get("best_description"), str):
        raise StoreError(f"run {folder.name} did not end, so it has no best description")
    if which is not Which.HELD:
        return which
    return Which.BEST if summary.get("applied") is True else Which.ORIGINAL


def _original(plan: Row, folder: Path) -> str:
    """Give the text that the file held when the run began."""
    text = plan.get("original_description")
    if not isinstance(text, str):
        raise StoreError(f"{folder.name}/{PLAN} does not say what the description was")
    return text


def _last_attempts(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """Leave out what was tried again, and what is no trial of a case."""
    last: dict[tuple[str, str, str, int], Trial] = {}
    for trial in sorted(trials, key=lambda trial: trial.attempt):
        last[trial.candidate, trial.case, trial.model_asked, trial.run_index] = trial
    return tuple(trial for trial in last.values() if trial.set in CASE_SETS)


def _counted(
    trials: Sequence[Trial], candidate: str, is_original: bool
) -> tuple[Basis, tuple[Trial, ...]]:
    """Choose the trials that say how good a description is.

    Of a text that the search chose, those are the confirm rounds; its own score is too good.
    """
    of_text = tuple(trial for trial in trials if trial.candidate == candidate)
    if is_original:
        return Basis.ALL, of_text
    confirmed = tuple(trial for trial in of_text if trial.set is CaseSet.CONFIRM)
    return (Basis.CONFIRM, confirmed) if confirmed else (Basis.SEARCH, of_text)


def _accepted(plan: Row) -> tuple[str, ...]:
    """Read which changes a resumed run went on in spite of."""
    changes = plan.get("accepted_changes")
    return tuple(map(str, changes)) if isinstance(changes, list) else ()


def _asked(plan: Row) -> dict[str, AskedCase]:
    """Read what each case asks; the run's turn limit holds where a case has none."""
    settings = plan.get("settings")
    limit = settings.get("max_turns") if isinstance(settings, dict) else None
    return {
        str(case["case"]): AskedCase(
            should_trigger=case.get("should_trigger") is True,
            prompt=str(case.get("prompt_sha256")),
            scaffold=case.get("scaffold_sha256"),
            max_turns=case.get("max_turns") or limit,
            group=str(case["group"]) if case.get("group") else None,
        )
        for case in plan["cases"]
        if isinstance(case, dict) and "case" in case
    }


def _siblings(plan: Row) -> dict[str, str]:
    """Read what was listed beside the target."""
    rows = plan.get("siblings")
    return {
        f"{row.get('kind')} {row.get('target')}": str(row.get("sha256"))
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
    }


def _outcomes(
    counted: Iterable[Trial], trials: Iterable[Trial]
) -> dict[tuple[str, str], CaseOutcomes]:
    """Count trials by case and model.

    A trial that no model answered counts for the one that answered others asked the same.
    """
    answered = _answered(trials)
    tallies: dict[tuple[str, str], Counter[Outcome]] = {}
    for trial in counted:
        tallies.setdefault(_key(trial, answered), Counter())[trial.outcome] += 1
    return {
        key: CaseOutcomes(
            triggered=tally[Outcome.TRIGGERED],
            not_triggered=tally[Outcome.NOT_TRIGGERED],
            undecided=tally[Outcome.UNDECIDED],
        )
        for key, tally in tallies.items()
    }


def _taken(
    counted: Iterable[Trial], trials: Iterable[Trial], reused: Iterable[WarmTrial]
) -> dict[tuple[str, str], tuple[TakenTrial, ...]]:
    """Say which of the counted trials were taken over, and from which run."""
    payers = {trial_key(one.trial): one for one in reused}
    answered = _answered(trials)
    taken: dict[tuple[str, str], tuple[TakenTrial, ...]] = {}
    for trial in counted:
        if (paid := payers.get(trial_key(trial))) is not None:
            one = TakenTrial(run_id=paid.run_id, run_index=paid.run_index, outcome=trial.outcome)
            key = _key(trial, answered)
            taken[key] = (*taken.get(key, ()), one)
    return taken


def _answered(trials: Iterable[Trial]) -> dict[str, str]:
    """Say which model answered where one was asked for."""
    return {trial.model_asked: trial.model for trial in trials if trial.model is not None}


def _key(trial: Trial, answered: Row) -> tuple[str, str]:
    """Give the case and the model that a trial counts for."""
    return trial.case, trial.model or answered.get(trial.model_asked) or trial.model_asked
