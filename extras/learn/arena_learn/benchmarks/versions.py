"""The benchmarks by version. A change of the rules, of an option or of an opponent is a new version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from arena.bots.bot import load_bot
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Seeded
from arena.match.lookup import find_game, resolve_options

SETUPS = 100
"""A task has so many set-ups, each played on both seats: about 10 points more or less are certain then."""
_ACTIONS = 200


@dataclass(frozen=True, slots=True)
class Task:
    """A game and an opponent.

    Attributes:
        game: The name of the game, for two players.
        opponent: The reference of the opponent.
        fingerprint: The `fingerprint` of the rules and of the opponent for which the benchmark was made.
        options: The options of the game; all others have their defaults.
    """

    game: str
    opponent: str
    fingerprint: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def checked(self) -> GameSpec:
        """Return the game.

        Raises:
            ArenaError: The game is not installed, or it or the opponent differs from those of the benchmark.
        """
        game = find_game(self.game)
        found = fingerprint(game, self.opponent, self.options)
        if found != self.fingerprint:
            raise ArenaError(
                f"{game.name} {game.version} and {self.opponent} are not those of this benchmark: their fingerprint is "
                f"{found}, and not {self.fingerprint}.",
                hint="Install the version of Arena that the benchmark belongs to, or take a newer benchmark.",
                exit_code=ExitCode.UNKNOWN_GAME,
            )
        return game


def fingerprint(game: GameSpec, opponent: str, options: Mapping[str, Any]) -> str:
    """Return a hash of the rules and of an opponent's files.

    The rules are told by the version, the schema, and the positions of a match at random.
    """
    rng, found = Random(game.name), hashlib.sha256()
    state = game.start(resolve_options(game, options), Seeded(game.name))
    state.use_chance(Seeded(f"{game.name}/play"))
    for _ in range(_ACTIONS):
        if not (to_move := state.to_move()):
            break
        state.push(to_move[0], state.random_action(to_move[0], rng))
        found.update(state.digest().encode())
        state.commit()
    for part in (
        game.version,
        game.schema()["hash"],
        state.options.to_document(),
        load_bot(opponent, game).content_hash,
    ):
        found.update(repr(part).encode())
    return found.hexdigest()[:16]


VERSIONS: dict[str, tuple[Task, ...]] = {
    "2026.1": (
        Task("snakes", "builtin:hatchling", "ee438971c38aeedd", {"players": 2}),
        Task("snakes", "builtin:constrictor", "1af7d490e7dfe793", {"players": 2}),
        Task("laser_flag", "builtin:rookie", "dcd3b5eb423d4377"),
        Task("laser_flag", "builtin:commander", "b0964ca6a3bb583f"),
        Task("saloon", "builtin:rowdy", "42b52cf3104332f8"),
        Task("saloon", "builtin:sheriff", "444c2a9b9d5753b5"),
        Task("derelict", "builtin:castaway", "9c50e1470f2e7c71"),
        Task("derelict", "builtin:veteran", "f54d31d3dd402a32"),
    ),
}
