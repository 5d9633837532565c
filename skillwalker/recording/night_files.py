"""What the files of a night are called, for whoever writes or finds them."""

NIGHT = "night.jsonl"
NIGHT_SUMMARY = "overnight-summary.json"
NIGHT_ENTRIES = "overnight-lock.json"
"""What skillwalker.lock holds of the night's targets, in the same form."""
NIGHT_REPORT = "overnight-report.md"
