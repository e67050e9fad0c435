"""A whole match of a game with an array of numbers, played by Python bots in real processes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.match_process import play_in_process
from arena.study.checks.verification import verify
from arena_replays import Reader

pytestmark = [pytest.mark.process, pytest.mark.slow]

STEPS = 300
BOT = """
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        picture = self.game.picture
        assert picture.shape == (84, 84)
        darkest = min(range(0, 84, 7), key=lambda column: picture[83, column])
        self.act({"type": "brighten", "column": darkest})
"""


def test_a_match_with_an_array_is_recorded_read_and_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "site" / "pixels-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pixels\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\npixels = pixels_game:GAME\n")
    shutil.copy(Path(__file__).with_name("pixels_game.py"), info.parent)
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    monkeypatch.syspath_prepend(info.parent)
    bot, replay = tmp_path / "bot.py", tmp_path / "match.arena"
    bot.write_text(BOT)
    result = play_in_process(
        Job(
            game="pixels",
            seats=(SeatAssignment(str(bot)),) * 2,
            options={"steps": STEPS},
            seed=1,
            clock=Clock(startup=10.0, bank=None, increment=0.0, turn=10.0, grace=0.1),
            policy=Policy(),
            replay=str(replay),
            max_isolation=2,
        )
    )
    assert ([player.ending for player in result.players], result.outcome.reason) == (["drawn"] * 2, "steps_played")
    found = verify(replay)
    assert (found.ok, found.problem, found.complete, found.actions) == (True, "", True, STEPS)
    reader = Reader(replay)
    assert not reader.truncated
    cut = tmp_path / "cut.arena"
    cut.write_bytes(replay.read_bytes()[: replay.stat().st_size // 2])
    assert Reader(cut).truncated
    assert not verify(cut).complete
