"""How often the server, the check and the first match read the files of a bot that somebody hands in."""

import os

import pytest
from server import Server, archive, until

pytestmark = pytest.mark.process

COUNTER = """
import os
from arena.bots import bot
from arena.bots.folders import files

def counted(name, function):
    def call(*arguments, **keywords):
        with open(os.environ["ARENA_TEST_READINGS"], "a") as stream:
            stream.write(f"{name} {arguments[0]}\\n")
        return function(*arguments, **keywords)
    return call

files.content_hash = bot.content_hash = counted("hash", files.content_hash)
bot.load_bot = counted("load", bot.load_bot)
"""


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
    copy, work = server.path.parent / "season" / "bots" / handed_in["hash"][:24], server.path.parent / "season" / "work"
    lines = [line.split(" ", 1) for line in readings.read_text().splitlines()]
    found = [(word, path) for word, path in lines if path.startswith((str(copy), str(work)))]
    assert [word for word, _ in found] == ["load", "hash"] * 3
    games = "only the games against the built-in bots, and the trial match, read the stored copy"
    assert [path for word, path in found[2:]] == [str(copy)] * 4, games
