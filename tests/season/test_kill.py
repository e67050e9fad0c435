"""`kill -9` of the server at any time: no acknowledged upload, act or result is lost or doubled."""

import contextlib
import os
import random
import time

import httpx
import pytest
from seasons import opened
from server import Server, archive, until

from arena.season.matches import specs_of

pytestmark = [pytest.mark.process, pytest.mark.slow]
KILLS = int(os.environ.get("ARENA_SEASON_KILLS", "3"))


def test_nothing_is_lost_after_kills(tmp_path):
    rng = random.Random(KILLS)
    server = Server(tmp_path, ("rated_matches = 200", f"rated_matches = {4 + KILLS}"))
    acknowledged, shown = set(), {}
    try:
        olga = server.person().join(server.invitation, "Olga")
        teams = [server.person().join(one) for one in olga.invited(csv="team,member\nRed,Rita\nBlue,Bob")]
        for turn in range(KILLS):
            with contextlib.suppress(httpx.TransportError):
                answer = teams[turn % 2].submit(archive(f"\n# {turn}\n"))
                if answer.status_code == 201:
                    acknowledged.add((answer.json()["team"], answer.json()["hash"]))
                assert olga.press("/desk/act", kind="announce", reason=f"turn {turn}").status_code == 303
                acknowledged.add(("announce", f"turn {turn}"))
            time.sleep(rng.uniform(0.0, 2.0))
            server.kill()
            server.start()
        until(lambda: {"Red", "Blue"} <= set(olga.rows()), server.complain)
        until(lambda: olga.rows()["Red"]["matches"] >= 4, server.complain)
        assert olga.press("/desk/act", kind="freeze", reason="the end").status_code == 303
        until(lambda: "<h2>Running</h2><table><tbody>\n<tr><td class=\"left\">Nothing." in olga.get("/queue").text,
              server.complain)  # fmt: skip
        shown = olga.rows()
    finally:
        server.stop()
    with opened(server.path) as season:  # this checks the chain of the journal
        state = season.state
        known = {(one.team, one.hash) for team in state.versions.values() for one in team}
        known |= {("announce", act.reason) for act in state.acts.values() if act.kind == "announce"}
        assert acknowledged <= known
        played = [one.id for one in state.played.values()]
        scheduled = [spec.match_id for one in state.encounters.values() for spec in specs_of(season, one)]
        assert len(set(scheduled)) == len(scheduled)
        assert set(played) <= set(scheduled)
        for one in state.played.values():
            assert (season.folder / one.replay).is_file()
        assert {row.team: row.rating for row in season.table()} == {team: row["rating"] for team, row in shown.items()}
        assert not list((season.folder / "replays").rglob("*.tmp.*"))
