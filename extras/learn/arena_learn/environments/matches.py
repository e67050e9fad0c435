"""The match of one seat against its opponents: in memory, or with each opponent in a sandbox of its own."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.bots.seat_program import FINISHED, RESIGNED
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, Outcome, State, View
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.result import MatchResult
from arena.play.memory import MatchInMemory, Player
from arena.play.referee.match_process import ForkServer, MatchProcess
from arena.play.seats.waiting import SeatClient, Waiting, wants_action
from arena_player.errors import PlayerError


@dataclass(frozen=True, slots=True)
class Sandboxed:
    """An opponent that plays in a process of its own, in a sandbox if this machine has one, as in `arena play`.

    It can be a bot that you do not trust, in any language. A match starts in about a tenth of a second, and a step
    takes some times as long as in memory.

    Attributes:
        bot: A file, a folder or ``builtin:NAME``.
    """

    bot: str | Path


class InMemory:
    """A match whose opponents play in this process.

    Attributes:
        state: The state of the game, with everything that is hidden from the seat.
    """

    def __init__(
        self,
        game: GameSpec,
        seat: int,
        opponents: Sequence[Player],
        settings: Sequence[Mapping[str, str]],
        seed: int,
        options: Mapping[str, Any],
    ) -> None:
        players: list[Player] = [*opponents[:seat], None, *opponents[seat:]]
        given = [*settings[:seat], {}, *settings[seat:]]
        self._match = MatchInMemory(game, players, seed=seed, options=options, settings=given, raises=True)
        self._seat = seat
        self.state: State = self._match.state
        self._match.play()

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._match.over

    @property
    def turn(self) -> int:
        """The game's number of the turn."""
        return self.state.turn_number()

    @property
    def out(self) -> Sequence[int]:
        """The players who are out."""
        return self._match.out

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the match goes on."""
        return self._match.outcome

    @property
    def ending(self) -> str:
        """How the match has ended for the seat."""
        return self._match.result().players[self._seat].ending

    def view(self) -> View:
        """Return what the seat sees, as flat triples."""
        return self._match.view(self._seat)

    def legal_actions(self) -> list[Document]:
        """Return the legal actions; none if the match is over."""
        return [] if self.over else self._match.legal_actions(self._seat)

    def fallback_action(self) -> Document:
        """Return the action that the referee would take for the seat."""
        return self.state.fallback_action(self._seat)

    def act(self, action: Document) -> None:
        """Carry out an action, and let the others play until it is the seat's move again."""
        self._match.act(self._seat, action)
        self._match.play()

    def resign(self) -> None:
        """Give the match up."""
        self._match.resign(self._seat)
        self._match.play()

    def close(self) -> None:
        """Do nothing: the match holds nothing."""


class InSandbox:
    """A match whose opponents play in sandboxes. The seat takes part as a person would, without a clock.

    Args:
        server: Starts the process of the match.

    Raises:
        ArenaError: A bot cannot play, or the match failed.
    """

    state = None

    def __init__(
        self,
        game: GameSpec,
        seat: int,
        opponents: Sequence[str],
        seed: int,
        options: Mapping[str, Any],
        server: ForkServer,
    ) -> None:
        self._place = Waiting()
        self._seat = seat
        self._result: MatchResult | None = None
        self._fault: ArenaError | None = None
        self._message: dict[str, Any] = {}
        self._turn = 0
        self._client: SeatClient | None = None
        clock = replace(game.clock, bank=None, turn=None, turn_wall=None)
        seats = [SeatAssignment(bot) for bot in opponents]
        seats.insert(seat, SeatAssignment(HUMAN, address=self._place.address, clock=clock))
        self._process = MatchProcess(Job(game.name, tuple(seats), dict(options), seed), server)
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()
        self._offer = next(self._place, None)
        if self._offer is None:
            self._finish()
        else:
            self._client = SeatClient(self._offer.endpoint)
            self._receive()
        if self._result is not None:
            self._explain(self._result)

    def _wait(self) -> None:
        """Wait for the end of the match in a thread. If it ends before the seat was offered, the offer never comes."""
        try:
            self._result = self._process.wait()
        except ArenaError as error:
            self._fault = error
        self._place.close()

    def _explain(self, result: MatchResult) -> None:
        """Raise an error that says why the match ended before the seat's first action."""
        failed = next((one for one in result.players if one.failed), None)
        why = "it has no result" if failed is None else f"{failed.name}: {failed.ending}, {failed.detail}"
        raise ArenaError(
            f"The match was over before the first action: {why}.",
            hint="" if failed is None else failed.stderr.strip().rpartition("\n")[2],
            exit_code=ExitCode.NO_START,
        )

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
        found: Sequence[int] = self._message.get("out", ())
        return found

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the match goes on."""
        return None if self._result is None else self._result.outcome

    @property
    def ending(self) -> str:
        """How the match has ended for the seat."""
        return "" if self._result is None else self._result.players[self._seat].ending

    def view(self) -> View:
        """Return what the seat sees, as flat triples."""
        flat: View = []
        for id_, (kind, fields) in self._client.things().items() if self._client is not None else ():
            flat += (id_, "+", kind)
            for name, value in fields.items():
                flat += (id_, name, value)
        return flat

    def legal_actions(self) -> list[Document]:
        """Return the legal actions; none if the match is over."""
        return [] if self.over else list(self._message["legal_actions"])

    def fallback_action(self) -> Document:
        """Return the action that ends the turn if there is one, else the first legal action."""
        legal = self.legal_actions()
        return next((one for one in legal if one["type"] in ("end_turn", "pass")), legal[0])

    def act(self, action: Document) -> None:
        """Carry out an action, and let the others play until it is the seat's move again."""
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
