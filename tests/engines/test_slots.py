"""The places of local trials, when runs begin and end at the same moment."""

import shutil
import threading
from pathlib import Path

import pytest

from skillwalker.engines.slots import claim_abandoned, claim_slots, close_root, open_root
from skillwalker.errors import EngineUnavailableError


def test_a_folder_that_another_run_takes_along_is_made_again(tmp_path: Path) -> None:
    root = open_root(tmp_path)
    close_root(root)
    assert not root.exists()
    (slot,) = claim_slots(root, 1)
    slot.lay_out()
    assert (root.stat().st_mode & 0o777, slot.home.is_dir()) == (0o700, True)
    slot.free()
    close_root(root)
    assert [*tmp_path.iterdir()] == []


def test_a_place_that_is_gone_for_good_is_named(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    root = open_root(temporary)
    shutil.rmtree(temporary)
    with pytest.raises(EngineUnavailableError, match=r"No such file or directory.*set TMPDIR"):
        claim_slots(root, 1)
    assert [*claim_abandoned(root)] == []


def test_many_that_come_and_go_at_once_all_find_a_place(tmp_path: Path) -> None:
    faults: list[Exception] = []

    def come_and_go() -> None:
        for _ in range(60):
            try:
                root = open_root(tmp_path)
                (slot,) = claim_slots(root, 1)
                slot.free()
                close_root(root)
            except EngineUnavailableError as error:
                faults.append(error)

    threads = [threading.Thread(target=come_and_go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [*tmp_path.iterdir()] == []
