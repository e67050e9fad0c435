"""Print a replay, and summarize it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena_replays.documents import FRAMED
from arena_replays.reader import Reader


def info(path: str | Path) -> dict[str, Any]:
    """Return a summary of a replay: game, players, turns, outcome, digest, sizes.

    `first_turn` is the game's own number of turn 1, which bots read.

    Raises:
        ReplayError: The replay cannot be read.
    """
    reader = Reader(path)
    header = {key: value for key, value in reader.header.items() if key != "schema"}
    turns, actions, last, digest = 0, 0, None, None
    first = reader.header.get("start", {}).get("first")
    for entry in reader.truth:
        if entry[0] == "turn":
            first = entry[1] if first is None else first
            turns += last is None or entry[1] != last[1]  # one turn can have several entries
            last = entry
            digest = entry[6].hex() or digest
        else:
            actions += entry[0] == "do"
    if reader.footer is not None and "digest" in reader.footer:
        digest = reader.footer["digest"]
    problem = reader.problem
    if reader.footer is not None and not problem:
        problem = next((found.rstrip(".") for found in reader.check()), "")
    return {
        **header,
        "players": _players(reader),
        "seed": reader.seed,
        "turns": turns,
        "first_turn": first,
        "actions": actions,
        "refusals": sum(_refused(reader)),
        "outcome": reader.outcome,
        "digest": digest,
        "ended": reader.ended,
        "truncated": reader.truncated,
        "problem": problem,
        "left_out": sorted(reader.left_out),
        "notice": reader.notice,
        "size": Path(path).stat().st_size,
    }


def _refused(reader: Reader) -> list[int]:
    """Return how many actions of each player were refused. The footer has all counts; the entries are limited."""
    recorded = Counter(refusal.player for refusal in reader.refusals)
    counted = [
        sum(count for count in player.get("refusals", {}).values() if type(count) is int)
        for player in (reader.footer or {}).get("players", ())
    ]
    return [
        max(recorded[player], counted[player] if player < len(counted) else 0)
        for player in range(len(reader.header.get("players", ())))
    ]


def printed(path: str | Path) -> Iterator[str]:
    """Yield what the bots printed and logged, one text for each line: turn, player, and the line.

    Raises:
        ReplayError: The replay cannot be read.
    """
    reader = Reader(path)
    names = [player["name"] for player in reader.header.get("players", ())]
    for note in reader.notes:
        if isinstance(note.payload, str) and note.player < len(names):
            turn = reader.number_of(note.turn) if note.turn < len(reader.turns) else None
            when = "after the last turn" if turn is None else f"turn {turn}"
            for line in note.payload.splitlines():
                yield f"{when}, {names[note.player]}: {line}"


def log(path: str | Path) -> Iterator[str]:
    """Yield a replay as lines of text.

    Raises:
        ReplayError: The replay cannot be read.
    """
    reader = Reader(path)
    header = reader.header
    names = [player["name"] for player in header.get("players", ())]
    yield f"{header.get('title', header.get('game'))} {header.get('version', '')}: {' against '.join(names)}".rstrip()
    said: dict[tuple[int, int], list[Any]] = {}
    for note in reader.notes:
        said.setdefault((note.turn, note.frame), []).append(note)
    turn, frame, refused = 0, 0, 0
    numbers = [one.number for one in reader.turns[:1]]
    first = header.get("start", {}).get("first", numbers[0] if numbers else 1)
    for entry in reader.truth:
        here = said.pop((turn, frame), [])
        later = [note for note in here if entry[0] == "refuse" and note.refused > refused]
        yield from _notes_lines([note for note in here if note not in later])
        said[turn, frame] = later
        yield _entry_line(entry, first)
        turn += entry[0] == "turn"
        frame += entry[0] in FRAMED
        refused += entry[0] == "refuse"
    for notes in said.values():
        yield from _notes_lines(notes)
    if reader.notice:
        yield reader.notice
    if reader.problem:
        yield f"The file is damaged: {reader.problem}."
    yield (
        f"Outcome: {_json(reader.outcome)}" if reader.footer is not None else "The replay ends here without an outcome."
    )


def _entry_line(entry: list[Any], first: int) -> str:
    """Return a line for an entry. Turns count from 1, even if the rules number their first turn differently."""
    match entry:
        case ["setup", draws]:
            return f"set-up, draws {_json(draws)}"
        case ["position", state]:
            return f"position {_json(state)}"
        case ["do", player, action, draws]:
            return f"  player {player}: {_json(action)}" + (f" draws {_json(draws)}" if draws else "")
        case ["leave", player, draws]:
            return f"  player {player} leaves the game" + (f", draws {_json(draws)}" if draws else "")
        case ["refuse", player, action, code, message]:
            return f"  player {player}: {_json(action)} refused: {code} ({message})"
        case ["turn", number, player, wall, _, bank, digest]:
            left = "" if bank is None else f", {bank / 1e6:.3f} s left"
            state = f", digest {digest.hex()}" if digest else ""
            return f"turn {number - first + 1} of player {player} took {wall / 1000:.1f} ms{left}{state}"
        case ["seat", player, ending, detail, True]:
            return f"player {player}: {ending} {detail}; the referee finished the turn"
        case ["seat", player, ending, detail, False]:
            return f"player {player} ended: {ending} {detail}".rstrip()
    return _json(entry)


def _notes_lines(notes: Sequence[Any]) -> Iterator[str]:
    for note in notes:
        text = note.payload if isinstance(note.payload, str) else _json(note.payload)
        for line in text.splitlines():
            yield f"    player {note.player} {note.kind}: {line}"


def _players(reader: Reader) -> list[dict[str, Any]]:
    """Return for each player the data of the header and the footer together."""
    players = reader.header.get("players", [])
    ends = reader.footer.get("players", []) if reader.footer else []
    if len(ends) != len(players):
        ends = [{}] * len(players)
    return [{**player, **end} for player, end in zip(players, ends, strict=True)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_text)


def _text(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
