"""Slot seconds are shared among the teams: a bot that sleeps uses up its own share and not that of the others."""

from concurrent.futures import Future
from dataclasses import replace

import pytest
from seasons import add_team, add_version, opened, play, result_of, void_result, write_config

from arena.match.result import Seconds, TimeUsed
from arena.season.acts import act
from arena.season.matches import Matches, challenge, pair
from arena.season.shares import Shares, in_order, slot_seconds
from arena.season.values import Pairing

TEAMS = ("Red", "Blue", "Green", "White", "Sleeper")
HONEST = {team: 0.1 for team in TEAMS}
OVERHEAD = 0.3


class SlowEngine:
    """An engine whose matches end when the test says so, after as many seconds as their bots think."""

    def __init__(self, slots, thinking, overhead=None):
        self.window, self.now, self.thinking, self.overhead = slots, 0.0, thinking, overhead or {}
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
        future.set_result(ended(result_of((1.0, 0.0)), start, thinking))

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


def simulated(season, engine, seconds):
    matches = Matches(season, engine)
    while engine.now < seconds:
        matches._start_matches()
        engine.step()
    return matches


@pytest.fixture
def season(tmp_path):
    with opened(write_config(tmp_path, ("rated_matches = 200", "rated_matches = 0"))) as season:
        for team in TEAMS:
            add_team(season, team)
            add_version(season, team)
        yield season


def fresh(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    return opened(write_config(folder, ("rated_matches = 200", "rated_matches = 0")))


def rates(tmp_path, slots, engine, name):
    with fresh(tmp_path, name) as season:
        for team in TEAMS:
            add_team(season, team)
            add_version(season, team)
        simulated(season, engine, 240.0)
    return engine


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.parametrize("fault", ["thinks", "starts"])
def test_a_sleeper_leaves_the_others_their_matches(tmp_path, slots, fault):
    honest = rates(tmp_path, slots, SlowEngine(slots, HONEST), "honest")
    slow = {"thinking": HONEST | {"Sleeper": 24.0}} if fault == "thinks" else {"thinking": HONEST, "overhead": {"Sleeper": 8.0}}
    other = rates(tmp_path, slots, SlowEngine(slots, **slow), "other")
    kept = other.rate(TEAMS[:4]) / honest.rate(TEAMS[:4])
    assert kept > (0.6 if fault == "thinks" else 0.5), f"{kept:.2f}"
    assert other.rate(TEAMS[4:]) > 0, "the sleeper plays as well"
