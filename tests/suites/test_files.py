import pytest

from skillwalker.errors import SuiteError
from skillwalker.suites.files import SuiteFiles
from tests.closed_folders import closed_folder


def test_a_scaffold_with_a_closed_folder_is_refused_before_anything_is_spent() -> None:
    with (
        closed_folder("scaffolds/api") as suite,
        pytest.raises(SuiteError, match=r'"api" holds the folder "closed", .*; make it readable'),
    ):
        SuiteFiles(folder=suite).scaffold("api")
