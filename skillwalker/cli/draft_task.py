"""What a draft is asked for, and who is asked."""

from dataclasses import dataclass

from skillwalker.datatypes.inputs import Target

SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTask:
    """What is asked for."""

    target: Target
    suite: str
    count: int
    improver: str | None
    model: str | None
    claude: str | None
    max_cost_usd: float | None
    review: bool
    dry_run: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafter:
    """Who is asked."""

    improver: str
    model: str
    """The full id."""

    standin: bool = False
    """Whether a stand-in answers in the place of the API."""

    @property
    def is_free(self) -> bool:
        """Whether nobody is asked at all."""
        return self.improver == SIMULATED

    @property
    def is_simulated(self) -> bool:
        """Whether what comes is not Claude's."""
        return self.is_free or self.standin
