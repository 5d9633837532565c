from pathlib import Path

import pytest

from skillwalker.cli import main


@pytest.mark.parametrize(
    ("name", "said"),
    [("file", "it is not a folder"), ("nowhere", "there is no such folder")],
)
def test_a_project_that_is_no_folder_is_told_apart_from_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    (tmp_path / "file").touch()
    assert main(["show", "-C", str(tmp_path / name)]) == 1
    assert capsys.readouterr().err.endswith(f"{name}: {said}\n")
