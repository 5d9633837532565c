"""The stream of one run of Claude Code, and what it says about the target."""
