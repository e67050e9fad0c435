"""Compare the rules service, a real process behind a pipe, with the rules in this process."""

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest

registry = pytest.importorskip("arena.game.registry")
chance = pytest.importorskip("arena.game.chance")

pytestmark = pytest.mark.process

GAMES = ["saloon", "laser_flag", "derelict", "snakes"]


class Service:
    def __init__(self) -> None:
        command = [sys.executable, "-m", "arena_player.rules"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.answers = msgpack.Unpacker()

    def send(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def results(self, *requests: object) -> list[Any]:
        self.send(msgpack.packb(list(requests)))
        while True:
            for answer in self.answers:
                assert isinstance(answer, list)
                return answer
            data = self.stdout.read1(1 << 16)  # type: ignore[attr-defined]
            assert data, "the service has ended"
            self.answers.feed(data)

    def values(self, *requests: object) -> list[Any]:
        results = self.results(*requests)
        assert all(result[0] is True for result in results), results
        return [result[1] for result in results]


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    with made.process:
        yield made
        made.stdin.close()
        assert made.process.wait(20) == 0


def triples(flat: list[Any]) -> list[str]:
    return sorted(map(repr, zip(flat[::3], flat[1::3], flat[2::3], strict=True)))


def fork_request(game: Any, state: Any, number: int, player: int, seed: int = 1) -> list[Any]:
    options = state.options_for(player)
    return ["fork", number, game.name, game.version, options, state.view(player), player, seed]


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_state_of_the_service_follows_the_rules(service: Service, name: str) -> None:
    game = registry.load(name)
    rng = random.Random(name)
    dice = chance.Seeded(3)
    state = game.start({}, dice)
    for _ in range(4):
        state.push(state.to_move()[0], rng.choice(state.legal_actions()), dice)
    player = state.to_move()[0]
    view, actions, movers, scores = service.values(
        fork_request(game, state, 0, player), ["view", 0, player], ["legal_actions", 0], ["to_move", 0], ["scores", 0]
    )[1:]
    assert movers == list(state.to_move())
    assert [repr(one) for one in actions] == [repr(one) for one in state.legal_actions()]
    if not state.hides_information():
        assert triples(view) == triples(state.view(player))
        assert scores == list(state.scores())
    depth, changed, left, after = service.values(
        ["push", 0, player, rng.choice(actions)], ["changes", 0, 0, player], ["pop", 0, 0], ["view", 0, player]
    )
    assert (depth, left) == (1, 0)
    assert isinstance(changed, list)
    assert after == view


def test_a_whole_game_in_one_batch_is_undone_at_once(service: Service) -> None:
    game = registry.load("saloon")
    state = game.start({"max_turns": 20}, chance.Seeded(2))
    before = service.values(fork_request(game, state, 7, 0), ["view", 7])[1]
    turns = [["push", 7, number % 2, {"type": "end_turn"}] for number in range(20)]
    *depths, outcome, nobody = service.values(*turns, ["outcome", 7], ["to_move", 7])
    assert depths == list(range(1, 21))
    assert outcome["reason"] == "out_of_reach" or "winner" in outcome
    assert nobody == []
    assert service.values(["pop", 7, 0], ["view", 7], ["outcome", 7]) == [0, before, None]


def test_a_copy_is_independent_and_the_same_seed_gives_the_same_dice(service: Service) -> None:
    game = registry.load("laser_flag")
    state = game.start({}, chance.Seeded(2))
    player = state.to_move()[0]
    service.values(fork_request(game, state, 0, player), ["clone", 0, 1, 5], ["clone", 0, 2, 5], ["clone", 0, 3, 6])
    for _ in range(40):
        mover, actions = service.values(["to_move", 1], ["legal_actions", 1])
        service.values(*(["push", number, mover[0], actions[len(actions) // 2]] for number in (1, 2, 3)))
    first, second, original = service.values(["view", 1], ["view", 2], ["view", 0])
    assert first == second
    assert first != original
    assert service.results(["free", 1], ["view", 1])[1][:2] == [False, "bad_request"]


def test_what_is_refused_changes_nothing_and_the_rest_is_done(service: Service) -> None:
    game = registry.load("saloon")
    state = game.start({}, chance.Seeded(2))
    results = service.results(
        fork_request(game, state, 0, 0),
        ["push", 0, 1, {"type": "end_turn"}],
        ["push", 0, 0, {"type": "fly"}],
        ["fly", 0],
        ["push"],
        [[]],
        [],
        5,
        ["view", 99],
        ["fork", 1, "nothing", "1", {}, [], 0, 0],
        ["fork", 1, "saloon", "0.9", {}, [], 0, 0],
        ["push", 0, 0, {"type": "end_turn"}],
    )
    assert results[0] == [True, None]
    assert results[1][:2] == [False, "not_your_turn"]
    assert results[2][:2] == [False, "bad_argument"]
    assert [result[:2] for result in results[3:11]] == [[False, "bad_request"]] * 8
    assert "no state 99" in results[8][2]
    assert "not installed" in results[9][2]
    assert "version 0.9" in results[10][2]
    assert results[11] == [True, 1]


def test_a_message_that_is_no_list_is_answered(service: Service) -> None:
    service.send(msgpack.packb({"a": 1}))
    assert service.results(["to_move", 0]) == [[False, "bad_request", "A message is a list of requests."]]


def test_input_that_is_not_msgpack_ends_the_service_with_a_message() -> None:
    service = Service()
    with service.process as process:
        service.send(b"\xc1")
        assert process.wait(20) == 1
        assert process.stderr
        assert b"received an invalid message" in process.stderr.read()


def test_requests_for_helpers_that_are_wrong_have_a_message_and_change_nothing(service: Service) -> None:
    game = registry.load("laser_flag")
    state = game.start({}, chance.Seeded(1))
    unit = state.units[0].id
    assert (
        service.results(["help", None, "game", {}], ["update", [], []])
        == [[False, "bad_request", "The request `watch` comes before `update` and `help`."]] * 2
    )
    options = state.options_for(0)
    watch = ["watch", game.name, game.version, options, 0, state.view(0), []]
    assert service.values(watch, ["help", {"id": unit}, "is_mine", {}]) == [None, True]
    requests = [
        ["help", {"id": unit}, "is_yours", {}],
        ["help", {"id": unit}, "_owner", {}],
        ["help", {"id": "u99"}, "is_mine", {}],
        ["help", {"tile": [1, -1]}, "kind", {}],
        ["help", {"id": unit}, "to_hit", {"target": {"id": unit}, "from": 1}],
        ["help", {"id": unit}, "to_hit", {}],
    ]
    results = service.results(*requests)
    assert [result[:2] for result in results] == [[False, "bad_request"]] * len(requests)
    assert [result[2] for result in results] == [
        "There is no helper Unit.is_yours. `arena sdk` writes the classes of the bot again.",
        "There is no helper Unit._owner. `arena sdk` writes the classes of the bot again.",
        "There is no object or tile {'id': 'u99'}.",
        "There is no object or tile {'tile': [1, -1]}.",
        "Unit.to_hit raised TypeError: UnitExtras.to_hit() got an unexpected keyword argument 'from'",
        "Unit.to_hit raised TypeError: UnitExtras.to_hit() missing 1 required positional argument: 'target'",
    ]
    assert service.values(["help", {"id": unit}, "is_mine", {}]) == [True]
    move = {"type": "move", "unit": unit, "x": 1, "y": 1}
    assert service.values(["help", {"id": unit}, "move", {"tile": {"tile": [1, 1]}}]) == [{"acts": [move]}]
