"""The built-in bots play without a refused action, and each beats the weaker ones."""

import re
from pathlib import Path
from typing import Any

import pytest

from arena.game import Seeded
from arena.play.memory import MatchInMemory, bot_class, play_in_memory
from arena.play.referee.outputs import ActionEntry
from arena_saloon import GAME


@pytest.fixture(scope="module")
def bots() -> dict[str, Any]:
    return {bot.name: bot_class(GAME, f"builtin:{bot.name}") for bot in GAME.bots}


def play(bots: list[Any], seed: int, options: dict[str, int] | None = None, **how: Any) -> MatchInMemory:
    """Play a whole game. The seed is that of the map and of the coin flip."""
    chance = Seeded(seed)
    state = GAME.start(options or {}, chance)
    match = MatchInMemory.from_state(GAME, state, bots, chance, raises=True, **how)
    match.play()
    return match


def wins(first: Any, second: Any, games: int) -> int:
    """Count the games that the first bot wins, with each map played from both sides."""
    won = 0
    for number in range(games):
        swapped = number % 2
        match = play([second, first] if swapped else [first, second], 1000 + number // 2)
        won += match.outcome.winner == swapped
    return won


@pytest.mark.kill  # many whole matches
@pytest.mark.slow
def test_weakest_first(bots: dict[str, Any]) -> None:
    assert list(bots) == ["rowdy", "pianist", "sheriff"]
    assert wins(bots["pianist"], bots["rowdy"], 10) == 10
    assert wins(bots["sheriff"], bots["pianist"], 10) >= 8
    assert wins(bots["sheriff"], bots["rowdy"], 20) >= 19


@pytest.mark.parametrize("name", ["rowdy", "pianist", "sheriff"])
def test_same_seed_same_match(bots: dict[str, Any], name: str) -> None:
    digests = {play([bots[name], bots["sheriff"]], 3).result().digest for _ in range(2)}
    assert len(digests) == 1


@pytest.mark.parametrize("options", [{"width": 6, "height": 6}, {"rowdiness_to_siesta": 1}, {"max_cowboys_per_job": 4}])
def test_they_play_on_under_other_options(bots: dict[str, Any], options: dict[str, int]) -> None:
    for name, bot in bots.items():
        match = play([bot, bots["sheriff"]], 1, {"max_turns": 80, **options})
        assert match.outcome is not None, name
        for player in match.result().players:
            assert set(player.refusals) <= {"drunk", "already_moved", "dead", "busy"}


def test_the_sheriff_fights(bots: dict[str, Any]) -> None:
    entries: list[Any] = []
    for seed in range(4):
        play([bots["sheriff"], bots["pianist"]], seed, write=entries.append)
    kinds = {event["kind"] for entry in entries if isinstance(entry, ActionEntry) for event in entry.events[0]}
    assert {"play", "shot", "splash", "bottle_broken", "punch", "siesta_begins", "siesta_ends", "death"} <= kinds


CRUSHER = """
from saloon import AI

class Crusher(AI):
    def run_turn(self):
        cowboys = self.player.cowboys
        if not cowboys or self.player.in_danger_of_crush:
            self.player.young_gun.call_in("Brawler")
        assert not any(cowboy.is_dead for cowboy in self.player.cowboys)
        for cowboy in cowboys:
            cowboy.tile.neighbors
"""


def test_the_message_names_a_cowboy_who_died_in_a_loop(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(CRUSHER)
    result = play_in_memory("saloon", [tmp_path, lambda turn: {"type": "end_turn"}], seed=1)
    assert result.players[0].ending == "crashed"
    wrong = r"AttributeError: 'NoneType' object has no attribute 'neighbors'\."
    assert re.fullmatch(
        rf"{wrong} cowboy is c\d+, which left the board in this turn, so cowboy\.tile is None\.",
        result.players[0].stderr.splitlines()[-1],
    )
