"""The state of a running match. It applies actions and collects the updates for each seat."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import msgpack

from arena.game import Chance, GameSpec, IllegalAction, State
from arena.game.action import LEAVE, UNKNOWN_KEY
from arena.play.referee.outputs import ActionEntry, Entry, LeaveEntry, RefusalEntry
from arena.play.referee.seat import Seat

MAX_REFUSED_BYTES = 512
"""If the msgpack bytes of a refused action are more than this, only the beginning of its text is recorded.

An honest action has a tenth of that. A bot once filled a replay with refused actions of 64 kB.
"""
MAX_TEXT = 200
"""Characters of a refused action or of a refusal's message in the replay: two lines of a terminal."""


class Refusal(NamedTuple):
    """Why the rules refused an action.

    This class is not an exception, because a local variable with an exception forms a reference cycle. The cycle would
    keep the refused action in memory until the next garbage collection.
    """

    code: str
    message: str


class RulesFault(Exception):  # noqa: N818 - not a mistake of any player
    """A defect of the game: the rules raised an exception that is no refusal, or refused an action of the referee."""


class Guide(Protocol):
    """Keeps a match on the course of a record. It chooses the draws of actions, and can undo a turn at its end."""

    @property
    def undoable(self) -> bool:
        """Whether actions are not final yet, so that the state can still be popped to an earlier mark."""

    def chance_for(self, seat: Seat, action: dict[str, Any]) -> Chance:
        """Return the source of the draws of an action that is about to be submitted."""

    def after(self, seat: Seat, refusal: Refusal | None) -> None:
        """Take note that this action was accepted or refused."""

    def settle(self) -> None:
        """Bring the state back to the record, if it has left it. The match then finds out who is to move next."""


class LiveState:
    """A game's state, and the seats that get its changes.

    Args:
        record: Called with an entry for each accepted action, each player who leaves, and each refused action that the
            replay has room for. None if nothing is recorded.
        guide: Keeps the match on the course of a record; None for a match of its own.

    Attributes:
        chance: The source of draws.
        actions: The number of accepted actions.
        frames: The number of accepted actions and of players who left.
    """

    def __init__(
        self,
        game: GameSpec,
        state: State,
        seats: Sequence[Seat],
        chance: Chance,
        record: Callable[[Entry], None] | None,
        guide: Guide | None = None,
    ) -> None:
        self.state = state
        self.actions = self.frames = 0
        self.chance = chance
        self._game = game
        self._seats = seats
        self._record = record
        self._guide = guide
        self._course = hashlib.sha256(state.digest().encode())

    @property
    def course(self) -> str:
        """Return a short hash of the starting position, all accepted actions and all draws.

        Identical games have equal hashes.
        """
        return self._course.hexdigest()[:32]

    def push(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> Refusal | None:
        """Apply one action and collect its updates.

        Returns:
            The refusal, or None if the action was accepted.
        """
        if self._guide is None:
            return self._push(seat, action, draws)
        self.chance = self._guide.chance_for(seat, action)
        refusal = self._push(seat, action, draws)
        self._guide.after(seat, refusal)
        return refusal

    def _push(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> Refusal | None:
        try:
            key = None if action is LEAVE else self.state.plan().decoder.unknown_key(action)
            # `legal_actions` can add keys as information for bots. A bot can send such an action back unchanged.
            if key is not None and action not in self.state.legal_actions(seat.player):
                raise IllegalAction(UNKNOWN_KEY, f"{action['type']} has no {key[:40]}")
            mark = self.state.push(seat.player, action, self.chance)
        except IllegalAction as refusal:
            self._refuse(seat, action, refusal)
            return Refusal(refusal.code, refusal.message)
        except Exception as error:
            raise RulesFault(f"the rules of {self._game.name} failed on {action} by player {seat.player}") from error
        drawn = self.chance.take()
        if drawn:
            hides = self.state.hides_information()
            draws += [[draw.label, draw.value] for draw in drawn if draw.is_sent(hides)]
        self.publish(seat.player, action, [draw.value for draw in drawn], mark)
        return None

    def finish_turn_for(self, seat: Seat) -> None:
        """Submit the game's fallback actions until the seat's player is no longer to move, or the turn is over."""
        state = self.state
        number = state.turn_number()
        while seat.player in state.to_move() and state.turn_number() == number:
            if self.push(seat, state.fallback_action(seat.player), []) is not None:
                raise RulesFault(f"the rules of {self._game.name} refused their own fallback action")

    def leave(self, seat: Seat) -> None:
        if self.push(seat, LEAVE, []) is not None:
            raise RulesFault(f"the rules of {self._game.name} refused to let player {seat.player} leave")

    def _refuse(self, seat: Seat, action: Any, refusal: IllegalAction) -> None:
        """Count a refused action. Record it if the limits for the replay allow this (see `RecordShare`)."""
        seat.refusals[refusal.code] += 1
        seat.refused_this_turn += 1
        if self._record is None:
            return
        size = len(msgpack.packb(action))
        if size > MAX_REFUSED_BYTES:
            action = f"{reprlib.repr(action)[:MAX_TEXT]} ({size} bytes)"
        if seat.share.keeps_refusal(min(size, MAX_REFUSED_BYTES)):
            self._record(RefusalEntry(seat.player, action, refusal.code, refusal.message[:MAX_TEXT]))

    def publish(self, player: int, action: dict[str, Any], draws: list[Any], mark: int) -> None:
        state = self.state
        spectators = [] if self._record is None else [None]  # the first stream of a replay is the view of nobody
        updates = state.updates(mark, [*spectators, *(seat.player for seat in self._seats)])
        for seat, (delta, events) in zip(self._seats, updates[len(spectators) :], strict=True):
            seat.see(delta, events)
        self._course.update(msgpack.packb([player, sorted(action.items()), draws]))
        leaves = action is LEAVE
        self.actions += not leaves
        self.frames += 1
        if self._record is not None:
            streams = updates if state.hides_information() else updates[:1]
            deltas, event_lists = [delta for delta, _ in streams], [events for _, events in streams]
            if leaves:
                self._record(LeaveEntry(player, draws, deltas, event_lists))
            else:
                self._record(ActionEntry(player, action, draws, deltas, event_lists))
        if self._guide is None or not self._guide.undoable:
            state.commit()  # otherwise a turn of many actions would fill the memory

    def settle(self) -> None:
        """Let the guide bring the state back to the record. The match calls this before it finds out who is to move."""
        if self._guide is not None:
            self._guide.settle()
