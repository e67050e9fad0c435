"""Play one game in memory, and note what a report needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import monotonic
from typing import Any

from arena.bots.builtin import bots_for_all_games
from arena.game import GameSpec, OptionValues, Outcome, Seeded, State
from arena.play.memory import ActionEntry, MatchInMemory, Player, bot_class
from arena_learn.search.bot.engine.values import value_of
from arena_learn.search.policy import SearchPolicy

MOST_PARTS = 20_000
"""A game that has not ended after so many turns of all players together is left out."""
SEARCH = "search"
LEADING = 0.02
"""Somebody leads if the first one's share is so much larger than the second one's."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a game starts from. Games with equal setups and other dice differ in the dice alone.

    Attributes:
        number: Counts the setups.
        map: The map; empty if the game has none.
        options: The options, with the map.
        state: The starting position.
    """

    number: int
    map: str
    options: OptionValues
    state: State


@dataclass(slots=True)
class Played:
    """One game.

    Attributes:
        bot: Who played all seats; for a game of two budgets, empty.
        dice: The number of the dice that this setup was played with.
        points: Each seat's share of opponents beaten; in a cooperative game the common score.
        parts: The number of turns of all players together.
        choices: The number of legal actions at the beginning of each part.
        leads: How often the lead changed from one player to another.
        used: The number of actions of each type.
        classes: The classes of objects that were there at the beginning of a part.
    """

    bot: str
    setup: Setup
    dice: int
    points: tuple[float, ...] = ()
    parts: int = 0
    turns: int = 0
    choices: list[int] = field(default_factory=list)
    leads: int = 0
    used: Counter[str] = field(default_factory=Counter)
    classes: set[str] = field(default_factory=set)


def players_of(game: GameSpec, bot: str, players: int, playouts: int, seed: str) -> list[Player]:
    """Return a player for each seat, all of the same bot."""
    if bot == SEARCH:
        return [SearchPolicy({"playouts": playouts}, Random(f"{seed}/{seat}")) for seat in range(players)]
    kind = bot_class(game, f"builtin:{bot}")
    return [kind] * players


def playing_bots(game: GameSpec) -> list[str]:
    """Return the bots that can play in memory: the built-in ones in Python, weakest first, and the search."""
    builtin = [bot.name for bot in game.bots if bot.path.suffix == ".py" or (bot.path / "main.py").is_file()]
    return [*builtin, *(bot.name for bot in bots_for_all_games(SEARCH))]


def play(
    game: GameSpec, setup: Setup, players: Sequence[Player], seed: str, played: Played, until: float = inf
) -> Outcome | None:
    """Play a game, and fill in what happened. Return its outcome; None if it did not end.

    Args:
        game: The game.
        setup: What the game starts from.
        players: Who plays.
        seed: The seed of the dice. The bots' own random numbers come from the setup alone.
        played: What happened.
        until: The time, of `time.monotonic`, after which the game is broken off.
    """

    def write(entry: Any) -> None:
        if isinstance(entry, ActionEntry):
            played.used[str(entry.action["type"])] += 1

    state = setup.state.clone()
    match = MatchInMemory.from_state(game, state, players, Seeded(seed), seed=f"setup {setup.number}", write=write)
    leader: int | None = None
    first: int | None = None
    while (player := match.player) is not None and played.parts < MOST_PARTS and monotonic() < until:
        played.parts += 1
        played.choices.append(len(state.legal_actions(player)))
        played.classes.update(type(entity).__name__ for entity in state.entities())
        if first is None:
            first = player
        # Look once in a round: whoever has the turn seems to be ahead.
        if player == first and (ahead := _leader(state, len(players))) is not None:
            played.leads += leader is not None and ahead != leader
            leader = ahead
        number = state.turn_number()
        while match.player == player and state.turn_number() == number:
            match.step()
    outcome = match.outcome
    if outcome is not None:
        played.points = tuple(outcome.points(seat) for seat in range(len(players)))
        played.turns = match.result().turns
    return outcome


def _leader(state: State, players: int) -> int | None:
    if state.cooperative or players < 2:
        return None
    values = value_of(state, players)
    first, second = sorted(values, reverse=True)[:2]
    return values.index(first) if first - second > LEADING else None
