"""One self-contained HTML page of a recorded run (pure: records in, text out)."""
