"""Figures over all recorded runs, and two runs laid side by side."""
