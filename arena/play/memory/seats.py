"""The seats of a match in memory. A seat keeps what the referee sends until the player is served.

`MatchInMemory` calls `start`, then `play` whenever the rules apply this player's action next, and `finish` at the end.
So no player's code runs inside the code of another player.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena.play.memory.choices import Answer, copied
from arena.play.memory.notes import SeatOutput
from arena.play.memory.referee import Referee
from arena.play.referee.carrying import HELLO
from arena.play.referee.clock import Reading
from arena.play.referee.outputs import notes_of
from arena_player.wire import WireError

if TYPE_CHECKING:
    from arena.game import Document

Updates = tuple[list[Any], list[Any]]


class MemorySeat:
    """A seat whose actions come from the caller of the match.

    Attributes:
        plays: Whether `play` does something.
        waits: Whether the player has been told to start, and has not started.
        exit: How the player's code ended, as a program; empty if it came back.
        counts: What the player's program has counted, if another distribution brings it.
    """

    plays = False

    def __init__(self, referee: Referee, player: int, output: SeatOutput) -> None:
        self.waits = False
        self.exit = ""
        self.counts: dict[str, float] = {}
        self.output = output
        self._referee = referee
        self._player = player
        self._seat = referee.match.seats[player]
        self._inbox: deque[dict[str, Any]] = deque()
        self._seen: Updates | None = None

    # -- what the referee does -----------------------------------------------------------------------

    def read_clocks(self) -> Reading:
        return self._referee.read_clock()

    def begin(self) -> None:
        self.waits = True

    def send(self, message: dict[str, Any]) -> None:
        self._inbox.append(message)

    def collect_stack(self) -> None:
        """Do nothing. The player's code has come back already."""

    def hang_up(self) -> None:
        self._inbox.clear()

    # -- what the match does -------------------------------------------------------------------------

    def start(self) -> None:
        self.waits = False
        self._referee.connect(self._player)
        self._say(HELLO)
        self._say({"type": "ready", "seq": self._seat.seq})

    def play(self) -> None:
        """Play in the present turn.

        Raises:
            ValueError: The caller must act.
        """
        raise ValueError(f"Player {self._player} is played by the caller. Call act({self._player}, ACTION).")

    def finish(self) -> None:
        """Take note that the match is over."""

    def act(self, actions: Sequence[Document]) -> Answer:
        """Submit actions in the player's name.

        Raises:
            ValueError: An action cannot be sent.
        """
        self._read()
        before = len(self._inbox)
        try:
            self._say({"type": "act", "seq": self._seat.seq, "actions": list(actions)})
        except WireError as error:
            raise ValueError(f"This action cannot be sent: {error.message}.") from None
        for message in list(self._inbox)[before:]:
            if message["type"] == "result":
                return _answer(message)
        return Answer(0, self._seat.ending or "", self._seat.detail)

    def note(self, text: str) -> None:
        """Write a text into the replay in the player's name, in notes of the length that a player may send.

        Raises:
            ValueError: There are too many notes before the player's next action.
        """
        for part in notes_of(text):
            if violation := self._seat.note("log", part):
                raise ValueError(f"Player {self._player} {violation}.")
        self._referee.carry_out()

    def take_updates(self) -> Updates:
        """Return the changes and events since the last call. The first call returns none."""
        is_first = self._seen is None
        self._read()
        deltas, events = self._seen or ([], [])
        new_deltas, new_events = self._seat.take_updates()
        self._seen = [], []
        return ([], []) if is_first else (deltas + copied(new_deltas), events + copied(new_events))

    def _read(self) -> None:
        """Remove the messages, and keep their changes if they are collected."""
        while self._inbox:
            message = self._inbox.popleft()
            if self._seen is not None:
                self._seen[0].extend(copied(message.get("delta", [])))
                self._seen[1].extend(copied(message.get("events", [])))

    def _say(self, message: dict[str, Any]) -> None:
        self._referee.receive(self._player, message)


def _answer(result: dict[str, Any]) -> Answer:
    """Return a message ``result`` as a value."""
    results, draws = result["results"], tuple(tuple(draw) for draw in result["draws"])
    accepted = [value for value in results if not isinstance(value, dict)]
    refusal = next((value for value in results if isinstance(value, dict)), {"code": "", "message": ""})
    last = accepted[-1] if accepted else None
    return Answer(len(accepted), refusal["code"], refusal["message"], last, draws, result["your_move"])
