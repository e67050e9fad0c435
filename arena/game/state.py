"""The state of a game: entities and their journal. Games subclass `State`; `arena.game` has the contract.

The order of the class is that of a state's life: making it, what a game implements, what rules call, playing, views.
The slots are set by `set_plainly`, which writes no journal: what is in them is no part of the position.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

from arena.game.action import LEAVE, ROOT_ID, Call
from arena.game.chance import Chance, NoChance, Sampled
from arena.game.copies import Packed, packed, unpacked
from arena.game.deltas import deltas, put_back
from arena.game.entity import (
    CREATED,
    REMOVED,
    REQUIRED,
    Entity,
    EntityType,
    set_plainly,
    set_private_defaults,
    shared,
)
from arena.game.errors import GameError, IllegalAction, MalformedAction
from arena.game.forms import filled, sample
from arena.game.index import Indexes, located
from arena.game.kinds import Document, Tile, View
from arena.game.options import OptionValues
from arena.game.outcome import Outcome
from arena.game.plan import Plan
from arena.game.projection import Projection, fill_from_view
from arena.game.tables import Journal, Table

E = TypeVar("E", bound=Entity)
_Event: TypeAlias = tuple[frozenset[int] | None, Document]
"""The players who receive an event, None for everybody; and the event."""
_NO_CHANCE = NoChance()


class State(Entity):
    """The base class of a game's root object. Its fields are the game's attributes. Its id is ``game``.

    A game subclasses it, lists its entity classes in `classes`, declares fields, and implements `setup`, `to_move`,
    `legal_actions`, `outcome`, `turn_number`, `to_document` and `load`. Its actions are methods marked with `@action`,
    or functions in `action_functions`.

    Attributes:
        options: The resolved options of the game, with attribute access.
    """

    classes: ClassVar[tuple[EntityType, ...]] = ()
    """The entity classes of the game, besides the state itself."""
    action_functions: ClassVar[tuple[Callable[..., Any], ...]] = ()
    """The actions that are functions. Methods marked with `@action` are actions without being listed."""
    grid: ClassVar[tuple[str, str] | None] = None
    """The names of the root's fields for width and height, for games on a grid."""
    hidden_information: ClassVar[bool] = False
    """True if `sees` or `conceals` can hide anything from a player."""
    cooperative: ClassVar[bool] = False
    """True if all players play together for one score: `outcome` returns `Outcome.together(reason, score)`."""
    ignore_case: ClassVar[bool] = True
    """Accept fixed words in actions in any case."""
    allow_extra_keys: ClassVar[bool] = True
    """Ignore unknown keys of actions, because recorded games can have such keys.

    The referee of a match refuses unknown keys, except in actions that `legal_actions` returns.
    """

    options: OptionValues = shared("The resolved options.")
    _entities: dict[str, Entity] = shared("All entities by id, the state itself included.")
    _removed: set[str] = shared("The ids of the entities whose removal is in the journal.")
    _indexes: Indexes = shared("The indexes of locations, by class.")
    _chance: Chance = shared("The source of draws while an action runs.")
    _source: Chance = shared("The source of draws if `push` gets none.")
    _actor: int = shared("The player whose action runs.")
    _value: Entity | None = shared("The result of the last action.")

    # -- making a state ------------------------------------------------------------------------------

    @classmethod
    def new(cls, options: OptionValues, chance: Chance | None = None) -> Self:
        """Set up a game.

        Args:
            options: Resolved options (see `GameSpec.resolve_options`).
            chance: The source of draws, for the set-up and for each `push` that gets no other source. Without one, a
                draw raises `ScriptError`.
        """
        state = cls._blank(options)
        if chance is not None:
            state.use_chance(chance)
        set_plainly(state, "_chance", state._source)
        state.setup()
        state.commit()
        return state

    @classmethod
    def from_document(cls, document: Document, options: OptionValues) -> Self:
        """Build the state that a JSON document describes. The specification defines the form of the document.

        Raises:
            ValueError, KeyError, TypeError: The document is not a state of this game.
        """
        state = cls._blank(options)
        state.load(document)
        state.derive()
        state.commit()
        return state

    @classmethod
    def from_view(cls, view: View, options: OptionValues) -> Self:
        """Rebuild a state from a view that shows everything (see `view`), without loss.

        Args:
            view: The view, in the form that `view` returns.
            options: The options of the game.

        Raises:
            GameError: The view has a class or a field that the game does not have.
        """
        state = cls._blank(options)
        fill_from_view(state._entities, state.plan().classes, view)
        set_plainly(state, "_indexes", Indexes(*_located(cls), state._entities))
        state.derive()
        state.commit()
        return state

    @classmethod
    def _blank(cls, options: OptionValues) -> Self:
        state: Any = cls.plain_()
        state.id = ROOT_ID
        state._journal = Journal()
        state.game = state
        state._entities = {ROOT_ID: state}
        state._removed = set()
        state._indexes = Indexes(*_located(cls), state._entities)
        state._chance = state._source = _NO_CHANCE
        state._actor = state._value = None
        for name in cls.shared_:
            if name[0] != "_":
                setattr(state, name, None)
        state.options = options
        for name, declared in cls.fields_.items():
            setattr(state, name, None if declared.default is REQUIRED else declared.default)
        set_private_defaults(state, cls)
        state.__class__ = cls
        blank: Self = state
        blank.prepare()
        return blank

    def commit(self) -> None:
        """Clear the journal. Everything up to now can no longer be undone, and all marks become invalid."""
        self._journal.clear()
        self._journal.begin()
        self._removed.clear()
        set_plainly(self, "_chance", _NO_CHANCE)

    # -- methods for a game to implement -------------------------------------------------------------

    def prepare(self) -> None:
        """Set the `shared` values that depend only on the options, such as a map's terrain.

        The framework calls this method once for each new state, before `setup`, `load` or a view fills the state.
        Clones share the values without a call. By default this method does nothing.
        """

    def setup(self) -> None:
        """Make the starting position, with draws from `chance`."""
        raise NotImplementedError

    def load(self, document: Document) -> None:
        """Make the position that a JSON document describes. The specification defines the form of the document."""
        raise NotImplementedError

    def derive(self) -> None:
        """Compute the private fields and tables from the other fields.

        The framework calls this method where a state is made from a document or a view, because private fields are in
        neither. `setup` calls it itself, or sets the private fields. By default this method does nothing.
        """

    def to_document(self) -> Document:
        """Return the state as a JSON document, in the form that the specification defines."""
        raise NotImplementedError

    def to_move(self) -> tuple[int, ...]:
        """Return the players who are allowed to act: none if the game is over, several if moves are simultaneous."""
        raise NotImplementedError

    def turn_number(self) -> int:
        """Return the number of the current turn. Clocks and replays use it."""
        raise NotImplementedError

    def legal_actions(self, player: int | None = None) -> list[Document]:
        """Return all legal actions of a player. One entry can be a form that represents many: see `arena.game.forms`.

        Args:
            player: The player; the first of `to_move` if None.
        """
        raise NotImplementedError

    def random_action(self, player: int, rng: Random) -> Document:
        """Return a random legal action of a player who is to move. Random play and playouts use it.

        The default lists all legal actions and chooses one of them with `arena.game.sample`. Override this method if
        the rules can choose without making the list. An override must be able to return each legal action; each should
        have a similar probability. `arena game check` compares it with `legal_actions`.
        """
        return sample(self.legal_actions(player), rng)

    def fallback_action(self, player: int) -> Document:
        """Return the action that the referee submits to finish a player's turn.

        The default is ``end_turn`` or ``pass`` if legal, otherwise the first legal action; of a form, the action with
        the fewest items.
        """
        actions = self.legal_actions(player)
        endings = [action for action in actions if action["type"] in ("end_turn", "pass")]
        return filled(endings[0] if endings else actions[0])

    def leave(self, player: int) -> None:
        """Remove a player whose program has failed. Called in cooperative games, and for more than two.

        By default this method does nothing. The referee then submits the player's fallback actions until the end.
        Without teams, the referee ranks the player behind everybody who has not left.

        An override can change fields and draw random values, for example to eliminate the player. Then the game's own
        `outcome` must rank the players who left.
        """

    def out(self) -> tuple[int, ...]:
        """Return the players who are eliminated or have left, by the rules. They stay out, and are never to move.

        Bots, matches in memory and environments read it, together with the players whose programs have failed. By
        default nobody is out.
        """
        return ()

    def team_of(self, player: int) -> int:
        """Return the number of a player's team, from 0. The number never changes.

        By default each player is a team; in a cooperative game, all are one.
        A match ends when at most one team has a player who has not left. See `Outcome.of_teams`.
        """
        return 0 if self.cooperative else player

    def options_for(self, player: int) -> Document:
        """Return the options as plain JSON values, without the parts that this player must not know."""
        del player  # most games hide no options
        return self.options.to_document()

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        raise NotImplementedError

    def scores(self) -> tuple[float, ...]:
        """Return each player's score, for tables. The game defines the meaning of a score; more points are better.

        By default the tuple is empty, and each player's score in the result of a match is 0.
        """
        return ()

    def evaluate(self) -> tuple[float, ...] | None:
        """Estimate each player's share of the win in a running game. Return None if the game has no estimates.

        A certain win is 1, a certain loss 0, and a certain draw of two players 0.5 for each. All shares add up to 1.
        `arena explain` uses the estimate to stop its playouts after some turns. `arena game check` compares estimates
        with results.
        """
        return None

    def sees(self, player: int, entity: Entity) -> bool:
        """Return whether a player is allowed to know that an entity exists. Players always see the state itself.

        Only games with hidden information override this method.
        """
        del player, entity
        return True

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        """Return whether a player gets null instead of the value of a ``secret`` field."""
        del player, entity, name
        return True

    def hides_information(self) -> bool:
        """Return whether this game hides any information. Override this method if the answer depends on the options.

        If nothing is hidden, all players get the same view, and deltas come directly from the journal.
        """
        return self.hidden_information

    @classmethod
    def determinize(cls, view: View, player: int, rng: Random, options: OptionValues) -> Self:
        """Sample a possible state: one that agrees with everything in a player's view.

        Args:
            view: The player's own view.
            player: The player.
            rng: A random generator for the guesses.
            options: The options of the game as the player knows them.

        Raises:
            NotImplementedError: The game has hidden information and does not override this method.
        """
        if cls.hidden_information:
            raise NotImplementedError(f"{cls.__name__} has hidden information and must implement determinize.")
        del player, rng
        return cls.from_view(view, options)

    # -- methods for the rules to call ---------------------------------------------------------------

    @property
    def chance(self) -> Chance:
        """The source of draws for the current action, or for the set-up."""
        return self._chance

    @property
    def actor(self) -> int:
        """The player whose action is being checked or applied."""
        return self._actor

    @property
    def value(self) -> Entity | None:
        """The result of the last accepted action: an entity or None."""
        return self._value

    def use_chance(self, chance: Chance | Random) -> None:
        """Set the source of draws for each `push` that gets no other source. A clone gets an independent source.

        Args:
            chance: The source, or a random generator that the state and its clones draw from.
        """
        set_plainly(self, "_source", chance if isinstance(chance, Chance) else Sampled(chance))

    def share(self, **values: Any) -> None:
        """Set attributes declared with `shared`. Only for `prepare`, `setup` and `load`."""
        for name, value in values.items():
            if name not in type(self).shared_:
                raise GameError(f"{type(self).__name__}.{name} is not declared with shared().")
            set_plainly(self, name, value)

    def create(self, cls: type[E], id: str, **values: Any) -> E:  # noqa: A002 - the specification's word
        """Make an entity.

        Args:
            cls: Its class.
            id: Its id, which must be new.
            **values: Its fields. Fields with a default can be left out.

        Raises:
            GameError: A field is missing or unknown, or the id is that of a present or recently removed entity.
        """
        entity: Any = cls.plain_()
        entity.id = id
        entity._journal = self._journal
        entity.game = self
        for name, declared in cls.fields_.items():
            value = values.pop(name, declared.default)
            if value is REQUIRED:
                raise GameError(f"{cls.__name__} {id} was made without its field {name}.")
            setattr(entity, name, value)
        set_private_defaults(entity, cls)
        for name in cls.private_.keys() & values.keys():
            setattr(entity, name, values.pop(name))
        if values:
            raise GameError(f"{cls.__name__} has no field {', '.join(values)}.")
        entity.__class__ = cls
        if id in self._entities:
            raise GameError(f"An object with the id {id} exists already.")
        if id in self._removed:
            raise GameError(f"An object with the id {id} was removed. Give the new {cls.__name__} an id of its own.")
        self._entities[id] = entity
        self._journal.append((entity, CREATED, None))
        if cls.located_by:
            self._indexes.note(entity)
        created: E = entity
        return created

    def remove(self, *entities: Entity) -> None:
        """Remove entities from the game. The rules must then remove all references to them, and not reuse their ids.

        Each call copies the order of all entities, for `pop`. So remove many with one call.
        """
        if not entities:
            return
        before = dict(self._entities)
        for entity in entities:
            self._journal.append((entity, REMOVED, before))
            del self._entities[entity.id]
            self._removed.add(entity.id)
            if entity.located_by:
                self._indexes.note(entity)

    def event(self, kind: str, seen_by: Iterable[int] | None = None, **data: Any) -> None:
        """Record an event for viewers and bots. Use it for effects that a comparison of two states does not show.

        Args:
            kind: The kind of event, for example ``shot``.
            seen_by: The players who receive the event; everybody if None. Spectators receive all events.
            **data: Scalars, lists and ids.
        """
        audience = None if seen_by is None else frozenset(seen_by)
        self._journal.append((None, audience, {"kind": kind, **data}))

    def entity(self, id: str) -> Any:  # noqa: A002 - the specification's word
        """Return the entity with an id, or None."""
        return self._entities.get(id)

    def entities(self) -> list[Entity]:
        """Return all entities in the order in which they were made; the state itself is the first."""
        return list(self._entities.values())

    def all_of(self, cls: type[E]) -> tuple[E, ...]:
        """Return the entities of a class, subclasses included, in the order in which they were made.

        It looks at all entities of the game. Keep a field with a tuple of those that rules need again and again.
        """
        return tuple([entity for entity in self._entities.values() if isinstance(entity, cls)])

    def one_at(self, cls: type[E], *place: Any) -> E | None:
        """Return the entity of a class at a place, or None. See `all_at`."""
        index = self._indexes.get(cls)
        entities = self.all_at(cls, *place) if index is None or index.moved else index.by_location.get(place)
        return entities[0] if entities else None

    def all_at(self, cls: type[E], *place: Any) -> tuple[E, ...]:
        """Return the entities of a class at a place, in the order of their ids (as strings).

        The time does not depend on the number of entities.

        Args:
            cls: The class, which declares `Entity.located_by`. Subclasses do not count.
            *place: The values of the fields in `located_by`: ``x, y``. Entities with None there are at no place.
        """
        index = self._indexes.get(cls)
        if index is None:
            raise GameError(f"{cls.__name__} does not declare located_by.")
        if index.moved:
            index.settle(place)
        return index.by_location.get(place, ())

    def tile(self, x: int, y: int) -> Tile:
        """Return a tile for an action's x and y.

        Raises:
            MalformedAction: The tile is off the map, or the game has no `grid`.
        """
        grid = self.grid
        if grid is not None and 0 <= x < getattr(self, grid[0]) and 0 <= y < getattr(self, grid[1]):
            return _new_tuple(Tile, (x, y))
        raise MalformedAction("off_map", "x" if grid is None or not 0 <= x < getattr(self, grid[0]) else "y")

    # -- playing -------------------------------------------------------------------------------------

    @property
    def mark(self) -> int:
        """The current position in the journal, for `pop` and `delta`."""
        return self._journal.begin()

    def push(self, player: int, action: Document, chance: Chance | None = None) -> int:
        """Apply an action.

        Args:
            player: The player who submits it.
            action: The document of the specification, or `LEAVE`.
            chance: The source of draws. Without one, the state's own source is used: see `new` and `use_chance`.

        Returns:
            The mark before the action. `pop` with this mark undoes the action.

        Raises:
            IllegalAction: The rules refuse the action. No field has changed. Rules must refuse before their first
                draw, because draws are not undone.
            Exception: Any other exception of the rules. All changes are undone first.
        """
        mark = self._journal.begin()
        if self._actor != player:
            set_plainly(self, "_actor", player)
        if chance is None:
            chance = self._source
            chance.draws.clear()
        _set_chance(self, chance)
        try:
            if action is LEAVE:
                self.leave(player)
            else:
                declared, entity, arguments = self.admit(player, action)
                value = declared.method(entity, *arguments)
                if value is not self._value:
                    set_plainly(self, "_value", value)
        except BaseException:
            self.pop(mark)
            raise
        finally:
            _set_chance(self, _NO_CHANCE)  # a copy of the state must not give access to future draws
        return mark

    def pop(self, mark: int) -> None:
        """Undo all changes of entities and all events since a mark."""
        journal = self._journal
        entities = self._entities
        indexes = self._indexes
        restore = set_plainly
        journal.begin()
        while len(journal) > mark:
            entity, name, old = journal.pop()
            if entity is None:
                if type(name) is Table:
                    name.revert(old)
                continue
            if indexes and name in indexes.names:
                indexes.note(entity)
            if name is CREATED:
                del entities[entity.id]
            elif name is REMOVED:
                put_back(entities, old)
                self._removed.discard(entity.id)
            else:
                restore(entity, name, old)

    def admit(self, player: int, action: Document) -> Call:
        """Run the checks before an action's own rules, and decode the action.

        The checks run in this order: game over, bad argument, wrong player. Override this method if the specification
        has another order or other codes.

        Raises:
            IllegalAction: The code is ``game_over``, ``bad_argument`` or ``not_your_turn``.
        """
        to_move = self.to_move()
        if not to_move:
            raise IllegalAction("game_over", "the game is over")
        try:
            call = self.decode(action)
        except MalformedAction as error:
            raise IllegalAction("bad_argument", f"bad value for {error.key}") from None
        if player not in to_move:
            raise IllegalAction("not_your_turn", "it is not your turn")
        return call

    def decode(self, action: object) -> Call:
        """Decode a document without checking whether the action is legal.

        Raises:
            MalformedAction: The document names no action, or an argument is invalid.
        """
        return self.plan().decoder.decode(action, self._entities, self.tile)

    def clone(self) -> Self:
        """Return an independent copy with an empty journal, and with dice of its own.

        `copy.deepcopy` and `pickle` make a copy that goes on as this state does: it has the journal, and the same
        draws come next.
        """
        entities = self.plan().copy(self._entities)
        copy: Any = entities[ROOT_ID]
        set_plainly(copy, "_entities", entities)
        set_plainly(copy, "_removed", set())
        set_plainly(copy, "_indexes", Indexes(*_located(type(self)), entities))
        set_plainly(copy, "_source", self._source.branch())
        set_plainly(copy, "_value", None)  # the old value can be an entity of the original state
        independent: Self = copy
        return independent

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copy: Any = _restored(packed(self), deepcopy(self._source, memo))
        independent: Self = copy
        return independent

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (packed(self), self._source)

    @classmethod
    def plan(cls) -> Plan:
        """Return the data that the framework computes once for this class of states."""
        return _plan_of(cls)

    # -- views ---------------------------------------------------------------------------------------

    def view(self, player: int | None = None) -> View:
        """Return everything that a player is allowed to know, as a flat list of triples; `None` sees everything.

        The form is ``[id, "+", class, id, field, value, ...]``; see docs/protocol.md.
        """
        sees_all = type(self).sees is State.sees
        player = player if self.hides_information() else None
        return Projection(self, self.plan().classes, player, sees_all=sees_all).view()

    def delta(self, mark: int, player: int | None = None) -> View:
        """Return the changes that a player sees since a mark, as a flat list of triples; `None` sees everything.

        ``id, "-", None`` removes an object. The value of an array can be a list of changed spans; see docs/protocol.md.
        """
        return self._deltas((player,), mark)[0]

    def updates(self, mark: int, players: Sequence[int | None]) -> list[tuple[View, list[Document]]]:
        """Return the changes and the events that several players see since a mark: their `delta` and `events`.

        What all of them see is computed once. The results can share lists, so do not change them.
        """
        views = self._deltas(players, mark)
        events = self._events_since(mark)
        everything = [event for _, event in events]
        if all(audience is None for audience, _ in events):
            return [(view, everything) for view in views]
        return [(view, _heard_by(player, events)) for player, view in zip(players, views, strict=True)]

    def events(self, mark: int, player: int | None = None) -> list[Document]:
        """Return the events since a mark that a player receives; `None` receives all."""
        return _heard_by(player, self._events_since(mark))

    def _events_since(self, mark: int) -> list[_Event]:
        journal = self._journal[mark:]
        return [(name, old) for entity, name, old in journal if entity is None and type(name) is not Table]

    def _deltas(self, players: Sequence[int | None], mark: int) -> list[View]:
        if not self.hides_information():
            players = (None,) * len(players)
        return deltas(self, self.plan().classes, players, mark, sees_all=type(self).sees is State.sees)

    def digest(self) -> str:
        """Return a short hash (32 hex digits) of the state's JSON document."""
        # Import it here: most programs that import a game's rules never need a hash.
        import hashlib

        return hashlib.sha256(_write_document(self.to_document()).encode()).hexdigest()[:32]


