"""Write the test vectors for readers of replays, docs/replay-vectors."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

from arena_replays import Reader, building, records
from arena_replays.compact import assemble
from arena_replays.entries import Note

FOLDER = Path(__file__).parents[1] / "docs" / "replay-vectors"
HEADER: Any = {"game": "stroll", "version": "1.0", "players": [{"name": "ann"}, {"name": "bob"}], "streams": 2}
FOOTER: Any = {"outcome": {"winner": 1, "reason": "arrived"}, "turns": 2, "players": [{}, {}]}
TRUTH: list[list[Any]] = [
    ["setup", [3, 0.5]],
    ["do", 0, {"type": "step", "to": 1}, []],
    ["refuse", 0, {"type": "step", "to": 9}, "off_map", "There is no tile 9."],
    ["turn", 0, 0, 1500, None, 60_000_000, bytes(range(8))],
    ["do", 1, {"type": "step", "to": 2}, [4]],
    ["seat", 0, "timed_out", "took longer than 3.000 s", True],
    ["seat", 1, "crashed", "exited with code 1", False],
    ["turn", 1, 1, 2500, 900, 59_000_000, b""],
]
ALL: list[Any] = [
    (["game", "+", "Game", "game", "cells", b"\0\0\0\0", "w", "+", "Walker", "w", "x", 0], []),
    (["w", "x", 1], [{"kind": "stepped", "by": "w"}]),
    (["w", "x", 2, "game", "cells", [1, b"\7\7"]], []),
]
FOG: list[Any] = [(["game", "+", "Game"], []), ([], []), (["w", "+", "Walker", "w", "x", 2], [])]
NOTES = [Note(0, 1, 0, "log", "hello"), Note(1, 2, 1, "draw", [{"kind": "point", "x": 1, "y": 0}], 1)]


def finished(*, packed: bool = True) -> bytes:
    return assemble(HEADER, TRUTH, [ALL, FOG], NOTES, FOOTER, packed=packed)


def with_keyframes() -> bytes:
    """Return a file in several chunks, as that of a long match."""
    thresholds = mock.patch.multiple(building, CHUNK=1, KEYFRAME_AFTER=1, KEYFRAME_COST=0)
    with thresholds, mock.patch("arena_replays.compact.BATCH", 3):
        return finished()


def journal() -> bytes:
    parts = [records.PREAMBLE, records.frame(records.HEADER, HEADER, form=records.PACKED)]
    frames = [[ALL, 0], [FOG, 1]]
    for first, last, begin, end in ((0, 1, 0, 1), (1, 4, 1, 2), (4, 8, 2, 3)):
        parts.append(records.frame(records.TRUTH, TRUTH[first:last], first=first, count=last - first))
        for view, stream in frames:
            parts.append(records.frame(records.VIEW, view[begin:end], stream=stream, first=begin, count=end - begin))
    return b"".join(parts)


def sealed(kind: int, data: bytes, *, form: int = records.PACKED, count: int = 1) -> bytes:
    """Return a record with compressed data, also if a writer would not write it."""
    payload = records.SPAN.pack(form, 0, 0, count) + zlib.compress(data, 9)
    start = records.FRAME.pack(kind, len(payload), 0)[:5]
    return start + zlib.crc32(payload, zlib.crc32(start)).to_bytes(4, "little") + payload


def valid() -> list[dict[str, Any]]:
    files = {
        "finished": ("A short match.", finished()),
        "uncompressed": ("The same match without compression.", finished(packed=False)),
        "keyframes": ("The same match in several chunks with keyframes, as a long match has them.", with_keyframes()),
        "journal": ("The same match while it runs: no notes and no end yet.", journal()),
    }
    found = []
    for name, (meaning, data) in files.items():
        reader = Reader(data)
        assert reader.truth == TRUTH, name
        found.append({"name": name, "meaning": meaning, "hex": data.hex(), **content(reader)})
    return found


def invalid() -> list[dict[str, Any]]:
    start = records.PREAMBLE + records.frame(records.HEADER, HEADER, form=records.PACKED)
    first = records.frame(records.TRUTH, TRUTH[:2], count=2)
    whole = finished()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    deep: Any = []
    for _ in range(40):
        deep = [deep]
    files = {
        "cut": ("The last byte is missing.", whole[:-1]),
        "flipped": ("A bit in the middle is wrong.", bytes(flipped)),
        "gap": ("The second record of truth does not continue the first.", start + first + first),
        "no-entries": ("A record without entries.", start + records.frame(records.TRUTH, [], count=0)),
        "count": ("A record with fewer entries than it says.", start + records.frame(records.TRUTH, TRUTH, count=9)),
        "deep": ("A value is nested too deeply.", start + records.frame(records.TRUTH, [["setup", deep]])),
        "bomb": ("Rows that are more than 64 times longer without compression.",
                 start + sealed(records.TRUTH, records.encode([["setup", [0] * 100_000]]))),
        "keyframe-first": ("A keyframe before the first frame.", start + records.frame(records.KEYFRAME, [[]])),
    }  # fmt: skip
    found = []
    for name, (meaning, data) in files.items():
        reader = Reader(data)
        assert reader.problem, name
        found.append({"name": name, "meaning": meaning, "hex": data.hex(), "entries": len(reader.truth)})
    return found


def content(reader: Reader) -> dict[str, Any]:
    """Return the content of a replay as JSON; byte strings are hexadecimal."""
    streams = range(reader.streams)
    found = {
        "truth": list(reader.truth),
        "views": [[list(frame) for frame in reader.frames(stream)] for stream in streams],
        "last": [reader.state_after(reader.frame_count() - 1, stream) for stream in streams],
        "notes": [[n.turn, n.frame, n.player, n.kind, n.payload, n.refused] for n in reader.notes],
        "footer": reader.footer,
    }
    plain: dict[str, Any] = json.loads(json.dumps(found, default=lambda value: {"hex": value.hex()}))
    return plain


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, vectors in (("valid", valid()), ("invalid", invalid())):
        lines = ",\n".join(json.dumps(one) for one in vectors)
        (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
