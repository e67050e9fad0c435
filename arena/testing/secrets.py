"""Hidden information: nothing of it may reach those from whom it is hidden.

Several ways to find a leak. Change what is hidden: the player's view must stay. Let an opponent act in several
ways: nothing that the player gets may run along with a value that is hidden from him. Name an object that he does
not see: he must hear what he would hear if there were none. Sample a world that agrees with his view: his view and
his legal actions there must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from arena.conform.difference import canonical, first_difference, show
from arena.game import GameSpec, Sampled, State
from arena.game.entity import set_plainly
from arena.game.kinds import Kind, Tile
from arena.testing.documents import Inventor
from arena.testing.fold import CLASS, Objects, fold
from arena.testing.observers import hidden, name_of
from arena.testing.report import Ledger, describe
from arena.testing.trial import attempt, scratch_chance
from arena.testing.undo import random_move
from arena.testing.values import check_values

_MOST_ACTIONS = 16
Path = tuple[Any, ...]


def check_changes(game: GameSpec, state: State, rng: Random, ledger: Ledger) -> None:
    """Change hidden values one by one; the player's view must not change."""
    for player in range(game.players):
        view = fold({}, state.view(player))
        secrets = list(hidden(fold({}, state.view()), view))
        for id_, name in rng.sample(secrets, min(len(secrets), 40)):
            _check_change(state, player, view, id_, name, ledger)


def _check_change(state: State, player: int, view: Objects, id_: str, name: str, ledger: Ledger) -> None:
    entity = state.entity(id_)
    old = getattr(entity, name)
    other = another_value(state, state.plan().classes[type(entity)].kinds[name], old)
    if other is old:
        return
    set_plainly(entity, name, other)
    try:
        changed = fold({}, state.view(player))
    except Exception:
        return  # an impossible state; its rules need not cope with it
    finally:
        set_plainly(entity, name, old)
    if set(changed) != set(view):
        return  # others come into sight or out of it, which may be right
    difference = first_difference(view, changed)
    if difference is not None:
        ledger.add("secret", f"{id_}.{name} is hidden from player {player}, but shows in his view at {difference}")


def another_value(state: State, kind: Kind, old: Any) -> Any:
    """Return a value of the same kind that differs from the old one, or the old one where there is none."""
    if kind.many:
        return type(old)() if old else old
    if kind.entity is not None:
        others = [one for one in state._entities.values() if isinstance(one, kind.entity) and one is not old]
        return others[0] if others else old
    if kind.choices is not None:
        return next((word for word in kind.choices if word != old), old)
    if type(old) is bool:
        return not old
    if isinstance(old, int | float):
        return old + 1
    if isinstance(old, Tile):
        return Tile(old.x + 1, old.y)
    return old + "?" if isinstance(old, str) else old


def check_leaks(game: GameSpec, state: State, rng: Random, ledger: Ledger) -> None:
    """Let each player act in several ways and look whether what is hidden shows elsewhere to another."""
    for actor in state.to_move():
        listed = state.legal_actions(actor)
        actions = rng.sample(listed, min(len(listed), _MOST_ACTIONS))
        for watcher in range(game.players):
            if watcher != actor:
                _check_leak(state, actor, actions, watcher, rng.getrandbits(64), ledger)


def _check_leak(state: State, actor: int, actions: list[Any], watcher: int, seed: int, ledger: Ledger) -> None:
    secrets: list[dict[Path, Any]] = []
    shown: list[dict[Path, Any]] = []
    for document in actions:
        mark = state.mark
        if attempt(state, actor, document, Sampled(Random(seed)), ledger).accepted:
            seen = fold({}, state.view(watcher))
            secret = hidden(fold({}, state.view()), seen)
            secrets.append(dict(_leaves(secret)))
            shown.append(dict(_leaves({"view": seen, "events": state.events(mark, watcher)})))
        state.pop(mark)
    found = _companion(secrets, shown)
    if found is not None:
        (key, *_), path, value = found
        ledger.add(
            "secret",
            f"{key[0]}.{key[1]} is hidden from player {watcher}, but what he gets at {_text(path)} is always the same, "
            f"for example {show(value)} after an action of player {actor}",
        )


def _companion(secrets: list[dict[Path, Any]], shown: list[dict[Path, Any]]) -> tuple[Path, Path, Any] | None:
    """Find something shown that always has the value of something hidden, and varies."""
    if len(secrets) < 2:
        return None
    for key in {key: None for secret in secrets for key in secret}:
        told = [(secret[key], one) for secret, one in zip(secrets, shown, strict=True) if secret.get(key) is not None]
        if not _telling([value for value, _ in told]):
            continue
        for path in told[0][1]:
            if all(canonical(one.get(path)) == canonical(value) for value, one in told):
                return key, path, told[0][0]
    return None


