"""Messages arrive once and in order, whatever is lost, doubled or late."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from arena.play.seats.stream import FrameKind, Stream, parse


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_every_message_arrives_once(seed: int, count: int) -> None:
    rng = random.Random(seed)
    here, there = Stream(b"s" * 16), Stream(b"s" * 16)
    wanted = [str(number).encode() for number in range(count)]
    got: list[bytes] = []
    for payload in wanted:
        frames = [here.message(FrameKind.DATA, payload)]
        if rng.random() < 0.4:
            frames = here.unconfirmed()
        for data in frames:
            if rng.random() < 0.3:
                continue  # lost with the connection
            for _ in range(rng.randrange(1, 3)):
                _receive(there, data, got)
        if rng.random() < 0.3:
            _receive(here, there.control(FrameKind.ECHO), [])
    for data in here.unconfirmed():
        _receive(there, data, got)
    assert got == wanted
    _receive(here, there.control(FrameKind.ECHO), [])
    assert here.unconfirmed() == []
    assert here.unconfirmed_bytes == 0


def _receive(stream: Stream, data: bytes, got: list[bytes]) -> None:
    frame = parse(data)
    assert frame is not None
    if stream.take(frame):
        got.append(frame.payload)


@given(st.binary(max_size=80))
def test_any_bytes_can_be_parsed(data: bytes) -> None:
    frame = parse(data)
    assert frame is None or Stream(b"x" * 16).take(frame) in (True, False)
