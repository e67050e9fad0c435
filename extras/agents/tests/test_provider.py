"""The client against a provider that behaves badly in every way: what each behaviour is taken for."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from fake_provider import Behaviour, Body, Handler, providing

from arena_agents.provider import LateError, OutageError, Provider, shape_of
from arena_agents.settings import Model

KEY = "sk-secret"
ASKED = [{"role": "system", "content": "rules"}, {"role": "user", "content": "position"}]


def ask(behave: Behaviour, seconds: float = 30.0, **settings: Any) -> Any:
    with providing(behave) as provider:
        model = Model(base_url=provider.url, model="m", **{"key": KEY, "silence": 0.3, **settings})
        return Provider(model).ask(ASKED, {}, seconds), provider


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_answer_is_read_from_the_stream(api: str) -> None:
    answer, provider = ask(lambda handler, _: handler.answer("up"), api=api, temperature=0.5)
    assert (answer.text, answer.truncated, answer.tokens_in, answer.tokens_out) == ("up", False, 100, 10)
    (body,) = provider.bodies
    assert body["input" if api == "responses" else "messages"] == ASKED
    assert body["temperature"] == 0.5
    assert provider.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_cut_off_answer_is_told(api: str) -> None:
    answer, _ = ask(lambda handler, _: handler.answer("s0 mo", "length"), api=api)
    assert answer.truncated
    assert answer.text == "s0 mo"


def test_reasoning_is_apart() -> None:
    answer, _ = ask(lambda handler, _: handler.answer("up", reasoning="hm"))
    assert (answer.text, answer.reasoning) == ("up", "hm")


def chat(*events: Any) -> Behaviour:
    """Return a provider that sends these events: documents, deltas as `delta` makes them, or lines as they are."""

    def behave(handler: Handler, _: Body) -> None:
        handler.begin()
        for event in events:
            if isinstance(event, bytes):
                handler.wfile.write(event)
            else:
                handler.event(event)

    return behave


def delta(finish: str | None = None, **parts: Any) -> Any:
    return {"choices": [{"delta": parts, "finish_reason": finish}]}


def test_the_tokens_are_estimated_where_the_provider_cannot_count() -> None:
    answer, _ = ask(chat(delta("stop", content="up"), {"usage": {"prompt_tokens": 10**400, "completion_tokens": -5}}))
    assert (answer.tokens_in, answer.tokens_out) == (4, 1)


@pytest.mark.parametrize("key", ["sk-secret", 'sk-"secret"'])
def test_a_key_in_an_answer_is_hidden(key: str) -> None:
    parts = (delta(reasoning=key[:4]), delta(reasoning=key[4:]), delta(content=f"up {key[:4]}"), delta(content=key[4:]))
    answer, _ = ask(chat(*parts, delta("stop")), key=key)
    assert (answer.text, answer.reasoning) == ("up (key)", "(key)")
    with pytest.raises(OutageError) as raised:
        ask(chat({"error": {"message": key}}), key=key)
    assert key not in str(raised.value)
    assert "(key)" in str(raised.value)


def test_a_short_key_is_a_word_like_others() -> None:
    assert ask(chat(delta(content="up"), delta("stop")), key="up")[0].text == "up"


def test_a_date_to_wait_for() -> None:
    for seconds, least, most in ((8, 5.0, 8.0), (-60, 0.0, 0.0), (10**6, 16.0, 16.0)):
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
        with pytest.raises(OutageError) as raised:
            ask(status(429, retry_after=date))
        assert raised.value.wait is not None
        assert least <= raised.value.wait <= most


def status(code: int, text: str = "", **headers: str) -> Behaviour:
    def behave(handler: Handler, _: Body) -> None:
        handler.begin(code, "application/json", **headers)
        handler.wfile.write(text.encode())

    return behave


def cut(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.piece("s0 move up")


def page(handler: Handler, _: Body) -> None:
    handler.begin(kind="text/html")
    handler.wfile.write(b"<script>alert(1)</script>")


def garbage(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.wfile.write(b"data: \xff\x00{]\n\n")


def wrong(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.event({"choices": {"delta": 1}})


def failure(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.event({"error": {"message": f"no room for {KEY}\x1b[2J"}})


def silent(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.server.stopped.wait(10)


def breathing(handler: Handler, _: Body) -> None:
    """Send signs of life, and no token."""
    handler.begin()
    while not handler.server.stopped.wait(0.02):
        handler.wfile.write(b": wait\n\n")


def frames(handler: Handler, _: Body) -> None:
    """Send empty events as fast as possible."""
    handler.begin()
    line = b"data: " + json.dumps({"choices": [], "padding": "x" * 60_000}).encode() + b"\n\n"
    while not handler.server.stopped.is_set():
        handler.wfile.write(line)


OUTAGES: dict[str, tuple[Behaviour, str, bool]] = {
    "busy": (status(429, "slow down", retry_after="3"), "status 429", True),
    "broken": (status(500, f"your key {KEY}"), "status 500", True),
    "refused": (status(401, f"bad key {KEY}"), "status 401", False),
    "cut": (cut, "cut the answer off", True),
    "page": (page, "did not send a stream", True),
    "garbage": (garbage, "unknown form", True),
    "wrong": (wrong, "unknown form", True),
    "failure": (failure, "no room for (key)", True),
    "silent": (silent, "ReadTimeout", True),
    "breathing": (breathing, "no token for 0.3 s", True),
    "frames": (frames, "more than", True),
}


@pytest.mark.parametrize("name", OUTAGES)
def test_failures_of_the_provider_are_outages(name: str) -> None:
    behave, reason, passes = OUTAGES[name]
    with pytest.raises(OutageError, match=reason.replace("(", r"\(").replace(")", r"\)")) as raised:
        ask(behave, answer_tokens=10)
    assert raised.value.passes is passes
    assert KEY not in str(raised.value)
    assert str(raised.value).isprintable()
    assert raised.value.wait == (3.0 if name == "busy" else None)


def test_nobody_at_the_address_is_an_outage() -> None:
    with pytest.raises(OutageError, match="ConnectError"):
        Provider(Model(base_url="http://127.0.0.1:9", model="m")).ask(ASKED, {}, 1.0)


def endless(handler: Handler, _: Body) -> None:
    handler.begin()
    while not handler.server.stopped.is_set():
        handler.piece("up " * 1000)


def large(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.piece("x" * 3_000_000, "stop")


@pytest.mark.parametrize("behave", [endless, large])
def test_an_answer_without_end_is_cut_off(behave: Behaviour) -> None:
    answer, _ = ask(behave, answer_tokens=3000, silence=5.0)
    assert answer.truncated


def slow(handler: Handler, _: Body) -> None:
    handler.begin()
    while not handler.server.stopped.wait(0.02):
        handler.piece("a")


def test_an_answer_that_takes_too_long_is_late() -> None:
    begin = time.monotonic()
    with pytest.raises(LateError):
        ask(slow, seconds=0.2)
    assert time.monotonic() - begin < 5


def test_the_shape_of_answers() -> None:
    assert shape_of("grammar", "chat", ["a 1", 'b "x"']) == {"grammar": 'root ::= "a 1" | "b \\"x\\""'}
    assert shape_of("schema", "responses", ["a"])["text"]["format"]["schema"]["properties"]["order"]["enum"] == ["a"]
