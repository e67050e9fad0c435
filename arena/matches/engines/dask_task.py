"""Play a match on a worker. Bots are identified by their content hash, and the replay is returned as bytes."""

import io
import logging
import os
import pickle
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from arena.bots.folders import files
from arena.errors import ArenaError
from arena.game import GameSpec
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec
from arena.matches.copies import wrong_with_copy
from arena.matches.engines.dask_answers import Failure, RemoteResult
from arena.matches.engines.dask_live import forwarded
from arena.matches.engines.speed import UnsuitableMachineError, clock_factor, own_speed, stretched
from arena.matches.evidence import rules_of
from arena.matches.referee_match import RefereeMatches
from arena.referee.match_process import ForkServers
from arena_player.version import __version__

CACHE_VARIABLE = "ARENA_WORKER_CACHE"
CPU_VARIABLE = "ARENA_WORKER_CPU"
_MOST_BOTS = 200


class Remote(Protocol):
    """An object that is sent to a worker and plays matches there."""

    def play(self, spec: MatchSpec, attempt: int, archives: Mapping[str, bytes]) -> RemoteResult: ...


class BotCache:
    """Bots on the worker's own disk, by content hash. The least recently used bots are removed first."""

    def __init__(self, folder: Path, most: int = _MOST_BOTS) -> None:
        self._folder = folder
        self._most = most

    def _place(self, content: str) -> Path:
        # Shorten the hash: a bot without a configured name has the name of its folder, and names have a length limit.
        return self._folder / content[:24]

    def path(self, content: str) -> Path | None:
        """Return the folder of a bot; None if the bot is not in the cache. Remove the folder if it was changed."""
        path = self._place(content)
        if wrong := wrong_with_copy(path, content):
            if path.is_dir():
                logging.getLogger(__name__).warning("The bot in %s %s. It is downloaded again.", path, wrong)
                shutil.rmtree(path, ignore_errors=True)
            return None
        os.utime(path)
        return path

    def add(self, content: str, archive: bytes) -> None:
        """Unpack a bot. Several workers of one machine may do this at the same time."""
        self._folder.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=self._folder, prefix="."))
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            for info in opened.infolist():
                target = Path(opened.extract(info, temporary))
                if not info.is_dir():
                    target.chmod(0o700 if info.external_attr >> 16 & 0o100 else 0o600)
        try:
            temporary.rename(self._place(content))
        except OSError:
            # Another worker has stored this bot already.
            shutil.rmtree(temporary, ignore_errors=True)
        self._prune()

    def _prune(self) -> None:
        found = [path for path in self._folder.iterdir() if not path.name.startswith(".")]
        found.sort(key=lambda path: path.stat().st_mtime)
        for path in found[: max(0, len(found) - self._most)]:
            shutil.rmtree(path, ignore_errors=True)


def pack(path: Path) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(path))
    return stream.getvalue()


def cache_folder() -> Path:
    return Path(os.environ.get(CACHE_VARIABLE) or files.cache_folder() / "worker")


@dataclass(frozen=True, slots=True)
class RemoteReferee:
    """Plays matches of one tournament on a worker. The organizer sends it there as a pickle.

    Attributes:
        entries: Maps a content hash to the path of the bot's file within its folder ("." for the folder itself), or to
            the reference of a built-in bot.
        reference: The speed of the machine for which the clocks are meant (see `speed.measure`); 0 to leave the
            clocks unchanged.
        rules: The hash of the game's rules (see `rules_of`); empty to accept any rules.
    """

    settings: MatchSettings
    entries: Mapping[str, str] = field(default_factory=dict)
    reference: float = 0.0
    arena: str = __version__
    rules: str = ""

    def play(self, spec: MatchSpec, attempt: int, archives: Mapping[str, bytes]) -> RemoteResult:
        from arena.match.lookup import find_game

        game = find_game(self.settings.game)
        self._check_programs(game)
        factor = self._clock_factor()
        cache = BotCache(cache_folder())
        for content, archive in archives.items():
            if cache.path(content) is None:
                cache.add(content, archive)
        found = {seat.hash: self._place(cache, seat.hash) for seat in spec.seats}
        if missing := tuple(content for content, path in found.items() if path is None):
            return RemoteResult(None, missing=missing, worker=_worker())
        paths = {content: str(path) for content, path in found.items()}
        with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
            replay = Path(folder) / f"{spec.match_id}.arena"
            settings = replace(self.settings, clock=tuple(stretched(dict(self.settings.clock), factor).items()))
            matches = RefereeMatches(
                settings, paths, lambda _: replay, game.map_option, game.load_map,
                cpu=worker_cpu(), servers=_servers(game.name),
            )  # fmt: skip
            with forwarded(spec.match_id, replay):
                result = replace(matches.start(spec, attempt).wait(), clock_factor=factor)
            data = replay.read_bytes() if replay.exists() else b""
            return RemoteResult(result, data, worker=_worker(), address=_address())

    def _check_programs(self, game: GameSpec) -> None:
        found = []
        if self.arena != __version__:
            found.append(f"Arena {__version__}, not {self.arena}")
        if self.rules and self.rules != (own := rules_of(game)):
            found.append(f"other rules of {game.name} ({own}, not {self.rules})")
        if found:
            message = f"The worker {_worker()} gets no matches: it has {' and '.join(found)}."
            raise UnsuitableMachineError(message, _address())

    def _clock_factor(self) -> float:
        try:
            return clock_factor(self.reference, own_speed()) if self.reference else 1.0
        except UnsuitableMachineError as error:
            raise UnsuitableMachineError(str(error), _address()) from None

    def _place(self, cache: BotCache, content: str) -> Path | str | None:
        entry = self.entries[content]
        if entry.startswith("builtin:"):
            return entry
        path = cache.path(content)
        return path / entry if path else None


def order(remote: Remote, spec: MatchSpec, attempt: int, archives: Mapping[str, bytes]) -> bytes:
    return pickle.dumps((remote, spec, attempt, dict(archives)))


def answer(order: bytes) -> bytes:
    """Play a match on a worker, and return a packed `RemoteResult`.

    A worker runs what the organizer sends, so the order is a pickle. The answer is none. Expected errors are a part of
    the answer, since Dask would print tracebacks.
    """
    remote, spec, attempt, archives = pickle.loads(order)
    try:
        result: RemoteResult = remote.play(spec, attempt, archives)
    except (ArenaError, UnsuitableMachineError) as error:
        logging.getLogger(__name__).warning("%s", error)
        result = RemoteResult(None, address=_address(), failure=Failure.of(error))
    return result.packed()


@lru_cache(maxsize=1)
def _servers(game: str) -> ForkServers:
    """Return the fork servers of this worker, which run until the worker ends."""
    return ForkServers(game)


def worker_cpu() -> int | None:
    text = os.environ.get(CPU_VARIABLE, "")
    return int(text) if text else None


def _address() -> str:
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


def _worker() -> str:
    return f"{os.uname().nodename}:{os.getpid()}"
