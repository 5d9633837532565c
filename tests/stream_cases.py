"""The situations whose streams are recorded from the real CLI, and what each of them means.

`tests/record_streams.py` runs every case against the stand-in and writes its stream;
`tests/transcripts/test_stream.py` reads the recordings, `test_stream_live.py` beside it runs the
cases anew.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from skillwalker.datatypes.trials import CalledAs
from skillwalker.datatypes.vocabulary import Mode, Outcome, TargetKind
from skillwalker.standin.replies import Block, FaultKind, InjectedFault, Reply, Say, Use

VERSIONS = ("2.1.332", "2.1.197")
MODEL = "claude-sonnet-4-5"
NESTED_PROMPT = "Nested job: do the alpha work."

ALPHA = CalledAs(
    kind=TargetKind.SKILL,
    names=frozenset({"demo:alpha", "alpha"}),
    path_suffix="skills/alpha/SKILL.md",
)
HELPER = CalledAs(
    kind=TargetKind.AGENT, names=frozenset({"demo:helper"}), path_suffix="agents/helper.md"
)


def skill(name: str) -> CalledAs:
    """Give the names of another skill of the demo plugin."""
    return CalledAs(
        kind=TargetKind.SKILL,
        names=frozenset({f"demo:{name}", name}),
        path_suffix=f"skills/{name}/SKILL.md",
    )


SKILL_FILES = {
    "alpha": "name: alpha\ndescription: Does alpha work.",
    "beta": "name: beta\ndescription: Does beta work.",
    "forky": "name: forky\ndescription: Does forked work.\ncontext: fork",
    "guarded": "name: guarded\ndescription: Does guarded work.\nallowed-tools: Bash",
    "nomodel": "name: nomodel\ndescription: Never.\ndisable-model-invocation: true",
    "nouser": "name: nouser\ndescription: Model only.\nuser-invocable: false",
    "renamed": "name: other-name\ndescription: Has two names.",
}
AGENT_FILE = "---\nname: helper\ndescription: Helps with gaps.\n---\nAnswer: agent triggered.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a recorded stream must say."""

    outcome: Outcome
    reason: str | None = None
    step: int | None = None
    mode: Mode | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamCase:
    """One run of the CLI against a scripted stand-in."""

    name: str
    replies: tuple[Reply, ...]
    means: Meaning
    means_197: Meaning | None = None
    """Where the older version behaves otherwise."""
    called_as: CalledAs = ALPHA
    prompt: str = "Please do the work."
    nested: tuple[Reply, ...] = ()
    """Answers to requests of a subagent."""
    max_turns: int = 4
    arguments: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    dead_server: bool = False

    def meaning(self, version: str) -> Meaning:
        """Say what the stream of a version means."""
        older = version == "2.1.197" and self.means_197 is not None
        return self.means_197 if older and self.means_197 else self.means


def says(text: str = "Done.") -> Reply:
    """Answer with text alone."""
    return Reply(blocks=(Say(text),))


def uses(*calls: tuple[str, dict[str, object]], text: str = "On it.") -> Reply:
    """Answer with a text and tool calls."""
    blocks: tuple[Block, ...] = (Say(text), *(Use(tool, given) for tool, given in calls))
    return Reply(blocks=blocks)


def calls(name: str) -> Reply:
    """Answer with a call of a skill."""
    return uses(("Skill", {"skill": name}))


def delegates(name: str, *, tool: str = "Agent", background: bool | None = None) -> Reply:
    """Answer with a call of an agent."""
    given: dict[str, object] = {
        "subagent_type": name,
        "description": "a job",
        "prompt": NESTED_PROMPT,
    }
    if background is not None:
        given["run_in_background"] = background
    return uses((tool, given))


def fails(kind: FaultKind, base: Reply | None = None, **given: object) -> Reply:
    """Answer with a fault."""
    build: Callable[..., InjectedFault] = InjectedFault
    return replace(base or says(), fault=build(kind=kind, **given))


def status(code: int, message: str = "", retry_after: float | None = None) -> Reply:
    """Refuse the request."""
    return fails(FaultKind.STATUS, status=code, message=message, retry_after=retry_after)


