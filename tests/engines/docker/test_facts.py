"""What a user is told of the docker engine."""

import pytest

from skillwalker.claude_code.command import Access
from skillwalker.engines.docker.facts import describe_engine
from skillwalker.engines.docker.image import SandboxImage

IMAGE = SandboxImage(id="sha256:0123456789abcdef", names=(), cli_version="2.1.332", size_bytes=0)


@pytest.mark.parametrize(
    ("access", "simulated", "is_closed", "words"),
    [
        pytest.param(Access(api_key="secret"), False, True, "paid by the API key", id="key"),
        pytest.param(
            Access(oauth_token="secret"), False, True, "paid by the Claude subscription", id="plan"
        ),
        pytest.param(Access(api_key="secret"), True, True, "paid by nobody", id="stand-in"),
        pytest.param(Access(api_key="secret"), False, True, "no network but the API", id="closed"),
        pytest.param(Access(api_key="secret"), False, False, "AN OPEN NETWORK", id="open"),
        pytest.param(
            Access(api_key="secret"),
            False,
            True,
            "requests to https://api.anthropic.com,",
            id="api",
        ),
        pytest.param(
            Access(auth_token="secret", base_url="https://me:secret@gate.example/p"),
            False,
            True,
            "requests to https://gate.example/p, paid by the auth token",
            id="gateway",
        ),
    ],
)
def test_the_first_line_says_what_and_who_pays_and_no_secret(
    access: Access, simulated: bool, is_closed: bool, words: str
) -> None:
    facts = describe_engine(
        access, IMAGE, permission_mode="dontAsk", simulated=simulated, is_closed=is_closed
    )
    assert words in facts.headline
    assert "image 0123456789ab)" in facts.headline
    assert "secret" not in repr(facts)
    assert (facts.simulated, facts.name) == (simulated, "docker")
