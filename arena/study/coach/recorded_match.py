"""Divide a recorded match into parts, each with the verified state before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.game import Document, GameSpec, State
from arena.game.action import LEAVE, ROOT_ID
from arena.game.kinds import Number
from arena.match.void import is_void
from arena.study.coach.numbers import OWNERS, owner_of
from arena.study.coach.playouts import shares
from arena.study.coach.words import ENDS, kind_in_words, line_in_words, not_among
from arena.study.replaying.course import course, game_of
from arena_replays import Reader
from arena_replays.state import triples


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive actions of one player in one turn, without an action of another player between them.

    Attributes:
        action: The number of the turn's actions before the part.
        state: The state before the part. Clone it before you change it.
    """

    index: int
    turn: int
    action: int
    player: int
    actions: list[Document]
    draws: list[Number]
    state: State

    @property
    def number(self) -> int:
        """The number that the game gives the turn. It can differ from `turn`."""
        return self.state.turn_number()


class RecordedMatch:
    """A replay whose actions were carried out again with the rules."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.game: GameSpec = game_of(reader.header)
        self.schema = self.game.schema()
        self.parts: list[Part] = []
        self._play(reader)

    @classmethod
    def of_file(cls, path: str | Path) -> RecordedMatch:
        return cls(Reader(path))

    @property
    def turns(self) -> int:
        """The number of turns with actions. The first of them has another number than 1 after a position."""
        return len(self.starts) - 1

    @cached_property
    def names(self) -> list[str]:
        return [str(player["name"]) for player in self.reader.header.get("players", ())]

    @cached_property
    def starts(self) -> list[int]:
        """The index of the first part of each turn, followed by the number of parts."""
        found = [one.index for at, one in enumerate(self.parts) if not at or self.parts[at - 1].turn != one.turn]
        return [*found, len(self.parts)]

    @cached_property
    def result(self) -> tuple[float, ...] | None:
        """Each player's share of the win; None if the replay has no result, also if the match is void."""
        from arena.game import Outcome

        footer = self.reader.footer or {}
        if self.reader.outcome is None or is_void(player.get("ending", "") for player in footer.get("players", ())):
            return None
        return shares(Outcome.from_document(self.reader.outcome), self.players)

    @cached_property
    def has_estimates(self) -> bool:
        """Whether the game estimates positions under the options of this match."""
        return self.state_before(0).evaluate() is not None

    @cached_property
    def seed(self) -> int:
        """The first seed of the match's playouts, computed from the last state, so that it differs between matches.

        With equal seeds, the playouts from a common opening would have the same random errors in all matches.
        """
        return int(self.end.digest()[:12], 16)

    def state_before(self, index: int) -> State:
        """Return a copy of the state before a part. The index after the last part stands for the end."""
        return self.state_after(index - 1).clone()

    def state_after(self, index: int) -> State:
        """Return the state after a part. Clone it before you change it."""
        return self.end if index + 1 == len(self.parts) else self.parts[index + 1].state

    def orders_in_words(self, part: Part, most: int, instead: Sequence[Document] = ()) -> list[str]:
        """Return a part's orders in words: of many, those that changed most besides their own unit, shots before steps.

        Args:
            instead: Other orders for the part. Those that are among them come last.
        """
        lacking, own = not_among(part.actions, instead), self._units(part.state, part.player)
        actions, weights, units = [], [], []
        for action, ids, is_own in zip(part.actions, self._changed(part), lacking, strict=False):
            if action is not LEAVE and action["type"] not in ENDS:
                unit = next(iter(ids & own)) if len(ids & own) == 1 else None
                actions.append(action)
                units.append(unit)
                weights.append(len(ids.difference(map(str, action.values()), [unit])) if is_own else -1)
        return line_in_words(actions, part.state, self.schema, most, weights, units) or ["no order"]

    def lost(self, first: Part, last: Part) -> list[Counter[str]]:
        """Return the units, by kind, that each player lost in a stretch of the match."""
        lost: list[Counter[str]] = [Counter() for _ in range(self.players)]
        for part in self.parts[first.index : last.index + 1]:
            after = self.state_after(part.index)
            came = {
                id_ for delta in self._deltas(part) for id_, name, value in delta if name == "x" and value is not None
            }
            for player, counted in enumerate(lost):
                had = self._units(part.state, player) | {id_ for id_ in came if self._owner(after, id_) == player}
                # What it was at last: a unit can be another one when it is revealed.
                for id_ in sorted(had - self._units(after, player)):
                    counted[kind_in_words(after.entity(id_) or part.state.entity(id_), self.schema)] += 1
        return lost

    def touches(self, part: Part, player: int) -> bool:
        """Return whether a part changed what a player owned."""
        own = self._units(part.state, player)
        return any(ids & own for ids in self._changed(part))

    def _units(self, state: State, player: int) -> set[str]:
        """Return the ids of what a player owns that is on a tile, or acts and has no tile of its own, as a snake."""
        owned = set()
        for entity in state.entities():
            about = self.schema["classes"].get(type(entity).__name__, {})
            is_there = getattr(entity, "x", None) is not None if about.get("placed") else about.get("actions")
            if is_there and self._owner(state, entity.id) == player:
                owned.add(entity.id)
        return owned

    @staticmethod
    def _owner(state: State, id_: str) -> int | None:
        entity = state.entity(id_)
        return owner_of({name: getattr(entity, name, None) for name in OWNERS})

    def _first_frame(self, part: Part) -> int:
        turn = next(turn for turn in self.reader.turns if self.reader.number_of(turn.index) == part.turn)
        return turn.first + part.action

    def _changed(self, part: Part) -> list[set[str]]:
        """Return the ids of what each action of a part changed, besides the game itself."""
        return [{id_ for id_, *_ in delta} - {ROOT_ID} for delta in self._deltas(part)]

    def _deltas(self, part: Part) -> list[list[tuple[str, str, Any]]]:
        """Return what each action of a part changed."""
        first = self._first_frame(part)
        return [[*triples(delta)] for delta, _ in self.reader.frames(0, first, first + len(part.actions))]

    def simultaneous(self, part: Part) -> list[Part]:
        """Return, in order, this part and the parts of players who moved at the same time."""
        first = part.index
        while first and self.parts[first - 1].turn == part.turn and len(self.parts[first - 1].state.to_move()) > 1:
            first -= 1
        if len(self.parts[first].state.to_move()) < 2:
            return [part]
        together = [one for one in self.parts[first:] if one.turn == part.turn]
        return together[: len(self.parts[first].state.to_move())]

    def _play(self, reader: Reader) -> None:
        steps = course(reader)
        start = next(steps)
        turn, before = start.turn, start.state.clone()
        self.players = self.game.players_in(before.options)
        for step in steps:
            kind, player, *action, draws = step.entry
            last = self.parts[-1] if self.parts else None
            if last is None or (last.player, last.turn) != (player, turn):
                done = last.action + len(last.actions) if last is not None and last.turn == turn else 0
                last = Part(len(self.parts), turn, done, player, [], [], before)
                self.parts.append(last)
            last.actions.append(action[0] if kind == "do" else LEAVE)
            last.draws.extend(draws)
            others = (one[1] for one in reader.truth[step.entries :] if one[0] in ("do", "leave"))
            if step.turn != turn or next(others, None) != player:
                turn, before = step.turn, step.state.clone()
        self.end = before
