"""What a run may take before anything is spent, and what is left of it on the way."""
