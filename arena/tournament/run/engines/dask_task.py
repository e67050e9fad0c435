"""What runs on a worker: a match, with bots that came by their content hash, and a replay that goes back as bytes."""

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from arena.match.result import MatchResult
from arena.referee.client import ForkServers
from arena.tournament.plan.config import TournamentConfig
from arena.tournament.plan.values import MatchSpec
from arena.tournament.run.engines.dask_live import forwarded
from arena.tournament.run.engines.referee_match import RefereeMatches
from arena.tournament.run.engines.speed import UnsuitableMachineError, clock_factor, own_speed, stretched

CACHE_VARIABLE = "ARENA_WORKER_CACHE"
CPU_VARIABLE = "ARENA_WORKER_CPU"
_MOST_BOTS = 200


@dataclass(frozen=True, slots=True)
class RemoteResult:
    """What comes back from a worker.

    Attributes:
        result: The result of the match; None when bots were missing.
        replay: The bytes of the replay.
        missing: Hashes of bots that the worker must be given first.
        worker: The worker's host and process, for errors.
    """

    result: MatchResult | None
    replay: bytes = b""
    missing: tuple[str, ...] = ()
    worker: str = ""


class BotCache:
    """Bots on the worker's own disk, by content hash; the longest unused go first.

    Args:
        folder: Where they are kept.
        most: How many are kept.
    """

    def __init__(self, folder: Path, most: int = _MOST_BOTS) -> None:
        self._folder = folder
        self._most = most

    def _place(self, content: str) -> Path:
        # Short enough to be a bot's name, which the folder's is where the bot has none.
        return self._folder / content[:24]

    def path(self, content: str) -> Path | None:
        """Return the folder of a bot, or None where it must be fetched."""
        path = self._place(content)
        if not path.is_dir():
            return None
        os.utime(path)
        return path

    def add(self, content: str, archive: bytes) -> None:
        """Unpack a bot; several workers of one machine may do that at once."""
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
            # Another worker was quicker.
            shutil.rmtree(temporary, ignore_errors=True)
        self._prune()

    def _prune(self) -> None:
        found = [path for path in self._folder.iterdir() if not path.name.startswith(".")]
        found.sort(key=lambda path: path.stat().st_mtime)
        for path in found[: max(0, len(found) - self._most)]:
            shutil.rmtree(path, ignore_errors=True)


def pack(path: Path) -> bytes:
    """Return a bot's folder as an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(path))
    return stream.getvalue()


def cache_folder() -> Path:
    """Return where this worker keeps bots."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "arena" / "worker"


@dataclass(frozen=True, slots=True)
class RemoteReferee:
    """Plays matches of one tournament on a worker; travels there by value.

    Attributes:
        config: Clocks, policies, isolation, options; the clock is complete.
        entries: Content hash to the file within the bot's folder that it is entered as ("" for the folder).
        reference: The speed of the machine for which the clocks are meant (see `speed.measure`); 0 to leave the
            clocks as they are.
    """

    config: TournamentConfig
    entries: Mapping[str, str] = field(default_factory=dict)
    reference: float = 0.0

    def play(self, spec: MatchSpec, attempt: int, archives: Mapping[str, bytes]) -> RemoteResult:
        """Play a match, or says which bots are missing.

        Raises:
            UnsuitableMachineError: This worker is too slow or too fast for the tournament.
        """
        from arena.lookup import find_game

        factor = self._clock_factor()
        cache = BotCache(cache_folder())
        for content, archive in archives.items():
            if cache.path(content) is None:
                cache.add(content, archive)
        found = {seat.hash: self._place(cache, seat.hash) for seat in spec.seats}
        if missing := tuple(content for content, path in found.items() if path is None):
            return RemoteResult(None, missing=missing, worker=_worker())
        paths = {content: str(path) for content, path in found.items()}
        game = find_game(self.config.game)
        with tempfile.TemporaryDirectory(prefix="arena-match-") as folder:
            replay = Path(folder) / f"{spec.match_id}.arena"
            config = replace(self.config, clock=tuple(stretched(dict(self.config.clock), factor).items()))
            matches = RefereeMatches(
                config, paths, lambda _: replay, game.map_option, game.load_map,
                cpu=worker_cpu(), servers=_servers(game.name),
            )  # fmt: skip
            with forwarded(spec.match_id, replay):
                result = replace(matches.start(spec, attempt).wait(), clock_factor=factor)
            return RemoteResult(result, replay.read_bytes() if replay.exists() else b"", worker=_worker())

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


@lru_cache(maxsize=1)
def _servers(game: str) -> ForkServers:
    """Return the fork servers of this worker; they serve it until it ends."""
    return ForkServers(game)


def worker_cpu() -> int | None:
    """Return the processor that this worker's matches are pinned to, or None."""
    text = os.environ.get(CPU_VARIABLE, "")
    return int(text) if text else None


def _address() -> str:
    """Return the scheduler's name for this worker; empty outside of one."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""


def _worker() -> str:
    return f"{os.uname().nodename}:{os.getpid()}"
