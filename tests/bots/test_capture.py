"""What is kept of a bot's output."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.capture import NOTE, Capture, printable


def captured(*pieces: bytes, kept: int = 8, read: int = 1 << 20) -> Capture:
    reader, writer = os.pipe()
    capture = Capture(reader, kept=kept, read=read)
    for piece in pieces:
        if not capture.closed:
            os.write(writer, piece)
            capture.drain()
    os.close(writer)
    capture.drain_rest()
    return capture


def test_little_is_kept_whole() -> None:
    capture = captured(b"abc\n", b"def")
    assert capture.text() == "abc\ndef"
    assert not capture.cut


def test_what_just_fits_is_not_cut() -> None:
    capture = captured(b"01234567", b"89abcdef")
    assert capture.text() == "0123456789abcdef"
    assert not capture.cut


def test_the_middle_is_cut_and_marked() -> None:
    capture = captured(b"01234567", b"--------------------", b"89abcdef")
    assert capture.text() == "01234567\n[cut: 20 bytes]\n89abcdef"
    assert capture.cut


def test_a_pipe_is_closed_after_too_much() -> None:
    capture = captured(b"0" * 30, b"1" * 30, b"2" * 30, read=50)
    assert capture.flooded
    assert capture.closed
    assert capture.total == 60
    assert capture.text().endswith("[cut: the pipe was closed after 60 bytes]\n")


def test_one_look_reads_a_bounded_amount() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    capture = Capture(reader)
    os.write(writer, b"x" * 60_000)
    assert capture.drain() == 60_000
    assert capture.drain() == 0
    assert not capture.closed
    os.close(writer)
    assert capture.drain() == 0
    assert capture.closed
    assert capture.fileno() == -1


def test_lines_are_taken_whole() -> None:
    reader, writer = os.pipe()
    capture = Capture(reader)
    os.write(writer, b"one\ntw")
    capture.drain()
    assert capture.take() == "one\n"
    assert capture.take() == ""
    os.write(writer, "ö\nend".encode())
    os.close(writer)
    capture.drain_rest()
    assert capture.take() == "twö\nend"
    assert capture.text() == "one\ntwö\nend"


def test_the_line_at_which_a_capture_is_full_is_taken_at_once_and_says_so() -> None:
    """Otherwise it would wait for its end, and belong to the last turn of the match."""
    reader, writer = os.pipe()
    capture = Capture(reader, kept=10)
    os.write(writer, b"one\n" + b"x" * 20)
    capture.drain()
    assert capture.take() == f"one\nxxxxxx\n{NOTE}\n"
    os.write(writer, b"x\nlater\n")
    capture.drain()
    assert capture.take() == ""
    capture.reserve(6)
    os.write(writer, b"stack\n")
    os.close(writer)
    capture.drain_rest()
    assert capture.take() == "stack\n"


def test_escape_sequences_are_made_visible() -> None:
    hostile = "\x1b[2J\x1b]0;title\x07 \r\u202egpj.exe\u2066\u200b\x00\x9b31m <b> \U000e0041"
    assert printable(hostile) == (
        "\\x1b[2J\\x1b]0;title\\x07 \\x0d\\u202egpj.exe\\u2066\\u200b\\x00\\x9b31m <b> \\U000e0041"
    )
    assert printable("two\n\tlines, naïve, 木") == "two\n\tlines, naïve, 木"


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=12), st.integers(1, 40))
def test_head_and_tail_are_always_those_of_the_stream(pieces: list[bytes], kept: int) -> None:
    capture = captured(*pieces, kept=kept)
    whole = b"".join(pieces)
    assert capture.total == len(whole)
    text = capture.text()
    if len(whole) <= 2 * kept:
        assert text == printable(whole.decode("utf-8", "replace"))
        assert not capture.cut
    else:
        assert text.startswith(printable(whole[:kept].decode("utf-8", "replace")))
        assert text.endswith(printable(whole[-kept:].decode("utf-8", "replace")))
        assert capture.cut
    assert text.replace("\n", "").replace("\t", "").isprintable() or not text
