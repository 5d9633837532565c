"""The metrics of a run's texts in its folder: a line a text, on the disk before they count."""

from skillwalker.datatypes.metrics import TrackedMetric
from skillwalker.metrics.registry import Meaning
from skillwalker.metrics.rows import read_tracked, tracked_row
from skillwalker.recording.records import SCHEMA_VERSION, check_version
from skillwalker.recording.rows import RowFiles, read_rows

METRICS = "metrics.jsonl"


class TrackedFile:
    """What was measured of the texts of one run; see `tracking.Book`.

    Args:
        files: of the run's folder.

    Raises:
        StoreError: the file cannot be read.
    """

    def __init__(self, files: RowFiles) -> None:
        self._files = files
        self._known: dict[tuple[str, str], tuple[TrackedMetric, ...]] = {}
        for row in read_rows(files.folder / METRICS):
            check_version(row, METRICS)
            name = (str(row.get("candidate")), str(row.get("meaning")))
            self._known[name] = read_tracked(row.get("metrics"))

    def recorded(self, candidate: str, meaning: Meaning) -> tuple[TrackedMetric, ...] | None:
        """See `tracking.Book`."""
        return self._known.get((candidate, _written(meaning)))

    def record(self, candidate: str, meaning: Meaning, metrics: tuple[TrackedMetric, ...]) -> None:
        """See `tracking.Book`."""
        row = {
            "schema_version": SCHEMA_VERSION,
            "run_id": self._files.folder.name,
            "candidate": candidate,
            "meaning": _written(meaning),
            "metrics": [tracked_row(metric) for metric in metrics],
        }
        self._files.append(METRICS, row)
        self._known[candidate, _written(meaning)] = metrics


def _written(meaning: Meaning) -> str:
    """Write what metrics mean, so that two lives of a run can be told apart by it."""
    return " ".join(f"{name}@{version}:{mark}" for name, version, mark in meaning)
