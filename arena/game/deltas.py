"""The changes that several players see since a mark of the journal. What they all see is computed once.

There are three cases, from cheap to dear:

* Nothing is hidden: the journal has the changes, for all players alike.
* All players see all entities: only secret fields can differ between them.
* Some entities are hidden (fog): each player's visible entities are compared, before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from arena.game.arrays import difference
from arena.game.entity import CREATED, REMOVED, Entity, set_plainly
from arena.game.kinds import View
from arena.game.plan import ClassPlan
from arena.game.projection import Projected, Projection
from arena.game.tables import Table

TABLE = "[]"

_Undone: TypeAlias = tuple[Any, str, Any]
_Line: TypeAlias = tuple[str, str, Any]


class _Secret(NamedTuple):
    """A secret field that somebody can see now, or could see before.

    Attributes:
        owners: The only player who could see it before, and who can see it now; None if `State.conceals` decides.
        change: What a player is sent who could see it before and can see it now. None for nothing.
        loss: What a player is sent who could see it before.
        gain: What a player is sent who can see it now.
        others: What all other players are sent.
    """

    entity: Entity
    name: str
    owners: tuple[Any, Any] | None
    change: _Line | None
    loss: _Line | None
    gain: _Line | None
    others: _Line | None


def deltas(
    state: Projected, classes: Mapping[type, ClassPlan], players: Sequence[int | None], mark: int, *, sees_all: bool
) -> list[View]:
    """Return what each player sees of the changes since a mark: see `State.delta`. The results can share lists.

    Args:
        state: The state.
        classes: The plans of the game's classes.
        players: The players. None sees everything.
        mark: The mark.
        sees_all: Whether every player sees all objects, so that only secret fields differ between players.
    """
    some = [player for player in players if player is not None]
    everything = [] if len(some) == len(players) else _from_journal(Projection(state, classes, None), mark)
    if not some:
        return [everything] * len(players)
    if sees_all:
        views = _of_secrets(state, classes, some, mark)
    else:
        views = _in_fog([Projection(state, classes, player) for player in some], mark)
    of_players = iter(views)
    return [everything if player is None else next(of_players) for player in players]


# Nothing is hidden.


def _from_journal(projection: Projection, mark: int) -> View:
    """Compute the changes since a mark from the journal.

    A field appears once, and only if its value differs from the value at the mark.
    """
    first: dict[tuple[Entity, str], object] = {}
    born: dict[Entity, None] = {}
    gone: dict[Entity, None] = {}
    for entity, name, old in projection.state._journal[mark:]:
        if entity is None or name in type(entity).private_:
            continue
        if name == CREATED:
            born[entity] = None
        elif name == REMOVED:
            gone[entity] = None
        else:
            first.setdefault((entity, name), old)
    classes = projection.classes
    flat: View = []
    for entity in born:
        if entity not in gone:
            flat += _birth(entity, projection)
    for (entity, name), old in first.items():
        if entity in born or entity in gone:
            continue
        value = getattr(entity, name)
        if value is old or (value == old and type(value) is type(old)):
            continue
        encode = classes[type(entity)].encoders[name]
        flat += (entity.id, name, value if encode is None else difference(old, encode(value)))
    for entity in gone:
        if entity not in born:
            flat += (entity.id, REMOVED, None)
    return flat


def _birth(entity: Entity, projection: Projection) -> View:
    flat: View = [entity.id, CREATED, type(entity).__name__]
    for field, value in projection.fields_of(entity).items():
        flat += (entity.id, field, value)
    return flat


# All players see all entities: the shared part is made once, and the secrets stand between its pieces, so that the
# lines of every player keep the same order.


def _of_secrets(state: Projected, classes: Mapping[type, ClassPlan], players: list[int], mark: int) -> list[View]:
    entities = state._entities.values()
    first, born, gone = _changes(state, mark)
    parts: list[View | _Secret] = []
    shared: View = []
    for entity in entities if born else ():
        if entity in born:
            shared += (entity.id, CREATED, type(entity).__name__)
            shared = _add_birth(entity, classes[type(entity)], parts, shared)
    for entity in entities:
        fields = first.get(entity)
        plan = classes[type(entity)]
        if (fields or plan.secret) and entity not in born:
            shared = _add(entity, plan, fields or {}, parts, shared)
    shared += [part for entity in gone if entity not in born for part in (entity.id, REMOVED, None)]
    if not parts:
        return [shared] * len(players)
    parts.append(shared)
    return _merged(state, players, mark, parts)


def _changes(state: Projected, mark: int) -> tuple[dict[Entity, dict[str, object]], set[Entity], list[Entity]]:
    """Return the old values of the assigned fields, the new entities, and the removed ones in their old order."""
    first: dict[Entity, dict[str, object]] = {}
    born: set[Entity] = set()
    before: dict[str, Entity] | None = None
    for entity, name, old in state._journal[mark:]:
        if entity is None:
            continue
        if name == CREATED:
            born.add(entity)
        elif name == REMOVED:
            before = before or old
        else:
            fields = first.get(entity)
            if fields is None:
                first[entity] = {name: old}
            elif name not in fields:
                fields[name] = old
    present = state._entities
    return first, born, [entity for id_, entity in (before or {}).items() if id_ not in present]


def _add_birth(entity: Entity, plan: ClassPlan, parts: list[View | _Secret], shared: View) -> View:
    for name, encode in plan.encoders.items():
        value: Any = getattr(entity, name)
        line = entity.id, name, value if encode is None else encode(value)
        if name not in plan.secret or value is None:
            shared += line
            continue
        owner = plan.owners.get(name)
        owners = (None, getattr(entity, owner)) if owner else None
        parts += (shared, _Secret(entity, name, owners, line, None, line, (entity.id, name, None)))
        shared = []
    return shared


def _add(entity: Entity, plan: ClassPlan, olds: dict[str, object], parts: list[View | _Secret], shared: View) -> View:
    """Add an entity's changes: public ones to `shared`, secret ones to `parts`. Return the list to continue with."""
    for name, encode in plan.encoders.items():
        is_secret = name in plan.secret
        if not is_secret and name not in olds:
            continue
        value: Any = getattr(entity, name)
        old: Any = olds.get(name, value)
        if (old is value and not is_secret) or (value is None and old is None):
            continue
        if encode is not None:
            old, value = encode(old), encode(value)
        is_same = value == old and type(value) is type(old)
        line = None if is_same else (entity.id, name, difference(old, value))
        if not is_secret:
            shared += line or ()
            continue
        owners = None
        if owner := plan.owners.get(name):
            now = getattr(entity, owner)
            owners = olds.get(owner, now), now
            if is_same and owners[0] == now:
                continue
        loss = None if old is None else (entity.id, name, None)
        gain = None if value is None else (entity.id, name, value)
        parts += (shared, _Secret(entity, name, owners, line, loss, gain, None))
        shared = []
    return shared


