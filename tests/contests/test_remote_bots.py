"""Contests with bots of other machines: tickets, waiting, results, and what is refused."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from contest_commands import ARENA, arena, contest, refused
from waiting import until

from arena.contests.config import ContestConfig
from arena.contests.config_file import read_config
from arena.contests.queue.remote import RemotePlayers
from arena.errors import ArenaError
from arena.match.job import REMOTE, remote_identity
from arena.match.spec import NamedBot
from arena.play.seats.ticket import RemoteSettings, Ticket
from arena_replays.files import beside

pytestmark = pytest.mark.process

CONTEST = """
[contest]
name = "Far away"
game = "saloon"
isolation = "none"
allow_remote = true

[remote]
listen = "tcp://127.0.0.1:0"
wait = 120
resume = 3

[options]
max_turns = 4

[[bots]]
path = "builtin:rowdy"

[[bots]]
path = "remote"
name = "alice"

[[stages]]
format = "round_robin"
"""


class Run:
    """A contest that runs, and what it prints: about remote bots it does so on its standard error."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.output, self.errors = folder / "output.txt", folder / "errors.txt"
        with self.output.open("w") as output, self.errors.open("w") as errors:
            command = [ARENA, "contest", "run", *words]
            self.process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=errors)

    def find(self, pattern: str) -> re.Match[str]:
        """Wait for a line, and return what matches."""
        found = until(lambda: re.search(pattern, self.errors.read_text()), self.errors.read_text)
        assert found is not None
        return found

    def ticket(self) -> str:
        """Return the ticket of alice."""
        return self.find(r"alice: arena join (\S+) MY_BOT")[1]

    def end(self) -> str:
        """Wait for the end, and return what was printed."""
        assert self.process.wait(150) == 0, self.errors.read_text()
        assert "Traceback" not in self.errors.read_text()
        return self.output.read_text()


@contextlib.contextmanager
def running(folder: Path, *words: str) -> Iterator[Run]:
    run = Run(folder, *words)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.wait()


