"""Bots that take the processor from their opponent, or time from everybody, at the levels that this machine has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import leftovers
import pytest
import scenarios
from test_hostile import LEVELS, SMALL, play_until_it_counts

from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult

pytestmark = [
    pytest.mark.alone,
    pytest.mark.sandbox,
    pytest.mark.skipif(not LEVELS, reason="bots cannot be isolated here"),
]

WORK = 0.15
"""CPU seconds that the honest bot uses for its start and in each turn."""
CLOCK = Clock(startup=6.0, bank=None, increment=0.0, turn=0.9, grace=0.02)
"""Several times what the honest bot needs, for other programs on this machine; with 60 burners it needs 9 s."""
SHORT = {**SMALL, "max_turns": 6}

HONEST = f"""
import time
from arena_player import AI

def work():
    end = time.process_time() + {WORK}
    while time.process_time() < end: pass

work()

class Honest(AI):
    def run_turn(self):
        work()
"""

THIEF = (
    "from arena_player import AI\n"
    + scenarios.BURNERS
    + """
def later(count, milliseconds=0):
    "Let a child start the burners, when this bot has answered."
    if os.fork() == 0:
        time.sleep(0.02)
        burn(count, milliseconds)
        while True: pass

def spin():
    time.sleep(0.02)
    while True: pass

class Thief(AI):
    def {method}(self):
        if not getattr(self, "done", False):
            self.done = True
            {act}
    {rest}
"""
)


def thief(act: str, method: str = "run_turn") -> str:
    """Return a bot that does this once and otherwise ends its turns."""
    rest = "" if method == "run_turn" else "def run_turn(self): pass"
    return THIEF.format(method=method, act=act, rest=rest)


THIEVES = {
    "in_the_start": thief("later(60)", "start"),
    "in_the_turn": thief("later(60)"),
    "with_short_slices": thief("later(60, 0.1)"),
    "with_long_slices": thief("later(60, 100)"),
    "in_threads": thief("import threading; [threading.Thread(target=spin, daemon=True).start() for _ in range(20)]"),
}


@dataclass(frozen=True)
class Bots:
    """Writes bots and plays them."""

    folder: Path

    def play(self, sources: tuple[str, str], level: int, clock: Clock = CLOCK) -> MatchResult:
        """Play two bots, and leave nothing behind."""
        seats = []
        for number, source in enumerate(sources):
            path = self.folder / f"bot{number}.py"
            path.write_text(source)
            seats.append(SeatAssignment(str(path)))
        job = Job(
            game="saloon",
            seats=tuple(seats),
            options=SHORT,
            seed=1,
            clock=clock,
            max_isolation=level,
            require_isolation=level,
        )
        with leftovers.nothing_left():
            return play_until_it_counts(job)


@pytest.fixture
def bots(tmp_path: Path) -> Bots:
    return Bots(tmp_path)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", THIEVES)
def test_a_thief_gains_nothing(name: str, level: int, bots: Bots) -> None:
    thief, honest = bots.play((THIEVES[name], HONEST), level).players
    seen = f"{honest.ending}: {honest.detail}; {thief.ending}: {thief.detail}"
    assert honest.ending in ("won", "lost"), seen
    assert thief.ending in ("won", "lost", "timed_out"), seen
    assert honest.clock.turns > 0, seen
    assert WORK <= honest.clock.worst_turn < (2 * WORK if level == 3 else 1.2), seen


STALLER = scenarios.in_turn(
    """
    import time
    while True:
        time.sleep(0.3)
        self.act({"type": "move", "cowboy": "c9", "x": 1, "y": 1})
    """
)


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
def test_a_turn_of_many_requests_has_one_guard(level: int, bots: Bots) -> None:
    result = bots.play((STALLER, HONEST), level, replace(CLOCK, turn=0.3))
    staller, honest = result.players
    assert (staller.ending, honest.ending) == ("timed_out", "won")
    assert staller.clock.wall < 3.5, "four times the limit of 0.3 s, and a second"
