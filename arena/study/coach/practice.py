"""What a page offers beside a lesson: a pair of playouts as replays, and what another turn would have been worth.

In the pair, the bot of the lesson's price plays on for all: once as it was played, and once after the better actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.errors import ArenaError, ExitCode
from arena.game import Document
from arena.match.position import ReplayPosition
from arena.play import memory
from arena.study.coach.checks import gains
from arena.study.coach.probability import Estimate
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena.study.coach.stored import explanation_of
from arena.study.coach.turns import parts_of
from arena.study.replaying.positions import position_at
from arena_player.ai import AI
from arena_replays import Reader


def lesson_of(replay: Path, number: object) -> tuple[dict[str, Any], str]:
    """Return a lesson of a replay's saved explanation by its number, and who plays on in its playouts.

    Raises:
        ArenaError: There is no such lesson.
    """
    document = explanation_of(replay)
    lessons: list[dict[str, Any]] = document.get("lessons", [])
    if type(number) is not int or not 0 <= number < len(lessons):
        raise ArenaError("There is no such lesson.", exit_code=ExitCode.BAD_OPTION)
    return lessons[number], f"{BUILTIN}{document['playouts']['bot']}"


def place_of(match: RecordedMatch, replay: Path, lesson: dict[str, Any]) -> tuple[Part, ReplayPosition]:
    """Return the part in which a lesson begins, and the position before it, with players who move at the same time."""
    part = next(one for one in parts_of(match, lesson["player"]) if one.turn == lesson["from_turn"])
    first = match.simultaneous(part)[0]
    before = [one for one in match.parts[: first.index] if one.turn == part.turn]
    return part, ReplayPosition(str(replay), part.turn, sum(len(one.actions) for one in before))


def play_pair(replay: Path, number: object, seed: int, files: tuple[Path, Path]) -> None:
    """Write the replays of a pair: as it was played, and with the better actions.

    Raises:
        ArenaError: There is no such lesson, or it has no better actions.
    """
    lesson, bot = lesson_of(replay, number)
    if lesson["instead"] is None:
        raise ArenaError("This lesson names no better actions.", exit_code=ExitCode.BAD_OPTION)
    match = RecordedMatch.of_file(replay)
    part, place = place_of(match, replay, lesson)
    start, base = position_at(place), memory.bot_class(match.game, bot)
    for file, actions in zip(files, (part.actions, lesson["instead"]["actions"]), strict=True):
        scripts: dict[int, Sequence[Document]] = {one.player: one.actions for one in match.simultaneous(part)}
        scripts[part.player] = actions
        players = [scripted(base, scripts.get(seat, ())) for seat in range(match.players)]
        settings = [memory.settings_of(match.game, bot)] * match.players
        memory.play_in_memory(
            match.game, players, seed=seed, start=start, names=match.names, settings=settings, replay=file
        )


def found_in(replay: Path, number: object, tried: Reader, seconds: float) -> Estimate | None:
    """Return what a player's first turn in another match is worth, compared with the recorded turn of a lesson.

    Args:
        tried: A match from the position of the lesson; it can still be running.
        seconds: The time for the playouts.

    Returns:
        None if the turn is not over.
    """
    lesson, _ = lesson_of(replay, number)
    actions: list[Document] = []
    for kind, player, *rest in tried.truth:
        if kind == "do" and player == lesson["player"]:
            actions.append(rest[0])
        elif kind == "turn" and rest[0] == lesson["player"]:
            match = RecordedMatch.of_file(replay)
            part, _ = place_of(match, replay, lesson)
            begin = sum(len(one.actions) for one in match.parts[: part.index])
            return gains(replay, part.player, [(begin, actions)], seconds)[0]
    return None


def scripted(base: type[AI], actions: Sequence[Document]) -> type[AI]:
    """Return a bot that plays these actions in its first turn, and after it like another bot."""
    left = list(actions)

    class Scripted(base):  # type: ignore[misc, valid-type]
        def run_turn(self) -> None:
            if not left:
                return super().run_turn()  # type: ignore[no-any-return]
            script = left[:]
            left.clear()
            for action in script:
                self.act(action)
            return None

    Scripted.__module__, Scripted.__qualname__ = base.__module__, base.__qualname__  # the replay names who plays on
    return Scripted
