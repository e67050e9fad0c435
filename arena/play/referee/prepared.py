"""Prepare a match before its first program starts: load the game and the bots, and build those that need it.

What is wrong with a job is found here, so that no program starts in vain. A bot that cannot be built is no error of the
job: its player does not start, and loses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.bots import replay_player
from arena.bots.bot import Bot, bot_outside, folder_name, load_bot
from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, Seeded
from arena.match.ending import distinct_names
from arena.match.isolation import Isolation
from arena.match.job import REMOTE, REPLAY, TERMINAL, Job, SeatAssignment
from arena.match.limits import Limits, Policy
from arena.match.lookup import find_game, options_for
from arena.play.referee.opening import MatchPlayer, Opening, check_folder

if TYPE_CHECKING:
    from arena.play.referee.carrying import SeatEnd
    from arena.play.referee.host import Host, ProgramEnd
    from arena.play.referee.match import Match
    from arena.play.referee.recording import Recording
    from arena.play.referee.seat_link import SeatConnection


class PreparedMatch:
    """A match that is ready to be played.

    Attributes:
        clock: The time settings for seats without settings of their own.
        packages: The Python packages that a bot needs for ``game.fork()``, besides `arena_player`.
        no_build: The reason for each seat whose bot could not be built. In `bots`, a program that fails at once
            replaces such a bot.

    Args:
        report: Called with messages about the progress of a build, and with warnings of the compiler.
        in_memory: Whether the match is played in memory. Then a bot that needs a program of its own is refused.
    """

    def __init__(self, job: Job, report: Callable[[str], None] | None = None, *, in_memory: bool = False) -> None:
        self.job = job.seeded()
        self._in_memory = in_memory
        self.game = find_game(job.game)
        options = self.job.options if job.start is None else job.start.options
        self.options = options_for(self.game, options, len(job.seats))
        self.bots = [self._load(seat) for seat in job.seats]
        self.no_build: dict[int, str] = {}
        for player, bot in enumerate(self.bots):
            if bot.build is not None:
                self.bots[player] = self._build(player, bot, report)
        clock = job.clock or self.game.clock
        self.clock: Clock = job.untimed(clock) if job.debug else clock
        self.packages = packages_of(self.game)
        if job.replay:
            check_folder(job.replay)

    def _load(self, seat: SeatAssignment) -> Bot:
        if seat.bot == REMOTE and self.job.require_isolation:
            raise ArenaError(
                f"Isolation level {self.job.require_isolation} is required, and a remote bot runs on another machine.",
                hint="Require no isolation, or let the bot run here.",
                exit_code=ExitCode.NO_ISOLATION,
            )
        if self._in_memory and (seat.bot in (REMOTE, TERMINAL) or self.job.require_isolation):
            raise needs_programs("A required isolation" if self.job.require_isolation else f"`{seat.bot}`")
        if seat.is_outside:
            return bot_outside(seat.bot.partition(":")[0], seat.address, seat.identity)
        if seat.bot == REPLAY:
            return self._replay_player()
        bot = load_bot(seat.bot, self.game)
        if self._in_memory:
            check_in_memory(bot)
        if bot.is_brought:
            return bot_outside(bot.name, seat.address, bot.content_hash, is_brought=True)
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
            return dict(self.bots[player].settings) | seat.settings
        moves = [[turn, action] for mover, turn, action in self.job.start.moves if mover == player]
        return {**seat.settings, "moves": json.dumps(moves)}

    def _build(self, player: int, bot: Bot, report: Callable[[str], None] | None) -> Bot:
        from arena.bots.build import SANITIZERS, NoBuildError, built, failing, for_debugging

        job = self.job
        if job.debug and (debuggable := for_debugging(bot, *SANITIZERS)) is not bot:
            try:
                return built(debuggable, report, sandbox=job.sandbox, require=job.require_isolation)
            except NoBuildError as error:
                if report:
                    report(f"{error.message}\nIt is built without sanitizers instead: a crash does not show its line.")
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
        """Return the players' names for results. Equal names become the names of folders, or get numbers."""
        seats = self.job.seats
        names = [seat.name or bot.name for seat, bot in zip(seats, self.bots, strict=True)]
        folders = ["" if seat.name else folder_name(seat.bot) for seat in seats]
        return distinct_names(names, [str(player + 1) for player in range(len(names))], folders)

    def open_match(self, isolations: list[Isolation]) -> tuple[Match, Recording | None]:
        """Set up the game, and write the header of the replay if the job has one."""
        seats = zip(self.names(), self.job.seats, self.bots, isolations, strict=True)
        players = [
            MatchPlayer(name, bot.content_hash, self._settings(player, seat), isolation)
            for player, (name, seat, bot, isolation) in enumerate(seats)
        ]
        return Opening(self.job, self.game, self.options, self.clock, players).open()


def check_in_memory(bot: Bot) -> None:
    """Refuse a bot that is no bot in Python, for a match in memory. Players of other distributions need sockets."""
    if bot.is_brought and not RUNS_PROGRAMS:
        raise needs_programs(bot.name)
    if not bot.entry and not bot.is_brought:
        raise needs_programs(f"{bot.name}, a bot in {bot.language},")


def needs_programs(what: str) -> ArenaError:
    """Return the error for what cannot be played in memory, with the way that works."""
    return ArenaError(
        f"{what} needs programs, and these matches are played in memory.",
        hint="Leave out --in-memory. On Windows, `wsl --install -d Ubuntu` brings what is missing, or use a codespace.",
        exit_code=ExitCode.NOT_POSIX,
    )


def packages_of(game: GameSpec) -> tuple[str, ...]:
    """Return the Python packages that a bot needs for ``game.fork()``, besides `arena_player`."""
    return (game.state.__module__.partition(".")[0], "arena.game")


# Play a match in which one player is a program. The others are objects in this process.

LONGEST_EXIT = 2.0
"""A program that has not ended this many seconds after the match is killed.

Longer than in a match that counts (`host.SHUTDOWN_GRACE`): a report says how the program ended by itself.
"""


def play_one_program(
    match: Match,
    player: int,
    bot: Bot,
    *,
    program: Callable[[Host, Match, int], ProgramEnd],
    resident: Callable[[Match, int], SeatEnd],
    limits: Limits | None = None,
    sandbox: str = "auto",
    terminal: bool = False,
    environment: Mapping[str, str] | None = None,
) -> SeatConnection:
    """Play a match to its end, and return the program with its output. A failure of the rules is raised.

    Args:
        program: Makes the end of the program's seat.
        resident: Makes the end of another seat.
        terminal: Whether the program uses our terminal. It then runs without a sandbox.
    """
    from arena.play.referee.host import Host, HostedMatch  # not on Windows

    job = Job(
        match.game.name,
        (),
        policy=Policy(pause_idle=""),  # nobody else needs the processor
        limits=limits or Limits(),
        sandbox=sandbox,
        debug=terminal,
    )
    hosted = HostedMatch(
        job,
        [bot if seat.player == player else None for seat in match.seats],
        lambda _: (match, None),
        packages_of(match.game),
        environment=environment or {},
        program=program,
        resident=resident,
        grace=LONGEST_EXIT,
        alone=False,
    )
    host = Host(hosted)
    host.run()
    return host.seats[player]
