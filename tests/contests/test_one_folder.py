"""One folder, no conversion: a contest of the terminal gets people, and goes on in the terminal."""

import csv
import io

import pytest
from contest_commands import contest
from contests_toys import archive
from kills import SMALL
from server import Server
from waiting import until

from arena.bots.builtin import module_source
from arena.contests.open_contest import read_contest
from arena.match.lookup import find_game

pytestmark = [pytest.mark.process, pytest.mark.slow]

SLOW = """
import time
from saloon import AI

class Slow(AI):
    asked = False

    def run_turn(self):
        if not self.asked:
            time.sleep(3)
        self.asked = True
"""
BOTS = ("rowdy", "pianist", "sheriff", "rowdy", "pianist")
CONTEST = f"""
[contest]
name = "Terminal"
game = "saloon"
isolation = "none"
[clock]
bank = 3600
turn = 600
{SMALL}
[[bots]]
path = "slow"
{"".join(f'[[bots]]{chr(10)}path = "builtin:{name}"{chr(10)}name = "b{at}"{chr(10)}' for at, name in enumerate(BOTS))}
[[stages]]
name = "swiss"
format = "swiss"
rounds = 5
games = 2
"""


@pytest.mark.kill  # three contests, one after the other
def test_a_contest_of_the_terminal_gets_people_and_goes_on_in_the_terminal(tmp_path):
    """A slow bot keeps the Swiss running until a team has handed in, which enters the next round."""
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "main.py").write_text(SLOW)
    (tmp_path / "slow" / "saloon.py").write_text(module_source(find_game("saloon")))
    path = tmp_path / "contest.toml"
    path.write_text(CONTEST)
    done = contest("run", "--limit", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = set(read_contest(tmp_path / "contest").played)
    path.write_text(CONTEST.replace("[[bots]]", "[people]\n[[bots]]", 1))
    server = Server(tmp_path, config=path)
    try:
        olga = server.person().join(server.invitation, "Olga")
        rita = server.person().join(*olga.invited(team="Red", name="Rita", role="member"))
        handed = rita.submit(archive(game="saloon"))
        assert handed.status_code == 201, handed.text
        until(lambda: rita.get("/api/version/Red/1").json()["active"], server.complain)
        assert "standings-swiss" in rita.get("/").text
        place = "/data/standings.csv"

        def standing():
            rows = csv.DictReader(io.StringIO(olga.get(place).text))
            return next((row for row in rows if row["name"] == "Red" and float(row["games"] or 0)), None)

        until(standing, lambda: server.complain() + olga.get(place).text)
    finally:
        stopped = server.stop()
    assert stopped == 0, server.complain()
    between = set(read_contest(tmp_path / "contest").played)
    assert first < between
    done = contest("run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    state = read_contest(tmp_path / "contest")
    assert between <= set(state.played)
    assert state.is_over(state.stages["swiss"])
    assert "Red" in [row.name for row in state.stages["swiss"].rank()]
    assert len({name for played in state.played.values() if played.kind == "swiss" for name in played.names}) == 7
    done = contest("verify", "--rules", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [one.name for one in state.members.values()] == ["Olga", "Rita"]