def _merged(state: Projected, players: list[int], mark: int, parts: list[View | _Secret]) -> list[View]:
    """Put together what each player is sent. Players who are sent the same share one list."""
    own: dict[int, dict[int, _Line | None]] = {}
    undecided: list[int] = []
    for index, secret in enumerate(parts):
        if type(secret) is not _Secret:
            continue
        if secret.owners is None:
            undecided.append(index)
            continue
        old_owner, owner = secret.owners
        if old_owner == owner:
            own.setdefault(owner, {})[index] = secret.change
        else:
            own.setdefault(old_owner, {})[index] = secret.loss
            own.setdefault(owner, {})[index] = secret.gain
    if undecided:
        _decide(state, players, mark, parts, undecided, own)
    common = _joined(parts, {})
    return [_joined(parts, own[player]) if player in own else common for player in players]


def _joined(parts: list[View | _Secret], own: dict[int, _Line | None]) -> View:
    flat: View = []
    for index, part in enumerate(parts):
        if type(part) is list:
            flat += part
        else:
            flat += own.get(index, part.others) or ()  # type: ignore[union-attr]
    return flat


def _decide(
    state: Projected,
    players: list[int],
    mark: int,
    parts: list[View | _Secret],
    undecided: list[int],
    own: dict[int, dict[int, _Line | None]],
) -> None:
    """Ask the rules what they conceal, before and after the changes, and add what each player is sent."""
    secrets: list[_Secret] = [parts[index] for index in undecided]  # type: ignore[misc]
    after = [[_sees_secret(state, player, secret) for secret in secrets] for player in players]
    undone = _rewind(state, mark)
    before = [[_sees_secret(state, player, secret) for secret in secrets] for player in players]
    _replay(state, undone)
    for player, are_seen, were_seen in zip(players, after, before, strict=True):
        for index, secret, is_seen, was_seen in zip(undecided, secrets, are_seen, were_seen, strict=True):
            if is_seen and was_seen:
                own.setdefault(player, {})[index] = secret.change
            elif is_seen:
                own.setdefault(player, {})[index] = secret.gain
            elif was_seen:
                own.setdefault(player, {})[index] = secret.loss


