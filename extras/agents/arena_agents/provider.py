"""The client of a provider: one request to a model, streamed, and what has become of it.

An answer ends in one of four ways. It is whole, or cut off by the limit of its tokens: an `Answer`. It took too long
although it came: `LateError`. Or the provider failed: `OutageError`, with all that is no decision of the model, such as
refused requests, broken streams and silence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from arena.text.printable import printable
from arena_agents.settings import Model
from arena_agents.stream import Events, Reading, UnknownFormError

CONNECT_SECONDS = 10.0
OVERHEAD, BYTES_PER_TOKEN = 1024 * 1024, 1000
"""Bytes of a stream that are read: so many, and so many for each token, which comes with a frame of JSON around it."""
CHARACTERS_PER_TOKEN = 16
"""Characters of an answer that are kept for each token that it may have.

Tokens have four on average. Longer ones exist, but an answer of such tokens alone is a provider that does not count.
"""
ESTIMATE = 3
"""Characters of a token, where a provider does not say how many tokens it took."""
WAIT_MOST = 16.0
LONGEST_LINE = 300
SHORTEST_SECRET = 8
"""Characters of a key that is hidden in answers. A shorter one is no secret, and may be a word of the game."""
PASSING = {408, 409, 425, 429}
"""Refusals that pass, besides the failures of the server itself (5xx)."""
Message = dict[str, str]


@dataclass(slots=True)
class Answer:
    """What a model has answered.

    Attributes:
        truncated: Whether the limit of tokens has cut it off.
        stopped: What has stopped it, if that was the provider's filter or a refusal of the model; otherwise empty.
        seconds: The wall time of the request.
    """

    text: str = ""
    reasoning: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    truncated: bool = False
    stopped: str = ""
    seconds: float = 0.0


class NoAnswerError(Exception):
    """There is no answer that can be used.

    Attributes:
        part: What had come of it. It may cost as much as a whole answer.
    """

    part: Answer | None = None


class OutageError(NoAnswerError):
    """The provider has failed.

    Attributes:
        passes: Whether another try can help.
        wait: Seconds to wait, if the provider has said so.
    """

    def __init__(self, reason: str, *, passes: bool = True, wait: float | None = None) -> None:
        super().__init__(reason)
        self.passes = passes
        self.wait = wait


class LateError(NoAnswerError):
    """The answer was still being written when its time was over."""


class Provider:
    """The client of one model. Several threads can ask."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._key = model.key.get_secret_value()
        # A compressed stream of a hostile provider would be a bomb.
        headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        self._path = f"{model.base_url.rstrip('/')}/{'responses' if model.api == 'responses' else 'chat/completions'}"
        self._client = httpx2.Client(
            headers=headers, timeout=httpx2.Timeout(model.silence, connect=min(CONNECT_SECONDS, model.silence))
        )

    def ask(self, messages: list[Message], shape: dict[str, Any], seconds: float) -> Answer:
        """Return the answer to a conversation.

        Args:
            shape: What the body says about the form of the answer (see `shape_of`).
            seconds: The time in which it must have come.

        Raises:
            LateError: The answer took longer.
            OutageError: The provider has failed.
        """
        begin, reading = time.monotonic(), Reading()
        try:
            self._stream(messages, shape, reading, begin, seconds)
        except NoAnswerError as error:
            if reading.size:
                error.part = self._answer(reading, messages, begin)
            raise
        return self._answer(reading, messages, begin)

    def shape(self, kind: str, orders: list[str]) -> dict[str, Any]:
        """Return the part of a request's body that lets the model answer with one of these orders only."""
        return shape_of(kind, self._model.api, orders)

    def _answer(self, reading: Reading, messages: list[Message], begin: float) -> Answer:
        """Return what was read, with estimates of the tokens that the provider has not told."""
        hidden = len(self._key) >= SHORTEST_SECRET
        return Answer(
            text=self._masked(reading.text) if hidden else reading.text,
            reasoning=self._masked(reading.reasoning) if hidden else reading.reasoning,
            tokens_in=reading.tokens_in or sum(len(message["content"]) for message in messages) // ESTIMATE,
            tokens_out=reading.tokens_out or 1 + reading.size // ESTIMATE,
            truncated=reading.truncated,
            stopped=reading.stopped,
            seconds=time.monotonic() - begin,
        )

    def _stream(
        self, messages: list[Message], shape: dict[str, Any], reading: Reading, begin: float, seconds: float
    ) -> None:
        take = reading.take_event if self._model.api == "responses" else reading.take_chunk
        try:
            with self._client.stream("POST", self._path, json=self._body(messages) | shape) as response:
                self._check(response)
                for data in self._events(response, reading, begin, seconds):
                    if data == "[DONE]":
                        break
                    take(data)
                    if reading.failure:
                        raise OutageError(self._said(f"the provider reports: {reading.failure}"))
                    if self._is_too_long(reading):
                        reading.truncated = reading.ended = True
                        break
                    if reading.ended and self._model.api == "responses":
                        break
        except httpx2.HTTPError as error:
            raise OutageError(self._said(f"{type(error).__name__}: {error}")) from None
        except UnknownFormError:
            raise OutageError("the provider sent an event of an unknown form") from None
        if not reading.ended:
            raise OutageError("the provider cut the answer off")

    def _is_too_long(self, reading: Reading) -> bool:
        """Return whether a provider goes on although the answer must be over."""
        return reading.size > CHARACTERS_PER_TOKEN * (self._model.answer_tokens + 100)

    def _body(self, messages: list[Message]) -> dict[str, Any]:
        model = self._model
        body: dict[str, Any] = {"model": model.model, "stream": True, **model.parameters}
        body |= {} if model.temperature is None else {"temperature": model.temperature}
        body |= {} if model.top_p is None else {"top_p": model.top_p}
        if model.api == "responses":
            return {**body, "input": messages, "max_output_tokens": model.answer_tokens, "store": False}
        body |= {"messages": messages, "stream_options": {"include_usage": True}}
        # Some models take only the new name of the limit, and other servers only the old one.
        return body if "max_completion_tokens" in body else {**body, "max_tokens": model.answer_tokens}

    def _check(self, response: httpx2.Response) -> None:
        status = response.status_code
        if status == 200 and response.headers.get("content-type", "").startswith("text/event-stream"):
            return
        if status == 200:
            raise OutageError("the provider did not send a stream of events")
        text = ""
        for part in response.iter_bytes(1000):
            text += part.decode(errors="replace")
            if len(text) > LONGEST_LINE + len(self._key):  # no part of the key is at the end of the line
                break
        raise OutageError(
            self._said(f"the provider refused with status {status}: {text}").rstrip(": "),
            passes=status >= 500 or status in PASSING,
            wait=_wait(response.headers.get("retry-after", "")),
        )

    def _said(self, text: str) -> str:
        """Return what a provider or the network said, on one short line and without our key, which some repeat."""
        return line_of(self._masked(text))

    def _masked(self, text: str) -> str:
        for form in filter(None, (self._key, json.dumps(self._key)[1:-1])):
            text = text.replace(form, "(key)")
        return text

    def _events(self, response: httpx2.Response, reading: Reading, begin: float, seconds: float) -> Iterator[str]:
        """Yield the data of the events, while there is time and room for them."""
        most = OVERHEAD + BYTES_PER_TOKEN * self._model.answer_tokens
        size, written, last, events = 0, 0, begin, Events()
        for part in response.iter_bytes():
            size += len(part)
            yield from events.feed(part)
            now = time.monotonic()
            if written != (written := reading.size):
                last = now
            if now - begin > seconds and written:
                raise LateError
            if now - last > self._model.silence:
                raise OutageError(f"the provider sent no token for {self._model.silence:g} s")
            if size > most:
                raise OutageError(f"the provider sent more than {most} bytes")
        yield from events.feed(b"", last=True)


