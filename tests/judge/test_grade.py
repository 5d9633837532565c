import json
from collections.abc import Mapping, Sequence

import anyio
import pytest

from skillwalker.completers.protocol import (
    QuestionCutError,
    UnansweredError,
    UnusableReplyError,
    no_reply,
)
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.judging import Criterion, Evidence, Grade, Rubric
from skillwalker.datatypes.trials import OutputFile, Usage
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import BudgetReached, CompletionError
from skillwalker.judge.grade import GULLIBLE, Sitting, grade, hold_sitting
from skillwalker.judge.material import material
from skillwalker.judge.questions import Asking, ask_about
from skillwalker.judge.reply import read_reply
from tests.fakes import ScriptedCompleter

A, B = Criterion(text="finds the injection"), Criterion(text="names the line")
RUBRIC = Rubric(criteria=(A, B))
EVIDENCE = Evidence(task="Review.", transcript="", answer="There is an injection.")
SHOWN = material(EVIDENCE)
ASKING = ask_about(RUBRIC, EVIDENCE, shown=json.dumps(SHOWN))


def reply(a: str, b: str, canary: str = "failed") -> str:
    said = {A: a, B: b}
    return json.dumps(
        {
            "verdicts": [
                {
                    "id": one.id,
                    "reasoning": f"because of {one.id}",
                    "verdict": said.get(one.criterion, canary),
                }
                for one in ASKING.questions
            ]
        }
    )


def sit(*replies: str | CompletionError | BudgetReached) -> tuple[Sitting, ScriptedCompleter]:
    completer = ScriptedCompleter(replies)

    async def hold() -> Sitting:
        return await hold_sitting(ASKING, SHOWN, completer=completer)

    return anyio.run(hold), completer


def graded(*replies: str | CompletionError) -> Grade:
    return grade(RUBRIC, ASKING, [sit(one)[0] for one in replies])


def statuses(found: Grade) -> list[str]:
    return [str(one.status) for one in found.criteria]


# --- one sitting -------------------------------------------------------------------------------


def test_a_good_reply_is_one_call() -> None:
    sitting, completer = sit(reply("passed", "failed"))
    assert sitting.failure is None
    assert sitting.exchanges[-1].fault is None
    assert len(completer.prompts) == 1


def test_a_reply_that_cannot_be_used_is_asked_for_again_with_its_fault() -> None:
    sitting, completer = sit("no JSON", reply("passed", "passed"))
    assert sitting.failure is None
    assert sitting.exchanges[-1].fault is None
    assert [one.fault is None for one in sitting.exchanges] == [False, True]
    assert "it is no JSON" in completer.prompts[1]
    assert "<refused>" not in completer.prompts[0]


def test_two_bad_replies_are_used_as_far_as_they_go() -> None:
    half = json.dumps(
        {
            "verdicts": [
                {"id": q.id, "reasoning": "r", "verdict": "passed"}
                for q in ASKING.questions
                if q.criterion == A
            ]
        }
    )
    sitting, _ = sit("x", half)
    assert sitting.exchanges[-1].fault is not None
    found = grade(RUBRIC, ASKING, [sitting])
    assert statuses(found) == ["passed", "unknown"]
    assert "nothing usable" in found.criteria[1].reasoning


def test_a_refusal_is_paid_for_and_asked_once_more() -> None:
    paid = Completion(text="", model="m", usage=Usage(input_tokens=9))
    sitting, _ = sit(UnusableReplyError("refused", paid), UnusableReplyError("again", paid))
    assert (sitting.failure, len(sitting.exchanges)) == ("again", 2)
    assert sitting.exchanges[0].usage.input_tokens == 9
    sitting, _ = sit(UnusableReplyError("refused", paid), reply("passed", "passed"))
    assert sitting.failure is None
    assert sitting.exchanges[-1].fault is None


def test_a_dead_judge_leaves_a_failure() -> None:
    sitting, _ = sit(CompletionError("no connection"))
    assert sitting == Sitting(exchanges=(), failure="no connection")


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        pytest.param(UnansweredError("over", no_reply("m", Usage())), None, id="a failure"),
        pytest.param(
            QuestionCutError(BudgetReached("deadline"), no_reply("m", Usage())),
            StopReason.DEADLINE,
            id="a limit",
        ),
    ],
)
def test_a_call_that_brought_nothing_is_kept_with_what_it_used(
    error: CompletionError | BudgetReached, stopped: StopReason | None
) -> None:
    sitting, _ = sit("no JSON", error)
    assert (sitting.failure, sitting.stopped) == (str(error), stopped)
    assert [one.usage.cost_usd for one in sitting.exchanges] == [0.0, None]


# --- replies -----------------------------------------------------------------------------------

OK = [{"id": q.id, "reasoning": "r", "verdict": "failed"} for q in ASKING.questions]


