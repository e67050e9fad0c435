"""What the stream of a provider says, in both interfaces.

Providers differ in small things. What is missing, null or of a type that nobody expects says nothing here. Only what is
no JSON at all, or has no choices where they must be, is an error.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_TOKENS = 10**9
"""No answer has more. A provider that says so does not count, and neither does one that says less than 0."""
FILTERED = "content filter"
REFUSED = "refusal"


class UnknownFormError(Exception):
    """An event is nothing that a provider may send."""


class Events:
    """The data of the events in a stream of bytes, as they are complete."""

    def __init__(self) -> None:
        # It leaves out a mark of the byte order, and knows the three ends of lines.
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")("replace"), True)
        self._parts: list[str] = []
        self._data: list[str] = []

    def feed(self, part: bytes, *, last: bool = False) -> Iterator[str]:
        """Yield what the events of these bytes say. With the last bytes, the last event ends too."""
        text = self._decoder.decode(part, last) + ("\n\n" if last else "")
        self._parts.append(text)
        if "\n" not in text:  # a long line is not joined again for each part
            return
        *lines, rest = "".join(self._parts).split("\n")
        self._parts = [rest]
        for line in lines:
            if line.startswith("data:"):
                self._data.append(line[5:].strip())
            elif not line and self._data:
                data, self._data = self._data, []
                yield from _apart(data)


def _apart(data: list[str]) -> list[str]:
    """Return an event of several lines as one text, or as several where a provider leaves out the empty lines."""
    if len(data) == 1:
        return data
    try:
        _document("\n".join(data))
    except UnknownFormError:
        return data
    return ["\n".join(data)]


def _document(data: str) -> Any:
    try:
        # A number of thousands of digits is a number too, though Python makes no integer of it.
        return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) < 20 else float(digits))
    except (ValueError, RecursionError):
        raise UnknownFormError from None


@dataclass(slots=True)
class Reading:
    """An answer while it comes.

    Attributes:
        size: The characters that the model has written.
        ended: Whether the provider has said that this is all.
        failure: What the provider reports in the place of an answer.
        stopped: Why the provider or the model itself has given no answer: `FILTERED` or `REFUSED`.
        items: What is apart from the text: calls of tools, and whole parts of the answer, in their order.
    """

    texts: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    items: dict[int, str] = field(default_factory=dict)
    size: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ended: bool = False
    truncated: bool = False
    stopped: str = ""
    failure: str = ""

    @property
    def text(self) -> str:
        """What the model has answered. A call of a tool is a line of its name and what it gets."""
        return _joined("\n".join(filter(None, ("".join(self.texts), *self.items.values()))))

    @property
    def reasoning(self) -> str:
        return _joined("".join(self.reasonings))

    def take_chunk(self, data: str) -> None:
        """Read an event of chat completions."""
        chunk = _table(_document(data))
        if chunk.get("error"):
            self.failure = json.dumps(chunk["error"])
        choices = chunk.get("choices") or []
        if not isinstance(choices, list):
            raise UnknownFormError
        for choice in map(_table, choices[:1]):
            delta = _table(choice.get("delta"))
            self._write(self.texts, _text(delta.get("content")))
            self._write(self.reasonings, _text(delta.get("reasoning_content")) or _text(delta.get("reasoning")))
            self._refuse(_text(delta.get("refusal")))
            calls = delta.get("tool_calls")
            for call in map(_table, calls if isinstance(calls, list) else ()):
                self._call(_whole(call.get("index")), _table(call.get("function")))
            self._call(0, _table(delta.get("function_call")))
            if (reason := choice.get("finish_reason")) is not None:
                self._end(truncated=reason == "length", filtered=reason == "content_filter")
        self._use(chunk.get("usage"), "prompt_tokens", "completion_tokens")

    def take_event(self, data: str) -> None:
        """Read an event of responses."""
        event = _table(_document(data))
        kind, delta, response = event.get("type"), _text(event.get("delta")), _table(event.get("response"))
        if kind == "response.output_text.delta":
            self._write(self.texts, delta)
        elif kind in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
            self._write(self.reasonings, delta)
        elif kind == "response.refusal.delta":
            self._refuse(delta)
        elif kind == "response.function_call_arguments.delta":
            self.size += len(delta)  # the whole call comes at its end
        elif kind == "response.output_item.done":
            self._keep(_whole(event.get("output_index")), _table(event.get("item")))
        elif kind in ("response.failed", "error"):
            self.failure = _text(event.get("message")) or json.dumps(response.get("error") or event.get("error"))
        elif kind in ("response.completed", "response.incomplete"):
            output = response.get("output")
            for index, item in enumerate(map(_table, output if isinstance(output, list) else ())):
                self._keep(index, item)
            filtered = _table(response.get("incomplete_details")).get("reason") == "content_filter"
            self._end(truncated=kind == "response.incomplete" and not filtered, filtered=filtered)
            self._use(response.get("usage"), "input_tokens", "output_tokens")

    def _write(self, where: list[str], text: str) -> None:
        if text:
            where.append(text)
            self.size += len(text)

    def _refuse(self, text: str) -> None:
        if text:
            self.stopped = self.stopped or REFUSED
            self._write(self.texts, text)

    def _call(self, index: int, function: dict[str, Any]) -> None:
        """Add a part of a call of a tool. Its name comes with the first one."""
        name, arguments = _text(function.get("name")), _text(function.get("arguments"))
        if name or arguments:
            known = self.items.get(index)
            self.items[index] = f"{name} {arguments}" if known is None else known + arguments
            self.size += len(name) + len(arguments)

    def _keep(self, index: int, item: dict[str, Any]) -> None:
        """Keep a whole part of an answer, as far as it has not come piece by piece."""
        if item.get("type") == "function_call":
            self.items[index] = f"{_text(item.get('name'))} {_text(item.get('arguments'))}"
            return
        content = item.get("content")
        parts = [_table(part) for part in content] if isinstance(content, list) else []
        if item.get("type") != "message" or not parts:
            return
        refusal = "".join(_text(part.get("refusal")) for part in parts)
        if refusal:
            self.stopped = self.stopped or REFUSED
        if not self.texts:
            self.items[index] = _text(content) + refusal

    def _end(self, *, truncated: bool, filtered: bool) -> None:
        self.ended, self.truncated = True, truncated
        if filtered:
            self.stopped = FILTERED

    def _use(self, usage: Any, tokens_in: str, tokens_out: str) -> None:
        usage = _table(usage)
        self.tokens_in = _whole(usage.get(tokens_in)) or self.tokens_in
        self.tokens_out = _whole(usage.get(tokens_out)) or self.tokens_out


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int:
    """Return a number that can be a number of tokens, otherwise 0."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else 0


def _text(value: Any) -> str:
    """Return a text, which some providers send in parts."""
    if isinstance(value, list):
        return "".join(_text(_table(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def _joined(text: str) -> str:
    """Return a text with the halves of characters put together, and with a mark for each half that is alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
