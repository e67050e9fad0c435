"""``arena replay log --turn``: turns of a replay in the text form of its game."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from random_positions import game_of

from arena.play.memory import MatchInMemory, play_in_memory


def test_turns_have_the_position_the_orders_and_the_news(tmp_path: Path, arena: Callable[..., Any]) -> None:
    replay = tmp_path / "m.arena"
    play_in_memory("saloon", ["builtin:sheriff", "builtin:pianist"], seed=1, replay=replay, options={"max_turns": 12})
    text = arena("replay", "log", replay, "--turn", "3-5").stdout
    assert [line for line in text.splitlines() if line.startswith(("Before", "Turn"))] == [
        "Before turn 3",
        "Turn 3 of player 0 (sheriff)",
        "Turn 4 of player 1 (pianist)",
        "Turn 5 of player 0 (sheriff)",
    ]
    assert "\ngame: current_turn 2, current_player 0, " in text
    assert text.count("  player 0: end_turn\n  News:\n") == 2
    assert "\n  game: current_turn 5, current_player 1" in text
    turns = json.loads(arena("replay", "log", replay, "--turn", "3-5", "--json").stdout)
    assert [(turn["turn"], turn["player"], bool(turn["position"])) for turn in turns] == [
        (3, 0, True), (4, 1, False), (5, 0, False),
    ]  # fmt: skip
    assert turns[0]["orders"][-1] == "player 0: end_turn"


def test_the_view_of_a_player_has_no_orders_of_others_and_nothing_hidden(
    tmp_path: Path, arena: Callable[..., Any]
) -> None:
    replay = tmp_path / "m.arena"
    match = MatchInMemory(game_of("kuhn_poker"), [None, None], seed=3, replay=replay)
    cards = [seat.card for seat in match.state.seats]
    while match.player is not None and match.state.actions < 2:
        match.act(match.player, {"type": "bet"})
    match.close()
    everything = arena("replay", "log", replay, "--turn", "1").stdout
    seen = arena("replay", "log", replay, "--turn", "1", "--player", "1").stdout
    assert f"seat0 0 {cards[0]}" in everything
    assert f"seat1 1 {cards[1]}" in seen
    assert "seat0 0 ?" in seen
    assert "bet" in everything
    assert "player 0: bet" not in seen


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--turn", "90"], 4, "has no turns 90 to 90.\n  Its turns are 1 to 2."),
        (["--turn", "1", "--player", "2"], 4, "has no player 2."),
        (["--turn", "2-1"], 2, "It must be a turn such as 30, or turns such as 30-34."),
        (["--turn", "x"], 2, "It must be a turn such as 30, or turns such as 30-34."),
        (["--player", "1"], 2, "--player belongs to --turn."),
        (["--turn", "1", "--printed"], 2, "Choose --turn or --printed."),
    ],
)
def test_what_cannot_be_shown(
    tmp_path: Path, arena: Callable[..., Any], words: list[str], code: int, message: str
) -> None:
    replay = tmp_path / "m.arena"
    play_in_memory("saloon", ["builtin:rowdy", "builtin:rowdy"], seed=1, replay=replay, options={"max_turns": 2})
    ran = arena("replay", "log", replay, *words)
    assert message in ran.stderr
    assert ran.code == code
