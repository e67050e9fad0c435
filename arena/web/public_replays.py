"""What everybody may see of a replay. Every page with replays asks this module.

A public copy has no private data of bots: no notes (logs, drawings, output) and no file names. It has no seed before
the last match with this seed is over, since the seed gives all dice. Before that, there is no copy at all if the game
hides information, and a player is a person or a remote bot, who could look at the page.

Replays of tournaments keep the content hashes, so that entrants can compare them with their files. A season replaces
the hashes: with a hash, anybody could check a guess of a team's files.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from arena.errors import ArenaError
from arena.match.job import OUTSIDE
from arena_replays import Reader, ReplayError, compact, header_of, records
from arena_replays.documents import Footer, Header


def is_withheld(path: Path, *, over: bool = False) -> bool:
    """Return whether nobody may see a replay yet."""
    return not over and _is_secret(header_of(path))


def check_public(path: Path, *, over: bool = False) -> None:
    """Check that everybody may see a replay; see `is_withheld`."""
    if is_withheld(path, over=over):
        raise ArenaError(
            "This match can be watched when it is over, with all its legs.",
            hint="Its game hides information, and a person or a remote bot plays, who could look at this page.",
        )


def public_bytes(path: Path, programs: tuple[str, ...] = (), *, over: bool = False) -> bytes:
    """Return a replay without notes and without the names of files on this machine.

    A finished file is written again without notes. Of a growing file, all complete records except notes are copied, so
    that the copy only grows at its end.

    Args:
        programs: What to write instead of the content hash of each player's bot; empty to keep the hashes.
    """
    check_public(path, over=over)
    data = path.read_bytes()
    if _is_finished(data):
        return _without_notes(str(path), path.stat().st_mtime_ns, programs, over)
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


def _is_secret(header: Header) -> bool:
    outside = any(player.get("bot") in OUTSIDE for player in header.get("players", ()))
    return outside and header["streams"] > 1


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
def _without_notes(path: str, changed: int, programs: tuple[str, ...], over: bool) -> bytes:  # noqa: ARG001 - a key of the cache
    reader = Reader(path)
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    hidden = () if over else ("seed", "salt")
    footer = {key: value for key, value in (reader.footer or {}).items() if key not in hidden}
    return compact.assemble(_public(reader.header, programs), reader.truth, views, [], cast(Footer, footer))


def own_notes(path: Path, seat: int) -> list[str]:
    lines = []
    reader = Reader(path)
    for note in reader.notes:
        if note.player == seat and note.kind != "draw":
            text = note.payload if isinstance(note.payload, str) else str(note.payload)
            lines += [f"turn {reader.number_of(note.turn)}, {note.kind}: {line}" for line in text.splitlines() or [""]]
    return lines
