"""How trials are run: a bounded number at once, votes that stop when decided."""
