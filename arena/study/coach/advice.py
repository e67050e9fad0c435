"""The commands that show a turn of a replay, stop a bot in it, or play on from it.

They work in the folder in which they are printed. A replay names the bots as they were named in the folder where it was
played, so their files are looked for here, and then in the folders above the replay. A bot of which there is no file
here, such as a remote one, is `BOT` where the user can have it, and `replay` where it is the opponent. A command that a
bot or a turn cannot have is left out: nobody reruns a person, and gdb does not stop a bot in Java.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.bots.bot import Bot, load_bot
from arena.bots.builtin import BUILTIN
from arena.bots.references import exists, split_reference
from arena.errors import ArenaError
from arena.match.job import HUMAN, REMOTE, REPLAY, TERMINAL
from arena.match.lookup import find_game
from arena.text.printable import command_line
from arena_replays import Reader

UNKNOWN = "BOT"
FOLDERS_ABOVE = 4
"""How far above a replay its bots can be. A contest in this folder keeps replays in `contest/replays/83`."""


class _Seat(NamedTuple):
    """A player as the commands name it.

    Attributes:
        bot: The reference of the bot; `BOT` if it has no file here.
        turns: The player's own turns in which a rerun can stop; empty if there is nothing to rerun.
    """

    bot: str
    debugs: bool = True
    turns: Sequence[int] = ()


def with_commands(document: dict[str, Any], reader: Reader, replay: Path, shown: str = "") -> dict[str, Any]:
    """Add the commands to the document of an explanation. They are not stored: files are moved.

    Args:
        shown: The name of the replay on the machine of the reader, who has none of the files here; empty if the reader
            is here.
    """
    name = shown or str(replay)
    seats = _seats(document, reader, replay, here=not shown)
    played = {reader.number_of(turn.index) for turn in reader.turns}  # a program can fail before its first turn

    def added(one: dict[str, Any], player: int, turn: int) -> dict[str, Any]:
        return one | {"commands": _commands(name, document["game"], seats, player, turn)}

    return {
        **document,
        "cause": [
            added(one, one["player"], one["turn"]) if one["turn"] in played else one for one in document["cause"]
        ],
        "lessons": [added(one, one["player"], one["from_turn"]) for one in document["lessons"]],
        "fall": [one and added(one, player, one["from_turn"]) for player, one in enumerate(document["fall"])],
    }


def _commands(name: str, game: str, seats: Sequence[_Seat], player: int, turn: int) -> list[str]:
    """Return a command that shows a turn, and one that stops the player's bot there, or else plays on from there."""
    seat, place = seats[player], f"{name}@{turn}"
    own = max((number for number in seat.turns if number <= turn), default=0)
    show = command_line("arena", "view", place)
    if own and seat.debugs:
        return [show, command_line("arena", "rerun", f"{name}@{own}", seat.bot, "--player", player, "--debug")]
    bots = [REPLAY if other.bot == UNKNOWN and at != player else other.bot for at, other in enumerate(seats)]
    return [show, command_line("arena", "play", game, *bots, "--from", place)]


def _seats(document: dict[str, Any], reader: Reader, replay: Path, *, here: bool) -> list[_Seat]:
    numbers = [(turn.player, reader.number_of(turn.index)) for turn in reader.turns]
    found = []
    for player, one in enumerate(reader.header.get("players", ())):
        reference = str(one.get("bot", ""))
        if reference.startswith(BUILTIN) or reference in (HUMAN, TERMINAL):
            found.append(_Seat(reference))
            continue
        path = _path(reference, replay)
        bot = _bot(path, document["game"])
        turns = [number for mover, number in numbers if mover == player]
        found.append(_Seat((path if here else "") or UNKNOWN, bot is None or _debugs(bot), turns))
    return found


def _path(reference: str, replay: Path) -> str:
    """Return a recorded reference as it is in the current folder; empty if the bot has no file here."""
    if reference in ("", REMOTE, REPLAY):
        return ""
    folders = replay.absolute().parents[:FOLDERS_ABOVE]
    for text in (reference, *(os.path.relpath(folder / reference) for folder in folders)):
        file, _ = split_reference(text)  # without settings
        if exists(file):
            return text
    return ""


def _bot(path: str, game: str) -> Bot | None:
    with suppress(ArenaError):
        return load_bot(path, find_game(game)) if path else None
    return None


def _debugs(bot: Bot) -> bool:
    debugger = bot.debugger
    if debugger == "gdb" and (bot.build is None or not bot.build.compiles_c):
        return False  # it stops at a function of the kit for C++
    return debugger == "pdb" or (debugger != "" and shutil.which(debugger) is not None)
