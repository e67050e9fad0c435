"""The turns of one player of a recorded match, as detectors read them (`arena.game.lessons`)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from arena.game import PlayerTurn
from arena.game.action import LEAVE
from arena.study.coach.recorded_match import Part, RecordedMatch


def turns_of(match: RecordedMatch, player: int) -> list[PlayerTurn[Any]]:
    """Return all turns of a player. A turn without any action of the player is not in the record, and left out.

    If the turn of a player has several parts, because others acted between them, each is a turn of its own.
    """
    parts = parts_of(match, player)
    places = [sum(one.turn == part.turn for one in parts[:at]) for at, part in enumerate(parts)]
    starts = [match.simultaneous(part)[0].state for part in parts]
    return [
        PlayerTurn(
            number=part.turn,
            player=player,
            actions=[action for action in part.actions if action is not LEAVE],
            before=start,
            after=match.state_after(match.simultaneous(part)[-1].index),
            later=later,
            part=place,
        )
        for part, place, (start, later) in zip(parts, places, pairwise([*starts, match.end]), strict=True)
    ]


def parts_of(match: RecordedMatch, player: int) -> list[Part]:
    """Return the parts of a player: one for each of `turns_of`."""
    return [part for part in match.parts if part.player == player]