def _restored(state: Packed, source: Chance) -> State:
    """Return a new state from a packed one, with a source of draws of its own."""
    entities, journal, value = unpacked(state)
    root: State = entities[ROOT_ID]
    attributes = {
        **state.shared,
        "_entities": entities,
        "_removed": {entity.id for entity, name, _ in journal if entity is not None and name is REMOVED},
        "_indexes": Indexes(*_located(type(root)), entities),
        "_chance": _NO_CHANCE,
        "_source": source,
        "_actor": state.actor,
        "_value": value,
    }
    for name, attribute in attributes.items():
        set_plainly(root, name, attribute)
    return root


def outcome_of(state: State, left: Mapping[int, int], players: int) -> Outcome | None:
    """Return the outcome of a game that some players left, or None while it continues.

    Players who left rank last, unless the rules override `leave` or the outcome has teams.

    Args:
        state: The state.
        left: The turn in which each player left.
        players: The number of players.
    """
    outcome = state.outcome()
    if outcome is None or not left or type(state).leave is not State.leave:
        return outcome
    return outcome.behind(left, players)


def teams_of(state: State, players: int) -> list[tuple[int, ...]]:
    """Return the players of each team, ordered by the teams' numbers."""
    teams: dict[int, list[int]] = {}
    for player in range(players):
        teams.setdefault(state.team_of(player), []).append(player)
    return [tuple(teams[number]) for number in sorted(teams)]


def _heard_by(player: int | None, events: list[_Event]) -> list[Document]:
    return [event for audience, event in events if player is None or audience is None or player in audience]


def entity_count(state: State) -> int:
    """Return the number of entities of a state, the state itself included."""
    return len(state._entities)


_new_tuple = tuple.__new__
"""Makes a `NamedTuple` in half the time of its class."""
_set_chance = State.plain_.__dict__["_chance"].__set__
"""Sets the slot in half the time of `set_plainly`."""
_write_document = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


@cache
def _plan_of(root: type[State]) -> Plan:
    return Plan(
        root,
        root.classes,
        root.action_functions,
        ignore_case=root.ignore_case,
        allow_extra=root.allow_extra_keys,
    )


@cache
def _located(root: type[State]) -> tuple[tuple[Any, ...], frozenset[str]]:
    return located((root, *root.classes))
