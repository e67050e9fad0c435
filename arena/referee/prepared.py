"""Prepare a match before its first program starts."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.builtin import builtin_bot
from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionValues, Seeded
from arena.lookup import find_game, resolve_options
from arena.match.isolation import Isolation, Level
from arena.match.job import Job
from arena.referee.match import Match
from arena.referee.recording import Recording
from arena_player.version import __version__
from arena_replays.documents import Header, HeaderPlayer


class PreparedMatch:
    """A match that is ready to be played.

    Attributes:
        job: The match, with its seed.
        game: The game.
        options: Resolved.
        bots: In the order of seats.
        clock: Time settings in force.
        packages: The packages that a bot needs for ``fork()`` besides the player's kit.

    Raises:
        ArenaError: The job cannot be played.
    """

    def __init__(self, job: Job) -> None:
        self.job = job.seeded()
        self.game = find_game(job.game)
        self.options = self._resolve()
        self.bots = [self._load(seat.bot) for seat in job.seats]
        clock = job.clock or self.game.clock
        self.clock: Clock = job.untimed(clock) if job.debug else clock
        self.packages = packages_of(self.game)
        if job.replay:
            _check_folder(job.replay)

    def _resolve(self) -> OptionValues:
        """Resolve the options; the bots decide how many play, where the game leaves that open."""
        game, bots = self.game, len(self.job.seats)
        if bots not in game.player_counts:
            raise ArenaError(f"{game.name} is for {game.describe_players()}, not {bots}.")
        given = self.job.options if len(game.player_counts) == 1 else {"players": bots, **self.job.options}
        options = resolve_options(game, given)
        if game.players_in(options) != bots:
            raise ArenaError(f"The option players is {options.players}, but there are {bots} bots.")
        return options

    def _load(self, reference: str) -> Bot:
        try:
            bot = load_bot(reference, builtins=lambda name: builtin_bot(self.game, name))
        except ArenaError as error:
            error.exit_code = ExitCode.BAD_BOT
            raise
        if bot.game and bot.game != self.game.name:
            raise ArenaError(
                f"the bot {bot.name} is for {bot.game}, not for {self.game.name}", exit_code=ExitCode.BAD_BOT
            )
        return bot

    def names(self) -> list[str]:
        """Return the players' names in results, which are unique."""
        names = [seat.name or bot.name for seat, bot in zip(self.job.seats, self.bots, strict=True)]
        return [f"{name} ({player + 1})" if names.count(name) > 1 else name for player, name in enumerate(names)]

    def open_match(self, isolations: list[Isolation]) -> tuple[Match, Recording | None]:
        """Set up the game, and write the header of the replay if one is requested.

        Args:
            isolations: The isolation of each bot.

        Raises:
            ReplayError: The replay cannot be written.
        """
        job = self.job
        chance = Seeded(f"{job.seed}/setup")
        state = self.game.start(self.options, chance)
        recording = None
        if job.replay:
            recording = Recording(job.replay, self._header(isolations), state, chance.take(), sync=job.sync)
        seats = [replace(seat, name=name) for name, seat in zip(self.names(), job.seats, strict=True)]
        dice = Seeded(job.play_seed)
        recorded = recording is not None
        at_once = all(isolation.level >= Level.CGROUP for isolation in isolations)  # the CPU time of each is measured
        match = Match(
            self.game,
            state,
            seats,
            dice,
            self.clock,
            job.policy,
            recorded=recorded,
            at_once=at_once,
            bot_seeds=[job.bot_seed(player) for player in range(len(seats))],
        )
        return match, recording

    def _header(self, isolations: list[Isolation]) -> Header:
        """Return the header of the replay, as docs/replay-format.md describes it."""
        game, job = self.game, self.job
        players: list[HeaderPlayer] = [
            {
                "name": name,
                "bot": seat.bot,
                "hash": bot.content_hash,
                "settings": seat.settings,
                "isolation": isolation.to_document(),
            }
            for name, seat, bot, isolation in zip(self.names(), job.seats, self.bots, isolations, strict=True)
        ]
        header: Header = {
            "arena": __version__,
            "game": game.name,
            "title": game.title,
            "version": game.version,
            "options": self.options.to_document(),
            "players": players,
            "seed": job.seed,
            "leg": job.leg,
            "clock": self.clock.to_document(),
            "policy": job.policy.to_document(),
            "schema": game.schema(),
            "renderer": game.viewer is not None,
            "streams": 1,
        }
        if job.place:
            header["tournament"] = job.place
        return header


def packages_of(game: GameSpec) -> tuple[str, ...]:
    """Return the packages that a bot needs for ``fork()`` besides the player's kit."""
    return (game.state.__module__.partition(".")[0], "arena.game")


def file_hash(path: str) -> str:
    """Return the SHA-256 of a file, hexadecimal; empty if the file does not exist."""
    if not path or not Path(path).is_file():
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _check_folder(replay: str) -> None:
    folder = Path(replay).resolve().parent
    if not folder.is_dir():
        raise ArenaError(
            f"The folder {folder} for the replay does not exist.",
            hint="Make it, or name another path.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
