"""Play a match to its end from any state, with built-in bots that sometimes act at random.

Built-in bots are deterministic, and some games have few dice. Without random actions, all playouts from one position
would be the same game. Then the win probability would be 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from arena.analysis.table import GameTable
from arena.game import Chance, Document, GameSpec, Outcome, State
from arena.game.chance import Sampled
from arena_player.ai import AI

RANDOM_TURNS = 4
"""The average number of turns of a whole match that begin with random legal actions. With fewer random turns, the
playouts of short matches would be equal. With more, the stronger side would lose too often."""
NOISE = 0.04, 0.1
"""The limits for the probability that a turn begins with random actions. Below the lower limit, the curve of a
long match of Snakes jumped between 0 and 1: all playouts from one position were nearly the same game."""
MOST_RANDOM = 3
MOST_PARTS = 20_000
"""A playout counts as drawn if it has not ended after this many turns of all players together."""


Result = tuple[float, ...]
"""Each player's share of the win, from 0 to 1: 1 for the only winner, 0.5 for each of two players who draw."""


@dataclass(frozen=True, slots=True)
class PlayoutPolicy:
    """How a playout is played.

    Attributes:
        game: The game.
        schema: Its schema.
        bot: The class of the bot that plays for every player.
        noise: The probability that a turn begins with random legal actions; see `noise_of`.
    """

    game: GameSpec
    schema: Document
    bot: type[AI]
    noise: float

    def table(self, state: State, chance: Chance, seed: int = 0) -> GameTable:
        """Return a table at which the bots play on from a state. The bots change the state."""
        players = self.game.players_in(state.options)
        seeds = [f"{seed * 64 + player:x}" for player in range(players)]
        return GameTable(self.game, self.schema, state, chance, [self.bot] * players, seeds)


def noise_of(parts: int) -> float:
    """Return the probability that a turn begins with random actions, for a match with this many parts."""
    least, most = NOISE
    return max(least, min(most, RANDOM_TURNS / max(1, parts)))


def part_rng(seed: int, number: int, player: int) -> Random:
    """Return the random generator for one player's part of one turn."""
    return Random((seed * 8191 + number) * 64 + player)


def play_on(
    policy: PlayoutPolicy,
    state: State,
    seed: int,
    until: int | None = None,
    watch: Callable[[State], None] | None = None,
) -> Result:
    """Play a game from a state to its end, and return each player's share of the win.

    The random numbers of a turn depend only on the seed, the turn and the player. So playouts with equal seeds have the
    same dice in the same turn, even from different positions.

    Args:
        policy: The bot that plays on, and its noise.
        state: The state. It is changed.
        seed: The seed of all random numbers.
        until: Stop before the turn with this number in the game, and return the game's estimate. Play to the end if
            None, or if the game has no estimate.
        watch: Called with the state before each part of a turn.
    """
    chance = Sampled(Random(seed))
    table = policy.table(state, chance, seed)
    for _ in range(MOST_PARTS):
        outcome = state.outcome()
        if outcome is not None:
            break
        player, number = state.to_move()[0], state.turn_number()
        if until is not None and number >= until and (estimate := state.evaluate()) is not None:
            return estimate
        if watch is not None:
            watch(state)
        chance.rng = part_rng(seed, number, player)
        if chance.rng.random() < policy.noise:
            act_at_random(table, player, chance.rng)
        if player in state.to_move() and state.turn_number() == number:
            table.move(player)
    return shares(outcome, len(table.seats))


def act_at_random(table: GameTable, player: int, rng: Random) -> None:
    """Carry out a few random legal actions. The bot then plays the rest of the turn.

    In a game with few turns, a wholly random turn could decide the match.
    """
    state = table.state
    number = state.turn_number()
    for _ in range(rng.randint(1, MOST_RANDOM)):
        table.push(player, rng.choice(state.legal_actions(player)))
        if player not in state.to_move() or state.turn_number() != number:
            return


def shares(outcome: Outcome | None, players: int) -> Result:
    """Return each player's share of the win. Players who share the best rank get equal shares.

    Without an outcome, all players get equal shares.
    """
    winners: Sequence[int] = () if outcome is None else outcome.winners
    best = winners or range(players)
    return tuple(1 / len(best) if player in best else 0.0 for player in range(players))
