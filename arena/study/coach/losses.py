"""The losses of one bot in many matches, in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.study.coach.causes import Cause, causes_of
from arena_replays import Reader

PHASES = ("early", "middle", "late")
NOT_LOST = ("won", "drawn", "void", "")
MOST_IN_GROUP = 8
"""The limit for the kinds of one group in the text."""
SHOWN = 20
"""The limit for the number of losses in the text; the JSON document has all."""


@dataclass(frozen=True, slots=True)
class BotMatch:
    """A match in which a bot played, and why its part ended as it did."""

    replay: Path
    cause: Cause

    @property
    def lost(self) -> bool:
        return self.cause.kind not in NOT_LOST

    @property
    def played_on(self) -> bool:
        """Whether the match was lost by the rules, and not by a program that failed."""
        return self.cause.kind == "lost"


@dataclass(frozen=True, slots=True)
class Loss:
    """A lost match.

    Attributes:
        cause: How the program failed, or else the kind of the dearest lesson, or else ``lost``.
        opponent: The names of all other players.
        map: The name of the map; empty if the game has none.
        turn: The worst turn.
        turns: How many turns the match had.
        phase: The third of the match with the worst turn.
    """

    replay: str
    player: int
    cause: str
    message: str
    opponent: str
    map: str
    turn: int
    turns: int
    phase: str

    @property
    def name(self) -> str:
        return Path(self.replay).stem


@dataclass(frozen=True, slots=True)
class Losses:
    """All losses of a bot in some matches."""

    bot: str
    matches: int
    each: tuple[Loss, ...]

    @property
    def groups(self) -> dict[str, dict[str, int]]:
        """How many losses have the same cause, phase, map or opponent; the largest group first."""
        kinds = {
            "cause": [loss.cause for loss in self.each],
            "phase": [loss.phase for loss in self.each],
            "map": [loss.map for loss in self.each if loss.map],
            "opponent": [loss.opponent for loss in self.each],
        }
        return {name: dict(Counter(each).most_common()) for name, each in kinds.items()}

    @property
    def title(self) -> str:
        return f"{self.bot} lost {len(self.each)} of {self.matches} matches"

    def to_document(self) -> dict[str, Any]:
        groups = {f"by_{name}": found for name, found in self.groups.items()}
        each = [asdict(loss) for loss in self.each]
        return {"bot": self.bot, "matches": self.matches, "losses": len(each), **groups, "each": each}

    def lines(self) -> list[str]:
        """Return the groups and the first losses with their worst turns, as lines of text."""
        return [self.title, *self._group_lines(), *self._loss_lines()]

    def _group_lines(self) -> Iterator[str]:
        for name, found in self.groups.items():
            shown = [f"{count} {kind}" for kind, count in found.items()][:MOST_IN_GROUP]
            more = [f"and {len(found) - MOST_IN_GROUP} more"] if len(found) > MOST_IN_GROUP else []
            if shown:
                yield f"  by {name}: {', '.join(shown + more)}"

    def _loss_lines(self) -> Iterator[str]:
        for loss in self.each[:SHOWN]:
            yield f"  {loss.replay}@{loss.turn}  {loss.cause}, {loss.phase}, against {loss.opponent}"
        if len(self.each) > SHOWN:
            yield f"  and {len(self.each) - SHOWN} more; --json lists all"


def replays_in(folder: Path) -> list[Path]:
    """Return the replays in a folder, or those of a contest, given its file."""
    if not folder.exists():
        raise ArenaError(f"There is no folder {folder}.", exit_code=ExitCode.BAD_OPTION)
    found = sorted((folder.with_suffix("") if folder.suffix == ".toml" else folder).rglob("*.arena"))
    if not found:
        raise ArenaError(f"There is no replay in {folder}.", exit_code=ExitCode.BAD_OPTION)
    return found


def played_by(bot: str, replays: Iterable[Path]) -> list[BotMatch]:
    found = []
    for path in replays:
        reader = Reader(path)
        own = [player for player, entry in enumerate(reader.header.get("players", ())) if entry["name"] == bot]
        found += [BotMatch(path, causes_of(reader)[player]) for player in own]
    return found


def loss_of(match: BotMatch, document: dict[str, Any] | None) -> Loss:
    """Return a loss with its worst turn.

    This is the first of these that exists: the turn in which the program failed, that of the dearest lesson, the start
    of the steepest fall, the last turn.

    Args:
        document: The explanation of the match; None if there is none.
    """
    cause, reader = match.cause, Reader(match.replay)
    first, last = (reader.number_of(at) for at in (0, max(0, len(reader.turns) - 1)))
    kind, worst = _worst(document, cause.player) if document else ("", None)
    turn = cause.turn or worst or last
    turns = max(last, turn) - first + 1
    names = [str(entry["name"]) for entry in reader.header.get("players", ())]
    return Loss(
        replay=str(match.replay),
        player=cause.player,
        cause=cause.kind if cause.failed else kind or cause.kind,
        message=cause.message,
        opponent=", ".join(name for number, name in enumerate(names) if number != cause.player),
        map=_map(reader.header),
        turn=turn,
        turns=turns,
        phase=PHASES[min(2, 3 * (turn - first) // turns)],
    )


def _worst(document: dict[str, Any], player: int) -> tuple[str, int | None]:
    """Return the kind and the turn of a player's dearest lesson, or without one the start of the steepest fall."""
    for lesson in document["lessons"]:
        if lesson["player"] == player:
            return lesson["kind"], lesson["from_turn"]
    fall = document["fall"][player]
    return "", fall and fall["from_turn"]


def _map(header: Any) -> str:
    option = find_game(header.get("game", "")).map_option
    value = header.get("options", {}).get(option, "") if option else ""
    return str(value.get("name", "")) if isinstance(value, dict) else str(value)
