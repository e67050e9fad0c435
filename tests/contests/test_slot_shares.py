"""Slot seconds are shared among the teams: a bot that sleeps uses up its own share and not that of the others."""

from concurrent.futures import Future
from dataclasses import replace

import pytest
from contests_toys import add_team, add_version, opened, pointed_result, write_config

from arena.contests.ladder.slot_shares import Shares, in_order, slot_time
from arena.contests.loop import Loop
from arena.contests.values import LadderEncounter, SlotTime
from arena.match.result import Seconds, TimeUsed

pytestmark = pytest.mark.slow

TEAMS = ("Red", "Blue", "Green", "White", "Sleeper")
OVERHEAD = 0.3


class SlowEngine:
    """An engine whose matches end when the test says so, after as many seconds as their bots need."""

    def __init__(self, slots, thinking=None, overhead=None):
        self.window, self.now, self.thinking, self.overhead = slots, 0.0, thinking or {}, overhead or {}
        self.running = []
        self.done = []

    def submit(self, spec, attempt):
        future = Future()
        self.running.append((self.now + sum(self.seconds(spec)), spec, future))
        return future

    def seconds(self, spec):
        thinking = [self.thinking.get(name, 0.1) for name in spec.names]
        return OVERHEAD + max(self.overhead.get(name, 0.0) for name in spec.names), *thinking

    def step(self):
        """End the match that ends first."""
        self.running.sort(key=lambda one: one[0])
        self.now, spec, future = self.running.pop(0)
        start, *thinking = self.seconds(spec)
        self.done.append((self.now, spec))
        future.set_result(ended(pointed_result((1.0, 0.0)), start, thinking))

    def rate(self, teams, since=0.0):
        """The seats of these teams in ladder matches, for each minute."""
        found = [name for at, spec in self.done if at > since and spec.stage == "ladder" for name in spec.names]
        return 60.0 * sum(name in teams for name in found) / (self.now - since)

    def kill(self):
        pass

    def close(self):
        pass


def ended(result, start, thinking):
    players = [replace(one, clock=TimeUsed(wall=wall)) for one, wall in zip(result.players, thinking, strict=True)]
    return replace(result, players=tuple(players), seconds=Seconds(start, start + sum(thinking)))


def simulated(tmp_path, slots, seconds=120.0, **slow):
    """Play so many seconds of a ladder, and return the engine."""
    tmp_path.mkdir()
    with opened(write_config(tmp_path, ("rated_matches = 200", "rated_matches = 0"))) as contest:
        contest._journal._connection.execute("pragma synchronous = off")
        for team in TEAMS:
            add_team(contest, team)
            add_version(contest, team)
        engine = SlowEngine(slots, **slow)
        loop = Loop(contest, engine)
        while engine.now < seconds:
            with contest.lock:
                loop.work()
            engine.step()
        loop.checks.stop()
    return engine


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.parametrize("slow", [{"thinking": {"Sleeper": 12.0}}, {"overhead": {"Sleeper": 6.0}}], ids=str)
@pytest.mark.promise("sleeping-bots")
def test_a_sleeper_leaves_the_others_their_matches(tmp_path, slots, slow):
    honest = simulated(tmp_path / "honest", slots)
    other = simulated(tmp_path / "other", slots, **slow)
    kept = other.rate(TEAMS[:4]) / honest.rate(TEAMS[:4])
    assert kept >= 0.6, f"{kept:.2f}"
    assert other.rate(TEAMS[4:]) > 0, "the sleeper plays as well"


def test_a_team_pays_for_the_time_of_its_own_turns():
    assert slot_time(10.0, 1.0, [6.0, 2.0]) == ((6.0, 2.0), 2.0)
    assert slot_time(10.0, 2.0, [6.0, 6.0]) == ((4.0, 4.0), 2.0), "they think at the same time"
    assert slot_time(3.0, 0.0, [0.0, 0.0]) == ((0.0, 0.0), 3.0)
    shares = Shares()
    charge(shares, "ladder", "Red", "Blue", thinking=(9.0, 1.0))
    assert shares.left("Red") < 0 < shares.left("Blue")
    assert dict(shares.usual) == {"Red": 9.0, "Blue": 1.0}
    assert shares.over(TEAMS, []) == {"Red"}


def charge(shares, kind, *names, thinking, rest=0.0, team=""):
    players = tuple((name, "x") for name in names)
    shares.charge(LadderEncounter(1, kind, players, 2, "", team), names, SlotTime(thinking, rest), TEAMS, TEAMS)


def test_who_starts_an_encounter_pays_for_it_and_nobody_for_a_repeated_match():
    shares = Shares()
    charge(shares, "challenge", "Red", "Blue", thinking=(1.0, 2.0), rest=1.0, team="Red")
    assert dict(shares.usual) == {"Red": 4.0}
    charge(shares, "replay", "Green", "Blue", thinking=(50.0, 50.0))
    assert dict(shares.usual) == {"Red": 4.0}


def test_a_team_that_starts_slowly_pays_for_its_starts():
    shares = Shares()
    for other in ("Blue", "Green", "White"):
        charge(shares, "ladder", "Red", other, thinking=(0.0, 0.0), rest=9.0)
        charge(shares, "ladder", "Blue", "Green", thinking=(0.0, 0.0), rest=1.0)
        charge(shares, "ladder", "Green", "White", thinking=(0.0, 0.0), rest=1.0)
    assert shares.over(TEAMS, []) == {"Red"}


def test_running_matches_count_as_what_they_usually_cost():
    shares = Shares()
    charge(shares, "ladder", "Red", "Blue", thinking=(1.0, 1.0))
    assert "Red" not in shares.over(TEAMS, [])
    assert "Red" in shares.over(TEAMS, ["Red"] * 100)


def test_urgent_encounters_of_a_team_that_used_its_share_wait():
    trial = LadderEncounter(3, "trial", (("Red", "x"), ("Blue", "x")), 1, "", "Red")
    other = LadderEncounter(2, "challenge", (("Green", "x"), ("Blue", "x")), 2, "", "Green")
    ladder = LadderEncounter(1, "ladder", (("White", "x"), ("Blue", "x")), 2, "")
    assert in_order([ladder, other, trial], frozenset(), TEAMS) == ([trial, other, ladder], [])
    assert in_order([ladder, other, trial], frozenset({"Red"}), TEAMS) == ([other, ladder], [trial])
