"""Prepare a match before its first program starts."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.bots import replay_player
from arena.bots.bot import Bot, load_bot
from arena.bots.builtin import builtin_bot
from arena.bots.outside import bot_outside
from arena.errors import ArenaError, ExitCode
from arena.game import Chance, Clock, Draw, GameSpec, Seeded
from arena.game.chance import Repeated
from arena.lookup import find_game, options_for
from arena.match.isolation import Isolation, Level
from arena.match.job import REMOTE, REPLAY, Job, SeatAssignment
from arena.match.position import Parent
from arena.match.wording import distinct_names
from arena_player.version import __version__

if TYPE_CHECKING:
    from arena.referee.match import Match
    from arena.referee.recording import Recording
    from arena_replays.documents import Header, HeaderPlayer


class PreparedMatch:
    """A match that is ready to be played.

    Attributes:
        job: The match, with its seed.
        game: The game.
        options: The resolved options.
        bots: The bots in the order of seats.
        clock: The time settings for seats without settings of their own.
        packages: The Python packages that a bot needs for ``game.fork()``, besides `arena_player`.
        no_build: The reason for each seat whose bot could not be built. In `bots`, a program that fails at once
            replaces such a bot.

    Args:
        job: The match.
        report: Called with messages about the progress of a build, and with warnings of the compiler.

    Raises:
        ArenaError: The job cannot be played.
    """

    def __init__(self, job: Job, report: Callable[[str], None] | None = None) -> None:
        self.job = job.seeded()
        self.game = find_game(job.game)
        given = self.job.options if job.start is None else job.start.options
        self.options = options_for(self.game, given, len(job.seats))
        self.bots = [self._load(seat) for seat in job.seats]
        self.no_build: dict[int, str] = {}
        for player, bot in enumerate(self.bots):
            if bot.build is not None:
                self.bots[player] = self._build(player, bot, report)
        clock = job.clock or self.game.clock
        self.clock: Clock = job.untimed(clock) if job.debug else clock
        self.packages = packages_of(self.game)
        if job.replay:
            _check_folder(job.replay)

    def _load(self, seat: SeatAssignment) -> Bot:
        if seat.bot == REMOTE and self.job.require_isolation:
            raise ArenaError(
                f"Isolation level {self.job.require_isolation} is required, and a remote bot runs on another machine.",
                hint="Play without --require-isolation, or let the bot run here.",
                exit_code=ExitCode.NO_ISOLATION,
            )
        if seat.is_outside:
            return bot_outside(seat.bot, seat.address, seat.identity)
        if seat.bot == REPLAY:
            return self._replay_player()
        try:
            bot = load_bot(seat.bot, builtins=lambda name: builtin_bot(self.game, name))
        except ArenaError as error:
            error.exit_code = ExitCode.BAD_BOT
            raise
        if bot.game and bot.game != self.game.name:
            raise ArenaError(
                f"The bot {bot.name} is for {bot.game}, not for {self.game.name}.", exit_code=ExitCode.BAD_BOT
            )
        return bot

    def _replay_player(self) -> Bot:
        if self.job.start is None or self.job.start.parent is None:
            raise ArenaError(
                "The bot `replay` can play only in a match that starts from a replay.",
                hint="Give the replay and the turn with --from REPLAY@TURN.",
                exit_code=ExitCode.BAD_BOT,
            )
        return replace(load_bot(replay_player.__file__), name=REPLAY)

    def _settings(self, player: int, seat: SeatAssignment) -> dict[str, str]:
        """Return the settings of the bot on a seat. The bot `replay` also gets its recorded actions."""
        if seat.bot != REPLAY or self.job.start is None:
            return seat.settings
        moves = [[turn, action] for mover, turn, action in self.job.start.moves if mover == player]
        return {**seat.settings, "moves": json.dumps(moves)}

    def _build(self, player: int, bot: Bot, report: Callable[[str], None] | None) -> Bot:
        from arena.bots.build import NoBuildError, built, failing

        job = self.job
        try:
            return built(bot, report, sandbox=job.sandbox, require=job.require_isolation)
        except NoBuildError as error:
            self.no_build[player] = error.reason
            return failing(bot, error)

    @property
    def first_turn(self) -> int:
        """The number that the game gives to its first turn, which people see as turn 1."""
        if self.job.start is not None:
            return self.job.start.first
        return self.game.start(self.options, Seeded(0)).turn_number()

    def names(self) -> list[str]:
        """Return the players' names for results. If names are equal, add numbers to them."""
        names = [seat.name or bot.name for seat, bot in zip(self.job.seats, self.bots, strict=True)]
        return distinct_names(names, [str(player + 1) for player in range(len(names))])

    def open_match(self, isolations: list[Isolation]) -> tuple[Match, Recording | None]:
        """Set up the game, and write the header of the replay if the job has one.

        Args:
            isolations: The isolation of each bot.

        Raises:
            ReplayError: The replay cannot be written.
        """
        # Import these modules here: commands that only check a match do not need them.
        from arena.referee.match import Match
        from arena.referee.recording import Recording

        job = self.job
        dice: Chance = Seeded(job.play_seed)
        draws: list[Draw] | None = None
        if job.start is None:
            chance = Seeded(f"{job.seed}/setup")
            state = self.game.start(self.options, chance)
            draws = chance.take()
        else:
            state = self.game.load(job.start.state, self.options)
            dice = Repeated(job.start.dice, dice) if job.start.dice else dice
        recording = None
        if job.replay:
            recording = Recording(job.replay, self._header(isolations), state, draws, sync=job.sync)
        seats = [
            replace(seat, name=name, settings=self._settings(player, seat))
            for player, (name, seat) in enumerate(zip(self.names(), job.seats, strict=True))
        ]
        recorded = recording is not None
        at_once = all(isolation.level >= Level.CGROUP for isolation in isolations)  # this level measures CPU time
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
        if job.start is not None:
            header["start"] = {"turn": job.start.turn, "first": job.start.first}
            if job.start.parent is not None:
                header["parent"] = _parent(job.start.parent, job.replay) | {"same_dice": bool(job.start.dice)}
        return header


def _parent(parent: Parent, replay: str) -> dict[str, Any]:
    """Return what the header of a replay says about its parent replay.

    The parent's path is relative, so that both files can be moved together.
    """
    file = parent.file
    if file:
        with contextlib.suppress(ValueError):  # the files are on different drives
            file = os.path.relpath(file, Path(replay).resolve().parent)
    return asdict(replace(parent, file=file))


def packages_of(game: GameSpec) -> tuple[str, ...]:
    """Return the Python packages that a bot needs for ``game.fork()``, besides `arena_player`."""
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
            hint="Create the folder or use another path.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
