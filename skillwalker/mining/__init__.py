"""Candidate prompts from the user's own Claude Code history; nothing leaves the machine."""
