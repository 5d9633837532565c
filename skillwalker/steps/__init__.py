"""The work of the loop, one step a file; the numbers are the order of first execution."""
