"""Play at the terminal or through a pipe: text goes out, lines come in.

One thread reads lines, one reads the messages of each seat, and one acts on both in turn: only it changes anything.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from arena.bots.seat_program import LOST, RESIGNED
from arena.play.seats.waiting import Action, SeatClient, SeatOffer, Waiting, wants_action
from arena.text import form
from arena.text.form import Things
from arena_player.errors import PlayerError
from arena_player.wire import WireError

HELP = """\
  an action   take it; write it as it is listed, or as the page "A game in words" of the documentation says
  list WORDS  list the legal actions, or those with these words
  show        show everything that you see; `show ID` shows one thing
  resign      give the match up
  help        this list, and the classes, fields and actions of the game"""

Say = Callable[[str], None]


class _TerminalSeat:
    def __init__(self, offer: SeatOffer) -> None:
        self.offer = offer
        self.client = SeatClient(offer.link(), forms=True)
        self.start: Things = {}
        self.seen: Things = {}
        self.legal_actions: list[Action] = []
        self.name = "player"


class Terminal:
    """Plays one or more seats in each match. Lines are read in advance, and used when a player must act.

    Args:
        prompt: Prints a text without an end of line.

    Attributes:
        error: The error that ended the terminal, such as a closed output; None if there was none. The players of the
            terminal then resign in each match.
    """

    def __init__(self, players: Sequence[Waiting], say: Say, prompt: Say, first: int) -> None:
        self._say = say
        self._prompt = prompt
        self._first = first
        self.error: Exception | None = None
        self._lines: deque[str | None] = deque()
        self._asked: deque[_TerminalSeat] = deque()
        self._queue: SimpleQueue[tuple[_TerminalSeat | None, Any]] = SimpleQueue()
        self._start(self._read_lines)
        for waiting in players:
            self._start(self._read_messages, waiting)
        self._start(self._run)

    @staticmethod
    def _start(work: Callable[..., None], *arguments: Any) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    # -- what comes in -------------------------------------------------------------------------------

    def _read_lines(self) -> None:
        """Read lines from descriptor 0 instead of `sys.stdin`.

        A thread that waits for `sys.stdin` holds the lock of `sys.stdin`. Python aborts if the program then ends.
        """
        rest, encoding = b"", "utf-8-sig"  # a file that is piped can begin with a byte order mark
        while data := os.read(0, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._queue.put((None, line.decode(encoding, "replace")))
                encoding = "utf-8"
        if rest:
            self._queue.put((None, rest.decode(encoding, "replace")))
        self._queue.put((None, None))

    def _read_messages(self, waiting: Waiting) -> None:
        for offer in waiting:
            try:
                seat = _TerminalSeat(offer)
                while True:
                    message = seat.client.receive()
                    self._queue.put((seat, (message, seat.client.things())))
                    if message["type"] in ("over", "refused"):
                        break
            except PlayerError as error:
                offer.end(LOST, str(error))

    def _run(self) -> None:
        while True:
            seat, item = self._queue.get()
            try:
                if self.error is None:
                    self._take(seat, item)
            except Exception as error:
                self.error = error
            if self.error is not None:
                seats = [*self._asked, seat] if seat else self._asked
                for asked in seats:
                    asked.offer.end(RESIGNED)

    def _take(self, seat: _TerminalSeat | None, item: Any) -> None:
        if seat is None:
            self._lines.append(item)
        else:
            self._show(seat, *item)
        while self._asked and self._lines:
            self._act_on_line(self._asked[0])

    # -- what goes out -------------------------------------------------------------------------------

    def _show(self, seat: _TerminalSeat, message: dict[str, Any], things: Things) -> None:
        client = seat.client
        seat.legal_actions = message.get("legal_actions", [])
        match message["type"]:
            case "welcome":
                assert client.schema is not None
                seat.name = f"player {client.player}"
                players = f"players 0 to {client.players - 1}"
                self._say(f"{client.schema.title}, {players}. You are {seat.name}. Type help for help.")
            case "start":
                seat.seen = things
            case "turn":
                self._say("")
                number = message["turn"] - self._first + 1
                self._say(f"== Turn {number}: {seat.name}, it is your move.{_clock(message)} ==")
                self._say_news(seat, message, things)
                self._say_position(seat, seat.start)
                seat.start = seat.start or things
            case "result":
                refused = [result for result in message["results"] if isinstance(result, dict)]
                self._say(f"Refused, {refused[0]['code']}: {refused[0]['message']}" if refused else "Done.")
                self._say_news(seat, message, things)
            case "over":
                self._say_news(seat, message, things)
                ending = message["players"][client.player]["ending"]
                self._say(f"The match is over: {seat.name} {ending}. {_outcome(message['outcome'])}")
                self._leave(seat)
            case "refused":
                self._say(message["message"])
                self._leave(seat)
        if wants_action(message):
            if message["type"] == "result":
                self._say_actions(seat)
            self._asked.append(seat)
            self._prompt(f"{seat.name}> ")

    def _leave(self, seat: _TerminalSeat) -> None:
        if seat in self._asked:
            self._asked.remove(seat)
        seat.offer.end()
        seat.client.close()

    def _say_news(self, seat: _TerminalSeat, message: dict[str, Any], things: Things) -> None:
        """Print what has happened since the last message to the player."""
        schema = seat.client.schema
        assert schema is not None
        news = form.news(schema, seat.seen, things, message["events"])
        seat.seen = things
        for line in filter(None, news.splitlines()):
            self._say(f"  {line}")

    def _say_position(self, seat: _TerminalSeat, start: Things) -> None:
        schema = seat.client.schema
        assert schema is not None
        self._say(form.position(schema, seat.seen, start, "full"))
        self._say_actions(seat)

    def _say_actions(self, seat: _TerminalSeat, words: str = "") -> None:
        assert seat.client.schema is not None
        self._say("Legal actions:")
        for line in form.actions(seat.client.schema, seat.legal_actions, words).splitlines() or ["(none)"]:
            self._say(f"  {line}")

    def _say_help(self, seat: _TerminalSeat) -> None:
        assert seat.client.schema is not None
        self._say(HELP)
        self._say(form.card(seat.client.schema))

    # -- commands ------------------------------------------------------------------------------------

    def _act_on_line(self, seat: _TerminalSeat) -> None:
        """Carry out one line of the player who must act."""
        line = self._lines[0]
        if line is None:  # the end of the input stays in the queue for later requests
            self._say("The input has ended: you resign.")
            return self._resign(seat)
        self._lines.popleft()
        word, _, rest = line.strip().partition(" ")
        if any(action["type"] == word.lower() for action in seat.legal_actions):
            return self._act_on_answer(seat, line)
        match word.lower():
            case "resign":
                return self._resign(seat)
            case "list":
                self._say_actions(seat, rest)
            case "show" if rest in seat.seen and seat.client.schema is not None:
                self._say(form.details(seat.client.schema, seat.seen, rest))
            case "show" if not rest:
                self._say_position(seat, {})
            case "help" | "?":
                self._say_help(seat)
            case "":
                pass
            case _:
                return self._act_on_answer(seat, line)
        return self._prompt(f"{seat.name}> ")

    def _act_on_answer(self, seat: _TerminalSeat, line: str) -> None:
        """Send the actions in a line. One that is not legal is sent too: the rules then say why it is refused."""
        assert seat.client.schema is not None
        reading = form.read(seat.client.schema, line, seat.legal_actions)
        if reading.reason:
            self._say(reading.reason)
        if not reading.actions:
            return self._prompt(f"{seat.name}> ")
        try:
            seat.client.act(*reading.actions)
        except WireError as error:
            self._say(f"This action cannot be sent: {error.message}.")
            self._prompt(f"{seat.name}> ")
        except PlayerError:
            self._asked.remove(seat)  # the match has ended; the message `over` follows
        else:
            self._asked.remove(seat)

    def _resign(self, seat: _TerminalSeat) -> None:
        self._asked.remove(seat)
        seat.offer.end(RESIGNED)


def _clock(message: dict[str, Any]) -> str:
    left = [limit for limit in message["clock"].values() if limit is not None]
    return f" You have {min(left):.0f} s." if left else ""


def _outcome(outcome: dict[str, Any]) -> str:
    winner = outcome.get("winner")
    return f"{'Nobody' if winner is None else f'Player {winner}'} wins: {outcome.get('reason', '')}."
