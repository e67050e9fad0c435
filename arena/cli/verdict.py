"""``arena verdict``: check a bot, compare it with an opponent, and explain a loss, within a minute."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic

import click

from arena.cli.extras import needs_contest
from arena.cli.options import AS_JSON, AT_ONCE, IN_MEMORY, MAPS, OPTIONS, FiniteRange
from arena.cli.output import Progress, print_json, say, say_quoting, warn_of_hidden_files
from arena.errors import ExitCode

MOST_GAMES = 100
CHECKING = EXPLAINING = 0.25
"""The shares of the time for the check, and for the explanation of a loss. The games have the rest."""
LONGEST_EXPLANATION = 10.0
"""Seconds. Chosen, not measured: enough for the first lesson of a match of each game that comes with Arena."""
STARTING = 5.0
"""Seconds that an explanation takes beside its budget: its processes start, and the last round of playouts ends."""
EPILOG = """\b
Examples:
  arena verdict saloon my_bot --against builtin:pianist
  arena verdict saloon my_bot --against old_bot --seed monday --json

Exit codes: 0 played, whoever is stronger; 1 the bot failed the check; 3 no such game; 4 bad option; 5 bad bot; 6 the
folder climb/ cannot be written; 19 an extra is not installed; 22 the bot could not be built; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("game")
@click.argument("bot")
@click.option("--against", metavar="OTHER", required=True, help="Play against this bot.")
@click.option("--seconds", type=FiniteRange(5), default=60.0, show_default=True, help="Take at most this long.")
@click.option("--seed", default="climb", show_default=True, help="Use this seed. The same seed gives the same matches.")
@OPTIONS
@MAPS
@AT_ONCE
@IN_MEMORY
@AS_JSON
@needs_contest("A verdict")
def command(
    game: str,
    bot: str,
    against: str,
    seconds: float,
    seed: str,
    options: tuple[str, ...],
    maps: tuple[str, ...],
    at_once: int,
    in_memory: bool,
    as_json: bool,
) -> int:
    """Say in a minute whether BOT works, whether it is stronger than OTHER in GAME, and what it did wrong.

    The bot must keep to the protocol. Then it plays pairs of games with swapped seats, until a sequential test decides,
    for 100 games at most. Copies of OTHER have all other seats. Last, a lost game is explained.

    The games are those of `arena climb`, and kept in its folder: the same command plays on where it stopped.
    """
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.bots.builtin import BUILTIN, builtin_bot_of
    from arena.cli.climb import games_shown
    from arena.cli.explain import explain_replay
    from arena.cli.settings import ladder_settings
    from arena.contests.strength.climb import TEST, Climber, load_boss
    from arena.contests.strength.climb_report import RungReport
    from arena.contests.strength.verdict import Verdict, lessons_of
    from arena.match.lookup import find_game, options_for, refuse_cooperative
    from arena.play.referee.prepared import check_in_memory

    begin = monotonic()
    spec = find_game(game)
    refuse_cooperative(spec, "A verdict")
    settings, players = ladder_settings(spec, options, maps)
    unbuilt = load_bot(bot, spec)
    if in_memory:
        check_in_memory(unbuilt)
        check_in_memory(load_bot(against, spec))
    loaded = built(unbuilt, partial(say_quoting, err=True))
    warn_of_hidden_files([loaded])
    boss = load_boss(spec, against)
    climber = Climber.of(loaded, bot, settings, players, seed, Path("climb") / spec.name, at_once, in_memory=in_memory)
    check = None
    if not in_memory and not loaded.is_brought:
        from arena.study.checks.client import SHORT_FIRST, check_client

        resolved = options_for(spec, dict(settings.options), players)
        check = check_client(loaded, spec, resolved, scenarios=SHORT_FIRST, seconds=CHECKING * seconds)
    verdict = Verdict(
        spec.name, spec.title, spec.version, loaded.name, loaded.content_hash, boss.name, players, seed, check, None
    )
    if check is None or check.passed:
        progress = Progress()
        # Without a terminal it says nothing: whoever waits a minute needs no more words.
        show = games_shown(progress, MOST_GAMES) if sys.stderr.isatty() else None
        until = begin + (1 - EXPLAINING) * seconds
        result = climber.play(boss, MOST_GAMES, TEST, show, until)
        progress.clear()
        boss_doc = builtin_bot_of(spec, against) if against.startswith(BUILTIN) else None
        verdict = replace(verdict, rung=RungReport.of(result, boss_doc))
        loss = result.loss
        left = min(LONGEST_EXPLANATION, begin + seconds - STARTING - monotonic())
        if left >= 1 and loss is not None and not loss.result.players[loss.seat].failed:
            explanation = explain_replay(loss.replay, loss.seat, left)
            summary, lessons = explanation["summary"][loss.seat], lessons_of(explanation, loss.seat)
            verdict = replace(verdict, summary=summary, lessons=lessons)
    verdict = replace(verdict, seconds=round(monotonic() - begin, 1))
    if as_json:
        print_json(verdict.to_document())
    else:
        for line in verdict.lines():
            say(line)
    return ExitCode.DIFFERENCE if verdict.rung is None else ExitCode.OK
