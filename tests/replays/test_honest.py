"""Replays of honest matches are verified, whatever happens in them."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from played_matches import SHORT, Habits, Played

from arena.game import GameSpec, load
from arena.match.ending import Ending
from arena.match.limits import Policy
from arena.match.position import ReplayPosition
from arena.study.checks import verification
from arena.study.checks.verification import verify
from arena.study.replaying.positions import position_at
from arena.study.replaying.rerun_match import RerunMatch
from arena_replays import Reader, ReplayError, compact

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
PENALTIES = (
    Policy(),
    Policy(timeout="skip"),
    Policy(timeout="strike", strikes=2),
    Policy(crash="void", no_start="void"),
    Policy(refusals_per_turn=2),
)
HABITS = (
    Habits(),
    Habits(hangs=0.1),
    Habits(fails=0.03, hangs=0.05),
    Habits(errs=0.9),
    Habits(fails=0.02, hangs=0.02, errs=0.3, ends=0.02),
)
OTHERS = {
    "tallest": "tests/game",
    **dict.fromkeys(("lanterns", "masks", "liars_dice", "lowest_bid", "kuhn_poker"), "docs/examples"),
}
"""Games of three to five, simultaneous or hidden moves, teams, points, or one common score; and their folders."""
REACHED: Counter[str] = Counter()


def is_verified(path: Path) -> bool:
    found = verify(path)
    assert (found.ok, found.complete, found.problem, found.dice) == (True, True, "", ""), found
    return found.ok


def play_all(path: Path, game: GameSpec, seeds: range, options: dict[str, Any]) -> None:
    for seed in seeds:
        counts = game.player_counts
        played = Played(
            path,
            game,
            seed,
            HABITS[seed // 5 % 5],
            players=counts[seed % len(counts)] if len(counts) > 1 else None,
            options=options,
            policy=PENALTIES[seed % 5],
            leg=seed // 2 % 2,
        )
        assert is_verified(path), seed
        REACHED.update(seat.ending or "" for seat in played.match.seats)


@pytest.mark.parametrize("game", SHORT)
def test_every_course_of_a_match_is_verified(tmp_path: Path, game: str) -> None:
    play_all(tmp_path / "match.arena", load(game), range(50), SHORT[game])


@pytest.mark.parametrize("module", OTHERS)
def test_other_kinds_of_games_are_verified(tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(TESTS.parent / OTHERS[module])
    found = import_module(module if module == "tallest" else f"{module}_game")
    game = found.GAME if hasattr(found, "GAME") else found.spec()
    monkeypatch.setattr(verification, "game_of", lambda header: game)
    play_all(tmp_path / "match.arena", game, range(50), {"rounds": 3} if module == "tallest" else {})


@pytest.mark.parametrize("game", SHORT)
def test_words_for_people_decide_nothing(tmp_path: Path, game: str) -> None:
    """A player whose turn was skipped plays on, whatever the record says of it in words: verified and in a rerun."""
    path = tmp_path / "match.arena"
    Played(path, load(game), 9, Habits(hangs=0.2), options=SHORT[game], policy=Policy(timeout="skip"))
    reader = Reader(path)
    skipped = [at for at, entry in enumerate(reader.truth) if entry[0] == "seat" and entry[4]]
    assert skipped
    truth = [[*entry[:3], "zu spät", True] if at in skipped else entry for at, entry in enumerate(reader.truth)]
    failed = {entry[1] for entry in truth if entry[0] == "seat" and not entry[4]}
    views = [reader.frames(stream) for stream in range(reader.streams)]
    path.write_bytes(compact.assemble(reader.header, truth, views, [], reader.footer or {}))
    assert is_verified(path)
    for player in range(len(reader.header["players"])):
        rerun = RerunMatch(load(game), reader.header, reader.known_seed(), truth, player)
        assert (rerun.end is None) == (player not in failed)
        assert failed.issuperset(rerun.guide.absent)


def test_all_endings_were_reached(tmp_path: Path) -> None:
    if len(REACHED) < 9:  # this test runs alone
        play_all(tmp_path / "match.arena", load("snakes"), range(50), {})
        play_all(tmp_path / "match.arena", load("saloon"), range(50), SHORT["saloon"])
    missing = set(get_args(Ending)) - set(REACHED)
    assert missing <= {"finished", "drawn", "no_build"}, missing


@pytest.mark.parametrize("game", SHORT)
@pytest.mark.parametrize("same_dice", [False, True])
def test_matches_from_positions_are_verified(tmp_path: Path, game: str, *, same_dice: bool) -> None:
    parent, branch, again = (tmp_path / f"{name}.arena" for name in ("parent", "branch", "again"))
    spec = load(game)
    Played(parent, spec, 3, Habits(), options=SHORT[game])
    start = position_at(ReplayPosition(str(parent), 2), same_dice=same_dice)
    for seed in range(8):
        Played(branch, spec, seed, HABITS[seed % 5], start=start, policy=PENALTIES[seed % 5])
        assert is_verified(branch)
        assert verify(branch).parent == "verified"
    Played(branch, spec, 1, Habits(), start=start)
    start = position_at(ReplayPosition(str(branch), 2, 1), same_dice=same_dice)
    Played(again, spec, 2, Habits(), start=start)
    assert is_verified(again)
    Played(again, spec, 2, Habits(), start=replace(start, parent=None, dice=()))
    assert is_verified(again)
    branch.unlink()
    Played(again, spec, 2, Habits(), start=start)
    found = verify(again)
    assert (found.ok, found.parent, bool(found.dice)) == (True, "missing", same_dice and bool(start.dice))


@pytest.mark.parametrize("game", SHORT)
def test_a_match_that_was_cut_off_is_verified_up_to_there(tmp_path: Path, game: str) -> None:
    path, cut = tmp_path / "match.arena", tmp_path / "cut.arena"
    habits, policy = Habits(hangs=0.05, errs=0.3), Policy(timeout="skip")
    Played(path, load(game), 9, habits, options=SHORT[game], policy=policy, finishes=False)
    data = path.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 25)):
        cut.write_bytes(data[:end])
        try:
            found = verify(cut)
        except ReplayError:  # not even the header is whole
            continue
        assert (found.ok, found.complete) == (True, False), found
    reader = Reader(path)
    assert len(reader.truth) > 10
    assert verify(path).ok


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.arena")), ids=lambda path: path.stem)
def test_the_recordings_of_other_tests_are_verified(path: Path) -> None:
    assert is_verified(path)
