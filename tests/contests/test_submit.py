"""`arena submit` hands in bots to a real server, and its exit codes say what happened."""

import contextlib
import json
import os
import socket
import threading
import time

import httpx
import pytest
from contest_commands import arena
from own_files import FILES
from server import Server
from waiting import until

from arena.bots.bot import load_bot
from arena.cli.new import template_files
from arena.cli.submit import _Client, packed
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("contest"), ("waiting = 2", "waiting = 100"), ("per_day = 20", "per_day = 99")
    )
    try:
        olga = server.person().join(server.invitation, "Olga")
        assert olga.press("/desk/act", kind="pause", reason="only checks").status_code == 303
        (invitation,) = olga.invited(team="Red", name="Rita", role="member")
        server.token = server.person().join(invitation).token
        (invitation,) = olga.invited(team="", name="Sam", role="spectator")
        server.spectator = server.person().join(invitation).token
        yield server
    finally:
        server.stop()


def bot_in(folder, extra="", **files):
    folder.mkdir()
    for name, text in (template_files(find_game("snakes"), "bot", "python") | files).items():
        new = f"\n# {os.urandom(8).hex()}\n" if name == "main.py" else ""  # a test that runs again has a new bot
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + new + (extra if name == "main.py" else ""))
    return folder


def submit(server, *words, token=None, url=None):
    place = {"ARENA_SERVER": url or server.url, "ARENA_TOKEN": token or server.token}
    return arena("submit", *map(str, words), cwd=server.path.parent, **place)


def test_a_good_bot_with_its_own_files_plays_and_the_same_bot_again_is_the_same_version(server, tmp_path):
    folder = bot_in(tmp_path / "good", **FILES)
    done = submit(server, folder)
    assert done.returncode == 0, done.stderr
    assert "Handed in as version" in done.stdout
    assert "ok      can be read" in done.stdout
    assert "plays, and is active." in done.stdout
    again = submit(server, folder)
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout.replace("Handed in", "Already handed in")
    for words in ((), ("--patience", "0")):
        state = json.loads(submit(server, folder, "--json", *words).stdout)
        assert f"{server.url}/version/Red/{state['number']}" in done.stdout
        assert (state["state"], state["active"]) == ("passed", True)
    assert state["new"] is False


def test_a_bot_that_fails_its_check_has_its_own_exit_code(server, tmp_path):
    folder = bot_in(tmp_path / "bad", "\nraise SystemExit(3)\n")
    done = submit(server, folder, "--json")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert (document["state"], document["active"]) == ("failed", False)
    assert document["problem"]
    crash = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        input()\n"
    done = submit(server, bot_in(tmp_path / "typing", **{"main.py": crash}))
    assert done.stdout.count("(EOFError: EOF when reading a line at main.py, line 5, in run_turn)") == 1, done.stdout
    assert done.stdout.count("A bot has no keyboard.") == 1
    assert done.stdout.count(": as above") > 3


def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_refusals_have_one_message_and_an_exit_code(server, tmp_path):
    folder = bot_in(tmp_path / "mine")
    for settings, code, message in (
        ({"token": "arena-wrong"}, 23, "not valid"),
        ({"token": server.spectator}, 25, "Only members of a team"),
        ({"url": f"http://127.0.0.1:{closed_port()}"}, 24, "cannot be reached: connection refused"),
        ({"url": f"{server.url}/elsewhere"}, 24, "does not answer like a contest"),
        ({"url": "ftp://example.org"}, 2, "is not an address"),
        ({"url": "http://example.org:port"}, 2, "is not an address"),
        ({"url": "http://[::1"}, 2, "is not an address"),
        ({"url": "http://a..b"}, 2, "is not an address"),
        ({"url": "http://exa mple.org"}, 2, "is not an address"),
        ({"url": "http://example.org/\u00e9"}, 2, "is not an address"),
        ({"token": "a\nb"}, 23, "characters"),
    ):
        done = submit(server, folder, **settings)
        assert done.returncode == code, (settings, done.stderr)
        assert message in done.stderr
        assert done.stderr.count("Error:") == 1
        assert "Traceback" not in done.stderr
    broken = bot_in(tmp_path / "broken", **{"main.py": "def run(:\n"})
    assert submit(server, broken).returncode == 5


