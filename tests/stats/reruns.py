"""Play matches of built-in bots, rerun all of them, and count the differences. There must be none.

    python tests/stats/reruns.py [MATCHES] [--seed N]

MATCHES (100 by default) is the number for each game. Both players of each match are rerun. The exit code is 1 if a bot
does anything else than was recorded.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from arena.bots.bot import load_bot
from arena.game import GameSpec
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.play.referee.match_process import ForkServer, MatchProcess
from arena.study.replaying.rerun import MatchRecord, rerun
from arena_replays import Reader

GAMES = ("saloon", "laser_flag", "derelict", "snakes")


def reruns(name: str, number: int, seed: int, folder: Path, *, most_turns: int | None = None) -> tuple[list[str], int]:
    """Play matches of a game, rerun both players of each, and return what differs and how many turns were compared."""
    game: GameSpec = find_game(name)
    rng = Random(f"{seed} {name}")
    server = ForkServer(name)
    wrong, turns = [], 0
    try:
        for match in range(number):
            seats = tuple(SeatAssignment(f"builtin:{rng.choice(game.bots).name}") for _ in range(2))
            replay = folder / f"{name}-{match}.arena"
            job = Job(name, seats, seed=rng.randrange(2**32), leg=match % 2, replay=str(replay))
            with MatchProcess(job, server) as process:
                process.wait()
            recorded = MatchRecord.of(Reader(replay))
            for player, seat in enumerate(seats):
                bot = load_bot(seat.bot, game)
                found = rerun(recorded, player, bot, last_turn=most_turns, check_noise=False)
                turns += found.turns
                wrong += [f"{replay.name}, {seat.bot} as player {player}: {one}" for one in found.differences]
            replay.unlink()
    finally:
        server.close()
    return wrong, turns


def main() -> int:
    """Rerun matches of all games, and print the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("matches", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = False
    for game in GAMES:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            wrong, turns = reruns(game, arguments.matches, arguments.seed, Path(folder))
        seconds = time.monotonic() - begin
        print(f"{game}: {arguments.matches} matches, {turns} turns, {len(wrong)} differences, {seconds:.0f} s")
        for one in wrong[:10]:
            print(f"  {one}")
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
