"""Names why a run of Claude Code failed, from the CLI's own words and its exit code.

Source: observed on Claude Code 2.1.197 and 2.1.332 (tests/data/streams). `subtype` is "success"
for most API errors, so it decides nothing here; `terminal_reason` exists on newer versions only.
"""

from dataclasses import dataclass

from skillwalker.transcripts.events import Ended

MAX_DETAIL = 300

_BY_STATUS = {
    400: "request",
    401: "auth",
    402: "billing",
    403: "auth",
    404: "model_not_found",
    413: "request",
    429: "rate",
    529: "overloaded",
}
_BY_ERROR = {
    "authentication_failed": "auth",
    "oauth_org_not_allowed": "auth",
    "billing_error": "billing",
    "rate_limit": "rate",
    "overloaded": "overloaded",
    "invalid_request": "request",
    "model_not_found": "model_not_found",
    "max_output_tokens": "cut_stream",
}
_BY_WORDS = (
    ("mid-response", "cut_stream"),
    ("timed out", "connection"),
    ("connect", "connection"),
    ("credit balance", "billing"),
    ("not logged in", "auth"),
    ("usage limit", "rate"),
)
_UNBILLED = frozenset(
    {"auth", "billing", "model_not_found", "no_request", "overloaded", "rate", "request"}
)
_UNCOUNTED = frozenset({"connection", "server"})
_UNCONNECTED = ("refused", "enotfound")
_LIMITS = {"error_max_budget_usd": "budget", "error_max_turns": None}
"""Subtypes of results that a limit made; the turn limit is an answer, the budget is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a run says nothing: a word of `UNDECIDED_REASONS` and the CLI's own words."""

    reason: str
    detail: str


def is_unbilled(failure: Failure | None) -> bool:
    """Say whether the request that failed is known to have cost nothing.

    A server that was silent or broke down may have worked before.
    """
    if failure is None:
        return False
    lowered = failure.detail.lower()
    return failure.reason in _UNBILLED or (
        failure.reason == "connection" and any(word in lowered for word in _UNCONNECTED)
    )


def is_cost_unknown(failure: Failure | None) -> bool:
    """Say whether a request that failed may have cost something that was never counted."""
    return failure is not None and failure.reason in _UNCOUNTED and not is_unbilled(failure)


def failure_of_error(*, status: int | None, error: str | None, text: str) -> Failure:
    """Name an API error.

    Args:
        status: the HTTP status, where the CLI passes it on.
        error: the CLI's word for it.
        text: what the CLI tells people.
    """
    lowered = text.lower()
    by_word = next((reason for words, reason in _BY_WORDS if words in lowered), None)
    by_error = _BY_ERROR.get(error or "")
    if by_error == "billing":
        reason = by_error
    elif status is not None:
        reason = _BY_STATUS.get(status) or ("server" if status >= 500 else "request")
    else:
        reason = by_error or by_word or ("server" if error == "server_error" else "crash")
    return Failure(reason=reason, detail=shorten(text))


def failure_of_result(ended: Ended, error: str | None) -> Failure | None:
    """Name what a result says went wrong; None when it is an answer.

    Args:
        ended: the result.
        error: the word of an error message that came before it.
    """
    if ended.subtype in _LIMITS:
        reason = _LIMITS[ended.subtype]
        return None if reason is None else Failure(reason=reason, detail=shorten(ended.text))
    if ended.terminal_reason == "hook_stopped":
        return Failure(reason="set_up", detail="a hook stopped Claude Code")
    if ended.is_error:
        return failure_of_error(status=ended.status, error=error, text=ended.text)
    if ended.turns == 0:
        detail = ended.text or "the prompt was taken as a command that asks no model"
        return Failure(reason="no_request", detail=shorten(detail))
    return None


def failure_of_exit(exit_code: int | None, stderr: str) -> Failure:
    """Name a run that ended without a result."""
    words = shorten(stderr.strip())
    if exit_code == 0:
        detail = words or "Claude Code ended without a result"
        return Failure(reason="unfinished", detail=detail)
    how = (
        "was killed" if exit_code is None or exit_code < 0 else f"ended with exit code {exit_code}"
    )
    return Failure(reason="crash", detail=shorten(f"Claude Code {how}: {words or 'no message'}"))


def shorten(text: str) -> str:
    """Cut a message for people to one line of a bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_DETAIL else line[: MAX_DETAIL - 1] + "…"
