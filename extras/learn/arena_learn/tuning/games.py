"""The games of a tuning: pairs in memory, with the same dice and swapped seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from arena.bots.players import OpenPlayers
from arena.contests.strength import Comparison, Subject
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, NamedBot
from arena.play.memory import Player, bot_class, is_brought, play_in_memory, settings_of

Settings = Mapping[str, str]
TUNED, START = "tuned", "start"


@dataclass(frozen=True, slots=True)
class Table:
    """Where the games of a tuning are played.

    Attributes:
        bot: The reference of the bot, without settings.
        against: The references of the opponents; empty if the bot plays against itself.
        options: The options of the game.
        maps: The maps, played in turn.
        fixed: Settings of the bot that are not tuned.
        open_players: The language models among the opponents, for all games, so that a limit of costs holds for all.
        crashes: The games that a bot lost by an exception, in words. With some values, a bot may well crash.
    """

    game: GameSpec
    bot: str
    against: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    maps: tuple[str, ...] = ()
    seed: str = "0"
    fixed: tuple[tuple[str, str], ...] = ()
    crashes: list[str] = field(default_factory=list)
    open_players: OpenPlayers | None = None

    def lead(self, first: Settings, second: Settings, number: int, pairs: int) -> float:
        """Return the lead of the first settings over the second ones. In games against each other, it is from -1 to 1.

        With opponents, both play the same pairs of games against them. The difference of their scores counts twice:
        near equal strength, it is half of the lead that they would have against each other. Without opponents, they
        play against each other.

        Args:
            first: The settings.
            second: The other settings.
            number: The number of the iteration, from which all seeds come.
            pairs: The number of pairs of games.
        """
        total = 0.0
        for pair in range(number * pairs, (number + 1) * pairs):
            if not self.against:
                total += 2 * self._pair((self.bot, first), (self.bot, second), pair) - 1
                continue
            other = self.against[pair % len(self.against)]
            opponent = (other, settings_of(self.game, other))
            total += 2 * (
                self._pair((self.bot, first), opponent, pair) - self._pair((self.bot, second), opponent, pair)
            )
        return total / pairs

    def games_of(self, pairs: int) -> int:
        """Return the number of games of an iteration."""
        return pairs * (4 if self.against else 2)

    def compare(self, tuned: Settings, start: Settings, number: int, into: Comparison) -> None:
        """Play one more pair of the test, tuned against start, on seeds that no iteration has used."""
        subject = self._subject()
        games = []
        for game in (2 * number, 2 * number + 1):
            spec = subject.spec(game)
            sides = [(self.bot, tuned if name == TUNED else start) for name in spec.names]
            games.append((spec, self._play(sides, spec)))
        into.add_pair(subject, games)

    def against_opponent(self, settings: Settings, other: str, pair: int) -> float:
        """Return the score of a pair of games of the test against an opponent, from 0 to 1."""
        return self._pair((self.bot, settings), (other, settings_of(self.game, other)), pair, "test")

    def _subject(self, stage: str = "test") -> Subject:
        one, other = (NamedBot(name, name) for name in (TUNED, START))
        return Subject(self.game.name, one, other, (), self.maps, self.options, f"{self.seed}/{stage}")

    def _pair(self, one: tuple[str, Settings], other: tuple[str, Settings], pair: int, stage: str = "tune") -> float:
        subject = self._subject(stage)
        score = 0.0
        for game in (2 * pair, 2 * pair + 1):
            spec = subject.spec(game)
            seat = spec.names.index(TUNED)
            result = self._play([one, other] if seat == 0 else [other, one], spec)
            score += result.points(seat) / 2
        return score

    def _play(self, sides: Sequence[tuple[str, Settings]], spec: MatchSpec) -> MatchResult:
        options = dict(spec.options)
        if spec.map and self.game.load_map is not None:
            options[self.game.map_option] = self.game.load_map(spec.map)
        kinds = [_player(self.game.name, reference) for reference, _ in sides]
        result = play_in_memory(
            self.game,
            kinds,
            seed=spec.seed,
            options=options,
            settings=[
                dict(self.fixed) | dict(values) if reference == self.bot else values for reference, values in sides
            ],
            names=list(spec.names),
            open_players=self.open_players,
        )
        if not result.has_verdict:
            cause = "; ".join(player.detail for player in result.players if player.detail)
            raise ArenaError(f"A game has no result: {cause}.", exit_code=ExitCode.NOT_REACHED)
        for (reference, _), player in zip(sides, result.players, strict=True):
            if player.ending == "crashed":
                last = player.stderr.strip().splitlines()[-1:] or ["no message"]
                self.crashes.append(f"{reference} in a game with the seed {spec.seed}: {last[0]}")
        return result


@cache
def _player(game: str, reference: str) -> Player:
    """Return the class of a bot, loaded once for all games of a tuning, or the reference of a language model."""
    return reference if is_brought(reference) else bot_class(find_game(game), reference)
