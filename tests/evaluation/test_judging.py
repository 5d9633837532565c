"""The judge in whole runs: what it is asked, what is recorded, what is asked again."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from skillwalker.completers.protocol import Completer
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.config import Login
from skillwalker.datatypes.evals import EvalOutcome
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import OutputFile, OutputFiles, Usage
from skillwalker.errors import CompletionError
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.simulation.grading import scripted_grades
from tests.eval_world import (
    TableEngine,
    case,
    judged_by,
    make_eval_project,
    order_of,
    run_order,
    said,
    score,
)
from tests.fakes import ScriptedCompleter, engine_facts

RUBRIC = {"llm-judge": {"rubricFile": "review.md", "threshold": 0.5}}
CASE = case("a", {"result-contains": "injection"}, RUBRIC, scaffold="api")
CRITERIA = "- finds the injection\n- names the line\n## File: out.md\n- is short\n"
EVENT = {
    "type": "assistant",
    "message": {"content": [{"type": "text", "text": "I looked at it."}]},
}
LEFT = OutputFiles(files=(OutputFile(path="out.md", size=5, text="short"),))
ANSWER = said("an injection", raw=(json.dumps(EVENT).encode(),), output=LEFT)


@dataclass(slots=True)
class DyingJudge:
    """Says nothing usable, and is killed in the next call."""

    asked: int = 0

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer, or die."""
        assert prompt
        assert schema
        self.asked += 1
        if self.asked > 1:
            raise KeyboardInterrupt
        return Completion(text="no JSON", model="m-1", usage=Usage(cost_usd=0.5))


