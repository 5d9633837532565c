"""Makes a project ready for its first run."""
