"""Folds the stream of one run of Claude Code into a `Transcript`, line by line.

The engine feeds lines as they arrive and stops at the first one that settles the trial; a
recorded stream is read by the same code (`parse_stream`), so both say the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from skillwalker.budget.pauses import LONGEST_RETRY
from skillwalker.datatypes.trials import Call, CalledAs, Transcript
from skillwalker.transcripts.calls import call_of, expanded_command
from skillwalker.transcripts.events import (
    SYNTHETIC_MODEL,
    Ended,
    Event,
    Message,
    Notice,
    Progress,
    RateLimit,
    Started,
    ToolAnswers,
    ToolUse,
    read_event,
)
from skillwalker.transcripts.failures import (
    Failure,
    failure_of_error,
    failure_of_exit,
    failure_of_result,
    is_cost_unknown,
    is_unbilled,
)
from skillwalker.transcripts.outcome import is_trigger, plain_name
from skillwalker.transcripts.torn_lines import TornLines
from skillwalker.transcripts.usage import Price, UsageMeter

_CUT_OFF = "cut off mid-stream"
"""What the CLI tells the model after a stream broke for good; the lost part is not asked again."""

_MAX_RAW = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the process ended, as far as the stream cannot say it."""

    exit_code: int | None = 0
    """None when it was ended from outside."""
    duration: float = 0.0
    timed_out: bool = False
    idle: bool = False
    stderr: str = ""


