"""The closed lists of words that records are made of."""

from enum import StrEnum


class TargetKind(StrEnum):
    """What is measured; all that differs between the two is in `target.py`."""

    SKILL = "skill"
    AGENT = "agent"


class Position(StrEnum):
    """Where a file lies, which decides how Claude Code reads it."""

    PLUGIN = "plugin"
    PROJECT = "project"


class CaseType(StrEnum):
    """The four types of a case in tests.json (`skill-prompt` is read as `prompt`)."""

    SKILL_CALL = "skill-call"
    AGENT_CALL = "agent-call"
    PROMPT = "prompt"
    AGENT_PROMPT = "agent-prompt"


class CaseSet(StrEnum):
    """What a trial was run for; only train is ever shown to the improver."""

    TRAIN = "train"
    HOLDOUT = "holdout"
    NEIGHBOUR = "neighbour"
    CONFIRM = "confirm"
    CONTROL = "control"


class Outcome(StrEnum):
    """What one trial says; `undecided` leaves every vote and every rate."""

    TRIGGERED = "triggered"
    NOT_TRIGGERED = "not_triggered"
    UNDECIDED = "undecided"


class Mode(StrEnum):
    """How the target was used: the tool, a read of its file, by a subagent, by a slash command."""

    TOOL = "tool"
    READ = "read"
    NESTED = "nested"
    COMMAND = "command"


class Phase(StrEnum):
    """Where the search stands."""

    EXPLORE = "explore"
    TRANSITION = "transition"
    CONVERGE = "converge"


class Operator(StrEnum):
    """How the improver makes a candidate from its parent."""

    REWRITE = "rewrite"
    COMBINE = "combine"
    EDIT = "edit"


class Verdict(StrEnum):
    """How a run ended."""

    IMPROVED = "improved"
    KEPT = "kept"
    INCONCLUSIVE = "inconclusive"


class StopReason(StrEnum):
    """Why the search stopped."""

    PERFECT = "perfect"
    ITERATIONS = "iterations"
    BUDGET = "budget"
    DEADLINE = "deadline"
    CONVERGED = "converged"
    UNRESOLVED = "unresolved"
    IMPROVER = "improver"
    UNDECIDED = "undecided"
    PREFLIGHT = "preflight"
    RATE_LIMIT = "rate_limit"
    INTERRUPTED = "interrupted"


class Purpose(StrEnum):
    """What a model is called for; money is counted by it."""

    TRIAL = "trial"
    IMPROVER = "improver"
    JUDGE = "judge"


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class ListingState(StrEnum):
    """How the target stands in the listing that a model gets."""

    WHOLE = "whole"
    CUT = "cut"
    NAME_ONLY = "name_only"
    ABSENT = "absent"


UNDECIDED_REASONS = (
    "auth",
    "billing",
    "budget",
    "connection",
    "crash",
    "cut_stream",
    "cancelled",
    "fallback",
    "idle",
    "model_not_found",
    "no_request",
    "no_target",
    "overloaded",
    "rate",
    "request",
    "server",
    "set_up",
    "timeout",
    "unfinished",
    "wrong_model",
)
"""Why a trial can be undecided; the closed list that `Trial.reason` is taken from."""
