"""The summary of a run and its JSON object: one place knows the keys, both ways."""

import dataclasses
from collections.abc import Callable, Mapping

import pydantic

from skillwalker.datatypes.inputs import Listed, ListingPlace
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.summary import Summary
from skillwalker.metrics.rows import change_record
from skillwalker.recording.checked import checked
from skillwalker.recording.records import SCHEMA_VERSION, check_version

_SUMMARY = pydantic.TypeAdapter(Summary)
_PLACE_KEYS = ("budget_chars", "used_chars", "state")
_LISTED_KEYS = tuple(field.name for field in dataclasses.fields(Listed))


def summary_record(summary: Summary) -> dict[str, object]:
    """Make the summary's JSON object."""
    record: dict[str, object] = {"schema_version": SCHEMA_VERSION}
    record |= {field.name: getattr(summary, field.name) for field in dataclasses.fields(summary)}
    for name in ("original", "best", "gate", "rate_in_file", "against"):
        value = record[name]
        record[name] = None if value is None else dataclasses.asdict(value)  # type: ignore[call-overload]  # each is a dataclass
    record["usage"] = {name: _usage_record(total) for name, total in summary.usage}
    record["by_model"] = {
        one.model: {
            "original": dataclasses.asdict(one.original),
            "best": None if one.best is None else dataclasses.asdict(one.best),
        }
        for one in summary.by_model
    }
    record["confusion"] = {
        one.case: {
            "should_trigger": one.should_trigger,
            "original": dict(one.original),
            "best": None if one.best is None else dict(one.best),
        }
        for one in summary.confusion
    }
    record["metrics"] = {one.name: change_record(one) for one in summary.metrics}
    record["listing"] = None if summary.listing is None else listing_record(summary.listing)
    return record


def _usage_record(total: UsageTotal) -> dict[str, object]:
    """Tell what calls of one purpose used, and how much of their prompts the cache gave."""
    return {**dataclasses.asdict(total), "cache_share": total.cache_share}


def read_summary(row: Mapping[str, object]) -> Summary:
    """Read a summary's JSON object.

    Raises:
        StoreError: it is of a newer format, or lacks something.
    """
    check_version(row, "the summary")
    values = {key: value for key, value in row.items() if key != "schema_version"}
    listing, usage = row.get("listing"), row.get("usage")
    if isinstance(listing, dict):
        place = {key: listing.get(key) for key in _PLACE_KEYS}
        values["listing"] = place | {"listed": {key: listing.get(key) for key in _LISTED_KEYS}}
    if isinstance(usage, dict):
        values["usage"] = tuple(usage.items())
    if isinstance(models := row.get("by_model"), dict):
        values["by_model"] = tuple(map(_named("model"), models.items()))
    if isinstance(metrics := row.get("metrics"), dict):
        values["metrics"] = tuple(map(_named("name"), metrics.items()))
    if isinstance(confusion := row.get("confusion"), dict):
        values["confusion"] = tuple(_read_confused(*item) for item in confusion.items())
    return checked(_SUMMARY, values, "the summary")


def _named(key: str) -> Callable[[tuple[str, object]], object]:
    """Make an entry of an object one of a list; what is none is left to be refused."""
    return lambda item: {key: item[0], **item[1]} if isinstance(item[1], dict) else item[1]


def _read_confused(case: str, told: object) -> object:
    """Read what fired instead in a case; what does not say that is left to be refused."""
    if not isinstance(told, dict):
        return told
    sides = {
        side: tuple(fired.items()) if isinstance(fired := told.get(side), dict) else fired
        for side in ("original", "best")
    }
    return {"case": case, "should_trigger": told.get("should_trigger"), **sides}


def listing_record(place: ListingPlace) -> dict[str, object]:
    """Tell how the target stands in the listing: one `show` element and its place."""
    listed = place.listed
    return {
        **dataclasses.asdict(listed),
        "text": listed.own_text,
        "path": str(listed.path),
        "budget_chars": place.budget_chars,
        "used_chars": place.used_chars,
        "state": place.state,
    }
