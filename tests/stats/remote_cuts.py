"""Matches over TCP whose connection is cut at random: no result may differ from that of the same match played here.

    python tests/stats/remote_cuts.py [MATCHES]

Each match is cut three times. A message that is lost or played twice changes the course of the match.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.play.seats.ticket import Ticket, split_address

ARENA = str(Path(sys.executable).with_name("arena"))
CUTS = 3
BOTS = ("builtin:pianist", "builtin:rowdy")


class Proxy:
    """Forwards TCP connections to an address, and cuts all of them on demand."""

    def __init__(self, host: str, port: int) -> None:
        self._target = host, port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self.cuts = 0
        self.traffic = bytearray()
        self._closed = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        """Close everything."""
        self._closed = True
        self._thread.join()
        for one in (*self._pairs, self._listener, self._selector):
            one.close()

    def cut(self) -> bool:
        """Cut all connections, and return whether there were any."""
        with self._lock:
            there = list(self._pairs)
            for one in there:
                self._drop(one)
        self.cuts += bool(there)
        return bool(there)

    def _drop(self, one: socket.socket) -> None:
        if one in self._pairs:
            self._pairs.pop(one)
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(one)
            one.close()

    def _run(self) -> None:
        while not self._closed:
            for key, _ in self._selector.select(0.05):
                with self._lock:
                    self._serve(key.fileobj)  # type: ignore[arg-type]

    def _serve(self, ready: socket.socket) -> None:
        if ready is self._listener:
            inner, _ = self._listener.accept()
            outer = socket.create_connection(self._target)
            for one, other in ((inner, outer), (outer, inner)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pairs[one] = other
                self._selector.register(one, selectors.EVENT_READ)
            return
        other = self._pairs.get(ready)
        if other is None:
            return
        try:
            data = ready.recv(65536)
            other.sendall(data)
            self.traffic += data
        except OSError:
            data = b""
        if not data:
            self._drop(other)
            self._drop(ready)


def host(*words: str, folder: str) -> tuple[subprocess.Popen[str], Ticket]:
    """Start ``arena play`` with one remote seat, and return it with the ticket."""
    command = [ARENA, "play", *words, "--listen", "tcp://127.0.0.1:0", "--replay", "none", "--json"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"arena join (\S+) ", line)
    assert found, line + process.stderr.read()
    return process, Ticket.parse(found[1])


def join(ticket: Ticket, bot: str, folder: str) -> subprocess.Popen[str]:
    """Start ``arena join``."""
    command = [ARENA, "join", str(ticket), bot]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def play(count: int, seed: int, rng: random.Random) -> tuple[list[dict[str, Any]], int, str]:
    """Play matches over a proxy that cuts each three times. Return the results, the cuts, and what the host said."""
    with tempfile.TemporaryDirectory() as folder:
        hosting, ticket = host("saloon", "remote", BOTS[1], "--games", str(count), "--seed", str(seed), folder=folder)
        proxy = Proxy(*split_address(ticket.address))
        joined = join(replace(ticket, address=f"tcp://127.0.0.1:{proxy.port}"), BOTS[0], folder)
        try:
            cutting = threading.Thread(target=_cut, args=(joined, proxy, rng))
            cutting.start()
            out, said = hosting.communicate(timeout=60 + 20 * count)
            joined.wait(10)
        finally:
            hosting.kill()
            joined.kill()
            cutting.join()
            proxy.close()
            hosting.communicate()
            joined.communicate()
        document = json.loads(out)
    return document.get("matches", [document]), proxy.cuts, said


def _cut(joined: subprocess.Popen[str], proxy: Proxy, rng: random.Random) -> None:
    """Cut the connection three times in each match, at random moments after it begins."""
    assert joined.stderr is not None
    for line in joined.stderr:
        if line.startswith("Match "):
            threading.Thread(
                target=_cut_one, args=(proxy, rng.random(), rng.random(), rng.random()), daemon=True
            ).start()


def _cut_one(proxy: Proxy, *moments: float) -> None:
    for moment in moments:
        time.sleep(0.02 + 0.1 * moment)
        end = time.monotonic() + 2
        while not proxy.cut() and time.monotonic() < end:
            time.sleep(0.005)


def local(count: int, seed: int) -> list[dict[str, Any]]:
    """Play the same matches without a network."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["saloon", *BOTS, "--games", str(count), "--seed", str(seed), "--replay", "none", "--json"]
        done = subprocess.run([ARENA, "play", *words], cwd=folder, capture_output=True, text=True, check=True)
        document = json.loads(done.stdout)
        matches: list[dict[str, Any]] = document.get("matches", [document])
        return matches


def differences(count: int, seed: int) -> Iterator[str]:
    """Yield what differs between matches with cuts and the same matches here."""
    remote, cuts, said = play(count, seed, random.Random(seed))
    yield from () if len(remote) == count else [f"{len(remote)} matches of {count}"]
    if cuts < CUTS * count * 0.8:
        yield f"only {cuts} cuts"
    for number, (one, other) in enumerate(zip(remote, local(count, seed), strict=True)):
        endings = [player["ending"] for player in one["players"]]
        if one["course"] != other["course"] or not set(endings) <= {"won", "lost", "drawn"}:
            yield f"match {number}: {endings} {one['players'][0]['detail']} {one['players'][0]['stderr']}"
    sys.stderr.write(f"{count} matches, {cuts} cuts, {said.count('resumed')} matches resumed\n")


if __name__ == "__main__":
    found = list(differences(int(sys.argv[1]) if len(sys.argv) > 1 else 200, 1))
    sys.stdout.write("\n".join(found) + ("\n" if found else "All matches went as without a network.\n"))
    sys.exit(bool(found))
