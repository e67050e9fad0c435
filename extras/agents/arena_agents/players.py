"""What Arena asks for players ``llm:NAME`` and ``mcp:HANDLE``: who they are, and where they wait for matches."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading

from arena.bots.players import PlayerKind
from arena.errors import ArenaError, ExitCode

CLOSE_SECONDS = 5.0
SEATS = "ARENA_MCP_SEATS"
"""The environment variable that tells a command where the seats of agents wait: a JSON object of their addresses."""


class Models:
    """Language models, as a kind of player."""

    def identity(self, name: str) -> str:
        """Return a text that changes with every setting that changes how the model plays."""
        from arena_agents.settings import read_model  # the import is slow, and a command may need only the kind

        model, aids = read_model(name)
        return model.identity(aids)

    def open(self, game: str) -> ModelPlayers:
        """Return the models for matches of a game."""
        return ModelPlayers(game)


class ModelPlayers:
    """The models of one command. The first of them starts the gateway."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._gateway: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def address(self, name: str) -> str:
        """Return the path of the socket on which a model waits for matches."""
        with self._lock:
            if self._gateway is not None and self._gateway.poll() is not None:
                self._end()
            if self._gateway is None:
                self._gateway = subprocess.Popen(
                    [sys.executable, "-P", "-m", "arena_agents.gateway"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,  # so that Ctrl-C interrupts only the command
                )
                self._send({"game": self._game})
            self._send({"name": name})
            assert self._gateway.stdout is not None
            answer = json.loads(self._gateway.stdout.readline() or "{}")
        if "address" in answer:
            return str(answer["address"])
        message = answer.get("message", "The gateway of language models has failed.")
        raise ArenaError(message, hint=answer.get("hint", ""), exit_code=answer.get("exit_code", ExitCode.FAULT))

    def _send(self, document: dict[str, str]) -> None:
        assert self._gateway is not None
        assert self._gateway.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, and so its answer is missing
            self._gateway.stdin.write(json.dumps(document) + "\n")
            self._gateway.stdin.flush()

    def close(self) -> None:
        """End the gateway."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._gateway is None:
            return
        try:
            self._gateway.communicate(timeout=CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._gateway.kill()
            self._gateway.communicate()
        self._gateway = None


MODELS: PlayerKind = Models()


class Agents:
    """Agents that play through the tools of `arena mcp`, as a kind of player. That command starts their matches."""

    def identity(self, name: str) -> str:
        """Return the same text for all agents: nobody knows what they are."""
        self.address(name)
        return "mcp"

    def open(self, game: str) -> Agents:
        """Return the agents of the command that runs."""
        del game
        return self

    def address(self, name: str) -> str:
        """Return the path of the socket on which an agent's seat waits."""
        addresses: dict[str, str] = json.loads(os.environ.get(SEATS, "{}"))
        if name not in addresses:
            raise ArenaError(
                f"There is no agent mcp:{name}.",
                hint="Agents join their matches with the tools of `arena mcp`.",
                exit_code=ExitCode.BAD_BOT,
            )
        return addresses[name]

    def close(self) -> None:
        """Do nothing: the seats belong to `arena mcp`."""


AGENTS: PlayerKind = Agents()
