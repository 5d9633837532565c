"""What continuous integration reads of a run: JUnit, Markdown, GitHub annotations (pure)."""
