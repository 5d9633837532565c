"""Skillwalker measures, improves and writes back the descriptions of skills and agents.

Importing it loads nothing; the public names are loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from skillwalker.api import run_acil_loop, run_evals, run_scil_loop, run_test_eval
    from skillwalker.errors import (
        BudgetReached,
        BusyError,
        CompletionError,
        ConfigError,
        ConfigNotFoundError,
        EngineError,
        EngineUnavailableError,
        PreflightError,
        RunNotFoundError,
        SkillwalkerError,
        StoreError,
        SuiteError,
        TargetError,
        TrialError,
        UndecidedError,
    )

__version__ = "0.1.0"

__all__ = [
    "BudgetReached",
    "BusyError",
    "CompletionError",
    "ConfigError",
    "ConfigNotFoundError",
    "EngineError",
    "EngineUnavailableError",
    "PreflightError",
    "RunNotFoundError",
    "SkillwalkerError",
    "StoreError",
    "SuiteError",
    "TargetError",
    "TrialError",
    "UndecidedError",
    "__version__",
    "run_acil_loop",
    "run_evals",
    "run_scil_loop",
    "run_test_eval",
]

_FUNCTIONS: Final = frozenset({"run_acil_loop", "run_evals", "run_scil_loop", "run_test_eval"})


if not TYPE_CHECKING:  # a checker that sees __getattr__ takes every misspelt name for an object

    def __getattr__(name: str) -> object:
        """Load a public name."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = "skillwalker.api" if name in _FUNCTIONS else "skillwalker.errors"
        return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
