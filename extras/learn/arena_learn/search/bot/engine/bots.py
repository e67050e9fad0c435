"""The built-in bots of a game as policies: the turn that one would play from a state, and how a match goes on.

The bots see a clock with little time, so that those that search themselves play quickly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from arena.errors import ArenaError
from arena.game import Chance, Clock, Document, GameSpec, State
from arena.play.memory import ActionEntry, MatchInMemory, bot_class
from arena_player import AI

HURRIED = Clock(bank=3.0, increment=0.0, turn=None)
"""What bots see of their time, so that those that search are quick."""


class Bots:
    """The built-in bots of a game that are written in Python, the weakest first.

    The strongest one plays on. With the middle one there were more playouts, but a plan that beats a bot which never
    fights was no good against one that does: it lost 11 of 18 games of Saloon, and now it wins 21 of 24.
    """

    def __init__(self, game: GameSpec, players: int) -> None:
        self._game = game
        self._players = players
        self.classes = _classes(game)

    def turn(self, bot: type[AI], state: State, player: int, chance: Chance) -> list[Document]:
        """Let a bot play a player's turn, up to another player's decision. Return its actions; the state changes."""
        actions: list[Document] = []

        def write(entry: object) -> None:
            if isinstance(entry, ActionEntry) and entry.player == player:
                actions.append(entry.action)

        seats = [bot if seat == player else None for seat in range(self._players)]
        match = MatchInMemory.from_state(self._game, state, seats, chance, clock=HURRIED, write=write, raises=True)
        turn = state.turn_number()
        while (other := match.player) is not None and other != player and player in state.to_move():
            match.act(other, state.fallback_action(other))
        if match.player == player:
            _play_part(match, turn)
        return actions

    def play_on(self, state: State, chance: Chance, parts: int) -> None:
        """Let the strongest bot play for all players, until so many parts of turns are over. The state changes."""
        seats = [self.classes[-1]] * self._players
        match = MatchInMemory.from_state(self._game, state, seats, chance, clock=HURRIED, raises=True)
        seen: set[tuple[int, int]] = set()  # another player can decide in the middle of a turn, more than once
        while (player := match.player) is not None:
            turn = state.turn_number()
            seen.add((turn, player))
            if len(seen) > parts:
                return
            _play_part(match, turn)


def _play_part(match: MatchInMemory, turn: int) -> None:
    """Let the player to move play. If its bot fails, submit fallback actions."""
    player = match.player
    assert player is not None
    try:
        match.step()
    except Exception:
        while match.player == player and match.state.turn_number() == turn:
            match.act(player, match.state.fallback_action(player))


@cache
def _classes(game: GameSpec) -> Sequence[type[AI]]:
    found = []
    for bot in game.bots:
        try:
            found.append(bot_class(game, f"builtin:{bot.name}"))
        except ArenaError:  # it is not written in Python
            continue
    return tuple(found)
