"""One recorded trial in words: what was asked, what fired at which step, why it says nothing."""

from collections.abc import Mapping, Sequence

from skillwalker.counting import counted
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.report.plain import one_line, printable
from skillwalker.targets.names import description_hash


def choose_trials(trials: Sequence[Trial], case: str, index: int | None) -> tuple[Trial, ...]:
    """Find the trials of a case.

    Args:
        trials: all of a run, in the order in which they were finished.
        case: the case's name.
        index: which of its trials, from 0; None gives all.

    Raises:
        StoreError: the run has no such case or trial; those it has are named.
    """
    found = tuple(trial for trial in trials if trial.case == case)
    if not found:
        known = sorted({trial.case for trial in trials})
        raise StoreError(f"the run has no trial of case {case!r}; it has: {'; '.join(known)}")
    if index is None:
        return found
    if not 0 <= index < len(found):
        only = "the only one is 0" if len(found) == 1 else f"from 0 to {len(found) - 1}"
        raise StoreError(f"case {case!r} has {counted(len(found), 'trial')}, {only}")
    return (found[index],)


def describe_trial(
    trial: Trial,
    *,
    number: int,
    prompt: str | None,
    words: str | None,
    text: str = "",
    payer: str | None = None,
) -> str:
    """Write a trial for the terminal.

    Args:
        trial: the trial.
        number: which of its case's trials it is, from 0.
        prompt: what was asked, when the run recorded it.
        words: Claude's last words, when there is a transcript.
        text: what the description is to the run: `original`, `best`, or nothing.
        payer: the earlier run that it was taken over from.
    """
    lines = [
        f"trial {number} of case {one_line(trial.case)!r}"
        f" ({f'{text}, ' if text else ''}iteration {trial.iteration}, {trial.set.value},"
        f" attempt {trial.attempt})",
        f"  outcome   {_outcome(trial)}",
        f"  turns     {trial.turns}",
        f"  model     {trial.model or 'none answered'} (asked: {trial.model_asked}),"
        f" engine {trial.engine}, CLI {trial.cli_version}",
    ]
    if payer is not None:
        lines.append(f"  taken over from run {payer}, which paid for it")
    if trial.also_fired:
        lines.append(f"  also fired  {one_line(', '.join(trial.also_fired))}")
    if trial.transcript is not None:
        lines.append(f"  transcript  {trial.transcript}")
    for title, said in (("prompt", prompt), ("last words", words)):
        if said is not None:
            lines += [f"  {title}:", *(f"    {line}" for line in printable(said).splitlines())]
    return "\n".join(lines)


def _outcome(trial: Trial) -> str:
    """Say what the trial says."""
    match trial.outcome:
        case Outcome.TRIGGERED:
            how = trial.mode.value if trial.mode is not None else "tool"
            return f"triggered at step {trial.step} ({how})"
        case Outcome.NOT_TRIGGERED:
            return f"not triggered within {counted(trial.turns, 'turn')}"
        case Outcome.UNDECIDED:
            return f"undecided: {trial.reason}"


def texts_of(plan: Mapping[str, object], summary: Mapping[str, object]) -> dict[str, str]:
    """Say of the descriptions that a run judged what each is to it, by the candidate's hash.

    Args:
        plan: as recorded.
        summary: as recorded; empty when the run did not end.
    """
    named = (
        ("best", summary.get("best_description")),
        ("original", plan.get("original_description") or summary.get("original_description")),
    )
    return {description_hash(text): name for name, text in named if isinstance(text, str)}


def prompts_of(plan: Mapping[str, object]) -> dict[str, str]:
    """Read the prompts by case from a recorded plan."""
    cases = plan.get("cases")
    if not isinstance(cases, list):
        return {}
    return {str(case["case"]): str(case["prompt"]) for case in cases if isinstance(case, dict)}
