"""Play a match to its end from any state, with built-in bots that sometimes act at random.

Built-in bots are deterministic, and some games have few dice. Without random actions, all playouts from one position
would be the same game. Then the win probability would be 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.game import Chance, Document, GameSpec, Outcome, State
from arena.game.chance import Sampled
from arena.play.memory import MatchInMemory
from arena.play.referee.outputs import ActionEntry, Entry
from arena.study.coach.probability import Result, estimated
from arena_player.ai import AI
from arena_player.result import Result as Answer

RANDOM_TURNS = 4
"""The average number of turns of a whole match that begin with random legal actions. With fewer random turns, the
playouts of short matches would be equal. With more, the stronger side would lose too often."""
NOISE = 0.04, 0.1
"""The limits for the probability that a turn begins with random actions. Below the lower limit, the curve of a
long match of Snakes jumped between 0 and 1: all playouts from one position were nearly the same game."""
MOST_RANDOM = 3
HORIZON = 20
"""The number of turns after which a playout stops with `State.evaluate`, where a game has it. In Saloon, the errors of
prices were five to ten times smaller than with whole playouts, in a third of the time: what one turn changes shows in
the position soon, and the dice of the rest of the match only hide it."""
MOST_LEFT_OUT = 500
"""A bot that waits for what an order changes would give it for ever. More orders of a kind in a turn are no sense."""
MOST_PARTS = 20_000
"""A playout counts as drawn if it has not ended after this many turns of all players together."""


@dataclass(frozen=True, slots=True)
class PlayoutPolicy:
    """How a playout is played.

    Attributes:
        bots: Who plays on. They take the seats in turn.
        noise: The probability that a turn begins with random legal actions; see `noise_of`.
        settings: The settings of each bot; none if empty.
    """

    game: GameSpec
    bots: tuple[type[AI], ...]
    noise: float
    settings: tuple[Mapping[str, str], ...] = ()

    def match(self, state: State, chance: Chance, seed: int = 0) -> MatchInMemory:
        """Return a match in memory from a state, which it changes."""
        players = [self.bot(player) for player in range(self.game.players_in(state.options))]
        settings = self.settings_of(players)
        return MatchInMemory.from_state(self.game, state, players, chance, seed=seed, settings=settings, raises=True)

    def bot(self, player: int) -> type[AI]:
        """Return the bot on a seat."""
        return self.bots[player % len(self.bots)]

    def settings_of(self, players: Sequence[object]) -> list[Mapping[str, str]]:
        """Return the settings of the bot on each seat."""
        return [self.settings[player % len(self.settings)] if self.settings else {} for player in range(len(players))]

    def turn(self, state: State, player: int, chance: Chance) -> list[Document]:
        """Let the bot play a player's part of the turn, and return its accepted actions. The bot changes the state.

        If players move simultaneously, those before this player submit fallback actions, which the bot does not see.
        """
        actions = []

        def write(entry: Entry) -> None:
            if isinstance(entry, ActionEntry) and entry.player == player:
                actions.append(entry.action)

        players = [self.bot(player) if seat == player else None for seat in range(self.game.players_in(state.options))]
        settings = self.settings_of(players)
        match = MatchInMemory.from_state(self.game, state, players, chance, settings=settings, write=write, raises=True)
        while (other := match.player) is not None and other != player:
            match.act(other, state.fallback_action(other))
        play_turn(match)
        return actions


def noise_of(parts: int) -> float:
    """Return the probability that a turn begins with random actions, for a match with this many parts."""
    least, most = NOISE
    return max(least, min(most, RANDOM_TURNS / max(1, parts)))


def part_rng(seed: int, number: int, player: int) -> Random:
    return Random((seed * 8191 + number) * 64 + player)


def play_on(
    policy: PlayoutPolicy,
    state: State,
    seed: int,
    watch: Callable[[State], None] | None = None,
    horizon: int = MOST_PARTS,
) -> Result:
    """Play a game from a state to its end, and return each player's share of the win.

    The random numbers of a turn depend only on the seed, the turn and the player. So playouts with equal seeds have the
    same dice in the same turn, even from different positions.

    Args:
        watch: Called with the state before each part of a turn.
        horizon: After this many parts of turns, return the game's own estimate as win probabilities, if it has one.
    """
    chance = Sampled(Random(seed))
    match = policy.match(state, chance, seed)
    for played in range(MOST_PARTS):
        player, number = match.player, state.turn_number()
        if player is None:
            break
        if played >= horizon and (estimate := estimated(policy.game, state)) is not None:
            return estimate
        if watch is not None:
            watch(state)
        chance.rng = part_rng(seed, number, player)
        if chance.rng.random() < policy.noise:
            act_at_random(match, player, chance.rng)
        if match.player == player and state.turn_number() == number:
            play_turn(match)
    return shares(match.outcome, policy.game.players_in(state.options))


def play_turn(match: MatchInMemory) -> None:
    """Let the player to move play a turn. If the player's bot raises an exception, submit fallback actions instead."""
    player, number = match.player, match.state.turn_number()
    if player is None:
        return
    try:
        match.step()
    except Exception:
        while match.player == player and match.state.turn_number() == number:
            match.act(player, match.state.fallback_action(player))


def has_all(action: Document, common: Mapping[str, Any]) -> bool:
    """Return whether an action has these keys and values. A list stands for any of its values."""
    return all(
        action.get(key) in value if isinstance(value, list) else key in action and action[key] == value
        for key, value in common.items()
    )


def leaving_out(base: type[AI], missing: Mapping[str, Any], until: int) -> type[AI]:
    """Return a bot whose orders with these keys and values are not sent, up to a turn. It takes them for carried out.

    Args:
        until: The number that the game gives to the last of these turns.
    """

    class LeavingOut(base):  # type: ignore[misc, valid-type]
        def start(self) -> None:
            world = self.game.world
            send, left_out = world.act, Counter[int]()

            def act(action: Document) -> Answer[Any]:
                if self.turn > until or not has_all(action, missing):
                    return send(action)  # type: ignore[no-any-return]
                left_out[self.turn] += 1
                if left_out[self.turn] > MOST_LEFT_OUT:
                    raise RuntimeError("The bot gives the same order again and again.")
                return Answer()

            world.act = self.act = act
            super().start()

    return LeavingOut


def act_at_random(match: MatchInMemory, player: int, rng: Random) -> None:
    """Carry out a few random legal actions. The bot then plays the rest of the turn.

    In a game with few turns, a wholly random turn could decide the match.
    """
    number = match.state.turn_number()
    for _ in range(rng.randint(1, MOST_RANDOM)):
        match.act(player, match.state.random_action(player, rng))
        if match.player != player or match.state.turn_number() != number:
            return


def shares(outcome: Outcome | None, players: int) -> Result:
    """Return each player's share of the win. Players who share the best rank get equal shares.

    Without an outcome, all players get equal shares.
    """
    winners: Sequence[int] = () if outcome is None else outcome.winners
    best = winners or range(players)
    return tuple(1 / len(best) if player in best else 0.0 for player in range(players))
