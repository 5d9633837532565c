"""show --installed: what the user's Claude Code lists, and who has room in it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillwalker.targets.installed import InstalledTarget, Room


def installed_record(
    found: Sequence["InstalledTarget"], rooms: Sequence["Room"]
) -> dict[str, object]:
    """Make the JSON of the room that each family of models has, and of what was used."""
    from skillwalker.listing.budget import bundled_skills

    listing = [
        {
            "models": room.family,
            "model": room.model,
            "budget_chars": room.budget_chars,
            "bundled_chars": bundled_skills().columns,
            "whole": list(room.whole),
            "name_only": list(room.name_only),
        }
        for room in rooms
    ]
    used = {each.listed.name or "": each.uses for each in found if each.uses}
    return {"listing": listing, "uses": used}


def room_text(rooms: Sequence["Room"]) -> str:
    """Write for each family of models who is there by name only."""
    from skillwalker.cli.show_text import plain, wrapped
    from skillwalker.listing.budget import bundled_skills

    lines = [
        "Room in the listing, of which Claude Code's own skills take "
        f"{bundled_skills().columns:,} columns first:"
    ]
    for room in rooms:
        total = len(room.whole) + len(room.name_only)
        lines.append(
            f"  {room.family}: {room.budget_chars:,} columns, {len(room.whole)} of {total} skills "
            "with their text"
        )
        lines += [f"    by name only: {plain(name)}" for name in room.name_only]
    return "\n".join(map(wrapped, lines))
