"""Play a bot against the bots of a game's ladder, the weakest first. Stop when the bot is not stronger than one.

Each of them is the boss of one rung: copies of it have all other seats. Finished games are saved in a file, so
that an interrupted climb continues.
"""

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from arena.bots.bot import Bot, load_bot
from arena.bots.build import built
from arena.bots.references import name_with_settings
from arena.contests.journal.store import now
from arena.contests.queue.local import LocalEngine
from arena.contests.queue.queue import Engine, ResultLine, parse_result
from arena.contests.queue.referee_match import RefereeMatches
from arena.contests.ratings.sequential import PROMOTED, PromotionTest
from arena.contests.strength.compare import Comparer, Comparison, SequentialTest, Subject
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec, NamedBot, seed_for
from arena.play.memory.workers import match_servers

MOST_GAMES = 240
"""A rung without a decision after this many games ends without a promotion.

An even result takes about 100 games. A bot between the hypotheses of the test would play for ever.
"""
TEST = PromotionTest()
RESULTS = "results.jsonl"


class Rung(Subject):
    """The games of a bot against one boss. `first` is the bot. `second` and all of `others` are copies of the boss."""

    __slots__ = ()
    stage = "climb"

    @property
    def title(self) -> str:
        return f"climb {find_game(self.game).version}"

    def table(self, pair: int, second: int) -> list[NamedBot]:
        """Return the players of a game. The bot has a random seat, and moves on by half the seats, rounded down."""
        table = [self.second, *self.others]
        seats = len(table) + 1
        table.insert((seed_for(self.secret, "seat", pair) + second * (seats // 2)) % seats, self.first)
        return table

    def score(self, first: float, _second: float) -> float:
        """Return the mean points of the bot in the two games of a pair."""
        return first / 2


class KeepingEngine:
    """An engine that saves the results of finished matches in a file. It returns saved results without playing.

    Results of void matches are not saved.

    Args:
        path: The file, with one JSON document on each line; None to keep the results in memory only.
    """

    def __init__(self, engine: Engine, path: Path | None = None) -> None:
        self.results = _read(path) if path else {}
        self._engine = engine
        self._path = path
        self._lock = threading.Lock()
        self.kill = engine.kill
        self.close = engine.close

    @property
    def window(self) -> int:
        return self._engine.window

    def submit(self, spec: MatchSpec, attempt: int) -> "Future[MatchResult]":
        if (result := self.results.get(spec.match_id)) is not None:
            finished: Future[MatchResult] = Future()
            finished.set_result(result)
            return finished
        future = self._engine.submit(spec, attempt)
        future.add_done_callback(partial(self._keep, spec))
        return future

    def _keep(self, spec: MatchSpec, future: "Future[MatchResult]") -> None:
        if future.cancelled() or future.exception() is not None or not future.result().has_verdict:
            return
        recorded = ResultLine.of(spec, future.result(), now())
        with self._lock:
            self.results[spec.match_id] = recorded.outcome
            if self._path is not None:
                # Write the line end first, because a killed process sometimes leaves an incomplete line.
                with self._path.open("a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps(recorded.to_document()))


def _read(path: Path) -> dict[str, MatchResult]:
    """Read the saved results. Skip empty lines, and lines that a killed process has left incomplete."""
    results = {}
    with contextlib.suppress(FileNotFoundError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(msgspec.DecodeError):
                recorded = parse_result(line)
                results[recorded.spec.match_id] = recorded.outcome
    return results


@dataclass(frozen=True, slots=True)
class RungGame:
    seat: int
    result: MatchResult
    replay: Path

    @property
    def lost(self) -> bool:
        return self.result.outcome.verdict(self.seat) == "lost"


@dataclass(frozen=True, slots=True)
class RungResult:
    """The games of the bot against one boss.

    Attributes:
        games: The counted games, without void ones.
    """

    boss: str
    comparison: Comparison
    games: tuple[RungGame, ...] = field(default=(), repr=False)

    @property
    def promoted(self) -> bool:
        return self.comparison.decision == PROMOTED

    @property
    def worst_turn(self) -> float:
        """The bot's longest turn in these games, in seconds; 0 without any game."""
        return max((game.result.players[game.seat].clock.worst_turn for game in self.games), default=0.0)

    @property
    def loss(self) -> RungGame | None:
        """The lost game to study first: one in which the bot failed, or else the game that it lost most narrowly.

        None if no lost game has a replay.
        """
        lost = [game for game in self.games if game.lost and game.replay.is_file()]
        return max(
            lost,
            key=lambda game: (game.result.players[game.seat].failed, game.result.margin(game.seat)),
            default=None,
        )


def load_boss(spec: GameSpec, reference: str, level: int = 0) -> NamedBot:
    """Load and build an opponent: a built-in bot or another bot.

    Args:
        level: The lowest isolation level in which it may be built.
    """
    bot = built(load_bot(reference, spec), require=level)
    return NamedBot(name_with_settings(bot.name, reference), "B" + bot.content_hash, reference)


@dataclass(frozen=True, slots=True)
class Climber:
    """Plays a bot against the bosses, one at a time.

    Attributes:
        secret: The seed of all games.
        folder: The folder of replays and, if the climber keeps them (`keep`), of results.
        in_memory: Whether to play in memory, which is for the user's own bots.
    """

    settings: MatchSettings
    bot: NamedBot
    players: int
    secret: str
    folder: Path
    keep: bool = True
    at_once: int = 0
    in_memory: bool = False

    @classmethod
    def of(
        cls,
        bot: Bot,
        reference: str,
        settings: MatchSettings,
        players: int,
        seed: str,
        folder: Path,
        at_once: int = 0,
        *,
        keep: bool = True,
        in_memory: bool = False,
    ) -> "Climber":
        """Return the climber of a loaded bot. Its subfolder of `folder` is named after the bot's hash."""
        # The added letter makes the hashes of the bot and of a boss differ even if both are the same program.
        entrant = NamedBot(name_with_settings(bot.name, reference), "A" + bot.content_hash, reference)
        return cls(settings, entrant, players, seed, folder / bot.content_hash[:12], keep, at_once, in_memory)

    def play(
        self,
        boss: NamedBot,
        most: int = MOST_GAMES,
        test: SequentialTest | None = TEST,
        progress: Callable[[Comparison], None] | None = None,
        until: float | None = None,
    ) -> RungResult:
        """Play against copies of a boss. The arguments are those of `Comparer`."""
        # The names of the boss and the bot must differ, even if the bot's author calls the bot "boss NAME".
        title = f"{'rung' if self.bot.name.startswith('boss ') else 'boss'} {boss.name}"
        count = self.players - 1
        names = [title] if count == 1 else [f"{title} {number}" for number in range(1, count + 1)]
        first, *others = [NamedBot(name, boss.hash, boss.path) for name in names]
        settings = self.settings
        subject = Rung(settings.game, self.bot, first, tuple(others), settings.maps, settings.options, self.secret)
        engine = self._engine(boss)
        try:
            comparison = Comparer(subject, engine, most, test, progress, until).run()
        finally:
            engine.close()
        specs = [subject.spec(number) for number in range(comparison.games)]
        played = [(spec, engine.results[spec.match_id]) for spec in specs if spec.match_id in engine.results]
        games = tuple(
            RungGame(spec.names.index(self.bot.name), result, self._replay(boss, spec.match_id))
            for spec, result in played
        )
        for game in games:
            if not game.lost:
                game.replay.unlink(missing_ok=True)
        return RungResult(boss.name, comparison, games)

    def _replay(self, boss: NamedBot, match_id: str) -> Path:
        return self.folder / f"{re.sub(r'[?&=]', '-', boss.name)}-{match_id[:8]}.arena"

    def _engine(self, boss: NamedBot) -> KeepingEngine:
        spec = find_game(self.settings.game)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArenaError(
                f"The folder {self.folder} cannot be created: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE
            ) from None
        matches = RefereeMatches(
            self.settings,
            {self.bot.hash: self.bot.path, boss.hash: boss.path},
            partial(self._replay, boss),
            spec.map_option,
            spec.load_map,
            servers=match_servers(spec.name, in_memory=self.in_memory),
        )
        engine = LocalEngine(matches.start, self.at_once, on_close=matches.close)
        return KeepingEngine(engine, self.folder / RESULTS if self.keep else None)


def climb(
    climber: Climber,
    bosses: Iterable[NamedBot],
    most: int = MOST_GAMES,
    progress: Callable[[Comparison], None] | None = None,
) -> Iterator[RungResult]:
    """Play against one boss after the other, and yield each result, until the bot is not promoted."""
    for boss in bosses:
        result = climber.play(boss, most, TEST, progress)
        yield result
        if not result.promoted:
            return
