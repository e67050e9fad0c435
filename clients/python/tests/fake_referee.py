"""A referee that follows a script, for tests of bots and clients over a real socket."""

import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import zmq

from arena_player import wire

Script = Callable[["FakeReferee"], None]


class FakeReferee:
    """The referee's end of the connection to one seat. A script in a thread sends and receives messages through it.

    Args:
        folder: The folder of the socket.
        schema: The game's schema, for `welcome`.
        view: The client's first view, for `start`.
    """

    def __init__(self, folder: Path, schema: dict[str, Any], view: list[Any]) -> None:
        self.endpoint = f"ipc://{folder}/seat.sock"
        self.schema = schema
        self.view = view
        self.seq = 0
        self.received: list[dict[str, Any]] = []
        self.failure: BaseException | None = None
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PAIR)
        self._socket.setsockopt(zmq.LINGER, 500)
        self._socket.setsockopt(zmq.RCVTIMEO, 20_000)
        self._socket.setsockopt(zmq.SNDTIMEO, 20_000)
        self._socket.bind(self.endpoint)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "FakeReferee":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def run(self, script: Script) -> None:
        """Start the script."""

        def body() -> None:
            try:
                script(self)
            except BaseException as error:
                self.failure = error
            finally:
                self._socket.close()

        self._thread = threading.Thread(target=body)
        self._thread.start()

    def finish(self) -> None:
        """Wait for the end of the script, and raise its exception if there was one."""
        if self._thread is not None:
            self._thread.join(30)
        self._socket.close()
        self._context.term()
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    # --- what scripts use ----------------------------------------------------------------

    def send(self, name: str, **fields: Any) -> None:
        """Send a message of the table."""
        self._socket.send(wire.pack({"type": name, **fields}))

    def send_bytes(self, data: bytes, flags: int = 0) -> None:
        """Send bytes, which need not be a valid message. With zmq.DONTWAIT, raise zmq.Again if nobody takes them."""
        self._socket.send(data, flags)

    def receive(self) -> dict[str, Any]:
        """Return the next message except `log` and `draw`. All messages are added to `received`."""
        while True:
            message = wire.unpack(self._socket.recv(), "client")
            self.received.append(message)
            if message["type"] not in ("log", "draw"):
                if "seq" in message:
                    assert message["seq"] == self.seq
                return message

    def enter(self, **changed: Any) -> dict[str, Any]:
        """Exchange all messages up to `ready`, and return the client's `hello`."""
        hello = self.receive()
        self.send(
            "welcome",
            **{
                "protocol": 1,
                "game": self.schema["game"],
                "version": "1.0",
                "schema": self.schema,
                "player": 0,
                "players": 2,
                "options": {"width": 6},
                "settings": {"mood": "bold"},
                "clock": {"startup": 5, "bank": 60, "increment": 0, "turn": 2.0, "grace": 0.02},
                **changed,
            },
        )
        self.send("start", seq=self.seq, view=self.view)
        assert self.receive()["type"] == "ready"
        return hello

    def turn(self, number: int, delta: list[Any] | None = None, **more: Any) -> dict[str, Any]:
        """Send `turn` and return the reply."""
        self.seq += 1
        clock = {"bank": 50.0, "turn": 2.0}
        self.send("turn", seq=self.seq, turn=number, delta=delta or [], events=[], clock=clock, **more)
        return self.receive()

    def result(
        self,
        accepted: int = 1,
        error: tuple[str, str] | None = None,
        delta: list[Any] | None = None,
        *,
        value: str | None = None,
        results: list[Any] | None = None,
        your_move: bool = True,
        **more: Any,
    ) -> dict[str, Any]:
        """Send the `result` of an `act`. If it is still the client's move, return the next `act`."""
        self.seq += your_move
        refused = [] if error is None else [{"code": error[0], "message": error[1]}]
        self.send(
            "result",
            seq=self.seq,
            results=results or [*[None] * (accepted - 1), *[value][:accepted], *refused],
            delta=delta or [],
            events=[],
            draws=[],
            your_move=your_move,
            clock={"bank": 50.0, "turn": 1.5},
            **more,
        )
        return self.receive() if your_move else {}

    def over(self, *endings: str, delta: list[Any] | None = None) -> None:
        """Send `over` with an ending for each player."""
        players = [{"name": f"p{index}", "ending": ending} for index, ending in enumerate(endings)]
        self.send("over", outcome={"winner": 0}, delta=delta or [], events=[], players=players)
