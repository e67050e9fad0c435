"""For any bytes, a reader reads a part of them or raises a `ReplayError` with one message, and no other exception."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_replays import Reader, ReplayError, records
from arena_replays.errors import DamagedReplay, NotAReplay, UnknownVersion
from arena_replays.limits import Budget


@pytest.fixture(scope="module")
def small(saloonish: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return Path(saloonish.write(tmp_path_factory.mktemp("small") / "game.arena", turns=6)).read_bytes()


@pytest.fixture(scope="module")
def small_journal(saloonish: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return Path(saloonish.write(tmp_path_factory.mktemp("small") / "game.arena", turns=6, end=False)).read_bytes()


def records_of(data: bytes) -> list[records.Record]:
    return [one for one in records.scan(data, len(records.PREAMBLE)) if isinstance(one, records.Record)]


def check_message(error: ReplayError) -> None:
    assert error.message.endswith(".")
    assert "\n" not in error.message


def read_all(data: bytes) -> Reader | None:
    """Read everything in a file. Return None if the file is refused."""
    try:
        reader = Reader(data)
        reader.check()
        assert len(reader.turns) <= len(reader.truth)
        for stream in range(reader.streams):
            for index in range(reader.frame_count(stream)):
                reader.frame(index, stream)
        for turn in reader.turns:
            if turn.last <= reader.frame_count():
                reader.state_at(turn.index)
    except ReplayError as error:
        return check_message(error)
    return reader


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_flipped_bytes_are_found(small: bytes, small_journal: bytes, data: st.DataObject) -> None:
    original = data.draw(st.sampled_from([small, small_journal]))
    at = data.draw(st.integers(0, len(original) - 1))
    flip = data.draw(st.integers(1, 255))
    altered = original[:at] + bytes([original[at] ^ flip]) + original[at + 1 :]
    reader = read_all(altered)
    assert reader is None or reader.problem


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_a_cut_file_is_read_as_far_as_it_goes(small: bytes, small_journal: bytes, data: st.DataObject) -> None:
    original = data.draw(st.sampled_from([small, small_journal]))
    whole = Reader(original)
    cut = data.draw(st.integers(0, len(original) - 1))
    reader = read_all(original[:cut])
    if reader is not None:
        assert reader.truncated
        assert reader.truth == whole.truth[: len(reader.truth)]
        assert list(reader.frames()) == list(whole.frames())[: reader.frame_count()]


@settings(deadline=None, max_examples=200)
@given(tail=st.binary(min_size=1, max_size=60))
def test_bytes_after_the_end_are_found(small: bytes, tail: bytes) -> None:
    reader = read_all(small + tail)
    assert reader is not None
    assert reader.problem
    assert reader.check()


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200))
def test_foreign_files_are_one_message(data: bytes) -> None:
    with pytest.raises(ReplayError):
        Reader(data)


nested = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300) | st.floats() | st.text(max_size=3) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(st.lists(st.tuples(st.integers(1, 7), nested, st.integers(0, 3), st.integers(0, 3)), max_size=4), nested)
def test_records_that_are_sound_outside_and_nonsense_inside(parts: list[Any], header: Any) -> None:
    head = header if isinstance(header, dict) else {"game": header}
    data = records.PREAMBLE + records.frame(records.HEADER, {"streams": 1, **head})
    for kind, value, form, count in parts:
        data += records.frame(kind, value, form=form, count=count)
    read_all(data)


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(st.data())
def test_finished_files_with_one_altered_value_inside(small: bytes, data: st.DataObject) -> None:
    target = data.draw(st.sampled_from([one for one in records_of(small) if one.kind != records.HEADER]))
    value = _alter(records.unpack(target, Budget()), data)
    span = {"stream": target.stream, "first": target.first, "count": target.count, "form": target.form}
    altered = records.frame(target.kind, value, **span)
    rest = target.offset + target.size
    forged = small[: target.offset] + altered + small[rest:]
    reader = read_all(forged)
    if reader is not None and forged != small:
        assert reader.check(), "a forged record must not fit into the hash chain"


def _alter(value: Any, data: st.DataObject) -> Any:
    if isinstance(value, (list, dict)) and value and data.draw(st.integers(0, 3)):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = data.draw(st.sampled_from(keys))
        changed = dict(value) if isinstance(value, dict) else list(value)
        changed[key] = _alter(changed[key], data)
        return changed
    return data.draw(nested)


def test_a_forged_record_is_named(replay: Path) -> None:
    data = replay.read_bytes()
    target = next(one for one in records_of(data) if one.kind == records.VIEW)
    value = records.unpack(target, Budget())
    value[0][0][2] = "Altered"
    forged = records.frame(target.kind, value, form=target.form, count=target.count)
    (finding,) = Reader(data[: target.offset] + forged + data[target.offset + target.size :]).check()[:1] or [""]
    assert f"byte {target.offset}" in finding or "index" in finding


def test_bombs_do_not_go_off() -> None:
    bomb = zlib.compress(msgpack.packb(b"\0" * (40 << 20)), 9)
    payload = records.SPAN.pack(records.PACKED, 0, 0, 1) + bomb
    start = records.FRAME.pack(records.HEADER, len(payload), 0)[:5]
    data = records.PREAMBLE + start + zlib.crc32(payload, zlib.crc32(start)).to_bytes(4, "little") + payload
    with pytest.raises(DamagedReplay):
        Reader(data)


def test_an_impossible_count_is_refused_without_memory() -> None:
    data = records.PREAMBLE + records.frame(records.HEADER, {"streams": 1}, form=records.PACKED)
    data += records.frame(records.TRUTH, [["setup", []]], count=2**32 - 1)
    reader = Reader(data)
    assert "truth" in reader.problem
    assert reader.truth == []


@pytest.mark.parametrize("form", [1, 3, 4])
def test_a_record_of_an_unknown_form_is_not_read(form: int) -> None:
    data = records.PREAMBLE + records.frame(records.HEADER, {"streams": 1}, form=records.PACKED)
    reader = Reader(data + records.frame(records.TRUTH, [["setup", []]], form=form))
    assert f"its form {form} is unknown" in reader.problem
    assert reader.truth == []


def test_the_refusals_of_a_file_say_what_it_is(tmp_path: Path, replay: Path) -> None:
    with pytest.raises(NotAReplay, match="cannot be opened"):
        Reader(tmp_path / "none.arena")
    with pytest.raises(NotAReplay, match="cannot be opened"):
        Reader(tmp_path)
    foreign = tmp_path / "picture.arena"
    foreign.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    with pytest.raises(NotAReplay, match=r"picture\.arena is not a replay"):
        Reader(foreign)
    newer = tmp_path / "newer.arena"
    newer.write_bytes(records.MAGIC + b"\x02" + replay.read_bytes()[8:])
    with pytest.raises(UnknownVersion, match="version 2"):
        Reader(newer)
    with pytest.raises(DamagedReplay, match="empty"):
        Reader(records.PREAMBLE)