@dataclass(slots=True)
class TableJudge:
    """Says what a table says of a criterion; the others fail. Counts what it is asked."""

    verdicts: Mapping[str, str]
    prompts: list[str] = field(default_factory=list)
    dead: bool = False

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Look every criterion up."""
        assert schema
        self.prompts.append(prompt)
        if self.dead:
            raise CompletionError("no connection; check the network")
        usage = Usage(input_tokens=100, output_tokens=10, cost_usd=0.5)
        return Completion(text=scripted_grades(prompt, self.verdicts), model="m-1", usage=usage)


ALL = {"finds the injection": "passed", "names the line": "failed", "is short": "passed"}


def project(root: Path, *cases: dict[str, object]) -> Places:
    places = make_eval_project(root, *(cases or (CASE,)))
    rubric(places, CRITERIA)
    return places


def rubric(places: Places, text: str) -> None:
    (places.evals_dir / "mixed/rubrics/review.md").write_text(text, "utf-8")


def grade(places: Places, judge: Completer | None) -> EvalOutcome:
    engine = TableEngine({"prompt of a": [ANSWER], "prompt of b": [ANSWER]})
    return run_order(places, engine, order_of(), judge=judged_by(places, judge))


def statuses(outcome: EvalOutcome) -> list[tuple[str, str]]:
    return [(row.criterion or row.expect_type, str(row.status)) for row in outcome.rows]


def material_in(prompt: str) -> Any:
    found = re.search(r"^<material>\n(.*?)\n</material>$", prompt, re.MULTILINE | re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


GRADED = [
    ("result-contains", "passed"),
    ("finds the injection", "passed"),
    ("names the line", "failed"),
    ("is short", "passed"),
    ("llm-judge-aggregate", "passed"),
]


def test_one_question_grades_a_trial_by_all_its_criteria(tmp_path: Path) -> None:
    judge = TableJudge(ALL)
    outcome = grade(project(tmp_path), judge)
    assert statuses(outcome) == GRADED
    assert outcome.rows[-1].judge_score == pytest.approx(2 / 3)
    assert len(judge.prompts) == 1
    total = dict(outcome.summary.usage)["judge"]
    assert (total.calls, total.input_tokens, total.cost_usd) == (1, 100, 0.5)
    assert outcome.summary.total_input_tokens == 10
    assert (outcome.summary.judge, outcome.summary.passed) == ("api", 1)


def test_a_kill_between_two_questions_forgets_none_that_was_paid(tmp_path: Path) -> None:
    places = project(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        grade(places, DyingJudge())
    (folder,) = places.output_dir.iterdir()
    (outcome,) = score(places, folder.name, judge=judged_by(places, TableJudge(ALL)))
    assert statuses(outcome) == GRADED
    total = dict(outcome.summary.usage)["judge"]
    assert (total.calls, total.cost_usd) == (2, 1.0)


def test_the_judge_sees_transcript_scaffold_and_output(tmp_path: Path) -> None:
    judge = TableJudge(ALL)
    grade(project(tmp_path), judge)
    shown = material_in(judge.prompts[0])
    assert shown["task"] == "prompt of a"
    assert shown["transcript"] == "Claude: I looked at it."
    assert shown["final_answer"] == "an injection"
    assert shown["files_at_start"] == [{"path": "main.py", "size": 9, "text": "print(1)\n"}]
    assert shown["files_made_or_changed"] == [{"path": "out.md", "size": 5, "text": "short"}]
    assert shown["not_shown"] == []


def test_files_come_back_from_the_record(tmp_path: Path) -> None:
    outcome = grade(project(tmp_path), TableJudge(ALL))
    (row,) = [
        json.loads(line)
        for line in (outcome.folder / "output-files.jsonl").read_text("utf-8").splitlines()
    ]
    keys = {"test_run_id", "suite", "test_name", "path", "size", "text", "reason", "run_index"}
    assert keys <= row.keys()
    assert (row["suite"], row["test_name"], row["path"]) == ("mixed", "a", "out.md")
    assert (row["size"], row["text"], row["reason"]) == (5, "short", None)


def test_scoring_again_asks_nobody_and_says_the_same(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    nobody = TableJudge({}, dead=True)
    (again,) = score(places, outcome.folder.name, judge=judged_by(places, nobody))
    assert again == outcome
    assert nobody.prompts == []
    rows = (outcome.folder / "test-results.jsonl").read_bytes()
    assert (outcome.folder / "test-results.1.jsonl").read_bytes() == rows


def test_a_scaffold_that_changed_since_changes_nothing(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    (places.evals_dir / "mixed/scaffolds/api/main.py").write_text("other")
    (again,) = score(places, outcome.folder.name)
    assert again == outcome


def test_a_changed_rubric_changes_the_judges_rows_alone(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    rubric(places, "- finds the injection\n- is polite\n")
    judge = TableJudge({**ALL, "is polite": "unknown"})
    (again,) = score(places, outcome.folder.name, judge=judged_by(places, judge))
    assert statuses(again) == [
        ("result-contains", "passed"),
        ("finds the injection", "passed"),
        ("is polite", "unknown"),
        ("llm-judge-aggregate", "passed"),
    ]
    assert again.rows[0] == outcome.rows[0]
    assert len(judge.prompts) == 1
    assert dict(again.summary.usage)["judge"].calls == 2
    rubric(places, CRITERIA)
    (back,) = score(places, outcome.folder.name)
    assert back.rows == outcome.rows


@pytest.mark.parametrize("judge", [None, TableJudge({}, dead=True)], ids=["no-login", "dead"])
def test_a_judge_that_cannot_be_asked_leaves_the_other_rows(
    tmp_path: Path, judge: TableJudge | None
) -> None:
    places = project(tmp_path)
    outcome = grade(places, judge)
    assert statuses(outcome) == [
        ("result-contains", "passed"),
        ("finds the injection", "unknown"),
        ("names the line", "unknown"),
        ("is short", "unknown"),
        ("llm-judge-aggregate", "infrastructure"),
    ]
    assert "the judge could not be asked" in outcome.rows[1].reasoning
    assert (outcome.summary.failures, outcome.summary.inconclusive) == (0, 1)
    (later,) = score(places, outcome.folder.name, judge=judged_by(places, TableJudge(ALL)))
    assert statuses(later) == GRADED


def test_a_judge_that_grants_everything_is_not_believed(tmp_path: Path) -> None:
    outcome = grade(project(tmp_path), TableJudge({"*": "passed"}))
    assert {status for name, status in statuses(outcome) if name != "result-contains"} == {
        "infrastructure"
    }
    assert "a word that nobody said" in outcome.rows[1].reasoning


def test_a_missing_file_fails_without_a_question(tmp_path: Path) -> None:
    places = project(tmp_path)
    rubric(places, "## File: gone.md\n- is short\n- is there\n")
    judge = TableJudge(ALL)
    outcome = grade(places, judge)
    assert judge.prompts == []
    assert statuses(outcome)[1:] == [
        ("is short", "failed"),
        ("is there", "failed"),
        ("llm-judge-aggregate", "failed"),
    ]
    assert outcome.rows[1].criterion_file == "gone.md"


def test_each_trial_of_a_case_is_graded(tmp_path: Path) -> None:
    other = said("an injection, twice", output=LEFT)
    places = project(tmp_path, {**CASE, "runs": 3})
    engine = TableEngine({"prompt of a": [ANSWER, other, ANSWER]})
    judge = TableJudge(ALL)
    outcome = run_order(places, engine, order_of(concurrency=1), judge=judged_by(places, judge))
    # Two of the three trials are alike word for word, and one question is enough for both.
    assert len(judge.prompts) == 2
    assert (outcome.rows[1].runs_passed, outcome.rows[2].runs_failed) == (3, 3)


def test_more_runs_of_the_judge_ask_only_what_is_new(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    other = TableJudge({**ALL, "finds the injection": "failed"})
    judge = judged_by(places, other, runs=3)
    (again,) = score(places, outcome.folder.name, judge=judge)
    assert len(other.prompts) == 2
    assert (str(again.rows[1].status), again.rows[1].agreement) == ("failed", 2 / 3)
    assert (again.rows[1].judge_runs, again.rows[2].agreement) == (3, 1.0)
    calls = [
        json.loads(line)
        for line in (outcome.folder / "judge.jsonl").read_text("utf-8").splitlines()
    ]
    assert [one["judge_run"] for one in calls] == [0, 1, 2]


def test_another_model_is_another_question(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    other = TableJudge(ALL)
    judge = judged_by(places, other, model="haiku")
    score(places, outcome.folder.name, judge=judge)
    assert len(other.prompts) == 1
    last = json.loads((outcome.folder / "judge.jsonl").read_text().splitlines()[-1])
    assert (last["model_asked"], last["model"]) == ("claude-haiku-5-5", "m-1")


def test_a_rubric_that_is_gone_or_wrong_is_named(tmp_path: Path) -> None:
    places = project(tmp_path)
    outcome = grade(places, TableJudge(ALL))
    path = places.evals_dir / "mixed/rubrics/review.md"
    for content, words in ((None, "cannot be read"), ("* no", "line 1: a criterion begins")):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)
        (again,) = score(places, outcome.folder.name, judge=judged_by(places, TableJudge(ALL)))
        assert statuses(again) == [
            ("result-contains", "passed"),
            ("llm-judge-aggregate", "infrastructure"),
        ]
        assert words in again.rows[1].reasoning


def test_a_reply_that_could_not_be_used_is_kept_paid_for_and_asked_for_again(
    tmp_path: Path,
) -> None:
    places = project(tmp_path)
    useless = ScriptedCompleter(["no JSON", "no JSON"], usage=Usage(cost_usd=0.25))
    outcome = grade(places, useless)
    assert statuses(outcome)[1] == ("finds the injection", "unknown")
    assert "nothing usable" in outcome.rows[1].reasoning
    total = dict(outcome.summary.usage)["judge"]
    assert (total.calls, total.cost_usd) == (2, 0.5)
    (later,) = score(places, outcome.folder.name, judge=judged_by(places, TableJudge(ALL)))
    assert statuses(later) == GRADED
    assert dict(later.summary.usage)["judge"].calls == 3


def test_the_judge_sees_the_last_attempt_alone(tmp_path: Path) -> None:
    judge = TableJudge(ALL)
    first = {"type": "assistant", "message": {"content": [{"type": "text", "text": "broken"}]}}
    engine = TableEngine(
        {"prompt of a": [said("", failure="crash", raw=(json.dumps(first).encode(),)), ANSWER]}
    )
    run_order(project(tmp_path), engine, order_of(), judge=judged_by(project(tmp_path), judge))
    assert material_in(judge.prompts[0])["transcript"] == "Claude: I looked at it."


def test_an_interrupt_asks_nothing_more(tmp_path: Path) -> None:
    places = project(tmp_path)
    judge = TableJudge(ALL)
    limits = Limits()
    limits.interrupt()
    asked = judged_by(places, judge, limits=limits)
    outcome = run_order(places, TableEngine({"prompt of a": [ANSWER]}), order_of(), judge=asked)
    assert judge.prompts == []
    assert "interrupted before the judge was asked" in outcome.rows[1].reasoning


def test_no_secret_reaches_the_judges_record(tmp_path: Path) -> None:
    secret = "sk-ant-planted"
    places = project(tmp_path, case("a", RUBRIC))
    left = OutputFiles(files=(OutputFile(path="k", size=5, text=secret),))
    outcome = run_order(
        places,
        TableEngine({"prompt of a": [said(f"key {secret}", output=left)]}),
        login=Login(api_key=secret),
        judge=judged_by(places, TableJudge(ALL)),
    )
    files = [path for path in outcome.folder.rglob("*") if path.is_file()]
    assert {"judge.jsonl", "output-files.jsonl"} <= {path.name for path in files}
    assert all(secret.encode() not in path.read_bytes() for path in files)


def test_cases_are_graded_side_by_side(tmp_path: Path) -> None:
    places = project(tmp_path, CASE, {**CASE, "name": "b", "prompt": "prompt of b"})
    judge = TableJudge(ALL)
    outcome = grade(places, judge)
    assert len(judge.prompts) == 2
    assert [test.status for test in outcome.summary.tests] == ["passed", "passed"]


def test_a_simulated_judge_makes_the_run_simulated(tmp_path: Path) -> None:
    places = project(tmp_path)
    judge = judged_by(places, SimulatedCompleter(), name="simulated")
    engine = TableEngine({"prompt of a": [ANSWER]}, facts=replace(engine_facts(), simulated=False))
    outcome = run_order(places, engine, order_of(), judge=judge)
    assert (outcome.summary.judge, outcome.summary.simulated) == ("simulated", True)
    assert outcome.summary.trials_simulated is False
    assert outcome.rows[1].judge_model == "simulated"
