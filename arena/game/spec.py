"""The registration of a game: everything about it that is not its rules.

Only `state` is needed. All else has a default, or makes more of the framework work: bots, a viewer, a kit, maps,
traces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from arena.game import options as game_options
from arena.game.chance import Chance, Draw, Scripted
from arena.game.errors import GameError, OptionError
from arena.game.kinds import Document, View
from arena.game.options import Option, OptionValues
from arena.game.state import State
from arena.game.validation import did_you_mean, shortened

if TYPE_CHECKING:
    from pathlib import Path

    from arena.game.editor import MapEditor
    from arena.game.lessons import Detector


class TraceFormat:
    """Converts the parts of a trace, a recorded game that comes with a specification.

    A game overrides the methods of the parts whose format differs in its traces.
    """

    def options(self, first: Document) -> Document:
        """Return the options given in a trace's first line."""
        options: Document = first.get("options", {})
        return options

    def start(self, game: GameSpec, options: OptionValues, first: Document) -> State:
        """Build the starting state from a trace's first line.

        If the line has set-up draws, set up the game with these draws. Otherwise load the state that the line contains.
        """
        chance = self.setup_chance(first)
        if chance is None:
            return game.load(first["initial"], options)
        return game.start(options, chance)

    def setup_chance(self, first: Document) -> Chance | None:
        """Return a script of the set-up's draws, or None if the trace starts from a given state."""
        draws = first.get("setup_draws")
        return None if draws is None else Scripted(draws)

    def chance(self, draws: list[Any]) -> Scripted:
        """Return a script of the draws of one action."""
        return Scripted(draws)

    def draws(self, made: list[Draw]) -> list[Any]:
        """Return draws in the form of the trace."""
        return [draw.value for draw in made]

    def legal_actions(self, state: State) -> list[Document]:
        """Return the list of legal actions in the form of the trace."""
        return state.legal_actions() if state.to_move() else []

    def document(self, state: State) -> Document:
        """Return the state in the form of the trace."""
        return state.to_document()

    def extras(self, state: State) -> Document:
        """Return the additional keys and values of a line in this game's traces."""
        del state
        return {}

    def comparable(self, key: str, value: Any) -> object:
        """Return a value in a normal form for comparison. For example, sort a list whose order has no meaning."""
        del key
        return value


@dataclass(frozen=True, slots=True)
class Clock:
    """Time limits of players in seconds. `bank` and `turn` are CPU time if the referee measures it, else wall time.

    Attributes:
        startup: The limit of wall time from the start of the process to the answer to ``start``.
        bank: The time of each player for the whole game; None for no bank.
        increment: The time that is added to the bank at the start of each of the player's turns, the first one too.
        turn: The limit for one turn; None for no limit.
        grace: The time that is added to every limit, because messages take time.
        turn_wall: The limit of wall time for one turn, even if the other limits are in CPU time. For real-time games;
            None for no limit.
    """

    startup: float = 5.0
    bank: float | None = 60.0
    increment: float = 0.1
    turn: float | None = 10.0
    grace: float = 0.02
    turn_wall: float | None = None

    def to_document(self) -> dict[str, float | None]:
        """Return the limits for headers and messages; `turn_wall` only if it is set."""
        times = asdict(self)
        if self.turn_wall is None:
            del times["turn_wall"]
        return times


