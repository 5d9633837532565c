"""The shipped search strategies against the loops they come from, in a simulated world."""
