"""What an entry says of the target: every key that says something, read alone and strictly."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skillwalker.faults import quoted, shown
from skillwalker.foreign.entries import Values
from skillwalker.foreign.keys import CHOICES, EXCLUDED, EXPECTED, FLAGS, ROUTE, SUBJECTS
from skillwalker.foreign.shapes import IsTarget

YES = frozenset({"trigger", "triggers", "triggered", "should_trigger", "positive", "fire"})
NO = frozenset(
    {"no_trigger", "not_trigger", "not_triggered", "should_not_trigger", "negative", "skip"}
)
NOTHING = frozenset({"none", "null", "no_skill", "n/a"})
QUOTED_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})


class Unreadable(Exception):  # noqa: N818 (it becomes a line of a SuiteError)
    """A key of an entry says nothing that can be relied on; the text says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one key says."""

    key: str
    should_trigger: bool
    names: tuple[str, ...] = ()
    """Other skills that it names."""

    @property
    def rival(self) -> str | None:
        """What should fire instead, where it is one skill."""
        return self.names[0] if len(self.names) == 1 else None


def claims_of(values: Values, is_target: IsTarget, *, null_is_no: bool) -> tuple[Claim, ...]:
    """Read all that an entry says about the target, apart from the list that it stands in.

    Args:
        values: the entry.
        is_target: whether a name means the target.
        null_is_no: whether `null` means that no skill triggers; so it does in files whose other
            entries name the skill.

    Raises:
        Unreadable: a key has a value that can mean either, or nothing.
    """
    flags = (_flag(key, values[key], is_target, null_is_no) for key in FLAGS if key in values)
    choices = (_choice(key, values[key], is_target) for key in CHOICES if key in values)
    excluded = (_excluded(key, values[key], is_target) for key in EXCLUDED if key in values)
    found = [*flags, *choices, *(claim for claim in excluded if claim), *_checks(values, is_target)]
    if any(claim.key in EXPECTED and claim.names for claim in found):
        # a flag beside them says that those skills should trigger, not that the target should
        found = [claim for claim in found if claim.key not in FLAGS or not claim.should_trigger]
    route = routed_to(values)
    if found and route is not None and subject_of(values) is None:
        found.append(_named(ROUTE, (route,), is_target))
    return tuple(found)


def is_plain(values: Values) -> bool:
    """Say whether an entry says yes or no without naming a skill."""
    return any(isinstance(values.get(key), bool) for key in FLAGS)


def names_a_skill(values: Values) -> bool:
    """Say whether a flag of an entry is the name of a skill rather than true or false."""
    texts = (values.get(key) for key in FLAGS)
    return any(isinstance(text, str) and _is_name(text) for text in texts)


def routed_to(values: Values) -> str | None:
    """Give the skill that an entry is routed to, where its route is a name and no sentence."""
    route = values.get(ROUTE)
    return route if isinstance(route, str) and _is_name(route) else None


def subject_of(values: Values) -> Claim | None:
    """Read which skill an entry is about; `should_trigger` says whether it names one at all."""
    for key in SUBJECTS:
        value = values.get(key)
        if isinstance(value, str) and _word(value) not in NOTHING:
            return Claim(key=key, should_trigger=True, names=(value,))
        if key in values and (value is None or isinstance(value, str)):
            return Claim(key=key, should_trigger=False)
    return None


def _word(text: str) -> str:
    return text.strip().casefold().replace("-", "_").replace(" ", "_")


def _is_name(text: str) -> bool:
    word = _word(text)
    known = YES | NO | NOTHING | QUOTED_BOOLEANS
    return bool(word) and word not in known and not any(char.isspace() for char in text.strip())


def _flag(key: str, value: object, is_target: IsTarget, null_is_no: bool) -> Claim:
    if isinstance(value, bool):
        return Claim(key=key, should_trigger=value)
    if value is None and null_is_no:
        return Claim(key=key, should_trigger=False)
    if not isinstance(value, str):
        raise Unreadable(f"{quoted(key)} must be true or false, not {shown(value)}")
    word = _word(value)
    if word in QUOTED_BOOLEANS:
        raise Unreadable(
            f"{quoted(key)} is the text {shown(value)}, not true or false; write it without quotes"
        )
    if word in YES | NO | NOTHING:
        return Claim(key=key, should_trigger=word in YES)
    if not _is_name(value):
        raise Unreadable(
            f"{quoted(key)} is {shown(value)}; write true, false or the name of a skill"
        )
    return _named(key, (value,), is_target)


def _named(key: str, names: tuple[str, ...], is_target: IsTarget) -> Claim:
    """Read the names of what should fire; without the target among them it should not."""
    if any(is_target(name) for name in names):
        return Claim(key=key, should_trigger=True)
    return Claim(key=key, should_trigger=False, names=names)


def _choice(key: str, value: object, is_target: IsTarget) -> Claim:
    names = _names(key, value)
    return _named(key, tuple(name for name in names if _word(name) not in NOTHING), is_target)


def _excluded(key: str, value: object, is_target: IsTarget) -> Claim | None:
    is_meant = any(is_target(name) for name in _names(key, value))
    return Claim(key=key, should_trigger=False) if is_meant else None


def _names(key: str, value: object) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [] if value is None else [value]
    texts = tuple(name for name in names if isinstance(name, str) and name.strip())
    if len(texts) < len(names):
        raise Unreadable(f"{quoted(key)} must name a skill, or be null, not {shown(value)}")
    return texts


def _checks(values: Values, is_target: IsTarget) -> Iterator[Claim]:
    """Read the checks of promptfoo (`assert`) and vally (`graders`) that are about skills."""
    wanted: list[str] = []
    unwanted: list[str] = []
    for check in _list(values.get("assert")) + _list(values.get("graders")):
        if not isinstance(check, Mapping):
            continue
        config = check.get("config")
        settings = config if isinstance(config, Mapping) else {}
        match check.get("type"):
            case "skill-used":
                wanted += _names("assert", check.get("value"))
            case "not-skill-used":
                unwanted += _names("assert", check.get("value"))
            case "skill-invocation":
                wanted += _names("required", settings.get("required"))
                unwanted += _names("disallowed", settings.get("disallowed"))
            case _:
                continue  # it grades the work
    if wanted:
        yield _named("assert" if "assert" in values else "graders", tuple(wanted), is_target)
    if any(is_target(name) for name in unwanted):
        yield Claim(key="not-skill-used", should_trigger=False)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
