"""Names of matches for people: "Final, game 3: Sheriff – House"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.contests.values import KINDS

Document = Mapping[str, Any]
_LAST = {0: "Final", 1: "Semi-final", 2: "Quarter-final"}
"""The names of the last rounds of a bracket, by how many rounds follow."""


class Titles:
    """The names of the matches of a contest, from its standings document.

    Matches of the ladder have the number of their encounter: ``Ladder 12``.
    """

    def __init__(self, document: Document) -> None:
        self._places: dict[tuple[str, int, int], str] = {}
        self._games: dict[tuple[str, int, int], int] = {}
        for stage in document["stages"]:
            for encounter in stage["encounters"]:
                key = (stage["name"], encounter["round"], encounter["index"])
                self._places[key] = round_title(stage, encounter)
                self._games[key] = len(encounter["matches"])

    def place(self, game: Document) -> str:
        """Return where a match belongs, for example ``Final, game 3``.

        Args:
            game: The match, with its stage, round, pairing and number.
        """
        key = (game["stage"], game["round"], game["pairing"])
        number = " " if game["stage"] in KINDS else ", round "
        title = self._places.get(key, f"{_capital(game['stage'])}{number}{game['round']}")
        more = self._games.get(key, 0) > 1 or game["number"] > 0
        return f"{title}, game {game['number'] + 1}" if more else title

    def of(self, game: Document, names: Iterable[str]) -> str:
        """Return the whole name of a match: its place and its players."""
        return f"{self.place(game)}: {' – '.join(names)}"


def stage_title(stage: Document) -> str:
    """Return the heading of a stage: its name and what it is, or only this if the stage has no name of its own."""
    format_, state = stage["format"].replace("_", " "), "" if stage["finished"] else "so far"
    if stage["name"] == stage["format"]:
        return f"{_capital(format_)}{state and f' ({state})'}"
    return f"{stage['name']} ({format_}{state and f', {state}'})"


def round_title(stage: Document, encounter: Document) -> str:
    """Return the name of an encounter's round: ``Semi-final``, ``Losers' round 2``, ``Swiss, round 3``."""
    section, column = encounter["section"], encounter["column"]
    if stage["format"] == "elimination_tables":
        return "Final table" if section == "F" else f"Tables, round {encounter['round']}"
    if not column:
        group = f", group {section}" if section and len(section) < 3 else f", {section}" if section else ""
        return f"{_capital(stage['name'])}{group}, round {encounter['round']}"
    if section == "third":
        return "Match for third place"
    if section == "F":
        return "Grand final" if column == 1 else "Second grand final"
    depth = (max(2, len(stage["standings"])) - 1).bit_length()
    double = stage["format"] == "double_elimination"
    if section == "L":
        return "Losers' final" if column == 2 * depth - 2 else f"Losers' round {column}"
    name = _LAST.get(depth - column, f"Round of {2 << (depth - column)}")
    return f"Winners' {name[0].lower()}{name[1:]}" if double else name


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")
