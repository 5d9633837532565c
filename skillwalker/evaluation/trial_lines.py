"""Trials of an eval run as lines of trials.jsonl, beside the events that they were read from."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from skillwalker.datatypes.evals import EvalLine, EvalTrial, PlannedCase
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.trials import BuiltPlugin, Reading, Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import SuiteError
from skillwalker.targets.names import description_hash
from skillwalker.transcripts.outcome import is_model_asked, read_outcome
from skillwalker.trials.cell_key import CellKeys, folder_hash

ORIGINAL = 1
"""Number of the iteration that a file's own description is."""
NO_TARGET = "no_target"
"""Why a trial of a case that expects no call says nothing about one."""


class TrialLines:
    """Makes the lines of one run's trials; what they share is hashed once.

    Args:
        facts: of the engine.
    """

    def __init__(self, facts: EngineFacts) -> None:
        self._facts = facts
        self._keys: dict[tuple[object, ...], CellKeys] = {}
        self._folders: dict[Path, str] = {}

    def line(self, planned: PlannedCase, built: BuiltPlugin | None, trial: EvalTrial) -> EvalLine:
        """Make the line of a trial.

        Args:
            planned: its case.
            built: the copy that it ran with; None for real plugins.
            trial: what it did.
        """
        case, aim = planned.case.case, planned.aim
        reading, transcript = _read(planned, trial), trial.transcript
        return EvalLine(
            suite=planned.case.suite,
            case_type=case.type,
            target=aim.target.id if aim is not None else None,
            target_kind=aim.target.kind if aim is not None else None,
            expected=aim.expected if aim is not None else None,
            trial=Trial(
                case=case.name,
                set=CaseSet.TRAIN,
                candidate=description_hash(aim.target.description if aim is not None else ""),
                iteration=ORIGINAL,
                run_index=trial.run_index,
                attempt=trial.attempt,
                model=transcript.model,
                model_asked=trial.model_asked,
                engine=trial.engine,
                endpoint=trial.endpoint,
                permission_mode=trial.permission_mode,
                cli_version=transcript.cli_version,
                effort=self._facts.effort,
                cell_key=self._cell_key(planned, built, trial),
                outcome=reading.outcome,
                reason=reading.reason,
                step=reading.step,
                turns=transcript.turns,
                mode=reading.mode,
                also_fired=reading.also_fired,
                usage=transcript.usage,
                duration=transcript.duration,
                transcript=None,
            ),
        )

    def _cell_key(self, planned: PlannedCase, built: BuiltPlugin | None, trial: EvalTrial) -> str:
        """Hash what makes two trials the same experiment, as the loop does."""
        listing = built.listing_key if built is not None else self._loaded(planned)
        candidate = built.candidate if built is not None else ""
        shared = (candidate, listing, trial.permission_mode)
        if shared not in self._keys:
            self._keys[shared] = CellKeys(self._shared(candidate, listing, trial))
        case = planned.case.case
        asked = TriggerCase(
            name=case.name,
            prompt=planned.prompt,
            should_trigger=True,
            model=trial.model_asked,
            scaffold=planned.scaffold,
        )
        return self._keys[shared].of(asked, trial.max_turns)

    def _shared(self, candidate: str, listing: str, trial: EvalTrial) -> Mapping[str, str]:
        return {
            "candidate": candidate,
            "listing": listing,
            "effort": self._facts.effort,
            "permission_mode": trial.permission_mode,
            "engine": trial.engine,
            "endpoint": trial.endpoint,
            "cli_version": self._facts.cli_version,
        }

    def _loaded(self, planned: PlannedCase) -> str:
        """Hash the real folders that a trial loads."""
        loaded = planned.loaded
        folders = [*loaded.plugin_dirs]
        if loaded.project_dir is not None:
            folders.append(loaded.project_dir / ".claude")
        return sha256("".join(map(self._folder, folders)).encode()).hexdigest()

    def _folder(self, folder: Path) -> str:
        if folder not in self._folders:
            try:
                self._folders[folder] = folder_hash(folder)
            except SuiteError:  # Claude Code reads past what it cannot read
                self._folders[folder] = f"unreadable: {folder}"
        return self._folders[folder]


def _read(planned: PlannedCase, trial: EvalTrial) -> Reading:
    """Say what a trial means for the target of its case."""
    aim, transcript = planned.aim, trial.transcript
    if aim is not None:
        return read_outcome(
            transcript, aim.called_as, model_asked=trial.model_asked, max_turns=trial.max_turns
        )
    reason = transcript.failure
    if reason is None and not is_model_asked(transcript.model, trial.model_asked):
        reason = "wrong_model"
    return Reading(
        outcome=Outcome.UNDECIDED,
        reason=reason or NO_TARGET,
        step=None,
        mode=None,
        also_fired=tuple(dict.fromkeys(call.name for call in transcript.calls)),
    )
