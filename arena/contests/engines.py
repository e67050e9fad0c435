"""Engines play the matches of contests.

Arena's own engine, `local`, plays in processes of this machine. A distribution adds another one by an entry point:

    [project.entry-points."arena.engines"]
    NAME = "package.module:function"

With `--engine NAME --engine-option NAME=VALUE`, the commands call this function with the `Workload` and the options,
and get an `Engine`. The engine has each match played by a `LocalReferee` on some machine, writes the replay to
`Workload.replay_of`, and returns what `Workload.accept` returns. If a machine is lost, the engine plays its matches
again: the future of a match fails only if the match itself cannot be played.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from arena.contests.journal.files import temporary_replay_path
from arena.contests.queue.copies import copy_path
from arena.contests.queue.evidence import rules_of
from arena.contests.queue.local import physical_cores
from arena.contests.queue.queue import Engine, MatchEngine
from arena.contests.queue.referee_match import RefereeMatches
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec
from arena.play.referee.match_process import ForkServers

__all__ = [
    "Engine",
    "EngineFactory",
    "LocalReferee",
    "MatchEngine",
    "Workload",
    "find_engine",
    "physical_cores",
    "rules_of",
]
GROUP = "arena.engines"
LOCAL = "local"
"""The name of Arena's own engine."""


class Workload:
    """The matches of a contest, for an engine that plays them elsewhere."""

    def __init__(self, matches: RefereeMatches, folder: Path) -> None:
        self._matches = matches
        self._folder = folder

    @property
    def settings(self) -> MatchSettings:
        """What all matches share. `LocalReferee.play` needs it; it can be pickled."""
        return self._matches.settings

    @property
    def game(self) -> GameSpec:
        """The game of all matches."""
        return find_game(self.settings.game)

    def bot(self, content: str) -> tuple[Path | None, str]:
        """Return the folder with a bot's copy, and the path of the bot in it; for a built-in bot, None and a reference.

        Args:
            content: The content hash of the bot, as in `MatchSpec.seats`.
        """
        path, copy = Path(self._matches.paths[content]), self._folder / copy_path(content)
        return (copy, str(path.relative_to(copy))) if path.is_relative_to(copy) else (None, str(path))

    def replay_of(self, match_id: str) -> Path:
        """Return where to write the replay of a match before its result is returned. The folder need not exist."""
        return temporary_replay_path(self._folder, match_id)

    def accept(self, spec: MatchSpec, result: MatchResult) -> MatchResult:
        """Check a result against its replay, and return it in its final form.

        Raises:
            ArenaError: The result or the replay is not that of the match.
        """
        return self._matches.accept(spec, result)


class EngineFactory(Protocol):
    """What the entry point of an engine names."""

    def __call__(self, workload: Workload, options: Mapping[str, str], /) -> Engine:
        """Return the engine.

        Raises:
            ArenaError: An option is missing, unknown or wrong, or the machines cannot be reached.
        """
        ...


class LocalReferee:
    """Plays matches in processes of the machine on which it is, for an engine that is perhaps on another one.

    Args:
        game: The name of the game.
        cpu: The processor for all matches; None for any.

    Raises:
        ArenaError: The game is not installed here.
    """

    def __init__(self, game: str, cpu: int | None = None) -> None:
        self._game = find_game(game)
        self._cpu = cpu
        self._servers = ForkServers(game)

    def play(self, settings: MatchSettings, spec: MatchSpec, bots: Mapping[str, str], replay: Path) -> MatchResult:
        """Play a match to its end.

        Args:
            settings: From the `Workload`.
            spec: The match.
            bots: The path of each bot here, or the reference of a built-in bot, by content hash.
            replay: Where to write the replay.

        Raises:
            ArenaError: The match cannot be played.
        """
        game = self._game
        matches = RefereeMatches(
            settings, bots, lambda _: replay, game.map_option, game.load_map, cpu=self._cpu, servers=self._servers
        )
        return matches.start(spec, 0).wait()


def find_engine(name: str) -> EngineFactory:
    """Return the engine of another distribution.

    Raises:
        ArenaError: No installed distribution has this engine.
    """
    from importlib.metadata import entry_points

    engines = {point.name: point for point in entry_points(group=GROUP)}
    if name not in engines:
        raise ArenaError(
            f"There is no engine {name}. Installed engines: {', '.join(sorted([LOCAL, *engines]))}.",
            hint="The distribution arena-cluster brings the engine dask.",
            exit_code=ExitCode.NOT_INSTALLED,
        )
    factory: EngineFactory = engines[name].load()
    return factory
