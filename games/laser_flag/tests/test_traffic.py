"""What goes over the wire with fog: the bytes that a client gets do not name a unit that its player cannot see."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.game import Clock, Seeded
from arena.referee.clock import Reading
from arena.referee.match import Match, SeatSetup, Send
from arena.referee.policy import Policy
from arena.referee.record import Memory
from arena_laser_flag import GAME
from arena_laser_flag.fog import known_units
from arena_laser_flag.game import Game
from arena_player.wire import pack

NO_CLOCK = Clock(startup=9.0, bank=None, increment=0.0, turn=None, grace=1.0)


class Traffic:
    """A match whose messages are kept as the bytes that leave the referee."""

    def __init__(self, game: Game) -> None:
        self.game = game
        seats = [SeatSetup(f"bot {player}", {}) for player in (0, 1)]
        self.match = Match(
            GAME, game, seats, Seeded(2), NO_CLOCK, Policy(), Memory(), lambda _: Reading(0.0, None, 0.0)
        )
        self.match.begin()
        self.sent = [b"", b""]
        for player in (0, 1):
            hello = {"protocol": 1, "client": "test", "schema": None, "legal_actions": True}
            self.match.on_message(player, {"type": "hello", **hello})
        for player in (0, 1):
            self.match.on_message(player, {"type": "ready", "seq": self.match.seats[player].seq})
        self.collect()

    def collect(self) -> None:
        for command in self.match.take_commands():
            if isinstance(command, Send):
                self.sent[command.player] += pack(command.message)

    def act(self, action: dict[str, Any]) -> None:
        player = self.game.active_player
        seq = self.match.seats[player].seq
        self.match.on_message(player, {"type": "act", "seq": seq, "actions": [action]})
        self.collect()

    def take(self, player: int) -> bytes:
        taken, self.sent[player] = self.sent[player], b""
        return taken


def name_of(id_: str) -> bytes:
    """An id as msgpack writes it."""
    return bytes([0xA0 + len(id_)]) + id_.encode()


@pytest.mark.parametrize("name", ["crossroads", "citadel", "dockyard", "quarry"])
def test_hidden_units_are_not_in_the_bytes(name: str) -> None:
    game = GAME.start({"map": name, "rules": {"fog_of_war": True, "hard_turn_limit": 5}})
    assert isinstance(game, Game)
    rng = Random(name)
    everybody = {unit.id for unit in game.units}
    traffic = Traffic(game)
    known: list[set[str]] = [set(), set()]
    """Whom each player has seen since the last message to him; a message tells all that has happened since."""
    checked = 0
    while game.outcome() is None:
        for player in (0, 1):
            seen = {unit.id for unit in known_units(game, player)}
            known[player] |= seen
            sent = traffic.take(player)
            hidden = everybody - known[player] - set(game.eliminated)
            assert [id_ for id_ in hidden if name_of(id_) in sent] == []
            if sent:
                known[player] = seen
                checked += len(hidden)
        actions = game.legal_actions()
        shots = [action for action in actions if action["type"].startswith("fire")]
        mark = game.mark
        traffic.act(rng.choice(shots if shots and rng.random() < 0.5 else actions))
        # Who shoots is known to both in that moment, also if the only witness is removed by the shot.
        shooters = {one["shooter"] for one in game.events(mark) if one["kind"] == "shot" and one["shooter"]}
        known = [one | shooters for one in known]
    assert checked > 30


def test_the_check_would_find_a_leak() -> None:
    """Without fog, the same bytes name everybody."""
    game = GAME.start({"map": "citadel"})
    assert isinstance(game, Game)
    traffic = Traffic(game)
    for player in (0, 1):
        sent = traffic.take(player)
        assert all(name_of(unit.id) in sent for unit in game.units)
        assert sent.count(b"\xa5class") == len(game.units)
