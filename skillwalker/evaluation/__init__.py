"""One-off eval runs: cases run once, their expectations checked, the results recorded."""
