"""Play many matches against hostile bots drawn at random, and check that no other bot suffers.

``python tests/stats/hostile_matches.py [MATCHES] [LEVEL] [SEED] [GROUP] [BUSY]``. In every match the
hostile bot sits on a random seat. The opponent may lose by the rules of the game only, and no match may end without a
result. A match that other programs of the machine made void is played again, as in a contest, and then the late seat
loses.

With a group of scenarios, such as ``waits``, each of them plays in turn. BUSY is the number of other programs that
compute on each processor.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from arena.game import Clock
from arena.match.ending import REGULAR
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.match.void import HOST_LATE
from arena.play.referee.match_process import play_in_process

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "hostile"), str(TESTS / "bots")]

import scenarios  # noqa: E402 - beside the tests
from playing import hogs_on_every_processor  # noqa: E402

SMALL = {"width": 8, "height": 6, "max_turns": 12}
CLOCK = Clock(startup=1.5, bank=None, increment=0.0, turn=0.3, grace=0.02)
REPLAYS = 2
"""As `void_replays` of a contest."""
OPPONENT = TESTS / "hostile" / "opponent.py"


def main(count: int, level: int, seed: int, only: str = "", busy: int = 0) -> int:
    """Play the matches; return 1 if an opponent suffered."""
    rng = random.Random(seed)
    groups = [scenarios.GROUPS[only]] if only else scenarios.GROUPS.values()
    every = [one for group in groups for one in group if one.level in (None, level)]
    endings: Counter[str] = Counter()
    growth: list[tuple[int, str]] = []
    problems = []
    voids: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, hogs_on_every_processor(busy):
        folder = Path(name)
        (folder / "peer.py").write_text((TESTS / "hostile" / "peer.py").read_text())
        for number in range(count):
            scenario, seat = every[number % len(every)] if only else rng.choice(every), rng.randrange(2)
            try:
                result = play(folder, scenario, seat, level, number)
                for _ in range(REPLAYS):
                    if result.outcome.reason == HOST_LATE:
                        voids[scenario.name] += 1
                        result = play(folder, scenario, seat, level, number)
            except Exception as error:
                problems.append(f"{number} {scenario.name}: no result: {error!r}")
                continue
            result = result.without_void()
            endings[result.players[seat].ending] += 1
            growth.append((result.memory_growth, scenario.name))
            if wrong := suffered(result, 1 - seat):
                problems.append(f"{number} {scenario.name} on seat {seat}: {wrong}")
    print(f"{count} matches at L{level}, {len(every)} hostile bots; endings of theirs: {dict(endings.most_common())}")
    print(f"{voids.total()} times other programs made a match void: {dict(voids.most_common())}")
    growth.sort(reverse=True)
    print(f"memory growth of the referee: median {growth[len(growth) // 2][0]} bytes; worst: {growth[:5]}")
    print(*problems, f"{len(problems)} problems", sep="\n")
    return int(bool(problems))


def play(folder: Path, scenario: scenarios.Scenario, seat: int, level: int, number: int) -> MatchResult:
    """Play one match, with the hostile bot on a seat."""
    hostile = folder / "hostile.py"
    hostile.write_text(scenario.source)
    bots = (hostile, OPPONENT) if seat == 0 else (OPPONENT, hostile)
    job = Job(
        game="saloon",
        seats=tuple(SeatAssignment(str(bot)) for bot in bots),
        options=SMALL,
        seed=number,
        clock=replace(CLOCK, turn=scenario.turn),
        replay=str(folder / "m.arena"),
        max_isolation=level,
        require_isolation=level,
    )
    return play_in_process(job)


def suffered(result: MatchResult, opponent: int) -> str:
    """Return how the opponent suffered; empty where it won, drew, or lost by the rules."""
    player = result.players[opponent]
    if not result.has_verdict:
        return f"no verdict: {result.outcome.reason}"
    if player.ending not in REGULAR:
        return f"{player.ending}: {player.detail}"
    by_forfeit = result.outcome.reason == "forfeit"
    return "lost by forfeit" if by_forfeit and player.ending != "won" else ""


if __name__ == "__main__":
    given = [int(text) if text.isdigit() else text for text in sys.argv[1:]]
    sys.exit(main(*given, *(200, 3, 1)[len(given) :]))
