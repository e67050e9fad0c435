"""The losses of one bot in many matches, in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.analysis.causes import OUTPLAYED, causes_of
from arena.match.lookup import find_game
from arena_replays import Reader

PHASES = ("early", "middle", "late")
NOT_LOST = ("won", "drawn", "void", "")
SHOWN = 20
"""The limit for the number of losses in the text; the JSON document has all."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A match that a bot lost.

    Attributes:
        map: The name of the map; empty if the game has none.
        turn: The worst turn, from 1. The first of these that exists: the turn in which the program failed, the largest
            turning point, that of the largest difference, the last turn.
        first_turn: The number of the first turn. It is greater than 1 if the match starts from a position.
    """

    replay: str
    player: int
    cause: str
    message: str
    opponent: str
    map: str
    turn: int
    turns: int
    first_turn: int = 1

    @property
    def phase(self) -> str:
        """The third of the match that contains the worst turn: ``early``, ``middle`` or ``late``."""
        return PHASES[min(2, 3 * (self.turn - self.first_turn) // max(1, self.turns))]


class BotMatch(NamedTuple):
    replay: Path
    player: int
    cause: str

    @property
    def lost(self) -> bool:
        return self.cause not in NOT_LOST


def played_by(bot: str, replays: Iterable[Path]) -> list[BotMatch]:
    found = []
    for path in replays:
        reader = Reader(path)
        for player, entry in enumerate(reader.header.get("players", ())):
            if entry["name"] == bot:
                found.append(BotMatch(path, player, causes_of(reader)[player].kind))
    return found


def loss_of(played: BotMatch, document: dict[str, Any] | None) -> Loss:
    """Return a loss with its cause and its worst turn.

    Args:
        document: The explanation of the match. It can be None if the bot's program failed.
    """
    path, player, _ = played
    reader = Reader(path)
    header = reader.header
    cause = causes_of(reader)[player]
    names = [str(entry["name"]) for entry in header.get("players", ())]
    first = reader.number_of(0)
    last = max(reader.number_of(max(0, len(reader.turns) - 1)), cause.turn or 1)
    turn = cause.turn or last
    if document is not None and cause.kind == OUTPLAYED:
        turn = _worst_turn(document, player) or turn
    opponents = ", ".join(name for number, name in enumerate(names) if number != player)
    return Loss(str(path), player, cause.kind, cause.message, opponents, _map(header), turn, last - first + 1, first)


def _worst_turn(document: dict[str, Any], player: int) -> int | None:
    """Return the turn of the largest turning point, or else of the largest difference, or else None."""
    for name in ("turning_points", "differences"):
        if own := [one for one in document[name] if one["player"] == player]:
            return int(own[0]["turn"])
    return None


def _map(header: Any) -> str:
    option = find_game(header.get("game", "")).map_option
    value = header.get("options", {}).get(option, "") if option else ""
    return str(value.get("name", "")) if isinstance(value, dict) else str(value)


def grouped(bot: str, played: int, losses: Sequence[Loss]) -> dict[str, Any]:
    """Return a list of all losses, and their groups by cause, phase, map and opponent, the largest group first."""

    def count(values: Iterable[str]) -> dict[str, int]:
        return dict(Counter(value for value in values if value).most_common())

    return {
        "bot": bot,
        "matches": played,
        "losses": len(losses),
        "by_cause": count(loss.cause for loss in losses),
        "by_phase": count(loss.phase for loss in losses),
        "by_map": count(loss.map for loss in losses),
        "by_opponent": count(loss.opponent for loss in losses),
        "each": [asdict(loss) | {"phase": loss.phase} for loss in losses],
    }


def lines_of(document: dict[str, Any]) -> list[str]:
    """Return the groups and the first losses with their worst turns, as lines of text."""
    lines = [f"{document['bot']} lost {document['losses']} of {document['matches']} matches"]
    for title in ("cause", "phase", "map", "opponent"):
        groups = list(document[f"by_{title}"].items())
        if groups:
            shown = ", ".join(f"{count} {name}" for name, count in groups[:8])
            lines.append(f"  by {title}: {shown}" + (f", and {len(groups) - 8} more" if len(groups) > 8 else ""))
    for loss in document["each"][:SHOWN]:
        lines.append(f"  {loss['replay']}@{loss['turn']}  {loss['cause']}, {loss['phase']}, against {loss['opponent']}")
    if len(document["each"]) > SHOWN:
        lines.append(f"  and {len(document['each']) - SHOWN} more; --json lists all")
    return lines
