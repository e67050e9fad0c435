"""Bots without a sandbox: what is promised all the same."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from arena.bots.launch import launch
from arena.bots.probe import examine
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation, Missing, check_level
from arena.match.limits import Limits
from arena.match.lookup import find_game
from arena_player import sdk

pytestmark = pytest.mark.process


def test_it_plays_with_a_clean_environment(ring: Any) -> None:
    source = """
        import os
        print(sorted(name for name in os.environ if name.startswith("ARENA")), os.getcwd())
        import zmq, msgpack, arena_player
    """
    bot = ring.bot(source)
    ended = ring.run(bot, 0)
    assert ended.ending.code == 0, ended.err
    assert ended.out == f"['ARENA_BOT', 'ARENA_ENDPOINT'] {bot.folder}\n"


def test_level_0_says_what_it_is(ring: Any) -> None:
    with ring.start("pass", 0, sandbox="none") as process:
        assert process.isolation.level == 0
        assert process.isolation.name == "L0 none"
        assert process.isolation.missing[0].reason == "the sandbox was switched off"
        assert process.cpu_nanoseconds() is None
        assert process.freeze()


@pytest.mark.skipif(sys.platform != "linux", reason="finds orphans by /proc")
def test_survivors_are_found_by_their_environment(ring: Any) -> None:
    source = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        os.wait()
        print("parent ends", flush=True)
    """
    with ring.start(source, 0) as process:
        until(lambda: process.poll() is not None)
        # The marker names the seat's socket: nobody else's processes have it.
        assert str(ring.folder).encode() in process.marker


def test_a_tree_is_killed_whole(ring: Any) -> None:
    source = """
        import os, time
        for _ in range(5):
            os.fork()
        print("up", flush=True)
        time.sleep(600)
    """
    with ring.start(source, 0) as process:
        until(lambda: process.stdout.drain() and process.stdout.text().count("up") == 32)
        assert process.kill().signal == "SIGKILL"


FREEZES = """
import socket, sys, time
from arena.bots.bot import load_bot
from arena.bots.launch import launch
with socket.socket(socket.AF_UNIX) as seat:
    seat.bind("seat.sock")
    seat.listen()
    with launch(load_bot(sys.argv[1]), seat=0, socket="seat.sock", at_most=0) as process:
        while not process.stdout.drain():
            time.sleep(0.01)
        assert process.freeze()
        print(process.pid, flush=True)
        time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_frozen_bot_dies_with_who_started_it(ring: Any) -> None:
    bot = ring.bot("import time; print('up', flush=True); time.sleep(600)")
    command = [sys.executable, "-c", FREEZES, str(bot.folder)]
    with subprocess.Popen(command, cwd=ring.folder, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.kill()

    def is_gone() -> bool:
        with contextlib.suppress(ChildProcessError):  # it may be our child now, to be reaped
            os.waitpid(pid, os.WNOHANG)
        return not Path(f"/proc/{pid}").exists()

    until(is_gone)


def test_where_processes_have_no_descriptors(ring: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    with ring.start("import time; time.sleep(600)", 0) as process:
        assert select.select([process.pidfd], [], [], 0.1)[0] == []
        assert process.kill().signal == "SIGKILL"
        assert select.select([process.pidfd], [], [], 0)[0] == [process.pidfd]
    ended = ring.run("raise SystemExit(3)", 0)
    assert ended.ending.code == 3


def test_a_kill_does_not_wait_for_a_process_that_holds_the_bots_descriptors(
    ring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    source = """
        import os, time
        if os.fork() == 0:
            if os.fork():
                os._exit(0)
            os.setsid()
            print("an orphan", flush=True)
        time.sleep(600)
    """
    with ring.start(source, 0) as process:
        until(process.stdout.drain)
        begin = time.monotonic()
        ended = process.kill()
        assert time.monotonic() - begin < 5
        assert (ended.signal, ended.survives) == ("SIGKILL", False)


WITHOUT_LINUX = """
import os, platform, select, signal, sys, sysconfig
sysconfig.get_config_vars(), platform.uname()  # they read files that are named after the platform
sys.platform = "darwin"
for module, names in (
    (os, "pidfd_open waitid P_ALL WEXITED WNOWAIT sched_setaffinity sched_getaffinity memfd_create O_PATH"),
    (select, "epoll"),
    (signal, "pidfd_send_signal"),
):
    for name in filter(lambda name: hasattr(module, name), names.split()):
        delattr(module, name)