def _sees_secret(state: Projected, player: int, secret: _Secret) -> bool:
    # The entities of secrets are all in the game now. One that was made since the mark is not, once that is undone.
    return secret.entity.id in state._entities and not state.conceals(player, secret.entity, secret.name)


# Fog: the rules decide what a player sees from the whole state, so the state is taken back to the mark to ask them.


def _in_fog(projections: Sequence[Projection], mark: int) -> list[View]:
    state = projections[0].state
    assigned = _assigned(projections[0], mark)
    undone = _rewind(state, mark)
    befores = [{entity: _guarded(projection, entity) for entity in _seen(projection)} for projection in projections]
    _replay(state, undone)
    return [_compared(projection, before, assigned) for projection, before in zip(projections, befores, strict=True)]


def _compared(
    projection: Projection, before: dict[Entity, dict[str, object]], assigned: dict[Entity, dict[str, object]]
) -> View:
    born: View = []
    changed: View = []
    after = _seen(projection)
    for entity in after:
        old_guarded = before.get(entity)
        if old_guarded is None:
            born += _birth(entity, projection)
            continue
        guarded = _guarded(projection, entity)
        old = assigned.get(entity)
        if old is None and guarded == old_guarded:
            continue
        _compare(projection.classes[type(entity)], entity, old_guarded | (old or {}), guarded, changed)
    present = set(after)
    gone = [part for entity in before if entity not in present for part in (entity.id, REMOVED, None)]
    return born + changed + gone


def _seen(projection: Projection) -> list[Entity]:
    """Return all entities that the player sees, in their order."""
    return [entity for entity in projection.state._entities.values() if projection.sees(entity)]


def _guarded(projection: Projection, entity: Entity) -> dict[str, object]:
    """Return the wire values of the fields whose visible value can differ between players."""
    plan = projection.classes[type(entity)]
    return {name: projection.visible_value(entity, name, plan) for name in plan.guarded}


def _assigned(projection: Projection, mark: int) -> dict[Entity, dict[str, object]]:
    """Return the old wire values of the fields that were assigned after a mark, without the `_guarded` fields."""
    olds: dict[Entity, dict[str, object]] = {}
    for entity, name, old in projection.state._journal[mark:]:
        if entity is None or name in (CREATED, REMOVED):
            continue
        plan = projection.classes[type(entity)]
        if name in plan.encoders and name not in plan.guarded:
            fields = olds.setdefault(entity, {})
            if name not in fields:
                encode = plan.encoders[name]
                fields[name] = old if encode is None else encode(old)
    return olds


def _compare(
    plan: ClassPlan, entity: Entity, before: dict[str, object], guarded: dict[str, object], changed: View
) -> None:
    """Append the changed fields of an entity with their new values, in the order of declaration."""
    for name, encode in plan.encoders.items():
        if name not in before:
            continue
        if name in guarded:
            value = guarded[name]
        else:
            value = getattr(entity, name) if encode is None else encode(getattr(entity, name))
        old = before[name]
        if value != old or type(value) is not type(old):
            changed += (entity.id, name, difference(old, value))


# Back to the mark, and forth.


def put_back(entities: dict[str, Entity], before: dict[str, Entity]) -> None:
    """Undo the removal of an entity: restore all entities in the same order as before the removal."""
    entities.clear()
    entities.update(before)


def _rewind(state: Projected, mark: int) -> list[_Undone]:
    """Undo all changes since a mark, and return the data for `_replay`."""
    entities = state._entities
    undone: list[_Undone] = []
    for entity, name, old in reversed(state._journal[mark:]):
        if entity is None:
            if type(name) is Table:
                undone.append((name, TABLE, name.revert(old)))
            continue
        if name == CREATED:
            del entities[entity.id]
            undone.append((entity, name, None))
        elif name == REMOVED:
            put_back(entities, old)
            undone.append((entity, name, None))
        else:
            undone.append((entity, name, getattr(entity, name)))
            set_plainly(entity, name, old)
    _note_moves(state, undone)
    return undone


def _replay(state: Projected, undone: list[_Undone]) -> None:
    """Redo the changes that `_rewind` has undone. Neither function changes the journal."""
    entities = state._entities
    for entity, name, value in reversed(undone):
        if name == TABLE:
            entity.revert(value)
        elif name == CREATED:
            entities[entity.id] = entity
        elif name == REMOVED:
            del entities[entity.id]
        else:
            set_plainly(entity, name, value)
    _note_moves(state, undone)


def _note_moves(state: Projected, undone: list[_Undone]) -> None:
    indexes = state._indexes
    if indexes:
        for entity, name, _ in undone:
            if name in indexes.names:
                indexes.note(entity)
