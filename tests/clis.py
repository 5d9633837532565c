"""Finds the pinned Claude CLIs that `.ci/install-clis` installs, and says when one is missing."""

import os
from pathlib import Path

import pytest

VERSIONS = ("2.1.332", "2.1.197")
ROOT = Path(__file__).resolve().parent.parent


def find_cli(version: str) -> Path | None:
    """Find one version's binary; None when it is not installed."""
    folder = Path(os.environ.get("SKILLWALKER_TEST_CLIS") or ROOT / ".cache" / "claude")
    binary = folder / version / "node_modules" / ".bin" / "claude"
    return binary if binary.exists() else None


def is_required(part: str) -> bool:
    """Say whether a missing part is a failure: CI sets SKILLWALKER_REQUIRE, a list."""
    return part in os.environ.get("SKILLWALKER_REQUIRE", "").split(",")


def need_cli(version: str) -> Path:
    """Give a version's binary, or skip the test with the reason; in CI the test fails."""
    binary = find_cli(version)
    if binary is not None:
        return binary
    reason = f"Claude CLI {version} is not installed; run .ci/install-clis"
    if is_required("cli"):
        pytest.fail(reason)
    pytest.skip(reason)
