"""A day or a moment, as `--since` takes it."""

from datetime import UTC, datetime

import typer


def moment_said(written: str | None) -> datetime | None:
    """Read a day or a moment; one without a zone is UTC.

    Raises:
        BadParameter: exit code 2; it is neither.
    """
    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise typer.BadParameter(
            f"{written!r} is no date; write it as 2026-11-30 or 2026-11-30T08:00",
            param_hint="'--since'",
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
