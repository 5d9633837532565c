"""What the forms of our own files have in common: exact types, clean texts, no unknown key."""

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


class Form(BaseModel):
    """An object of a file: nothing is converted, and a key that we do not know is a fault."""

    model_config = ConfigDict(strict=True, extra="forbid")


def _clean(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("string_too_short", "a text that is not empty")
    if any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in text):
        raise PydanticCustomError("controls", "one line without control characters")
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_clean)]
"""A name of any script on one line."""

Prose = Annotated[str, Field(min_length=1)]
"""Any text that can be sent, over as many lines as it has."""
