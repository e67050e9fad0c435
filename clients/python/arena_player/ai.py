"""The base class of all bots."""

import os
import sys
from collections.abc import Iterator, Mapping

from .draw import Canvas
from .errors import PlayerError
from .grid import Tile
from .light import TYPE_CHECKING, Any, ClassVar, ModuleType, contextmanager
from .objects import GameObject
from .result import Result

if TYPE_CHECKING:
    from random import Random

    from .modules import BotModules
    from .session import Session
if not TYPE_CHECKING:
    from .light import cached_property
else:
    from functools import cached_property


class Outcome:
    """The result of a match.

    Attributes:
        won: True if this bot won.
        ending: How the match ended for this bot: "won", "lost", "drawn", "timed_out" and so on. Empty if the
            match never began.
        endings: The endings of all players, in order.
        document: The outcome as the game describes it.
    """

    def __init__(self, document: dict[str, Any], endings: list[str], player: int) -> None:
        self.document = document
        self.endings = endings
        self.ending = endings[player] if player < len(endings) else ""
        self.won = self.ending == "won"

    def __repr__(self) -> str:
        return f"<Outcome: {self.ending} {self.document}>"


class AI:
    """A bot. Write a subclass with a method `run_turn`.

    Attributes:
        game: The game, always current. You reach all its objects from here.
        player: Your player object, or your number if the game has no player objects.
        me: Another name for `player`.
        index: Your number, from 0.
        turn: The number of the turn being played.
        settings: The values given with `--bot-option NAME=VALUE`.
        options: The options of this match.
        events: What happened since the last update, as maps with a `kind`.
        legal_actions: All your legal actions while it is your move, if `wants_legal_actions` is set. Else empty.
        out: The players who are out of the match: eliminated, or failed. As of the beginning of your turn.
        draw: Draws on the board in the replay.
    """

    wants_legal_actions: ClassVar[bool] = False
    """Set to True to get `self.legal_actions`. This makes each move slower."""

    schema_hash: ClassVar[str | None] = None
    game_classes: ClassVar[Mapping[str, type[GameObject]]] = {}  # noqa: RUF012 - it is a `ClassVar`
    tile_class: ClassVar[type[Tile]] = Tile

    game: Any
    player: Any
    me: Any
    index: int
    turn: int
    settings: dict[str, str]
    options: dict[str, Any]
    events: list[dict[str, Any]]
    legal_actions: list[dict[str, Any]]
    out: list[int]
    draw: Canvas

    _session: "Session"
    _modules: "ClassVar[BotModules | None]" = None
    """What the bot's code can import, if it shares its process with others; None if it can import what its host can."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        program = getattr(sys.modules["__main__"], "__file__", None)
        if program is not None and "ARENA_ENDPOINT" not in os.environ:
            import atexit

            atexit.unregister(_say_how_to_play)  # it has to run once
            atexit.register(_say_how_to_play, program)

    def start(self) -> None:
        """Prepare for the match. Called once before the first turn, when `self.game` is complete."""

    def run_turn(self) -> None:
        """Play your turn: call actions, and return when you are done.

        If it is still your move after a call, the kit sends `end_turn`, if the game has this action. If it
        is your move even then, the kit calls this method again. But if the last call sent no action, the bot
        ends with an error.
        """
        raise _without_run_turn(type(self))

    def game_updated(self) -> None:
        """React to changes of the game by you or by other players. You cannot act here.

        Called after each update of `self.game`, except for the first one, after which `start` is called.
        """

    def refused(self, action: dict[str, Any], result: Result[Any]) -> None:
        """React to a refused action. `result` has the code of the reason and a message."""

    def end(self, outcome: Outcome) -> None:
        """React to the end of the match. Called once after `start`, unless the bot has lost before by a failure."""

    @cached_property
    def random(self) -> "Random":
        """Your own random numbers. They are the same if the match is played again with its seed.

        If the referee sends no seed, they differ each time.
        """
        from random import Random

        seed = self._session.seed
        return Random(None if seed is None else int(seed, 16))

    @property
    def time_left(self) -> float | None:
        """Seconds left for this turn; None if there is no time limit."""
        return self._session.time_left()

    def log(self, *values: object, **named: object) -> None:
        """Write a line into the replay, like `print`. Other bots never get it.

        Named values are added as `name=value`: `self.log("attack", value=3.2, plan="left")`. The viewer
        draws a chart of each named number. The line is sent with your next action. So lines logged in
        `end` are lost. If a turn ends by a time-out, lines logged after your last action are lost too.
        Use `print` in these cases: its output is kept.
        """
        words = list(map(str, values))
        for name, value in named.items():
            words.append(f"{name}={format(value, '.10g') if isinstance(value, float) else value}")
        self._session.notes.write(" ".join(words))

    def random_action(self) -> dict[str, Any]:
        """Return one of your legal actions at random, while it is your move.

        An entry of `legal_actions` can be a form, in which a list has ``choices``: groups of items, from each of which
        an action has at most one (exactly one if ``all`` is true). This method then chooses the items too.

        Without `wants_legal_actions`, the rules of the game choose the action, in a copy as from `self.game.fork()`.

        Raises:
            PlayerError: It is not your move; or without `wants_legal_actions`, the game's rules are not installed.
        """
        if not self._session.is_my_move:
            raise PlayerError("random_action() has no action, because it is not your move.")
        if not self.wants_legal_actions:
            action: dict[str, Any] = self.game.fork(self.random).random_action(self.index, self.random)
            return action
        action = self.random.choice(self.legal_actions)
        return {key: self._chosen(value) for key, value in action.items()}

    def _chosen(self, value: Any) -> Any:
        if type(value) is not dict or "choices" not in value:
            return value
        skip = 0 if value.get("all") else 1  # one more choice in each group: no item of it
        chosen = [(group, self.random.randrange(len(group) + skip)) for group in value["choices"]]
        return [group[number] for group, number in chosen if number < len(group)]

    def act(self, action: dict[str, Any]) -> Result[Any]:
        """Send an action in the form of the game's specification: {"type": ..., ...}."""
        return self._session.act(action)

    @contextmanager
    def batch(self, *, keep_going: bool = False) -> Iterator[list[Result[Any]]]:
        """Send all actions of a `with` block at once, which is faster than one by one.

        The referee carries out the actions in order, and stops at the first refused one.
        The list of results is empty inside the block, and complete after it: a result for each action.
        The result of a call can be used after the block too.

            with self.batch() as results:
                first.move(tile)
                second.move(other)

        Args:
            keep_going: Whether to carry out the actions after a refused one as well. This is right for
                units that do not depend on each other.
        """
        with self._session.batch(keep_going=keep_going) as results:
            yield results


