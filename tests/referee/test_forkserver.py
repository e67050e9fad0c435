"""Match processes that are forked: what they inherit, how they are ended, and what survives whom."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE, until

from arena.errors import ArenaError
from arena.match.job import Job
from arena.play.referee.match_process import ForkServer, ForkServers, MatchProcess

pytestmark = pytest.mark.process

PROBE = Path(__file__).with_name("probe_server.py")
COMMAND = [sys.executable, str(PROBE)]


@pytest.fixture
def server() -> Iterator[ForkServer]:
    with closing(ForkServer("probe", COMMAND, {"TMPDIR": "/tmp"})) as server:
        yield server


def start(what: str, server: ForkServer) -> MatchProcess:
    return MatchProcess(Job("probe", (), {"what": what}), server)


def until_over(process: MatchProcess) -> tuple[dict[str, Any], str]:
    """Return what the match process has seen, and how it ended."""
    seen: list[dict[str, Any]] = []
    with process, pytest.raises(ArenaError) as caught:
        process.wait(seen.append)
    return seen[0]["seen"] if seen else {}, caught.value.message


def is_alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}/exe")


def dies(pid: int, seconds: float = PATIENCE) -> bool:
    return until(lambda: not is_alive(pid), patience=seconds)


def test_a_match_process_inherits_nothing_but_its_channel(server: ForkServer) -> None:
    """Neither what the server holds nor anything of a match that is played beside it."""
    with start("sleeps", server):
        seen, end = until_over(start("a match", server))
    assert end == "a match is over"
    # The standard streams, the channel, and what `seen` itself was read with.
    assert seen["descriptors"] == 1
    assert seen["death"] == signal.SIGKILL
    assert (seen["handler"], seen["wakeup"]) == (True, -1)
    assert seen["blocked"] == [signal.SIGINT], "until the match is ready to end in good order"
    assert seen["environment"] == "/tmp"


def test_matches_run_beside_each_other_and_one_after_the_other(server: ForkServer) -> None:
    first, second = start("one", server), start("two", server)
    assert first.pid != second.pid
    assert until_over(second)[1] == "two is over"
    assert until_over(first)[1] == "one is over"
    assert until_over(start("three", server))[1] == "three is over"


def test_a_killed_match_process_is_reported_with_its_signal(server: ForkServer) -> None:
    process = start("sleeps", server)
    os.kill(process.pid, signal.SIGKILL)
    assert until_over(process)[1] == "The match process ended without a result (SIGKILL)."
    assert until_over(start("half a line", server))[1] == "The match process ended without a result (SIGKILL)."


def test_a_match_process_is_asked_to_end_and_then_killed(server: ForkServer) -> None:
    process = start("stubborn", server)
    seen: list[dict[str, Any]] = []
    begun = time.monotonic()
    with process, pytest.raises(ArenaError, match="was stopped"):
        process.wait(lambda document: (seen.append(document), process.kill())[0])
    assert seen
    assert 1.5 < time.monotonic() - begun < 10
    assert dies(process.pid, 0.1)


def test_an_interrupted_match_ends_in_its_own_way(server: ForkServer) -> None:
    process = start("interrupted", server)
    threading.Timer(0.2, process.interrupt).start()
    assert until_over(process)[1] == "interrupted is over"


def test_a_match_process_ends_with_the_program_that_wanted_it(server: ForkServer) -> None:
    process = start("sleeps", server)
    process._channel.close()
    assert dies(process.pid)
    assert until_over(start("the next", server))[1] == "the next is over"


def test_a_dead_server_is_started_again(server: ForkServer) -> None:
    process = start("sleeps", server)
    parent = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    assert until_over(process)[1] == "The match process ended without a result, because its fork server ended."
    assert dies(process.pid), "the kernel kills it with its server"
    assert until_over(start("the next", server))[1] == "the next is over"


def test_a_server_ends_with_the_thread_that_started_it_and_pins_its_matches() -> None:
    """As the match process itself did, when the thread started it."""
    servers = ForkServers("probe", COMMAND)
    found: list[MatchProcess] = []
    seen: list[dict[str, Any]] = []
    cpu = max(os.sched_getaffinity(0))

    def play() -> None:
        os.sched_setaffinity(0, {cpu})
        seen.append(until_over(start("pinned", servers.of_this_thread()))[0])
        found.append(start("sleeps", servers.of_this_thread()))

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert seen[0]["cpus"] == [cpu]
    assert dies(found[0].pid)
    assert "because its fork server ended" in until_over(found[0])[1]
    servers.close()


def test_a_server_that_cannot_be_started_is_one_message() -> None:
    with closing(ForkServer("probe", ["/nowhere/python"])) as server, pytest.raises(ArenaError, match="No such file"):
        server.start()
    with closing(ForkServer("probe", ["/bin/false"])) as server, pytest.raises(ArenaError, match="cannot be started"):
        server.start()
