"""Clocks that make up for the speed of the machine."""

import pickle

import pytest

from arena.matches.engines.speed import (
    SPEED_VARIABLE,
    UnsuitableMachineError,
    clock_factor,
    measure,
    own_speed,
    stretched,
)


@pytest.mark.parametrize(
    ("speed", "factor"), [(10.0, 1.0), (10.9, 1.0), (9.2, 1.0), (5.0, 2.0), (20.0, 0.5), (2.5, 4.0), (3.0, 3.333)]
)
def test_a_slow_machine_gets_longer_clocks(speed, factor):
    assert clock_factor(10.0, speed) == factor


@pytest.mark.parametrize("speed", [2.4, 41.0])
def test_a_machine_that_clocks_cannot_make_equal_is_unsuitable(speed):
    with pytest.raises(UnsuitableMachineError, match="times the organizer's speed") as caught:
        clock_factor(10.0, speed)
    again = pickle.loads(pickle.dumps(UnsuitableMachineError(str(caught.value), "tcp://a:1")))
    assert str(again) == str(caught.value)
    assert again.address == "tcp://a:1"


def test_all_times_but_the_grace_are_stretched():
    clock = {"startup": 10.0, "bank": None, "increment": 0.1, "turn": 2.0, "grace": 0.02, "turn_wall": 4.0}
    assert stretched(clock, 1.5) == {"startup": 15.0, "bank": None, "increment": 0.15000000000000002, "turn": 3.0,
                                     "grace": 0.02, "turn_wall": 6.0}  # fmt: skip


def test_the_administrator_knows_better(monkeypatch):
    monkeypatch.setenv(SPEED_VARIABLE, "7.5")
    assert own_speed() == 7.5


def test_the_measurement_is_kept_for_a_while(monkeypatch):
    monkeypatch.delenv(SPEED_VARIABLE, raising=False)
    assert own_speed() == own_speed() > 0.0
    assert measure() > 0.0