def find_ai(module: ModuleType) -> type[AI]:
    """Return the bot's class: the subclass of `AI` that a bot's file defines, or else the one that it imports.

    Raises:
        PlayerError: There is none, or more than one.
    """
    kinds = {value: None for value in vars(module).values() if isinstance(value, type) and issubclass(value, AI)}
    # `AI` itself, and that of a typed module, are no bots.
    named = [kind for kind in kinds if kind is not AI and "schema_hash" not in vars(kind)]
    own = [kind for kind in named if kind.__module__ == module.__name__]
    found = own or named
    # A base class of others is not the bot.
    leaves = [kind for kind in found if not any(other is not kind and issubclass(other, kind) for other in found)]
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        raise PlayerError(
            f"{module.__file__} has no subclass of AI.",
            hint="Write `class MyBot(AI):` with a method run_turn(self), or import such a class.",
        )
    names = ", ".join(sorted(kind.__name__ for kind in leaves))
    hint = "Keep one of them in the file." if own else "Import only one of them, or define `class MyBot(AI):` here."
    raise PlayerError(f"{module.__file__} has {len(leaves)} bots ({names}).", hint=hint)


def _without_run_turn(kind: type[AI]) -> PlayerError:
    from difflib import get_close_matches

    names = [name for base in kind.__mro__ if base is not AI and issubclass(base, AI) for name in vars(base)]
    if "run_turn" in names:
        return PlayerError("AI.run_turn does nothing.", hint="Leave out super().run_turn().")
    near = get_close_matches("run_turn", names, 1, cutoff=0.5)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return PlayerError(
        f"The class {kind.__name__}{f' in {file}' if file else ''} has no method run_turn.",
        hint=f"Did you mean run_turn where it has {near[0]}?" if near else "Write `def run_turn(self):` in it.",
    )


def _say_how_to_play(program: str) -> None:
    """If this program only defined a bot's class, as `python main.py` does, say how to play it."""
    if "arena" in sys.modules or "arena_player.session" in sys.modules or hasattr(sys, "last_value"):
        return  # it plays, or failed
    from shlex import quote

    main = sys.modules["__main__"]
    main.__file__ = program  # Python has removed it
    try:
        modules = [sys.modules.get(base.__module__) for base in find_ai(main).__mro__]
    except PlayerError:
        return
    game = next((vars(module)["GAME"] for module in modules if module and "GAME" in vars(module)), "GAME")
    print(  # noqa: T201
        f"{program} is a bot, which does nothing alone: the referee starts it in a match.\n"
        f"Play with: arena play {game} {quote(program)} OTHER_BOT",
        file=sys.stderr,
    )
