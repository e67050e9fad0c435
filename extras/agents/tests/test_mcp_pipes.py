"""`arena mcp` as clients start it: a process, and the protocol on its pipes, in both versions."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp_calls import BETTER, GARBAGE, Tools, over_pipes
from server import Server
from shortened import shortened

from arena_replays import Reader

MODES = ("auto", "legacy")
pytestmark = pytest.mark.process


def parameters(folder: Path, **environment: str) -> StdioServerParameters:
    environment |= {name: os.environ[name] for name in ("XDG_CACHE_HOME",) if name in os.environ}
    return StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "arena", "mcp", str(folder)], env=environment, cwd=folder
    )


@pytest.mark.parametrize("mode", shortened(MODES))
def test_what_bots_print_does_not_reach_the_protocol(mode: str, tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(GARBAGE)

    async def work(tools: Tools) -> None:
        assert len((await tools.client.list_tools()).tools) == 12
        text = await tools("play", game="snakes", bots=["noisy.py", "builtin:forager"], seed=1)
        assert "jsonrpc" in text, "its author sees it"
        assert "\x1b" not in text
        assert len(text) < 21_000

    over_pipes(parameters(tmp_path), mode, work)


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Server]:
    """A contest on this machine, and the token of a member of the team Red."""
    (tmp_path / "contest").mkdir()
    server = Server(tmp_path / "contest", ("waiting = 2", "waiting = 100"))
    try:
        olga = server.person().join(server.invitation, "Olga")
        (invitation,) = olga.invited(team="Red", name="Rita", role="member")
        server.token = server.person().join(invitation).token
        yield server
    finally:
        server.stop()


def names(replay: Path) -> list[str]:
    return [player["name"] for player in Reader(replay).header["players"]]


@pytest.mark.kill  # the whole way of an agent takes half a minute; each step of it has a test of its own
@pytest.mark.parametrize("mode", MODES)
def test_from_a_new_bot_to_a_contest(mode: str, tmp_path: Path, contest: Server) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()

    async def work(tools: Tools) -> None:
        assert "snakes" in await tools("games")
        assert "safe_moves" in await tools("reference", game="snakes", part="kit")
        await tools("new_bot", game="snakes", folder="first")
        result = await tools.result("play", game="snakes", bots=["first", "builtin:constrictor"], seed=1)
        assert "constrictor wins" in result
        found = re.search(r"Replay: (\S+)", result)
        assert found is not None
        assert "s0 move" in await tools("turns", replay=found[1], turns="1-2", player=0)
        assert "first (lost)" in await tools.result("why", replay=found[1], player=0, seconds=2)
        await tools("new_bot", game="snakes", folder="better")
        (folder / "better" / "main.py").write_text(BETTER)
        comparison = await tools.result("compare", game="snakes", bot="better", other="first", games=40)
        assert "better is stronger with" in comparison
        wins = re.search(r"(\d+) won", comparison)
        assert wins is not None
        assert int(wins[1]) > 20
        report = await tools.result("hand_in", bot="better", activate=True)
        assert '"problem": ""' in report
        assert '"active": true' in report
        assert "Red" not in report
        replay = next(file for file in (tmp_path / "contest").rglob("*.arena") if "Red" in names(file))
        (folder / "of_contest.arena").write_bytes(replay.read_bytes())
        text = await tools("turns", replay="of_contest.arena", turns="1-3")
        assert "Red" not in text
        assert "s0 move" in text

    over_pipes(parameters(folder, ARENA_SERVER=contest.url, ARENA_TOKEN=contest.token), mode, work)


@pytest.mark.parametrize("how", shortened(["input", "signal"]))
def test_the_end_of_the_client_ends_what_runs(how: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "arena", "mcp", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    # As a client of the older version begins.
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    hello += '"clientInfo":{"name":"test","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"join","arguments":{"game":"snakes",'
    call += '"players":["me","builtin:forager"]}}}\n'
    with process, process.stdin, process.stdout:
        process.stdin.write((hello + call).encode())
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        assert b"Your seats" in process.stdout.readline()
        begin = time.monotonic()
        if how == "input":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert time.monotonic() - begin < 10
    (replay,) = (tmp_path / "replays").iterdir()
    assert replay.stat().st_size, "the match was interrupted and not killed"
