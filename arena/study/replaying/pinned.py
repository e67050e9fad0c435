"""Write a test of a bot's choice in one turn of a recorded match. The test contains the record up to this turn."""

from __future__ import annotations

import base64
import os
import pprint
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgpack

from arena.bots.bot import load_bot
from arena.bots.build import built
from arena.errors import ArenaError, ExitCode
from arena.study.replaying.course import game_of
from arena_replays.documents import Entry, Header

if TYPE_CHECKING:
    from arena.study.replaying.rerun import MatchRecord

WIDTH = 116
"""The limit for the length of a line of the encoded record in a test, in characters."""
_HEADER_KEYS = ("game", "version", "options", "leg", "clock", "policy", "start")
_PLAYER_KEYS = ("name", "settings", "isolation")
_TEMPLATE = '''\
"""Turn {turn} of player {player} in {name}, written by `arena rerun --pin`."""

from pathlib import Path

from arena.testing import pinned_turn

BOT = {bot}
POSITION = """
{position}
"""


def test_{verb}_turn_{turn}() -> None:
    """{docstring}"""
    assert pinned_turn(POSITION, BOT) {operator} {actions}
'''


def write_test(
    record: MatchRecord,
    player: int,
    turn: int,
    bot: str,
    actions: Sequence[Any],
    target: Path,
    *,
    forbid: bool = False,
) -> str:
    """Return the text of a pytest test that requires the bot's choice in a turn, or forbids it.

    Args:
        bot: The bot's reference; a path is written relative to the test.
    """
    header = {key: value for key, value in record.header.items() if key in _HEADER_KEYS}
    players: list[dict[str, Any]] = [dict(entry) for entry in record.header["players"]]
    header["players"] = [{key: entry[key] for key in _PLAYER_KEYS if key in entry} for entry in players]
    truth = _up_to(record.truth, turn + record.first_turn - 1)
    packed = msgpack.packb([header, record.seed, truth, player, turn])
    text = base64.b85encode(zlib.compress(packed, 9)).decode()
    folder = target.resolve().parent
    path = os.path.relpath(Path(bot).expanduser().resolve(), folder)
    return _TEMPLATE.format(
        turn=turn,
        player=player,
        name=Path(record.name).name.replace("\\", "_").replace('"', "_"),
        bot=repr(bot) if bot.startswith("builtin:") else f"Path(__file__).parent / {path!r}",
        position="\n".join(text[at : at + WIDTH] for at in range(0, len(text), WIDTH)),
        verb="avoids_the_choice_of" if forbid else "holds_the_choice_of",
        docstring="The bot does not do again what it did." if forbid else "The bot still does what it did.",
        operator="!=" if forbid else "==",
        actions=pprint.pformat(list(actions), width=110, sort_dicts=False).replace("\n", "\n    "),
    )


def _up_to(truth: Sequence[Entry], turn: int) -> list[Entry]:
    ends = [index for index, entry in enumerate(truth) if entry[0] == "turn" and entry[1] == turn]
    return list(truth[: ends[-1] + 1] if ends else truth)


def pinned_turn(position: str, bot: str | Path) -> list[Any]:
    """Rerun a match up to the last recorded turn, and return the actions that a bot chooses in this turn.

    The bot runs in the sandbox in place of the recorded player. Refused actions are left out.
    """
    # `arena.testing` is imported where no program can be started, such as in a browser.
    from arena.study.replaying.rerun import MatchRecord, choice

    header: Header
    try:
        packed = zlib.decompress(base64.b85decode("".join(position.split())))
        header, seed, truth, player, turn = msgpack.unpackb(packed, strict_map_key=False)
    except (ValueError, TypeError, zlib.error, msgpack.UnpackException):
        raise ArenaError(
            "The position of the test is damaged.",
            hint="Write the test again with `arena rerun --pin`.",
            exit_code=ExitCode.DAMAGED_REPLAY,
        ) from None
    game = game_of(header)
    record = MatchRecord("The position of the test", game, header, truth, seed)
    return choice(record, player, built(load_bot(bot, game)), turn)
