"""The search as a policy for matches in memory. It sees no more than a bot on its seat."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

from arena.game import Document, GameSpec, State
from arena_learn.search.bot.engine import Budget, Searcher
from arena_player.fork import state_of_view

if TYPE_CHECKING:
    from arena.play.memory import Turn


class SearchPolicy:
    """A policy for `arena.play.memory.MatchInMemory`. Make a new one for each match and seat.

    Args:
        settings: ``playouts`` or ``seconds``, both for one turn, as of ``builtin:search``.
        rng: All random numbers. With ``playouts`` alone, equal generators choose equally.

    Raises:
        BadBudget: A setting is impossible.
    """

    def __init__(self, settings: Mapping[str, Any] | None = None, rng: Random | None = None) -> None:
        self._budget = Budget.of({name: str(value) for name, value in (settings or {}).items()})
        self._rng = rng or Random()
        self._searcher: Searcher | None = None

    def __call__(self, turn: Turn) -> Document:
        """Choose an action."""
        state, player = turn.state, turn.player
        if self._searcher is None:
            self._searcher = Searcher(turn.game, player, turn.game.players_in(state.options), self._budget, self._rng)

        def fork(rng: Random) -> State:
            return guess(turn.game, state, player, rng)

        choice = self._searcher.choose(fork)
        assert choice is not None, "a policy is asked only when its player is to move"
        return choice.action


def guess(game: GameSpec, state: State, player: int, rng: Random) -> State:
    """Return a state with dice of its own that agrees with what the player sees.

    Args:
        game: The game.
        state: The true state. It is not changed.
        player: The player.
        rng: Guesses what is hidden, and is the source of the dice.
    """
    if state.hidden_information:
        guessed: State = state_of_view(game, state.options_for(player), state.view(player), player, rng)
        return guessed
    copy = state.clone()
    copy.use_chance(rng)
    return copy
