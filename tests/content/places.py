"""Where the content that comes with Skillwalker lies."""

from pathlib import Path

from skillwalker.paths import Places

PROJECT = Path(__file__).parents[2]
PLACES = Places(
    project=PROJECT,
    evals_dir=PROJECT / "evals",
    plugin_dirs=(PROJECT / "plugins",),
    output_dir=PROJECT / "output",
    home=PROJECT / "no-home",
)
