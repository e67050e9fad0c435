"""``arena policy``: look at trained weights before they are handed in."""

from __future__ import annotations

from pathlib import Path

import click

from arena.bots.bot import LARGEST_ARCHIVE, load_bot
from arena.cli.extending import AS_JSON, print_json, say
from arena.errors import ArenaError, ExitCode
from arena.match.ending import REGULAR
from arena.match.lookup import find_game
from arena.testing import play_match
from arena_learn.policies.network import Policy, PolicyError
from arena_learn.policies.new_bot import POLICY

EPILOG = """\b
Examples:
  arena policy check my_bot            # before it is handed in

Exit codes: 0 it can play; 3 no such game; 5 no policy, a policy for another game or other rules, or too large;
8 the bot does not start in time, or does not play a match to its end.
"""
ROOM = 0.5
"""A start that takes more of the limit is called slow."""


@click.group()
def command() -> None:
    """Check trained weights before a bot is handed in."""


@command.command("check", epilog=EPILOG, short_help="Check that a policy fits the rules and can play.")
@click.argument("bot", type=click.Path(path_type=Path, exists=True, file_okay=False))
@AS_JSON
def check_command(bot: Path, as_json: bool) -> None:
    """Check that the policy in the folder BOT fits the installed rules, and that the bot is small and starts fast.

    It plays a match against itself, in a sandbox if this machine has one.
    """
    path = bot / POLICY
    try:
        policy = Policy.load(path)
        game = find_game(policy.layout.game)
        loaded = load_bot(bot)
        Policy.load(path, game=loaded.game, schema=game.schema()["hash"])
    except PolicyError as error:
        raise ArenaError(str(error), exit_code=ExitCode.BAD_BOT) from None
    if loaded.size > LARGEST_ARCHIVE:
        raise ArenaError(
            f"{bot} has {loaded.size / 2**20:.0f} MiB, and an archive at most {LARGEST_ARCHIVE / 2**20:.0f}.",
            hint="Train a smaller network, or save it in half precision.",
            exit_code=ExitCode.BAD_BOT,
        )
    result = play_match(game.name, [bot] * policy.layout.players, seed=1, options=policy.layout.options)
    failed = next((one for one in result.players if one.ending not in REGULAR), None)
    if failed is not None:
        raise ArenaError(
            f"{bot} does not play a match to its end: {', '.join(filter(None, (failed.ending, failed.detail)))}.",
            hint=failed.stderr.strip().rpartition("\n")[2],
            exit_code=ExitCode.NO_START,
        )
    limit = game.clock.startup
    numbers = sum(one.size for one in policy.weights)
    if as_json:
        print_json(
            {
                "policy": str(path),
                "game": game.name,
                "version": policy.layout.version,
                "weights": numbers,
                "bytes": loaded.size,
                "most_bytes": LARGEST_ARCHIVE,
                "start": result.seconds.start,
                "longest_start": limit,
            }
        )
    else:
        say(f"{path} is a policy for {game.name} {policy.layout.version} with {numbers} weights.")
        room = LARGEST_ARCHIVE / 2**20
        say(f"{loaded.size / 2**20:.1f} MiB of {room:.0f}; start in {result.seconds.start:.2f} s of {limit:g} s.")
    if result.seconds.start > ROOM * limit:
        say("This start is slow, and the machine of a contest can be slower. Load less in `start`.", err=True)
