"""Everything about a match that is worked out before its first program starts, and its replay's head and foot."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot, load_bot
from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, Seeded
from arena.lookup import builtin_bot, find_game, resolve_options
from arena.match.isolation import Isolation
from arena.match.job import Job
from arena.referee.clock import Reading
from arena.referee.match import Match, SeatSetup
from arena.referee.record import Record, Silence
from arena_player.version import __version__
from arena_replays import Writer


class Table:
    """A match that is ready to be played.

    Attributes:
        job: What was asked for; its seed is settled.
        game: The game.
        options: Resolved.
        bots: In the order of seats.
        clock: Time settings in force.
        packages: What a bot needs for ``fork()`` besides the player's kit.
    """

    def __init__(self, job: Job) -> None:
        self.job = job.seeded()
        self.game = find_game(job.game)
        self.options = resolve_options(self.game, job.options)
        if len(job.seats) != self.game.players:
            raise ArenaError(f"{self.game.name} is for {self.game.players} players, not {len(job.seats)}")
        self.bots = [self._load(seat.bot) for seat in job.seats]
        clock = job.clock or self.game.clock
        self.clock: Clock = job.untimed(clock) if job.debug else clock
        self.packages = packages_of(self.game)
        if job.replay:
            replay_folder(job.replay)
        self._writer: Writer | None = None

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
        """Return what each player is called: unique, so that results can be read."""
        names = [seat.name or bot.name for seat, bot in zip(self.job.seats, self.bots, strict=True)]
        return [f"{name} ({player + 1})" if names.count(name) > 1 else name for player, name in enumerate(names)]

    def open_match(
        self, isolations: list[Isolation], look: Callable[[int], Reading], kept_waiting: Callable[[int], float]
    ) -> Match:
        """Set up the game, write the head of the replay, and return the match.

        Args:
            isolations: What holds around each bot.
            look: Reads the clocks for a seat.
            kept_waiting: See `Match`.

        Raises:
            ReplayError: The replay cannot be written.
        """
        setup_chance = Seeded(f"{self.job.seed}/setup")
        state = self.game.start(self.options, setup_chance)
        record: Record = Silence()
        if self.job.replay:
            players = range(len(self.bots)) if state.hides_information() else range(0)
            views = [state.view(), *(state.view(player) for player in players)]
            self._writer = Writer(self.job.replay, self._header(isolations, streams=len(views)))
            self._writer.setup([draw.value for draw in setup_chance.take()], views)
            record = self._writer
        seats = [SeatSetup(name, seat.settings) for name, seat in zip(self.names(), self.job.seats, strict=True)]
        chance = Seeded(self.job.play_seed)
        return Match(self.game, state, seats, chance, self.clock, self.job.policy, record, look, kept_waiting)

    def _header(self, isolations: list[Isolation], *, streams: int) -> dict[str, Any]:
        game = self.game
        players = [
            {
                "name": name,
                "bot": seat.bot,
                "hash": bot.content_hash,
                "settings": seat.settings,
                "isolation": isolation.to_document(),
            }
            for name, seat, bot, isolation in zip(self.names(), self.job.seats, self.bots, isolations, strict=True)
        ]
        return {
            "arena": __version__,
            "game": game.name,
            "title": game.title,
            "version": game.version,
            "options": self.options.to_document(),
            "players": players,
            "seed": self.job.seed,
            "leg": self.job.leg,
            "clock": asdict(self.clock),
            "policy": self.job.policy.to_document(),
            "schema": game.schema(),
            "streams": streams,
            "renderer": game.viewer is not None,
        }

    def close_record(self, match: Match, trouble: str) -> None:
        """Write the foot of the replay."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        scores = match.state.scores() or (0.0,) * len(match.seats)
        writer.finish(
            {
                "outcome": None if match.outcome is None else match.outcome.to_document(),
                "digest": match.state.digest(),
                "turns": match.turns,
                "trouble": trouble,
                "players": [
                    {
                        "name": seat.name,
                        "ending": seat.ending or "void",
                        "detail": seat.detail,
                        "score": scores[seat.player],
                        "refusals": dict(seat.refusals),
                    }
                    for seat in match.seats
                ],
            },
            sync=self.job.sync,
        )


def packages_of(game: GameSpec) -> tuple[str, ...]:
    """Return the packages that a bot needs for ``fork()`` besides the player's kit."""
    return (game.state.__module__.partition(".")[0], "arena.game")


def replay_folder(path: str) -> Path:
    """Return the folder of a replay path.

    Raises:
        ArenaError: It does not exist.
    """
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise ArenaError(
            f"The folder {folder} for the replay does not exist.",
            hint="Make it, or name another path.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
    return folder


def file_hash(path: str) -> str:
    """Return the SHA-256 of a file, hexadecimal; empty where there is none."""
    if not path or not Path(path).is_file():
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
