"""Each bot has random numbers of its own: the same in a rerun, unknown to the other bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.testing import play_match

pytestmark = pytest.mark.process

BOT = """
from arena_player import AI

class Dicer(AI):
    def start(self):
        print(self._session.seed, self.random.random())

    def run_turn(self):
        self.act({"type": "end_turn"})
"""


def printed(bot: Path, *, leg: int = 0) -> list[str]:
    options = {"width": 8, "height": 6, "max_turns": 4}
    result = play_match("saloon", [bot, bot], seed=7, leg=leg, options=options)
    assert [player.stderr for player in result.players] == ["", ""]
    return [player.stdout for player in result.players]


def test_it_is_the_same_in_a_rerun_and_different_for_each_seat_and_leg(tmp_path: Path) -> None:
    bot = tmp_path / "dicer.py"
    bot.write_text(BOT, encoding="utf-8")
    first = printed(bot)
    assert printed(bot) == first
    assert len({*first, *printed(bot, leg=1)}) == 4
    assert all(len(line.split()[0]) == 32 for line in first)
