"""A seat of a match that an agent plays through tools: it reads, acts, and waits, one call after the other.

The match is one of `arena play` in a process of its own, where the seat is a player ``mcp:HANDLE``. Here the seat waits
for it, and plays as a language model does (`playing`): the same prompts, and the same counts of bad answers. In the
place of a provider, an agent answers.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from arena.errors import ArenaError
from arena.play.seats.waiting import SeatClient, Waiting
from arena_agents.playing import Ledger, ModelPlayer, play_seat
from arena_agents.provider import Answer, LateError, Message
from arena_agents.settings import Aids, Budgets

BUDGETS = Budgets(unreadable=10, illegal=10, requests_per_turn=200)
"""An agent sends its orders one by one, and learns what is legal from refusals."""


class AgentSeat:
    """One seat. Any thread can call its methods.

    Args:
        handle: The name by which the agent calls it.
        rules: The rules of the game.
    """

    def __init__(self, handle: str, rules: str) -> None:
        self.handle = handle
        self._rules = rules
        self._changed = threading.Condition()
        self._unread = self._position = self._first = ""
        self._asked = False
        self._answer: str | None = None
        self._waiting = Waiting()
        self.address = self._waiting.address
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        for offer in self._waiting:
            play_seat(offer, self._player)

    def _player(self, client: SeatClient) -> ModelPlayer:
        return ModelPlayer(BUDGETS, Aids(), self, Ledger(self.handle, BUDGETS), self._rules, client)

    # -- the player's thread -------------------------------------------------------------------------

    def shape(self, kind: str, orders: list[str]) -> dict[str, Any]:
        """Return nothing: an agent answers as it likes."""
        del kind, orders
        return {}

    def ask(self, messages: list[Message], shape: dict[str, Any], seconds: float) -> Answer:
        """Ask the agent, and wait for its answer.

        Raises:
            LateError: It does not come in this time.
        """
        del shape
        begin = time.monotonic()
        with self._changed:
            first, self._unread = messages[0]["content"], messages[-1]["content"]
            if len(messages) == 2:  # otherwise the last answer could not be used, and this is the reason
                self._position = self._unread
            if first != self._first:
                self._first, self._unread = first, f"{first}\n\n{self._unread}"
            self._asked, self._answer = True, None
            answered = self._changed.wait_for(lambda: self._answer is not None, seconds)
            self._asked = False
            if not answered or self._answer is None:
                raise LateError
            return Answer(self._answer, seconds=time.monotonic() - begin)

    # -- the agent -----------------------------------------------------------------------------------

    def next(self) -> str:
        """Return what the agent must read before it acts; an empty text if it is not its move."""
        with self._changed:
            if not self._must_act:
                return ""
            text, self._unread = self._unread or self._position, ""
            return text

    @property
    def _must_act(self) -> bool:
        return self._asked and self._answer is None

    def read(self) -> str:
        """Return the rules, and the last position in which the agent had to act; empty before the first one."""
        with self._changed:
            return "\n\n".join(filter(None, (self._first, self._position)))

    def act(self, orders: str) -> None:
        """Answer with orders.

        Raises:
            ArenaError: It is not this player's move.
        """
        with self._changed:
            if not self._must_act:
                raise ArenaError(f"It is not the move of {self.handle}.", hint=f"Call wait with {self.handle}.")
            self._answer = orders
            self._changed.notify_all()

    def close(self) -> None:
        """Stop waiting for matches."""
        self._waiting.close()
