"""The losses of one bot in many matches, in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.analysis.causes import OUTPLAYED, Cause, causes_of
from arena.match.lookup import find_game
from arena_replays import Reader

PHASES = ("early", "middle", "late")
NOT_LOST = ("won", "drawn", "void", "")
GROUPS = ("cause", "phase", "map", "opponent")
SHOWN = 20
"""The limit for the number of losses in the text; the JSON document has all."""


class BotMatch(NamedTuple):
    replay: Path
    cause: Cause

    @property
    def lost(self) -> bool:
        return self.cause.kind not in NOT_LOST

    @property
    def outplayed(self) -> bool:
        return self.cause.kind == OUTPLAYED


def played_by(bot: str, replays: Iterable[Path]) -> list[BotMatch]:
    found = []
    for path in replays:
        reader = Reader(path)
        own = [player for player, entry in enumerate(reader.header.get("players", ())) if entry["name"] == bot]
        found += [BotMatch(path, causes_of(reader)[player]) for player in own]
    return found


def loss_of(played: BotMatch, document: dict[str, Any] | None) -> dict[str, Any]:
    """Return a loss with its cause, its worst turn and the phase of the match: the third that has this turn.

    The worst turn is the first of these that exists: the turn in which the program failed, the largest turning point,
    that of the largest difference, the last turn.

    Args:
        document: The explanation of the match. It can be None if the bot's program failed.
    """
    path, cause = played
    reader = Reader(path)
    first, last = (reader.number_of(at) for at in (0, max(0, len(reader.turns) - 1)))
    named = [*document["turning_points"], *document["differences"]] if document is not None and played.outplayed else []
    turn = next((int(one["turn"]) for one in named if one["player"] == cause.player), cause.turn or last)
    turns = max(last, turn) - first + 1
    names = [str(entry["name"]) for entry in reader.header.get("players", ())]
    return {
        "replay": str(path),
        "player": cause.player,
        "cause": cause.kind,
        "message": cause.message,
        "opponent": ", ".join(name for number, name in enumerate(names) if number != cause.player),
        "map": _map(reader.header),
        "turn": turn,
        "turns": turns,
        "first_turn": first,
        "phase": PHASES[min(2, 3 * (turn - first) // turns)],
    }


def _map(header: Any) -> str:
    """Return the name of a match's map; empty if the game has none."""
    option = find_game(header.get("game", "")).map_option
    value = header.get("options", {}).get(option, "") if option else ""
    return str(value.get("name", "")) if isinstance(value, dict) else str(value)


def grouped(bot: str, played: int, losses: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a list of all losses, and their groups by cause, phase, map and opponent, the largest group first."""
    groups = {f"by_{name}": dict(Counter(loss[name] for loss in losses if loss[name]).most_common()) for name in GROUPS}
    return {"bot": bot, "matches": played, "losses": len(losses), **groups, "each": list(losses)}


def lines_of(document: dict[str, Any]) -> list[str]:
    """Return the groups and the first losses with their worst turns, as lines of text."""
    lines = [f"{document['bot']} lost {document['losses']} of {document['matches']} matches"]
    for title in GROUPS:
        if groups := list(document[f"by_{title}"].items()):
            shown = ", ".join(f"{count} {name}" for name, count in groups[:8])
            lines.append(f"  by {title}: {shown}" + (f", and {len(groups) - 8} more" if len(groups) > 8 else ""))
    for loss in document["each"][:SHOWN]:
        lines.append(f"  {loss['replay']}@{loss['turn']}  {loss['cause']}, {loss['phase']}, against {loss['opponent']}")
    if len(document["each"]) > SHOWN:
        lines.append(f"  and {len(document['each']) - SHOWN} more; --json lists all")
    return lines
