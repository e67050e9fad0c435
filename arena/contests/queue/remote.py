"""The remote bots of a contest: their gateways and tickets. Each remote bot plays one match at a time.

A match of a remote bot waits until the bot is connected and in no other match. If the bot is absent for longer than the
contest allows, its matches start without it, and it loses them: its opponents must not wait for ever.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.contests.journal.files import disk_errors, private_files, write_json
from arena.errors import ArenaError
from arena.match.ending import counted
from arena.match.spec import NamedBot
from arena.play.seats.ticket import RemoteSettings

if TYPE_CHECKING:
    from arena.play.seats.hosting import RemoteSeat

_POLL_SECONDS = 0.1
"""Seconds between two looks whether a bot has come back: gateways report it, but nobody is notified."""


class RemotePlayers:
    """The remote bots of a running contest.

    The keys of the gateways are stored in the contest's folder, so that a ticket is valid in all later runs. A bot
    that misses a run keeps its keys.

    Args:
        names: The names of all configured remote bots. So a bot keeps its port when another bot is left out.
    """

    def __init__(
        self,
        game: str,
        names: Iterable[str],
        entrants: Sequence[NamedBot],
        remote: RemoteSettings,
        folder: Path,
        say: Callable[[str], None],
    ) -> None:
        from arena.play.seats.hosting import RemoteSeat

        self._limit = remote.wait
        self._say = say
        self._stopped = threading.Event()
        self._change = threading.Condition()
        self._busy: set[str] = set()
        self._gateways: dict[str, RemoteSeat] = {}
        with disk_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "tickets.json"
        document = _read(path)
        all_names = dict.fromkeys((*names, *(bot.name for bot in entrants)))
        ports = {name: remote.listen_for(number) for number, name in enumerate(all_names)}
        try:
            for bot in entrants:
                keys = _keys(document[bot.name]) if bot.name in document else None
                gateway = RemoteSeat(game, bot.name, ports[bot.name], remote.address, remote.resume, say, keys)
                self._gateways[bot.hash] = gateway
                document[bot.name] = {"ticket": str(gateway.ticket), "keys": [key.hex() for key in gateway.keys]}
            with disk_errors(path), private_files():
                write_json(path, document)
        except BaseException:
            self.close()
            raise
        for bot in entrants:
            say(f"{bot.name}: arena join {self._gateways[bot.hash].ticket} MY_BOT")
        say(f"The tickets are in {path}.")

    def gather(self) -> None:
        """Wait for all remote bots that are not connected, for the configured time at most."""
        if any(map(self._is_awaited, self._gateways.values())):
            self._say(f"Waiting for {counted(len(self._gateways), 'remote bot')}, {self._limit:g} s at most.")
        while any(map(self._is_awaited, self._gateways.values())):
            time.sleep(_POLL_SECONDS)

    def _is_awaited(self, gateway: RemoteSeat) -> bool:
        return not gateway.wait(0) and time.monotonic() - gateway.absent_since < self._limit

    def address(self, identity: str) -> str:
        """Return the address of a bot's gateway on this machine; "" if the bot is not remote."""
        return self._gateways[identity].address if identity in self._gateways else ""

    @contextlib.contextmanager
    def reserved(self, identities: Iterable[str]) -> Iterator[None]:
        """Reserve remote bots for one match. Wait while they play another match, or are expected to reconnect."""
        bots = self._gateways.keys() & set(identities)
        with self._change:
            while self._busy & bots or any(self._is_awaited(self._gateways[bot]) for bot in bots):
                if self._stopped.is_set():
                    raise RuntimeError("stopped before it began")
                self._change.wait(_POLL_SECONDS)
            self._busy |= bots
        try:
            yield
        finally:
            with self._change:
                self._busy -= bots
                self._change.notify_all()

    def stop(self) -> None:
        """Stop waiting for bots: matches that wait do not begin. A signal handler can call this."""
        self._stopped.set()

    def close(self) -> None:
        for gateway in self._gateways.values():
            gateway.close()


def _read(path: Path) -> dict[str, Any]:
    with disk_errors(path):
        if not path.exists():
            return {}
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        document = dict(json.loads(text))
        for entry in document.values():
            _keys(entry)
    except (ValueError, TypeError, KeyError):
        raise ArenaError(f"{path} cannot be read.", hint="Remove it, and send new tickets.") from None
    return document


def _keys(entry: Any) -> tuple[bytes, bytes]:
    server, client = (bytes.fromhex(key) for key in entry["keys"])
    return server, client
