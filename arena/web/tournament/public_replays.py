"""Make public copies of replays without the private data of bots: notes (logs, drawings, output) and file names.

Replays of tournaments keep the content hashes, so that entrants can compare them with their files. A season replaces
the hashes: with a hash, anybody could check a guess of a team's files.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from arena_replays import Reader, ReplayError, compact, records
from arena_replays.documents import Header


def public_bytes(path: Path, programs: tuple[str, ...] = ()) -> bytes:
    """Return a replay without notes and without the names of files on this machine.

    A finished file is written again without notes. Of a growing file, all complete records except notes are copied, so
    that the copy only grows at its end.

    Args:
        path: The replay.
        programs: What to write instead of the content hash of each player's bot; empty to keep the hashes.
    """
    data = path.read_bytes()
    if _is_finished(data):
        return _without_notes(str(path), path.stat().st_mtime_ns, programs)
    start = len(records.PREAMBLE)
    parts = [data[:start]]
    for record in records.scan(data, start):
        if isinstance(record, str):
            break
        if record.kind == records.HEADER:
            header = _public(Reader(data[: record.offset + record.size]).header, programs)
            parts.append(records.frame(records.HEADER, header, form=records.PACKED))
        elif record.kind != records.NOTES:
            parts.append(data[record.offset : record.offset + record.size])
    return b"".join(parts)


def _public(header: Header, programs: tuple[str, ...]) -> Header:
    """Return a header without paths: the player's name replaces the path of a bot, and the parent has no `file`.

    `programs` replace the hashes.
    """
    players = header.get("players", [])
    shown = [{**one, "bot": one["name"]} if "/" in one.get("bot", "") else {**one} for one in players]
    for player, program in zip(shown, programs, strict=False):
        player["hash"] = program
    public: dict[str, Any] = {**header, "players": shown}
    if "parent" in header:
        public["parent"] = {key: value for key, value in header["parent"].items() if key != "file"}
    return cast(Header, public)


def _is_finished(data: bytes) -> bool:
    try:
        return Reader(data).footer is not None
    except ReplayError:
        return False


@lru_cache(maxsize=64)
def _without_notes(path: str, changed: int, programs: tuple[str, ...]) -> bytes:  # noqa: ARG001 - a key of the cache
    reader = Reader(path)
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    return compact.assemble(_public(reader.header, programs), reader.truth, views, [], reader.footer or {})


def own_notes(path: Path, seat: int) -> list[str]:
    """Return the logs and output of one bot, as lines."""
    lines = []
    reader = Reader(path)
    for note in reader.notes:
        if note.player == seat and note.kind != "draw":
            text = note.payload if isinstance(note.payload, str) else str(note.payload)
            lines += [f"turn {reader.number_of(note.turn)}, {note.kind}: {line}" for line in text.splitlines() or [""]]
    return lines