from arena.match.job import Job, SeatAssignment
from arena.play.referee.__main__ import play
"""
MATCH = """
result = play(Job("saloon", (SeatAssignment("builtin:rowdy"), SeatAssignment("builtin:rowdy")), {"max_turns": 4}))
print(sorted(player.ending for player in result.players), {player.isolation.name for player in result.players})
"""


def test_a_match_without_the_functions_that_macos_does_not_have() -> None:
    """Python 3.11 and 3.12 have no `os.waitid` there."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_LINUX + MATCH], capture_output=True, text=True, timeout=60)
    assert done.stdout in ("['lost', 'won'] {'L0 none'}\n", "['drawn', 'drawn'] {'L0 none'}\n"), done.stderr


DEATH = """
import time
from arena.game import Clock
clock = Clock(startup=10.0, bank=None, increment=0.0, turn=10.0, grace=0.02)
result = play(Job("saloon", (SeatAssignment(sys.argv[1]), SeatAssignment("builtin:rowdy")), clock=clock))
print(result.players[0].ending, result.players[0].detail, end=" ")
print(result.players[0].stderr, file=sys.stderr)
print(time.time() - float(open(sys.argv[2]).read()))
"""
DYING_BOT = """
import os, time
from saloon import AI
{first}
class Bot(AI):
    def run_turn(self):
        {before}
        with open({file!r}, "w") as stream: stream.write(str(time.time()))
        os._exit(3)
"""


@pytest.mark.parametrize(
    ("first", "before"),
    [
        pytest.param("", "pass", id="alone"),
        pytest.param("os.closerange(3, 100)", "pass", id="without the inherited descriptor"),
        pytest.param("", "if os.fork() == 0: time.sleep(600)", id="with a child"),
        pytest.param("if os.fork() == 0: time.sleep(600)", "pass", id="with a child from before the connection"),
    ],
)
def test_a_death_is_noticed_without_process_descriptors(tmp_path: Path, first: str, before: str) -> None:
    bot, died = tmp_path / "bot.py", tmp_path / "died"
    (tmp_path / "saloon.py").write_text(sdk.generate(find_game("saloon").schema()))
    bot.write_text(DYING_BOT.format(first=first, before=before, file=str(died)))
    command = [sys.executable, "-c", WITHOUT_LINUX + DEATH, bot, died]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    *ending, seconds = done.stdout.split()
    assert ending == ["crashed", "exit", "code", "3"], done.stdout + done.stderr
    assert float(seconds) < 2


def test_a_debugged_bot_keeps_the_terminal(ring: Any) -> None:
    bot = ring.bot("print('to the terminal:', input())")
    ring.run("pass", 0)
    script = f"""
from arena.bots.launch import launch
from arena.bots.bot import load_bot
with launch(load_bot({str(bot.folder)!r}), seat=0, socket={f"{ring.folder}/seat0.sock"!r}, terminal=True) as process:
    while process.poll() is None:
        pass
"""
    done = subprocess.run(
        [sys.executable, "-c", script], input="typed\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "to the terminal: typed\n"


def test_a_program_that_is_not_there(ring: Any) -> None:
    bot = ring.bot("pass")
    (bot.folder / "bot.toml").write_text('command = ["no-such-program-anywhere"]\n')
    from arena.bots.bot import load_bot

    with pytest.raises(ArenaError) as caught:
        ring.start(load_bot(bot.folder), 0)
    assert "no-such-program-anywhere" in caught.value.message


def test_a_required_level_fails_closed(ring: Any) -> None:
    bot = ring.bot("open('/tmp/arena-was-run', 'w')")
    with pytest.raises(ArenaError) as caught:
        launch(bot, seat=0, socket="/nonexistent", require=1, at_most=0)
    assert caught.value.exit_code == ExitCode.NO_ISOLATION
    assert "Isolation level 1 is required" in caught.value.message
    with pytest.raises(ArenaError):
        launch(bot, seat=0, socket="/nonexistent", sandbox="none", require=2)
    assert not os.path.exists("/tmp/arena-was-run")


def test_an_unknown_sandbox_is_named(ring: Any) -> None:
    with pytest.raises(ArenaError, match="There is no sandbox 'docker'"):
        launch(ring.bot("pass"), seat=0, socket="/nonexistent", sandbox="docker")


def test_levels_are_checked_with_reasons() -> None:
    weak = Isolation(1, ("rlimits",), (Missing("namespaces", "the kernel forbids them"),))
    check_level(weak, 1)
    with pytest.raises(ArenaError, match="namespaces: the kernel forbids them"):
        check_level(weak, 2)


def test_examining_is_done_once() -> None:
    start = time.perf_counter()
    assert examine(3) is examine(3)
    assert time.perf_counter() - start < 60


def test_limits_are_values() -> None:
    assert Limits() == Limits()
    with pytest.raises(AttributeError):
        Limits().memory = 1  # type: ignore[misc]
