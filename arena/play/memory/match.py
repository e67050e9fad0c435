"""A match in memory: players and referee in one process, without sockets, processes and clocks."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.bots.players import OpenPlayers
from arena.game import Chance, Clock, Document, GameSpec, Outcome, State, View
from arena.match.isolation import IN_MEMORY
from arena.match.job import Job
from arena.match.limits import Policy
from arena.match.lookup import find_game, options_for
from arena.match.position import Position
from arena.match.result import LONGEST_LINE, MatchResult
from arena.match.void import CLOSED, FAULT
from arena.play.memory.choices import Answer
from arena.play.memory.code import BotSeat, CodeSeat, PolicySeat
from arena.play.memory.notes import Failure, Note, SeatOutput
from arena.play.memory.players import Loaded, Player, assignments, is_brought, load_player
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat, Updates
from arena.play.referee.carrying import Write
from arena.play.referee.match import Match
from arena.play.referee.opening import MatchPlayer, Opening, check_folder
from arena.play.referee.played import match_result, player_result
from arena.play.referee.recording import Recording
from arena.text.printable import one_line
from arena_player.ai import AI


class Seated(NamedTuple):
    """Who plays on a seat, and what its code prints. A `loader` loads a bot when it is to start."""

    player: Loaded
    output: SeatOutput
    loader: Callable[[], type[AI]] | None = None
    hash: str = ""
    is_brought: bool = False

    @classmethod
    def load(cls, game: GameSpec, player: Player, *, captures: bool = False) -> Seated:
        """Return a player with its code."""
        output = SeatOutput(captures=captures)
        if isinstance(player, str) and is_brought(player):
            from arena.bots.bot import load_bot  # only here: it needs a system with processes

            return cls(None, output, hash=load_bot(player, game).content_hash, is_brought=True)
        with output.captured():
            return cls(load_player(game, player), output)


class MatchInMemory:
    """A match whose players and referee are in this process. Only for trusted code.

    The rules, the refusals, the replay and the digests are those of a match with processes, for the same seed and the
    same bots. There is no sandbox and no limit of memory, and time passes only with `read_clock`. The players start up
    when the match is made, so that it is in its first turn then.

    Args:
        game: The game, or its name.
        players: Who plays on each seat.
        seed: The seed of all random numbers; drawn by the operating system if None.
        options: Options of the game.
        replay: The path for the replay; no replay is written if empty.
        names: The names of the players; by default those of their bots.
        settings: The settings of each player's bot; by default none.
        leg: 1 for the second leg with the same seed: the same set-up with other dice.
        start: The position in which the match starts; None for the game's own set-up. It has its own options.
        clock: The time settings; by default those of the game.
        policy: The penalties for violations.
        read_clock: Returns the time in seconds, for example `time.monotonic`. If None, no time passes. A limit takes
            effect when the player's code comes back: it is not interrupted.
        raises: Whether an exception of a player's code reaches the caller. By default it ends the player's part in the
            match, as it would end the player's program.
        captures: Whether what bots and policies print is kept: in `notes`, in the replay and in the result. By default
            it goes where the output of this process goes.
        open_players: The players of other distributions, if several matches share them (see
            `arena.bots.players.OpenPlayers`); by default this match opens its own, and closes them at its end. A cost
            limit of a model holds for all matches that share them.

    Attributes:
        game: The game.

    Raises:
        ArenaError: There is no such game or bot, or an option is wrong.
        ReplayError: The replay cannot be written.
    """

    _stopped = ""  # who ended it from outside
    _close_players: Callable[[], object] = staticmethod(lambda: None)

    def __init__(
        self,
        game: str | GameSpec,
        players: Sequence[Player],
        *,
        seed: int | str | None = None,
        options: Mapping[str, Any] | None = None,
        replay: str | Path = "",
        names: Sequence[str] = (),
        settings: Sequence[Mapping[str, str]] = (),
        leg: int = 0,
        start: Position | None = None,
        clock: Clock | None = None,
        policy: Policy | None = None,
        read_clock: Callable[[], float] | None = None,
        raises: bool = False,
        captures: bool = False,
        open_players: OpenPlayers | None = None,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        seated = [Seated.load(self.game, player, captures=captures) for player in players]
        job = Job(
            self.game.name,
            assignments(self.game, players, names, settings),
            dict(options or {}),
            seed,
            leg,
            clock,
            policy or Policy(),
            replay=str(replay),
            start=start,
        ).seeded()
        if job.replay:
            check_folder(job.replay)
        job = self._placed(job, seated, clock or self.game.clock, open_players)
        resolved = options_for(self.game, job.options if start is None else start.options, len(players))
        named = [
            MatchPlayer(seat.name, player.hash, seat.settings, IN_MEMORY)
            for seat, player in zip(job.seats, seated, strict=True)
        ]
        match, recording = Opening(job, self.game, resolved, clock or self.game.clock, named).open()
        referee = Referee(match, None if recording is None else recording.write, read_clock)
        self._begin(job, referee, seated, recording, raises=raises)

    @classmethod
    def from_state(
        cls,
        game: GameSpec,
        state: State,
        players: Sequence[Player],
        chance: Chance,
        *,
        seed: int | str = 0,
        settings: Sequence[Mapping[str, str]] = (),
        clock: Clock | None = None,
        write: Write | None = None,
        raises: bool = False,
    ) -> Self:
        """Play on from a state, as in a search. There is no replay, and no player of another distribution.

        This is made for speed: the bots share lists with the rules, and must not change what they get.

        Args:
            game: The game.
            state: The state. The match changes it.
            players: Who plays on each seat.
            chance: The dice.
            seed: The seed of the bots' own random numbers.
            settings: The settings of each player's bot; by default none.
            clock: What the bots read of their time; by default the clock of the game. No time passes.
            write: Called with each entry of the record, such as an `ActionEntry` for each accepted action.
            raises: As for `MatchInMemory`.
        """
        self = cls.__new__(cls)
        self.game = game
        if any(map(is_brought, players)):
            raise ValueError("A player of another distribution plays whole matches only. Use a policy or a bot here.")
        seated = [Seated.load(game, player) for player in players]
        job = Job(game.name, assignments(game, players, (), settings), seed=seed)
        seeds = [job.bot_seed(player) for player in range(len(players))]
        match = Match(
            game,
            state,
            job.seats,
            chance,
            clock or game.clock,
            job.policy,
            recorded=write is not None,
            bot_seeds=seeds,
        )
        self._begin(job, Referee(match, write, copies=False), seated, None, raises=raises)
        return self

    def _placed(self, job: Job, seated: Sequence[Seated], clock: Clock, players: OpenPlayers | None) -> Job:
        """Return the job with the addresses of players that other distributions bring."""
        if not any(player.is_brought for player in seated):
            return job
        if players is None:
            players = OpenPlayers(job.game)
            self._close_players = weakref.finalize(self, players.close)
        return players.placed(job, clock)

    def _begin(
        self, job: Job, referee: Referee, seated: Sequence[Seated], recording: Recording | None, *, raises: bool
    ) -> None:
        self._lock = threading.RLock()
        self._job = job
        self._recording = recording
        self._left_out = ""
        self._referee = referee
        self._match = referee.match
        self._hashes = [player.hash for player in seated]
        self._seats = [self._seat(number, player, raises=raises) for number, player in enumerate(seated)]
        referee.seat_ends = self._seats
        self._finished = False
        self._turn: int | None = self._match.state.turn_number()
        with self._playing():
            self._match.start_next()
            referee.carry_out()
            while seat := next((seat for seat in self._seats if seat.waits), None):
                seat.start()

    def _seat(self, number: int, seated: Seated, *, raises: bool) -> MemorySeat:
        player, output = seated.player, seated.output
        if seated.is_brought:
            from arena.play.memory.brought import BroughtSeat  # only here: it needs a system with processes

            return BroughtSeat(self._referee, number, output, self._job.seats[number].address)
        if seated.loader is not None:
            return BotSeat(self._referee, number, output, seated.loader, raises=raises)
        if player is None:
            return MemorySeat(self._referee, number, output)
        if isinstance(player, type):
            return BotSeat(self._referee, number, output, player, raises=raises)
        return PolicySeat(self._referee, number, output, player, raises=raises)

    # -- the position --------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state of the game, with everything that is hidden from players. Do not change it."""
        return self._match.state

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._match.over

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the match is played."""
        return self._match.outcome

    @property
    def player(self) -> int | None:
        """The player whose action the rules apply next; None if the match is over."""
        return None if self.over else self._match.mover

    @property
    def out(self) -> tuple[int, ...]:
        """The players who are out: eliminated by the rules, or failed."""
        return tuple(self._match.out)

    @property
    def to_move(self) -> tuple[int, ...]:
        """The players who must act now, `player` first. There are several if they move simultaneously."""
        mover = self.player
        return () if mover is None else (mover, *(player for player in self.state.to_move() if player != mover))

    @property
    def failures(self) -> dict[int, Failure]:
        """The exceptions of players' code that ended their part in the match, by player."""
        seats = enumerate(self._seats)
        return {player: seat.failure for player, seat in seats if isinstance(seat, CodeSeat) and seat.failure}

    @property
    def notes(self) -> Sequence[Note]:
        """What the players said so far: log texts, drawings, tracebacks, and with ``captures`` printed lines.

        A replay has the same notes, with the same limits of size.
        """
        return self._referee.notes

    def view(self, player: int) -> View:
        """Return what a player sees: a flat list of triples, as `State.view` returns it."""
        return self.state.view(player)

    def legal_actions(self, player: int) -> list[Document]:
        """Return a player's legal actions; none if the player is not to move."""
        return self.state.legal_actions(player) if player in self.state.to_move() else []

    def updates(self, player: int) -> Updates:
        """Return the changes and the events that a player has got since the last call, as the protocol sends them.

        The first call returns none: the `view` of that moment has everything.

        Raises:
            ValueError: A bot plays for this player, and it gets the updates.
        """
        return self._seats[player].take_updates()

    # -- playing -------------------------------------------------------------------------------------

    def act(self, player: int, *actions: Document) -> Answer:
        """Carry out actions of a player, up to the first refused one, or the one that ends the player's move.

        Any player can be played so for a while, also one with a bot: it plays on afterwards.

        Raises:
            ValueError: It is another player's move, or an action cannot be sent: it is no plain document. Or the player
                is one of another distribution, which answers for itself.
        """
        with self._playing():
            self._check_move(player, "act")
            return self._seats[player].act(actions)

    def note(self, player: int, text: str) -> None:
        """Write a text into the replay before the player's next action, as `AI.log` does for a bot.

        It becomes notes of at most 2,000 characters. Of a text that needs more than 30, the middle is left out. The
        record of a turn has room for about as much.

        Raises:
            ValueError: It is another player's move, or there are more than 64 notes before one action.
        """
        with self._playing():
            self._check_move(player, "write a note")
            self._seats[player].note(text)

    def step(self) -> None:
        """Let the `player` play: a bot its whole turn, a policy one choice.

        Raises:
            ValueError: The caller must act for this player, or the match is over.
        """
        if self.player is None:
            raise ValueError("The match is over.")
        with self._playing():
            self._seats[self.player].play()

    def play(self) -> int | None:
        """Play on until a player without bot or policy must act. Return this player; None if the match is over."""
        for _ in self.turns():
            pass
        return self.player

    def turns(self) -> Iterator[int]:
        """Play on turn by turn, for example to draw each of them. Yield the game's number of each turn that has ended.

        It stops where `play` returns. Call it again after `act`; it then also yields the turn that `act` has ended. The
        turns that the referee plays for players who failed belong to the turn before.
        """
        while True:
            number = self.state.turn_number()
            if self._turn is not None and (self.over or number != self._turn):
                ended, self._turn = self._turn, None if self.over else number
                yield ended
            if (player := self.player) is None or not self._seats[player].plays:
                return
            self.step()

    def resign(self, player: int, reason: str = "") -> None:
        """Let a player give the match up. Do nothing if the player's part has ended.

        Args:
            player: The player's number.
            reason: Why, for the result and the replay, on one line of at most 300 characters.
        """
        with self._playing():
            self._referee.end(player, "resigned", one_line(reason)[:LONGEST_LINE])

    def void(self, player: int, cause: str) -> None:
        """Make the match void, because something failed that a player needs and cannot break, such as a provider.

        Nobody has won or lost it. The player's `detail` in the result is the cause.

        Args:
            player: The player's number.
            cause: What failed, for the result and the replay, on one line of at most 300 characters.

        Raises:
            ValueError: The match is over, the player's part in it has ended, or the cause is empty.
        """
        if not cause:
            raise ValueError("The cause is empty. Say what has failed.")
        with self._playing():
            if self.over:
                raise ValueError("The match is over, so it cannot become void.")
            self._match.on_outage(player, one_line(cause)[:LONGEST_LINE])
            if not self.over:
                raise ValueError(f"Player {player} has failed before, so the match cannot become void because of it.")
            self._referee.carry_out()

    def close(self) -> None:
        """End the match without a result, if it is not over, and end the replay."""
        with self._playing():
            self._match.void(CLOSED)
            self._referee.carry_out()

    def result(self) -> MatchResult:
        """Return the result of the match, without measured times. A running match has the outcome `void`."""
        players = []
        for player, (seat, assignment) in enumerate(zip(self._seats, self._job.seats, strict=True)):
            result = player_result(self._match, player, assignment.bot, self._hashes[player])
            ended = {"exit": seat.exit, "counts": seat.counts, **seat.output.as_result()}
            players.append(replace(result, isolation=IN_MEMORY, **ended))
        return replace(match_result(self._match, self._job, players), left_out=self._left_out)

    def _check_move(self, player: int, what: str) -> None:
        if player != self.player:
            move = "The match is over." if self.over else f"It is the move of player {self.player}."
            raise ValueError(f"Player {player} cannot {what} now. {move}")

    @contextmanager
    def _playing(self) -> Iterator[None]:
        """Afterwards, finish the match if it is over. If the rules failed, make it void, and raise their exception.

        Raises:
            RuntimeError: Another thread plays the match.
        """
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("Another thread plays this match now. Only one at a time can.")
        try:
            yield
        finally:
            try:
                self._conclude()
            finally:
                self._lock.release()

    def _conclude(self) -> None:
        fault = self._referee.take_fault()
        if fault is not None:
            self._match.void(FAULT)
        if self.over and not self._finished:
            self._finished = True
            self._finish(self._stopped if fault is None else f"{type(fault).__name__}: {fault}")
        if fault is not None:
            raise fault

    def _finish(self, trouble: str) -> None:
        try:
            self._referee.carry_out()
            for seat in self._seats:
                seat.finish()
        finally:
            if self._recording is not None:
                self._left_out = self._recording.finish(self._match, trouble)
            self._close_players()


def play_in_memory(game: str | GameSpec, players: Sequence[Player], **settings: Any) -> MatchResult:
    """Play a whole match in this process, and return its result. Only for trusted code (see `MatchInMemory`).

    Args:
        game: The game, or its name.
        players: Who plays on each seat; nobody can be None.
        **settings: Further arguments of `MatchInMemory`, such as ``seed``, ``options`` and ``replay``.

    Raises:
        ValueError: A player is None.
        ArenaError: As for `MatchInMemory`.
        ReplayError: The replay cannot be written.
    """
    if None in players:
        raise ValueError("A player is None. Use MatchInMemory to choose a player's actions.")
    match = MatchInMemory(game, players, **settings)
    match.play()
    return match.result()
