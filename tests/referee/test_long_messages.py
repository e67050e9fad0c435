"""Messages up to the wire's limit to bots that read slowly, and rules that fail: matches in real processes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from arena.errors import ExitCode
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.match.result import MatchResult
from arena.play.referee.match_process import play_in_process
from arena_player.wire import limits

pytestmark = pytest.mark.process

TESTS = Path(__file__).parents[1]
FRAME = 200
"""Bytes that a result needs beside its longest field, at most."""

SLOW = """
    import time
    import msgpack, peer

    class Slow(peer.Peer):
        def exactly(self, size):
            data = bytearray()
            while len(data) < size:
                time.sleep({pause})
                more = self.socket.recv(min(size - len(data), 65536))
                if not more:
                    raise SystemExit("the referee hung up")
                data += more
            return bytes(data)

    p = Slow()
    message = p.start()
    while message["type"] != "over":
        if message["type"] == "turn" or message.get("your_move"):
            p.act({{"type": "{action}"}})
        data = p.frame()
        print(len(data), flush=True)
        message = msgpack.unpackb(data)
        p.seq = message.get("seq", p.seq)
    """


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The game ``painting`` is installed as a wheel is."""
    site = tmp_path / "site"
    info = site / "painting-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: painting\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\npainting = painting:GAME\n")
    shutil.copy(TESTS / "game" / "painting.py", site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(site)  # a match process is a fork of this one
    return site


def play(
    folder: Path,
    *,
    pause: float = 0.0,
    action: str = "paint",
    replay: str = "",
    second: str = "",
    turn: float = 10.0,
    **options: int,
) -> MatchResult:
    """Let two bots paint that read slowly, or one such bot and another one."""
    bots = folder / "bots"
    bots.mkdir()
    (bots / "slow.py").write_text(dedent(SLOW).format(pause=pause, action=action))
    (bots / "second.py").write_text(second)
    shutil.copy(TESTS / "hostile" / "peer.py", bots)
    seat = SeatAssignment(str(bots / "slow.py"))
    other = SeatAssignment(str(bots / "second.py")) if second else seat
    return play_in_process(
        Job(
            game="painting",
            seats=(seat, other),
            options=options,
            seed=1,
            clock=Clock(startup=10.0, bank=None, increment=0.0, turn=turn, grace=0.1),
            policy=Policy(timeout="skip"),
            replay=replay,
            max_isolation=2,
        )
    )


ABSENT = """
import time
import peer
p = peer.Peer(); p.start()
time.sleep(4)
p.act({"type": "paint"})
peer.forever()
"""


def endings(result: MatchResult) -> list[str]:
    return [player.ending for player in result.players]


def longest(result: MatchResult) -> list[int]:
    return [max(map(int, player.stdout.split())) for player in result.players]


@pytest.mark.usefixtures("site")
def test_a_long_result_reaches_a_slow_reader(tmp_path: Path) -> None:
    result = play(tmp_path, pause=0.01, pixels=24_500)
    assert (endings(result), result.outcome.reason) == (["drawn", "drawn"], "painted")
    assert min(longest(result)) > 9 * 24_500


@pytest.mark.usefixtures("site")
def test_the_longest_message_reaches_a_slow_reader(tmp_path: Path) -> None:
    letters = limits.REFEREE_BYTES - FRAME
    result = play(tmp_path, pause=0.001, pixels=0, letters=letters, steps=4)
    assert (endings(result), result.outcome.reason) == (["drawn", "drawn"], "painted")
    assert letters < min(longest(result)) <= limits.REFEREE_BYTES


@pytest.mark.usefixtures("site")
def test_a_message_over_the_limit_ends_in_a_result_that_names_the_seat(tmp_path: Path) -> None:
    replay = tmp_path / "match.arena"
    result = play(tmp_path, letters=limits.REFEREE_BYTES, replay=str(replay))
    assert (endings(result), result.outcome.reason) == (["void", "void"], "fault")
    assert "while serving slow (1)" in result.fault
    assert "is longer than allowed" in result.fault
    assert replay.exists()


@pytest.mark.usefixtures("site")
def test_rules_that_fail_end_in_a_result_that_names_the_seat(tmp_path: Path) -> None:
    result = play(tmp_path, action="tear", replay=str(tmp_path / "match.arena"))
    assert (endings(result), result.outcome.reason) == (["void", "void"], "fault")
    assert "the rules of painting failed" in result.fault
    assert "while serving slow (1)" in result.fault
    assert "divide by zero" in result.fault


@pytest.mark.usefixtures("site")
def test_the_command_reports_rules_that_fail(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "slow.py").write_text(dedent(SLOW).format(pause=0, action="tear"))
    shutil.copy(TESTS / "hostile" / "peer.py", bots)
    bot = str(bots / "slow.py")
    program = "import sys; from arena.__main__ import main; sys.argv[0] = 'arena'; main()"
    command = [sys.executable, "-c", program, "play", "painting", bot, bot, "--replay", "none"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == ExitCode.FAULT, done.stderr
    assert "No result (fault)" in done.stdout
    assert "Not caused by a bot: the rules of painting failed on" in done.stderr


@pytest.mark.usefixtures("site")
def test_a_bot_that_missed_more_than_a_message_holds_loses(tmp_path: Path) -> None:
    result = play(tmp_path, second=ABSENT, turn=0.3, pixels=0, letters=3_000_000, steps=100)
    assert endings(result) == ["won", "timed_out"]
    assert "missed more updates than" in result.players[1].detail
