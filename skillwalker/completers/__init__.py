"""Ways to ask Claude for an answer in a given form."""
