"""Shell completion of what a project holds: its targets, suites and runs. It only reads.

What a parameter takes is said by its metavar, so that a new option is completed as it is named. A
shell shows whatever is printed while it completes, so nothing is: what fails offers nothing.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import typer
from typer.models import ParameterInfo

if TYPE_CHECKING:
    from skillwalker.paths import Places

Offer = Callable[[typer.Context, str], list[str]]

TARGET, SUITE, RUN = "TARGET", "SUITE", "RUN_ID"
METAVARS = {"A": RUN, "B": RUN}
"""Metavars that are no word for what they take."""
_WORD = re.compile(r"[A-Za-z_]+")
_FAILED = 1


def complete_everywhere(*apps: typer.Typer) -> None:
    """Offer names of the project for every parameter whose metavar asks for them."""
    for each in apps:
        for registered in each.registered_commands:
            for info in parameters_of(registered.callback):
                if info.metavar and info.autocompletion is None:
                    # with Annotated, typer takes the first flag for the default
                    flags = [str(info.default), *(info.param_decls or ())]
                    info.autocompletion = _offer(info.metavar, flags)


def answer(program: typer.Typer, name: str) -> int:
    """Answer a shell that asks what could come next; give the exit code.

    Args:
        program: the commands of a console script.
        name: of the script.
    """
    from skillwalker.cli.environment import bash_line, set_bash_line

    line = bash_line()
    if line is not None:
        set_bash_line(*mended(*line))
    try:
        with suppress(Exception):
            program(args=[], prog_name=name, standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return _FAILED


def mended(text: str, at: int) -> tuple[str, int, str]:
    """Put together what bash cuts at colons and equals signs, up to the word that is completed.

    Args:
        text: the words of the line, in lines of their own or with spaces between them.
        at: which of them is completed.

    Returns:
        The words, which of them is completed, and what bash takes for words before that one.
    """
    mark = "\n" if "\n" in text else " "
    words: list[str] = []
    before = ""
    glue = False
    cut_up = text.split(mark)
    for word in [*cut_up[: at + 1], *([] if at < len(cut_up) else [""])]:
        cut = bool(word) and (word == "=" or set(word) == {":"})
        if word and len(words) > 1 and (cut or glue):
            words[-1] += word
            before = words[-1][: words[-1].rfind(":") + 1]
        else:
            words.append(word)
            before = ""
        glue = cut
    option, equals, value = words[-1].partition("=")
    if equals and option.startswith("-"):
        words[-1:] = [option, value]
        before = before.removeprefix(f"{option}=")
    if before:
        words[-1] = words[-1].removeprefix(before)
    return mark.join(words), len(words) - 1, before


def parameters_of(command: Callable[..., Any] | None) -> Iterator[ParameterInfo]:
    """Give what typer is told of the parameters of a command."""
    if command is None:
        return
    for parameter in inspect.signature(command).parameters.values():
        for part in get_args(parameter.annotation):
            if isinstance(part, ParameterInfo):
                yield part


def _offer(metavar: str, flags: Sequence[str]) -> Offer | None:
    """Choose what is offered for a metavar as `[RUN_ID|TARGET]`; None where that is nothing."""
    words = [METAVARS.get(metavar, word) for word in _WORD.findall(metavar)]
    fixed = [word for word in words if word.islower() and "|" in metavar]
    asked = {word for word in words if word in {TARGET, SUITE, RUN}}
    if not fixed and not asked:
        return None
    nouns = [flag.lstrip("-") for flag in flags]

    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        from skillwalker.cli.environment import cut_by_bash

        before = cut_by_bash()
        found = dict.fromkeys((*fixed, *_found(ctx, asked, nouns)))
        return [name.removeprefix(before) for name in found if name.startswith(before + incomplete)]

    return offer


def _found(ctx: typer.Context, asked: Iterable[str], nouns: Sequence[str]) -> list[str]:
    """Look into the project for names; none where it cannot be read."""
    names: list[str] = []
    with suppress(Exception):
        places = _places(ctx)
        if TARGET in asked:
            names += _targets(places, nouns)
        if SUITE in asked:
            from skillwalker.suites.load import list_suites

            names += list_suites(places)
        if RUN in asked:
            from skillwalker.recording.store import list_runs

            names += (run.name for run in list_runs(places.output_dir))
    return names


def _places(ctx: typer.Context) -> "Places":
    """Open the project that the line names before or after the subcommand."""
    from skillwalker.cli.options import open_project

    said = None
    context: Any = ctx
    while context is not None and said is None:
        said = context.params.get("project")
        context = context.parent
    return open_project(ctx, None if said is None else Path(said).expanduser()).places


def _targets(places: "Places", nouns: Sequence[str]) -> Iterator[str]:
    """Name the targets of the project, then the user's own; of one kind where a flag says it."""
    from skillwalker.datatypes.vocabulary import TargetKind
    from skillwalker.targets.known import known_targets, users_targets

    kinds: list[TargetKind] = [kind for kind in TargetKind if kind in nouns] or [*TargetKind]
    for read in (known_targets, users_targets):
        for kind in kinds:
            yield from (target.id for target in read(places, kind))
