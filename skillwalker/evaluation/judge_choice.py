"""Who judges a run: what was asked for, else simulated for what was simulated, else the default."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from skillwalker.completers.registry import open_completer
from skillwalker.config import EvalConfig, Login
from skillwalker.datatypes.evals import Judging
from skillwalker.engines.registry import EngineSettings
from skillwalker.evaluation.judging import JudgeTools
from skillwalker.evaluation.scoring import ChooseJudge
from skillwalker.evaluation.summary import SIMULATED
from skillwalker.limits import Limits
from skillwalker.settings import PriceSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Where a judge finds what it needs."""

    evals_dir: Path
    login: Login
    engine_settings: EngineSettings | None = None
    """For the judge `cli`."""
    prices: tuple[PriceSettings, ...] = ()


def choose_judge(
    asked: str | None,
    *,
    by_default: str,
    config: EvalConfig,
    seat: Seat,
    limits: Limits | None = None,
    listener: Callable[[Judging], None] = lambda _: None,
) -> ChooseJudge:
    """Prepare to choose who judges; nobody is asked yet.

    Args:
        asked: as written after `--judge`.
        by_default: who judges real runs.
        config: model, runs and concurrency.
        seat: where a judge finds what it needs.
        limits: of the questions; None sets none.
        listener: is told before the judge is asked.
    """

    def choose(engine: str) -> JudgeTools:
        name = asked or (SIMULATED if engine == SIMULATED else by_default)
        return JudgeTools(
            name=name,
            open=lambda model: open_completer(
                name,
                model=model,
                login=seat.login,
                settings=seat.engine_settings,
                prices=seat.prices,
                role="judge",
                max_pause=config.max_pause,
            ),
            evals_dir=seat.evals_dir,
            model=config.judge_model,
            runs=config.judge_runs,
            concurrency=config.concurrency,
            limits=Limits() if limits is None else limits,
            listener=listener,
        )

    return choose
