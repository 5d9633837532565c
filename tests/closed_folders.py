"""Folders that even the superuser cannot open, for tests of what is told of them."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 4321


@contextmanager
def closed_folder(at: str = ".") -> Iterator[Path]:
    """Give a folder with a file and with a folder `closed` that nobody may open meanwhile.

    Args:
        at: where they lie in the folder that is given.
    """
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / at
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "open.txt").write_text("open")
        (folder / "closed").mkdir()
        (folder / "closed" / "inside.txt").write_text("inside")
        (folder / "closed").chmod(0)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if is_root:
                os.seteuid(0)
            (folder / "closed").chmod(0o755)
