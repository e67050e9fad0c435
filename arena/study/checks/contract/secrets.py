"""Check that players cannot learn hidden information.

- If a hidden value changes, the player's view must stay the same.
- An action with an unseen object must get the same refusal as with an object that does not exist.
- A world sampled from the player's view must give the same view, legal actions and refusals as the real state.

The module `leaks` checks what actions reveal.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from arena.game import GameSpec, Sampled, State
from arena.game.entity import set_plainly
from arena.game.kinds import Kind, Tile
from arena.study.checks.contract.conclusions import Laws
from arena.study.checks.contract.fields import check_values
from arena.study.checks.contract.fold import Objects, fold
from arena.study.checks.contract.inventor import Inventor
from arena.study.checks.contract.observers import hidden, name_of
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import attempt, play_on, scratch_chance
from arena.study.replaying.difference import canonical, first_difference, show
from arena.study.replaying.recorded import describe
from arena_replays.state import CLASS

# How much is tried in a position. Chosen, not measured: a secret that leaks at all leaks in many positions, and a check
# looks at hundreds. With more in each, games with many hidden objects would be checked for minutes.
_CHANGES = 40
_OBJECTS = 6
_REFUSALS = 12


def check_changes(game: GameSpec, state: State, rng: Random, ledger: Ledger) -> None:
    """Check that a player's view stays the same when hidden values are changed one by one."""
    for player in range(game.players_in(state.options)):
        view = fold({}, state.view(player))
        secrets = list(hidden(fold({}, state.view()), view))
        for id_, name in rng.sample(secrets, min(len(secrets), _CHANGES)):
            _check_change(state, player, view, id_, name, ledger)


def _check_change(state: State, player: int, view: Objects, id_: str, name: str, ledger: Ledger) -> None:
    entity = state.entity(id_)
    old = getattr(entity, name)
    value = another_value(state, state.plan().classes[type(entity)].kinds[name], old)
    if value is old:
        return
    set_plainly(entity, name, value)
    try:
        changed = fold({}, state.view(player))
    except Exception:
        return  # the changed state can be impossible, so the rules can fail
    finally:
        set_plainly(entity, name, old)
    if set(changed) != set(view):
        return  # a hidden value is allowed to decide which objects are visible
    difference = first_difference(view, changed)
    ledger.compare("secret", f"{id_}.{name} is hidden from player {player}, but changes their view at", difference)


def another_value(state: State, kind: Kind, old: Any) -> Any:
    """Return a value of the same kind that differs from the old value; the old value itself if none is found."""
    if kind.many:
        return type(old)() if old else old
    if kind.entity is not None:
        entities = [entity for entity in state.entities() if isinstance(entity, kind.entity) and entity is not old]
        return entities[0] if entities else old
    if kind.choices is not None:
        return next((word for word in kind.choices if word != old), old)
    if type(old) is bool:
        return not old
    if isinstance(old, int | float):
        return old + 1
    if isinstance(old, Tile):
        return Tile(old.x + 1, old.y)
    if isinstance(old, bytes):
        return bytes([old[0] ^ 1]) + old[1:] if old else old
    return old + "?" if isinstance(old, str) else old


