"""The picture for links to a match."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from arena_replays import Reader, export_html
from arena_replays.export import export_sharing, headline_of
from arena_replays.picture import HEIGHT, WIDTH, color_of, picture

REPLAYS = Path(__file__).parents[2] / "tests" / "replays"


def colors(png: bytes) -> set[int]:
    """The colours of a PNG, read as a program reads it: every part has its sum."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data = 8, b""
    while at < len(png):
        (size,), name = struct.unpack_from(">I", png, at), png[at + 4 : at + 8]
        part = png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size) == (zlib.crc32(name + part),)
        data += part if name == b"IDAT" else b""
        at += 12 + size
    pixels = zlib.decompress(data)
    row = 1 + 3 * WIDTH
    assert len(pixels) == row * HEIGHT
    assert {pixels[at] for at in range(0, len(pixels), row)} == {0}
    rows = (pixels[at + 1 : at + row] for at in range(0, len(pixels), row))
    return {int.from_bytes(line[at : at + 3]) for line in rows for at in range(0, len(line), 12)}


@pytest.mark.parametrize("name", ["saloon", "laser_flag-1", "suicide"])
def test_both_players_are_on_the_picture_of_a_match(name: str) -> None:
    reader = Reader(REPLAYS / f"{name}.arena")
    shown = colors(picture(reader))
    assert {color_of(seat, reader.header.get("leg", 0)) for seat in (0, 1)} <= shown
    assert shown > colors(picture()) - {color_of(0), color_of(1)}


def test_a_title_says_who_won(tmp_path: Path) -> None:
    saloon, *legs = (REPLAYS / f"{name}.arena" for name in ("saloon", "laser_flag-1", "laser_flag-2"))
    assert headline_of([saloon]) == "Saloon: rowdy – pianist (pianist wins)"
    winners = {"laser_flag-1": 1, "laser_flag-2": 0}  # both times the same bot, on changed seats
    players = Reader(legs[0]).header["players"]
    assert headline_of(legs).endswith(f", 2 legs ({players[winners['laser_flag-1']]['name']} wins)")
    export_html(saloon, tmp_path / "alone.html")
    assert "<title>Saloon: rowdy – pianist (pianist wins)</title>" in (tmp_path / "alone.html").read_text()
    export_sharing([saloon.read_bytes()], tmp_path / "one.html")
    assert '<meta property="og:image" content="one.png">' in (tmp_path / "one.html").read_text()
    assert (tmp_path / "one.png").read_bytes() == picture(Reader(saloon))


def test_a_replay_without_an_end_has_a_title_and_a_picture() -> None:
    data = (REPLAYS / "saloon.arena").read_bytes()[:9000]
    assert headline_of([data]) == "Saloon: rowdy – pianist"
    assert picture(Reader(data)) == picture()
