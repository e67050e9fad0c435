"""The built-in bots play both sides of all missions without a refused action."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from shortened import shortened

from arena.bots.builtin import module_source
from arena.bots.builtin_copy import builtin_bot
from arena.game import Clock, Sampled
from arena.testing import play_match
from arena_derelict import GAME, Game, decide
from arena_derelict.map_files import MISSIONS
from arena_player.modules import BotModules

NO_CLOCK = Clock(startup=60.0, bank=None, increment=0.0, turn=None)
"""A clock so long that a searching bot depends on its seed alone, and not on the load of the machine."""


@pytest.fixture(scope="module")
def judgement() -> Any:
    with BotModules(str(builtin_bot(GAME, "veteran").with_name("judgement.py"))) as modules:
        return modules.load()


def leg(judgement: Any, mission: str, seed: int, sensible: int) -> Game:
    """Play a game of the veteran's judgement against random choices, without bot processes."""
    rng = Random(seed)
    game: Any = GAME.start({"mission": mission}, Sampled(rng))
    judge = judgement.Judgement(game.options, game.board)
    while game.decision is not None:
        listed = game.legal_actions()
        others = [choice for choice in listed if choice["type"] != "pass"]
        if game.decision.player == sensible:
            choice = judge.choose(game, game.pieces, listed)
        else:
            choice = rng.choice(others if others and rng.random() < 0.95 else listed)
        game.push(game.decision.player, choice, Sampled(rng))
    state: Game = game
    return state


@pytest.mark.slow
@pytest.mark.parametrize("mission", MISSIONS)
def test_good_judgement_beats_chance(judgement: Any, mission: str) -> None:
    matches = 20 if mission == "crossways" else 4
    won = [decide([leg(judgement, mission, seed, 0), leg(judgement, mission, seed, 1)]) for seed in range(matches)]
    assert won.count(0) >= matches * 0.9


@pytest.mark.process
@pytest.mark.parametrize("mission", ["airlock", "pump_station"])
@pytest.mark.parametrize(
    ("first", "second"), [("castaway", "veteran"), ("veteran", "castaway"), ("veteran", "veteran")]
)
def test_they_play_without_a_refusal(mission: str, first: str, second: str) -> None:
    options = {"mission": mission, "turn_limit": 4}
    result = play_match("derelict", [f"builtin:{first}", f"builtin:{second}"], seed=5, options=options)
    assert [player.ending for player in result.players] in (["won", "lost"], ["lost", "won"], ["drawn", "drawn"])
    assert [player.refusals for player in result.players] == [{}, {}]


@pytest.mark.process
@pytest.mark.parametrize("mission", shortened(["airlock", "pump_station"]))
@pytest.mark.parametrize("side", [0, 1])
def test_the_tactician_plays_either_side(mission: str, side: int) -> None:
    bots = ["builtin:veteran", "builtin:veteran"]
    bots[side] = "builtin:tactician"
    result = play_match("derelict", bots, seed=2, options={"mission": mission, "turn_limit": 2}, clock=NO_CLOCK)
    assert {player.ending for player in result.players} <= {"won", "lost", "drawn"}
    assert [player.refusals for player in result.players] == [{}, {}]


@pytest.mark.process
def test_the_template_plays(tmp_path: Path) -> None:
    assert GAME.template is not None
    source = GAME.template.read_text(encoding="utf-8")
    for name, value in (("$game", "derelict"), ("$title", "Derelict"), ("$class_name", "First")):
        source = source.replace(name, value)
    (tmp_path / "first.py").write_text(source, encoding="utf-8")
    (tmp_path / "derelict.py").write_text(module_source(GAME))
    for bots in ([tmp_path, "builtin:castaway"], ["builtin:castaway", tmp_path]):
        files = [bot / "first.py" if isinstance(bot, Path) else bot for bot in bots]
        result = play_match("derelict", files, seed=1, options={"mission": "airlock"})
        assert {player.ending for player in result.players} <= {"won", "lost", "drawn"}


@pytest.mark.process
@pytest.mark.slow
def test_the_example_looks_ahead(tmp_path: Path) -> None:
    """The example of a search plays the marines against the veteran."""
    source = Path(__file__).parents[3] / "docs" / "examples" / "lookout.py"
    (tmp_path / "lookout.py").write_bytes(source.read_bytes())
    (tmp_path / "derelict.py").write_text(module_source(GAME))
    bots = [tmp_path / "lookout.py", "builtin:veteran"]
    result = play_match("derelict", bots, seed=1, options={"mission": "airlock"}, clock=NO_CLOCK)
    assert [player.refusals for player in result.players] == [{}, {}]
    assert result.outcome.winner == 0
