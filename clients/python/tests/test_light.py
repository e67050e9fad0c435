"""The kit's own parts of `contextlib` and `functools` do what those do, and starting a bot does not import theirs."""

from __future__ import annotations

import contextlib
import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena_player import light


def _outcome(made: Callable[[Callable[[], Iterator[int]]], Any], steps: Callable[[], Iterator[int]], body: Any) -> Any:
    try:
        with made(steps)() as value:
            body(value)
    except BaseException as error:
        return type(error), str(error)
    return "ended"


def _passes() -> Iterator[int]:
    yield 1


def _catches() -> Iterator[int]:
    with contextlib.suppress(ValueError):
        yield 2


def _replaces() -> Iterator[int]:
    try:
        yield 3
    except ValueError as error:
        raise KeyError("other") from error


def _goes_on() -> Iterator[int]:
    with contextlib.suppress(ValueError):
        yield 4
    yield 5


def _raise(error: BaseException) -> Callable[[int], None]:
    def body(_value: int) -> None:
        raise error

    return body


@pytest.mark.parametrize("steps", [_passes, _catches, _replaces])
@pytest.mark.parametrize("error", [None, ValueError("one"), StopIteration("two"), KeyboardInterrupt("three")])
def test_blocks_end_as_those_of_contextlib(steps: Callable[[], Iterator[int]], error: BaseException | None) -> None:
    body = _raise(error) if error is not None else lambda _value: None
    assert _outcome(light.contextmanager, steps, body) == _outcome(contextlib.contextmanager, steps, body)


def test_a_generator_that_goes_on_is_a_mistake() -> None:
    assert _outcome(light.contextmanager, _goes_on, _raise(ValueError("one")))[0] is RuntimeError


def test_properties_are_computed_once_and_can_be_assigned() -> None:
    for kind in (light.cached_property, functools.cached_property):
        computed = []

        def value(self: Any, computed: list[Any] = computed) -> int:
            """The words."""
            computed.append(self)
            return 7

        made = kind(value)
        thing_class = type("Thing", (), {"value": made})
        thing = thing_class()
        assert (thing.value, thing.value, computed) == (7, 7, [thing])
        thing.value = 8
        assert thing.value == 8
        assert thing_class.value is made
        assert made.__doc__ == "The words."


@pytest.mark.process
def test_the_start_of_a_bot_imports_nothing_slow() -> None:
    program = (
        "import arena_player.runner as runner, sys; runner.report_position_on_request(); "
        "import arena_player.link, arena_player.session; print(*sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert not {"typing", "contextlib", "functools", "types", "enum", "signal", "re", "socket"} & set(output.split())
