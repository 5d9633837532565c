"""The working folder of a trial."""

import os
from pathlib import Path

from skillwalker.engines.workspace import fill_workspace


def test_links_that_stay_inside_are_copied_even_those_in_a_circle(tmp_path: Path) -> None:
    scaffold, work = tmp_path / "scaffold", tmp_path / "work"
    (scaffold / "src").mkdir(parents=True)
    (scaffold / "src/a.py").write_text("a")
    links = {"inner": "src/a.py", "circle": "circle", "one": "two", "two": "one", "dead": "nothing"}
    outward = {"out": "../outside", "root": "/etc/passwd"}
    for name, points_to in (links | outward).items():
        (scaffold / name).symlink_to(points_to)
    work.mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    fill_workspace(work, scaffold=scaffold, project_dir=None, env=env)
    copied = (path for path in work.iterdir() if path.is_symlink())
    assert {path.name: str(path.readlink()) for path in copied} == links
