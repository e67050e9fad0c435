"""The built-in bots play all maps and modes without a refused action, and the better ones win."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.bots.builtin import module_source
from arena.testing import play_match
from arena_laser_flag import GAME
from arena_laser_flag.map_files import load_map, map_names

pytestmark = pytest.mark.process

ENDINGS = (["won", "lost"], ["lost", "won"], ["drawn", "drawn"])


def play(bots: list[Any], seed: int, **options: Any) -> Any:
    result = play_match("laser_flag", bots, seed=seed, options=options)
    assert [player.ending for player in result.players] in ENDINGS
    return result


@pytest.mark.parametrize("name", shortened(map_names(), 3))
@pytest.mark.parametrize("fog", [False, True])
def test_they_play_all_maps_without_a_refusal(name: str, fog: bool) -> None:
    result = play(
        ["builtin:commander", "builtin:sergeant"], 3, map=name, rules={"fog_of_war": fog, "hard_turn_limit": 2}
    )
    assert [player.refusals for player in result.players] == [{}, {}]


@pytest.mark.parametrize("mode", ["capture_the_flag", "assault", "elimination"])
@pytest.mark.parametrize("ruleset", ["alpha", "classic"])
def test_they_play_generated_maps(mode: str, ruleset: str) -> None:
    made = load_map(f"generate:seed=8,mode={mode},ruleset={ruleset},units=grunt+sniper+scout")
    rules = {"hard_turn_limit": 3}
    result = play(["builtin:commander", "builtin:sergeant"], 1, map=made, rules=rules)
    assert [player.refusals for player in result.players] == [{}, {}]


@pytest.mark.parametrize("bot", ["sergeant", "commander"])
def test_the_better_ones_beat_chance(bot: str) -> None:
    first, second = (
        play(bots, 1) for bots in ([f"builtin:{bot}", "builtin:rookie"], ["builtin:rookie", f"builtin:{bot}"])
    )
    assert [first.players[0].ending, second.players[1].ending] == ["won", "won"]
    assert [player.refusals for player in (*first.players, *second.players)] == [{}] * 4


def test_the_template_plays(tmp_path: Path) -> None:
    assert GAME.template is not None
    source = GAME.template.read_text(encoding="utf-8")
    for name, value in (("$game", "laser_flag"), ("$title", "Laser Flag"), ("$class_name", "First")):
        source = source.replace(name, value)
    (tmp_path / "first.py").write_text(source, encoding="utf-8")
    (tmp_path / "laser_flag.py").write_text(module_source(GAME), encoding="utf-8")
    result = play([tmp_path / "first.py", "builtin:rookie"], 4, rules={"hard_turn_limit": 6})
    assert result.players[0].refusals == {}
