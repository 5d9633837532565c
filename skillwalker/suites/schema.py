"""The form of tests.json: which keys there are and what each may be."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError

from skillwalker.config import DEFAULT_CASE_MODEL
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.faults import BOOLEAN, OBJECT
from skillwalker.forms import Form, Prose, Text

DEFAULT_JUDGE_MODEL = "opus"
DEFAULT_JUDGE_THRESHOLD = 1.0
MOST_RUNS = 1000
"""Most runs of one case: more than any question needs, and a slip of the keyboard costs less."""
RESERVED = {"holdout": '"holdout" is reserved: sealed cases are not built yet; remove it'}
"""Keys of a case that a later version will read."""


def _odd(runs: int) -> int:
    if runs % 2 == 0:
        raise PydanticCustomError("odd", "an odd number, so that a vote cannot tie")
    return runs


def _call_tag(value: object) -> str:
    return OBJECT if isinstance(value, dict | Form) else BOOLEAN


class SkillCallForm(Form):
    """Whether a skill is to be called, named here or by the case's `skillFile`."""

    skill: Text | None = None
    expected: bool

    @property
    def target(self) -> str | None:
        """The target that is named here."""
        return self.skill


class AgentCallForm(Form):
    """Whether an agent is to be called, named here or by the case's `agentFile`."""

    agent: Text | None = None
    expected: bool

    @property
    def target(self) -> str | None:
        """The target that is named here."""
        return self.agent


CallForm = SkillCallForm | AgentCallForm


class JudgeForm(Form):
    """A rubric of the suite that a model grades by; `threshold` is the share of its criteria."""

    rubric_file: Text = Field(alias="rubricFile")
    model: Text = DEFAULT_JUDGE_MODEL
    threshold: Annotated[float, Field(ge=0, le=1)] = DEFAULT_JUDGE_THRESHOLD


_Boolean = Annotated[bool, Tag(BOOLEAN)]
_ByTag = Discriminator(_call_tag)
SkillCall = Annotated[_Boolean | Annotated[SkillCallForm, Tag(OBJECT)], _ByTag]
AgentCall = Annotated[_Boolean | Annotated[AgentCallForm, Tag(OBJECT)], _ByTag]


class ExpectationForm(Form):
    """One claim about what Claude does or answers: an object with exactly one key."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    skill_call: SkillCall | None = Field(None, alias="skill-call")
    agent_call: AgentCall | None = Field(None, alias="agent-call")
    result_contains: Prose | None = Field(None, alias="result-contains")
    result_does_not_contain: Prose | None = Field(None, alias="result-does-not-contain")
    llm_judge: JudgeForm | None = Field(None, alias="llm-judge")

    @model_validator(mode="after")
    def _one_key(self) -> "ExpectationForm":
        given = [name for name in self.model_fields_set if getattr(self, name) is not None]
        if len(given) != 1 or len(self.model_fields_set) != 1:
            keys = ", ".join(f'"{field.alias}"' for field in type(self).model_fields.values())
            raise PydanticCustomError(
                "one_key", "one object with one key each (" + keys + "); write one object a claim"
            )
        return self

    def call(self, kind: TargetKind) -> bool | CallForm | None:
        """Give the expected call of that kind, if this is one."""
        return {TargetKind.SKILL: self.skill_call, TargetKind.AGENT: self.agent_call}[kind]


class CaseForm(Form):
    """One prompt with what should happen."""

    # What is needed is said to editors only: here a case with a fault in one key still has its
    # other keys checked.
    model_config = ConfigDict(
        json_schema_extra={
            "required": ["name", "expect"],
            "oneOf": [{"required": ["prompt"]}, {"required": ["promptFile"]}],
        }
    )

    name: Text | None = None
    type: Literal["skill-call", "agent-call", "prompt", "skill-prompt", "agent-prompt"] = "prompt"
    skill_file: Text | None = Field(None, alias="skillFile")
    agent_file: Text | None = Field(None, alias="agentFile")
    prompt: Prose | None = None
    prompt_file: Text | None = Field(None, alias="promptFile")
    model: Text = DEFAULT_CASE_MODEL
    scaffold: Text | None = None
    tags: list[Text] = Field(default_factory=list)
    runs: (
        Annotated[
            int,
            Field(ge=1, le=MOST_RUNS, json_schema_extra={"not": {"multipleOf": 2}}),
            AfterValidator(_odd),
        ]
        | None
    ) = None
    max_turns: Annotated[int, Field(ge=1)] | None = Field(None, alias="maxTurns")
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    preferred: Text | None = None
    expect: list[ExpectationForm] | None = None

    def file_of(self, kind: TargetKind) -> str | None:
        """Give the `skillFile` or `agentFile`, as written."""
        return {TargetKind.SKILL: self.skill_file, TargetKind.AGENT: self.agent_file}[kind]


class SuiteForm(Form):
    """A suite: its plugins, its metrics and its cases."""

    model_config = ConfigDict(title="tests.json")

    schema_address: str | None = Field(None, alias="$schema", description="For your editor.")
    plugins: list[Text] = Field(default_factory=list)
    metrics: list[Text] = Field(
        default_factory=list, description="Metrics of skillwalker.toml to track beside candidates."
    )
    tests: Annotated[list[CaseForm], Field(min_length=1)]


def json_schema() -> dict[str, object]:
    """Give the JSON Schema of tests.json."""
    schema = SuiteForm.model_json_schema(by_alias=True)
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}
