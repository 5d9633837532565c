"""All recorded runs at a glance: every folder appears, with what became of its run."""

from pathlib import Path

from skillwalker.datatypes.recorded import RunGlance
from skillwalker.datatypes.summary import Summary
from skillwalker.errors import StoreError
from skillwalker.recording import store, summary_records
from skillwalker.recording.night_files import NIGHT, NIGHT_REPORT, NIGHT_SUMMARY
from skillwalker.recording.recorded_evals import SUMMARY, is_evaluated
from skillwalker.recording.rows import read_row

REPORT = "report.html"


def glance_at_runs(output_dir: Path) -> tuple[RunGlance, ...]:
    """Look at every run, newest first; one that cannot be read says why."""
    return tuple(_glance(folder) for folder in store.list_runs(output_dir))


def _glance(folder: Path) -> RunGlance:
    summary, note = _summary(folder)
    there = (name for name in (REPORT, NIGHT_REPORT) if (folder / name).is_file())
    report = next((f"{folder.name}/{name}" for name in there), None)
    return RunGlance(run_id=folder.name, summary=summary, note=note, report=report)


def _summary(folder: Path) -> tuple[Summary | None, str]:
    """Read the summary, or say why there is none."""
    try:
        if any((folder / name).is_file() for name in store.SUMMARIES):
            return summary_records.read_summary(store.read_summary(folder)), ""
        if is_evaluated(folder):
            return None, _eval_note(read_row(folder / SUMMARY))
        if (folder / NIGHT_SUMMARY).is_file():
            return None, _night_note(read_row(folder / NIGHT_SUMMARY))
        plan = store.read_plan(folder)
    except StoreError as error:
        return None, f"cannot be read: {error}"
    if plan:
        return None, f"{plan.get('kind')} of {plan.get('target')}: it did not end"
    if (folder / NIGHT).is_file():
        return None, "a night: it did not end"
    return None, "no measurement: a description written by hand, or a run that ended at once"


def _night_note(row: dict[str, object]) -> str:
    mark = "SIMULATED " if row.get("simulated") else ""
    counts = row.get("counts")
    figures = counts.items() if isinstance(counts, dict) else ()
    told = ", ".join(f"{number} {action}" for action, number in figures if number)
    return f"{mark}night: {told or 'nothing to do'}"


def _eval_note(row: dict[str, object]) -> str:
    mark = "SIMULATED " if row.get("simulated") else ""
    counts = ", ".join(
        f"{row.get(key, 0)} {words}"
        for key, words in (("passed", "passed"), ("failures", "failed"))
    )
    suites = row.get("suites")
    names = ", ".join(str(name) for name in suites) if isinstance(suites, list) else ""
    return f"{mark}eval run of {names}: {counts}, {row.get('inconclusive', 0)} inconclusive"
