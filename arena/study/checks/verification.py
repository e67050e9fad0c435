"""Verify replays: play the recorded match again, and compare draws, views, digests and the result.

A `Rematch` derives the entries of the record again. This module gives it what it compares with: the dice of the seed
and the recorded views. It then decides what to say: a file that was changed, a parent that differs, the first turn that
differs from the rules, or nothing. What a verified replay proves, and what it cannot, is in docs/security.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.game import Chance, Seeded, View
from arena.game.chance import Repeated
from arena.match.job import Job
from arena.match.lookup import find_game
from arena.match.position import ReplayPosition
from arena.study.checks.rematch import Rematch
from arena.study.replaying.course import game_of
from arena.study.replaying.difference import first_difference
from arena.study.replaying.positions import ParentCheck, check_parent, position_at
from arena.study.replaying.recorded import Disagreement, disagree
from arena_replays import DamagedReplay, Reader
from arena_replays.commitment import wrong_seed
from arena_replays.documents import Entry, Frame
from arena_replays.state import triples


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a replay. docs/security.md says what this proves.

    Attributes:
        ok: Whether the rules give the result in the replay, the file is unchanged, and the parent does not differ.
        turn: The number of the first turn that differs from the rules, from 1; None if no turn differs, or the start
            differs.
        problem: What differs or is damaged, or where the file is cut off; empty if nothing is wrong.
        parent: The result of the comparison with the replay that the match starts from; see `ParentCheck.status`.
        dice: Why the draws could not be compared with the seed; empty if they were compared.
    """

    ok: bool
    turns: int
    actions: int
    complete: bool
    turn: int | None
    problem: str
    parent: str = ""
    dice: str = ""


def verify(path: str | Path, parent: Path | None = None, *, any_version: bool = False) -> Verification:
    """Verify a replay with the rules of its game.

    Args:
        any_version: Whether the installed rules may have another version than those of the replay.
        parent: The path of the replay from which the match starts; by default the file beside `path` with the
            name in the header.
    """
    reader = Reader(path)
    game = find_game(reader.header.get("game", "")) if any_version else game_of(reader.header)
    if reader.problem and not reader.truth:
        raise DamagedReplay(f"{path} is a damaged replay: {reader.problem}; nothing of it can be verified.")
    damage = reader.check() if reader.ended else []
    parent_check = check_parent(reader, parent)
    cut = "truth" in reader.left_out
    complete = reader.ended and not cut
    dice, unproved = _dice(reader, parent_check)
    views = _Views(reader)
    difference_in_words = ""
    turn: int | None = None
    compared = 0  # the number of entries that agree
    rematch: Rematch | None = None
    try:
        footer = reader.footer if complete else None
        rematch = Rematch(game, reader.header, reader.truth, footer, dice, views.compare)
        rematch.play()
        compared = len(reader.truth)
        if complete:
            rematch.compare_end()
            views.compare_end()
    except Disagreement as difference:
        difference_in_words = str(difference)
        if compared and damage:  # only the end differs, and the damage says more about the cause
            difference_in_words = ""
        elif rematch is not None and rematch.entries > 1:
            turn, compared = rematch.turn, compared or rematch.entries - 1
    counts = _played(reader.truth[:compared])
    status = parent_check.status
    if parent_check.problem:
        return Verification(False, *counts, complete, None, parent_check.problem, status, unproved)
    problem = difference_in_words or "".join(damage[:1])
    if problem:
        return Verification(False, *counts, complete, turn, problem, status, unproved)
    notice = reader.notice.rstrip(".") if cut else reader.problem
    return Verification(True, *counts, complete, None, notice, status, unproved)


def _dice(reader: Reader, parent: ParentCheck) -> tuple[tuple[Chance, Chance] | None, str]:
    """Return the sources of the draws of set-up and match, or None and the reason why nobody can make the draws again.

    A seed to which the header does not commit is damage, and not compared.
    """
    header, footer = reader.header, reader.footer
    if footer is None or "seed" not in footer:
        return None, "the file has no end, and so no seed" if footer is None else "the file has no seed"
    if wrong_seed(header, footer):
        return None, "its seed is wrong"
    job = Job("", (), seed=footer["seed"], leg=header.get("leg", 0))
    dice: Chance = Seeded(job.play_seed)
    if header.get("parent", {}).get("same_dice"):
        if parent.file is None or parent.problem:
            return None, "they repeat those of its parent"
        start = header["parent"]
        position = position_at(ReplayPosition(str(parent.file), start["turn"], start["action"]), same_dice=True)
        dice = Repeated(position.dice, dice)
    return (Seeded(job.setup_seed), dice), ""


def _played(truth: Iterable[Entry]) -> tuple[int, int]:
    """Return the number of turns and the number of actions. Several entries in succession can belong to one turn."""
    turns, actions, last = 0, 0, None
    for entry in truth:
        if entry[0] == "turn":
            turns += entry[1] != last
            last = entry[1]
        else:
            actions += entry[0] == "do"
    return turns, actions


class _Views:
    """Compares the recorded views with those that the rules give."""

    def __init__(self, reader: Reader) -> None:
        self._views = [reader.frames(stream) for stream in range(reader.streams)]
        self._whole = reader.ended and "views" not in reader.left_out

    def compare(self, number: int, computed: Sequence[Frame]) -> None:
        """Compare the next frame of each view. The record ends with the shortest view, if it was cut off."""
        for stream, (view, frame) in enumerate(zip(self._views, computed, strict=True)):
            recorded = next(view, None)
            if recorded is not None:
                _compare_frame(number, stream, recorded, frame)
            elif self._whole:
                raise Disagreement(f"view {stream}", "its end", f"frame {number}")

    def compare_end(self) -> None:
        for stream, view in enumerate(self._views):
            if next(view, None) is not None:
                raise Disagreement(f"view {stream}", "one frame more", "the end of the match")


def _compare_frame(number: int, stream: int, recorded: Frame, computed: Frame) -> None:
    (delta, events), (expected, heard) = recorded, computed
    if number == 0:
        disagree(first_difference(_meaning(delta), _meaning(expected), f"first view {stream}"))
        return
    where = f"after action {number}, {'the spectators' if stream == 0 else f'player {stream - 1}'}"
    disagree(first_difference(_meaning(delta), _meaning(expected), f"{where}: view"))
    disagree(first_difference(events, heard, f"{where}: events"))


def _meaning(delta: View) -> dict[str, Any]:
    """Return a delta in a form for comparison. The order of objects matters, but the order of fields does not."""
    changes = list(triples(delta))
    return {
        "length": len(delta),
        "objects": [change for change in changes if change[1] in ("+", "-")],
        "fields": {f"{id_}.{name}": value for id_, name, value in changes if name not in ("+", "-")},
    }
