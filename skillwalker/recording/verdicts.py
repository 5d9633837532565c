"""How the cases of a run stood in an earlier one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.errors import StoreError

Verdicts = Mapping[tuple[str, str], bool | None]
"""Whether a case passed, by its name and model; None where it was undecided."""


def earlier_verdicts(run: RecordedRun, cases: Sequence[SplitCase]) -> Verdicts:
    """Say how cases stood under the text that the file held when an earlier run ended.

    A case that ran under another model then counts where it ran under one model only: the
    question is often just whether a new model still does what the old one did.

    Args:
        run: the earlier one.
        cases: those of now.

    Raises:
        StoreError: nothing was measured in it.
    """
    chosen = run.best if run.summary.applied else run.original
    if chosen is None:
        raise StoreError(
            f"run {run.summary.run_id} measured nothing, so nothing can be compared with it"
        )
    found = {(tally.case, tally.model): tally.passed for tally in chosen.cases}
    models: dict[str, list[bool | None]] = defaultdict(list)
    for (name, _), passed in found.items():
        models[name].append(passed)
    verdicts: dict[tuple[str, str], bool | None] = {}
    for case in (split.case for split in cases):
        of_any = models.get(case.name, [])
        only = of_any[0] if len(of_any) == 1 else None
        verdicts[case.name, case.model] = found.get((case.name, case.model), only)
    return verdicts
