"""The protocol on the side of a person: receive requests, and answer each with one action."""

from __future__ import annotations

from typing import Any

from arena.game.forms import spread
from arena_player.link import open_link
from arena_player.schema import Schema, parse_schema
from arena_player.version import __version__
from arena_player.wire import PROTOCOL
from arena_player.world import World
from arena_replays.state import CLASS, State, fold

Action = dict[str, Any]
Things = dict[str, tuple[str, dict[str, Any]]]
"""The view of a player. It maps the id of each object to the name of its class and its fields, as in the protocol."""


def wants_action(message: dict[str, Any]) -> bool:
    return message["type"] == "turn" or bool(message.get("your_move"))


class SeatClient:
    """One match, as its player sees it. One thread can receive while another thread acts.

    Attributes:
        schema: The game's classes; None before `welcome`.
    """

    def __init__(self, endpoint: str) -> None:
        self.schema: Schema | None = None
        self.player = self.players = 0
        self._seq = 0
        self._started = False
        self._link = open_link(endpoint)
        hello = {"protocol": PROTOCOL, "client": f"arena/{__version__}", "schema": None, "legal_actions": True}
        self._link.send({"type": "hello", **hello})

    def receive(self) -> dict[str, Any]:
        """Wait for the next message, and update the view. Answer a message `start` with `ready`."""
        message = self._link.receive()
        match message["type"]:
            case "welcome":
                self.schema = parse_schema(message["schema"])
                self.player, self.players = message["player"], message["players"]
                self._world = World(self.schema, lambda _: None)  # type: ignore[arg-type, return-value]
            case "start":
                self._world.apply(message["view"])
                self._started = True
                self._link.send({"type": "ready", "seq": message["seq"]})
            case "turn" | "result" | "over":
                self._world.apply(message["delta"])
                self._seq = message.get("seq", 0)
                if "legal_actions" in message:  # people choose from a list; the terminal also takes whole actions
                    message["legal_actions"] = spread(message["legal_actions"])
        return message

    def act(self, action: Action) -> None:
        """Send one action. The next message contains its result."""
        self._link.send({"type": "act", "seq": self._seq, "actions": [action]})

    def things(self) -> Things:
        """Return everything that the player sees now; nothing before `start`."""
        things: State = {}
        fold(things, self._world.view() if self._started else [])
        return {id_: (fields.pop(CLASS), fields) for id_, fields in things.items()}

    def close(self) -> None:
        self._link.close()
