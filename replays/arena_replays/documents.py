"""The types of the header and the footer of a replay, and functions that check them when a file is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Required, TypedDict, cast

Entry = list[Any]
"""An entry of the truth. docs/replay-format.md lists all kinds of entries."""
Delta = list[Any]
"""Changes of a view: id, field, value, id, field, value, and so on."""
Frame = tuple[Delta, list[dict[str, Any]]]
"""The changes of a view by one entry of the truth, and the events that the player sees."""
FRAMED = ("setup", "position", "do", "leave")
"""The kinds of entries that have a frame in each view."""


class HeaderPlayer(TypedDict, total=False):
    """A player, before the match."""

    name: Required[str]
    bot: str
    hash: str
    settings: dict[str, Any]
    isolation: dict[str, Any]


class Header(TypedDict, total=False):
    """The header: the data that exists before the match. docs/replay-format.md explains each key."""

    arena: str
    game: str
    title: str
    version: str
    options: dict[str, Any]
    players: list[HeaderPlayer]
    commitment: str
    leg: int
    clock: dict[str, float | None]
    policy: dict[str, Any]
    schema: dict[str, Any]
    renderer: bool
    streams: Required[int]
    tournament: dict[str, Any]
    start: dict[str, int]
    parent: dict[str, Any]


class FooterOutcome(TypedDict, total=False):
    """The outcome of the game, as the game reports it."""

    winner: Required[int | None]
    reason: Required[str]
    ranks: list[int]
    teams: list[list[int]]
    payoffs: list[float]
    common: float


class FooterPlayer(TypedDict, total=False):
    """A player, after the match."""

    name: str
    ending: str
    place: str
    detail: str
    score: float
    refusals: dict[str, int]
    out: int


class Footer(TypedDict, total=False):
    """The footer: the results of the match. docs/replay-format.md explains each key."""

    outcome: FooterOutcome | None
    digest: str
    course: str
    turns: int
    trouble: str
    players: list[FooterPlayer]
    seed: int | str | None
    salt: str
    left_out: list[str]


Types = Mapping[str, type | tuple[type, ...]]
_HEADER: Types = {
    **dict.fromkeys(("arena", "game", "title", "version", "commitment"), str),
    **dict.fromkeys(("options", "clock", "policy", "schema", "start", "parent"), dict),
    "players": list,
    "leg": int,
}
_HEADER_PLAYER: Types = {"name": str, "bot": str, "hash": str, "settings": dict, "isolation": dict}
_OUTCOME: Types = {
    "winner": (int, type(None)),
    "reason": str,
    "ranks": list,
    "teams": list,
    "payoffs": list,
    "common": (int, float),
}
_FOOTER: Types = {
    **dict.fromkeys(("digest", "course", "trouble", "salt"), str),
    "turns": int,
    "players": list,
    "seed": (int, str),
    "left_out": list,
}
_FOOTER_PLAYER: Types = {
    "name": str,
    "ending": str,
    "place": str,
    "detail": str,
    "score": (int, float),
    "refusals": dict,
    "out": int,
}


def as_header(value: object) -> Header:
    """Return the header of a file, without the keys whose value has the wrong type.

    A player without a name gets one. ``renderer``, ``tournament`` and unknown keys are not checked.

    Raises:
        ValueError: The value is not a map, or the number of views (``streams``) is not from 1 to 65.
    """
    if type(value) is not dict or type(value.get("streams")) is not int or not 1 <= value["streams"] <= 65:
        raise ValueError("the header is invalid")
    header = _typed(value, _HEADER)
    if "players" in header:
        players = [_typed(player, _HEADER_PLAYER) for player in header["players"]]
        header["players"] = [
            one if "name" in one else {"name": f"player {at}", **one} for at, one in enumerate(players)
        ]
    if "start" in header:
        header["start"] = _typed(header["start"], dict.fromkeys(("turn", "first"), int))
    return cast("Header", header)


def as_footer(value: object) -> Footer:
    """Return the footer of a file, without the keys whose value has the wrong type.

    An outcome without a winner or a reason gets None or an empty text. If a list in the outcome is invalid, only winner
    and reason are kept. Unknown keys are not checked.

    Raises:
        ValueError: The value is not a map.
    """
    if type(value) is not dict:
        raise ValueError("the footer is invalid")
    footer = _typed(value, _FOOTER)
    if "players" in footer:
        footer["players"] = [_typed(player, _FOOTER_PLAYER) for player in footer["players"]]
    outcome = footer.get("outcome")
    if outcome is not None:
        known = _typed(outcome, _OUTCOME)
        lists = [known.get("ranks", []), known.get("payoffs", []), *known.get("teams", [])]
        if not all(isinstance(one, list) and all(type(number) in (int, float) for number in one) for one in lists):
            known = {name: value for name, value in known.items() if name in ("winner", "reason")}
        footer["outcome"] = {"winner": None, "reason": ""} | known
    return cast("Footer", footer)


def _typed(value: object, types: Types) -> dict[str, Any]:
    given = value.items() if isinstance(value, dict) else ()
    return {key: one for key, one in given if key not in types or isinstance(one, types[key])}
