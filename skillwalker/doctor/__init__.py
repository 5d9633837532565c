"""Says what a machine and a project lack for a real run, and which command mends it."""
