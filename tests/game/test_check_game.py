"""The conformance kit: sound games pass, and every defect is named for what it is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import broken_games
import broken_tables
import cellar_game as cellar
import frontier_game
import gem_run_game as gem_run
import lowest_bid_game as lowest_bid
import pytest
import sealed_orders_game as sealed_orders

from arena.bots.builtin import module_source
from arena.game import GameSpec, IllegalAction, OptionError
from arena.study.checks.contract.budget import Budget
from arena.study.checks.contract.random_games import Spacing
from arena.testing import RULES, GameDefect, check_game, inspect_game

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", [sealed_orders.GAME, cellar.GAME, gem_run.GAME], ids=lambda game: game.name)
def test_sound_games_pass(game: GameSpec) -> None:
    report = check_game(game, games=4)
    assert report.games == 4
    assert report.positions > 30
    assert report.trials > 1000


def test_twelve_games_are_played_if_nobody_says_how_many() -> None:
    assert inspect_game(sealed_orders.GAME, options={"rounds": 1}).games == 12


def test_a_seed_can_be_a_text() -> None:
    assert check_game(gem_run.GAME, games=1, seed="other") != check_game(gem_run.GAME, games=1)


def test_the_game_that_the_broken_ones_are_made_of_is_sound() -> None:
    check_game(broken_games.spec(broken_games.Pile), games=4)


@pytest.mark.parametrize(
    ("state", "rule", "words"),
    broken_games.BROKEN,
    ids=[f"{state.__name__}-{rule}" for state, rule, _ in broken_games.BROKEN],
)
def test_every_defect_is_found_and_named(state: Any, rule: str, words: str) -> None:
    for games in (1, 4):  # most defects are found in the first game
        report = inspect_game(broken_games.spec(state), games=games, limit=100)
        found = [finding for finding in report.findings if finding.rule == rule and words in finding.message]
        if found:
            return
    pytest.fail(str(report))


def test_every_rule_of_the_kit_is_broken_by_some_game() -> None:
    elsewhere = {"rulebook", "lessons", "estimates", "globals"}  # they have tests of their own
    assert {rule for _, rule, _ in (*broken_games.BROKEN, *broken_tables.BROKEN)} == set(RULES) - elsewhere


@pytest.mark.parametrize(
    ("state", "rule", "words"),
    broken_tables.BROKEN,
    ids=[f"{state.__name__}-{rule}" for state, rule, _ in broken_tables.BROKEN],
)
def test_every_defect_of_a_game_for_four_is_found_and_named(state: Any, rule: str, words: str) -> None:
    for games in (1, 6):
        report = inspect_game(lowest_bid.spec(state), games=games, options=[{"rounds": 3}])
        if any(finding.rule == rule and words in finding.message for finding in report.findings):
            return
    pytest.fail(str(report))


def test_a_sound_game_of_teams_raises_no_alarm() -> None:
    check_game(lowest_bid.spec(broken_tables.SoundTeams), games=2, options={"players": 4})


def test_a_defect_that_needs_the_most_players_is_found() -> None:
    report = inspect_game(broken_tables.ONLY_THREE, games=3)
    assert "for 4 players" in str(report)


class TalkativeCellar(cellar.Cellar):
    """Tells a player who guesses the number of a hidden card that it exists."""

    def check_owner(self, card: cellar.Card) -> None:
        if card.owner.index != self.actor:
            raise IllegalAction("not_yours", "this card is the other player's")


def test_a_refusal_that_betrays_a_hidden_object_is_found() -> None:
    with pytest.raises(GameDefect, match="where an object that does not exist is answered with 'bad_argument"):
        check_game(replace(cellar.GAME, state=TalkativeCellar), games=1)


def test_a_default_that_its_own_option_refuses_is_found() -> None:
    report = inspect_game(broken_games.spec(broken_games.Pile, options=broken_games.BAD_OPTION), games=1)
    assert "size must be a whole number from 1 to 10, not 50" in report.findings[0].message


def test_an_option_players_without_limits_is_found() -> None:
    players = broken_games.Option("players", "int", 2, "How many play.")
    report = inspect_game(broken_games.spec(broken_games.Pile, options=(players,)), games=1)
    assert "the option `players` must have the type int, a minimum and a maximum" in report.findings[0].message


@pytest.mark.parametrize("name", ["random", "msgpack", "broken_games"])
def test_a_name_that_hides_a_module_from_the_rules_is_found(name: str) -> None:
    report = inspect_game(broken_games.spec(broken_games.Pile, name=name), games=1)
    assert f"the name {name} is also that of the Python module" in report.findings[0].message


@pytest.mark.parametrize(
    ("name", "words"), [("main", "the file main.py"), ("kit", "the class Kit in the kit for Java")]
)
def test_a_name_that_replaces_a_file_of_a_bot_is_found(name: str, words: str) -> None:
    report = inspect_game(broken_games.spec(broken_games.Pile, name=name), games=1)
    assert f"the name {name} is also that of {words}" in report.findings[0].message


def test_a_typed_module_on_the_path_is_no_other_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = broken_games.spec(broken_games.Pile)
    (tmp_path / "pile.py").write_text(module_source(game), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert inspect_game(game, games=1).good


def test_resolved_options_that_resolve_to_something_else_are_found() -> None:
    size = broken_games.Option("size", "int", 1, "Size.")
    game = broken_games.spec(broken_games.Pile, options=(size,), resolver=broken_games.doubled)
    with pytest.raises(GameDefect, match="change when they are resolved again at size: expected 2, found 4"):
        check_game(game, games=1)


def test_the_text_of_a_defect_names_rule_place_and_seed() -> None:
    with pytest.raises(GameDefect) as caught:
        check_game(broken_games.spec(broken_games.ForgetfulUndo), games=1, seed=9)
    text = str(caught.value)
    assert "rule: pop restores document, view, digest and legal actions exactly" in text
    assert "seen: seed 9/0" in text


def test_the_same_seed_gives_the_same_report() -> None:
    game = broken_games.spec(broken_games.UnlistedLegal)
    assert inspect_game(game, games=2, seed=3) == inspect_game(game, games=2, seed=3)


def test_a_report_is_json() -> None:
    document = inspect_game(broken_games.spec(broken_games.ListedIllegal), games=4).to_document()
    assert json.loads(json.dumps(document)) == document
    assert document["ok"] is False
    assert document["findings"][0].keys() == {"rule", "message", "place"}


def test_options_are_taken_in_turn() -> None:
    report = inspect_game(gem_run.GAME, games=2, options=[{"turns": 3}, {"turns": 5}])
    assert report.good
    assert report.actions == 8


@pytest.mark.kill  # many maps
def test_each_map_is_played_even_if_there_are_many() -> None:
    loaded: list[str] = []
    names = tuple(f"map {number}" for number in range(14))

    def load(name: str) -> int:
        loaded.append(name)
        return 4

    report = inspect_game(replace(gem_run.GAME, maps=names, load_map=load))
    assert (report.good, report.games) == (True, 15)
    assert set(loaded) >= set(names)


def test_impossible_options_are_the_callers_mistake() -> None:
    with pytest.raises(OptionError, match="did you mean turns"):
        check_game(gem_run.GAME, options={"turn": 3})


def test_progress_is_reported_within_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.study.checks.contract.budget._EVERY", 0.0)
    seen: list[str] = []
    inspect_game(sealed_orders.GAME, games=1, progress=seen.append)
    assert seen[0] == "0 random games, 0 actions, 1 position, 0 found"
    assert len(seen) > 100


def test_a_short_time_is_kept_and_the_report_says_what_is_missing() -> None:
    report = inspect_game(frontier_game.spec(), seconds=0.001)
    assert report.seconds < 5
    assert report.good
    assert not report.is_stopped
    assert "12 of 12 games to the end" in report.unchecked
    assert "whether every game reaches an outcome" in report.unchecked
    assert "leaving, in any position" in report.unchecked
    assert "frontier: no violation so far" in str(report)
    assert "Not checked, because the time was over:\n  - 12 of 12 games" in str(report)


def test_dear_positions_are_spread_over_a_game() -> None:
    pace = Spacing(Budget(40), 12)
    pace.begin()
    pace.add(1.0)
    pace.end(100)
    pace.begin()  # the time is enough for four games with eight positions each, and each gets about ten seconds
    assert 8 < pace.gap(0) < 17
    assert 4 < pace.gap(50) < 9


def test_who_stops_a_check_gets_a_report_of_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.study.checks.contract.budget._EVERY", 0.0)

    def stop(text: str) -> None:
        if " 3 positions" in text:
            raise KeyboardInterrupt

    report = inspect_game(sealed_orders.GAME, progress=stop)
    assert (report.is_stopped, report.positions, report.good) == (True, 3, True)
    assert "Not checked, because the check was stopped:\n  - 12 of 12 games to the end" in str(report)
