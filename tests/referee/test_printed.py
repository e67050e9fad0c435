"""What bots print lands in the replay on the turn in which it was printed, in order with their actions and logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.match.job import Job, SeatAssignment
from arena.play.referee.match_process import play_in_process
from arena_replays import Reader

pytestmark = pytest.mark.process

BOT = """
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        print("before", self.turn)
        self.log(f"log {self.turn}")
        self.act({"type": "end_turn"})
        print("after", self.turn)

    def end(self, outcome):
        print("end")
"""


@pytest.mark.parametrize("sandbox", ["auto", "none"])
def test_each_line_lands_on_the_turn_in_which_it_was_printed(tmp_path: Path, sandbox: str) -> None:
    bot = tmp_path / "prints.py"
    bot.write_text(BOT)
    replay = tmp_path / "match.arena"
    options = {"width": 8, "height": 6, "max_turns": 40}
    seats = (SeatAssignment(str(bot)), SeatAssignment(str(bot)))
    play_in_process(Job("saloon", seats, options=options, seed=1, replay=str(replay), sandbox=sandbox))
    reader = Reader(replay)
    assert not reader.check()
    lines: dict[int, list[str]] = {0: [], 1: []}
    for note in reader.notes:
        assert note.player == reader.turns[note.turn].player
        if note.kind != "log":
            for line in note.payload.splitlines():
                lines[note.player].append(line)
                if line.startswith("before"):  # a line after the answer may be late, and is on an own turn
                    assert int(line.split()[1]) == reader.turns[note.turn].number
    for player in (0, 1):
        words = [f"{word} {turn}" for turn in range(player, 40, 2) for word in ("before", "after")]
        assert lines[player] == [*words, "end"]
