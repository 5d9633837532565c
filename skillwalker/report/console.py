"""Progress and the final report in the terminal, on stderr; stdout is for results alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import IO, assert_never

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.summary import (
    Event,
    Forecast,
    IterationDone,
    Paused,
    Proposed,
    RoundDone,
    RunStarted,
    SampleDone,
    StepStarted,
    Summary,
    TrialDone,
    TrialReused,
    Warned,
)
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, ListingState, Outcome
from skillwalker.report import money_text, wording
from skillwalker.report.fitting import fitted
from skillwalker.report.metric_text import metric_notes
from skillwalker.report.plain import one_line, words_changed
from skillwalker.report.progress_text import iteration_line, news
from skillwalker.report.tables import (
    Confirms,
    case_table,
    iteration_table,
    metric_table,
    rate_tables,
    what_fired,
)
from skillwalker.report.verdict_text import verdict

PLAIN_WIDTH = 80
"""Columns of a log, where nothing else is said."""
STEP_NAMES = {CaseSet.CONTROL: "controls", CaseSet.CONFIRM: "confirming"}


class Reporter:
    """Follows a run event by event.

    On a terminal it shows a live bar; elsewhere a line a step, so that a log stays readable.

    Args:
        stream: where to write.
        quiet: only warnings and the final report.
        width: columns off a terminal; longer lines of text stay whole.
        follows: whether an earlier run of the command told who answers and who pays.
    """

    def __init__(
        self,
        stream: IO[str],
        *,
        quiet: bool = False,
        width: int = PLAIN_WIDTH,
        follows: bool = False,
    ) -> None:
        live = stream.isatty()
        self._console = Console(
            file=stream, highlight=False, width=None if live else width, soft_wrap=not live
        )
        self._quiet = quiet
        self._is_live = live
        self._follows = follows
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not live,
        )
        self._task = self._progress.add_task("", total=None, note="", start=False)
        self._undecided = 0
        self._cost = 0.0
        self._is_billed = True
        self._forecast: Forecast | None = None
        self._iterations: list[Iteration] = []
        self._late: list[str] = []
        """What is said again behind the result."""

    def __call__(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunStarted():
                self._started(event)
            case StepStarted():
                self._step_started(event)
            case TrialDone(trial=trial):
                self._undecided += trial.outcome is Outcome.UNDECIDED
                self._cost += (trial.usage.cost_usd or 0.0) if self._is_billed else 0.0
                self._progress.update(self._task, advance=trial.attempt == 0, note=self._note())
            case Forecast() | Paused() | Warned():
                self._advise(event)
            case TrialReused():
                self._progress.update(self._task, advance=1)
            case IterationDone() | SampleDone():
                self._measured(event)
            case Proposed() | RoundDone():
                self._line(f"  {news(event)}")
            case _:
                assert_never(event)

    def _advise(self, event: Forecast | Paused | Warned) -> None:
        """Say what a user should know."""
        match event:
            case Forecast():
                self._foresee(event)
            case Paused(until=until):
                self.note(money_text.paused(until))
            case Warned(message=message, is_late=is_late):
                self._late += [message] if is_late else []
                self._warn(message)

    def _warn(self, message: str) -> None:
        self._fit(f"warning: {one_line(message)}", style="yellow")

    def _note(self) -> str:
        """Say what stands behind the bar: undecided, cost so far, and what is left."""
        parts = (
            f"{self._undecided} undecided" if self._undecided else "",
            f"${self._cost:.2f}" if self._cost else "",
            money_text.left(self._forecast) if self._forecast is not None else "",
        )
        return ", ".join(part for part in parts if part)

    def _foresee(self, forecast: Forecast) -> None:
        """Say once what is left, and keep it behind the bar."""
        if not self._is_billed:
            forecast = replace(forecast, cost_usd=None)
        if self._forecast is None and forecast.trials:
            self._line(f"  {money_text.forecast(forecast)}")
        self._forecast = forecast

    def close(self) -> None:
        """Take the live bar off the screen."""
        self._progress.stop()

    def note(self, message: str) -> None:
        """Say something that must be seen even when quiet."""
        self._fit(one_line(message))

    def difference(self, summary: Summary) -> None:
        """Show what a description loses and gains, before a question about it."""
        self.close()
        self._console.print(words_changed(summary.original_description, summary.best_description))

    def _line(self, text: str) -> None:
        """Write one line of progress."""
        if not self._quiet:
            self._fit(text)

    def _fit(self, text: str, *, style: str = "") -> None:
        """Write a line, broken where a terminal ends; a log keeps it whole."""
        if self._is_live:
            text = fitted(text, self._console.width)
        self._console.print(Text(text, style=style), soft_wrap=True)

    def _started(self, event: RunStarted) -> None:
        """Say what is measured, with what, and who pays."""
        if event.simulated:
            self._is_billed = False
        if event.simulated and not self._follows:
            self._fit(wording.SIMULATED, style="bold yellow")
        if not self._follows:
            self._line(event.headline)
        if event.listing_mode == "roomy":
            self._fit(wording.ROOMY, style="bold yellow")
        cases = {split.case.name: split for split in event.cases}.values()
        holdout = sum(split.set is CaseSet.HOLDOUT for split in cases)
        positives = sum(split.case.should_trigger for split in cases)
        self._line(
            f"{event.target.id}: suite {event.suite},"
            f" {len(cases)} case{'' if len(cases) == 1 else 's'}"
            f" ({positives} should trigger, {len(cases) - positives} should not;"
            f" {holdout} held out), {wording.models([split.case for split in event.cases])}"
        )
        if event.listing.state is ListingState.CUT:
            self._fit("warning: Claude Code cuts this description; see `skillwalker show`.")
        self._progress.start()

    def _step_started(self, event: StepStarted) -> None:
        """Begin a new bar."""
        what = STEP_NAMES.get(event.set) if event.set is not None else None
        others = "".join(f" and {number}" for number in event.beside)
        name = what or f"iteration {event.number}{others}"
        phase = f" ({event.phase.value})" if event.phase is not None else ""
        self._progress.reset(self._task, total=event.trials, description=f"{name}{phase}")

    def _measured(self, event: IterationDone | SampleDone) -> None:
        """Keep what was measured; only a candidate that is new is worth a line."""
        match event:
            case IterationDone(iteration=iteration):
                self._iterations.append(iteration)
                self._line(f"  {iteration_line(iteration, of=self._iterations[0])}")
            case SampleDone(iterations=further):
                for iteration in further:
                    self._iterations[iteration.number - 1] = iteration

    # --- the final report ----------------------------------------------------------------------

    def final(
        self,
        summary: Summary,
        *,
        folder: str,
        next_command: str | None,
        confirms: Confirms | None = None,
        confirmed: Sequence[Trial] = (),
        brief: bool = False,
        project: str | None = None,
    ) -> None:
        """Show how the run ended.

        Args:
            summary: of the run.
            folder: where everything lies.
            next_command: what a user would do now; None when there is nothing to do.
            confirms: what the confirm rounds counted of each case.
            confirmed: their trials of the best text; none where nothing was confirmed.
            brief: only how it ended; the tables are in its report, and `overview` says the rest.
            project: how the user named it after `-C`; None where it was found.
        """
        show = self._console.print
        show()
        if not brief:
            self._show_figures(summary, confirms, confirmed)
        self._fit(verdict(summary, project=project), style="bold")
        self._fit(wording.money(summary))
        if (cached := money_text.cached(summary)) is not None:
            self._fit(cached)
        self._fit(f"recorded in {folder}")
        for message in self._late:
            self._warn(message)
        if next_command is not None:
            self._fit(f"next: {next_command}")
        if summary.listing_mode == "roomy" and not brief:
            self._fit(wording.ROOMY, style="bold yellow")
        if summary.simulated and not brief:
            self._fit(wording.SIMULATED, style="bold yellow")

    def _show_figures(
        self, summary: Summary, confirms: Confirms | None, confirmed: Sequence[Trial]
    ) -> None:
        """Show what was measured, as tables."""
        show = self._console.print
        if self._iterations and not self._quiet:
            show(iteration_table(self._iterations, best=summary.best_iteration))
        for table in rate_tables(summary):
            show(table)
        if not self._quiet:
            self._show_cases(summary, confirms, confirmed)
            if summary.metrics:
                show(metric_table(summary))
        for line in (*wording.beside_the_rates(summary), *metric_notes(summary)):
            self._fit(one_line(line))
        if summary.best_description != summary.original_description:
            show(words_changed(summary.original_description, summary.best_description))
            show()

    def _show_cases(
        self, summary: Summary, confirms: Confirms | None, confirmed: Sequence[Trial]
    ) -> None:
        """Show the cases that do not pass, or whose verdict moved."""
        if not self._iterations:
            return
        first = self._iterations[0]
        best = next((i for i in self._iterations if i.number == summary.best_iteration), first)
        before = {(result.case.name, result.case.model): result for result in first.results}
        pairs = [
            (before[key], result)
            for result in best.results
            if (key := (result.case.name, result.case.model)) in before
        ]
        moved = [(a, b) for a, b in pairs if not (a.passed and b.passed)]
        if moved:
            self._console.print(case_table(moved, same=best is first, confirms=confirms))
        for line in what_fired(summary, best.results, confirmed):
            self._fit(one_line(line))