def _telling(values: list[Any]) -> bool:
    """Tell whether values differ enough for an agreement to be no accident: two words or four numbers."""
    if any(type(value) is bool for value in values):
        return False
    return len(set(values)) >= (2 if all(type(value) is str for value in values) else 4)


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, (*path, key))
    elif isinstance(value, list | tuple):
        for index, one in enumerate(value):
            yield from _leaves(one, (*path, index))
    else:
        yield path, value


def _text(path: Path) -> str:
    return "".join(f"[{part}]" if type(part) is int else f".{part}" for part in path).lstrip(".")


def check_refusals(state: State, rng: Random, ledger: Ledger) -> None:
    """Name an object that a player does not see: he must hear the same as if there were no such object."""
    inventor = Inventor(state, state.legal_actions(), rng)
    for player in state.to_move():
        seen = fold({}, state.view(player))
        unseen = [id_ for id_ in fold({}, state.view()) if id_ not in seen]
        for id_ in rng.sample(unseen, min(len(unseen), 6)):
            for document, key in inventor.naming(id_):
                _check_refusal(state, player, document, key, rng, ledger)


def _check_refusal(state: State, player: int, document: Any, key: str, rng: Random, ledger: Ledger) -> None:
    mark = state.mark
    real = attempt(state, player, document, scratch_chance(rng), ledger)
    state.pop(mark)
    none = attempt(state, player, document | {key: "no such object"}, scratch_chance(rng), ledger)
    state.pop(mark)
    if real != none:
        heard = "acceptance" if real.accepted else f"{real.code}: {real.message}"
        ledger.add(
            "secret",
            f"player {player} does not see {document[key]}, but {show(document)} brings him {heard!r}, "
            f"where an object that does not exist brings '{none.code}: {none.message}'",
        )


class SecretWatch:
    """Notes which fields declared secret are ever hidden from anybody.

    Args:
        game: The game.
    """

    def __init__(self, game: GameSpec) -> None:
        self._players = range(game.players)
        self._told: set[tuple[str, str]] = set()
        self._hidden: set[tuple[str, str]] = set()

    def look(self, state: State) -> None:
        """Compare what there is with what each player is shown."""
        everything = fold({}, state.view())
        for plan in state.plan().classes.values():
            name = plan.cls.__name__
            ids = [id_ for id_, fields in everything.items() if fields[CLASS] == name]
            self._told.update(
                (name, field) for field in plan.secret for id_ in ids if everything[id_][field] is not None
            )
        for player in self._players:
            for id_, field in hidden(everything, fold({}, state.view(player))):
                self._hidden.add((everything[id_][CLASS], field))

    def conclude(self, ledger: Ledger) -> None:
        """Note the secrets that were shown to everybody all the time."""
        ledger.place = "all games"
        for name, field in sorted(self._told - self._hidden):
            ledger.add("secret", f"{name}.{field} is declared secret, but nobody ever failed to see it")


def check_determinize(game: GameSpec, state: State, rng: Random, ledger: Ledger) -> None:
    """Sample a world for every player, from what he is sent, and compare what he sees there."""
    for player in range(game.players):
        view = state.view(player)
        try:
            options = game.resolve_options(json.loads(json.dumps(state.options_for(player))))
            world = type(state).determinize(list(view), player, Random(rng.getrandbits(64)), options)
        except Exception as error:
            ledger.add("determinize", f"for {name_of(player)} it raised {describe(error)}")
            continue
        check_values(world, ledger)
        difference = first_difference(fold({}, view), fold({}, world.view(player)))
        if difference is not None:
            ledger.add("determinize", f"{name_of(player)} sees something else in the sampled world at {difference}")
            continue
        _check_world(state, world, player, rng, ledger)


def _check_world(state: State, world: State, player: int, rng: Random, ledger: Ledger) -> None:
    may, worlds = state.to_move(), world.to_move()
    if bool(may) is not bool(worlds) or (player in may) is not (player in worlds):
        ledger.add("determinize", f"{worlds} are to move in the sampled world of player {player}, not {may}")
    elif player in may:
        one, other = (
            sorted(map(canonical, state.legal_actions(player))),
            sorted(map(canonical, world.legal_actions(player))),
        )
        difference = first_difference(one, other)
        if difference is not None:
            ledger.add("secret", f"the legal actions of player {player} depend on what he does not see: {difference}")
    for _ in range(3):
        move = random_move(world, rng)
        if move is None or not attempt(world, *move, scratch_chance(rng), ledger).accepted:
            return
