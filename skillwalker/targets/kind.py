"""All that differs between a skill and an agent, in one table.

Two things apart: which event means that the target was called (`transcript.py`) and how Claude
Code reads its frontmatter (`frontmatter_text.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from skillwalker.datatypes.vocabulary import CaseType, TargetKind

SKILL_FILE = "SKILL.md"
"""The only file name that Claude Code loads a skill from; `skill.md` is not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFacts:
    """The words and places of one kind of target."""

    noun: str
    """For people; also the key that names the target inside a call expectation."""
    article: str
    plural: str
    folder: str
    """Folder of a plugin, or of `.claude`, in which Claude Code looks for the files."""
    layout: str
    """Where a file of this kind lies, for messages."""
    case_type: CaseType
    expectation: str
    """Key of the call expectation in tests.json."""
    suite_key: str
    """Key by which a case in tests.json names its target."""
    option: str
    """Flag of the command line that names a target."""
    run_prefix: str
    """Command that improves this kind, and the prefix of the files that its runs leave."""


KINDS: Mapping[TargetKind, KindFacts] = MappingProxyType(
    {
        TargetKind.SKILL: KindFacts(
            noun="skill",
            article="a",
            plural="skills",
            folder="skills",
            layout="skills/<name>/SKILL.md",
            case_type=CaseType.SKILL_CALL,
            expectation="skill-call",
            suite_key="skillFile",
            option="--skill",
            run_prefix="scil",
        ),
        TargetKind.AGENT: KindFacts(
            noun="agent",
            article="an",
            plural="agents",
            folder="agents",
            layout="agents/<name>.md",
            case_type=CaseType.AGENT_CALL,
            expectation="agent-call",
            suite_key="agentFile",
            option="--agent",
            run_prefix="acil",
        ),
    }
)
