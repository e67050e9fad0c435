"""What is read from the stream of a provider, with the oddities that providers have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena_agents.stream import Events, Reading


def read(api: str, *events: Any) -> Reading:
    """Read events: documents, or bytes as they are. They come in two pieces, which is the same as in one."""
    data = b"".join(
        event if isinstance(event, bytes) else b"data: %s\n\n" % json.dumps(event).encode() for event in events
    )
    readings = []
    for middle in (0, len(data) // 3):
        reading, stream = Reading(), Events()
        take = reading.take_event if api == "responses" else reading.take_chunk
        for part, last in ((data[:middle], False), (data[middle:], False), (b"", True)):
            for text in stream.feed(part, last=last):
                take(text)
        readings.append(reading)
    assert readings[0] == readings[1]
    return readings[0]


def delta(finish: str | None = None, **parts: Any) -> Any:
    return {"choices": [{"delta": parts, "finish_reason": finish}]}


UP, STOP = delta(content="up"), delta("stop")
ODD: dict[str, tuple[Any, ...]] = {
    "nothing": (b"data: null\n\ndata: 5\n\ndata: []\n\n", UP, STOP),
    "null": ({"choices": None, "usage": None}, {"choices": [{"delta": None}]}, UP, STOP),
    "mark": (b'\xef\xbb\xbfdata: {"choices": [{"delta": {"content": "up"}}]}\n\n', STOP),
    "lines": (b'data: {"choices": [{"delta":\r\ndata: {"content": "up"}}]}\r\n\r\n', STOP),
    "returns": (b'data: {"choices": [{"delta": {"content": "up"}}]}\r\r', STOP),
    "close": (
        b'data: {"choices": [{"delta": {"content": "u"}}]}\ndata: {"choices": [{"delta": {"content": "p"}}]}\n',
        STOP,
    ),
    "open": (UP, b'data: {"choices": [{"finish_reason": "stop"}]}'),
    "parts": (delta(content=[{"type": "text", "text": "up"}]), STOP),
    "number": (b'data: {"created": ' + b"9" * 6000 + b"}\n\n", UP, delta(7)),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_events_are_harmless(name: str) -> None:
    answer = read("chat", *ODD[name])
    assert (answer.text, answer.truncated, answer.ended) == ("up", False, True)


def test_halves_of_characters() -> None:
    answer = read("chat", delta(content="\ud83d"), delta(content="\ude00 \ud83d"), STOP)
    assert answer.text == "\U0001f600 \ufffd"


def item(kind: str, **parts: Any) -> Any:
    return {"type": kind, **parts}


def completed(*output: Any, status: str = "completed", **parts: Any) -> Any:
    return {"type": f"response.{status}", "response": {"status": status, "output": output, **parts}}


@pytest.mark.parametrize("said", [10**400, -5, 10.5, 1e30, True, None, "12", [1], float("nan")])
def test_what_is_no_number_of_tokens_says_nothing(said: Any) -> None:
    answer = read("chat", UP, STOP, {"usage": {"prompt_tokens": said, "completion_tokens": 5}})
    assert (answer.tokens_in, answer.tokens_out) == (0, 5)
    answer = read("responses", completed(usage={"input_tokens": 7, "output_tokens": said}))
    assert (answer.tokens_in, answer.tokens_out) == (7, 0)


CALL = item("function_call", name="move", arguments='{"direction": "up"}')


@pytest.mark.parametrize(
    ("api", "events"),
    [
        (
            "chat",
            (
                delta(tool_calls=[{"index": 0, "function": {"name": "move", "arguments": ""}}]),
                delta(tool_calls=[{"index": 0, "function": {"arguments": '{"direction":'}}]),
                delta(tool_calls=[{"index": 0, "function": {"arguments": ' "up"}'}}]),
                delta("tool_calls"),
            ),
        ),
        ("chat", (delta(function_call={"name": "move", "arguments": '{"direction": "up"}'}), delta("function_call"))),
        ("responses", (item("response.output_item.done", output_index=0, item=CALL), completed(CALL))),
        ("responses", (completed(CALL),)),
    ],
)
def test_calls_of_tools_can_be_read(api: str, events: Any) -> None:
    answer = read(api, *events)
    assert answer.text == 'move {"direction": "up"}'


def test_a_response_that_is_only_whole() -> None:
    message = item("message", content=[item("output_text", text="up")])
    assert read("responses", completed(message)).text == "up"
    piece = item("response.output_text.delta", delta="up")
    assert read("responses", piece, completed(message)).text == "up"


@pytest.mark.parametrize(
    ("api", "events", "stopped"),
    [
        ("chat", (UP, delta("content_filter")), "content filter"),
        ("chat", (delta(refusal="No."), STOP), "refusal"),
        (
            "responses",
            (completed(status="incomplete", incomplete_details={"reason": "content_filter"}),),
            "content filter",
        ),
        ("responses", (item("response.refusal.delta", delta="No."), completed()), "refusal"),
        ("responses", (completed(item("message", content=[item("refusal", refusal="No.")])),), "refusal"),
    ],
)
def test_what_stops_an_answer_is_named(api: str, events: Any, stopped: str) -> None:
    answer = read(api, *events)
    assert (answer.stopped, answer.truncated) == (stopped, False)
