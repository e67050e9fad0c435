"""What a game tells the framework about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.game import options as game_options
from arena.game.chance import Chance
from arena.game.options import Option, OptionValues
from arena.game.state import State
from arena.game.trace import TraceFormat
from arena.game.values import Document, View

if TYPE_CHECKING:
    from pathlib import Path

    from arena.game.editor import MapEditor


@dataclass(frozen=True, slots=True)
class Clock:
    """How long players may think; all in seconds of wall time unless the referee has a CPU clock.

    Attributes:
        startup: From the start of the process to the answer to ``start``.
        bank: What each player has for the whole game; None for no bank.
        increment: Added to the bank at the start of each of his turns.
        turn: The most he may use in one turn; None for no limit.
        grace: Added to every limit before the referee judges, for the trip of the messages.
    """

    startup: float = 5.0
    bank: float | None = 60.0
    increment: float = 0.1
    turn: float | None = 10.0
    grace: float = 0.02


@dataclass(frozen=True, slots=True)
class BuiltinBot:
    """A bot that comes with a game, named ``builtin:NAME``.

    Attributes:
        name: Lower-case word.
        path: Its Python file or folder.
        doc: What it does, in one sentence.
    """

    name: str
    path: Path
    doc: str


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game, as registered under the entry point group ``arena.games``.

    Attributes:
        name: Machine name, lower case with underscores.
        title: For people.
        version: Of the rules; part of every replay.
        state: The class of the game's states.
        players: How many players.
        options: All options, in the order in which they are shown.
        rulesets: Names of the rulesets, the default first; empty where there is one only.
        maps: Names of the maps that come with the game.
        map_option: The option that ``--map`` sets; empty where the game has no maps.
        load_map: Turns a map's name or a file's path into the option's value; raises `OptionError`.
        resolver: Fills in the options where plain defaults are not enough (rulesets, maps); gets the values given.
        clock: The default clock.
        bots: Own bots, weakest first.
        viewer: The renderer module (JavaScript), if the game has one.
        kit: Python source with mixins for the student's classes (``CowboyExtras`` and so on), if it has any.
        template: Source of the bot that ``arena new`` writes (``$game``, ``$title``, ``$class_name`` are filled in).
        rules: The rules for people, a file in Markdown.
        legs: How many games make a match with sides swapped; 2 for games with unequal sides.
        trace: How recorded games of the specification are read.
        former_schemas: Hashes of earlier schemas that differ from this one in nothing that a bot could notice: bots
            with a typed module of that time may still play.
        editor: What the map editor and ``arena map`` need; None where the game has no maps to edit.
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
    viewer: Path | None = None
    kit: Path | None = None
    template: Path | None = None
    rules: Path | None = None
    legs: int = 1
    former_schemas: tuple[str, ...] = ()
    trace: TraceFormat = field(default_factory=TraceFormat)
    editor: MapEditor | None = None

    def resolve_options(self, given: Mapping[str, Any] | None = None) -> OptionValues:
        """Check the options given and fill in all others.

        Raises:
            OptionError: An unknown option or an impossible value.
        """
        values = game_options.resolve(self.options, given or {})
        if self.resolver is not None:
            values = self.resolver({name: values[name] for name in (given or {})})
        return OptionValues(values)

    def start(self, options: OptionValues | Mapping[str, Any] | None = None, chance: Chance | None = None) -> State:
        """Set up a game.

        Args:
            options: Resolved options, or a mapping of those given.
            chance: Answers the draws of the set-up.
        """
        return self.state.new(self._resolved(options), chance)

    def load(self, document: Document, options: OptionValues | Mapping[str, Any] | None = None) -> State:
        """Build the state of a neutral JSON document."""
        return self.state.from_document(document, self._resolved(options))

    def state_from_view(
        self,
        view: View,
        options: OptionValues | Mapping[str, Any] | None = None,
        player: int | None = None,
    ) -> State:
        """Build a rules state from a view (games without hidden information).

        Args:
            view: As the player got it.
            options: The options of the game.
            player: Whose view it is; of no consequence where everybody sees everything.
        """
        del player
        return self.state.from_view(view, self._resolved(options))

    def rules_text(self) -> str:
        """Return the rules for people, in Markdown; empty where the game has none."""
        return "" if self.rules is None else self.rules.read_text(encoding="utf-8")

    def schema(self) -> Document:
        """Return classes, fields and actions as plain JSON, for clients, viewers and documents."""
        from arena.game.schema import schema_of

        return schema_of(self)

    def _resolved(self, options: OptionValues | Mapping[str, Any] | None) -> OptionValues:
        return options if isinstance(options, OptionValues) else self.resolve_options(options)
