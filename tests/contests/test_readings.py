"""How often the server, the check and the first match read the files of a bot that somebody hands in."""

import contextlib
import os
import sqlite3
from datetime import datetime

import pytest
from contests_toys import archive
from server import Server
from waiting import until

pytestmark = pytest.mark.process

COUNTER = """
import os, time
from arena.bots import bot
from arena.bots.folders import files

def counted(name, function):
    def call(*arguments, **keywords):
        with open(os.environ["ARENA_TEST_READINGS"], "a") as stream:
            stream.write(f"{time.time()} {name} {arguments[0]}\\n")
        return function(*arguments, **keywords)
    return call

files.content_hash = bot.content_hash = counted("hash", files.content_hash)
bot.load_bot = counted("load", bot.load_bot)
"""


@pytest.mark.kill  # one more contest with uploads
def test_an_upload_is_read_when_it_arrives_and_for_its_first_match_and_not_between(tmp_path, monkeypatch):
    readings = tmp_path / "readings"
    (tmp_path / "counter").mkdir()
    (tmp_path / "counter" / "sitecustomize.py").write_text(COUNTER)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'counter'}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("ARENA_TEST_READINGS", str(readings))
    server = Server(tmp_path)
    try:
        olga = server.person().join(server.invitation, "Olga")
        assert olga.press("/desk/act", kind="pause", reason="only checks").status_code == 303
        (invitation,) = olga.invited(team="Red", name="Rita", role="member")
        rita = server.person().join(invitation)
        readings.write_text("")
        handed_in = rita.submit(archive("\n# another bot than the built-in ones\n")).json()
        until(lambda: rita.get(f"/api/version/Red/{handed_in['number']}").json()["active"], server.complain)
    finally:
        server.stop()
    contest = server.path.parent / "contest"
    copy, work = contest / "bots" / handed_in["hash"][:24], contest / "work"
    with contextlib.closing(sqlite3.connect(contest / "journal.db")) as journal:
        *_, (at,) = journal.execute("SELECT document ->> 'at' FROM entries WHERE kind = 'activate' ORDER BY number")
    active = datetime.fromisoformat(at).timestamp()  # then games follow against the built-in bots
    lines = [line.split(" ", 2) for line in readings.read_text().splitlines()]
    found = [
        (word, path) for when, word, path in lines if path.startswith((str(copy), str(work))) and float(when) < active
    ]
    assert [word for word, _ in found] == ["load", "hash"] * 2
    assert [path for word, path in found[2:]] == [str(copy)] * 2, "only the trial match reads the stored copy"
