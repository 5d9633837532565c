"""All recorded runs of a project, read into one history."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from skillwalker.datatypes.history import Coverage, EvalFacts, RecordedHistory, RunFacts, Spent
from skillwalker.errors import StoreError
from skillwalker.recording.night_files import NIGHT_SUMMARY
from skillwalker.recording.recorded import require_trials
from skillwalker.recording.rows import read_row
from skillwalker.recording.store import TRIALS
from skillwalker.statistics.eval_facts import read_eval_facts, read_eval_spent
from skillwalker.statistics.folders import (
    FolderKind,
    began,
    kind_of,
    list_folders,
    own_name,
)
from skillwalker.statistics.run_facts import read_run_facts, read_spent, read_told
from skillwalker.statistics.trial_counts import count_cases, count_outcomes, count_spent
from skillwalker.statistics.trial_rows import load_trials, open_database


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs the figures are about."""

    simulated: bool = False
    """Whether runs count in which no model was asked."""
    since: datetime | None = None
    """Leaves out runs that began before."""
    target: str | None = None
    """Its full name, its name without the plugin, or the path of its file or folder."""


def read_history(output_dir: Path, wanted: RunFilter) -> RecordedHistory:
    """Read every recorded run that is wanted; one that cannot be read is named.

    Args:
        output_dir: where runs lie; it need not exist.
        wanted: which runs count.

    Raises:
        StoreError: the folder cannot be listed.
    """
    survey = _Survey(wanted)
    for folder in list_folders(output_dir):
        survey.visit(folder)
    return survey.history()


@dataclass(slots=True)
class _Survey:
    """What was found so far."""

    wanted: RunFilter
    runs: dict[Path, RunFacts] = field(default_factory=dict)
    evals: dict[Path, EvalFacts] = field(default_factory=dict)
    spent: list[Spent] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    """Folders by kind that hold no trials of their own."""
    unreadable: dict[Path, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    copies: list[tuple[str, str]] = field(default_factory=list)
    no_runs: list[str] = field(default_factory=list)
    targets: set[str] = field(default_factory=set)
    folders: int = 0
    nights: int = 0
    simulated: int = 0
    filtered: int = 0

    def visit(self, folder: Path) -> None:
        """Take a folder into account."""
        self.folders += 1
        moment, kind = began(folder), kind_of(folder)
        if moment is None or kind is FolderKind.NO_RUN:
            self.no_runs.append(folder.name)
        elif self.wanted.since is not None and moment < self.wanted.since:
            self.filtered += 1
        elif kind is FolderKind.EMPTY:
            self.empty.append(folder.name)
        elif kind in {FolderKind.LOOP, FolderKind.EVAL}:
            self._visit_run(folder, moment, kind)
        elif self.wanted.target is not None:
            self.filtered += 1
        elif kind is FolderKind.OVERNIGHT:
            self._visit_night(folder)
        else:
            self.others[kind.value] += 1

    def _visit_night(self, folder: Path) -> None:
        """Count a night, which is no run of its own."""
        try:
            simulated = read_row(folder / NIGHT_SUMMARY).get("simulated") is True
        except StoreError as error:
            self.unreadable[folder] = str(error)
            return
        if simulated and not self.wanted.simulated:
            self.simulated += 1
        else:
            self.nights += 1

    def _visit_run(self, folder: Path, moment: datetime, kind: FolderKind) -> None:
        """Read the facts of a run."""
        try:
            if (name := own_name(folder)) != folder.name:
                self.copies.append((folder.name, name))
            elif kind is FolderKind.LOOP:
                facts = read_run_facts(folder, moment)
                if self._counts({facts.target: facts.target_path}, facts.simulated):
                    self.spent += read_spent(folder, simulated=facts.simulated)
                    self.runs[folder] = facts
            else:
                found = read_eval_facts(folder, moment)
                if self._counts(dict.fromkeys(found.targets, ""), found.simulated):
                    self.spent += read_eval_spent(folder, simulated=found.simulated)
                    self.evals[folder] = found
        except StoreError as error:
            self.unreadable[folder] = str(error)

    def _counts(self, targets: dict[str, str], simulated: bool) -> bool:
        """Say whether a run is wanted; count it where not."""
        self.targets |= targets.keys()
        asked = self.wanted.target
        if asked is not None and not any(_means(asked, *target) for target in targets.items()):
            self.filtered += 1
            return False
        if simulated and not self.wanted.simulated:
            self.simulated += 1
            return False
        return True

    def history(self) -> RecordedHistory:
        """Read the trials, and give everything that was found."""
        files = {str(folder / TRIALS): facts for folder, facts in self.runs.items()}
        with open_database() as database:
            faults = load_trials(database, [Path(name) for name in files])
            for file, why in faults.items():
                self._drop(file.parent, why)
                del files[str(file)]
            trials = count_outcomes(database, files)
            for robbed in self._robbed({count.run_id for count in trials}):
                del files[robbed]
            return RecordedHistory(
                coverage=self._coverage({count.run_id for count in trials}),
                runs=tuple(self.runs.values()),
                evals=tuple(self.evals.values()),
                trials=trials,
                cases=count_cases(database, files),
                spent=(*self.spent, *count_spent(database, files)),
            )

    def _robbed(self, with_trials: set[str]) -> list[str]:
        """Take back the runs without any trial whose summaries count some; give their files."""
        robbed: list[str] = []
        for folder in [*self.runs]:
            told = 0 if folder.name in with_trials else read_told(folder)
            try:
                require_trials(folder, told=told, read=0)
            except StoreError as error:
                self._drop(folder, str(error))
                robbed.append(str(folder / TRIALS))
        return robbed

    def _drop(self, folder: Path, why: str) -> None:
        """Take back a run whose trials cannot be read."""
        self.unreadable[folder] = why
        del self.runs[folder]
        self.spent = [spent for spent in self.spent if spent.run_id != folder.name]

    def _coverage(self, with_trials: set[str]) -> Coverage:
        """Say what the figures are made of."""
        kinds = Counter(run.kind for run in self.runs.values())
        kinds["eval"] = len(self.evals)
        return Coverage(
            folders=self.folders,
            read=tuple((kind, number) for kind, number in (kinds + self.others).items() if number),
            without_trials=tuple(
                run.run_id for run in self.runs.values() if run.run_id not in with_trials
            ),
            unreadable=tuple(
                (folder.name, why.replace(f"{folder}/", ""))
                for folder, why in sorted(self.unreadable.items())
            ),
            nights=self.nights,
            empty=tuple(self.empty),
            copies=tuple(self.copies),
            no_runs=tuple(self.no_runs),
            simulated=self.simulated,
            filtered=self.filtered,
            targets=tuple(sorted(self.targets)),
        )


def _means(asked: str, target: str, path: str) -> bool:
    """Say whether a target is the one that was asked for."""
    spelled = asked.removeprefix("./").rstrip("/")
    paths = {path, path.removesuffix("/SKILL.md")} - {""}
    return spelled in {target, target.partition(":")[2]} or spelled in paths
