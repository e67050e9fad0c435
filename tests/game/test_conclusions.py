"""What all games of a check show together: laws that guesses break, and the wrong winners."""

from __future__ import annotations

import mission_game
import pytest
from kuhn_poker_game import Kuhn, spec

from arena.game import Outcome, Seeded
from arena.study.checks.contract.conclusions import Laws, Winners
from arena.study.checks.contract.report import Ledger

KUHN = spec()


def kuhn_states(count: int) -> list[Kuhn]:
    return [KUHN.start({}, Seeded(f"{number}")) for number in range(count)]


@pytest.mark.parametrize(("deals", "is_reported"), [(5, False), (40, True)])
def test_a_guess_of_the_own_card_breaks_a_law(deals: int, is_reported: bool) -> None:
    laws, ledger = Laws(), Ledger()
    for state in kuhn_states(deals):
        laws.begin()
        laws.note(state)
    guess = kuhn_states(1)[0]
    guess.seats[1].card = guess.seats[0].card
    laws.note_guess(guess)
    laws.conclude(ledger)
    words = "no two objects ever have the same Seat.card, but determinize guesses "
    assert [finding.message.startswith(words) for finding in ledger.findings] == [True] * is_reported


def test_a_third_spy_breaks_a_law_and_two_do_not() -> None:
    game = mission_game.spec()
    laws = Laws()
    for number in range(12):
        laws.begin()
        laws.note(game.start({}, Seeded(f"{number}")))
    guess = game.start({}, Seeded("guess"))
    laws.note_guess(guess)
    laws.conclude(good := Ledger())
    assert good.findings == []
    guess.seats[next(seat.index for seat in guess.seats if seat.role == "loyal")].role = "spy"
    laws.note_guess(guess)
    laws.conclude(bad := Ledger())
    assert "Seat.role of all objects has the values" in bad.findings[0].message


@pytest.mark.parametrize(("wrong", "is_reported"), [(3, False), (9, True)])
def test_most_games_that_those_with_fewer_points_win_are_reported(wrong: int, is_reported: bool) -> None:
    winners, ledger = Winners(), Ledger()
    for number in range(10):
        winners.note(Outcome(int(number < wrong), "over"), (3.0, 1.0))
    winners.note(Outcome(None, "over"), (3.0, 1.0))
    winners.conclude(ledger)
    assert bool(ledger.findings) is is_reported