@pytest.mark.parametrize(
    ("verdicts", "fault"),
    [
        pytest.param(OK, None, id="good"),
        pytest.param([*reversed(OK)], None, id="any-order"),
        pytest.param(OK[1:], "no usable verdict for c1", id="one-missing"),
        pytest.param([*OK, OK[0]], "c1 has two verdicts", id="twice"),
        pytest.param([*OK, {**OK[0], "id": "c9"}], "there is no criterion 'c9'", id="unknown-id"),
        pytest.param([{**OK[0], "verdict": "good"}, *OK[1:]], "verdict of c1 is none", id="word"),
        pytest.param([{**OK[0], "reasoning": " "}, *OK[1:]], "c1 has no reasoning", id="no-reason"),
        pytest.param([3, *OK], "a verdict is no object", id="no-object"),
        pytest.param("x", "with the list verdicts", id="no-list"),
    ],
)
def test_what_a_reply_must_hold(verdicts: object, fault: str | None) -> None:
    read = read_reply(json.dumps({"verdicts": verdicts}), ASKING.questions)
    assert (read.fault is None) is (fault is None)
    assert fault is None or fault in str(read.fault)


# --- the grade ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected", "agreement"),
    [
        pytest.param(["passed"], "passed", 1.0, id="one"),
        pytest.param(["passed", "failed", "passed"], "passed", 2 / 3, id="two-of-three"),
        pytest.param(["failed", "failed", "unknown"], "failed", 2 / 3, id="most"),
        pytest.param(["unknown", "unknown", "passed"], "unknown", 2 / 3, id="unknown-wins"),
        pytest.param(["passed", "failed", "unknown"], "unknown", 1 / 3, id="no-majority"),
    ],
)
def test_each_criterion_is_voted_on(said: Sequence[str], expected: str, agreement: float) -> None:
    found = graded(*(reply(word, "passed") for word in said))
    assert statuses(found) == [expected, "passed"]
    assert found.agreement == (agreement, 1.0)
    assert found.model == "scripted"


def test_a_judge_that_grants_anything_is_not_believed() -> None:
    found = graded(reply("passed", "passed", canary="passed"), reply("passed", "passed"))
    assert statuses(found) == ["infrastructure", "infrastructure"]
    assert found.broken == GULLIBLE


def test_a_dead_judge_leaves_every_criterion_unknown() -> None:
    found = graded(CompletionError("no connection"))
    assert statuses(found) == ["unknown", "unknown"]
    assert found.broken == "the judge could not be asked: no connection"
    assert found.model is None


def test_the_sittings_that_answered_count() -> None:
    found = graded(CompletionError("gone"), reply("passed", "failed"))
    assert statuses(found) == ["passed", "failed"]
    assert found.broken is None


def test_what_needs_no_judge_stands_beside_a_dead_one() -> None:
    rubric = Rubric(criteria=(A, Criterion(text="x", file="gone.md")))
    asking = ask_about(rubric, EVIDENCE, shown="")
    found = grade(rubric, asking, [Sitting(exchanges=(), failure="gone")])
    assert statuses(found) == ["unknown", "failed"]
    only = Rubric(criteria=rubric.criteria[1:])
    found = grade(only, ask_about(only, EVIDENCE, shown=""), [])
    assert (statuses(found), found.broken, found.agreement) == (["failed"], None, (None,))


# --- the simulated judge -----------------------------------------------------------------------


def simulated(answer: str, *texts: str, output: tuple[OutputFile, ...] = ()) -> Mapping[str, str]:
    criteria = [
        Criterion(text=text.partition("|")[0], file=text.partition("|")[2] or None)
        for text in texts
    ]
    rubric = Rubric(criteria=tuple(criteria))
    evidence = Evidence(task="t", transcript="", answer=answer, output=output)
    shown = material(evidence)
    asking: Asking = ask_about(rubric, evidence, shown=json.dumps(shown))

    async def hold() -> Sitting:
        return await hold_sitting(asking, shown, completer=SimulatedCompleter())

    found = grade(rubric, asking, [anyio.run(hold)])
    assert found.broken is None
    assert found.model == "simulated"
    assert all(one.reasoning.startswith("SIMULATED: ") for one in found.criteria)
    return {one.criterion.text: str(one.status) for one in found.criteria}


@pytest.mark.parametrize(
    ("answer", "criterion", "expected"),
    [
        pytest.param("There is an SQL injection.", "finds the SQL injection", "passed", id="said"),
        pytest.param("All is fine.", "finds the SQL injection", "failed", id="not-said"),
        pytest.param("", "finds the SQL injection", "failed", id="empty"),
        pytest.param("use `find_user`", "names `find_user`", "passed", id="exact"),
        pytest.param("use find user", "names `find_user`", "failed", id="not-exact"),
        pytest.param("All is fine.", "does not mention pytest", "passed", id="absent"),
        pytest.param("I ran pytest.", "does not mention pytest", "failed", id="not-absent"),
        pytest.param("final answer contains the word", "names a line", "failed", id="frame-words"),
    ],
)
def test_the_simulated_judge_compares_words(answer: str, criterion: str, expected: str) -> None:
    assert simulated(answer, criterion) == {criterion: expected}


def test_the_simulated_judge_reads_the_file_that_is_meant() -> None:
    file = OutputFile(path="a.md", size=9, text="three points")
    found = simulated("other words", "has three points|a.md", output=(file,))
    assert found == {"has three points": "passed"}
