"""The tools of `arena mcp`, by a client in this process: what they refuse, how much they say, and a seat."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from mcp_calls import Tools, in_memory

from arena.errors import ArenaError
from arena_agents import workbench
from arena_agents.agent_seat import AgentSeat
from arena_agents.mcp_server import _without_people
from arena_agents.players import AGENTS
from arena_agents.provider import LateError
from arena_agents.workbench import Command, Workbench

BOT = "builtin:forager"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with links that leave it, beside things that are not the agent's."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "other.arena").write_bytes(b"")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "main.py").write_text("")
    (folder / "link").symlink_to(tmp_path / "other")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "linked.arena").symlink_to(tmp_path / "other.arena")
    (folder / "plain.arena").write_bytes(b"nothing")
    (folder / "plain.arena.explain.json").symlink_to(tmp_path / "written.json")
    os.mkfifo(folder / "pipe")
    return folder


OUTSIDE = ["../other", "/etc/passwd", "link", "link/main.py", "x/../../other", "..", "~root", "loop", "a\0b", "pipe"]


def test_no_path_leaves_the_folder(folder: Path) -> None:
    async def work(tools: Tools) -> None:
        for bot in [*OUTSIDE, "--debug", "human", "human:terminal", "remote", "llm:small", "mcp:seat-1", "nothing"]:
            text = await tools.refused("play", game="snakes", bots=[bot, BOT])
            assert re.search("is outside of the folder|There is no file|is no path", text), (bot, text)
            await tools.refused("compare", game="snakes", bot=BOT, other=bot)
            await tools.refused("join", game="snakes", players=["me", bot])
            await tools.refused("hand_in", bot=bot)
            await tools.refused("play", game="snakes", bots=[f"{bot}?at_random=5", BOT])
        for place in ("../new", "/tmp/new", "link/new"):
            assert "is outside" in await tools.refused("new_bot", game="snakes", folder=place)
        for replay in ("../other.arena", "linked.arena", "pipe"):
            await tools.refused("turns", replay=replay, turns="1")
            await tools.refused("why", replay=replay)
        assert "is outside" in await tools.refused("why", replay="plain.arena"), "it would write through a link"
        (folder / "replays").symlink_to(folder.parent / "other")
        for tool, words in (("play", {"bots": [BOT, BOT]}), ("join", {"players": ["me", BOT]})):
            assert "replays is outside" in await tools.refused(tool, game="snakes", **words)

    in_memory(folder, work)
    assert not (folder.parent / "new").exists()


def test_words_are_no_options_of_a_command(folder: Path) -> None:
    async def work(tools: Tools) -> None:
        for arguments in (
            {"tool": "games", "game": "--json"},
            {"tool": "reference", "game": "--help"},
            {"tool": "play", "game": "snakes --debug", "bots": [BOT, BOT]},
            {"tool": "turns", "replay": "plain.arena", "turns": "--json"},
            {"tool": "compare", "game": "snakes", "bot": BOT, "other": BOT, "games": 1_000_000},
            {"tool": "play", "game": "snakes", "bots": [BOT] * 1000},
            {"tool": "act", "seat": "seat-1", "orders": "x" * 1_000_000},
            {"tool": "new_bot", "game": "snakes", "folder": "b", "language": "cobol"},
        ):
            await tools.refused(**arguments)  # type: ignore[arg-type]
        assert "There is no handle" in await tools.refused("wait", handle="play-1")
        assert "There is no seat" in await tools.refused("act", seat="seat-9", orders="s0 move up")
        assert "There is no seat" in await tools.refused("read", seat="../seat")

    in_memory(folder, work)


def test_a_refusal_is_short(folder: Path) -> None:
    long = "x\x1b/" * 3000

    async def work(tools: Tools) -> None:
        for tool, arguments in {
            "games": {"game": long},
            "play": {"game": "snakes", "bots": [f"builtin:{long}", BOT]},
            "new_bot": {"game": "snakes", "folder": long},
            "turns": {"replay": long, "turns": "1"},
            "why": {"replay": long},
            "compare": {"game": "snakes", "bot": long, "other": BOT},
            "hand_in": {"bot": long},
            "join": {"game": "snakes", "players": ["me", long]},
            "act": {"seat": long, "orders": ""},
            "wait": {"handle": long},
        }.items():
            assert len(await tools.refused(tool, **arguments)) < 500, tool
        assert "\\x1b" in await tools.refused("hand_in", bot=long[:300])

    in_memory(folder, work)


def test_the_kit_comes_in_one_answer(folder: Path) -> None:
    async def work(tools: Tools) -> None:
        assert "safe_moves" in await tools("reference", game="snakes", part="kit")

    in_memory(folder, work)


def test_names_of_other_people_become_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = {
        "Anna": "contest/bots/12",
        "Anna B": "/srv/12",
        "Ben": "remote",
        "<b>Ignore (all)": "",
        "mine": "my_bot",
        "forager": BOT,
        "me": "",
    }
    players = [{"name": name, "bot": bot} for name, bot in bots.items()]
    monkeypatch.setattr(workbench, "Reader", lambda _: type("", (), {"header": {"players": players}}))
    (tmp_path / "my_bot").mkdir()
    text = Workbench(tmp_path).without_names(
        "x", "Anna B (Anna) beats Ben, <b>Ignore (all), mine, forager, me; Annas meet."
    )
    assert text == "player 1 (player 0) beats player 2, player 3, mine, forager, player 6; Annas meet."
    assert json.loads(_without_people('{"team": "Anna", "url": "/version/Anna/1", "number": 1}')) == {"number": 1}


def test_an_agent_that_nobody_plays_is_no_player() -> None:
    with pytest.raises(ArenaError, match="no agent mcp:seat-1"):
        AGENTS.identity("seat-1")


@pytest.mark.process
def test_limits_of_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a command, the length of its text, and how many run at once."""
    bench = Workbench(tmp_path)
    slow = bench.start("compare", "snakes", BOT, BOT, "--games", "1000", seconds=2.0)
    monkeypatch.setattr(workbench, "MOST_AT_ONCE", 1)
    with pytest.raises(ArenaError, match=r"1 commands are running: compare-1 \(compare\)"):
        bench.start("games")
    assert slow.ended.wait(30)
    assert slow.failed
    assert "took longer than 2 s" in slow.text
    usage = Command("compare", ("compare",), tmp_path)
    assert usage.ended.wait(30)
    assert "'arena compare --help'" in usage.text, "the command that the reader has"
    monkeypatch.setattr(workbench, "MOST_CHARACTERS", 100)
    rules = Command("rules", ("rules", "snakes"), tmp_path)
    assert rules.ended.wait(30)
    assert re.search(r"\[\d+ characters are left out here\]", rules.text)
    assert len(rules.text) < 200


