"""Every record that passes between the modules: frozen, typed, free of derived fields.

Rates are fractions from 0 to 1, seconds are floats without a suffix, offsets are bytes.
A value that was not measured is None, never 0.
"""
