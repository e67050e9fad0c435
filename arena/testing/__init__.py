"""Check a game in its own tests: one call plays random games and checks the whole contract.

In a module of tests:

    from arena.testing import check_game


    def test_contract() -> None:
        check_game(GAME)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.checks.contract.definition import check_definition
from arena.checks.contract.random_games import play_random
from arena.checks.contract.report import RULES, Finding, GameDefect, Ledger, Report
from arena.checks.rulebook import rulebook_problems
from arena.game import GameSpec
from arena.replaying.pinned import pinned_turn

__all__ = ["RULES", "Finding", "GameDefect", "Report", "check_game", "inspect_game", "pinned_turn"]


def check_game(
    game: GameSpec,
    *,
    games: int | None = None,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    seed: int | str = 0,
    limit: int = 20_000,
) -> Report:
    """Check a game against the contract, for use in a test.

    Args:
        game: The game.
        games: How many random games to play. The default is 12, or the number of sets of options if that is larger.
        options: One set of options, or several sets to play in turn. If empty, the sets are: the defaults, each ruleset
            that is not the default, the smallest and the largest number of players, and each map.
        seed: The seed of the random games. The same seed repeats the check.
        limit: The number of actions after which a game must have an outcome.

    Returns:
        The report.

    Raises:
        GameDefect: A rule of the contract is broken. The message lists all findings.
        OptionError: The game does not accept the options.
    """
    report = inspect_game(game, games=games, options=options, seed=seed, limit=limit)
    if not report.good:
        raise GameDefect(report)
    return report


def inspect_game(
    game: GameSpec,
    *,
    games: int | None = None,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    seed: int | str = 0,
    limit: int = 20_000,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Do what `check_game` does, but return a report with findings instead of raising `GameDefect`.

    Args:
        game: The game.
        games: As for `check_game`.
        options: As for `check_game`.
        seed: The seed of the random games. The same seed repeats the check.
        limit: As for `check_game`.
        progress: Called after each game with the number of games played so far.

    Raises:
        OptionError: The game does not accept the options.
    """
    ledger = Ledger()
    given = [options] if isinstance(options, Mapping) else list(options)
    if check_definition(game, ledger):
        for problem in rulebook_problems(game):
            ledger.add("rulebook", problem)
        play_random(game, ledger, games=games, options=given, seed=seed, limit=limit, progress=progress)
    return ledger.report(game.name)