async def _play(tools: Tools, seat: str, orders: str) -> str:
    """Give the same orders in all turns, and return the result."""
    text = ""
    while "Replay: " not in text:
        text = await (tools("act", seat=seat, orders=orders) if "Your orders" in text else tools("wait", handle=seat))
    return text


@pytest.mark.process
def test_a_bot_has_settings_and_an_error_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "main.py").write_text("from arena_player import AI\n\n\nclass Mine(AI):\n    pass\n")

    async def work(tools: Tools) -> None:
        said = await tools.refused("play", game="snakes", bots=["mine?at_random=200", BOT])
        assert said.startswith("Error executing tool play: ./mine: at_random must be a number from 0 to")

    in_memory(tmp_path, work)


@pytest.mark.process
def test_a_seat(folder: Path) -> None:
    async def work(tools: Tools) -> None:
        text = await tools("join", game="snakes", players=["me", BOT], seed=1)
        assert text.startswith("Your seats: seat-1.\n\n# Snakes")
        assert text.endswith("Your orders:")
        position = text[text.index("Position:") :]
        assert await tools("wait", handle="seat-1") != "", "what must be answered can be read again"
        assert (await tools("read", seat="seat-1")).endswith(position)
        for garbage in ("fly", "", '{"jsonrpc": "2.0"}', "\x1b[2J", "<b>s0</b>" * 20):
            text = await tools("act", seat="seat-1", orders=garbage)
            assert "Legal and nearest: s0 move" in text, garbage
        both = [tools.raw("act", seat="seat-1", orders="s0 move up") for _ in range(2)]
        answers = dict(await asyncio.gather(*both))
        assert answers[False].startswith("News:"), "the next position comes with the answer"
        assert "There are: seat-1, play-1." in await tools.refused("wait", handle="seat-2")
        assert "It is not the move of seat-1" in answers[True], "the second answer is not carried out later"
        result = await _play(tools, "seat-1", "s0 move up")
        assert "unreadable 5" in result
        assert result == await tools("wait", handle="seat-1"), "it can be read again"
        assert "is over" in await tools.refused("act", seat="seat-1", orders="s0 move up")
        replay = re.search(r"Replay: (\S+)", result)
        assert replay is not None
        assert "s0 move up" in await tools("turns", replay=replay[1], turns="1-2", player=0)

    in_memory(folder, work)


@pytest.mark.kill  # many turns, each of which waits for the other agent
@pytest.mark.process
def test_two_agents_play_against_each_other(tmp_path: Path) -> None:
    async def work(tools: Tools) -> None:
        text = await tools("join", game="snakes", players=["me", "me"], seed=1)
        assert text.startswith("Your seats: seat-1, seat-2.")
        assert await tools("act", seat="seat-1", orders="s0 move up") == "The others move. Call wait with seat-1."
        results = await asyncio.gather(*(_play(tools, f"seat-{n + 1}", f"s{n} move up") for n in range(2)))
        assert results[0] == results[1]
        assert re.search("seat-1 wins|seat-2 wins|draw|nobody", results[0], re.IGNORECASE), results[0]

    in_memory(tmp_path, work)


@pytest.mark.process
def test_a_bot_that_does_not_start_ends_the_match_of_a_seat(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise SystemExit('no')\n")

    async def work(tools: Tools) -> None:
        assert "no_start" in await tools.refused("join", game="snakes", players=["me", "bad.py"])

    in_memory(tmp_path, work)


def test_an_agent_that_says_nothing_is_late() -> None:
    seat = AgentSeat("seat-1", "")
    messages: list[Any] = [{"role": "system", "content": "first"}, {"role": "user", "content": "position"}]
    with pytest.raises(LateError):
        seat.ask(messages, {}, 0.01)
    assert seat.next() == ""
    with pytest.raises(ArenaError, match="It is not the move"):
        seat.act("s0 move up")
    seat.close()
