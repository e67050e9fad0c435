"""What the tests of `arena mcp` share: a client whose calls are a name and arguments, and programs of bots."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from arena_agents.mcp_server import make_server
from arena_agents.workbench import Workbench


class Tools:
    """The tools of one server, as their client sees them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> str:
        """Return the text of an answer that is no error."""
        failed, text = await self.raw(tool, **arguments)
        assert not failed, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Return the text of an error."""
        failed, text = await self.raw(tool, **arguments)
        assert failed, text
        return text

    async def raw(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        return bool(result.is_error), content.text  # type: ignore[union-attr]

    async def result(self, tool: str, **arguments: Any) -> str:
        """Return a result, also if it takes longer than one answer."""
        text = await self(tool, **arguments)
        while text.startswith("Still running"):
            text = await self("wait", handle=text.rpartition(" ")[2].rstrip("."))
        return text


@contextlib.asynccontextmanager
async def connected(server: Any, mode: str = "auto") -> AsyncIterator[Tools]:
    async with Client(server, mode=mode) as client:
        yield Tools(client)


def in_memory(folder: Path, work: Callable[[Tools], Awaitable[None]]) -> None:
    """Let a client work with a server in this process."""

    async def run() -> None:
        bench = Workbench(folder)
        try:
            async with connected(make_server(bench)) as tools:
                await work(tools)
        finally:
            bench.close()

    with ThreadPoolExecutor(1) as pool:  # a test with a browser can have left a loop in this thread
        pool.submit(asyncio.run, run()).result()


def over_pipes(parameters: StdioServerParameters, mode: str, work: Callable[[Tools], Awaitable[None]]) -> None:
    """Let a client work with a server in a process of its own."""

    async def run() -> None:
        async with connected(parameters, mode) as tools:
            await work(tools)

    with ThreadPoolExecutor(1) as pool:  # a test with a browser can have left a loop in this thread
        pool.submit(asyncio.run, run()).result()


BETTER = '''\
"""Goes to food, but only where there is room for its body, and not where a larger snake can go."""

from snakes import AI


class Better(AI):
    def run_turn(self) -> None:
        me = self.snake
        larger = [other for other in self.opponents if other.is_alive and len(other.body) >= len(me.body)]
        feared = {other.head.towards(way) for other in larger for way in ("up", "down", "left", "right")}
        food = min(self.game.food, key=me.head.distance_to, default=me.head)

        def price(way):
            tile = me.head.towards(way)
            room = len(tile.reachable())
            return max(0, len(me.body) - room), tile in feared, food.distance_to(tile)

        me.move(min(me.safe_moves, key=price, default="up"))
'''
GARBAGE = """\
import os, sys

from arena_player import AI

NOISE = '{"jsonrpc": "2.0", "id": 1, "result": {}}\\\\n\\\\x1b[2J\\\\x00' + "x" * 5000


class Bot(AI):
    wants_legal_actions = True

    def run_turn(self):
        print(NOISE)
        sys.stderr.write(NOISE)
        os.write(1, NOISE.encode() * 10)
        self.log(NOISE[:500])
        self.act(self.random_action())
""".replace("\\\\", "\\")
