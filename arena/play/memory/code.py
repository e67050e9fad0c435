"""The seats of players whose code runs in this process: a policy or a bot."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from arena.bots.exit import Exit, complains_of_memory
from arena.play.memory.choices import Answer, Policy, Turn, copied
from arena.play.memory.notes import NOWHERE, Failure, SeatOutput
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat, Updates
from arena.play.memory.watch import Fate, Watch
from arena.play.referee.clock import Reading
from arena_player.ai import AI
from arena_player.session import Session
from arena_player.wire import WireError

END_SECONDS = 1.0
"""How long a bot's method `end` can take in a worker process. Longer than with processes (`host.SHUTDOWN_GRACE`): there
a bot loses nothing but its last lines, here the match is played again."""


class HungUp(BaseException):
    """Ends the code of a bot whose part in the match is over. No bot catches this with `except Exception`."""


class CodeSeat(MemorySeat):
    """A seat whose actions come from code. An exception of the code ends the player's part, like that of a program.

    Args:
        raises: Whether exceptions of the code reach the caller of the match instead.

    Attributes:
        failure: The exception that ended the player's part; None if none did.
    """

    plays = True

    def __init__(self, referee: Referee, player: int, output: SeatOutput, *, raises: bool) -> None:
        super().__init__(referee, player, output)
        self.failure: Failure | None = None
        self._modules: AbstractContextManager[object] = NOWHERE
        self._raises = raises
        self._watch: Watch | None = referee.watch
        self._fate: Fate | None = None if referee.watch is None else referee.watch.fates.get(player)
        self._runs = self._said = 0

    def finish(self) -> None:
        self._note_output(closed=True)

    def _run(self, code: Callable[[], object]) -> None:
        self._runs += 1
        if not self._is_fated:
            try:
                with self.output.captured(), self._modules, self._watched():
                    code()
            except HungUp:
                pass
            except BaseException as error:
                ends_program = self._watch is not None or isinstance(error, Exception | SystemExit)
                if self._raises or not ends_program or self._referee.is_at_fault(error):
                    raise
                self._fail(error)
            self._note_output()
        if self._is_fated:
            self._meet_fate()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        if self._watch is None:
            yield
            return
        match = self._referee.match
        deadline = time.monotonic() + END_SECONDS if match.over else match.time.next_check(self._player)
        self._watch.begin(self._player, self.output, self._runs, self._said, deadline)
        try:
            yield
        finally:
            self._watch.end()

    def _fail(self, error: BaseException) -> None:
        self.failure = Failure.of(error, self._seat.clock.turn)
        self.output.stderr.write(self.failure.traceback)
        self._note_output(closed=True)
        out_of_memory = complains_of_memory(self.failure.traceback)
        self.exit = Exit(self.failure.exit_code, out_of_memory=out_of_memory).reason
        self._referee.end(self._player, "out_of_memory" if out_of_memory else "crashed", self.exit)

    @property
    def _is_fated(self) -> bool:
        return self._fate is not None and (self._runs, self._said) >= (self._fate.runs, self._fate.said)

    def _meet_fate(self) -> None:
        """End the player's part as it ended when the match was played before."""
        assert self._fate is not None
        fate, match = self._fate, self._referee.match
        self._fate = fate._replace(stdout="", stderr="")  # a skipped turn is no end, and is not printed twice
        self.output.stdout.write(fate.stdout)
        self.output.stderr.write(fate.stderr)
        self._note_output(closed=True)
        late = match.time.next_check(self._player)
        if fate.ending == "timed_out" and not match.over:  # after its move, it has time until its next turn
            if late is not None:
                match.on_time(self._player, Reading(late + 1e-3))
                self._referee.carry_out()
        else:
            self.exit = fate.detail
            self._referee.end(self._player, fate.ending, fate.detail)

    def _say(self, message: dict[str, Any]) -> None:
        """Send a message. In the replay, what the code printed before stands before its actions."""
        self._note_output()
        super()._say(message)
        self._said += 1
        if self._watch is not None:
            self._watch.say(self._said)
            if self._is_fated:
                raise HungUp

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
    """A seat that a bot plays, by the class that a student writes.

    Args:
        bot: The class, or a function that loads it when the bot is to start. What that raises ends the bot's part.
    """

    def __init__(
        self, referee: Referee, player: int, output: SeatOutput, bot: type[AI] | Callable[[], type[AI]], *, raises: bool
    ) -> None:
        super().__init__(referee, player, output, raises=raises)
        self._session: Session | None = None
        self._load = bot
        self._bot_class: type[AI] | None = None
        if isinstance(bot, type):
            self._take(bot)

    def start(self) -> None:
        self.waits = False
        if self._bot_class is None:
            self._run(lambda: self._take(self._load()))  # type: ignore[arg-type]  # a function, not a class
        if self._bot_class is not None:
            self._run(self._start)

    def _take(self, bot_class: type[AI]) -> None:
        self._bot_class = bot_class
        self._modules = bot_class._modules or NOWHERE

    def play(self) -> None:
        if self._is_fated:
            self._meet_fate()
            return
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
        assert self._bot_class is not None
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
