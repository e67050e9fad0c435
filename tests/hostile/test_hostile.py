"""Every hostile bot for real, in the real sandbox, at the levels that this machine has."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import leftovers
import pytest
import scenarios
from playing import SMALL, play_until_it_counts, temporary

from arena.bots.probe import probe
from arena.game import Clock, Outcome
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena_replays import Reader

HERE = Path(__file__).parent


LEVEL = probe().level
LEVELS = [level for level in (2, 3) if level <= LEVEL]
CLOCK = Clock(startup=1.5, bank=None, increment=0.0, turn=0.3, grace=0.02)
MEMORY = 10_000_000
"""Bytes by which no attack may make the referee grow."""
MAX_REPLAY = 150_000
"""Bytes that no attack may make a replay longer than."""

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.usefixtures("hostile_server"),
    pytest.mark.skipif(LEVEL < 2, reason=f"bots cannot be isolated here: {probe().missing}"),
]


def play(
    folder: Path,
    source: str,
    level: int,
    *,
    turn: float = 0.3,
    startup: float = 1.5,
    opponent: Path = HERE / "opponent.py",
) -> MatchResult:
    """Play a hostile bot against one that only ends its turns."""
    bots = folder / "bots"
    bots.mkdir(exist_ok=True)
    (bots / "hostile.py").write_text(source)
    shutil.copy(HERE / "peer.py", bots)
    job = Job(
        game="saloon",
        seats=(SeatAssignment(str(bots / "hostile.py")), SeatAssignment(str(opponent))),
        options=SMALL,
        seed=1,
        clock=replace(CLOCK, turn=turn, startup=startup),
        replay=str(folder / "match.arena"),
        max_isolation=level,
        require_isolation=level,
    )
    return play_until_it_counts(job)


MEASURED = ("time", "resources")
"""What the levels treat differently. `make test` plays all else at the highest only, and `make kill-test` at each: also
those with load, whose dozens of processes slow all tests beside them."""


def cases() -> list[object]:
    return [
        pytest.param(
            scenario, level, id=f"L{level}-{group}-{scenario.name}",
            marks=() if group in MEASURED or level == LEVEL else pytest.mark.kill,
        )
        for level in LEVELS
        for group, members in scenarios.GROUPS.items()
        for scenario in members
        if scenario.level in (None, level)
    ]  # fmt: skip


@pytest.mark.parametrize(("scenario", "level"), cases())
@pytest.mark.promise("referee-survives", "own-seat", "voids")
def test_scenario(scenario: scenarios.Scenario, level: int, tmp_path: Path, normal_match: Callable[[], None]) -> None:
    with leftovers.nothing_left(temporary()):
        result = play(tmp_path, scenario.source, level, turn=scenario.turn)
    hostile, opponent = result.players
    seen = f"{hostile.ending}: {hostile.detail}\n{hostile.stdout}\n{hostile.stderr}"
    assert hostile.ending in scenario.endings, seen
    assert scenario.detail in hostile.detail, seen
    assert opponent.ending in ("won", "lost"), seen
    if hostile.ending not in ("won", "lost"):
        assert opponent.ending == "won", seen
        assert result.outcome == Outcome(1, "forfeit")
    if scenario.says and hostile.ending in ("won", "lost"):
        assert scenario.says in hostile.stdout, seen
    assert scenario.never_says not in hostile.stdout, seen
    assert result.memory_growth < MEMORY
    assert hostile.isolation.level == level
    assert (tmp_path / "match.arena").stat().st_size < MAX_REPLAY
    assert Reader(tmp_path / "match.arena").check() == []
    normal_match()


SENDS_TOO_EARLY = """
import peer, time
p = peer.Peer()
p.send(type="hello", protocol=1, client="x", schema=None, legal_actions=False)
p.receive(); p.receive()
p.send(type="ready", seq=p.seq)
time.sleep(0.2)
p.act()
peer.forever()
"""


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_sends_before_the_other_is_ready_does_not_keep_the_referee_busy(level: int, tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(2)\n" + (HERE / "opponent.py").read_text())
    result = play(tmp_path, SENDS_TOO_EARLY, level, startup=8.0, opponent=slow)
    assert [player.ending for player in result.players] == ["bad_message", "won"]
    assert result.seconds.total > 2
    assert result.seconds.referee_cpu < 0.5, "it takes about 0.2 s to start"


@pytest.fixture(scope="session")
def normal_match(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], None]:
    """After an attack, the next match must be as ever; checked for every eighth attack, since it takes time."""
    folder = tmp_path_factory.mktemp("normal")
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls % 8 == 0:
            result = play(folder, (HERE / "opponent.py").read_text(), LEVEL)
            assert {player.ending for player in result.players} == {"won", "lost"}
            assert result.turns == SMALL["max_turns"]

    return check