@dataclass(frozen=True, slots=True)
class BuiltinBot:
    """A bot that comes with a game, named ``builtin:NAME``.

    Attributes:
        name: One word in lower case.
        path: The bot's Python file or folder.
        doc: A description in one sentence.
        lesson: What a student's bot needs to beat this bot. `arena climb` prints this text.
    """

    name: str
    path: Path
    doc: str
    lesson: str = ""


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game, as registered under the entry point group ``arena.games``.

    Attributes:
        name: The name for programs, lower case with underscores.
        title: The name for people.
        version: The version of the rules; it is part of every replay.
        state: The class of the game's states.
        players: The number of players. A game for different numbers of players declares an option ``players`` of type
            ``int`` with minimum and maximum. The option's default then replaces this number.
        options: All options, in the order in which they are shown.
        rulesets: Names of the rulesets, the default first; empty if there is only one ruleset.
        maps: Names of the supplied maps.
        map_option: The option that ``--map`` sets; empty if the game has no maps.
        load_map: Converts a map's name or a file's path to the value of `map_option`; raises `OptionError`. Nothing
            else of a game reads files that a user names.
        resolver: Takes the given options and returns all options. Needed if a default depends on other options, such as
            the ruleset or the map.
        clock: The default clock.
        bots: Built-in bots, weakest first.
        ladder: The opponents of `arena climb`, weakest first, as references such as ``builtin:NAME?at_random=50``; by
            default the built-in bots.
        viewer: The main module of the renderer (JavaScript), if the game has one.
        kit: Python source with base classes for the student's classes (``CowboyExtras`` and so on), or None.
        template: The source of the bot that ``arena new`` writes, with placeholders ``$game``, ``$title`` and
            ``$class_name``. For other languages, the same folder can contain ``bot_template.cpp.txt``,
            ``bot_template.java.txt`` and ``bot_template.js.txt``.
        rules: The rules for people, a file in Markdown.
        legs: The number of legs in a match: 2 for a game with unequal sides (the players swap sides), else 1.
        trace: The format of the specification's recorded games.
        editor: The game's functions for the map editor and ``arena map``; None if the game has no maps to edit.
        for_beginners: Whether the game is a good first one. Lists of games begin with such games.
        playout_power: The estimated odds of winning are the odds in playouts, raised to this power. Choose more than 1
            if random actions help the weaker side.
        evaluation_power: The odds of winning in a position are the odds of `State.evaluate`, raised to this power.
            `arena.testing.find_evaluation_power` finds it.
        lessons: The detectors of mistakes for `arena explain`; see `arena.game.lessons`.

    Raises:
        GameError: `playout_power` or `evaluation_power` is not a finite number above 0.
    """

    name: str
    title: str
    version: str
    state: type[State]
    players: int = 2
    options: tuple[Option, ...] = ()
    rulesets: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    map_option: str = ""
    load_map: Callable[[str], Any] | None = None
    resolver: Callable[[Document], Document] | None = None
    clock: Clock = Clock()
    bots: tuple[BuiltinBot, ...] = ()
    ladder: tuple[str, ...] = ()
    viewer: Path | None = None
    kit: Path | None = None
    template: Path | None = None
    rules: Path | None = None
    legs: int = 1
    trace: TraceFormat = field(default_factory=TraceFormat)
    editor: MapEditor | None = None
    for_beginners: bool = False
    playout_power: float = 1.0
    evaluation_power: float = 1.0
    lessons: tuple[Detector, ...] = ()

    def __post_init__(self) -> None:
        powers = {"playout_power": self.playout_power, "evaluation_power": self.evaluation_power}
        for name, power in powers.items():
            if not (isinstance(power, int | float) and 0 < power < inf):
                raise GameError(f"{self.name}: {name} is {power!r}; it must be a number above 0.")
        if not self.ladder:
            object.__setattr__(self, "ladder", tuple(f"builtin:{bot.name}" for bot in self.bots))
        for option in self.options:
            if option.name == "players":
                object.__setattr__(self, "players", option.default)

    def __deepcopy__(self, memo: dict[int, Any]) -> GameSpec:
        return self  # it never changes

    @property
    def player_counts(self) -> range:
        """Return the numbers of players with which the game can be played."""
        for option in self.options:
            if option.name == "players" and option.minimum is not None and option.maximum is not None:
                return range(int(option.minimum), int(option.maximum) + 1)
        return range(self.players, self.players + 1)

    def players_in(self, options: Mapping[str, Any]) -> int:
        """Return the number of players under these resolved options."""
        players: int = options.get("players", self.players)
        return players

    def describe_players(self) -> str:
        """Describe the numbers of players in words, for example "2 to 8 players"."""
        least, most = self.player_counts[0], self.player_counts[-1]
        return f"{least} players" if least == most else f"{least} to {most} players"

    def resolve_options(self, given: Mapping[str, object] | None = None) -> OptionValues:
        """Check the given options and add all others: their defaults, or what the `resolver` returns.

        A map is the name of a supplied map, or the content of any map. Only `load_map` reads files: options also come
        from replays, and a replay must not choose which files are opened.

        Raises:
            OptionError: An option is unknown or its value is impossible.
        """
        values = game_options.resolve(self.options, given or {})
        reference = (given or {}).get(self.map_option)
        if isinstance(reference, str) and self.load_map is not None and reference not in self.maps:
            raise OptionError(
                f"There is no supplied map {shortened(reference)}{did_you_mean(reference, self.maps)}. "
                f"The option {self.map_option} has the name of one, or the content of a map. --map reads a file."
            )
        if self.resolver is not None:
            values = self.resolver({name: values[name] for name in (given or {})})
        return OptionValues(values)

    def start(self, options: OptionValues | Mapping[str, object] | None = None, chance: Chance | None = None) -> State:
        """Set up a game.

        Args:
            options: Resolved options, or a mapping with some options. The others get their defaults.
            chance: The source of draws, for the set-up and for each `push` that gets no other source. Without one, a
                draw raises `ScriptError`.
        """
        return self.state.new(self._resolved(options), chance)

    def load(self, document: Document, options: OptionValues | Mapping[str, object] | None = None) -> State:
        """Build the state that a JSON document describes. The specification defines the form of the document."""
        return self.state.from_document(document, self._resolved(options))

    def state_from_view(
        self,
        view: View,
        options: OptionValues | Mapping[str, object] | None = None,
        player: int | None = None,
    ) -> State:
        """Build a state from a view. Use it only for games that hide nothing; this method does not check that.

        Args:
            view: The player's view.
            options: The options of the game.
            player: Not used, because all players have the same view.

        Raises:
            GameError: The view has a class or a field that the game does not have.
        """
        del player
        return self.state.from_view(view, self._resolved(options))

    def rules_text(self) -> str:
        """Return the rules for people, in Markdown; empty if the game has none."""
        return "" if self.rules is None else self.rules.read_text(encoding="utf-8-sig")

    def schema(self) -> Document:
        """Return classes, fields and actions as plain JSON, for clients, viewers and documents."""
        from arena.game.schema import schema_of

        return schema_of(self.state, name=self.name, title=self.title, version=self.version)

    def _resolved(self, options: OptionValues | Mapping[str, object] | None) -> OptionValues:
        return options if isinstance(options, OptionValues) else self.resolve_options(options)
