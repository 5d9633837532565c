"""Says what one trial's record means for the target: triggered, not triggered, or undecided.

The rules work on the `Transcript` alone, so that every engine is read alike:

1. A call of the target by the main thread, by tool or by a read of its SKILL.md, at a turn
   within the limit, is *triggered*, whatever came later: a failure, a refusal, a limit.
2. Otherwise any sign of an error makes the trial *undecided* with a reason; so does a model that
   was not asked for, and a wall-clock stop before two whole turns.
3. Otherwise it is *not triggered* within the turns that were given.

Three uses of the target are recorded by their mode and are no trigger by its description: a
slash command in the prompt (the user named it, and its body is already in the prompt, so a later
call says nothing either), a call inside a subagent (another prompt chose it), and a read of an
agent's file (reading is not delegating).
"""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from skillwalker.datatypes.trials import Call, CalledAs, Reading, Transcript
from skillwalker.datatypes.vocabulary import Mode, Outcome, TargetKind

SIMULATED_MODEL = "simulated"
"""The model that the simulated engine names; it stands for every model asked."""

MODEL_FAMILIES = ("opus", "sonnet", "haiku", "fable", "mythos")
ENOUGH_TURNS = 2
"""Whole turns after which a wall-clock stop still says "not called within these turns"."""

_CLAUDE_ID = re.compile(r"claude-[a-z0-9][a-z0-9.-]*")
_DATE = re.compile(r"-(20\d{6})(?=$|-)")


def read_outcome(
    transcript: Transcript, called_as: CalledAs, *, model_asked: str, max_turns: int
) -> Reading:
    """Decide what a trial says about the target.

    Args:
        transcript: what was seen of the trial.
        called_as: the names of the target.
        model_asked: an alias or a full id; a trial that another model answered is undecided.
        max_turns: calls at later turns do not count.

    Source: observed behaviour of Claude Code 2.1.197 and 2.1.332 recorded in tests/data/streams.
    """
    own = tuple(call for call in transcript.calls if resolves(call, called_as))
    also = _also_fired(transcript.calls, own)
    wrong_model = not is_model_asked(transcript.model, model_asked)
    trigger = _trigger(own, max_turns)
    if trigger is not None and not wrong_model:
        return Reading(
            outcome=Outcome.TRIGGERED,
            reason=None,
            step=trigger.step,
            mode=trigger.mode,
            also_fired=also,
        )
    reason = _undecided_reason(transcript, wrong_model=wrong_model)
    return Reading(
        outcome=Outcome.NOT_TRIGGERED if reason is None else Outcome.UNDECIDED,
        reason=reason,
        step=None,
        mode=_other_use(own),
        also_fired=also,
    )


def resolves(call: Call, called_as: CalledAs) -> bool:
    """Say whether a call means the target, by name or by the path of its file."""
    if call.mode is Mode.READ:
        return f"/{call.name.replace(chr(92), '/')}".endswith(f"/{called_as.path_suffix}")
    if call.kind is not called_as.kind:
        return False
    if call.kind is TargetKind.AGENT:
        return loose_name(call.name) in {loose_name(name) for name in called_as.names}
    return plain_name(call.name) in called_as.names


@lru_cache(maxsize=4096)
def loose_name(name: str) -> str:
    """Spell an agent's name as Claude Code compares it: case, blanks, `-` and `_` do not count.

    Source: calls that started a subagent on 2.1.197 and 2.1.332, as `DEMO:gap_finder` and
    `demo:gap--finder` did for `demo:gap-finder`; the bare name was refused.
    """
    return re.sub(r"[\s_-]+", "", name).lower()


def is_trigger(call: Call, called_as: CalledAs) -> bool:
    """Say whether a call of the main thread ends the trial: nothing later can change it."""
    return _chosen(call) and resolves(call, called_as)


def plain_name(name: str) -> str:
    """Take the leading slash off a name; Claude Code accepts both spellings."""
    return name.strip().removeprefix("/")


def is_model_asked(answered: str | None, asked: str) -> bool:
    """Say whether the model that answered can be the one asked for.

    An alias stands for its family, an id without a date for every date of it, and a context
    suffix in brackets is no part of the id. A trial that no model answered is no wrong model.
    """
    if answered is None or answered in (asked, SIMULATED_MODEL):
        return True
    wanted = asked.partition("[")[0].lower()
    got = answered.partition("[")[0].lower()
    if wanted in ("default", "best", "opusplan"):
        return True
    if wanted in MODEL_FAMILIES:
        return wanted in re.split(r"[^a-z]+", got)
    wanted_core, got_core = _core(wanted), _core(got)
    if _DATE.search(wanted_core) and _DATE.search(got_core):
        return wanted_core == got_core
    return _DATE.sub("", wanted_core) == _DATE.sub("", got_core)


def _core(model: str) -> str:
    """Cut a provider's prefix and version suffix off an id (`us.anthropic.claude-…-v1:0`)."""
    match = _CLAUDE_ID.search(model)
    return re.sub(r"-v\d+$|-latest$", "", match.group()) if match else model


def _trigger(own: tuple[Call, ...], max_turns: int) -> Call | None:
    """Find the first call that counts; a command in the prompt takes all of them away."""
    if any(call.mode is Mode.COMMAND for call in own):
        return None
    return next((call for call in own if _chosen(call) and call.step <= max_turns), None)


def _chosen(call: Call) -> bool:
    """Say whether the main thread's model made this choice itself."""
    reads_skill = call.mode is Mode.READ and call.kind is TargetKind.SKILL
    return call.mode is Mode.TOOL or reads_skill


def _other_use(own: tuple[Call, ...]) -> Mode | None:
    """Name the use of the target that is no trigger, a command before everything else."""
    modes = [call.mode for call in own if not _chosen(call)]
    if Mode.COMMAND in modes:
        return Mode.COMMAND
    return modes[0] if modes else None


def _undecided_reason(transcript: Transcript, *, wrong_model: bool) -> str | None:
    """Name why a trial without a trigger says nothing; None when it says no."""
    if transcript.failure is not None:
        return transcript.failure
    if wrong_model:
        return "wrong_model"
    if transcript.timed_out:
        return None if transcript.turns >= ENOUGH_TURNS else "timeout"
    return None if transcript.turns > 0 else "no_request"


def _also_fired(calls: tuple[Call, ...], own: tuple[Call, ...]) -> tuple[str, ...]:
    """Name what else the main thread used, in order, each once."""
    others = (call for call in calls if call not in own and call.mode is not Mode.NESTED)
    return tuple(dict.fromkeys(_shown_name(call) for call in others))


def _shown_name(call: Call) -> str:
    """Name a call for people: of a file that was read, the skill's folder or the agent's stem."""
    if call.mode is not Mode.READ:
        return plain_name(call.name)
    path = PurePosixPath(call.name)
    return path.parent.name if call.kind is TargetKind.SKILL else path.stem
