"""A provider of language models on this machine, which answers as a test says: well, badly, or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

Body = dict[str, Any]
HEAD = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
Behaviour = Callable[["Handler", Body], None]


class Provider(ThreadingHTTPServer):
    """Attributes:
    bodies: The bodies of all requests.
    headers: The headers of the last request.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, behave: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave = behave
        self.bodies: list[Body] = []
        self.headers: dict[str, str] = {}
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients hang up on bad answers."""


Configured = Callable[..., Provider]
"""The fixture `configured`."""


class Handler(BaseHTTPRequestHandler):
    server: Provider
    streams = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.headers = dict(self.headers)
        self.server.bodies.append(body)
        self.streams = body.get("stream", False)
        self.server.behave(self, body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def begin(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def event(self, document: Any) -> None:
        self.wfile.write(b"data: " + json.dumps(document).encode() + b"\n\n")

    def piece(self, text: str, finish: str | None = None) -> None:
        delta = {"role": "assistant", "content": text}
        self.event({**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def answer(self, text: str, finish: str = "stop", reasoning: str = "") -> None:
        """Answer as chat completions or as responses, as the path asks; whole for clients of others, which ask so."""
        if not self.streams:
            self.begin(kind="application/json")
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
            self.wfile.write(json.dumps({**HEAD, "choices": [choice], "usage": USAGE}).encode())
            return
        self.begin()
        if self.path.endswith("/responses"):
            status = "incomplete" if finish == "length" else "completed"
            self.event({"type": "response.output_text.delta", "delta": text})
            usage = {"input_tokens": 100, "output_tokens": 10}
            self.event({"type": f"response.{status}", "response": {"status": status, "usage": usage}})
            return
        if reasoning:
            self.event({**HEAD, "choices": [{"index": 0, "delta": {"reasoning_content": reasoning}}]})
        middle = len(text) // 2
        self.piece(text[:middle])
        self.piece(text[middle:], finish)
        self.event({**HEAD, "choices": [], "usage": USAGE})
        self.wfile.write(b"data: [DONE]\n\n")


def orders_of(body: Body) -> list[str]:
    """Return the legal orders of the schema in a request."""
    form = body["text"]["format"] if "text" in body else body["response_format"]["json_schema"]
    orders: list[str] = form["schema"]["properties"]["order"]["enum"]
    return orders


def player(seed: int = 0) -> Behaviour:
    """Return a model that plays at random. It needs ``answer = "schema"``."""
    rng = Random(seed)

    def behave(handler: Handler, body: Body) -> None:
        handler.answer(json.dumps({"order": rng.choice(orders_of(body))}), reasoning="I take any of them.")

    return behave


@contextmanager
def providing(behave: Behaviour) -> Iterator[Provider]:
    with Provider(behave) as provider:
        thread = threading.Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            provider.stopped.set()
            provider.shutdown()
            thread.join()
