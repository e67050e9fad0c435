"""A contest with people whose matches are played by the workers of a Dask scheduler."""

import pytest
from cluster import machines, on
from contests_toys import archive
from kills import PATIENT, SMALL
from server import Server
from waiting import until

from arena_replays import Reader

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.mark.kill  # half a minute of a whole term
def test_workers_play_versions_that_are_handed_in_while_the_contest_runs(tmp_path):
    changes = [("rated_matches = 200", "rated_matches = 4"), ("# [options] ", f"{SMALL}# [options] "), *PATIENT]
    with machines(1) as (address, _, scheduler):
        server = Server(tmp_path, *changes, game="saloon", options=on(address))
        try:
            olga = server.person().join(server.invitation, "Olga")
            red = server.person().join(olga.invited(csv="team,member\nRed,Rita")[0])
            red.submit(archive(game="saloon"))
            until(lambda: "Red" in olga.rows() and olga.rows()["Red"]["matches"] >= 2, server.complain)
            assert "of 0 places" not in olga.get("/queue").text
            scheduler.kill()
            until(
                lambda: "of 0 places" in (queue := olga.get("/queue").text) and "does not answer" in queue,
                server.complain,
            )
        finally:
            server.stop()
    replays = list((tmp_path / "contest" / "replays").rglob("*.arena"))
    assert len(replays) >= 3
    assert not any(Reader(replay).truncated for replay in replays)
