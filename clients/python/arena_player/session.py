"""Play one match as a client: send and receive the messages of the protocol in their order.

The session opens no socket. It uses an object that sends and receives messages.
"""

from collections.abc import Callable, Iterator
from time import monotonic

from . import wire
from .ai import AI, Outcome
from .draw import Canvas, Notes
from .errors import BOT_RAISED, CONNECTION_LOST, REFUSED, PlayerError
from .light import Any, Protocol, contextmanager
from .result import NOT_TRIED, NOT_YOUR_TURN, Result
from .schema import parse_schema
from .version import __version__
from .world import World

NEVER_RUN = {
    "generator": "a generator",
    "coroutine": "a coroutine",
    "async_generator": "an asynchronous generator",
}
"""What a method returns that contains `yield` or `async`, by the name of the type."""
AT_RANDOM = "at_random"
"""The setting that makes any bot weaker: so many of 100 turns are random legal actions."""
MOST_AT_RANDOM = 200
"""The most random actions of a batch. The turn ends after `MOST_BATCHES`."""
MOST_BATCHES = 50
CLIENT = f"arena-player/{__version__} python"


class MessageLink(Protocol):
    """An object that sends messages to the referee and receives messages from the referee."""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""

    def receive(self) -> dict[str, Any]:
        """Wait for the next message."""


class MatchOver(BaseException):
    """Raised to leave the bot's `run_turn` when the match ends during the turn."""


