"""Says what the docker engine is: for the records of its trials, and for a run's first line."""

from skillwalker.claude_code.command import Access
from skillwalker.engines.docker.image import SandboxImage
from skillwalker.engines.protocol import EngineFacts


def describe_engine(
    access: Access,
    image: SandboxImage,
    *,
    permission_mode: str,
    simulated: bool,
    is_closed: bool,
) -> EngineFacts:
    """Describe an engine.

    Args:
        access: the real login and endpoint; no secret of it is told.
        image: what its containers are made of.
        permission_mode: of every trial.
        simulated: whether a stand-in answers.
        is_closed: whether containers have no network; an open one is said in the first line.
    """
    endpoint = access.endpoint
    payer = "nobody: a stand-in answers" if simulated else f"the {access.payer}"
    network = (
        "no network but the API"
        if is_closed
        else "AN OPEN NETWORK, for this Docker cannot pass the key proxy's socket on"
    )
    return EngineFacts(
        name="docker",
        simulated=simulated,
        endpoint=endpoint,
        cli_version=image.cli_version,
        permission_mode=permission_mode,
        effort="default",
        headline=f"engine docker: Claude Code {image.cli_version} in fresh containers (image "
        f"{image.short_id}) with {network}, requests to {endpoint}, paid by {payer}",
        acting_mode="bypassPermissions",
    )
