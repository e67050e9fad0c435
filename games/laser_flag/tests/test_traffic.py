"""With fog, the bytes that a client is sent do not depend on what its player cannot see."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.game import Clock, Seeded
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.clock import Reading
from arena.play.referee.match import Match
from arena.play.referee.outputs import Send
from arena_laser_flag import GAME
from arena_laser_flag.entities import Unit
from arena_laser_flag.state import Game
from arena_laser_flag.visibility import known_units
from arena_player.wire import pack

NO_CLOCK = Clock(startup=9.0, bank=None, increment=0.0, turn=None, grace=1.0)
NOW = Reading(0.0)


class Traffic:
    """A match that keeps the bytes of all messages of the referee."""

    def __init__(self, game: Game) -> None:
        self.game = game
        seats = [SeatAssignment("", f"bot {player}") for player in (0, 1)]
        self.match = Match(GAME, game, seats, Seeded(2), NO_CLOCK, Policy())
        self.match.start_next()
        self.sent = [b"", b""]
        for player in (0, 1):
            hello = {"protocol": 1, "client": "test", "schema": None, "legal_actions": True}
            self.match.on_message(player, {"type": "hello", **hello}, NOW)
            self.match.on_message(player, {"type": "ready", "seq": self.match.seats[player].seq}, NOW)
        self.collect()

    def collect(self) -> None:
        while self.match.outputs:
            output = self.match.outputs.popleft()
            if isinstance(output, Send):
                self.sent[output.player] += pack(output.message)

    def act(self, action: dict[str, Any]) -> None:
        player = self.game.active_player
        seq = self.match.seats[player].seq
        self.match.on_message(player, {"type": "act", "seq": seq, "actions": [action]}, NOW)
        self.collect()

    def take(self, player: int) -> bytes:
        taken, self.sent[player] = self.sent[player], b""
        return taken


def name_of(id_: str) -> bytes:
    """Return an id as msgpack bytes."""
    return bytes([0xA0 + len(id_)]) + id_.encode()


@pytest.mark.parametrize("name", ["crossroads", "citadel", "dockyard", "quarry"])
def test_hidden_units_are_not_in_the_bytes(name: str) -> None:
    game = GAME.start({"map": name, "rules": {"fog_of_war": True, "hard_turn_limit": 5}})
    assert isinstance(game, Game)
    rng = Random(name)
    everybody = {unit.id for unit in game.units}
    traffic = Traffic(game)
    known: list[set[str]] = [set(), set()]
    """The units that each player has seen since the last message to that player."""
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
        # Both players know who shoots, even if the shot removes the only unit that saw the shooter.
        shooters = {one["shooter"] for one in game.events(mark) if one["kind"] == "shot" and one["shooter"]}
        known = [one | shooters for one in known]
    assert checked > 30


def hidden_from(game: Game, player: int) -> list[Unit]:
    known = known_units(game, player)
    return [unit for unit in game.units if unit not in known]


def a_move_in_the_dark(game: Game, player: int, rng: Random) -> dict[str, Any] | None:
    """Return a move of a unit that a player sees neither before nor after it, without reaction shots, or None."""
    dark = {unit.id for unit in hidden_from(game, player)}
    moves = [one for one in game.legal_actions() if one["type"] == "move" and one["unit"] in dark]
    rng.shuffle(moves)
    for move in moves:
        twin = game.clone()
        twin.push(twin.active_player, move, Seeded(1))
        if {unit.id for unit in hidden_from(twin, player)} >= dark and not twin.events(0, player):
            return move
    return None


@pytest.mark.parametrize("name", ["crossroads", "citadel", "dockyard", "quarry"])
def test_the_bytes_are_the_same_wherever_the_hidden_units_stand(name: str) -> None:
    rules = {"fog_of_war": True, "hard_turn_limit": 5}
    rng = Random(name)
    moved = begun = 0
    for _ in range(4):
        game = GAME.start({"map": name, "rules": rules})
        assert isinstance(game, Game)
        while game.outcome() is None:
            player = 1 - game.active_player if rng.random() < 0.7 else game.active_player
            if rng.random() < 0.1 and hidden_from(game, player):
                begun += 1
                elsewhere = Game.determinize(game.view(player), player, rng, game.options)
                nowhere = Game.from_view(game.view(player), game.options)
                matches = [Traffic(one) for one in (game.clone(), elsewhere, nowhere)]
                first, *others = [match.take(player) for match in matches]
                assert first
                assert others == [first, first]
                if player != game.active_player:
                    moves = [a_move_in_the_dark(match.game, player, rng) for match in matches[:2]]
                    if None not in moves:
                        moved += moves[0] != moves[1]
                        for match, move in zip(matches, moves, strict=False):
                            assert move is not None
                            match.act(move)
                            match.act({"type": "end_turn"})
                        assert matches[0].take(player) == matches[1].take(player) != b""
            game.push(game.active_player, rng.choice(game.legal_actions()), Seeded(rng.random()))
            game.commit()
    assert begun > 12
    assert moved > 3


def test_the_check_would_find_a_leak() -> None:
    """Without fog, the bytes contain the ids of all units."""
    game = GAME.start({"map": "citadel"})
    assert isinstance(game, Game)
    traffic = Traffic(game)
    for player in (0, 1):
        sent = traffic.take(player)
        assert all(name_of(unit.id) in sent for unit in game.units)
        assert sent.count(b"\xa5class") == len(game.units)
