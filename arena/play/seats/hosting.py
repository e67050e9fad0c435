"""Start the gateways of remote seats, and read the events that they report."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from arena.bots.system.spawn import python
from arena.errors import ArenaError, ExitCode
from arena.play.seats.curve import Keys
from arena.play.seats.ticket import Ticket, split_address


class RemoteSeat:
    """The gateway of one remote seat, a process of its own.

    Args:
        listen: The address on which the gateway listens, such as ``tcp://0.0.0.0:5555``; port 0 means any free port.
        reached_at: The host name in the ticket. If empty, the ticket names the host of `listen`, or this machine's
            address in its network if the gateway listens on all addresses.
        resume: The seat is lost after this many seconds without data from the bot's machine.
        keys: The secret keys of the gateway and of the only client; new ones if not given.

    Attributes:
        absent_since: The monotonic time when the last bot left, or when the gateway started.
    """

    def __init__(
        self,
        game: str,
        label: str,
        listen: str,
        reached_at: str,
        resume: float,
        say: Callable[[str], None],
        keys: tuple[bytes, bytes] | None = None,
    ) -> None:
        host, port = split_address(listen)
        self.keys = keys or (Keys.new().secret, Keys.new().secret)
        public, client_public = (Keys.of(key).public for key in self.keys)
        settings = {
            "host": host,
            "port": port,
            "server": self.keys[0].hex(),
            "client": client_public.hex(),
            "game": game,
            "resume": resume,
        }
        self._say = say
        self._label = label
        self.absent_since = time.monotonic()
        self._joined = threading.Event()
        self._process = subprocess.Popen(
            python("-m", "arena.play.seats.gateway"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # so that Ctrl-C interrupts only the command
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(settings) + "\n")
        self._process.stdin.flush()
        first = json.loads(self._process.stdout.readline() or '{"event": "failed", "why": "it did not start"}')
        if first["event"] != "listening":
            self.close()
            raise ArenaError(
                f"{listen} cannot be used: {first['why']}.",
                hint="Choose another address with --listen.",
                exit_code=ExitCode.CANNOT_WRITE,
            )
        self.address: str = first["address"]
        self.ticket = Ticket(f"tcp://{reached_at or _own_address(host)}:{first['port']}", public, self.keys[1])
        self._thread = threading.Thread(target=self._follow, args=(self._process.stdout,), daemon=True)
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until a bot has taken the seat or the time is over. Return whether a bot has the seat."""
        return self._joined.wait(seconds)

    def _follow(self, lines: Any) -> None:
        for line in lines:
            event = json.loads(line)
            match event["event"]:
                case "joined":
                    self._say(f"{self._label}: a bot has joined.")
                    self._joined.set()
                case "left":
                    self.absent_since = time.monotonic()
                    self._joined.clear()
                case "gone":
                    self._say(f"{self._label}: {event['why']}")
                case "finished":
                    self._say(f"{self._label}: {_summary(event)}.")

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            with contextlib.suppress(AttributeError):
                self._thread.join(2)
            self._process.stdout.close()


def _summary(finished: dict[str, Any]) -> str:
    text = f"round trip {1000 * finished['middle']:.1f} ms (median), {1000 * finished['most']:.1f} ms (longest)"
    if finished["lost"]:
        text += f"; connection resumed {finished['lost']} times"
    if finished["refused"]:
        text += f"; refused {finished['refused']} attempts of others"
    return text


def _own_address(host: str) -> str:
    if host not in ("0.0.0.0", "*", "[::]"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # UDP: connect sends nothing, it only chooses the local address
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
