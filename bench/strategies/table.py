"""Writes figures as Markdown: a row each, or a matrix of strategies by world and budget."""

from collections.abc import Iterable, Iterator

from bench.strategies.run import Figures

HEAD = (
    "| world | strategy | budget | gain (points) | truly worse | class loss > 10 | applied"
    " | calls | texts |\n|---|---|---|---|---|---|---|---|---|"
)


def row(figures: Figures) -> str:
    """Write a row with everything."""
    low, high = figures.worse_interval
    return (
        f"| {figures.scenario} | {figures.entrant} | {figures.budget}"
        f" | {100 * figures.gain:+.1f} ± {100 * figures.gain_error:.1f}"
        f" | {figures.worse:.1%} ({100 * low:.1f} to {100 * high:.1f})"
        f" | {figures.class_loss:.0%} | {figures.applied:.0%}"
        f" | {figures.calls:.0f} | {figures.scored:.1f} |"
    )


def matrix(all_figures: Iterable[Figures]) -> Iterator[str]:
    """Write a line for each world and budget, a column for each strategy."""
    cells: dict[tuple[str, int], dict[str, str]] = {}
    entrants: dict[str, None] = {}
    for figures in all_figures:
        entrants[figures.entrant] = None
        cells.setdefault((figures.scenario, figures.budget), {})[figures.entrant] = (
            f"{100 * figures.gain:+.1f} / {100 * figures.worse:.1f} / {figures.calls:.0f}"
        )
    yield "| world | budget | " + " | ".join(entrants) + " |"
    yield "|---|---|" + "---|" * len(entrants)
    for (scenario, budget), line in cells.items():
        yield f"| {scenario} | {budget} | " + " | ".join(line[name] for name in entrants) + " |"
