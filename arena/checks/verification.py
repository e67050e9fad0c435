"""Verify replays: play the recorded actions with the rules, and compare draws, views and digests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.checks.difference import first_difference, show
from arena.checks.positions import ParentCheck, check_parent
from arena.checks.recorded import Disagreement, disagree
from arena.checks.replayed import Replayed, game_of
from arena.errors import ArenaError, ExitCode
from arena.game import State, View
from arena.game.leaving import FORFEIT, outcome_of
from arena.match.ending import is_void
from arena_replays import DamagedReplay, Reader
from arena_replays.documents import Entry, Footer, Header
from arena_replays.frames import Frame


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a replay.

    Attributes:
        ok: Whether the rules give the results in the replay, the file is unchanged, and the parent does not differ.
        turns: Number of turns played.
        actions: Number of actions carried out.
        complete: Whether the replay goes to the end of the match.
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
        path: The replay.
        parent: The path of the replay from which the match starts; by default the file beside `path` with the
            name in the header.

    Raises:
        ReplayError: The file is not a replay, or is too damaged to read.
        ArenaError: The game is not installed in the version of the replay.
    """
    reader = Reader(path)
    game = game_of(reader.header)
    if reader.problem and not reader.truth:
        raise DamagedReplay(f"{path} is a damaged replay: {reader.problem}; nothing of it can be verified.")
    replayed: Replayed | None = None
    damage = [] if reader.truncated else [*([reader.problem] if reader.problem else []), *reader.check()]
    found, turn = "", None
    try:
        replayed = Replayed(game, reader.header, reader.truth)
        if not reader.header.get("stripped"):
            _compare_start(reader, replayed.state)
        for index, mark in enumerate(replayed.steps(), 1):
            if not reader.header.get("stripped"):
                _compare_views(reader, replayed.state, index, mark)
        if "truth" not in reader.left_out:
            _compare_end(reader, replayed)
    except Disagreement as difference:
        found = str(difference)
        if replayed is not None and replayed.entries > 1:
            turn = replayed.turn - replayed.first_turn + 1
    parent_check = ParentCheck() if replayed is None else check_parent(reader, parent)
    known = parent_check.known
    if problem := found or "".join(damage[:1]) or parent_check.problem:
        done = (0, 0) if replayed is None else (replayed.turns, replayed.actions)
        return Verification(False, *done, not reader.truncated, turn, problem, known)
    assert replayed is not None
    cut = "truth" in reader.left_out
    complete = not reader.truncated and not cut
    notice = reader.notice.rstrip(".") if cut else reader.problem
    return Verification(True, replayed.turns, replayed.actions, complete, None, notice, known)


def _compare_start(reader: Reader, state: State) -> None:
    for stream in range(reader.streams):
        if reader.frame_count(stream):
            view = state.view(None if stream == 0 else stream - 1)
            disagree(first_difference(_meaning(reader.frame(0, stream)[0]), _meaning(view), f"first view {stream}"))


def _compare_views(reader: Reader, state: State, index: int, mark: int) -> None:
    for stream in range(reader.streams):
        if index >= reader.frame_count(stream):
            continue  # the file was cut off before this frame
        delta, events = reader.frame(index, stream)
        player = None if stream == 0 else stream - 1
        where = f"after action {index}, {'the spectators' if player is None else f'player {player}'}"
        disagree(first_difference(_meaning(delta), _meaning(state.delta(mark, player)), f"{where}: view"))
        disagree(first_difference(events, state.events(mark, player), f"{where}: events"))


def _meaning(delta: View) -> dict[str, Any]:
    """Return a delta in a form for comparison. The order of objects matters, but the order of fields does not."""
    triples = list(zip(delta[0::3], delta[1::3], delta[2::3], strict=False))
    return {
        "length": len(delta),
        "objects": [triple for triple in triples if triple[1] in ("+", "-")],
        "fields": {f"{id_}.{name}": value for id_, name, value in triples if name not in ("+", "-")},
    }


def _compare_end(reader: Reader, replayed: Replayed) -> None:
    state = replayed.state
    footer = reader.footer
    if footer is None:
        return
    disagree(first_difference(footer.get("digest"), state.digest(), "final digest"))
    outcome = outcome_of(state, replayed.left, len(reader.header.get("players", ())))
    recorded = footer.get("outcome")
    if outcome is not None:
        disagree(first_difference(recorded, outcome.to_document(), "outcome"))
    elif recorded is not None and recorded["reason"] != FORFEIT and not footer.get("trouble") and not _is_void(footer):
        raise Disagreement("outcome", show(recorded), "no end of the game")


def _is_void(footer: Footer) -> bool:
    return is_void(player.get("ending", "") for player in footer.get("players", ()))


def rebuild(header: Header, truth: list[Entry]) -> tuple[Header, list[list[Frame]]]:
    """Rebuild the views and the schema of a replay from its recorded actions (for `arena_replays.expand`).

    Returns:
        The keys `schema` and `streams` of the header, and the frames of each view.

    Raises:
        ArenaError: The game is not installed in the recorded version, or the rules do not accept the recorded actions.
    """
    game = game_of(header)
    try:
        replayed = Replayed(game, header, truth)
        state = replayed.state
        seats = game.players_in(state.options) if state.hides_information() else 0
        players: list[int | None] = [None, *range(seats)]
        views: list[list[Frame]] = [[(state.view(player), [])] for player in players]
        for mark in replayed.steps():
            for view, player in zip(views, players, strict=True):
                view.append((state.delta(mark, player), state.events(mark, player)))
    except Disagreement as difference:
        raise ArenaError(f"the replay does not fit the rules: {difference}", exit_code=ExitCode.DIFFERENCE) from None
    return {"schema": game.schema(), "streams": len(views)}, views
