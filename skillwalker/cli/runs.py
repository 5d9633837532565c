"""trial: recorded trials in the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from skillwalker.datatypes.trials import Trial, TrialKey


def trial(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID")],
    case: Annotated[str, typer.Argument(metavar="CASE", help="Its name in tests.json.")],
    index: Annotated[
        int | None, typer.Argument(metavar="[INDEX]", help="Which of its trials, from 0.")
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the trials of a case: prompt, what fired at which step, last words, reason."""
    import json

    from skillwalker.recording.records import trial_key, trial_row
    from skillwalker.recording.store import RunStore, find_run, read_plan
    from skillwalker.report.trial_text import choose_trials, prompts_of

    folder = find_run(open_project(ctx, project).places.output_dir, run_id)
    store = RunStore(folder)
    taken = store.warm.taken
    payers = {trial_key(one.trial): one.run_id for one in taken}
    found = choose_trials((*store.trials, *(one.trial for one in taken)), case, index)
    prompt = prompts_of(read_plan(folder)).get(case)
    if wants_json(ctx, as_json):
        rows = [
            trial_row(folder.name, one)
            | {"prompt": prompt, "reused_from": payers.get(trial_key(one))}
            for one in found
        ]
        typer.echo(json.dumps({"trials": rows}, ensure_ascii=False, indent=2))
        return
    _tell(found, folder, prompt=prompt, payers=payers, first=index or 0)


def _tell(
    found: "Sequence[Trial]",
    folder: Path,
    *,
    prompt: str | None,
    payers: "Mapping[TrialKey, str]",
    first: int,
) -> None:
    """Describe trials of a case, with the last words of each."""
    from skillwalker.recording.records import trial_key
    from skillwalker.recording.store import SUMMARIES, read_plan, read_summary, read_transcript
    from skillwalker.report.trial_text import describe_trial, texts_of
    from skillwalker.transcripts.stream import parse_stream

    ended = any((folder / name).is_file() for name in SUMMARIES)
    texts = texts_of(read_plan(folder), read_summary(folder) if ended else {})
    for number, one in enumerate(found, start=first):
        words = None
        if one.transcript is not None:
            words = parse_stream(read_transcript(folder, one.transcript)).answer
        say(
            describe_trial(
                one,
                number=number,
                prompt=prompt,
                words=words,
                text=texts.get(one.candidate, ""),
                payer=payers.get(trial_key(one)),
            )
        )
