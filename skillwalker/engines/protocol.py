"""The one thing every engine does: run Claude Code once and hand back what it did."""

from dataclasses import dataclass
from typing import Protocol

from skillwalker.datatypes.trials import Invocation, Transcript

IDLE_TIMEOUT = 120.0
"""Seconds without an event. While a model answers, events come every few seconds, and the CLI
announces its retries; only a stream that died or a long tool is silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """What makes trials of two engines different experiments; part of every trial's record."""

    name: str
    simulated: bool
    endpoint: str
    """Base URL that requests go to; `simulated` when there is none."""
    cli_version: str
    permission_mode: str
    effort: str
    headline: str
    """For the first line a user reads: which engine, why, and who pays."""
    acting_mode: str | None = None
    """Permission mode of trials whose tools may act; None where none can."""

    def mode_of(self, *, may_act: bool) -> str:
        """Give the permission mode of a trial."""
        return self.acting_mode or self.permission_mode if may_act else self.permission_mode


class Engine(Protocol):
    """A way to run Claude Code once.

    `run` sends the prompt unchanged and whole, shows the model exactly the plugin folders and
    project files of the invocation and nothing else of the host, stops at the first conclusive
    event or limit, and returns only when no process, container or file of the trial is left.

    It may be called concurrently, as often as the pool allows. A trial that ran but went wrong
    (API error, crash, timeout, cut stream) comes back as a `Transcript` with `failure` set, so
    that a call seen before the failure still counts. On cancellation everything that the trial
    started is ended before the cancellation leaves `run`.

    Raises:
        EngineUnavailableError: no trial can run (no binary, no daemon, no login); stop the run.
        TrialError: this trial could not be started; the next may work.
    """

    @property
    def facts(self) -> EngineFacts:
        """What to record with each trial."""
        ...

    async def run(self, invocation: Invocation) -> Transcript:
        """Run Claude Code once."""
        ...
