"""A Messages API on loopback that answers without a model, for dry runs, CI and tests."""
