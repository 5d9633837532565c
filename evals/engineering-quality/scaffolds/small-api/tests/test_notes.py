import pytest

from api import notes


def test_long_note_is_refused():
    with pytest.raises(ValueError):
        notes.add(None, "x" * 10_001)
