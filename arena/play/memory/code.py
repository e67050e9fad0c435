"""The seats of players whose code runs in this process: a policy or a bot."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from arena.bots.exit import Exit
from arena.play.memory.choices import Answer, Policy, Turn, copied
from arena.play.memory.notes import NOWHERE, Failure, SeatOutput
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat, Updates
from arena_player.ai import AI
from arena_player.session import Session
from arena_player.wire import WireError


class HungUp(BaseException):
    """Ends the code of a bot whose part in the match is over. No bot catches this with `except Exception`."""


class CodeSeat(MemorySeat):
    """A seat whose actions come from code. An exception of the code ends the player's part, like that of a program.

    Args:
        raises: Whether exceptions of the code reach the caller of the match instead.

    Attributes:
        failure: The exception that ended the player's part; None if none did.
    """

    def __init__(self, referee: Referee, player: int, output: SeatOutput, *, raises: bool) -> None:
        super().__init__(referee, player, output)
        self.failure: Failure | None = None
        self._modules: AbstractContextManager[object] = NOWHERE
        self._raises = raises

    def finish(self) -> None:
        self._note_output(closed=True)

    def _run(self, code: Callable[[], object]) -> None:
        try:
            with self.output.captured(), self._modules:
                code()
        except HungUp:
            pass
        except (Exception, SystemExit) as error:
            if self._raises or self._referee.is_at_fault(error):
                raise
            self._fail(error)
        self._note_output()

    def _fail(self, error: BaseException) -> None:
        self.failure = Failure.of(error, self._seat.clock.turn)
        self.output.stderr.write(self.failure.traceback)
        self._note_output(closed=True)
        self._referee.end(self._player, "crashed", Exit(self.failure.exit_code).reason)

    def _say(self, message: dict[str, Any]) -> None:
        """Send a message. In the replay, what the code printed before stands before its actions."""
        self._note_output()
        super()._say(message)

    def _note_output(self, *, closed: bool = False) -> None:
        for kind, lines in self.output.take(closed=closed):
            self._referee.print(self._player, kind, lines)


class PolicySeat(CodeSeat):
    """A seat whose actions come from a function."""

    def __init__(self, referee: Referee, player: int, output: SeatOutput, policy: Policy, *, raises: bool) -> None:
        super().__init__(referee, player, output, raises=raises)
        self._policy = policy
        self._answered: tuple[int, Answer] | None = None

    def play(self) -> None:
        self._run(self._choose)

    def _choose(self) -> None:
        state = self._referee.match.state
        number = state.turn_number()
        answer = None
        if self._answered is not None and self._answered[0] == number:
            answer = self._answered[1]
        choice = self._policy(Turn(state, self._player, number, self._referee.match.game, answer))
        actions = [choice] if isinstance(choice, dict) else list(choice)
        if not actions:
            raise ValueError(f"The policy of player {self._player} chose no action.")
        self._answered = number, self.act(actions)


class BotSeat(CodeSeat):
    """A seat that a bot plays, by the class that a student writes."""

    def __init__(self, referee: Referee, player: int, output: SeatOutput, bot_class: type[AI], *, raises: bool) -> None:
        super().__init__(referee, player, output, raises=raises)
        self._bot_class = bot_class
        self._modules = bot_class._modules or NOWHERE
        self._session: Session | None = None

    def start(self) -> None:
        self.waits = False
        self._run(self._start)

    def play(self) -> None:
        assert self._session is not None
        session, request = self._session, self._merged()
        turn = {**request, "type": "turn", "turn": self._referee.match.state.turn_number()}
        self._run(lambda: session.take(turn))

    def finish(self) -> None:
        """Let the bot know that the match is over."""
        if self._session is not None and self._inbox:
            session, over = self._session, self._merged()
            self._run(lambda: session.take(over))
        super().finish()

    def take_updates(self) -> Updates:
        raise ValueError(f"The updates of player {self._player} are for the player's bot.")

    def receive(self) -> dict[str, Any]:
        """Return the next message for the bot."""
        if not self._inbox:
            raise HungUp
        message: dict[str, Any] = self._inbox.popleft()
        return copied(message) if self._referee.copies else message

    def _start(self) -> None:
        bot = self._bot_class()
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
        try:
            self._say(message)
        except WireError:
            raise
        except Exception as error:  # the bot must not catch what is not its fault
            raise HungUp from error
