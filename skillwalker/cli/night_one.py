"""One run of a night as a command: how it is started, and what is told of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from skillwalker.catalogue import CatalogueEntry
from skillwalker.cli.environment import command_environment
from skillwalker.cli.logs import logged
from skillwalker.cli.night_ending import NightWishes, say
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.datatypes.nights import StageResult
from skillwalker.datatypes.summary import Event, Summary, Warned
from skillwalker.engines.registry import open_engine
from skillwalker.limits import Limits
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.recording.frozen import Earlier
from skillwalker.report.files import write_reports
from skillwalker.report.night_text import stage_line


@dataclass(slots=True, kw_only=True)
class Warnings:
    """What is said of the runs of a night as they go, and again behind its result."""

    late: list[str] = field(default_factory=list)
    """What is said again behind the result, each once."""

    def hear(self, event: Event) -> None:
        """Pass a run's warnings on."""
        if isinstance(event, Warned):
            self.warn(event.message, is_late=event.is_late)

    def warn(self, message: str, *, is_late: bool = True) -> None:
        """Say something that the user should know."""
        say(f"warning: {message}")
        if is_late and message not in self.late:
            self.late.append(message)

    def say_again(self) -> None:
        """Say what concerns the end of the night behind its result."""
        for message in self.late:
            say(f"warning: {message}")


async def do_run(
    opened: Project,
    machinery: Machinery,
    limits: Limits,
    wishes: NightWishes,
    warnings: Warnings,
    order: Order,
    earlier: Earlier | None,
    began: Callable[[str], None],
) -> tuple[Summary, Path]:
    """Do one run of a night, and leave its reports.

    Args:
        opened: the project.
        machinery: what runs the trials.
        limits: of the night.
        wishes: what a user wants done with the results.
        warnings: what is said of the runs.
        order: of the run.
        earlier: the life to go on with.
        began: is told the run's name.

    Raises:
        SkillwalkerError: it cannot be run.
    """
    around = Surroundings(
        places=opened.places,
        temporary=machinery.settings.temporary,
        login=machinery.settings.login,
        listener=logged(warnings.hear),
        approve=partial(_may_write, wishes, order),
        limits=limits.share(),
        open_engine=partial(
            open_engine, order.engine, seed=order.config.seed, settings=machinery.settings
        ),
        began=began,
        engine_settings=machinery.settings,
        prices=opened.settings.prices,
        command_env=command_environment(opened.settings.engine_env),
        writes_unasked=wishes.apply and (wishes.allow_simulated or order.engine != "simulated"),
    )
    summary, folder = await run_order(order, around, earlier)
    reports = write_reports(folder, html=wishes.html)
    for fault in reports.faults:
        say(f"warning: {fault}")
    return summary, folder


def _may_write(wishes: NightWishes, order: Order, summary: Summary) -> bool:
    """Say whether a run's improvement may be written.

    A duel says which of two texts is better; taking one back is the user's own decision.
    """
    is_real = wishes.allow_simulated or not summary.simulated
    return wishes.apply and is_real and order.challenger is None


def telling(
    wishes: NightWishes, *, is_billed: bool
) -> Callable[[CatalogueEntry, StageResult], None]:
    """Give what tells of each run's end.

    Args:
        wishes: what a user wants done with the results.
        is_billed: whether anybody pays for them.
    """

    def tell(entry: CatalogueEntry, result: StageResult) -> None:
        if not wishes.quiet:
            say(stage_line(entry, result, is_billed=is_billed))

    return tell
