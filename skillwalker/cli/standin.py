"""standin: a Messages API on loopback that answers without a model, until Ctrl-C."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, wants_json

if TYPE_CHECKING:
    from skillwalker.standin.server import Behaviour

DUMMY_KEY = "sk-ant-standin"
"""Any text that looks like a key: a stand-in looks at none."""
FAULTS = (
    "What goes wrong, answer by answer, the last one for ever: 529, 429:RETRY_AFTER,"
    " silent:SECONDS, stall:SECONDS, cut:EVENTS, malformed, error, ok; with *TIMES, joined by"
    " commas."
)


def standin(
    ctx: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    script: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON list of replies: text, tool and input, delay, fault."
        ),
    ] = None,
    fault: Annotated[str, typer.Option(metavar="WORDS", help=FAULTS)] = "",
    delay: Annotated[
        float, typer.Option(min=0, help="Seconds before an answer, as a model would think.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Of the noise in its choices.")] = 0,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Serve a stand-in for the Claude API on loopback: no model, no key, no cost.

    It chooses skills and agents from the listing in each request as the simulated engine does,
    and answers the improver. Whatever is measured against it counts as simulated.
    """
    from skillwalker.errors import ConfigError
    from skillwalker.standin.server import serve

    del project
    behaviour = _behaviour(script, fault=fault, delay=delay, seed=seed)
    # The usual way to end it is Ctrl-C, and a supervisor's is SIGTERM: both end it in good order.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with serve(behaviour, port=port, keep=1) as running:
            _announce(running.url, as_json=wants_json(ctx, as_json))
            while True:
                signal.pause()
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
    except OSError as error:
        raise ConfigError(
            f"--port: {port} cannot be listened on ({error.strerror}); choose another, or 0"
        ) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _behaviour(script: Path | None, *, fault: str, delay: float, seed: int) -> "Behaviour":
    """Say how it answers.

    Raises:
        ConfigError: the script or a fault is wrong.
    """
    from skillwalker.standin.behaviour import RoutedBehaviour, with_faults
    from skillwalker.standin.fault_words import parse_faults
    from skillwalker.standin.script import by_turn, read_script

    routed: Behaviour = RoutedBehaviour(seed=seed, delay=delay)
    answers = routed if script is None else by_turn(read_script(script), otherwise=routed)
    return with_faults(answers, parse_faults(fault))


def _announce(url: str, *, as_json: bool) -> None:
    """Say where it listens, and what can be pasted into another terminal."""
    import json

    login = f"ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY={DUMMY_KEY}"
    line = f"{login} skillwalker scil run --engine local"
    if as_json:
        typer.echo(json.dumps({"base_url": url, "example": line}))
    else:
        typer.echo(f"{url}\n\nUse it from another terminal (Ctrl-C here ends it):\n  {line}")
    sys.stdout.flush()
