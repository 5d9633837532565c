"""The words by which other tools' files say what an entry is, gathered from what is public.

Source: the formats of skill-creator, skill-reach, waza, promptfoo and vally, and some ninety
public files that follow none of them closely.
"""

PROMPTS = ("query", "prompt", "text", "input", "user_prompt", "question", "utterance", "q")
"""Keys that hold what a user types."""
NAMES = ("name", "id", "case_id", "title")
TAGS = ("category", "kind", "family")
NEAR_KEYS = ("near_miss", "near_miss_of")
"""Keys that mark the hard cases."""
ROUTE = "route"
"""Key of the skill that should fire, or that should not; it says nothing alone."""
QUALITY = ("expected_output", "assertions", "expectations")
"""Keys of evals that grade the work, not the call."""

FLAGS = (
    "should_trigger",
    "shouldTrigger",
    "expected_trigger",
    "expect_trigger",
    "should_activate",
    "expected_match",
    "positive",
    "expect",
)
"""Keys that are true or false, or a word for it, or name the skill that should trigger."""
EXPECTED = ("expected_skill", "expectedSkill", "expected_skills", "expected_agent")
CHOICES = (*EXPECTED, "preferred_skill", "preferredSkill", "preferred_agent")
"""Keys that name what should fire; null is nothing at all."""
EXCLUDED = ("forbidden_skills", "forbidden_skill", "avoid_skill")
SKILL_KEYS = ("skill", "skill_name", "skillName", "agent", "agent_name")
SUBJECTS = (*SKILL_KEYS, "target")
"""Keys that name the skill which an entry is about."""

TRIGGER_LISTS = ("trigger_evals", "trigger_tests", "trigger_cases", "trigger_queries")
"""Lists of trigger evals in files that hold other evals too."""
LISTS = ("queries", "evals", "cases", "tests", "test_cases", "stimuli", "examples", "items")
"""Keys under which a file keeps its entries."""
POSITIVE = ("should_trigger", "should_trigger_prompts", "should", "positive", "positives")
NEGATIVE = (
    "should_not_trigger",
    "should_not_trigger_prompts",
    "should_not",
    "negative",
    "negatives",
)
NEAR = ("near", "near_miss", "near_misses", "near_neighbor", "near_neighbors")
SIDES = (*POSITIVE, *NEGATIVE, *NEAR)
"""Keys of lists that say by their names what should happen to all that stands in them."""
