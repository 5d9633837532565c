"""Reads JSON objects line by line, those that were split over several lines too."""

from skillwalker.transcripts.events import Json, read_json

_MAX_HELD = 16 * 2**20


class TornLines:
    """Holds the beginning of an object until its end comes."""

    def __init__(self) -> None:
        self._held = b""

    def read(self, line: bytes) -> Json | None:
        """Read a line, or the object that it ends; None while there is none."""
        data = read_json(line)
        if data is None and self._held:
            data = read_json(self._held + line)
        if data is not None:
            self._held = b""
        elif self._held and len(self._held) + len(line) < _MAX_HELD:
            self._held += line
        elif line.lstrip().startswith(b"{"):
            self._held = line
        return data