def test_a_large_bot_is_refused_by_the_server(server, tmp_path):
    folder = bot_in(tmp_path / "large")
    (folder / "data").write_bytes(os.urandom(17 << 20))
    done = submit(server, folder)
    assert done.returncode in (24, 25), done.stderr  # the answer may get lost, since the server closes the connection
    assert "larger than 16 MiB" in done.stderr or "may be too large" in done.stderr


def test_a_file_is_packed_with_its_modules(tmp_path):
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "quick.py").write_text("import helper\n")
    (tmp_path / "other.txt").write_text("not mine")
    name, data = packed(tmp_path / "quick.py")
    assert name == "quick.zip"
    (tmp_path / name).write_bytes(data)
    bot = load_bot(tmp_path / name, cache=tmp_path / "cache")
    assert (bot.name, bot.entry) == ("quick", "quick.py")
    assert sorted(path.name for path in bot.folder.iterdir()) == ["bot.toml", "helper.py", "quick.py"]
    with pytest.raises(ArenaError):
        packed(tmp_path / "other.txt")


def test_the_report_may_be_left_for_later_and_a_folder_has_the_same_hash_on_the_server(server, tmp_path):
    folder = bot_in(tmp_path / "whole")
    (folder / "program.sh").write_text("#!/bin/sh\n")
    (folder / "program.sh").chmod(0o755)
    done = submit(server, folder, "--json", "--patience", "0")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["hash"] == load_bot(folder).content_hash
    assert document["state"] in ("waiting", "checking")


STATE = {"team": "Red", "number": 1, "hash": "", "late": False, "state": "waiting", "problem": "", "waits": "",
         "left_out": "", "lines": [], "active": False, "scores": [], "comparison": None, "compares": False,
         "url": "/version/Red/1", "new": True}  # fmt: skip


def answering(*answers):
    """Serve each answer once, in their order: a text, or a list of texts, each after half a second. Then be silent."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        for answer in answers:
            with listener.accept()[0] as peer, contextlib.suppress(OSError):
                head = b""
                while b"\r\n\r\n" not in head:
                    head += peer.recv(65536)
                peer.settimeout(0.3)
                with contextlib.suppress(TimeoutError):
                    while head.startswith(b"POST") and peer.recv(65536):
                        pass
                peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
                for part in [answer] if isinstance(answer, str) else answer:
                    time.sleep(0 if isinstance(answer, str) else 0.5)
                    peer.sendall(part.encode())

    threading.Thread(target=serve, daemon=True).start()
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    "answers",
    [
        ("[" * 100_000,),
        ('{"state": 1}',),
        (json.dumps(STATE | {"number": "one"}),),
        (json.dumps(STATE), json.dumps(STATE | {"lines": [3]})),
        (json.dumps(STATE), json.dumps(STATE | {"lines": [{"passed": True, "name": []}]})),
        (json.dumps(STATE), json.dumps(STATE | {"state": "failed", "problem": None})),
        ([" "] * 100,),
    ],
)
@pytest.mark.promise("false-servers")
def test_a_server_that_is_no_contest_gets_one_message(monkeypatch, tmp_path, answers):
    monkeypatch.setattr("arena.cli.submit.SOCKET_SECONDS", 2.0)
    listener, url = answering(*answers)
    with listener:
        client, begin = _Client(url, "arena-token"), time.monotonic()
        with pytest.raises(ArenaError, match=r"does not answer like a contest|takes too long|did not end") as caught:
            client.follow(client.upload("bot.py", b"print()", show=False), 1.0, lambda line: None)
    assert caught.value.exit_code == ExitCode.NOT_REACHED
    assert time.monotonic() - begin < 20


def test_uploads_and_forms_that_are_cut_off_leave_nothing_and_no_traceback(server):
    place = server.path.parent / "contest" / "work"
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        head = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 100000"
        connection.sendall(f"POST /api/submit HTTP/1.1\r\n{head}\r\n\r\nthe first bytes".encode())
        until(lambda: place.is_dir() and list(place.iterdir()), server.complain)
    until(lambda: not list(place.iterdir()), server.complain)
    head = f"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.url}\r\nContent-Length: 1000"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(f"{head}\r\n\r\ntoken=".encode())
        assert httpx.get(f"{server.url}/standings.json").status_code == 200
    assert "Traceback" not in server.output.read_text()