class StreamParser:
    """Reads one run's lines in order.

    Args:
        prompt: what was asked; a slash command in it is expanded before any model is asked.
        called_as: the target; None reads to the end.
        price: prices the messages; the CLI's own total is not used.
    """

    def __init__(
        self, *, prompt: str = "", called_as: CalledAs | None = None, price: Price | None = None
    ) -> None:
        self._prompt = prompt
        self._called_as = called_as
        self._lines = TornLines()
        self._raw: list[bytes] = []
        self._raw_size = 0
        self._started: Started | None = None
        self._calls: dict[str, Call] = {}
        self._command: Call | None = None
        self._steps: dict[str, bool] = {}
        self._model: str | None = None
        self._current: dict[str | None, str] = {}
        self._meter = UsageMeter(price)
        self._answer = ""
        self._error: Message | None = None
        self._failure: Failure | None = None
        self._results: list[Ended] = []
        self._resets_at: float | None = None
        self._retry_after: float | None = None
        self._background = 0
        self._is_asking = False
        self._ended_last = False
        self.is_settled = False
        """Whether a call of the target was seen: nothing later can change the outcome."""

    @property
    def is_over(self) -> bool:
        """Whether a result came and nothing after it: no turn begins, no task is at work."""
        return self._ended_last and self._background == 0

    def feed(self, line: bytes) -> bool:
        """Read a line; True when no later one can matter, after which none is read any more."""
        if self._is_done or not line.strip():
            return self._is_done
        if self._raw_size < _MAX_RAW:
            self._raw.append(line)
            self._raw_size += len(line)
        data = self._lines.read(line)
        event = None if data is None else read_event(data)
        if event is not None:
            self._ended_last = isinstance(event, Ended)
            self._take(event)
        return self._is_done

    @property
    def _is_done(self) -> bool:
        """Whether the trial is settled, or waits for a rate limit longer than it may."""
        return self.is_settled or self._retry_after is not None

    def finish(self, ending: Ending) -> Transcript:
        """Give what was seen."""
        failure = self._final_failure(ending)
        last = self._results[-1] if self._results else None
        step = max((call.step for call in self._calls.values()), default=0)
        whole = sum(self._steps.values())
        return Transcript(
            calls=(*((self._command,) if self._command else ()), *self._calls.values()),
            turns=max(whole, step) if self.is_settled else whole,
            model=self._model,
            cli_version=self._started.cli_version if self._started else "",
            usage=self._meter.usage(
                {} if last is None else last.tokens,
                is_whole=last is not None and not is_cost_unknown(failure),
                is_free=is_unbilled(failure) or self._was_never_asked(ending),
            ),
            duration=ending.duration,
            failure=None if failure is None else failure.reason,
            detail=None if failure is None else failure.detail,
            ended_by_limit=last is not None and last.subtype == "error_max_turns",
            timed_out=ending.timed_out and not self._results,
            answer=last.text if last is not None and not last.is_error else self._answer,
            resets_at=self._resets_at,
            retry_after=self._retry_after,
            raw=tuple(self._raw),
        )

    def _was_never_asked(self, ending: Ending) -> bool:
        """Whether the CLI ended by itself before it sent a request."""
        ended_itself = ending.exit_code is not None and ending.exit_code >= 0
        is_early = self._started is None and ended_itself and not (ending.timed_out or ending.idle)
        return not self._is_asking and bool(self._results or is_early)

    def _take(self, event: Event) -> None:
        match event:
            case Message():
                self._take_message(event)
            case Progress():
                self._take_progress(event)
            case ToolAnswers():
                self._take_answers(event)
            case _:
                self._take_state(event)

    def _take_state(self, event: Started | Notice | RateLimit | Ended) -> None:
        match event:
            case Started():
                self._started = self._started or event
            case Notice():
                self._take_notice(event)
            case RateLimit():
                self._resets_at = event.resets_at if event.status == "rejected" else None
            case Ended():
                self._results.append(event)
                self._steps = dict.fromkeys(self._steps, True)

    def _take_message(self, message: Message) -> None:
        if message.model == SYNTHETIC_MODEL or message.error:
            if message.error and message.parent is None:
                self._error = self._error or message
            return
        self._meter.add(message.id, message.tokens, is_final=message.is_whole, model=message.model)
        self._meter.add_blocks(message.id, message.written)
        if message.parent is None:
            self._take_turn(message)
        for use in message.uses:
            self._take_use(use, message.parent)

    def _take_turn(self, message: Message) -> None:
        """Count a turn of the main thread: earlier ones are whole when a new one begins."""
        if message.id not in self._steps:
            self._steps = dict.fromkeys(self._steps, True)
        self._steps[message.id] = self._steps.get(message.id, False) or message.is_whole
        self._answer = message.text or self._answer
        if self._model is None:
            self._model = message.model
            self._command = expanded_command(
                self._prompt, self._started.commands if self._started else (), self._called_as
            )
        elif message.model != self._model:
            detail = f"{self._model} answered first, then {message.model}"
            self._fail(Failure(reason="fallback", detail=detail))

    def _take_use(self, use: ToolUse, parent: str | None) -> None:
        call = call_of(use, step=len(self._steps), is_nested=parent is not None)
        if call is None or self._is_fallback:
            return
        self._calls.setdefault(use.id or f"#{len(self._calls)}", call)
        if self._called_as is not None and self._command_is_other:
            self.is_settled = is_trigger(call, self._called_as) or self.is_settled

    @property
    def _is_fallback(self) -> bool:
        """Whether another model took over: its choices are not those of the model asked."""
        return self._failure is not None and self._failure.reason == "fallback"

    @property
    def _command_is_other(self) -> bool:
        """Whether a call still says something: the prompt did not name the target itself."""
        return self._command is None or (
            self._called_as is not None
            and plain_name(self._command.name) not in self._called_as.names
        )

    def _take_progress(self, progress: Progress) -> None:
        if progress.id is not None:
            self._current[progress.parent] = progress.id
        message = self._current.get(progress.parent)
        if message is None:
            return
        self._meter.add_streamed(message, progress.written)
        if progress.tokens is not None:
            whole, model = progress.is_whole, progress.model
            self._meter.add(message, progress.tokens, is_final=whole, model=model)
        if progress.is_whole and message in self._steps:
            self._steps[message] = True

    def _take_answers(self, answers: ToolAnswers) -> None:
        for key in answers.refused & self._calls.keys():
            self._calls[key] = replace(self._calls[key], refused=True)
        if answers.parent is None and _CUT_OFF in answers.synthetic_text:
            self._fail(Failure(reason="cut_stream", detail="the API's answer broke off"))

    def _take_notice(self, notice: Notice) -> None:
        self._is_asking = self._is_asking or notice.detail == "requesting"
        delay = (notice.delay_ms or 0.0) / 1000
        if (notice.kind, notice.detail) == ("retry", "429") and delay > LONGEST_RETRY:
            self._retry_after = delay
            self._fail(Failure(reason="rate", detail=f"the API asks to wait for {delay:.0f} s"))
        if notice.kind == "fallback":
            self._fail(Failure(reason="fallback", detail=notice.detail))
        if notice.tasks is not None:
            self._background = notice.tasks

    def _fail(self, failure: Failure) -> None:
        self._failure = self._failure or failure

    def _final_failure(self, ending: Ending) -> Failure | None:
        """Name the first sign of an error, the surest first."""
        if self._failure is not None or self.is_settled:
            return self._failure
        error = self._error
        word = error.error if error else None
        found = [failure_of_result(ended, word) for ended in self._results]
        failure = next((one for one in found if one is not None), None)
        if failure is None and error is not None:
            failure = failure_of_error(status=None, error=word, text=error.text)
        if failure is None:
            failure = self._failure_outside(ending)
        if failure is None and self._started and self._started.plugin_errors:
            detail = "; ".join(self._started.plugin_errors)
            failure = Failure(reason="set_up", detail=f"a plugin was not loaded: {detail}")
        return failure

    def _failure_outside(self, ending: Ending) -> Failure | None:
        """Name what only the end of the process shows."""
        if not self._results:
            if ending.idle:
                return Failure(reason="idle", detail="Claude Code said nothing for too long")
            return None if ending.timed_out else failure_of_exit(ending.exit_code, ending.stderr)
        expected = (0, 1, None) if self._results[-1].is_error else (0, None)
        if ending.exit_code not in expected:
            return failure_of_exit(ending.exit_code, ending.stderr)
        if not self._steps:
            return Failure(reason="unfinished", detail="the model's answer was empty")
        return None


def parse_stream(
    lines: Iterable[bytes],
    *,
    prompt: str = "",
    called_as: CalledAs | None = None,
    ending: Ending | None = None,
) -> Transcript:
    """Read a recorded stream; stops at the first call of the target, if one is given."""
    parser = StreamParser(prompt=prompt, called_as=called_as)
    for line in lines:
        if parser.feed(line):
            break
    return parser.finish(ending or Ending())
