"""Remote seats: matches with cuts, tickets, and clients that attack. The referee never sees them."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zmq
from remote_cuts import ARENA, Proxy, differences, host, join
from shortened import shortened
from zmq.utils import z85

from arena.bots.bot import load_bot
from arena.bots.builtin_copy import builtin_bot
from arena.match.lookup import find_game
from arena.play.seats.joining import RemoteBot
from arena.play.seats.stream import FrameKind, Stream, parse
from arena.play.seats.ticket import Ticket, split_address
from arena_player import wire

pytestmark = pytest.mark.process

MEGABYTE = 1024 * 1024


class Client:
    """A client of a gateway that does what it likes."""

    def __init__(self, ticket: Ticket) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.curve_serverkey = z85.encode(ticket.server_key)
        self.socket.curve_secretkey = z85.encode(ticket.client_key)
        self.socket.curve_publickey = zmq.curve_public(z85.encode(ticket.client_key))
        self.socket.rcvtimeo = self.socket.sndtimeo = 10_000
        self.socket.connect(ticket.address)
        self.stream = Stream(os.urandom(16))

    def join(self) -> None:
        """Take the seat, and play until it is this client's turn."""
        self.socket.send(self.stream.control(FrameKind.JOIN))
        while True:
            frame = parse(self.socket.recv())
            assert frame is not None
            if not self.stream.take(frame):
                continue
            message = wire.unpack(frame.payload, "referee") if frame.kind == FrameKind.DATA else {"type": ""}
            if frame.kind == FrameKind.MATCH:
                self.act({"type": "hello", "protocol": 1, "client": "", "schema": None, "legal_actions": False})
            elif message["type"] == "start":
                self.act({"type": "ready", "seq": message["seq"]})
            elif message["type"] == "turn":
                return

    def act(self, message: dict[str, Any]) -> None:
        """Send a message of the protocol."""
        self.socket.send(self.stream.message(FrameKind.DATA, wire.pack(message)))

    def close(self) -> None:
        self.socket.close()
        self.context.term()


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], Ticket]]]:
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, resume: int = 30) -> tuple[subprocess.Popen[str], Ticket]:
        (tmp_path / "settings.toml").write_text(f"[remote]\nresume = {resume}\n")
        words = (*words, "--settings", "settings.toml")
        process, ticket = host("saloon", "remote", "builtin:pianist", "--seed", "1", *words, folder=str(tmp_path))
        started.append(process)
        return process, ticket

    yield start
    for process in started:
        process.kill()
        process.communicate()


def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, said = process.communicate(timeout=40)
    assert "Traceback" not in said, said
    document: dict[str, Any] = json.loads(out)
    document["said"] = said
    return document