def check_refusals(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that an action with an unseen object gets the same answer as with an object that does not exist."""
    inventor = Inventor(state, state.legal_actions(), rng)
    for player in state.to_move():
        view = fold({}, state.view(player))
        unseen = [id_ for id_ in fold({}, state.view()) if id_ not in view]
        for id_ in rng.sample(unseen, min(len(unseen), _OBJECTS)):
            for document, key in inventor.naming(id_):
                _check_refusal(state, player, document, key, rng, ledger)


def _check_refusal(state: State, player: int, document: Any, key: str, rng: Random, ledger: Ledger) -> None:
    mark = state.mark
    real = attempt(state, player, document, scratch_chance(rng), ledger)
    state.pop(mark)
    none = attempt(state, player, document | {key: "no such object"}, scratch_chance(rng), ledger)
    state.pop(mark)
    if real != none:
        answer = "acceptance" if real.accepted else f"{real.code}: {real.message}"
        ledger.add(
            "secret",
            f"player {player} does not see {document[key]}, but {show(document)} is answered with {answer!r}, "
            f"where an object that does not exist is answered with '{none.code}: {none.message}'",
        )


class SecretWatch:
    """Records which of the fields declared secret are hidden from at least one player at some time."""

    def __init__(self, game: GameSpec) -> None:
        self._game = game
        self._told: set[tuple[str, str]] = set()
        self._hidden: set[tuple[str, str]] = set()

    def look(self, state: State) -> None:
        everything = fold({}, state.view())
        for plan in state.plan().classes.values():
            name = plan.cls.__name__
            ids = [id_ for id_, fields in everything.items() if fields[CLASS] == name]
            self._told.update(
                (name, field) for field in plan.secret for id_ in ids if everything[id_][field] is not None
            )
        for player in range(self._game.players_in(state.options)):
            for id_, field in hidden(everything, fold({}, state.view(player))):
                self._hidden.add((everything[id_][CLASS], field))

    def conclude(self, ledger: Ledger) -> None:
        """Report the fields declared secret that had a value, but were never hidden from any player."""
        ledger.place = "all games"
        for name, field in sorted(self._told - self._hidden):
            ledger.add("secret", f"{name}.{field} is declared secret, but was never hidden from any player")


def check_determinize(game: GameSpec, state: State, rng: Random, laws: Laws, ledger: Ledger) -> None:
    """Check for each player that a world sampled from the player's view has the same view."""
    for player in range(game.players_in(state.options)):
        view = state.view(player)
        try:
            options = game.resolve_options(json.loads(json.dumps(state.options_for(player))))
            world = type(state).determinize(list(view), player, Random(rng.getrandbits(64)), options)
        except Exception as error:
            ledger.add("determinize", f"for {name_of(player)}, determinize raised {describe(error)}")
            continue
        check_values(world, ledger)
        laws.note_guess(world)
        difference = first_difference(fold({}, view), fold({}, world.view(player)))
        if ledger.compare("determinize", f"{name_of(player)} has a different view in the sampled world at", difference):
            _check_world(state, world, player, rng, ledger)


def _check_world(state: State, world: State, player: int, rng: Random, ledger: Ledger) -> None:
    movers, world_movers = state.to_move(), world.to_move()
    if bool(movers) is not bool(world_movers) or (player in movers) is not (player in world_movers):
        ledger.add("determinize", f"{world_movers} are to move in the sampled world of player {player}, not {movers}")
    elif player in movers:
        _check_answers(state, world, player, rng, ledger)
        listed = sorted(map(canonical, state.legal_actions(player)))
        listed_in_world = sorted(map(canonical, world.legal_actions(player)))
        problem = f"the legal actions of player {player} depend on what the player does not see:"
        ledger.compare("secret", problem, first_difference(listed, listed_in_world))
    play_on(world, rng, ledger)


def _check_answers(state: State, world: State, player: int, rng: Random, ledger: Ledger) -> None:
    state = state.clone()
    mark, world_mark = state.mark, world.mark
    for document in Inventor(state, state.legal_actions(player), rng).some(_REFUSALS):
        seed = rng.getrandbits(64)
        answer = attempt(state, player, document, Sampled(Random(seed)), ledger)
        world_answer = attempt(world, player, document, Sampled(Random(seed)), ledger)
        state.pop(mark)
        world.pop(world_mark)
        if answer != world_answer:
            words, world_words = (each.message if each.code else "acceptance" for each in (answer, world_answer))
            ledger.add(
                "secret",
                f"the answer to {show(document)} depends on what the player does not see: player {player} gets "
                f"{words!r}, but {world_words!r} in a world that looks the same to them",
            )
            return
