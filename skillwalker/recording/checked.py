"""Makes records of what files of ours hold; a file may have been damaged, or written by hand."""

from typing import TypeVar

import pydantic

from skillwalker.errors import StoreError

_Record = TypeVar("_Record")


def checked(form: pydantic.TypeAdapter[_Record], values: object, where: object = "") -> _Record:
    """Make a record of what a file holds.

    Args:
        form: of the record.
        values: as read.
        where: the file, for people; empty where the caller names it.

    Raises:
        StoreError: something is missing or of another type; the message is one line.
    """
    try:
        return form.validate_python(values)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        said = (str(where), key, first["msg"])
        raise StoreError(": ".join(part for part in said if part)) from error
