"""Pictures of teams: which files are accepted, who may choose and remove them, and where they are shown."""

import asyncio
import base64
import random
import re
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from click.testing import CliRunner
from contests_toys import add_team, add_version, opened, write_config
from visitors import HOST, add_person, csrf_of, pages_of, send, visitor

from arena.cli import cli
from arena.contests import entries
from arena.contests.backup import back_up, restore
from arena.contests.people.accounts import change_picture
from arena.contests.png import LARGEST, SIDE, BadPictureError, rewritten
from arena.errors import ArenaError
from arena.pages.pictures import in_place_of_signs
from arena.pages.render import NO_PAGE
from arena.web.contests import team as team_pages
from arena.web.contests.requests import COOKIE

SIGNATURE = b"\x89PNG\r\n\x1a\n"
SIZE = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 6, 0, 0, 0)
NOISE = random.Random(1).randbytes(SIDE * SIDE * 4)
ROWS = b"".join(bytes([row % 5]) + NOISE[4 * SIDE * row : 4 * SIDE * (row + 1)] for row in range(SIDE))
EVIL = b"<script>alert(1)</script>"
PLACE = "/team/Red%20team/picture"


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


END = chunk(b"IEND", b"")


def png(*, size=SIZE, rows=ROWS, before=b"", between=b"", after=END):
    """A PNG file with two chunks of pixels."""
    packed = zlib.compress(rows)
    pixels = (chunk(b"IDAT", packed[:100]), chunk(b"IDAT", packed[100:]))
    return SIGNATURE + chunk(b"IHDR", size) + before + between.join(pixels) + after


