"""The game on the table: carries actions out, has them written down, and keeps the news for every seat."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any

import msgpack

from arena.game import Chance, GameSpec, IllegalAction, State
from arena.referee.record import Record
from arena.referee.seat import Seat

MAX_REFUSED_BYTES = 512
"""A longer refused action is recorded as the beginning of its text."""
MAX_TEXT = 200


class RulesFault(Exception):  # noqa: N818 - not a mistake of any player
    """The rules raised something other than a refusal: a defect of the game, loud and with the action at hand."""


class Board:
    """A position and everybody who is to hear how it changes.

    Args:
        game: The game.
        state: The position.
        seats: Who plays.
        chance: Answers the draws of the rules.
        record: Where every action and refusal is written.

    Attributes:
        actions: How many actions were accepted.
    """

    def __init__(self, game: GameSpec, state: State, seats: Sequence[Seat], chance: Chance, record: Record) -> None:
        self.state = state
        self.actions = 0
        self._game = game
        self._seats = seats
        self._chance = chance
        self._record = record

    def push(self, seat: Seat, action: dict[str, Any], draws: list[Any]) -> IllegalAction | None:
        """Carry out one action and tell everybody.

        Args:
            seat: Who submits it.
            action: Its document.
            draws: Gets what was drawn in public, as pairs of label and value.

        Returns:
            The refusal, if there is one.

        Raises:
            RulesFault: The rules failed.
        """
        try:
            mark = self.state.push(seat.player, action, self._chance)
        except IllegalAction as refusal:
            self._refuse(seat, action, refusal)
            return refusal
        except Exception as error:
            raise RulesFault(f"the rules of {self._game.name} failed on {action} by player {seat.player}") from error
        made = self._chance.take()
        draws += [[draw.label, draw.value] for draw in made if draw.public]
        self._publish(seat.player, action, [draw.value for draw in made], mark)
        return None

    def _refuse(self, seat: Seat, action: Any, refusal: IllegalAction) -> None:
        """Count a refused action, and record it as far as the player's share of the record allows."""
        seat.refusals[refusal.code] += 1
        seat.refused_this_turn += 1
        size = len(msgpack.packb(action))
        if size > MAX_REFUSED_BYTES:
            action = f"{reprlib.repr(action)[:MAX_TEXT]} ({size} bytes)"
        if seat.notes.keeps_refusal(min(size, MAX_REFUSED_BYTES)):
            self._record.refuse(seat.player, action, refusal.code, refusal.message[:MAX_TEXT])

    def finish_turn_for(self, seat: Seat) -> None:
        """Submit the game's fallback actions until somebody else is to move or the turn is over.

        Raises:
            RulesFault: The rules failed, or refused them.
        """
        state = self.state
        number = state.turn_number()
        while seat.player in state.to_move() and state.turn_number() == number:
            if self.push(seat, state.fallback_action(seat.player), []) is not None:
                raise RulesFault(f"the rules of {self._game.name} refused their own fallback action")

    def _publish(self, player: int, action: dict[str, Any], draws: list[Any], mark: int) -> None:
        state = self.state
        deltas = [state.delta(mark)]
        events: list[list[Any]] = [state.events(mark)]
        if state.hides_information():
            for seat in self._seats:
                deltas.append(state.delta(mark, seat.player))
                events.append(state.events(mark, seat.player))
                seat.delta += deltas[-1]
                seat.events += events[-1]
        else:
            for seat in self._seats:
                seat.delta += deltas[0]
                seat.events += events[0]
        self.actions += 1
        self._record.do(player, state.plan().decoder.known_part(action), draws, deltas, events)
        state.commit()
