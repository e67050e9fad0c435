"""Train players for every game: observations and actions from the schema, environments, datasets, policies.

    import arena_learn

    env = arena_learn.aec("saloon", max_turns=96)
    env.reset(seed=1)

Nothing is imported until it is used, so that a bot in the sandbox starts fast and needs only NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from arena.game import GameSpec
    from arena_learn.benchmarks.measuring import Benchmark
    from arena_learn.environments.aec import ArenaAEC
    from arena_learn.environments.matches import Sandboxed
    from arena_learn.environments.parallel import ArenaParallel
    from arena_learn.environments.single import ArenaSeat
    from arena_learn.environments.vector import ArenaVector
    from arena_learn.spaces.layout import Layout

__all__ = ["aec", "benchmark", "layout", "parallel", "register", "sandboxed", "seat", "vector"]


def aec(game: str | GameSpec, **settings: Any) -> ArenaAEC:
    """Return the PettingZoo environment of a game in which one agent acts at a time.

    Args:
        game: The game, or its name.
        **settings: `arena_learn.environments.play.Settings`, and options of the game such as ``players``.

    Raises:
        ArenaError: There is no such game, an option is wrong, or a package is not installed.
    """
    _need_environments()
    from arena_learn.environments.aec import ArenaAEC

    return ArenaAEC(game, **settings)


def benchmark(version: str) -> Benchmark:
    """Return a benchmark: games, options, opponents and seeds that never change. `Benchmark.measure` plays it.

    Args:
        version: The version, such as ``2026.1``.

    Raises:
        ArenaError: There is no such version, or an installed game or opponent differs from those of the benchmark.
    """
    from arena_learn.benchmarks.measuring import Benchmark

    return Benchmark(version)


def parallel(game: str | GameSpec, **settings: Any) -> ArenaParallel:
    """Return the PettingZoo environment of a game in which all agents act at once.

    Args:
        game: The game, or its name.
        **settings: As for `aec`.

    Raises:
        ArenaError: There is no such game, an option is wrong, or a package is not installed.
    """
    _need_environments()
    from arena_learn.environments.parallel import ArenaParallel

    return ArenaParallel(game, **settings)


def seat(game: str | GameSpec, opponents: Any = (), *, seat: int | None = 0, **settings: Any) -> ArenaSeat:
    """Return the Gymnasium environment of one seat of a game.

    Args:
        game: The game, or its name.
        opponents: Who plays on the other seats, as for `ArenaSeat`; by default the weakest built-in bot.
        seat: The seat; None for each seat in turn.
        **settings: As for `aec`.

    Raises:
        ArenaError: There is no such game or bot, an option is wrong, or a package is not installed.
    """
    _need_environments()
    from arena_learn.environments.single import ArenaSeat

    return ArenaSeat(game, opponents, seat=seat, **settings)


def sandboxed(bot: str | Path) -> Sandboxed:
    """Return an opponent for `seat` that plays in a process of its own, in a sandbox if this machine has one.

    Args:
        bot: A file, a folder or ``builtin:NAME``. It can be in any language, and you need not trust it.
    """
    from arena_learn.environments.matches import Sandboxed

    return Sandboxed(bot)


def vector(
    game: str,
    num_envs: int,
    opponents: Any = (),
    *,
    workers: int | None = None,
    autoreset_mode: str = "NextStep",
    **settings: Any,
) -> ArenaVector:
    """Return many seats that play at the same time, in processes with shared memory.

    Args:
        game: The name of the game. Each process loads it.
        num_envs: How many matches are played at the same time.
        opponents: As for `seat`. They must be names, or values that can be sent to a process.
        workers: How many processes play; by default one for each processor, at most one for each match.
        autoreset_mode: ``NextStep``, ``SameStep`` or ``Disabled``, as in Gymnasium.
        **settings: As for `seat`.

    Raises:
        ArenaError: There is no such game or bot, an option is wrong, or a package is not installed.
    """
    _need_environments()
    from arena_learn.environments.vector import ArenaVector

    return ArenaVector(game, num_envs, opponents, workers=workers, autoreset_mode=autoreset_mode, settings=settings)


def layout(game: str | GameSpec, **options: Any) -> Layout:
    """Return what each number of an observation and of an action means in a game with these options.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """
    from arena_learn.spaces.making import layout_of

    return layout_of(game, **options)


def register() -> None:
    """Register the environments of all installed games: ``pettingzoo.make("aec", "arena/saloon-v0")``.

    The same names work with ``pettingzoo.make("parallel", ...)`` and ``gymnasium.make(...)``.

    Raises:
        ArenaError: A package is not installed.
    """
    _need_environments()
    from arena_learn.environments.registration import register_all

    register_all()


def _need_environments() -> None:
    from arena_learn.needs import need

    need("environments", "An environment")
