"""What can be done with a whole replay: strip it to the truth, rebuild it, print it, sum it up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from arena_replays import compact
from arena_replays.errors import CannotWrite, DamagedReplay
from arena_replays.frames import Frame
from arena_replays.reader import Reader
from arena_replays.writer import replace

Replayer = Callable[[dict[str, Any], list[list[Any]]], tuple[dict[str, Any], Sequence[Sequence[Frame]]]]


def strip(path: str | Path, out: str | Path) -> None:
    """Writes a copy with the truth alone: what was done, drawn and refused, the clocks and digests.

    Views, the schema, logs and drawings are left out; ``expand`` brings views and schema back.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written.
    """
    reader = _ended(path)
    header = {key: value for key, value in reader.header.items() if key != "schema"}
    _save(out, compact.assemble({**header, "stripped": True}, reader.truth, [], [], reader.footer or {}))


def expand(path: str | Path, out: str | Path, replayer: Replayer) -> None:
    """Writes a copy with views, made anew by the game's rules.

    Args:
        path: A replay, stripped or not.
        out: Where the copy goes.
        replayer: Called with header and truth; plays the truth through the rules and returns what belongs into the
            header (``schema``, ``streams``) and for each stream its frames.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written. The replayer may raise its own.
    """
    reader = _ended(path)
    more, views = replayer(reader.header, reader.truth)
    header = {key: value for key, value in reader.header.items() if key != "stripped"}
    _save(out, compact.assemble({**header, **more}, reader.truth, views, reader.notes, reader.footer or {}))


def info(path: str | Path) -> dict[str, Any]:
    """A replay in numbers: game, players, turns, outcome, digest, sizes.

    Raises:
        ReplayError: The replay cannot be read.
    """
    reader = Reader(path)
    footer = reader.footer or {}
    header = {key: value for key, value in reader.header.items() if key != "schema"}
    ended = [turn for turn in reader.turns if turn.digest is not None]
    last = ended[-1].digest if ended else None
    problem = reader.problem
    if reader.footer is not None and not problem:
        problem = next((found.rstrip(".") for found in reader.check()), "")
    return {
        **header,
        "players": _players(reader),
        "turns": len({turn.number for turn in ended}),  # a turn may have parts of several players
        "actions": sum(entry[0] == "do" for entry in reader.truth),
        "refusals": len(reader.refusals),
        "outcome": reader.outcome,
        "digest": _text(footer.get("digest", last)),
        "truncated": reader.truncated,
        "problem": problem,
        "notice": reader.notice,
        "size": Path(path).stat().st_size,
    }


def log(path: str | Path) -> Iterator[str]:
    """A replay as lines to read.

    Raises:
        ReplayError: The replay cannot be read.
    """
    reader = Reader(path)
    header = reader.header
    names = [_name(player, at) for at, player in enumerate(_list(header.get("players")))]
    yield f"{header.get('title', header.get('game'))} {header.get('version', '')}: {' against '.join(names)}".rstrip()
    said: dict[tuple[int, int], list[Any]] = {}
    for note in reader.notes:
        said.setdefault((note.turn, note.frame), []).append(note)
    turn, frame = 0, 0
    for entry in reader.truth:
        yield from _notes_lines(said.pop((turn, frame), []))
        yield _entry_line(entry)
        turn += entry[0] == "turn"
        frame += entry[0] in ("setup", "do")
    for notes in said.values():
        yield from _notes_lines(notes)
    if reader.notice:
        yield reader.notice
    if reader.problem:
        yield f"The file is damaged: {reader.problem}."
    yield (
        f"Outcome: {_json(reader.outcome)}" if reader.footer is not None else "The replay ends here without an outcome."
    )


def _entry_line(entry: list[Any]) -> str:
    match entry:
        case ["setup", draws]:
            return f"set-up, draws {_json(draws)}"
        case ["do", player, action, draws]:
            return f"  player {player}: {_json(action)}" + (f" draws {_json(draws)}" if draws else "")
        case ["refuse", player, action, code, message]:
            return f"  player {player}: {_json(action)} refused: {code} ({message})"
        case ["turn", number, player, wall, _, bank, digest]:
            left = "" if bank is None else f", {bank / 1e6:.3f} s left"
            return f"turn {number} of player {player} took {wall / 1000:.1f} ms{left}, digest {digest.hex()}"
        case ["seat", player, ending, detail]:
            return f"player {player} ended: {ending} {detail}".rstrip()
    return _json(entry)


def _notes_lines(notes: Sequence[Any]) -> Iterator[str]:
    for note in notes:
        text = note.payload if isinstance(note.payload, str) else _json(note.payload)
        for line in text.splitlines():
            yield f"    player {note.player} {note.kind}: {line}"


def _players(reader: Reader) -> list[dict[str, Any]]:
    """Return the players of the header with what the footer adds to them."""
    players = _list(reader.header.get("players"))
    ends = _list((reader.footer or {}).get("players"))
    if len(ends) != len(players):
        ends = [{}] * len(players)
    return [
        {**_map(player), **(end if isinstance(end, dict) else {})} for player, end in zip(players, ends, strict=True)
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"name": value}


def _name(player: Any, at: int) -> str:
    name = player.get("name") if isinstance(player, dict) else player
    return name if isinstance(name, str) else f"player {at}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_text)


def _text(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def _ended(path: str | Path) -> Reader:
    reader = Reader(path)
    if reader.problem:
        raise DamagedReplay(f"{path} is damaged: {reader.problem}.")
    if reader.footer is None:
        raise DamagedReplay(f"{path} has no end: its match was cut short or is still running.")
    return reader


def _save(out: str | Path, data: bytes) -> None:
    try:
        replace(Path(out), data)
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None
