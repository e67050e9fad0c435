"""Fork random replays at random places, and check that each fork plays to an end, verifies, and names its parent.

    python tests/stats/forks.py [FORKS] [--seed N]

FORKS (1,000 by default) is the number for each game. Every third fork is a fork of a fork. The matches are played in
this process by random legal actions: the state machine, the record and the rules are the real ones. The exit code is 1
if anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "positions"))

from in_memory import play

from arena.match.position import Parent, ReplayPosition
from arena.study.checks.verification import verify
from arena.study.replaying.course import course
from arena.study.replaying.positions import position_at
from arena_replays import Reader

GAMES = ("saloon", "laser_flag", "derelict", "snakes")
FORKS_EACH = 10
"""Forks from one replay; then a new one is played."""


def places_of(replay: Path) -> list[tuple[int, int]]:
    """Return all places of a replay from which a match can start, as turn and action."""
    return [(one.turn, one.action) for one in course(Reader(replay)) if one.state.to_move()]


def fork(parent: Path, child: Path, game: str, rng: Random) -> list[str]:
    """Fork a replay at a random place, and return what is wrong."""
    turn, action = rng.choice(places_of(parent))
    same_dice = rng.random() < 0.3
    start = position_at(ReplayPosition(str(parent), turn, action), same_dice=same_dice)
    result = play(child, game, rng.randrange(2**32), start, len(Reader(parent).header["players"])).result()
    header = Reader(child).header
    wrong = []
    found = verify(child)
    if not found.ok or not found.complete:
        wrong.append(f"does not verify: {found.problem}")
    if found.parent != "verified":
        wrong.append(f"its parent is {found.parent or 'unknown'}")
    if Parent.from_document(header.get("parent")) != Parent(Reader(parent).chain, turn, action, parent.name):
        wrong.append(f"names another parent: {header.get('parent')}")
    if any(player.ending not in ("won", "lost", "drawn") for player in result.players):
        wrong.append(f"did not play to an end: {[player.ending for player in result.players]}")
    return [f"{parent.name}@{turn}.{action}: {one}" for one in wrong]


def forks(game: str, number: int, seed: int, folder: Path) -> list[str]:
    """Fork random replays of a game, and return all that is wrong."""
    rng = Random(f"{seed} {game}")
    wrong: list[str] = []
    parent = child = folder / f"{game}.arena"
    for at in range(number):
        if at % FORKS_EACH == 0:
            play(parent, game, rng.randrange(2**32), players=rng.choice((2, 3, 4)) if game == "snakes" else None)
            child = folder / f"{game}-child.arena"
        if at % 3 == 2:  # the last fork becomes the parent of this one
            grandchild = folder / f"{game}-grandchild.arena"
            if places_of(child):
                wrong += fork(child, grandchild, game, rng)
        else:
            wrong += fork(parent, child, game, rng)
    return wrong


def main() -> int:
    """Fork replays of every game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", nargs="?", type=int, default=1000, metavar="FORKS")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for game in GAMES:
            began = time.monotonic()
            wrong = forks(game, arguments.number, arguments.seed, Path(folder))
            failed += len(wrong)
            print(f"{game}: {arguments.number} forks, {len(wrong)} wrong, {time.monotonic() - began:.0f} s", flush=True)
            for line in wrong[:20]:
                print(f"  {line}")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