BASH = uses(("Bash", {"command": "echo hi", "description": "Say hi"}))
NO = Meaning(outcome=Outcome.NOT_TRIGGERED)


def yes(step: int = 1, *also: str) -> Meaning:
    """Build the meaning of a trigger by tool."""
    return Meaning(outcome=Outcome.TRIGGERED, step=step, mode=Mode.TOOL, also=also)


def no(*also: str, mode: Mode | None = None) -> Meaning:
    """Build the meaning of a trial that ended without a trigger."""
    return Meaning(outcome=Outcome.NOT_TRIGGERED, mode=mode, also=also)


def undecided(reason: str) -> Meaning:
    """Build the meaning of a trial that says nothing."""
    return Meaning(outcome=Outcome.UNDECIDED, reason=reason)


CALLS = (
    StreamCase(name="skill-qualified", replies=(calls("demo:alpha"), says()), means=yes()),
    StreamCase(name="skill-bare", replies=(calls("alpha"), says()), means=yes()),
    StreamCase(name="skill-slash", replies=(calls("/demo:alpha"), says()), means=yes()),
    StreamCase(
        name="skill-alias",
        replies=(calls("other-name"), says()),
        called_as=CalledAs(
            kind=TargetKind.SKILL,
            names=frozenset({"demo:renamed", "renamed", "other-name"}),
            path_suffix="skills/renamed/SKILL.md",
        ),
        means=yes(),
    ),
    StreamCase(
        name="skill-old-key",
        replies=(uses(("Skill", {"command": "demo:alpha"})), says()),
        means=NO,
    ),
    StreamCase(name="skill-unknown", replies=(calls("demo:alph"), says()), means=no("demo:alph")),
    StreamCase(name="skill-wrong-case", replies=(calls("Alpha"), says()), means=no("Alpha")),
    StreamCase(
        name="skill-not-for-model",
        replies=(calls("demo:nomodel"), says()),
        means=no("demo:nomodel"),
    ),
    StreamCase(name="skill-built-in", replies=(calls("compact"), says()), means=no("compact")),
    StreamCase(
        name="skill-not-for-users",
        replies=(calls("demo:nouser"), says()),
        called_as=skill("nouser"),
        means=yes(),
    ),
    StreamCase(
        name="skill-forked",
        replies=(calls("demo:forky"), says()),
        called_as=skill("forky"),
        means=yes(),
    ),
    StreamCase(
        name="skill-denied",
        replies=(calls("demo:guarded"), says()),
        called_as=skill("guarded"),
        means=yes(),
    ),
    StreamCase(name="bash-then-skill", replies=(BASH, calls("demo:alpha"), says()), means=yes(2)),
    StreamCase(
        name="two-skills",
        replies=(
            uses(("Skill", {"skill": "demo:beta"}), ("Skill", {"skill": "demo:alpha"})),
            says(),
        ),
        means=yes(1, "demo:beta"),
    ),
    StreamCase(
        name="agent", replies=(delegates("demo:helper"), says()), called_as=HELPER, means=yes()
    ),
    StreamCase(
        name="agent-called-task",
        replies=(delegates("demo:helper", tool="Task"), says()),
        called_as=HELPER,
        means=yes(),
    ),
    StreamCase(
        name="agent-foreground",
        replies=(delegates("demo:helper", background=False), says()),
        called_as=HELPER,
        means=yes(),
    ),
    StreamCase(
        name="agent-background",
        replies=(delegates("demo:helper", background=True), says(), says("Both done.")),
        means=no("demo:helper"),
    ),
    StreamCase(
        name="agent-bare",
        replies=(delegates("helper"), says()),
        called_as=HELPER,
        means=no("helper"),
    ),
    StreamCase(
        name="skill-in-subagent",
        replies=(delegates("general-purpose", background=False), says()),
        nested=(calls("demo:alpha"), says()),
        means=no("general-purpose", mode=Mode.NESTED),
    ),
    StreamCase(
        name="text-only",
        replies=(says('I would call Skill with {"skill": "demo:alpha"}.'),),
        means=NO,
    ),
    StreamCase(
        name="read-skill-file",
        replies=(uses(("Read", {"file_path": "/PLUGIN/skills/alpha/SKILL.md"})), says()),
        means=Meaning(outcome=Outcome.TRIGGERED, step=1, mode=Mode.READ),
    ),
)
PROMPTS = (
    StreamCase(
        name="prompt-command",
        prompt="/demo:alpha x y",
        replies=(says(),),
        means=no(mode=Mode.COMMAND),
    ),
    StreamCase(
        name="prompt-command-bare", prompt="/alpha", replies=(says(),), means=no(mode=Mode.COMMAND)
    ),
    StreamCase(
        name="prompt-other-command", prompt="/demo:beta", replies=(says(),), means=no("demo:beta")
    ),
    StreamCase(
        name="prompt-unknown-command",
        prompt="/nosuch args",
        replies=(says(),),
        means=NO,
        means_197=undecided("no_request"),
    ),
    StreamCase(
        name="prompt-command-not-for-users",
        prompt="/demo:nouser",
        replies=(says(),),
        called_as=skill("nouser"),
        means=undecided("no_request"),
    ),
    StreamCase(
        name="prompt-built-in",
        prompt="/reload-skills",
        replies=(says(),),
        means=undecided("no_request"),
    ),
    StreamCase(
        name="prompt-names-skill", prompt="please run /demo:alpha now", replies=(says(),), means=NO
    ),
    StreamCase(name="prompt-path", prompt="/usr/bin/foo is missing", replies=(says(),), means=NO),
)
ONE_RETRY = {"CLAUDE_CODE_MAX_RETRIES": "1"}
NO_RETRY = {"CLAUDE_CODE_MAX_RETRIES": "0"}
IN_TOOL = uses(("Skill", {"skill": "demo:alpha"}))
FAILURES = (
    StreamCase(name="status-401", replies=(status(401),), env=NO_RETRY, means=undecided("auth")),
    StreamCase(name="status-403", replies=(status(403),), means=undecided("auth")),
    StreamCase(
        name="status-400-credit",
        replies=(status(400, "Your credit balance is too low to access the Anthropic API."),),
        means=undecided("billing"),
    ),
    StreamCase(
        name="status-404",
        replies=(status(404, "model: claude-x"),),
        means=undecided("model_not_found"),
    ),
    StreamCase(
        name="status-429-twice",
        replies=(
            status(429, retry_after=0.1),
            status(429, retry_after=0.1),
            calls("demo:alpha"),
            says(),
        ),
        env={"CLAUDE_CODE_MAX_RETRIES": "2"},
        means=yes(),
    ),
    StreamCase(name="status-429", replies=(status(429),), env=ONE_RETRY, means=undecided("rate")),
    StreamCase(
        name="status-529", replies=(status(529),), env=ONE_RETRY, means=undecided("overloaded")
    ),
    StreamCase(name="status-500", replies=(status(500),), env=ONE_RETRY, means=undecided("server")),
    StreamCase(
        name="fallback-model",
        replies=(status(529), status(529), status(529), calls("demo:alpha"), says()),
        arguments=("--fallback-model", "claude-haiku-4-5"),
        env={"CLAUDE_CODE_MAX_RETRIES": "4"},
        means=undecided("fallback"),
    ),
    StreamCase(
        name="no-server", replies=(), dead_server=True, env=ONE_RETRY, means=undecided("connection")
    ),
    StreamCase(
        name="silent",
        replies=(fails(FaultKind.SILENT),),
        env={**NO_RETRY, "API_TIMEOUT_MS": "1500"},
        means=undecided("connection"),
    ),
    StreamCase(
        name="cut-in-text",
        replies=(fails(FaultKind.CUT, after=3), calls("demo:alpha"), says()),
        env=ONE_RETRY,
        means=yes(),
    ),
    StreamCase(
        name="cut-in-tool",
        replies=(fails(FaultKind.CUT, IN_TOOL, after=7), calls("demo:alpha"), says()),
        env=ONE_RETRY,
        means=yes(2),
        means_197=undecided("cut_stream"),
    ),
    StreamCase(
        name="cut-in-tool-always",
        replies=(
            fails(FaultKind.CUT, IN_TOOL, after=7),
            fails(FaultKind.CUT, IN_TOOL, after=7),
            says(),
        ),
        env=ONE_RETRY,
        means=undecided("cut_stream"),
    ),
    StreamCase(
        name="cut-after-tool",
        replies=(fails(FaultKind.CUT, IN_TOOL, after=9), says()),
        env=ONE_RETRY,
        means=yes(),
    ),
    StreamCase(
        name="cut-after-other-tool",
        replies=(fails(FaultKind.CUT, BASH, after=9), says()),
        env=ONE_RETRY,
        means=undecided("cut_stream"),
    ),
    StreamCase(
        name="malformed-stream",
        replies=(fails(FaultKind.MALFORMED, after=3), calls("demo:alpha"), says()),
        env=ONE_RETRY,
        means=yes(),
    ),
    StreamCase(
        name="error-event",
        replies=(fails(FaultKind.ERROR_EVENT, after=3), calls("demo:alpha"), says()),
        env=ONE_RETRY,
        means=yes(),
    ),
    StreamCase(name="empty-reply", replies=(Reply(),), means=undecided("unfinished")),
    StreamCase(
        name="no-login", replies=(says(),), env={"ANTHROPIC_API_KEY": ""}, means=undecided("auth")
    ),
    StreamCase(
        name="overloaded-after-skill",
        replies=(calls("demo:alpha"), status(529)),
        env=NO_RETRY,
        means=yes(),
    ),
    StreamCase(
        name="overloaded-after-bash",
        replies=(BASH, status(529)),
        env=NO_RETRY,
        means=undecided("overloaded"),
    ),
)
HOOK = (
    '{"hooks":{"PreToolUse":[{"matcher":"Skill|Bash","hooks":[{"type":"command","command":%s}]}]}}'
)
DENY = HOOK % json.dumps("echo no >&2; exit 2")
HALT = HOOK % json.dumps("""echo '{"continue": false, "stopReason": "enough"}'""")
LIMITS = (
    StreamCase(
        name="one-turn-skill", replies=(calls("demo:alpha"), says()), max_turns=1, means=yes()
    ),
    StreamCase(name="one-turn-text", replies=(says(),), max_turns=1, means=NO),
    StreamCase(name="one-turn-bash", replies=(BASH, calls("demo:alpha")), max_turns=1, means=NO),
    StreamCase(
        name="two-turns-bash-skill", replies=(BASH, calls("demo:alpha")), max_turns=2, means=yes(2)
    ),
    StreamCase(
        name="one-turn-unknown", replies=(calls("demo:none"),), max_turns=1, means=no("demo:none")
    ),
    StreamCase(
        name="budget",
        replies=(BASH, says()),
        arguments=("--max-budget-usd", "0.0001"),
        means=undecided("budget"),
    ),
    StreamCase(
        name="bash-denied",
        replies=(uses(("Bash", {"command": "touch /nowhere/x", "description": "Touch"})), says()),
        means=NO,
    ),
    StreamCase(
        name="skill-disallowed",
        replies=(calls("demo:alpha"), says()),
        arguments=("--disallowedTools", "Skill(demo:alpha)"),
        means=yes(),
    ),
    StreamCase(
        name="hook-denies",
        replies=(calls("demo:alpha"), says()),
        arguments=("--settings", DENY),
        means=yes(),
    ),
    StreamCase(
        name="hook-halts-after-skill",
        replies=(calls("demo:alpha"), says()),
        arguments=("--settings", HALT),
        means=yes(),
    ),
    StreamCase(
        name="hook-halts-after-bash",
        replies=(BASH, says()),
        arguments=("--settings", HALT),
        means=undecided("set_up"),
    ),
)
CASES = (*CALLS, *PROMPTS, *FAILURES, *LIMITS)
