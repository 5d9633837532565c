"""What holds for every test."""

import os

from hypothesis import settings

# In CI a law is tried on the same examples every time, so that a change is judged by what it
# changed; on a developer's machine the examples are new each time and find what CI cannot.
settings.register_profile("ci", derandomize=True, database=None)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A test that runs the command line adds nothing to the summary of the job that runs the tests.
os.environ.pop("GITHUB_ACTIONS", None)
