"""Estimates of a game, compared with results of matches."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import process_time

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.game.chance import Sampled
from arena.match.lookup import find_game
from arena.study.coach.playing_bots import bot_class, is_quick
from arena.study.coach.playouts import PlayoutPolicy
from arena.testing import errors_in, estimate_errors, find_evaluation_power, fitted_power, inspect_game

SALOON = find_game("saloon")


class UpsideDown(SALOON.state):
    """The game, with estimates for the other player."""

    def evaluate(self):
        return super().evaluate()[::-1]


class Certain(SALOON.state):
    """Is certain that the first player wins."""

    def evaluate(self):
        return 0.98, 0.02


for kind in (UpsideDown, Certain):
    kind.__name__ = SALOON.state.__name__  # the schema has it: bots refuse to play a game with other classes


class Paused(bot_class(SALOON, "builtin:pianist")):
    """Is quick, but is interrupted in its second turn, as by a garbage collection."""

    turns = 0
    slow = (2,)

    def run_turn(self):
        type(self).turns += 1
        begun = process_time()
        while self.turns in self.slow and process_time() - begun < 0.3:
            pass


class Slow(Paused):
    slow = range(2, 99)


def test_a_quick_bot_is_found_even_if_one_turn_is_interrupted():
    start = SALOON.start({}, Sampled(Random(0)))
    quick, slow = (PlayoutPolicy(SALOON, (bot,), 0.1) for bot in (Paused, Slow))
    assert is_quick(quick, start, 0.1)
    assert not is_quick(slow, start, 0.1)


@pytest.mark.slow
def test_estimates_that_agree_with_results_are_accepted():
    assert estimate_errors(SALOON, matches=12) == []


def test_a_few_matches_that_end_alike_are_no_error():
    unlikely = [[(0.16, 0.0)]] * 12  # with this estimate, one of eight such samples has no win
    assert list(errors_in(unlikely, 2)) == []
    assert "evaluate returned 0.16" in next(errors_in(unlikely * 10, 2))


@pytest.mark.slow
def test_wrong_estimates_are_found():
    upside_down = estimate_errors(replace(SALOON, state=UpsideDown), matches=12)
    assert "no better than a guess" in upside_down[0]
    certain = estimate_errors(replace(SALOON, state=Certain))
    assert any("evaluate returned 0." in error for error in certain)


@pytest.mark.kill  # the same as above, after a check of the whole contract
def test_the_check_of_a_game_compares_its_estimates():
    report = inspect_game(replace(SALOON, state=UpsideDown), games=1, matches=12)
    assert {finding.rule for finding in report.findings} == {"estimates"}
    assert "no better than a guess" in report.findings[0].message


def test_a_game_without_estimates_needs_no_matches():
    assert estimate_errors(find_game("derelict"), {"turn_limit": 0}, matches=10**9) == []
    assert find_evaluation_power(find_game("derelict"), {"turn_limit": 0}, matches=10**9) is None


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
def test_the_power_of_estimates_is_found(power):
    """The results are those that estimates with this power announce."""
    rng, pairs = Random(1), []
    for _ in range(3000):
        weights = [rng.random() for _ in range(3)]
        shares = tuple(weight / sum(weights) for weight in weights)
        (winner,) = rng.choices(range(3), [share**power for share in shares])
        pairs.append((shares, tuple(float(player == winner) for player in range(3))))
    assert fitted_power(pairs) == pytest.approx(power, rel=0.15)


@pytest.mark.kill  # hundreds of playouts
@pytest.mark.slow
def test_the_power_of_a_game_makes_up_for_careful_estimates(monkeypatch):
    small = {"width": 12, "height": 8, "max_turns": 40}
    power = find_evaluation_power(SALOON, small, matches=12)
    assert power > 0.3
    right = SALOON.state.evaluate
    monkeypatch.setattr(SALOON.state, "evaluate", lambda state: tuple((1 + share) / 3 for share in right(state)))
    assert find_evaluation_power(SALOON, small, matches=12) > 2 * power


@pytest.mark.kill  # hundreds of playouts
@pytest.mark.slow
def test_the_command_reports_wrong_estimates(monkeypatch):
    right = SALOON.state.evaluate
    monkeypatch.setattr(SALOON.state, "evaluate", lambda state: right(state)[::-1])
    small = [part for name in ("width=12", "height=8", "max_turns=40") for part in ("-o", name)]
    run = CliRunner().invoke(cli, ["game", "check", "saloon", "--games", "1", *small])
    assert run.exit_code == 1, run.output
    assert "evaluate is no better than a guess" in run.output
