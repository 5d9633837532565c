"""Ways to run Claude Code once."""
