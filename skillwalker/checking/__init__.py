"""What is wrong with suites and descriptions before anything is spent: rules over what was read."""
