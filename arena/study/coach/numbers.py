"""What each player did and had in a match, in numbers that need no code of the game: facts, and no claim about causes.

They come from the schema, the actions, the refusals and the views. An object belongs to the player whose number is in
its field or property ``owner``, ``player`` or ``index``, or else to the player who acts with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from statistics import fmean
from types import SimpleNamespace
from typing import Any

from arena.game import Document, GameSpec
from arena.study.coach.words import ENDS
from arena.study.replaying.course import game_of
from arena_replays import Reader
from arena_replays.documents import FooterPlayer
from arena_replays.state import State, fold, triples

OWNERS = ("owner", "player", "index")
PLACE = ("x", "y")
LATE = "timed_out"
MOST = 8
"""The limit for the numbers of one player."""


def owner_of(thing: Document) -> int | None:
    """Return the player whose number an object of a view carries."""
    return next((thing[name] for name in OWNERS if type(thing.get(name)) is int), None)


def end_of(reader: Reader, player: int) -> FooterPlayer:
    """Return what the end of a replay says about a player; nothing if there is no end."""
    ends = (reader.footer or {}).get("players", ())
    return ends[player] if player < len(ends) else {}


def out_of(reader: Reader, player: int) -> tuple[int, int] | None:
    """Return the frame and the number of the turn in which the rules eliminated a player; None if they did not."""
    frame = end_of(reader, player).get("out")
    if frame is None:
        return None
    turn = next((one.index for one in reader.turns if one.last > frame), len(reader.turns) - 1)
    return frame, reader.number_of(max(0, turn))


def numbers_of(reader: Reader) -> list[dict[str, Any]]:
    """Return the numbers in which players who did not win differ most from those who did, largest difference first.

    Returns:
        For each number ``player``, ``words``, ``own``, and ``others``: the mean of the winners, or without winners that
        of all others.
    """
    counted = _Counting(reader).numbers
    winners = [player for player in range(len(counted)) if end_of(reader, player).get("ending") == "won"]
    found = []
    for player in range(len(counted)):
        if player in winners or end_of(reader, player).get("ending") in ("void", "finished"):
            continue
        others = winners or [other for other in range(len(counted)) if other != player] or [player]
        rows: list[tuple[float, dict[str, Any]]] = []
        for words in sorted({words for numbers in counted for words in numbers}):
            own, usual = counted[player][words], fmean(counted[other][words] for other in others)
            row = {"player": player, "words": words, "own": _rounded(own), "others": _rounded(usual)}
            rows += [(-abs(own - usual) / max(abs(own), abs(usual)), row)] if own != usual else []
        rows.sort(key=lambda one: one[0])
        found += [row for _, row in rows[:MOST]]
    return found


class _Owners:
    """Says to whom the objects of a match belong.

    Args:
        entries: The entries of the replay.
        receivers: Maps the type of an action to the argument that names who carries it out.
    """

    def __init__(self, game: GameSpec, receivers: dict[str, str], entries: Iterable[Any]) -> None:
        self._properties: dict[str, Callable[[Any], object]] = {
            cls.__name__: found.fget
            for cls in game.state.classes
            for name in reversed(OWNERS)
            if isinstance(found := getattr(cls, name, None), property) and found.fget
        }
        self._actors: dict[str, int] = {}
        for entry in entries:
            match entry:
                case ["do", player, {"type": type_, **more}, *_] if type_ in receivers:
                    self._actors.setdefault(str(more.get(receivers[type_])), player)

    def of(self, id_: str, thing: Document) -> int | None:
        found: object = owner_of(thing)
        if found is None and (compute := self._properties.get(thing["class"])):
            with suppress(AttributeError, TypeError, ValueError):  # it may need more than the object's own fields
                found = compute(SimpleNamespace(**thing))
        return found if type(found) is int else self._actors.get(id_)


class _Counting:
    """Follows a match entry by entry."""

    def __init__(self, reader: Reader) -> None:
        header = reader.header
        self._classes: Document = (header.get("schema") or {}).get("classes", {})
        receivers = {
            type_: about["receiver"]
            for entry in self._classes.values()
            for type_, about in entry.get("actions", {}).items()
            if about.get("receiver")
        }
        self._owners = _Owners(game_of(header), receivers, reader.truth)
        self._receivers = receivers
        self._things: State = {}
        self._turns = 0
        self._present: list[Counter[str]] = [Counter() for _ in header.get("players", ())]
        self._own_losses: Counter[tuple[int, str, str]] = Counter()
        self.numbers: list[defaultdict[str, float]] = [defaultdict(float) for _ in self._present]
        self._follow(reader)

    def _follow(self, reader: Reader) -> None:
        frames = reader.frames()
        for entry in reader.truth:
            match entry:
                case ["do", player, action, _]:
                    self._act(player, action, next(frames)[0])
                case ["leave", _, _]:
                    fold(self._things, next(frames)[0])
                case ["refuse", player, action, code, _]:
                    type_ = action.get("type", "") if isinstance(action, dict) else ""
                    self.numbers[player][f"`{type_}` refused ({code})"] += 1
                case ["seat", player, ending, *_] if ending == LATE:
                    self.numbers[player]["time-outs"] += 1
                case ["turn", *_]:
                    self._end_turn()
                case ["setup" | "position", *_]:
                    fold(self._things, next(frames)[0])
        for present, numbers in zip(self._present, self.numbers, strict=True):
            for name, count in present.items():
                numbers[f"{plural(name)}, on average"] = count / max(1, self._turns)
        hit = {words for numbers in self.numbers for words in numbers}
        for (player, taken, type_), fell in self._own_losses.items():
            if f"{taken} of others" in hit:  # what only own actions take is a timer
                self.numbers[player][f"{taken} of its own by `{type_}`"] += fell

    def _act(self, player: int, action: Any, delta: list[Any]) -> None:
        type_ = action.get("type", "") if isinstance(action, dict) else ""
        if type_ not in ENDS:
            self.numbers[player][f"`{type_}` carried out"] += 1
        agent = str(action.get(self._receivers[type_])) if type_ in self._receivers else None
        for id_, field, value in triples(delta):
            thing = self._things.get(id_)
            if thing is None or (owner := self._owners.of(id_, thing)) is None or not 0 <= owner < len(self.numbers):
                continue
            name = thing["class"]
            if field == "-":
                self.numbers[owner][f"{plural(name)} lost"] += 1
            elif self._classes[name]["placed"] and id_ != agent and field not in (*PLACE, *OWNERS):
                fell = _number(thing.get(field)) - _number(value)
                taken = f"{field} taken from {plural(name)}"
                if fell > 0 and owner == player:
                    self._own_losses[player, taken, type_] += fell
                elif fell > 0:
                    self.numbers[player][f"{taken} of others"] += fell
        fold(self._things, delta)

    def _end_turn(self) -> None:
        self._turns += 1
        for id_, thing in self._things.items():
            if self._classes[thing["class"]]["placed"] and thing.get("x") is not None:
                owner = self._owners.of(id_, thing)
                if owner is not None and 0 <= owner < len(self._present):
                    self._present[owner][thing["class"]] += 1


def plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeo":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "h")) else f"{noun}s"


def _number(value: Any) -> int:
    return value if type(value) is int else len(value) if isinstance(value, list) else 0


def _rounded(value: float) -> float:
    return int(value) if value == int(value) else round(value, 1)
