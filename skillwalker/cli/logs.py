"""`--debug`: what our own modules log, on stderr; what libraries log stays unseen."""

import logging
import sys

OURS = "skillwalker"


def log_to_stderr() -> None:
    """Show every line that a module of ours logs, once."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger(OURS)
    logger.handlers = [handler]
    logger.setLevel(logging.DEBUG)