def _wait(said: str) -> float | None:
    """Return the seconds of a header ``Retry-After``, which is a number or a date, up to the longest wait."""
    if said.isdecimal():
        return min(float(said), WAIT_MOST)
    try:
        date = parsedate_to_datetime(said)
    except (ValueError, OverflowError):
        return None
    left = (date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime.now(UTC)
    return min(max(0.0, left.total_seconds()), WAIT_MOST)


def line_of(text: str) -> str:
    """Return the beginning of a text on one line, with escapes for what would control a terminal."""
    return printable(" ".join(text[:LONGEST_LINE].split()))[:LONGEST_LINE]


def shape_of(kind: str, api: str, orders: list[str]) -> dict[str, Any]:
    """Return the part of a request's body that lets the model answer with one of these orders only.

    Args:
        kind: ``schema`` for a JSON schema, ``grammar`` for a grammar of llama.cpp.
    """
    if kind == "grammar":
        return {"grammar": "root ::= " + " | ".join(json.dumps(order) for order in orders)}
    order = {"type": "string", "enum": orders}
    schema = {
        "type": "object",
        "properties": {"order": order},
        "required": ["order"],
        "additionalProperties": False,
    }
    named = {"name": "order", "strict": True, "schema": schema}
    if api == "responses":
        return {"text": {"format": {"type": "json_schema", **named}}}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
