"""Runs Claude Code in throw-away containers; the only home of the docker SDK."""
