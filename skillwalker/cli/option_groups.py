"""Options that several commands share, as records: typer reads a signature, we write fields.

A command takes a record for a parameter; to typer its fields are parameters of their own. So an
option is said once, and a command hands on a record instead of twenty names.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints


def spread_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command whose parameters that are records stand as their fields.

    Args:
        command: with a frozen dataclass for each group of options; every field has a default.

    Raises:
        TypeError: two parameters have the same name.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += (_parameter(field) for field in fields(groups[parameter.name]))
        else:
            annotation = hints[parameter.name]
            parameters.append(parameter.replace(annotation=annotation, kind=_BY_NAME))
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names):
        raise TypeError(f"{command.__qualname__}: two options have the same name")

    def spread(**given: Any) -> None:
        for name, kind in groups.items():
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            given[name] = kind(**own)
        command(**given)

    spread.__name__ = command.__name__
    spread.__doc__ = command.__doc__
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # as PEP 362
    return spread


_BY_NAME = inspect.Parameter.KEYWORD_ONLY


def _parameter(field: Field[Any]) -> inspect.Parameter:
    """Make the parameter of a field."""
    if field.default is MISSING:
        raise TypeError(f"the option {field.name} has no default")
    return inspect.Parameter(field.name, _BY_NAME, default=field.default, annotation=field.type)
