"""The client of a provider: one request to a model, streamed, and what has become of it.

An answer ends in one of four ways. It is whole, or cut off by the limit of its tokens: an `Answer`. It took too long
although it came: `LateError`. Or the provider failed: `OutageError`, with all that is no decision of the model, such as
refused requests, broken streams and silence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError

from arena.text.printable import printable
from arena_agents.settings import Model

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
PASSING = {408, 409, 425, 429}
"""Refusals that pass, besides the failures of the server itself (5xx)."""
Message = dict[str, str]


@dataclass(slots=True)
class Answer:
    """What a model has answered.

    Attributes:
        truncated: Whether the limit of tokens has cut it off.
        seconds: The wall time of the request.
    """

    text: str = ""
    reasoning: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    truncated: bool = False
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


@dataclass(slots=True)
class _Stream:
    answer: Answer = field(default_factory=Answer)
    ended: bool = False


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class _Delta(BaseModel):
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(BaseModel):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Chunk(BaseModel):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: Any = None


class _Response(BaseModel):
    status: str = ""
    usage: _Usage | None = None
    error: Any = None


class _Event(BaseModel):
    type: str
    delta: Any = None
    response: _Response = _Response()
    message: str = ""


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
        begin = time.monotonic()
        stream = _Stream()
        answer = stream.answer
        try:
            self._stream(messages, shape, stream, begin, seconds)
        except NoAnswerError as error:
            if answer.text or answer.reasoning:
                error.part = self._measured(answer, messages, begin)
            raise
        return self._measured(answer, messages, begin)

    def shape(self, kind: str, orders: list[str]) -> dict[str, Any]:
        """Return the part of a request's body that lets the model answer with one of these orders only."""
        return shape_of(kind, self._model.api, orders)

    def _measured(self, answer: Answer, messages: list[Message], begin: float) -> Answer:
        """Return an answer with its time, and with estimates of the tokens that the provider has not told."""
        answer.seconds = time.monotonic() - begin
        answer.tokens_in = answer.tokens_in or sum(len(message["content"]) for message in messages) // ESTIMATE
        answer.tokens_out = answer.tokens_out or 1 + (len(answer.text) + len(answer.reasoning)) // ESTIMATE
        return answer

    def _stream(
        self, messages: list[Message], shape: dict[str, Any], stream: _Stream, begin: float, seconds: float
    ) -> None:
        take = self._take_event if self._model.api == "responses" else self._take_chunk
        try:
            with self._client.stream("POST", self._path, json=self._body(messages) | shape) as response:
                self._check(response)
                for data in self._events(response, stream, begin, seconds):
                    if data == "[DONE]":
                        break
                    take(stream, data)
                    if self._is_too_long(stream.answer):
                        stream.answer.truncated = stream.ended = True
                        break
                    if stream.ended and self._model.api == "responses":
                        break
        except httpx2.HTTPError as error:
            raise OutageError(self._said(f"{type(error).__name__}: {error}")) from None
        except ValidationError:
            raise OutageError("the provider sent an event of an unknown form") from None
        if not stream.ended:
            raise OutageError("the provider cut the answer off")

    def _is_too_long(self, answer: Answer) -> bool:
        """Return whether a provider goes on although the answer must be over."""
        return len(answer.text) + len(answer.reasoning) > CHARACTERS_PER_TOKEN * (self._model.answer_tokens + 100)

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
            if len(text) > 200:
                break
        wait = response.headers.get("retry-after", "")
        raise OutageError(
            self._said(f"the provider refused with status {status}: {text}").rstrip(": "),
            passes=status >= 500 or status in PASSING,
            wait=min(float(wait), WAIT_MOST) if wait.isdecimal() else None,
        )

    def _said(self, text: str) -> str:
        """Return what a provider or the network said, on one short line and without our key, which some repeat."""
        return line_of(text.replace(self._key, "(key)") if self._key else text)

    def _events(self, response: httpx2.Response, stream: _Stream, begin: float, seconds: float) -> Iterator[str]:
        """Yield the data of the events, while there is time and room for them."""
        model, answer = self._model, stream.answer
        most = OVERHEAD + BYTES_PER_TOKEN * model.answer_tokens
        size, written, last, line_parts = 0, 0, begin, list[bytes]()
        for part in response.iter_bytes():
            size += len(part)
            line_parts.append(part)
            lines: list[bytes] = []
            if b"\n" in part:  # a long line is not joined again for each part
                *lines, rest = b"".join(line_parts).split(b"\n")
                line_parts = [rest]
            for line in lines:
                if line.startswith(b"data:"):
                    yield line[5:].strip().decode(errors="replace")
            now = time.monotonic()
            if written != (written := len(answer.text) + len(answer.reasoning)):
                last = now
            if now - begin > seconds and written:
                raise LateError
            if now - last > model.silence:
                raise OutageError(f"the provider sent no token for {model.silence:g} s")
            if size > most:
                raise OutageError(f"the provider sent more than {most} bytes")

    def _take_chunk(self, stream: _Stream, data: str) -> None:
        chunk, answer = _Chunk.model_validate_json(data), stream.answer
        if chunk.error:
            raise OutageError(self._said(f"the provider reports: {json.dumps(chunk.error)}"))
        for choice in chunk.choices[:1]:
            answer.text += choice.delta.content or ""
            answer.reasoning += choice.delta.reasoning_content or choice.delta.reasoning or ""
            if choice.finish_reason is not None:
                stream.ended, answer.truncated = True, choice.finish_reason == "length"
        if chunk.usage is not None:
            answer.tokens_in, answer.tokens_out = chunk.usage.prompt_tokens, chunk.usage.completion_tokens

    def _take_event(self, stream: _Stream, data: str) -> None:
        event, answer = _Event.model_validate_json(data), stream.answer
        if event.type == "response.output_text.delta":
            answer.text += str(event.delta)
        elif event.type in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
            answer.reasoning += str(event.delta)
        elif event.type in ("response.failed", "error"):
            raise OutageError(self._said(f"the provider reports: {event.message or json.dumps(event.response.error)}"))
        elif event.type in ("response.completed", "response.incomplete"):
            stream.ended, answer.truncated = True, event.response.status == "incomplete"
            if event.response.usage is not None:
                answer.tokens_in = event.response.usage.input_tokens
                answer.tokens_out = event.response.usage.output_tokens


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
