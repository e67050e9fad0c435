"""The tools of `arena mcp`: what an agent that writes or plays bots can do.

A tool starts a command of Arena in the agent's folder (`workbench`), or moves a seat of a match (`agent_seat`). The
protocol has no sessions, and clients give up on slow answers. So a tool that is not done in `LONGEST_WAIT` answers with
a handle, and `wait` has the rest: the result of a command, or the next position of a seat.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, ParamSpec

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from arena.cli.extending import template_files
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.text.printable import printable
from arena_agents.agent_seat import AgentSeat
from arena_agents.players import SEATS
from arena_agents.workbench import MOST_KEPT, Command, Workbench
from arena_player.version import __version__

LONGEST_WAIT = 20.0
"""Seconds. An answer must be there within 25, also on a busy machine."""
SHORT_WAIT = 3.0
"""Seconds that `act` waits for the other players: most bots need less, and a call less is saved."""
POLL_SECONDS = 0.02
LONGEST_MATCH = 4 * 3600.0
"""Seconds of a match with an agent, which may take ten minutes for a turn."""
MOST_GAMES, MOST_PLAYERS, MOST_ORDERS = 400, 16, 10_000
ME = "me"
INSTRUCTIONS = """\
Arena plays games between bots. Your bots are files in {folder}; all paths are relative to it. Begin with games, then
reference; new_bot writes a bot that plays at once, with notes in its AGENTS.md. After each change: play or compare, and
why for a lost match. A tool that takes long answers with a handle: call wait. To play yourself: join, then act."""
READS = ToolAnnotations(read_only_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False)
SENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
Arguments = ParamSpec("Arguments")
LONGEST_NAME, LONGEST_PATH = 100, 300
"""Characters of an argument. An answer repeats what is wrong in it."""
Game = Annotated[str, Field(max_length=LONGEST_NAME, description="The name of a game")]
Bot = Annotated[
    str,
    Field(
        max_length=LONGEST_PATH, description="A file or folder of a bot, or builtin:NAME; ?NAME=VALUE sets a parameter"
    ),
]
Bots = Annotated[list[Bot], Field(min_length=1, max_length=MOST_PLAYERS)]
Player = Annotated[int, Field(ge=0)]
Seed = Annotated[int, Field(ge=0)]
Replay = Annotated[str, Field(max_length=LONGEST_PATH)]
Handle = Annotated[str, Field(max_length=LONGEST_NAME, description="What a tool answered with")]


def make_server(bench: Workbench) -> MCPServer:
    """Return a server with all tools.

    Args:
        bench: The folder of the agent. Close it after the server.
    """
    server: MCPServer = MCPServer(
        "arena", version=__version__, instructions=INSTRUCTIONS.format(folder=bench.folder), log_level="WARNING"
    )
    tools = Tools(bench)
    for tool, kind in (
        (tools.games, READS),
        (tools.reference, READS),
        (tools.new_bot, WRITES),
        (tools.play, WRITES),
        (tools.turns, READS),
        (tools.why, WRITES),
        (tools.compare, WRITES),
        (tools.hand_in, SENDS),
        (tools.join, WRITES),
        (tools.read, READS),
        (tools.act, WRITES),
        (tools.wait, READS),
    ):
        # The text is the answer. The same text as structured output would cost an agent its tokens twice.
        server.add_tool(
            _with_reasons(tool), description=inspect.getdoc(tool), annotations=kind, structured_output=False
        )
    return server


def _with_reasons(tool: Callable[Arguments, Awaitable[str]]) -> Callable[Arguments, Awaitable[str]]:
    """Return a tool whose errors say what is wrong and what to do."""

    @wraps(tool)
    async def told(*args: Arguments.args, **settings: Arguments.kwargs) -> str:
        try:
            return await tool(*args, **settings)
        except ArenaError as error:
            raise ToolError(printable(f"{error.message} {error.hint}".strip())) from None

    return told


class Tools:
    """The tools. Their docstrings are what an agent reads."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._seats: dict[str, tuple[AgentSeat, Command]] = {}
        self._numbers = count(1)

    # -- bots ----------------------------------------------------------------------------------------

    async def games(
        self, game: Annotated[str, Field(max_length=LONGEST_NAME, description="Leave out to list all")] = ""
    ) -> str:
        """List the installed games; with a name, its built-in bots, options and maps."""
        return await self._result(self._bench.start("games", *([find_game(game).name] if game else [])))

    async def reference(self, game: Game, part: Literal["rules", "kit"] = "rules") -> str:
        """Read the rules of a game, or the kit: how a bot works, with all classes, fields and actions of the game."""
        spec = find_game(game)
        if part == "kit":
            return template_files(spec, "bot", "python")["AGENTS.md"]
        return await self._result(self._bench.start("rules", spec.name))

    async def new_bot(
        self,
        game: Game,
        folder: Annotated[str, Field(max_length=LONGEST_PATH, description="A new folder for the bot")],
        language: Literal["python", "cpp", "java", "javascript"] = "python",
    ) -> str:
        """Write a new bot, which can play at once, with notes for you in AGENTS.md."""
        path = self._bench.path(folder, exists=False)
        return await self._result(self._bench.start("new", find_game(game).name, path, "--language", language))

    async def play(self, game: Game, bots: Bots, seed: Seed | None = None) -> str:
        """Play a match between bots, one for each seat. Says who won, what was refused or printed, and the replay."""
        self._bench.path("replays", exists=False)
        words = [find_game(game).name, *map(self._bench.bot, bots), "--log"]
        return await self._result(self._bench.start("play", *words, *_option("--seed", seed)))

    async def turns(
        self,
        replay: Replay,
        turns: Annotated[str, Field(pattern=r"^\d{1,9}(-\d{1,9})?$", description="Such as 30 or 30-34")],
        player: Player | None = None,
    ) -> str:
        """Read turns of a replay in words: the position, orders and news; with a player, what this player saw."""
        path = self._bench.path(replay)
        words = ["log", path, "--turn", turns, *_option("--player", player)]
        return await self._result(self._bench.start("replay", *words, edit=partial(self._bench.without_names, path)))

    async def why(
        self, replay: Replay, player: Player | None = None, seconds: Annotated[float, Field(ge=1, le=120)] = 20.0
    ) -> str:
        """Ask why a match was lost: the mistakes of the player or of all who lost, and what each cost."""
        path = self._bench.path(replay)
        self._bench.path(f"{path}.explain.json", exists=False)
        words = [path, "--budget", f"{seconds:g}", *_option("--player", player)]
        edit = partial(self._bench.without_names, path)
        return await self._result(self._bench.start("explain", *words, edit=edit, quiet=True))

    async def compare(
        self,
        game: Game,
        bot: Bot,
        other: Bot,
        others: Annotated[list[Bot], Field(max_length=MOST_PLAYERS - 2, description="For further seats")] = [],  # noqa: B006
        games: Annotated[int, Field(ge=2, le=MOST_GAMES)] = 100,
    ) -> str:
        """Find out which of two bots is stronger, such as two versions of one: games, score with interval, Elo."""
        bots = map(self._bench.bot, (bot, other, *others))
        words = [find_game(game).name, *bots, "--games", str(games)]
        return await self._result(self._bench.start("compare", *words, quiet=True))

    async def hand_in(self, bot: Bot, activate: bool = False) -> str:
        """Hand in a bot to the contest that the user has configured, and read the report of its check."""
        path, activation = self._bench.path(bot), ["--activate"] * activate
        command = self._bench.start("submit", path, "--json", *activation, edit=_without_people, quiet=True)
        return await self._result(command)

    # -- a seat --------------------------------------------------------------------------------------

    async def join(
        self,
        game: Game,
        players: Annotated[Bots, Field(description=f"Who plays on each seat: a bot, or {ME} for you")],
        seed: Seed | None = None,
    ) -> str:
        """Start a match that you play yourself. Read how to write orders, then call act with the handle of your seat.

        Each me is a seat of its own with a handle, so several agents can play against each other.
        """
        spec = find_game(game)
        self._bench.path("replays", exists=False)
        rules = spec.rules_text()
        words, seats = [spec.name], list[AgentSeat]()
        try:
            for player in players:
                if player == ME:
                    seats.append(AgentSeat(f"seat-{next(self._numbers)}", rules))
                words.append(f"mcp:{seats[-1].handle}" if player == ME else self._bench.bot(player))
            if not seats:
                raise ArenaError(f"No seat is yours: write {ME} in the place of a bot.")
            command = self._bench.start(
                "play",
                *words,
                "--no-swap",
                *_option("--seed", seed),
                environment={SEATS: json.dumps({seat.handle: seat.address for seat in seats})},
                seconds=LONGEST_MATCH,
            )
        except ArenaError:
            for seat in seats:
                seat.close()
            raise
        over = [handle for handle, (_, match) in self._seats.items() if match.ended.is_set()]
        for handle in over[:-MOST_KEPT]:
            self._seats.pop(handle)[0].close()
        self._seats |= {seat.handle: (seat, command) for seat in seats}
        named = f"Your seats: {', '.join(seat.handle for seat in seats)}."
        return f"{named}\n\n{await self._next(seats[0].handle, LONGEST_WAIT)}"

    async def read(self, seat: Handle) -> str:
        """Read the rules and your last position once more."""
        return self._seat(seat)[0].read() or f"The match of {seat} has not begun. Call wait."

    async def act(self, seat: Handle, orders: Annotated[str, Field(max_length=MOST_ORDERS)]) -> str:
        """Send orders. The answer is your next position, or why they cannot be carried out, or that others move."""
        player, command = self._seat(seat)
        if command.ended.is_set():
            raise ArenaError(f"The match of {seat} is over.", hint=f"Call wait with {seat} for its result.")
        player.act(orders)
        return await self._next(seat, SHORT_WAIT)

    async def wait(self, handle: Handle) -> str:
        """Wait for the result of a command, or until a seat must act or its match is over; 25 s at most."""
        if handle in self._seats:
            return await self._next(handle, LONGEST_WAIT)
        return await self._result(self._bench.command(handle, self._seats))

    # -- answers -------------------------------------------------------------------------------------

    def _seat(self, handle: str) -> tuple[AgentSeat, Command]:
        if handle not in self._seats:
            raise ArenaError(f"There is no seat {handle!r}.", hint="join answers with the handle of a seat.")
        return self._seats[handle]

    async def _next(self, handle: str, seconds: float) -> str:
        """Wait until a seat must act, or its match is over."""
        seat, command = self._seat(handle)
        with anyio.move_on_after(seconds):
            while not command.ended.is_set():
                if text := seat.next():
                    return text
                await anyio.sleep(POLL_SECONDS)
        if not command.ended.is_set():
            return f"The others move. Call wait with {handle}."
        seat.close()
        return await self._result(command)

    async def _result(self, command: Command) -> str:
        """Wait for the result of a command. If it takes longer, say so."""
        with anyio.move_on_after(LONGEST_WAIT):
            while not command.ended.is_set():
                await anyio.sleep(POLL_SECONDS)
        if not command.ended.is_set():
            return f"Still running, for {command.seconds:.0f} s so far. Call wait with {command.handle}."
        if command.failed:
            raise ToolError(command.text.removeprefix("Error: "))  # the protocol says that it is one
        return command.text


def _option(name: str, value: int | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def _without_people(text: str) -> str:
    """Return the report of a version without the name of its team, which can be that of a person."""
    try:
        state: dict[str, Any] = json.loads(text)
    except ValueError:  # an error
        return text
    return json.dumps({key: value for key, value in state.items() if key not in ("team", "url")})


def serve(folder: Path) -> None:
    """Serve the tools on standard input and output until the client closes the connection.

    Raises:
        ArenaError: There is no such folder.
    """
    bench = Workbench(folder)

    def end(*_: object) -> None:
        bench.close()
        os._exit(0)  # a thread still reads from the client

    signal.signal(signal.SIGTERM, end)
    try:
        make_server(bench).run("stdio")
    finally:
        bench.close()
