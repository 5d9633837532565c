"""The cases of the recordings, run anew: the real CLI still says what the rules were made for."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from skillwalker.transcripts.outcome import read_outcome
from skillwalker.transcripts.stream import Ending, parse_stream
from tests.clis import need_cli
from tests.record_streams import Recorded, record
from tests.stream_cases import CASES, MODEL, VERSIONS, StreamCase

pytestmark = pytest.mark.cli
Runs = dict[str, Future[Recorded]]


@pytest.fixture(scope="module", params=VERSIONS)
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    """Start every case of one version, a few at a time; each test waits for its own."""
    binary = need_cli(str(request.param))
    pool = ThreadPoolExecutor(4)
    yield {case.name: pool.submit(record, case, binary) for case in CASES}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_cli_behaves_as_recorded(
    request: pytest.FixtureRequest, runs: Runs, case: StreamCase
) -> None:
    recorded = runs[case.name].result()
    version = request.node.callspec.params["runs"]
    transcript = parse_stream(
        recorded.lines,
        prompt=case.prompt,
        ending=Ending(exit_code=recorded.exit_code, stderr=recorded.stderr),
    )
    reading = read_outcome(transcript, case.called_as, model_asked=MODEL, max_turns=case.max_turns)
    means = case.meaning(version)
    seen = (reading.outcome, reading.reason, reading.step, reading.mode, reading.also_fired)
    wanted = (means.outcome, means.reason, means.step, means.mode, means.also)
    assert seen == wanted, transcript.detail
