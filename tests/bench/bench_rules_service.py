"""Figures for the rules as a service: push and pop over a pipe, against the same calls in one Python process; helpers.

Run it with `python tests/bench/bench_rules_service.py`. Times are medians in microseconds for each pair of push and
pop. The floor is what the calls take without a service, measured in turn with it. For helpers: the start of the service
up to the first answer, and one call of `Tile.is_passable` alone and in a message with 100.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter
from typing import Any

import msgpack

from arena.game import Seeded, registry

ROUNDS = 200
BATCH = 100


def main() -> None:
    """Print the figures for each game."""
    for name in ("saloon", "laser_flag", "derelict", "snakes"):
        compare(name)


def compare(name: str) -> None:
    """Print the figures for one game."""
    game = registry.load(name)
    state = game.start({}, Seeded(1))
    player = state.to_move()[0]
    actions = state.legal_actions(player)
    action = actions[len(actions) // 2]
    command = [sys.executable, "-m", "arena_player.rules"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        options = state.options_for(player)
        ask(service, [["fork", 0, name, game.version, options, state.view(player), player, 1]])
        single, batched, direct = [], [], []
        pair = [["push", 0, player, action], ["pop", 0, 0]]
        for _ in range(ROUNDS):
            single.append(timed(lambda: ask(service, pair)))
            batched.append(timed(lambda: ask(service, pair * BATCH)) / BATCH)
            direct.append(timed(lambda: push_and_pop(state, player, action)) / BATCH)
        assert service.stdin
        service.stdin.close()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        watch = ["watch", name, game.version, options, player, state.view(player), []]
        help_ = ["help", {"tile": [1, 1]}, "is_passable", {}]
        first = timed(lambda: ask(service, [watch, help_]))
        helper = median(timed(lambda: ask(service, [help_])) for _ in range(ROUNDS))
        helpers = median(timed(lambda: ask(service, [help_] * BATCH)) / BATCH for _ in range(ROUNDS))
        assert service.stdin
        service.stdin.close()
    floor = median(direct)
    print(
        f"{name:12} in process {floor:6.1f} us; batch of {BATCH}: {median(batched):6.1f} us, "
        f"ratio {median(batched) / floor:.2f}; alone: {median(single):6.1f} us; "
        f"helper {helper:.0f} us, of {BATCH}: {helpers:.1f} us; up to the first {first / 1000:.0f} ms"
    )


def ask(service: subprocess.Popen[bytes], requests: list[Any]) -> list[Any]:
    """Send one message and return its results."""
    assert service.stdin
    assert service.stdout
    service.stdin.write(msgpack.packb(requests))
    service.stdin.flush()
    unpacker = msgpack.Unpacker()
    while True:
        unpacker.feed(service.stdout.read1(1 << 20))  # type: ignore[attr-defined]
        for results in unpacker:
            assert all(result[0] for result in results), results
            return list(results)


def push_and_pop(state: Any, player: int, action: Any) -> None:
    """Push and pop as often as one batch does."""
    chance = Seeded(1)
    for _ in range(BATCH):
        state.pop(state.push(player, action, chance))
        chance.take()


def timed(call: Any) -> float:
    """Return the microseconds that a call takes."""
    start = perf_counter()
    call()
    return (perf_counter() - start) * 1e6


if __name__ == "__main__":
    main()
