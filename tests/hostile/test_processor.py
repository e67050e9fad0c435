"""Bots that take the processor from their opponent, or time from everybody, at the levels that this machine has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import leftovers
import pytest
import scenarios
from playing import SMALL, hogs_on_every_processor, play_until_it_counts, temporary
from shortened import shortened
from test_hostile import HERE, LEVELS

from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult

pytestmark = [
    pytest.mark.alone,
    pytest.mark.sandbox,
    pytest.mark.usefixtures("hostile_server"),
    pytest.mark.skipif(not LEVELS, reason="bots cannot be isolated here"),
]

WORK = 0.15
"""CPU seconds that the honest bot uses for its start and in each turn."""
CLOCK = Clock(startup=6.0, bank=None, increment=0.0, turn=0.9, grace=0.02)
"""Several times what the honest bot needs, for other programs on this machine; with 60 burners it needs 9 s."""

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


def cases(all_of: Iterable[object], *short: object) -> list[object]:
    """Return parameters for a test. `make test` plays the short ones only, and `make kill-test` all others."""
    listed = [*all_of]
    assert _names(short) <= _names(listed), "a level can be missing on this machine, a name cannot"
    return [pytest.param(*_many(one), marks=() if one in short else pytest.mark.kill) for one in listed]


def _names(some: Iterable[object]) -> set[object]:
    return {part for one in some for part in _many(one) if isinstance(part, str)}


def _many(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True)
class Bots:
    """Writes bots and plays them."""

    folder: Path

    def play(
        self,
        sources: tuple[str, str],
        level: int,
        clock: Clock = CLOCK,
        max_turns: int = 6,
        tries: int = 3,
        game: str = "saloon",
    ) -> MatchResult:
        """Play two bots, and leave nothing behind."""
        seats = []
        for number, source in enumerate(sources):
            path = self.folder / f"bot{number}.py"
            path.write_text(source)
            seats.append(SeatAssignment(str(path)))
        job = Job(
            game=game,
            seats=tuple(seats),
            options={**SMALL, "max_turns": max_turns} if game == "saloon" else {"players": 2},
            seed=1,
            clock=clock,
            max_isolation=level,
            require_isolation=level,
        )
        with leftovers.nothing_left(temporary()):
            return play_until_it_counts(job, tries)


@pytest.fixture
def bots(tmp_path: Path) -> Bots:
    return Bots(tmp_path)


@pytest.mark.parametrize(
    ("name", "level"), cases(product(THIEVES, LEVELS), ("with_short_slices", 3), ("in_threads", 2))
)
@pytest.mark.promise("processor")
def test_a_thief_gains_nothing(name: str, level: int, bots: Bots) -> None:
    thief, honest = bots.play((THIEVES[name], HONEST), level).players
    seen = f"{honest.ending}: {honest.detail}; {thief.ending}: {thief.detail}"
    assert honest.ending in ("won", "lost"), seen
    assert thief.ending in ("won", "lost", "timed_out"), seen
    assert honest.clock.turns > 0, seen
    assert WORK <= honest.clock.worst_turn < (2 * WORK if level == 3 else 1.2), seen


SLEEPER = scenarios.in_turn("import time; time.sleep(1.1)")
PIPE_SLEEPER = scenarios.in_turn("import os, select; select.select([os.pipe()[0]], [], [], 1.1)")
STOPPER = scenarios.in_turn(
    """
    import os, signal, time
    if os.fork() == 0:
        time.sleep(1.1)
        os.kill(os.getppid(), signal.SIGCONT)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGSTOP)
    """
)
LIGHT_SLEEPER = scenarios.in_turn(
    """
    import time
    for _ in range(1100):
        time.sleep(0.001)
    """
)
IDLERS = {"sleeps": SLEEPER, "waits": PIPE_SLEEPER, "stops_itself": STOPPER, "sleeps_in_steps": LIGHT_SLEEPER}


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
@pytest.mark.parametrize("name", cases(IDLERS, "stops_itself"))
@pytest.mark.promise("stalling")
def test_an_idle_bot_has_its_limit_and_no_more(name: str, level: int, bots: Bots) -> None:
    idler, honest = bots.play((IDLERS[name], HONEST), level, replace(CLOCK, turn=0.3)).players
    assert (idler.ending, honest.ending) == ("timed_out", "won"), idler.detail
    assert idler.detail == "took longer than 0.32 s without using the processor"
    assert idler.clock.wall < 1.0, "the guard of the turn is 2.28 s"


BURN = """
import os, threading, time
from pathlib import Path
from arena_player import AI

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass

def in_threads():
    threads = [threading.Thread(target=burn, args=(0.06,)) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def in_children():
    for _ in range(4):
        if os.fork() == 0:
            burn(0.06)
            os._exit(0)
    for _ in range(4): os.wait()

def by_turns():
    "Two processes wake each other 1,000 times."
    here, there = os.pipe(), os.pipe()
    child = os.fork()
    for _ in range(500):
        if child: os.write(there[1], b"x"); os.read(here[0], 1)
        else: os.read(there[0], 1); os.write(here[1], b"x")
        burn(0.0002)
    if not child: os._exit(0)
    os.wait()
    for end in (*here, *there): os.close(end)

def with_files():
    end = time.process_time() + 0.2
    for path in Path("/usr/lib").rglob("*"):
        if time.process_time() > end: break
        if path.is_file():
            with path.open("rb") as file: file.read(1 << 20)

class Busy(AI):
    def run_turn(self): {work}
"""


WORKS = [("burn(0.25)", "in_threads()"), ("in_children()", "by_turns()"), ("with_files()", "with_files()")]


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
@pytest.mark.parametrize(("one", "other"), cases(WORKS, ("in_children()", "by_turns()")))
@pytest.mark.promise("stalling")
def test_who_waits_for_a_busy_machine_is_not_idle(one: str, other: str, level: int, bots: Bots) -> None:
    sources = (BURN.replace("{work}", one), BURN.replace("{work}", other))
    with hogs_on_every_processor(3):
        clock = Clock(startup=20.0, bank=None, increment=0.0, turn=0.3, grace=0.02)
        result = bots.play(sources, level, clock, max_turns=4)
    for player in result.players:
        assert player.ending in ("won", "lost"), player.detail
        waited = player.clock.wall - (player.clock.cpu or 0.0)
        assert waited > 0.32 * player.clock.turns, "it waited for longer than it may be idle"


WAITS = {scenario.name: scenario for scenario in scenarios.WAITS}
FEW = ("lowers_its_autogroup", "is_nice", "runs_when_idle", "yields_for_ever", "naps_for_ever")
"""Scenarios that leave no process behind without a sandbox. There, bots do change their weight."""


@pytest.mark.parametrize(
    ("level", "name"),
    cases(
        [(level, name) for level in (0, *LEVELS) for name in (WAITS if level == 3 else FEW)],
        (3, "yields_in_many_sessions"), (2, "naps_for_ever"), (0, "is_nice"),
    ),
)  # fmt: skip
@pytest.mark.promise("voids")
def test_no_bot_makes_its_match_void_by_waiting(level: int, name: str, bots: Bots) -> None:
    scenario = WAITS[name]
    clock = Clock(startup=20.0, bank=None, increment=0.0, turn=0.3, grace=0.02)
    with hogs_on_every_processor(2):
        result = bots.play((scenario.source, (HERE / "opponent.py").read_text()), level, clock, tries=1)
    waiter, opponent = result.players
    assert (waiter.ending, opponent.ending) == ("timed_out", "won"), f"{waiter.detail}\n{waiter.stdout}"
    if level:
        assert scenario.never_says not in waiter.stdout


MOVES = """
import mmap, os, time
from arena_player import AI

def compute():
    end = time.process_time() + 0.3
    while time.process_time() < end: pass

WAYS = ("up", "right", "down", "left")
burning = mmap.mmap(-1, 1)

def burn_beside(bot):
    "Let 40 children in sessions of their own compute for most of the turn."
    if not hasattr(bot, "children"):
        bot.children = [os.fork() or burn() for _ in range(40)]
    burning[0] = 1
    time.sleep(0.25)
    burning[0] = 0

def burn():
    os.setsid()
    while True:
        if not burning[0]: time.sleep(0.005)

class Bot(AI):
    wants_legal_actions = True
    turns = 0

    def run_turn(self):
        {works}
        self.turns += 1
        self.act({**self.legal_actions[0], "direction": WAYS[self.turns % 4 if self.turns < 8 else 0]})
"""


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
@pytest.mark.parametrize("works", shortened(["burn_beside(self)", "compute()"]))
@pytest.mark.promise("simultaneous")
def test_simultaneous_turns_take_no_wall_time_from_each_other(works: str, level: int, bots: Bots) -> None:
    sources = MOVES.replace("{works}", works), MOVES.replace("{works}", "compute()")
    clock = Clock(startup=20.0, bank=None, increment=0.0, turn=60.0, grace=0.02, turn_wall=0.5)
    for player in bots.play(sources, level, clock, game="snakes").players:
        assert player.ending in ("won", "lost", "drawn"), f"{player.name}: {player.detail}"
        assert player.clock.turns > 4


STALLER = scenarios.in_turn(
    """
    import time
    while True:
        time.sleep(0.3)
        self.act({"type": "move", "cowboy": "c9", "x": 1, "y": 1})
    """
)


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
@pytest.mark.promise("stalling")
def test_a_turn_of_many_requests_is_one_turn(level: int, bots: Bots) -> None:
    result = bots.play((STALLER, HONEST), level, replace(CLOCK, turn=0.3))
    staller, honest = result.players
    assert (staller.ending, honest.ending) == ("timed_out", "won")
    assert staller.clock.wall < 1.0, "idle for 0.32 s in all requests together"


AFTER_ITS_ANSWER = """
import threading, time
from arena_player import AI

def later():
    time.sleep(0.003)
    end = time.thread_time() + 0.004
    while time.thread_time() < end: pass

class Thinker(AI):
    def run_turn(self): threading.Thread(target=later).start()
"""
UNHURRIED = scenarios.in_turn("import time; time.sleep(0.1)")  # on a busy machine too, the thread runs meanwhile


@pytest.mark.parametrize("level", [level for level in LEVELS if level == 3])
@pytest.mark.promise("opponents-time")
def test_cpu_time_after_an_answer_is_charged(level: int, bots: Bots) -> None:
    thinker, _ = bots.play((AFTER_ITS_ANSWER, UNHURRIED), level, max_turns=40).players
    after, charged = thinker.clock.idle_cpu or 0.0, thinker.clock.cpu or 0.0
    assert thinker.clock.turns == 20
    assert after > 0.05, "it computed after most answers, and was not stopped"
    assert charged > after - 0.01, "all but what it used after its last but one answer"