@contextlib.contextmanager
def joined(folder: Path, ticket: str) -> Iterator[subprocess.Popen[str]]:
    command = [ARENA, "join", ticket, "builtin:pianist"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_remote_bot_plays_and_the_results_say_so(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(CONTEST)
    with running(tmp_path, "--limit", "1") as run, joined(tmp_path, run.ticket()) as player:
        first = Ticket.parse(run.ticket())
        assert "alice: plays (L0 none" in run.end()
        assert player.wait(20) == 0
    kept = tmp_path / "contest" / "tickets.json"
    assert kept.stat().st_mode & 0o077 == 0
    with running(tmp_path) as run, joined(tmp_path, run.ticket()):
        assert str(Ticket.parse(run.ticket())) == json.loads(kept.read_text())["alice"]["ticket"]
        assert Ticket.parse(run.ticket()).client_key == first.client_key
        assert Ticket.parse(run.ticket()).server_key == first.server_key
        assert "The contest is over." in run.end()
        run.find("round trip")
    document = json.loads(contest("standings", "--all", "--format", "json", cwd=tmp_path).stdout)
    assert [row["name"] for row in document["entrants"] if row["remote"]] == ["alice"]
    [alice] = [row for row in document["behaviour"] if row["name"] == "alice"]
    assert (alice["failures"], alice["mean_turn_cpu_seconds"]) == ("", None)
    words = "alice played from another machine: the organizer did not isolate it, and its wall time counted."
    assert words in contest("standings", "--all", cwd=tmp_path).stdout
    contest("export", cwd=tmp_path)
    assert words in (tmp_path / "contest-results" / "index.html").read_text()
    verified = contest("verify", cwd=tmp_path)
    assert (verified.returncode, verified.stdout[:25]) == (0, "2 results are unchanged. ")


def test_a_bot_that_left_comes_back_with_its_ticket(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(CONTEST)
    with running(tmp_path, "--no-check") as run:
        with joined(tmp_path, run.ticket()) as player:
            run.find("alice: a bot has joined")
            player.send_signal(signal.SIGKILL)
            run.find("alice: Nothing came from the bot's machine for 3 s.")
        with joined(tmp_path, run.ticket()):
            run.find("(?s)a bot has joined.*a bot has joined")
            assert "The contest is over." in run.end()
    document = json.loads(contest("standings", "--all", "--format", "json", cwd=tmp_path).stdout)
    endings = [row["ending"] for row in document["seats"] if row["name"] == "alice"]
    assert len(endings) == 2
    assert {*endings} & {"won", "lost", "drawn"}


def players_of(config: ContestConfig, entrants: list[NamedBot], folder: Path) -> RemotePlayers:
    names = [bot.name for bot in config.bots if bot.path == REMOTE]
    return RemotePlayers(
        config.game, names, entrants, RemoteSettings(**dict(config.remote)), folder, lambda _line: None
    )


def test_a_ticket_outlives_a_run_without_its_bot(tmp_path: Path) -> None:
    config = read_config(CONTEST)
    alice, bob = (NamedBot(name, remote_identity(name)) for name in ("alice", "bob"))
    kept = []
    for entrants in ([alice, bob], [alice], [alice, bob]):
        with contextlib.closing(players_of(config, entrants, tmp_path)):
            kept.append(json.loads((tmp_path / "tickets.json").read_text()))
    assert [{name: one["keys"] for name, one in document.items()} for document in kept[1:]] == [
        {name: one["keys"] for name, one in kept[0].items()}
    ] * 2
    assert kept[1]["bob"] == kept[0]["bob"]


def test_no_gateway_runs_on_if_the_tickets_cannot_be_stored(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    config, alice = read_config(CONTEST.replace(":0", f":{port}")), NamedBot("alice", remote_identity("alice"))
    in_the_way = beside(tmp_path / "tickets.json")
    in_the_way.mkdir()
    with pytest.raises(ArenaError, match=r"tickets\.json") as failure:
        players_of(config, [alice], tmp_path)
    in_the_way.rmdir()
    players_of(config, [alice], tmp_path).close()
    del failure  # its traceback holds the gateways; nothing else would end them


def test_a_bot_that_never_joins_is_left_out(tmp_path: Path) -> None:
    text = CONTEST.replace("wait = 120", "wait = 0.2") + '\n[[bots]]\npath = "builtin:pianist"\n'
    (tmp_path / "contest.toml").write_text(text)
    with running(tmp_path) as run:
        out = run.end()
    assert re.search("alice: does not start: .*No bot has joined", out)
    assert "The contest is over." in out


def test_check_does_not_wait_and_another_engine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(CONTEST)
    checked = contest("check", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "alice: is remote, and is not tried" in checked.stdout
    words = ("contest", "run", "--engine", "dask", "--engine-option", "scheduler=tcp://127.0.0.1:9")
    refused(arena(*words, cwd=tmp_path), 14, "Remote bots connect to this machine")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("allow_remote = true", "", "bots[1].path is remote, which needs allow_remote = true under [contest]."),
        ('isolation = "none"', "", 'bots[1].path is remote, so that nobody here isolates it, and isolation = "bwrap"'),
        ('"none"', '"limits"', 'isolation = "limits" is required. Set isolation = "none", or let the bot run here.'),
        ('name = "alice"', "", "bots[1].name is missing. A remote bot needs a name."),
        ('[remote]\nlisten = "tcp://127.0.0.1:0"\nwait = 120\nresume = 3', "", "is remote, which needs [remote] with"),
        ("tcp://127.0.0.1:0", "localhost", "remote.listen must be an address such as tcp://0.0.0.0:5555"),
        ("resume = 3", "resume = 0", "remote.resume must be"),
        ("resume = 3", 'address = "ä"', "remote.address must be a host name such as arena.example.org, without a port"),
    ],
)
def test_what_is_missing_for_a_remote_bot_is_named(old: str, new: str, message: str) -> None:
    assert old in CONTEST
    with pytest.raises(ArenaError) as caught:
        read_config(CONTEST.replace(old, new))
    assert message in caught.value.message
    assert caught.value.exit_code == 14
