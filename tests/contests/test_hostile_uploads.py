"""Hostile uploads are refused with one message, and leave nothing behind."""

import asyncio
import io
import re
import tarfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from contests_toys import opened, write_config
from visitors import HOST, add_person, pages_of, upload, visitor

from arena.contests import entries
from arena.contests.journal.store import now
from arena.contests.people import accounts
from arena.contests.people.uploads import Uploads
from arena.errors import ArenaError
from arena.web.contests import team as team_pages

pytestmark = pytest.mark.process

BOT = "print('a bot')\n"
MARKUP = "<img src=x onerror=alert(1)>"
MANIFEST = 'python = "bot.py"\n'


def zipped(*files, level=None):
    """Return a zip archive of a bot, and of names with their data."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in (("bot.toml", MANIFEST), ("bot.py", BOT), *files):
            archive.writestr(name, data)
    return stream.getvalue()


def tarred(*members):
    """Return a compressed tar archive of a bot and of other members."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in (("bot.toml", MANIFEST), ("bot.py", BOT)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data.encode()))
        for info in members:
            archive.addfile(info)
    return stream.getvalue()


def member(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def lying_zip():
    """Return a zip archive whose directory names a smaller size."""
    data = bytearray(zipped(("zeros", b"\0" * (2 << 20))))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(data)


# How archives can mean harm is in tests/bots. Here is what an upload makes of it, and what only an upload has.
HOSTILE = {
    "an archive bomb": (lambda: zipped(("zeros", bytes(5 << 20))), "bot.zip"),
    "a size that is not true": (lying_zip, "bot.zip"),
    "a path upwards": (lambda: zipped(("../../escaped.py", BOT)), "bot.zip"),
    "a symlink to the journal": (lambda: tarred(member("journal", tarfile.SYMTYPE, "../journal.db")), "bot.tgz"),
    "control characters in a name": (lambda: zipped(("\x1b]0;title\x07.py", BOT)), "bot.zip"),
    "a line end in a name": (lambda: zipped(("a\nError: b.py", BOT)), "bot.zip"),
    "a path through a file": (lambda: zipped(("bot.py/x", "")), "bot.zip"),
    "a path through a file of a tar": (lambda: tarred(member("bot.py/x/y")), "bot.tgz"),
    "a file in the place of a folder": (lambda: tarred(member("a/x"), member("a")), "bot.tgz"),
    "nothing": (lambda: b"", "bot.zip"),
    "no bot": (lambda: zipped()[:40], "bot.zip"),
    "a program": (lambda: b"\x7fELF\x02\x01\x01", "bot"),
    "no Python": (lambda: b"def run(:\n", "bot.py"),
    "markup as ending": (lambda: zipped(), "bot.<script>alert(1)</script>"),
    "markup as a name": (lambda: b"", f"{MARKUP}.zip"),
    "another kind of archive": (lambda: b"Rar!", "bot.rar"),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = write_config(tmp_path_factory.mktemp("contest"), ("largest_mib = 16", "largest_mib = 20"))
    with opened(path) as contest:
        _, app = pages_of(contest)
        yield contest, app, visitor(app, add_person(contest, "Red"))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.promise("contest-place")
def test_hostile_uploads_are_refused_with_one_message(place, name, monkeypatch):
    monkeypatch.setattr("arena.bots.folders.archive.MOST_BYTES", 4 << 20)
    contest, _, red = place
    make, file = HOSTILE[name]
    before = contest.state.number, sorted(contest.folder.rglob("*"))
    done = upload(red, make(), file)
    assert done.status_code in (400, 413), (done.status_code, done.text)
    answer = done.json()
    assert set(answer) == {"message", "hint"}
    assert len(answer["message"]) > 10
    assert "Traceback" not in done.text
    assert "XDG_CACHE_HOME" not in done.text, "the author cannot change the server's cache"
    assert str(contest.folder.parent) not in done.text, "the author learns nothing about the server's folders"
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", answer["message"]), answer["message"]
    assert name != "no bot" or "File is not a zip file" in answer["message"]
    assert [one for one in sorted(contest.folder.rglob("*")) if one not in before[1] and one.name != "work"] == []
    assert contest.state.number == before[0]


def test_what_does_not_belong_to_a_bot_is_not_stored(place):
    contest, app, _ = place
    data = zipped(("._bot.py", b"what macOS knows about it"), (".DS_Store", b""), (".vscode/tasks.json", b""))
    done = upload(visitor(app, add_person(contest, "Mac")), data)
    assert (done.status_code, done.json().get("left_out")) == (201, ""), done.text
    stored = contest.folder / contest.state.version("Mac", 1).path
    assert {path.name for path in stored.rglob("*") if path.is_file()} == {"bot.toml", "bot.py"}


def test_names_with_markup_are_shown_as_text(place):
    contest, app, _ = place
    teams = len(contest.state.teams)
    red = visitor(app, add_person(contest, f"Marked{teams}"))
    name = '"><script>alert(1)</script>\x1b[2J\u202e.py'
    done = upload(red, b"print('markup')\n", name.encode("unicode_escape").decode())
    assert done.status_code == 201, done.text
    page = red.get(done.json()["url"]).text + red.get(f"/team/Marked{teams}").text
    assert "<script>alert" not in page
    assert "\x1b" not in page
    for answer in (red.get("/team/<script>alert(1)<%2fscript>"), red.get("/matches?team=<script>alert(1)</script>")):
        assert "<script>alert" not in answer.text


@pytest.mark.parametrize(
    "team", ["<b>Red</b>", "Red\u0000", "R\u0435d", "\u202eRed", "a\nb", " ", "=cmd()", "x" * 41, "../up"]
)
def test_strange_names_of_teams_and_people_are_refused(place, team):
    contest, _, _ = place
    with pytest.raises(ArenaError):
        accounts.invite(contest, team, "", "member", "")
    token = accounts.invite(contest, "Blue", "", "member", "")
    if team not in ("R\u0435d", "../up", "x" * 41):
        with pytest.raises(ArenaError):
            accounts.join(contest, token, team)


@pytest.mark.parametrize("team", ["R.ed", "R-e-d", "re_d", "rowdy", "Rowdy built-in", "sheriff"])
@pytest.mark.promise("names")
def test_a_team_cannot_look_like_another_team_or_a_built_in_bot(place, team):
    contest, _, _ = place
    with pytest.raises(ArenaError, match="looks like"):
        accounts.invite(contest, team, "", "member", "")


def test_an_upload_without_end_is_cut_off(place):
    contest, _, red = place

    async def body():
        for _ in range(400):
            yield b"\0" * 65_536

    done = upload(red, body())
    assert done.status_code == 413, done.text
    assert "larger than 20 MiB" in done.json()["message"]
    assert not any((contest.folder / "work").iterdir())
    done = upload(red, b"x", **{"Content-Length": "999999999999999999999"})
    assert done.status_code == 413


def together(app, *uploads):
    """Send uploads, each a token and a Python file, at the same time, and return the answers."""

    async def send_all():
        headers = {"X-File-Name": "bot.py", "Accept": "application/json"}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOST, timeout=60) as client:
            return await asyncio.gather(
                *(
                    client.post("/api/submit", content=data, headers={**headers, "Authorization": f"Bearer {token}"})
                    for token, data in uploads
                )
            )

    with ThreadPoolExecutor(1) as pool:  # Playwright leaves a loop running in the main thread
        return pool.submit(lambda: asyncio.run(send_all())).result()


@pytest.mark.promise("parallel-uploads")
def test_uploads_at_the_same_time_do_not_pass_the_quota_and_leave_no_copies(place):
    contest, app, _ = place
    team = f"Rush{len(contest.state.teams)}"
    token = add_person(contest, team)
    before = set((contest.folder / "bots").iterdir())
    answers = together(app, *((token, f"print({one}, 'rush')".encode()) for one in range(12)))
    codes = [one.status_code for one in answers]
    assert sorted(codes) == [201] + [429] * 11
    answers = together(app, *((token, f"print({one}, 'more')".encode()) for one in range(12)))
    codes = [one.status_code for one in answers]
    assert sorted(codes) == [201] + [429] * 11
    assert upload(visitor(app, token), b"print('third')", "bot.py").status_code == 429
    copies = {contest.folder / "bots" / one.hash[:24] for one in contest.state.versions[team]}
    assert set((contest.folder / "bots").iterdir()) - before == copies
    assert len(copies) == contest.config.people.waiting


@pytest.mark.promise("parallel-uploads")
def test_two_uploads_are_unpacked_at_once_and_all_are_stored(place, monkeypatch):
    contest, app, _ = place
    teams = [f"Crowd{number}" for number in range(6)]
    tokens = [add_person(contest, team) for team in teams]
    now, most, take = [], [], Uploads.take

    def counted(*arguments, **keywords):
        now.append(1)
        most.append(len(now))
        try:
            return take(*arguments, **keywords)
        finally:
            now.pop()

    monkeypatch.setattr(Uploads, "take", counted)

    answers = together(app, *((token, b"print('crowd')") for token in tokens))
    assert [one.status_code for one in answers] == [201] * 6
    assert max(most) == 2
    assert len({contest.state.versions[team][0].path for team in teams}) == 1


@pytest.mark.promise("upload-disk")
def test_refused_uploads_count_and_leave_nothing(tmp_path):
    with opened(write_config(tmp_path, ("refused_per_day = 50", "refused_per_day = 3"))) as contest:
        _, app = pages_of(contest)
        red, blue = (visitor(app, add_person(contest, team)) for team in ("Red", "Blue"))
        data = zipped(("zeros", b"\0" * (100 << 20)), ("bot.toml.txt", ""), level=1).replace(b"bot.py", b"bot.pz")
        sizes = []
        for code in (400, 400, 400, 429):
            done = upload(red, data)
            assert done.status_code == code, done.text
            sizes.append(sum(one.stat().st_size for one in contest.folder.rglob("*") if one.is_file()))
        assert "3 uploads of Red were refused in 24 hours." in done.json()["message"]
        assert max(sizes) < 5 << 20
        assert upload(red, BOT.encode(), "bot.py").status_code == 429
        assert upload(blue, BOT.encode(), "bot.py").status_code == 201
        assert upload(blue, BOT.encode(), "bot.py").status_code == 200, "the same files again are no refused upload"


@pytest.mark.promise("version-disk")
def test_the_versions_and_builds_of_a_team_have_a_quota_of_the_disk(tmp_path):
    with opened(write_config(tmp_path, ("storage_mib = 2048", "storage_mib = 10"))) as contest:
        _, app = pages_of(contest)
        red, blue = (visitor(app, add_person(contest, team)) for team in ("Red", "Blue"))
        assert upload(red, zipped(("zeros", b"\0" * (4 << 20)))).status_code == 201
        built = contest.folder / contest.state.versions["Red"][0].path / ".arena-build"
        built.mkdir()
        (built / "bot").write_bytes(b"\0" * (4 << 20))
        key = f"{contest.state.id_of('Red')}/1"
        contest.write(entries.text(key, "report", ("it crashes", [])), (key, entries.Checked(False, "", now(), 1.0)))
        used, written = sorted(contest.folder.rglob("*")), contest.state.number
        done = upload(red, zipped(("zeros", b"\0" * (3 << 20))))
        assert done.status_code == 413
        message = "The versions of Red would use 12 MiB on the server's disk. It allows 10 MiB."
        assert done.json()["message"].startswith(message)
        assert "storage_mib" in done.json()["message"]
        assert (sorted(contest.folder.rglob("*")), contest.state.number) == (used, written)
        assert upload(red, zipped(("zeros", b"\0" * (4 << 20)))).status_code == 200, "the same files take no room"
        assert upload(red, zipped(*((f"{n}", b"") for n in range(600)))).status_code == 413, (
            "a small file takes a block"
        )
        assert upload(red, BOT.encode(), "bot.py").status_code == 201
        assert upload(blue, zipped(("zeros", b"\0" * (4 << 20)))).status_code == 201


@pytest.mark.promise("slow-uploads")
def test_an_upload_that_takes_too_long_is_cut_off(place, monkeypatch):
    contest, app, _ = place
    monkeypatch.setattr(team_pages, "RECEIVE_SECONDS", 0.5)
    slow = visitor(app, add_person(contest, f"Slow{len(contest.state.teams)}"))

    async def body():
        yield b"x"
        await asyncio.sleep(5)
        yield b"x"

    assert upload(slow, body()).status_code == 408
    assert not any((contest.folder / "work").iterdir())
    assert upload(slow, b"print('in time')", "bot.py").status_code == 201, "its place is free again"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "team",
        "team,member\n" + "a" * 140_000,
        "team,member\n<b>,Eve",
        'team,member\nRed,"a\nb"',
        "team,member\nAlpha,Ann\nALPHA,Ben",
    ],
)
def test_a_bad_list_of_people_is_refused_with_one_message(place, text):
    contest, _, _ = place
    before = contest.state.number
    with pytest.raises(ArenaError):
        accounts.invite_all(contest, text, "")
    assert contest.state.number == before


def test_a_list_of_people_names_each_new_team_once(place):
    contest, _, _ = place
    teams, before = len(contest.state.teams), contest.state.number
    invited = accounts.invite_all(contest, "team,member\nOmega,Ann\nOmega,Ben\nOmega,Cid", "")
    assert [(team, name) for team, name, _ in invited] == [("Omega", "Ann"), ("Omega", "Ben"), ("Omega", "Cid")]
    assert (len(contest.state.teams) - teams, contest.state.number - before) == (1, 8), "two entries of each"
    assert [accounts.join(contest, token, "")[0].name for _, _, token in invited] == ["Ann", "Ben", "Cid"]


def test_a_long_list_of_new_teams_does_not_hold_the_contest_up(place):
    contest, _, _ = place
    text = "team,member\n" + "".join(f"Long {number}x,Ann\n" for number in range(3000))
    begin = time.process_time()
    assert len(accounts.invite_all(contest, text, "")) == 3000
    assert time.process_time() - begin < 10  # comparing each name with all others took minutes
