"""A run as Markdown for a pull request or a job summary, within the size that GitHub takes.

Names, prompts and descriptions are anybody's text: they stand in code, where they can neither
format, nor link, nor call anybody.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.scores import Rate, Rates
from skillwalker.datatypes.summary import Summary
from skillwalker.report import wording
from skillwalker.report.against_text import against_lines
from skillwalker.report.metric_text import TITLE, has_standing, metric_notes, metric_rows
from skillwalker.report.misses import Miss, find_misses, what_happened
from skillwalker.report.plain import one_line, printable
from skillwalker.report.unknowns import unknowns
from skillwalker.report.verdict_text import verdict

LONGEST = 65_536
"""Characters that GitHub takes in a comment.

Source: its answer to a longer one, "body is too long (maximum is 65536 characters)".
"""
AGAINST_ROOM = 8_000
"""Of these, for what differs from an earlier run and how its cases flipped."""
LONGEST_NAME = 200
LONGEST_SENTENCE = 2_000
MOST_SENTENCES = 20
_RATES: tuple[tuple[str, Callable[[Rates], Rate]], ...] = (
    ("recall", lambda rates: rates.recall),
    ("specificity", lambda rates: rates.specificity),
    ("balanced accuracy", lambda rates: rates.balanced),
)
_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_CALLING = re.compile(r"([@#])")


def markdown(run: RecordedRun, *, next_command: str | None) -> str:
    """Write a run as Markdown; what does not fit is counted, never cut in the middle.

    Args:
        run: as it was recorded.
        next_command: what a user would do now; None when there is nothing to do.
    """
    summary = run.summary
    simulated = f"**{wording.SIMULATED}**\n" if summary.simulated else ""
    roomy = f"**{wording.ROOMY}**\n" if summary.listing_mode == "roomy" else ""
    head = _joined(
        f"### {escaped(verdict(summary))}",
        simulated,
        roomy,
        _whom(run),
        _rates(run),
        _against(summary),
    )
    tail = _joined(
        _metrics(run),
        _costs(run),
        _unknowns(run),
        f"Next: {code(next_command)}\n" if next_command else "",
        f"Run {code(summary.run_id)}, suite {code(summary.suite)}\n",
        simulated,
    )
    room = LONGEST - len(head) - len(tail)
    difference = _fitting(_difference(run), room)
    misses = _misses(run, room - len(difference))
    return _joined(head, difference, misses, tail)


def escaped(text: str) -> str:
    """Write a text so that nothing in it is Markdown, HTML, a mention or a reference."""
    plain = (
        one_line(text[:LONGEST_SENTENCE])
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )
    return _CALLING.sub(r"\1&#8203;", _SPECIAL.sub(r"\\\1", plain))


def code(text: str) -> str:
    """Write a text as a code span, also inside of a table."""
    line = one_line(text)
    if not line:
        return wording.NOT_MEASURED
    if len(line) > LONGEST_NAME:
        line = f"{line[: LONGEST_NAME - 1]}…"
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", "\\|")


def _longest_run(text: str) -> int:
    """Count the most backticks in a row."""
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _joined(*parts: str) -> str:
    """Put an empty line between the parts that there are."""
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _fitting(part: str, room: int) -> str:
    return part if len(part) < room else "The change of the description is too long to show here.\n"


def _rates(run: RecordedRun) -> str:
    summary = run.summary
    if summary.original is None:
        return "Nothing was measured.\n"
    other = summary.best if summary.best_iteration != 1 else None
    source = f"{words}, " if (words := wording.source(summary)) else ""
    moved = {
        name: wording.points_within(change, interval)
        for name, change, interval in _changes(summary)
    }
    lines = [
        f"| {source}mean over cases, 90 % intervals | original |{' best |' if other else ''}"
        f"{' change |' if moved else ''}",
        f"|---|---|{'---|' if other else ''}{'---|' if moved else ''}",
    ]
    for name, pick in _RATES:
        best = f" {wording.rate(pick(other))} |" if other else ""
        change = f" {moved[name]} |" if moved else ""
        lines.append(f"| {name} | {wording.rate(pick(summary.original))} |{best}{change}")
    return "\n".join(lines) + "\n"


def _changes(summary: Summary) -> tuple[wording.NamedChange, ...]:
    """Give what the confirm rounds changed, where the rates are theirs."""
    if summary.gate is None or summary.measured_on != "confirm":
        return ()
    return wording.changes(summary.gate)


def _against(summary: Summary) -> str:
    """Tell what became of the target since an earlier run, as the terminal does."""
    lines = [escaped(line.strip()) for line in against_lines(summary)]
    if not lines:
        return ""
    first, *others = lines
    rows = list(_within((f"- {line}" for line in others), AGAINST_ROOM))
    left = len(others) - len(rows)
    more = [f"- … and {left} more lines"] if left else []
    return "\n".join((f"{first}.\n", *rows, *more)) + "\n"


def _whom(run: RecordedRun) -> str:
    summary = run.summary
    models = ", ".join(summary.models) or "none answered"
    beside = f"beside {len(run.rivals)} others" if run.rivals else "alone"
    return (
        f"Holds for: engine {code(summary.engine)}, model {code(models)},"
        f" Claude Code {code(summary.cli_version)}, endpoint {code(summary.endpoint)},"
        f" {summary.position} position, {beside}.\n"
    )


def _difference(run: RecordedRun) -> str:
    """Show both texts, when they differ, in a fence that they cannot close."""
    summary = run.summary
    if summary.best_description == summary.original_description:
        return ""
    before, after = printable(summary.original_description), printable(summary.best_description)
    fence = "`" * max(3, _longest_run(before) + 1, _longest_run(after) + 1)
    lines = [f"- {line}" for line in before.split("\n")]
    lines += [f"+ {line}" for line in after.split("\n")]
    return "\n".join((f"{fence}diff", *lines, fence)) + "\n"


def _costs(run: RecordedRun) -> str:
    money = wording.money(run.summary)
    return f"{money[:1].upper()}{money[1:]}.\n"


def _metrics(run: RecordedRun) -> str:
    """Lay what was tracked of both texts side by side."""
    rows = metric_rows(run.summary)
    if not rows:
        return ""
    has_other, stands = rows[0].best is not None, has_standing(run.summary)
    lines = [
        f"| {TITLE} | original |{' best |' if has_other else ''}{' standing |' if stands else ''}",
        f"|---|---|{'---|' if has_other else ''}{'---|' if stands else ''}",
    ]
    for row in rows:
        best = f" {row.best} |" if has_other else ""
        lines.append(
            f"| {code(row.name)} | {row.original} |{best}"
            + (f" {row.standing} |" if stands else "")
        )
    notes = [f"\n{escaped(note)}" for note in metric_notes(run.summary)]
    return "\n".join((*lines, *notes)) + "\n"


def _unknowns(run: RecordedRun) -> str:
    sentences = unknowns(run)
    left = len(sentences) - MOST_SENTENCES
    lines = [f"- {escaped(sentence)}" for sentence in sentences[:MOST_SENTENCES]]
    return "\n".join((*lines, *([f"- … and {left} more"] if left > 0 else []))) + "\n"


def _misses(run: RecordedRun, room: int) -> str:
    """List the missed cases, as many as fit."""
    shown = run.best if run.summary.kind != "measure" else run.original
    misses = find_misses(run, shown)
    if shown is None or not misses:
        return ""
    name = "the original" if shown.number == 1 else "the best text"
    lines = [
        f"Missed under {name}: {len(misses)} of"
        f" {wording.counted([case.name for case in run.cases])}\n",
        "| case | should | missed | what happened |",
        "|---|---|---|---|",
    ]
    room -= sum(len(line) + 1 for line in lines) + LONGEST_NAME
    rows = list(_within(_rows(misses, run.summary.target), room))
    left = len(misses) - len(rows)
    return "\n".join((*lines, *rows)) + (f"\n\n… and {left} more cases\n" if left else "\n")


def _rows(misses: Sequence[Miss], target: str) -> Iterator[str]:
    for miss in misses:
        should = "trigger" if miss.case.should_trigger else "not trigger"
        happened = what_happened(miss.trials[0], target)
        yield (
            f"| {code(miss.case.name)} | {should} | {len(miss.trials)}/{miss.of}"
            f" | {code(happened)} |"
        )


def _within(rows: Iterable[str], room: int) -> Iterator[str]:
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            return
        yield row
