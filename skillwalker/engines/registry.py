"""Engine name to open engine: the only list of engines."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import MappingProxyType
from typing import Final

from skillwalker.engines.protocol import Engine
from skillwalker.errors import ConfigError

_Opener = Callable[[int], AbstractAsyncContextManager[Engine]]


@asynccontextmanager
async def _open_simulated(seed: int) -> AsyncIterator[Engine]:
    from skillwalker.engines.simulated import SimulatedEngine

    yield SimulatedEngine(seed=seed)


_ENGINES: Final[Mapping[str, _Opener]] = MappingProxyType({"simulated": _open_simulated})


def open_engine(name: str, *, seed: int) -> AbstractAsyncContextManager[Engine]:
    """Open an engine by its name; it owns what it starts until the block ends.

    Args:
        name: as written after `--engine`.
        seed: of the run; only the simulated engine draws from it.

    Raises:
        ConfigError: there is no engine of that name; the message lists those there are.
    """
    opener = _ENGINES.get(name)
    if opener is None:
        known = ", ".join(sorted(_ENGINES))
        raise ConfigError(f"--engine: there is no engine {name!r}; choose one of: {known}")
    return opener(seed)
