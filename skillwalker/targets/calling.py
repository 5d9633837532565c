"""The names by which a model may call a target."""

from collections.abc import Sequence

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.trials import CalledAs
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.targets.file import layout_path, list_target

BUNDLED_SKILLS = frozenset(
    {
        "claude-api",
        "code-review",
        "dataviz",
        "fewer-permission-prompts",
        "init",
        "keybindings-help",
        "loop",
        "plugin-authoring",
        "review",  # its code-review under another name
        "run",
        "security-review",
        "simplify",
        "update-config",
        "workflow-authoring",
    }
)
"""Claude Code's own skills: their bare names never mean a plugin's skill.

Source: the listing in a request of Claude Code 2.1.332; a call of the bare name runs its own.
"""


def called_as(target: Target, siblings: Sequence[Target]) -> CalledAs:
    """Collect the names by which a call reaches the target.

    An agent has one. A skill may be called by its bare name or alias where nothing else that is
    loaded is called so, and by `plugin:alias` where no folder of the plugin has that name.
    Source: calls that Claude Code 2.1.332 accepts.

    Args:
        target: the skill or agent under trial.
        siblings: what is loaded beside it.
    """
    names = {_listed_name(target)}  # a project's skill keeps this one before a bundled skill
    if target.kind is TargetKind.SKILL:
        rivals = [other for other in siblings if other.kind is TargetKind.SKILL]
        names |= _bare_names(target, rivals)
        if target.plugin is not None and target.alias is not None:
            full = f"{target.plugin}:{target.alias}"
            taken = {_listed_name(rival) for rival in rivals}
            taken |= {f"{rival.plugin}:{rival.alias}" for rival in rivals if rival.alias}
            names |= {full} - taken
    return CalledAs(
        kind=target.kind,
        names=frozenset(names),
        path_suffix=layout_path(target).as_posix(),
    )


def _bare_names(target: Target, rivals: Sequence[Target]) -> set[str]:
    """Give the bare names that mean this skill and no other that is loaded."""
    taken = set(BUNDLED_SKILLS)
    for rival in rivals:
        taken |= _own_names(rival)
    return _own_names(target) - taken


def _own_names(target: Target) -> set[str]:
    bare = _listed_name(target).removeprefix(f"{target.plugin}:")
    return {bare, target.alias} if target.alias is not None else {bare}


def _listed_name(target: Target) -> str:
    """Give the name in the listing; a target that is not listed keeps the one it would have."""
    name = list_target(target).name
    if name is not None:
        return name
    return target.name if target.plugin is None else f"{target.plugin}:{target.name}"