def pixels_of(data):
    chunks, at = {}, len(SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        chunks[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    return zlib.decompress(chunks[b"IDAT"])


@pytest.mark.promise("pictures")
def test_nothing_but_the_pixels_of_a_picture_is_kept():
    data = png(before=chunk(b"tEXt", EVIL) + chunk(b"iCCP", EVIL), after=chunk(b"eXIf", EVIL) + END)
    kept = rewritten(data)
    assert EVIL in data
    assert EVIL not in kept
    assert pixels_of(kept) == ROWS
    assert rewritten(kept) == kept
    rgb = bytes(SIDE * (1 + 3 * SIDE))
    assert pixels_of(rewritten(png(size=SIZE[:9] + b"\2" + SIZE[10:], rows=rgb))) == rgb


DAMAGED = {
    "empty": b"",
    "another format": b"\xff\xd8\xff\xe0" + NOISE[:500],
    "a page": b"<!doctype html>" + EVIL,
    "cut off": png()[:-20],
    "without its end": png(after=b""),
    "with something behind": png() + EVIL,
    "a changed byte": png().replace(b"IDAT", b"IDAU", 1),
    "a wrong sum": png()[:-1] + b"\0",
    "too wide": png(size=struct.pack(">IIBBBBB", 100_000, SIDE, 8, 6, 0, 0, 0)),
    "a bomb": png(rows=bytes(20 << 20)),
    "too few pixels": png(rows=ROWS[:-1]),
    "too many pixels": png(rows=ROWS + b"\0"),
    "an unknown filter": png(rows=b"\5" + ROWS[1:]),
    "a palette": png(size=SIZE[:9] + b"\3" + SIZE[10:], before=chunk(b"PLTE", bytes(3))),
    "interlaced": png(size=SIZE[:12] + b"\1"),
    "16 bits": png(size=SIZE[:8] + b"\x10" + SIZE[9:]),
    "two headers": png(before=chunk(b"IHDR", SIZE)),
    "an unknown part": png(before=chunk(b"EVIL", EVIL)),
    "parts out of order": png(between=chunk(b"PLTE", bytes(3))),
    "a full end": png(after=chunk(b"IEND", EVIL)),
    "more than the pixels": SIGNATURE + chunk(b"IHDR", SIZE) + chunk(b"IDAT", zlib.compress(ROWS) + EVIL) + END,
    "a size beyond the file": SIGNATURE + b"\xff\xff\xff\xffIHDR" + SIZE,
    "too large": png(before=chunk(b"tEXt", bytes(LARGEST))),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGED)
@pytest.mark.promise("pictures")
def test_other_files_are_refused(what):
    with pytest.raises(BadPictureError) as caught:
        rewritten(DAMAGED[what])
    assert caught.value.message.startswith("The picture cannot be used. It ")


def test_a_name_does_not_leave_its_place_in_the_style_sheet():
    """The name can come from a stranger's backup."""
    sheet = in_place_of_signs({'x"]{}</style>\\é': "/y"})
    assert sheet.isascii()
    assert re.fullmatch(r'\.bot\[title="(\\[0-9a-f]+ )+"\]>[^<"]*"/y"[^<"]*', sheet)


def change(client, data):
    headers = {"Origin": HOST, "X-CSRF": csrf_of(client), "Accept": "application/json"}
    return client.post("/picture", content=data, headers=headers)


def test_a_member_chooses_the_picture_of_their_team(contest, monkeypatch):
    monkeypatch.setattr(team_pages, "PICTURES_PER_DAY", 4)
    _, app = pages_of(contest)
    red = visitor(app, add_person(contest, "Red team"))
    others = [visitor(app, add_person(contest, "", role)) for role in ("spectator", "organizer")]
    assert visitor(app).get(PLACE).status_code == 404
    assert [change(client, png()).status_code for client in (visitor(app), *others)] == [401, 403, 403]
    assert red.post("/picture", content=png(), headers={"Origin": HOST}).status_code == 403, "without CSRF value"
    assert change(red, png() + bytes(LARGEST)).status_code == 413
    written = contest.state.number
    assert change(red, b"GIF89a").status_code == 409
    assert contest.state.number == written
    assert change(red, png(before=chunk(b"tEXt", EVIL))).status_code == 200
    assert contest.state.number == written + 1, "one entry"

    shown = visitor(app).get(PLACE)
    assert pixels_of(shown.content) == ROWS
    assert shown.headers["content-type"] == "image/png"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["content-security-policy"] == NO_PAGE
    [address] = re.findall(r'url\("([^"]+)"\)', visitor(app).get("/pictures.css").text)
    assert "max-age" in visitor(app).get(address).headers["cache-control"]
    assert [change(red, b"").status_code for _ in range(3)] == [200, 200, 429], "each change stays in the journal"
    assert visitor(app).get(PLACE).status_code == 404
    assert visitor(app).get("/pictures.css").text == ""


def test_pictures_that_are_sent_at_once_do_not_pass_the_limit(contest):
    """All requests begin before the first picture is complete."""

    async def send_at_once(app, cookie, csrf):
        headers = {"Origin": HOST, "X-CSRF": csrf, "Accept": "application/json"}
        complete, begun = asyncio.Event(), []

        async def body():
            begun.append(1)
            yield png()[:100]
            await complete.wait()
            yield png()[100:]

        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url=HOST, cookies=cookie, headers=headers
        ) as client:
            requests = [
                asyncio.create_task(client.post("/picture", content=body()))
                for _ in range(3 * team_pages.PICTURES_PER_DAY)
            ]
            while len(begun) < len(requests) and not any(request.done() for request in requests):
                await asyncio.sleep(0.01)
            complete.set()
            return [(await request).status_code for request in requests]

    _, app = pages_of(contest)
    red = visitor(app, add_person(contest, "Red team"))
    written, cookie, csrf = contest.state.number, {COOKIE: red.cookies[COOKIE]}, csrf_of(red)
    with ThreadPoolExecutor(1) as pool:  # the browser of other tests has a loop in this thread
        codes = pool.submit(asyncio.run, send_at_once(app, cookie, csrf)).result()
    assert sorted(codes) == [200] * team_pages.PICTURES_PER_DAY + [429] * 2 * team_pages.PICTURES_PER_DAY
    assert contest.state.number == written + team_pages.PICTURES_PER_DAY


def test_an_organizer_removes_a_picture_until_the_act_is_undone(contest):
    _, app = pages_of(contest)
    red, olga = (visitor(app, add_person(contest, *who)) for who in (("Red team",), ("", "organizer")))
    assert change(red, png()).status_code == 200
    fields = {"kind": "remove_picture", "subject": "Red team", "reason": "not for children"}
    assert send(red, "/desk/act", **fields).status_code == 403
    assert "Remove picture" in olga.get("/desk").text
    assert send(olga, "/desk/act", **fields).status_code == 303
    assert visitor(app).get(PLACE).status_code == 404
    assert "removed the picture of Red team: not for children" in visitor(app).get("/acts").text
    assert change(red, png()).status_code == 409
    assert send(olga, "/desk/act", **fields).status_code == 409, "it has no picture"
    [number] = contest.state.acts
    assert send(olga, "/desk/act", kind="undo", subject=number, reason="a mistake").status_code == 303
    assert visitor(app).get(PLACE).status_code == 200


def test_a_picture_survives_a_start_and_a_backup_and_is_in_the_export(tmp_path):
    path = write_config(tmp_path)
    with opened(path) as contest:
        change_picture(contest, add_team(contest, "Red team")[0], png())
        add_version(contest, "Red team")
        known = contest.state.pictures
    with opened(path) as contest:
        assert contest.state.pictures == known
    back_up(path, tmp_path / "backup.tar")
    with opened(restore(tmp_path / "backup.tar", tmp_path / "new")) as contest:
        assert contest.state.pictures == known
    done = CliRunner().invoke(cli, ["contest", "export", str(path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    [data] = re.findall(r'url\("data:image/png;base64,([^"]+)"\)', (tmp_path / "out" / "index.html").read_text())
    assert pixels_of(base64.b64decode(data)) == ROWS


@pytest.mark.promise("pictures")
def test_a_journal_of_strangers_is_checked_too(tmp_path):
    with opened(path := write_config(tmp_path)) as contest:
        add_team(contest, "Red team")
        with pytest.raises(BadPictureError):
            contest.write(
                entries.text(contest.state.id_of("Red team"), "picture", base64.b64encode(b"GIF89a").decode())
            )
    with pytest.raises(ArenaError, match="The picture cannot be used"), opened(path):
        pass
