"""``arena tune``: better values for a bot's parameters."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extending import (
    AS_JSON,
    MAPS,
    OPTIONS,
    did_you_mean,
    game_options,
    needs_contest,
    print_json,
    say,
    say_status,
)
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.game import GameSpec
    from arena_learn.tuning.tuning import State, Tuning

EPILOG = """\b
Examples:
  arena tune saloon my_bot --against builtin:sheriff
  arena tune saloon my_bot --against builtin:sheriff --against builtin:pianist --games 4000
  arena tune snakes "my_bot?depth=4" --only courage

Exit codes: 0 tuned; 3 no such game; 4 an option or a map is wrong; 5 the bot has no parameters, or cannot play in
memory; 6 the state cannot be read or written; 130 interrupted: the same command goes on.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("bot")
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    help="Play against these opponents in turn. Without any, the bot plays against itself with other values.",
)
@click.option("--games", type=click.IntRange(4), default=2000, show_default=True, help="Play about so many games.")
@click.option("--only", multiple=True, metavar="NAME", help="Tune only these parameters.")
@click.option(
    "--pairs", type=click.IntRange(1), default=2, show_default=True, help="The pairs of games of an iteration."
)
@click.option(
    "--test",
    "test_games",
    type=click.IntRange(0),
    default=400,
    show_default=True,
    help="At the end, play so many games between the tuned values and the first ones, on fresh seeds.",
)
@click.option("--seed", default="0", show_default=True, help="Use this seed, to repeat a tuning.")
@click.option(
    "--state",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the state in this file; in tune-GAME-BOT.json if not given.",
)
@OPTIONS
@MAPS
@AS_JSON
@needs_contest("A tuning")
def command(
    game: str,
    bot: str,
    against: tuple[str, ...],
    games: int,
    only: tuple[str, ...],
    pairs: int,
    test_games: int,
    seed: str,
    path: Path | None,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    as_json: bool,
) -> int:
    """Find better values for the parameters in the bot.toml of BOT, a bot for GAME that you trust.

    The bot plays in memory, without a sandbox. Each iteration changes all values a little, in both directions, plays
    the same seeds with both, and moves the values towards the better ones (SPSA). The state is saved after each
    iteration: after Ctrl-C, the same command goes on. At the end, the tuned values play the first ones on fresh seeds.
    """
    from arena.contests.strength import ComparisonReport
    from arena_learn.tuning.games import START, TUNED
    from arena_learn.tuning.tuning import State

    spec = find_game(game)
    loaded = _checked(spec, bot, against)
    tuning = _tuning(spec, loaded, (bot, *against), only, games, pairs, seed, path, options, maps)
    first = tuning.space.start(dict(loaded.settings))
    table = tuning.table
    about = _about(tuning, loaded, against)
    state = State.load(tuning.path, about) or State(about, [first])
    shown = sys.stderr.isatty() and not as_json
    try:
        tuned = tuning.space.settings(tuning.run(state, lambda now: _progress(tuning, now) if shown else None))
        start = tuning.space.settings(first)
        comparison = tuning.test(
            tuned, start, test_games, lambda now: say_status(f"test: {now.games} games") if shown else None
        )
        scores = tuning.scores((tuned, start), test_games // 2) if test_games else {}
    except KeyboardInterrupt:
        if shown:
            say_status()
        say(f"Stopped after {state.games} games. The same command goes on.", err=True)
        return ExitCode.INTERRUPTED
    finally:
        if table.open_players is not None:
            table.open_players.close()
    if shown:
        say_status()
    report = ComparisonReport.of(comparison, (TUNED, START)) if comparison.games else None
    document: dict[str, Any] = {
        "game": spec.name,
        "bot": loaded.name,
        "games": state.games,
        "iterations": tuning.spsa.iterations,
        "start": start,
        "tuned": tuned,
        "test": report.to_document() if report is not None else None,
        "crashes": table.crashes,
        "against": {other: [round(score, 4) for score in both] for other, both in scores.items()},
    }
    if as_json:
        print_json(document)
        return ExitCode.OK
    say(f"{loaded.name}: {state.games} games, {tuning.spsa.iterations} iterations")
    width = max(len(name) for name in tuned)
    for name, value in tuned.items():
        say(f"  {name:{width}}  {start[name]} -> {value}")
    say()
    if report is not None:
        for line in report.lines():
            say(line)
    for other, (better, before) in document["against"].items():
        say(f"Score against {other}: {100 * better:.1f} % tuned, {100 * before:.1f} % before")
    if table.crashes:
        say(f"{len(table.crashes)} games were lost by a crash, the last one by {table.crashes[-1]}")
    query = "&".join(f"{name}={value}" for name, value in tuned.items())
    say(f'Write the values into bot.toml, or play: "{bot.partition("?")[0]}?{query}"')
    return ExitCode.OK


def _checked(spec: GameSpec, bot: str, against: tuple[str, ...]) -> Bot:
    """Return the bot, if it can be tuned in this game."""
    from arena.bots.bot import load_bot

    if spec.state.cooperative or 2 not in spec.player_counts:
        raise ArenaError(
            f"A tuning plays games of two against each other, and {spec.name} is not one.",
            exit_code=ExitCode.BAD_OPTION,
        )
    loaded = load_bot(bot, spec)
    loaded_bots = {bot: loaded} | {reference: load_bot(reference, spec) for reference in against}
    for reference, player in loaded_bots.items():
        if not player.entry and (reference == bot or not player.is_brought):
            raise ArenaError(
                f"{reference} is no bot in Python, so it cannot play in memory.", exit_code=ExitCode.BAD_BOT
            )
    if not loaded.parameters:
        raise ArenaError(
            f"{bot} has no parameters to tune.",
            hint="Declare them in bot.toml: [parameters] courage = { value = 0.5, low = 0, high = 1 }",
            exit_code=ExitCode.BAD_BOT,
        )
    return loaded


def _tuning(
    spec: GameSpec,
    loaded: Bot,
    references: tuple[str, ...],
    only: tuple[str, ...],
    games: int,
    pairs: int,
    seed: str,
    path: Path | None,
    options: tuple[str, ...],
    maps: tuple[str, ...],
) -> Tuning:
    from arena.bots.bot import split_reference
    from arena.bots.players import OpenPlayers
    from arena_learn.tuning.games import Table
    from arena_learn.tuning.spsa import Spsa
    from arena_learn.tuning.tuning import Space, Tuning

    names = [parameter.name for parameter in loaded.parameters]
    for name in only:
        if name not in names:
            raise ArenaError(
                f"{references[0]} has no parameter {name}{did_you_mean(name, names)}.", exit_code=ExitCode.BAD_OPTION
            )
    given = game_options(spec, options, None)
    for name in maps:
        game_options(spec, (), name)
    if len(spec.player_counts) > 1:
        given = {"players": 2, **given}
    tuned = tuple(parameter for parameter in loaded.parameters if not only or parameter.name in only)
    tuned_names = {parameter.name for parameter in tuned}
    fixed = tuple((name, value) for name, value in loaded.settings if name not in tuned_names)
    table = Table(
        spec,
        split_reference(references[0])[0],
        references[1:],
        tuple(given.items()),
        maps,
        fixed=fixed,
        seed=seed,
        open_players=OpenPlayers(spec.name),
    )
    iterations = max(1, games // table.games_of(pairs))
    return Tuning(
        table, Space(tuned), Spsa(iterations, seed=seed), pairs, path or Path(f"tune-{spec.name}-{loaded.name}.json")
    )


def _about(tuning: Tuning, loaded: Bot, against: tuple[str, ...]) -> dict[str, Any]:
    """Return what makes a tuning this one, with the names by which a message calls it."""
    return {
        "the game": [tuning.table.game.name, tuning.table.game.version],
        "the bot": [loaded.name, loaded.content_hash, [list(pair) for pair in loaded.settings]],
        "the parameters": [[one.name, one.low, one.high, one.step, one.value] for one in tuning.space.parameters],
        "the opponents": list(against),
        "the options": [list(pair) for pair in tuning.table.options],
        "the maps": list(tuning.table.maps),
        "the seed": tuning.table.seed,
        "the number of games": [tuning.spsa.iterations, tuning.pairs],
    }


def _progress(tuning: Tuning, state: State) -> None:
    values = tuning.space.settings(state.history[-1])
    shown = ", ".join(f"{name} {value}" for name, value in values.items())
    say_status(f"{len(state.history) - 1} of {tuning.spsa.iterations} iterations, {state.games} games: {shown}")
