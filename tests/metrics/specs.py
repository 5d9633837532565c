"""Declared metrics, as tests need them."""

from skillwalker.settings import MetricSettings


def spec(name: str = "rate", kind: str = "bounded", /, **keys: object) -> MetricSettings:
    """A metric with a command; keys override."""
    values: dict[str, object] = {
        "name": name,
        "kind": kind,
        "unit": "rate",
        "description": "share of failing tests",
        "version": 1,
        "command": () if "parts" in keys else ("measure", name),
        "composition": "sum" if "parts" in keys else None,
    }
    return MetricSettings(**(values | keys))  # type: ignore[arg-type]  # keys of the record
