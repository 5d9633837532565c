"""The night: measure what is stale, tune what is worth it, under one budget and one deadline."""
