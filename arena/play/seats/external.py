"""Play one seat of a match from Python, against bots that play in sandboxes of their own.

    from arena.game import load
    from arena.play.seats.external import ExternalSeat, ForkServer

    server = ForkServer("saloon")
    seat = ExternalSeat(load("saloon"), 0, ["builtin:sheriff"], seed=1, options={}, server=server)
    while not seat.over:
        seat.act(choose(seat.view(), seat.legal_actions()))
    seat.close()
    server.close()

The match is one of `arena play` in a process of its own, and the seat is that of a person without a clock. So the
opponents can be bots that nobody trusts, in any language. A match in memory (`arena.play.memory`) is much faster, and
needs bots in Python that are trusted.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.bots.seat_program import FINISHED, RESIGNED
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, Outcome, View
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.result import MatchResult
from arena.play.referee.match_process import ForkServer, MatchProcess
from arena.play.seats.waiting import SeatClient, Waiting, wants_action
from arena_player.errors import PlayerError

__all__ = ["ExternalSeat", "ForkServer"]


class ExternalSeat:
    """One seat of a match whose other seats are played by bots in sandboxes. Creating it starts the match.

    Args:
        game: The game.
        seat: The number of the seat, from 0.
        opponents: The bot of each other seat: a file, a folder, an archive or ``builtin:NAME``.
        seed: The seed of the match.
        options: Options of the game.
        server: Starts the process of the match. Several matches, one after the other, can share it.

    Raises:
        ArenaError: A bot cannot play, or the match failed.
    """

    def __init__(
        self,
        game: GameSpec,
        seat: int,
        opponents: Sequence[str],
        seed: int,
        options: Mapping[str, Any],
        server: ForkServer,
    ) -> None:
        self._waiting = Waiting()
        self._seat = seat
        self._result: MatchResult | None = None
        self._fault: ArenaError | None = None
        self._message: dict[str, Any] = {}
        self._turn = 0
        self._client: SeatClient | None = None
        clock = replace(game.clock, bank=None, turn=None, turn_wall=None)
        seats = [SeatAssignment(bot) for bot in opponents]
        seats.insert(seat, SeatAssignment(HUMAN, address=self._waiting.address, clock=clock))
        self._process = MatchProcess(Job(game.name, tuple(seats), dict(options), seed), server)
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()
        self._offer = next(self._waiting, None)
        if self._offer is None:
            self._finish()
        else:
            self._client = SeatClient(self._offer.link(), forms=True)
            self._receive()
        if self._result is not None:
            raise _early_end(self._result)

    def _wait(self) -> None:
        """Wait for the end of the match in a thread. If it ends before the seat was offered, the offer never comes."""
        try:
            self._result = self._process.wait()
        except ArenaError as error:
            self._fault = error
        self._waiting.close()

    def _receive(self) -> None:
        assert self._client is not None
        try:
            while True:
                self._message = self._client.receive()
                self._turn = self._message.get("turn", self._turn)
                if self._message["type"] in ("over", "refused"):
                    self._finish(FINISHED)
                    return
                if wants_action(self._message):
                    return
        except PlayerError:  # the match ended without a last message
            self._finish(FINISHED)

    def _finish(self, code: int | None = None) -> None:
        if code is not None and self._offer is not None:
            self._offer.end(code)
        self._thread.join()
        if self._client is not None:
            self._client.close()
        if self._result is not None and self._result.fault:
            self._fault = ArenaError(self._result.fault, exit_code=ExitCode.FAULT)
        if self._fault is not None:
            raise self._fault

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._result is not None

    @property
    def turn(self) -> int:
        """The game's number of the turn."""
        return self._turn

    @property
    def out(self) -> Sequence[int]:
        """The players who are out."""
        players: Sequence[int] = self._message.get("out", ())
        return players

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None before the end of the match."""
        return None if self._result is None else self._result.outcome

    @property
    def ending(self) -> str:
        """How the match has ended for the seat, such as ``won``; empty before the end of the match."""
        return "" if self._result is None else self._result.players[self._seat].ending

    def view(self) -> View:
        """Return what the seat sees, as flat triples of `arena.game.State.view`."""
        flat: View = []
        for id_, (class_name, fields) in self._client.things().items() if self._client is not None else ():
            flat += (id_, "+", class_name)
            for name, value in fields.items():
                flat += (id_, name, value)
        return flat

    def legal_actions(self) -> list[Document]:
        """Return the legal actions, which can be forms; none if the match is over."""
        return [] if self.over else list(self._message["legal_actions"])

    def act(self, action: Document) -> None:
        """Carry out an action, and let the others play until it is the seat's move again.

        Args:
            action: One of the legal actions.

        Raises:
            ArenaError: The match failed.
        """
        assert self._client is not None
        self._client.act(action)
        self._receive()

    def resign(self) -> None:
        """Give the match up."""
        self._finish(RESIGNED)

    def close(self) -> None:
        """End the match, also in the middle."""
        if not self.over and self._fault is None:
            self._process.kill()
            with contextlib.suppress(ArenaError):
                self._finish(FINISHED)
        self._process.__exit__(None, None, None)


def _early_end(result: MatchResult) -> ArenaError:
    """Return an error that says why the match ended before the seat's first action."""
    failed = next((player for player in result.players if player.failed), None)
    if failed is None:
        reason, hint = "it has no result", ""
    else:
        reason = f"{failed.name}: {failed.ending}, {failed.detail}"
        hint = failed.stderr.strip().rpartition("\n")[2]
    return ArenaError(f"The match was over before the first action: {reason}.", hint=hint, exit_code=ExitCode.NO_START)
