"""The seats of players whose code runs in this process: a policy or a bot."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.bots.exits import Exit
from arena.memory.choices import Answer, Policy, Turn
from arena.memory.documents import copied
from arena.memory.referee import Referee
from arena.memory.seats import Seat, Updates
from arena.text.printable import printable
from arena_player.ai import AI
from arena_player.errors import BOT_RAISED, PlayerError
from arena_player.runner import print_traceback
from arena_player.session import Session
from arena_player.wire import WireError

HERE = str(Path(__file__).parent)


class HungUp(BaseException):
    """Ends the code of a bot whose part in the match is over. No bot catches this with `except Exception`."""


class CodeSeat(Seat):
    """A seat whose actions come from code. An exception of the code ends the player's part, like that of a program.

    Args:
        referee: The referee.
        player: The player's number.
        raises: Whether exceptions of the code reach the caller of the match instead.

    Attributes:
        error: The exception that ended the player's part; None if none did.
    """

    def __init__(self, referee: Referee, player: int, *, raises: bool) -> None:
        super().__init__(referee, player)
        self.error: BaseException | None = None
        self._raises = raises

    def _run(self, code: Callable[[], object]) -> None:
        try:
            code()
        except HungUp:
            return
        except (Exception, SystemExit) as error:
            if self._raises or self._referee.is_at_fault(error):
                raise
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self.error = error
        self.stderr = printable(_traceback(error))
        self._referee.print(self._player, "stderr", self.stderr)
        self._referee.end(self._player, "crashed", Exit(_exit_code(error)).reason)


def _traceback(error: BaseException) -> str:
    """Return what a program would print, without the lines of this package."""
    if isinstance(error, SystemExit):
        return "" if error.code is None or isinstance(error.code, int) else f"{error.code}\n"
    if isinstance(error, PlayerError):
        return f"{error}\n"
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(HERE):
        trace = trace.tb_next
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        print_traceback(error.with_traceback(trace))
    return text.getvalue()


def _exit_code(error: BaseException) -> int:
    """Return the exit code of a program that this exception ends."""
    if isinstance(error, PlayerError):
        return error.exit_code
    if isinstance(error, SystemExit):
        return 0 if error.code is None else error.code if isinstance(error.code, int) else BOT_RAISED
    return BOT_RAISED


class PolicySeat(CodeSeat):
    """A seat whose actions come from a function.

    Args:
        referee: The referee.
        player: The player's number.
        policy: The function.
        raises: As for `CodeSeat`.
    """

    def __init__(self, referee: Referee, player: int, policy: Policy, *, raises: bool) -> None:
        super().__init__(referee, player, raises=raises)
        self._policy = policy
        self._answered: tuple[int, Answer] | None = None

    def play(self) -> None:
        """Let the function choose once."""
        self._run(self._choose)

    def _choose(self) -> None:
        state = self._referee.match.state
        number = state.turn_number()
        answer = self._answered[1] if self._answered is not None and self._answered[0] == number else None
        choice = self._policy(Turn(state, self._player, number, answer))
        actions = [choice] if isinstance(choice, dict) else list(choice)
        if not actions:
            raise ValueError(f"The policy of player {self._player} chose no action.")
        self._answered = number, self.act(actions)


class BotSeat(CodeSeat):
    """A seat that a bot plays, by the class that a student writes.

    Args:
        referee: The referee.
        player: The player's number.
        kind: The bot's class.
        raises: As for `CodeSeat`.
    """

    def __init__(self, referee: Referee, player: int, kind: type[AI], *, raises: bool) -> None:
        super().__init__(referee, player, raises=raises)
        self._kind = kind
        self._session: Session | None = None

    def start(self) -> None:
        """Make the bot and start its session."""
        self.waits = False
        self._run(self._start)

    def play(self) -> None:
        """Let the bot play its turn."""
        assert self._session is not None
        session, request = self._session, self._merged()
        turn = {**request, "type": "turn", "turn": self._referee.match.state.turn_number()}
        self._run(lambda: session.take(turn))

    def finish(self) -> None:
        """Let the bot know that the match is over."""
        if self._session is not None and self._inbox:
            session, over = self._session, self._merged()
            self._run(lambda: session.take(over))

    def take_updates(self) -> Updates:
        """Raise an error: the updates are the bot's.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f"The updates of player {self._player} are for the player's bot.")

    def receive(self) -> dict[str, Any]:
        """Return the next message for the bot."""
        if not self._inbox:
            raise HungUp
        message: dict[str, Any] = self._inbox.popleft()
        return copied(message) if self._referee.copies else message

    def _start(self) -> None:
        bot = self._kind()
        self._referee.connect(self._player)
        session = Session(bot, _Link(self, self._say))
        if session.enter():
            self._session = session
            session.take(self.receive())

    def _read(self) -> None:
        """Keep the messages for the bot, also if somebody else acts in its place."""

    def _merged(self) -> dict[str, Any]:
        """Return the last message, with the changes and events of all messages since the bot read one."""
        message = self.receive()
        while self._inbox:
            last = self.receive()
            message = {**last, "delta": message["delta"] + last["delta"], "events": message["events"] + last["events"]}
        return message


class _Link:
    """What the session of a bot has in place of a connection."""

    def __init__(self, seat: BotSeat, say: Callable[[dict[str, Any]], None]) -> None:
        self.receive = seat.receive
        self._say = say

    def send(self, message: dict[str, Any]) -> None:
        """Send a message of the bot."""
        try:
            self._say(message)
        except WireError:
            raise
        except Exception as error:  # the bot must not catch what is not its fault
            raise HungUp from error
