"""The command line: parse, wire, exit code; no decisions.

Importing this package imports almost nothing: the commands are loaded once it is settled what an
interrupt, a closed stream or another locale means, so that none of these ends in a traceback.
"""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: arguments without the program's name; default: those of the process.

    Returns:
        The exit code: 0 done, 1 an error in input or set-up, 2 wrong usage, 3 inconclusive,
        4 a gate that was asked for, 130 interrupted.
    """
    return _run([] if argv is None else argv, owns_process=argv is None)


def scil() -> int:
    """Run `skillwalker scil …`."""
    return _run([], owns_process=True, program="scil")


def acil() -> int:
    """Run `skillwalker acil …`."""
    return _run([], owns_process=True, program="acil")


def _run(arguments: Sequence[str], *, owns_process: bool, program: str = "skillwalker") -> int:
    """Run a command line, with the arguments of the process behind it if that is ours."""
    try:
        from skillwalker.cli import process
        from skillwalker.cli.streams import OutputLost, steady_streams

        with process.interrupts_leave():
            if owns_process:
                process.speak_utf8()
                arguments = [*arguments, *sys.argv[1:]]
            from skillwalker.cli.app import run
        with steady_streams(), process.interrupts_raise():
            try:
                code = run(arguments, program)
                sys.stdout.flush()
            except OutputLost as lost:
                if lost.reason:
                    sys.stderr.write(f"skillwalker: stdout cannot be written: {lost.reason}\n")
                code = 1
    except KeyboardInterrupt:
        code = 130  # a number, not a name: it may have come before anything was imported
    if owns_process:
        _ignore_interrupts()
    return code


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C while the interpreter takes itself apart: all is done, and is the result."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
