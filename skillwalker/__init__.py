"""Skillwalker measures, improves and writes back the descriptions of skills and agents."""

__version__ = "0.1.0"
