"""Skills and agents: their names, their files, and all that differs between the two."""
