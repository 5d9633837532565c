"""Words of texts in any script: what the simulated Claude goes by instead of understanding."""
