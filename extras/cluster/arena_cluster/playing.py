"""Play a match on a worker: an order comes in, an answer goes back.

An order is a pickle, since a worker runs what the organizer sends. An answer is none: it is one document in msgpack,
which the organizer checks field by field.
"""

import io
import logging
import os
import pickle
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from arena.contests.engines import LocalReferee, rules_of
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.result import MatchResult
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec
from arena.text.printable import printable
from arena_cluster.live import forwarded
from arena_player.version import __version__

CPU_VARIABLE = "ARENA_WORKER_CPU"
Play: TypeAlias = Callable[[MatchSpec, Mapping[str, str], Path], MatchResult]
"""Plays a match with bots, by content hash, and writes its replay. The organizer sends it as a pickle."""


def programs_of(game: GameSpec) -> str:
    """Return the Dask resource of workers that have the same rules of a game and the same Arena as this machine."""
    return f"{game.name}-{rules_of(game)}-arena-{__version__}"


@dataclass(frozen=True, slots=True)
class ByReferee:
    """Plays matches with a referee on the worker."""

    settings: MatchSettings

    def __call__(self, spec: MatchSpec, bots: Mapping[str, str], replay: Path) -> MatchResult:
        return _referee(self.settings.game).play(self.settings, spec, bots, replay)


@lru_cache(maxsize=1)
def _referee(game: str) -> LocalReferee:
    cpu = os.environ.get(CPU_VARIABLE)
    return LocalReferee(game, int(cpu) if cpu else None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker sends back: a result and its replay, or why the match could not be played."""

    result: MatchResult | None = None
    replay: bytes = b""
    message: str = ""
    hint: str = ""
    exit_code: int = 0

    def played(self) -> MatchResult:
        if self.result is None:
            raise ArenaError(printable(self.message), hint=printable(self.hint), exit_code=self.exit_code)
        return self.result


def unpacked(data: object) -> Answer:
    """Read an answer. Raise a ValueError if it is none."""
    if not isinstance(data, bytes):
        raise ValueError("not bytes")
    reply = msgspec.msgpack.decode(data, type=Answer)
    if reply.result is None and not reply.message:
        raise ValueError("neither a result nor a reason")
    return reply


def pack(folder: Path) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return stream.getvalue()


def _unpack(archive: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for info in opened.infolist():
            target = Path(opened.extract(info, folder))
            target.chmod(0o700 if info.external_attr >> 16 & 0o100 else 0o600)


def keep(archive: bytes) -> bytes:
    """Keep a bot on a worker. Dask copies it to the workers whose matches need it."""
    return archive


def order(play: Play, spec: MatchSpec, bots: Mapping[str, str], packed: tuple[str, ...]) -> bytes:
    """Return a match as bytes.

    Args:
        bots: The path of each bot in its archive, or the reference of a built-in bot, by content hash.
        packed: The content hashes of the bots whose archives `answer` gets, in their order.
    """
    return pickle.dumps((play, spec, bots, packed))


def answer(order: bytes, *archives: bytes) -> bytes:
    """Play a match, and return a packed `Answer`."""
    play, spec, bots, packed = pickle.loads(order)
    with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
        for content, archive in zip(packed, archives, strict=True):
            bot = Path(folder) / content[:24]  # a bot without a name is called like its folder, and names are short
            _unpack(archive, bot)
            bots[content] = str(bot / bots[content])
        replay = Path(folder) / f"{spec.match_id}.arena"
        try:
            with forwarded(spec.match_id, replay):
                result = play(spec, bots, replay)
            reply = Answer(result, replay.read_bytes() if replay.exists() else b"")
        except ArenaError as error:
            reply = Answer(None, b"", error.message, error.hint, int(error.exit_code))
        except Exception as error:  # Dask would send it as a pickle, which the organizer does not read
            logging.getLogger(__name__).exception("The match %s failed.", spec.match_id)
            reply = Answer(None, b"", f"A worker failed: {error!r}.", exit_code=ExitCode.FAULT)
        return msgspec.msgpack.encode(reply)
