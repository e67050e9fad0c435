"""Make public copies of replays without notes (logs, drawings and output of bots). Read the notes for a bot's owner."""

from functools import lru_cache
from pathlib import Path

from arena_replays import Reader, ReplayError, compact, records


def public_bytes(path: Path) -> bytes:
    """Return a replay without notes.

    A finished file is written again without notes. Of a growing file, all complete records except notes are copied, so
    that the copy only grows at its end.
    """
    data = path.read_bytes()
    if _is_finished(data):
        return _without_notes(str(path), path.stat().st_mtime_ns)
    start = len(records.PREAMBLE)
    parts = [data[:start]]
    for record in records.scan(data, start):
        if isinstance(record, str):
            break
        if record.kind != records.NOTES:
            parts.append(data[record.offset : record.offset + record.size])
    return b"".join(parts)


def _is_finished(data: bytes) -> bool:
    try:
        return Reader(data).footer is not None
    except ReplayError:
        return False


@lru_cache(maxsize=64)
def _without_notes(path: str, changed: int) -> bytes:  # noqa: ARG001 - part of the cache's key
    reader = Reader(path)
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    return compact.assemble(reader.header, reader.truth, views, [], reader.footer or {})


def own_notes(path: Path, seat: int) -> list[str]:
    """Return the logs and output of one bot, as lines."""
    lines = []
    for note in Reader(path).notes:
        if note.player == seat and note.kind != "draw":
            text = note.payload if isinstance(note.payload, str) else str(note.payload)
            lines += [f"turn {note.turn}, {note.kind}: {line}" for line in text.splitlines() or [""]]
    return lines
