"""A bot whose sandbox is killed from outside makes its match void; a bot that kills itself has crashed."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.builtin_copy import builtin_bot
from arena.bots.system.orphans import descendants
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.match.void import KILLED
from arena.play.referee.match_process import MatchProcess
from arena.study.checks.verification import verify
from arena.study.replaying.rerun import MatchRecord, rerun
from arena_replays import Reader

pytestmark = pytest.mark.sandbox

SLEEPS = """
import subprocess
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        subprocess.run(["/bin/sleep", "60"])
"""

KILLS = """
import ctypes, os, resource, signal, subprocess, time
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        {body}
        time.sleep(60)
"""

BY_ITSELF = {
    "itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "its group": "os.kill(0, signal.SIGKILL)",
    "by a child": "subprocess.run(['/bin/sh', '-c', 'kill -9 $PPID'])",
    "everything": "os.kill(1, signal.SIGKILL); os.kill(-1, signal.SIGKILL); os.kill(os.getpid(), signal.SIGKILL)",
    "its parent": "os.kill(os.getppid(), signal.SIGKILL); os.kill(os.getpid(), signal.SIGKILL)",
    "the code of a killed program": "os._exit(128 + signal.SIGKILL)",
    "when its parent dies": "ctypes.CDLL(None).prctl(1, signal.SIGKILL); os.kill(os.getpid(), signal.SIGKILL)",
    "by its CPU limit": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n        while True: pass",
    "the first process by its CPU limit": (
        "resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))\n"
        "        for _ in range(3000):\n"
        "            subprocess.Popen(['/bin/sh', '-c', '/bin/true &']).wait()"
    ),
}


def job(folder: Path, source: str) -> Job:
    bot = folder / "tested.py"
    bot.write_text(source)
    seats = (SeatAssignment(str(bot)), SeatAssignment("builtin:rowdy"))
    return Job(
        game="saloon",
        seats=seats,
        seed=1,
        clock=Clock(startup=10.0, bank=None, increment=0.0, turn=4.0, grace=0.02),
        replay=str(folder / "match.arena"),
        require_isolation=2,
    )


def monitor(referee: int) -> int:
    """Return the outer process of the sandbox of a bot that has begun to play."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        for process in descendants(referee):
            try:
                command = Path(f"/proc/{process}/cmdline").read_bytes()
                children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
            except OSError:
                continue
            if command.startswith(b"/usr/bin/bwrap\0") and children and _plays(int(children[0])):
                return process
        time.sleep(0.02)
    raise AssertionError("no sandbox was started")


def _plays(first: int) -> bool:
    """Return whether the bot is in its turn: before that, its sandbox may still be starting."""
    for process in descendants(first):
        try:
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(b"/bin/sleep\0"):
                return True
        except OSError:
            continue
    return False


def play(folder: Path, source: str, *, kill: bool = False) -> MatchResult:
    with MatchProcess(job(folder, source)) as process:
        if kill:
            done: list[MatchResult] = []
            waiting = threading.Thread(target=lambda: done.append(process.wait()))
            waiting.start()
            os.kill(monitor(process.pid), signal.SIGKILL)
            waiting.join(30)
            return done[0]
        return process.wait()


def test_a_sandbox_killed_from_outside_makes_the_match_void(tmp_path: Path) -> None:
    result = play(tmp_path, SLEEPS, kill=True)
    assert [player.ending for player in result.players] == ["void", "void"]
    assert result.outcome.reason == KILLED
    assert result.players[0].detail == "another program killed its sandbox"
    assert not result.fault
    assert verify(tmp_path / "match.arena").ok
    lost = replace(result, void="no result").without_void()
    assert [(player.ending, lost.points(seat)) for seat, player in enumerate(lost.players)] == [
        ("crashed", 0.0), ("won", 1.0)
    ]  # fmt: skip


def test_the_bot_of_a_void_match_did_not_fail(tmp_path: Path) -> None:
    """Rerun a void match: the record ends there, and a bot that does the same up to there does not differ."""
    source = SLEEPS.replace("        subprocess", "        if self.turn > 3: subprocess")
    result = play(tmp_path, source, kill=True)
    assert result.outcome.reason == KILLED
    recorded = MatchRecord.of(Reader(tmp_path / "match.arena"))
    fixed = tmp_path / "fixed.py"
    fixed.write_text(source.replace("self.turn > 3", "False"))
    done = rerun(recorded, 0, load_bot(fixed))
    assert (done.differences, done.turns) == ((), 2)
    assert rerun(recorded, 1, load_bot(builtin_bot(recorded.game, "rowdy"))).differences == ()
    crashes = tmp_path / "crashes.py"
    crashes.write_text(source.replace("if self.turn > 3: subprocess", "if self.turn > 1: raise ValueError #"))
    (found,) = rerun(recorded, 0, load_bot(crashes)).differences
    assert (found.turn, found.recorded_end, found.now_end) == (3, "", "crashed: exit code 1")


@pytest.mark.parametrize("body", BY_ITSELF.values(), ids=BY_ITSELF.keys())
@pytest.mark.promise("voids")
def test_a_bot_that_kills_itself_has_crashed(tmp_path: Path, body: str) -> None:
    result = play(tmp_path, KILLS.format(body=body))
    assert result.players[0].ending in ("crashed", "timed_out"), result.players[0]
    assert result.players[1].ending == "won"
    assert result.outcome.reason == "forfeit"
