"""Verify replays: play the recorded actions with the rules, and compare draws, views and digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.game import View
from arena.game.leaving import FORFEIT, outcome_of
from arena.match.ending import is_void
from arena.replaying.course import Course, Step, game_of
from arena.replaying.difference import first_difference, show
from arena.replaying.parents import ParentCheck, check_parent
from arena.replaying.recorded import Disagreement, disagree
from arena_replays import DamagedReplay, Reader
from arena_replays.documents import FRAMED, Entry, Footer, Frame
from arena_replays.state import triples


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a replay.

    Attributes:
        ok: Whether the rules give the results in the replay, the file is unchanged, and the parent does not differ.
        turn: The number of the first turn that differs from the rules, from 1; None if no turn differs, or the start
            differs.
        problem: What differs or is damaged, or where the file is cut off; empty if nothing is wrong.
        parent: The result of the comparison with the replay that the match starts from; see `ParentCheck.known`.
    """

    ok: bool
    turns: int
    actions: int
    complete: bool
    turn: int | None
    problem: str
    parent: str = ""


def verify(path: str | Path, parent: Path | None = None) -> Verification:
    """Verify a replay with the rules of its game.

    Args:
        parent: The path of the replay from which the match starts; by default the file beside `path` with the
            name in the header.
    """
    reader = Reader(path)
    game = game_of(reader.header)
    if reader.problem and not reader.truth:
        raise DamagedReplay(f"{path} is a damaged replay: {reader.problem}; nothing of it can be verified.")
    damage = reader.check() if reader.ended else []
    found, turn, done = "", None, 0
    steps: Course | None = None
    try:
        steps = Course.of(game, reader.header, reader.truth)
        views = [reader.frames(stream) for stream in range(reader.streams)]
        for step in steps:
            if step.entry[0] in FRAMED:
                _compare_views(views, step)
            done = step.entries
        if "truth" not in reader.left_out:
            _compare_end(reader, steps)
    except Disagreement as difference:
        found = str(difference)
        if steps is not None and steps.entries > 1:
            turn = steps.turn
    parent_check = ParentCheck() if steps is None else check_parent(reader, parent)
    known = parent_check.known
    played = _played(reader.truth[:done])
    cut = "truth" in reader.left_out
    complete = reader.ended and not cut
    if problem := found or "".join(damage[:1]) or parent_check.problem:
        return Verification(False, *played, complete, turn, problem, known)
    notice = reader.notice.rstrip(".") if cut else reader.problem
    return Verification(True, *played, complete, None, notice, known)


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


def _compare_views(views: list[Iterator[Frame]], step: Step) -> None:
    """Compare the next frame of each view with the step. A view that has ended was cut off, or the file is stripped."""
    recorded = [next(view, None) for view in views]
    if not any(recorded):
        return
    players = [None if stream == 0 else stream - 1 for stream in range(len(views))]
    for stream, (found, (computed, heard)) in enumerate(zip(recorded, step.updates(players), strict=True)):
        if found is None:
            continue
        delta, events = found
        if step.frame == 0:
            disagree(first_difference(_meaning(delta), _meaning(computed), f"first view {stream}"))
            continue
        where = f"after action {step.frame}, {'the spectators' if stream == 0 else f'player {stream - 1}'}"
        disagree(first_difference(_meaning(delta), _meaning(computed), f"{where}: view"))
        disagree(first_difference(events, heard, f"{where}: events"))


def _meaning(delta: View) -> dict[str, Any]:
    """Return a delta in a form for comparison. The order of objects matters, but the order of fields does not."""
    changes = list(triples(delta))
    return {
        "length": len(delta),
        "objects": [change for change in changes if change[1] in ("+", "-")],
        "fields": {f"{id_}.{name}": value for id_, name, value in changes if name not in ("+", "-")},
    }


def _compare_end(reader: Reader, steps: Course) -> None:
    state = steps.state
    footer = reader.footer
    if footer is None:
        return
    disagree(first_difference(footer.get("digest"), state.digest(), "final digest"))
    outcome = outcome_of(state, steps.left, len(reader.header.get("players", ())))
    recorded = footer.get("outcome")
    if outcome is not None:
        disagree(first_difference(recorded, outcome.to_document(), "outcome"))
    elif recorded is not None and recorded["reason"] != FORFEIT and not footer.get("trouble") and not _is_void(footer):
        raise Disagreement("outcome", show(recorded), "no end of the game")


def _is_void(footer: Footer) -> bool:
    return is_void(player.get("ending", "") for player in footer.get("players", ()))