def ended(joined: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit code of ``arena join``, and what it printed."""
    said = joined.communicate(timeout=20)[1]
    return joined.returncode, said


def lost(document: dict[str, Any]) -> str:
    """Return why the remote player lost, after the checks that only that player was hurt."""
    assert [player["ending"] for player in document["players"]] == ["crashed", "won"]
    assert document["players"][0]["detail"] == "exit code 81"  # not its clock: the gateway gave up the seat
    assert document["memory_growth"] < 2 * MEGABYTE
    assert not document["fault"]
    return str(document["players"][0]["stderr"])


@pytest.mark.promise("cut-connections")
def test_matches_with_cuts_go_as_without_a_network() -> None:
    assert list(differences(1, 5)) == []


def test_both_legs_are_played_with_one_ticket(tmp_path: Path) -> None:
    words = ("derelict", "remote", "builtin:castaway", "-o", "turn_limit=1", "--seed", "1")
    process, ticket = host(*words, folder=str(tmp_path))
    joined = join(ticket, "builtin:veteran", str(tmp_path))
    document = result_of(process)
    assert ended(joined)[0] == 0
    assert [{player["ending"] for player in match["players"]} for match in document["matches"]] == [{"won", "lost"}] * 2
    assert document["matches"][0]["players"][0]["isolation"]["level"] == 0
    assert (
        document["matches"][0]["players"][1]["isolation"]["level"] >= document["matches"][1]["isolation"]["level"]
        if "isolation" in document["matches"][1]
        else True
    )
    assert "round trip" in document["said"]


def join_here(ticket: Ticket) -> list[str]:
    """Join with a bot in this process, and return what was printed at the end."""
    said: list[str] = []
    bot = load_bot(builtin_bot(find_game("saloon"), "pianist"))
    RemoteBot(ticket, lambda _: (bot, ()), "none", 10, said.append).run()
    return said


def test_a_busy_machine_that_stops_the_client_while_it_connects_still_joins(
    hosted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    connect = socket.create_connection

    def late(*words: Any) -> Any:
        connected = connect(*words)
        time.sleep(1)
        return connected

    monkeypatch.setattr(socket, "create_connection", late)
    assert join_here(ticket)[1] == "Match 1 of saloon begins."
    assert result_of(process)["players"][0]["ending"] in {"won", "lost", "drawn"}


def test_a_request_to_join_that_is_lost_is_sent_again(
    hosted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    send = RemoteBot._send
    lost: list[bytes] = []

    def first_is_lost(self: RemoteBot, data: bytes) -> None:
        if lost:
            send(self, data)
        lost.append(data)

    monkeypatch.setattr(RemoteBot, "_send", first_is_lost)
    assert join_here(ticket)[1] == "Match 1 of saloon begins."
    assert result_of(process)["players"][0]["ending"] in {"won", "lost", "drawn"}


@pytest.mark.promise("tickets")
def test_a_key_without_a_ticket_is_refused(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    unknown = replace(ticket, client_key=z85.decode(zmq.curve_keypair()[1]))
    wrong = join(unknown, "builtin:rowdy", str(tmp_path))
    code, said = ended(wrong)
    assert code == 23
    assert "The host refuses this ticket." in said
    right = join(ticket, "builtin:rowdy", str(tmp_path))
    assert result_of(process)["players"][0]["ending"] in ("won", "lost", "drawn")
    assert ended(right)[0] == 0


@pytest.mark.promise("wiretaps")
def test_the_network_shows_nothing(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    proxy = Proxy(*split_address(ticket.address))
    try:
        joined = join(replace(ticket, address=f"tcp://127.0.0.1:{proxy.port}"), "builtin:rowdy", str(tmp_path))
        assert result_of(process)["players"][0]["ending"] in ("won", "lost", "drawn")
        assert ended(joined)[0] == 0
        assert len(proxy.traffic) > 10_000
        for words in (b"Cowboy", b"saloon", b"welcome", b"end_turn"):
            assert words not in proxy.traffic
    finally:
        proxy.close()


@pytest.mark.promise("used-tickets")
def test_a_second_client_with_the_ticket_is_refused(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted(resume=6)
    first = Client(ticket)
    try:
        first.join()
        second = join(ticket, "builtin:rowdy", str(tmp_path))
        code, said = ended(second)
        assert code == 23
        assert "the ticket is in use" in said
    finally:
        first.close()
    assert "Nothing came from the bot's machine for 6 s." in lost(result_of(process))


def peak_of_gateway(process: subprocess.Popen[str]) -> int:
    """Return the largest number of bytes that the gateway of a host has used."""
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        if b"arena.play.seats.gateway" in Path(f"/proc/{child}/cmdline").read_bytes():
            line = next(line for line in Path(f"/proc/{child}/status").read_text().splitlines() if "VmHWM" in line)
            return 1024 * int(line.split()[1])
    return 0


@pytest.mark.promise("endless-parts")
def test_a_message_of_endless_parts_costs_the_flooder(hosted: Callable[..., Any]) -> None:
    """The gateway keeps no part: the first one ends the connection."""
    process, ticket = hosted("--clock", "bank=3,turn=none")
    client = Client(ticket)
    try:
        client.join()
        before = peak_of_gateway(process)
        part = zmq.Frame(b"x" * 60_000)
        for _ in range(2_500):  # 150 MB
            client.socket.send(part, zmq.SNDMORE, copy=False)
        client.socket.send(b"")
        peak = before
        while process.poll() is None and (now := peak_of_gateway(process)):
            peak = max(peak, now)
            time.sleep(0.05)
        assert before
        assert peak - before < 2 * MEGABYTE
        document = result_of(process)
        assert document["players"][0]["ending"] in ("crashed", "timed_out")
        assert document["players"][1]["ending"] == "won"
        assert document["memory_growth"] < 2 * MEGABYTE
        assert not document["fault"]
    finally:
        client.close()


@pytest.mark.promise("frame-floods")
def test_a_flood_of_frames_costs_the_flooder(hosted: Callable[..., Any]) -> None:
    process, ticket = hosted()
    client = Client(ticket)
    try:
        client.join()
        for _ in range(20_000):
            try:
                client.socket.send(client.stream.control(FrameKind.ECHO), zmq.NOBLOCK)
            except zmq.Again:
                time.sleep(0.001)
        lost(result_of(process))
    finally:
        client.close()


def test_more_than_the_referee_reads_is_too_much(hosted: Callable[..., Any]) -> None:
    process, ticket = hosted()
    client = Client(ticket)
    try:
        client.join()
        for _ in range(40):
            client.socket.send(client.stream.message(FrameKind.DATA, b"\x81" + b"x" * 60_000))
        document = result_of(process)
        assert [player["ending"] for player in document["players"]][1] == "won"
        assert document["memory_growth"] < 2 * MEGABYTE
    finally:
        client.close()


@pytest.mark.promise("slow-connections")
def test_slow_connections_keep_nobody_out(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted()
    address = split_address(ticket.address)
    stop = threading.Event()
    held = [socket.create_connection(address) for _ in range(200)]

    def drip() -> None:
        while not stop.wait(0.3):
            for one in held:
                try:
                    one.send(b"\xff")
                except OSError:
                    continue

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        joined = join(ticket, "builtin:rowdy", str(tmp_path))
        document = result_of(process)
        assert {player["ending"] for player in document["players"]} == {"won", "lost"}
        assert document["memory_growth"] < 2 * MEGABYTE
        assert ended(joined)[0] == 0
    finally:
        stop.set()
        thread.join()
        for one in held:
            one.close()


@contextlib.contextmanager
def silent_connections(address: tuple[str, int], count: int) -> Iterator[list[int]]:
    """Hold connections that say nothing, and renew each as soon as it is closed. Yield the number of renewals."""
    stop = threading.Event()
    renewed = [0]

    def hold() -> None:
        selector = selectors.DefaultSelector()
        for _ in range(count):
            selector.register(socket.create_connection(address), selectors.EVENT_READ)
        while not stop.is_set():
            for key, _ in selector.select(0.1):
                with contextlib.suppress(OSError):
                    if key.fileobj.recv(4096):  # type: ignore[union-attr]
                        continue
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                with contextlib.suppress(OSError):
                    selector.register(socket.create_connection(address), selectors.EVENT_READ)
                renewed[0] += 1
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield renewed
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("count", shortened([180, 500]))
@pytest.mark.promise("descriptors")
def test_silent_renewed_connections_of_others_cost_no_seat(
    hosted: Callable[..., Any], tmp_path: Path, count: int
) -> None:
    process, ticket = hosted("--games", "2", "--swap")
    with silent_connections(split_address(ticket.address), count) as renewed:
        time.sleep(3.5)  # until the gateway has closed some
        assert renewed[0]
        joined = join(ticket, "builtin:rowdy", str(tmp_path))
        document = result_of(process)
    assert len(document["matches"]) == 4
    for match in document["matches"]:
        assert {player["ending"] for player in match["players"]} <= {"won", "lost", "drawn"}
    assert ended(joined)[0] == 0


def test_required_isolation_refuses_remote_bots(tmp_path: Path) -> None:
    words = ["play", "saloon", "remote", "builtin:rowdy", "--listen", "tcp://127.0.0.1:0", "--sandbox", "limits"]
    done = subprocess.run([ARENA, *words], cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert done.returncode == 7
    assert "a remote bot runs on another machine" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["play", "saloon", "remote", "builtin:rowdy"], 2, "A remote bot needs --listen"),
        (["play", "saloon", "builtin:rowdy", "builtin:rowdy", "--listen", "tcp://*:0"], 2, "--listen is for remote"),
        (["play", "saloon", "remote", "builtin:rowdy", "--listen", "ipc://x"], 4, "is not an address to listen on"),
        (["play", "saloon", "remote", "builtin:rowdy", "--listen", "tcp://192.0.2.1:5"], 6, "cannot be used"),
        (
            ["play", "saloon", "remote", "builtin:rowdy", "--listen", "tcp://ä:5555"],
            4,
            "'tcp://ä:5555' is not an address to listen on.",
        ),
        (
            ["play", "saloon", "remote", "builtin:rowdy", "--listen", "tcp://127.0.0.1:٣"],
            4,
            "'tcp://127.0.0.1:٣' is not an address to listen on.",
        ),
        (["join", "nonsense", "builtin:rowdy"], 23, "nonsense is no file that can be read, and is not a ticket."),
        (["join", "-", "builtin:rowdy"], 23, "The first line of standard input is not a ticket."),
        (["join", ".", "builtin:rowdy"], 23, ". is no file that can be read, and is not a ticket."),
        (["join", str(Ticket("tcp://127.0.0.1:9", b"k" * 32, b"k" * 32)), "no_bot.py"], 5, "no bot at no_bot.py"),
        (
            ["join", str(Ticket("tcp://127.0.0.1:9", b"k" * 32, b"k" * 32)), "builtin:rowdy", "--patience", "1"],
            24,
            "No host answers at tcp://127.0.0.1:9 for 1 s.",
        ),
    ],
)
def test_mistakes_have_a_message_and_a_code(tmp_path: Path, words: list[str], code: int, message: str) -> None:
    done = subprocess.run([ARENA, *words], cwd=tmp_path, input="", capture_output=True, text=True, timeout=30)
    assert message in done.stderr, done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_ticket_is_worth_nothing_after_its_host_has_ended(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    assert ended(join(ticket, "builtin:rowdy", str(tmp_path)))[0] == 0
    result_of(process)
    late = [ARENA, "join", str(ticket), "builtin:rowdy", "--patience", "1"]
    done = subprocess.run(late, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert done.returncode == 24
    assert f"No host answers at {ticket.address} for 1 s." in done.stderr
    assert "A ticket ends with its `arena play`" in done.stderr


@pytest.mark.parametrize("way", ["-", "ticket.txt"])
@pytest.mark.promise("ticket-arguments")
def test_a_ticket_from_a_file_or_standard_input_is_no_argument(
    hosted: Callable[..., Any], tmp_path: Path, way: str
) -> None:
    process, ticket = hosted("-o", "max_turns=2")
    (tmp_path / "ticket.txt").write_text(f"{ticket}\n")
    with (tmp_path / "ticket.txt").open() as file:
        joined = subprocess.Popen(
            [ARENA, "join", way, "builtin:rowdy"], cwd=tmp_path, stdin=file, stderr=subprocess.PIPE, text=True
        )
    assert joined.stderr is not None
    while "Match 1" not in (line := joined.stderr.readline()):
        assert line
    mine = {str(joined.pid), *Path(f"/proc/{joined.pid}/task/{joined.pid}/children").read_text().split()}
    shown = [Path(f"/proc/{one}/cmdline").read_text() for one in mine if Path(f"/proc/{one}").exists()]
    assert shown
    assert not any("arena-ticket" in line for line in shown)
    assert result_of(process)["players"][0]["ending"] in ("won", "lost", "drawn")
    assert ended(joined)[0] == 0


def test_ctrl_c_while_waiting_ends_everything(hosted: Callable[..., Any]) -> None:
    process, _ = hosted()
    (gateway,) = [
        int(child)
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if b"arena.play.seats.gateway" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert not Path(f"/proc/{gateway}").exists()


def test_ctrl_c_ends_a_joined_bot_and_its_seat(hosted: Callable[..., Any], tmp_path: Path) -> None:
    process, ticket = hosted("--clock", "none", resume=1)
    (tmp_path / "slow.py").write_text(
        "from time import sleep\nfrom arena_player import AI\nclass Slow(AI):\n"
        "    def run_turn(self):\n        sleep(60)\n"
    )
    joined = join(ticket, str(tmp_path / "slow.py"), str(tmp_path))
    assert joined.stderr is not None
    while "Match 1" not in joined.stderr.readline():
        pass
    time.sleep(1)
    joined.send_signal(signal.SIGINT)
    code, said = ended(joined)
    assert code == 130
    assert "Traceback" not in said
    assert "Nothing came from the bot's machine" in lost(result_of(process))