class Session:
    """Plays one match with one bot.

    Args:
        ai: The bot.
        link: The connection to the referee.
    """

    def __init__(self, ai: AI, link: MessageLink) -> None:
        self.ai = ai
        self.link = link
        self.notes = Notes()
        self.seed: str | None = None
        self._seq = 0
        self.is_my_move = False
        self._in_turn = False
        self._sent = 0
        self._clock: dict[str, float | None] = {}
        self._clock_read = 0.0
        self._queue: list[tuple[dict[str, Any], Result[Any]]] | None = None
        self._last: dict[str, Any] = {}

    # --- the match -----------------------------------------------------------------------

    def play(self) -> Outcome:
        """Play from `hello` to `over`, and return the outcome. It is empty if the match never began.

        Raises:
            PlayerError: The referee refused the bot, the connection is lost, or the bot did not move.
            Exception: Any exception of the bot's own code.
        """
        if not self.enter():
            return Outcome({}, [], 0)
        while (outcome := self.take(self._receive())) is None:
            pass
        return outcome

    def take(self, message: dict[str, Any]) -> Outcome | None:
        """Handle a message `start`, `turn` or `over` of the referee.

        Returns:
            The outcome if the match is over, else None.
        """
        try:
            if message["type"] == "turn":
                self._turn(message)
                return None
            if message["type"] == "start":
                self._start(message)
                return None
        except MatchOver:
            message = self._last
        if message["type"] == "over":
            return self._over(message)
        raise self._unexpected(message)

    def enter(self) -> bool:
        """Exchange `hello` and `welcome`. Return False if the match ended because another bot did not start."""
        ai = self.ai
        self.link.send(
            {
                "type": "hello",
                "protocol": wire.PROTOCOL,
                "client": CLIENT,
                "schema": ai.schema_hash,
                "legal_actions": bool(ai.wants_legal_actions),
            }
        )
        welcome = self._receive()
        if welcome["type"] == "over":
            return False
        if welcome["type"] != "welcome":
            raise self._unexpected(welcome)
        schema = parse_schema(welcome["schema"])
        self.world = World(schema, self.act, ai.game_classes, ai.tile_class)
        self.world.options = welcome["options"]
        self.world.player = welcome["player"]
        root = schema.classes[schema.root]
        self._ends_turns = any(action.name == "end_turn" and not action.parameters for action in root.actions)
        ai._session = self
        ai.game = self.world.game
        ai.index = welcome["player"]
        ai.player = ai.me = welcome["player"]
        ai.turn = 0
        ai.settings = welcome["settings"]
        self.seed = welcome.get("seed")
        ai.options = welcome["options"]
        ai.events = []
        ai.legal_actions = []
        ai.out = []
        ai.draw = Canvas(self.notes)
        return True

    def _start(self, message: dict[str, Any]) -> None:
        self._seq = message["seq"]
        self.world.apply(message["view"])
        self._find_player()
        self._call(self.ai.start)
        self.link.send({"type": "ready", "seq": self._seq})

    def _find_player(self) -> None:
        for thing in self.world.objects.values():
            if thing._class_name == "Player" and thing.__dict__.get("index") == self.ai.index:
                self.ai.player = self.ai.me = thing

    def _turn(self, message: dict[str, Any]) -> None:
        self._seq = message["seq"]
        self.ai.turn = message["turn"]
        self.is_my_move = True
        self._apply(message)
        self.world.gone.clear()
        share = float(self.ai.settings.get(AT_RANDOM, 0))
        is_random = share > 0 and 100 * self.ai.random.random() < share
        while self.is_my_move:
            self._sent = 0
            self._in_turn = True
            self._call(self._act_at_random if is_random else self.ai.run_turn)
            self._in_turn = False
            if self.is_my_move:
                self._end_turn()

    def _act_at_random(self) -> None:
        """Play the turn at random. Dice, and what is hidden, can refuse actions that were drawn for a copy."""
        rng, player = self.ai.random, self.ai.index
        for _ in range(MOST_BATCHES):
            if not self.is_my_move:
                break
            state = self.ai.game.fork(rng)
            turn = state.turn_number()
            actions: list[dict[str, Any]] = []
            while player in state.to_move() and state.turn_number() == turn and len(actions) < MOST_AT_RANDOM:
                actions.append(state.random_action(player, rng))
                state.push(player, actions[-1])
            self._try(actions, keep_going=True)

    def _call(self, hook: Callable[[], None]) -> None:
        """Call a method of the bot.

        If the method raises an exception during the bot's move, first send the pending log lines and drawings.
        """
        try:
            returned: Any = hook()  # type: ignore[func-returns-value]
        except Exception:
            if self.is_my_move:
                self._flush_notes()
            raise
        kind = type(returned).__name__
        if kind in NEVER_RUN:
            if kind == "coroutine":
                returned.close()  # otherwise Python warns that nobody awaits it
            name = hook.__name__
            raise PlayerError(
                f"{name} returned {NEVER_RUN[kind]}, so none of its code has run.",
                hint=f"Write `def {name}(self)` without `async` and `yield`, and call actions without `await`.",
                exit_code=BOT_RAISED,
            )
        if returned is False and self._in_turn:
            raise PlayerError(
                "run_turn returned False, but its result does not keep the turn open.",
                hint="The turn ends when run_turn returns: do all of it in one call, and return nothing.",
                exit_code=BOT_RAISED,
            )

    def _end_turn(self) -> None:
        """Send `end_turn` if the game has this action. Called if this player is still to move after `run_turn`.

        Raises:
            PlayerError: `run_turn` sent no action, and this player is still to move.
        """
        sent = self._sent
        refusal = None
        if self._ends_turns:
            refusal = self._exchange([{"type": "end_turn"}])[0]
        if self.is_my_move and not sent:
            why = f" and end_turn was refused: {refusal.message}" if refusal is not None and not refusal else ""
            raise PlayerError(
                f"run_turn returned without an action although it is your move{why}.",
                hint="run_turn must call at least one action that the game accepts.",
                exit_code=BOT_RAISED,
            )

    def _over(self, message: dict[str, Any]) -> Outcome:
        self.is_my_move = False
        self._apply(message)
        outcome = Outcome(message["outcome"], [entry["ending"] for entry in message["players"]], self.ai.index)
        self.ai.end(outcome)
        return outcome

    # --- actions -------------------------------------------------------------------------

    def act(self, document: dict[str, Any]) -> Result[Any]:
        """Carry out one action, or queue it inside a batch.

        Raises:
            RuntimeError: The bot is not in `run_turn`.
            ValueError: The action cannot be sent.
        """
        if self._queue is not None:
            result: Result[Any] = Result.pending()
            self._queue.append((document, result))
            return result
        return self._try([document])[0]

    @contextmanager
    def batch(self, *, keep_going: bool = False) -> Iterator[list[Result[Any]]]:
        """Queue the actions of the block, and send them at its end. If the block raises an exception, send nothing.

        Args:
            keep_going: Whether to carry out the actions after a refused one as well.

        Raises:
            RuntimeError: The block is inside another batch.
        """
        if self._queue is not None:
            raise RuntimeError("A batch cannot be opened inside another batch.")
        results: list[Result[Any]] = []
        self._queue = []
        try:
            yield results
            queue = self._queue
        finally:
            self._queue = None
        results.extend(result for _, result in queue)
        settled = self._try([document for document, _ in queue], keep_going=keep_going) if queue else []
        for (_, result), outcome in zip(queue, settled, strict=True):
            result.settle(outcome)

    def _try(self, documents: list[dict[str, Any]], *, keep_going: bool = False) -> list[Result[Any]]:
        if not self._in_turn:
            raise RuntimeError("Actions can only be called from run_turn.")
        results: list[Result[Any]] = []
        while len(results) < len(documents):
            part = documents[len(results) :]
            part = part[: wire.fitting(part)] if len(part) > 1 else part
            if not self.is_my_move:
                code, why = NOT_YOUR_TURN, "your turn is over"
            elif results and not results[-1] and not keep_going:
                code, why = NOT_TRIED, "an earlier action of the batch was refused"
            else:
                self._sent += len(part)
                results += self._exchange(part, keep_going=keep_going)
                continue
            results += [Result(code=code, message=why) for _ in part]
        return results

    def _exchange(self, documents: list[dict[str, Any]], *, keep_going: bool = False) -> list[Result[Any]]:
        """Send one `act` and handle its `result`."""
        message: dict[str, Any] = {"type": "act", "seq": self._seq, "actions": documents}
        if keep_going:
            message["keep_going"] = True
        try:
            self._flush_notes()
            self.link.send(message)
        except wire.WireError as error:
            raise ValueError(f"This action cannot be sent: {error.message}.") from None
        message = self._receive()
        if message["type"] == "over":
            self._last = message
            raise MatchOver
        if message["type"] != "result":
            raise self._unexpected(message)
        self._seq = message["seq"]
        self.is_my_move = message["your_move"]
        self._apply(message)
        results = [self._result(one) for one in message["results"][: len(documents)]]
        refused = [(document, one) for document, one in zip(documents, results, strict=False) if one.code]
        if len(results) < len(documents):
            why = "an earlier action ended the turn" if results[-1] else "an earlier action of the batch was refused"
            results += [Result(code=NOT_TRIED, message=why) for _ in range(len(documents) - len(results))]
        for document, result in refused:
            self.ai.refused(document, result)
        return results

    def _result(self, result: Any) -> Result[Any]:
        if type(result) is dict:
            return Result(code=result["code"] or "refused", message=result["message"])
        return Result(None if result is None else self.world.objects.get(result))

    # --- messages ------------------------------------------------------------------------

    def _apply(self, message: dict[str, Any]) -> None:
        self.world.apply(message["delta"])
        self.ai.events = message["events"]
        self.ai.legal_actions = self.world.legal_actions = message.get("legal_actions", [])
        if message["type"] == "turn":
            self.ai.out = message.get("out", [])
        self._clock = message.get("clock", {})
        self._clock_read = monotonic()
        in_turn, self._in_turn = self._in_turn, False
        self.ai.game_updated()
        self._in_turn = in_turn

    def _flush_notes(self) -> None:
        for note in self.notes.take(self._seq):
            self.link.send(note)

    def _receive(self) -> dict[str, Any]:
        message = self.link.receive()
        if message["type"] == "refused":
            raise PlayerError(f"The referee refused the bot: {message['message']}", exit_code=REFUSED)
        return message

    def _unexpected(self, message: dict[str, Any]) -> PlayerError:
        return PlayerError(f"The referee sent an unexpected message: {message['type']}.", exit_code=CONNECTION_LOST)

    def time_left(self) -> float | None:
        """Return the seconds left for this turn: the time in the last message, minus the time used since then.

        Return None if there is no time limit.
        """
        limits = [limit for limit in self._clock.values() if limit is not None]
        if not limits:
            return None
        used = monotonic() - self._clock_read if self.is_my_move else 0.0
        return max(0.0, min(limits) - used)
