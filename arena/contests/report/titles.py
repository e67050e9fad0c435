"""Names of matches for people: "Final, game 3: Sheriff – House"."""

from __future__ import annotations

from collections.abc import Iterable

from arena.contests.config import StageConfig
from arena.contests.stages.encounters import Encounter
from arena.contests.stages.stage import StageRun
from arena.contests.values import KINDS, LADDER
from arena.match.spec import MatchSpec

_OF_SEVERAL = (LADDER, "comparison", "challenge")
"""The kinds of encounters that have several matches, see `ladder.encounters.UNRATED_GAMES`."""
_LAST = {0: "Final", 1: "Semi-final", 2: "Quarter-final"}
"""The names of the last rounds of a bracket, by how many rounds follow."""


class Titles:
    """The names of the matches of a contest.

    Matches of the ladder have the number of their encounter: ``Ladder 12, game 1``.
    """

    def __init__(self, stages: Iterable[StageRun]) -> None:
        self._rounds: dict[tuple[str, int, int], tuple[str, int]] = {}
        for run in stages:
            for series in run.series:
                encounter = series.encounter
                title = round_title(run, encounter), len(series.games)
                self._rounds[run.config.name, encounter.round, encounter.index] = title

    def place(self, spec: MatchSpec) -> str:
        """Return where a match belongs, for example ``Final, game 3``."""
        number = " " if spec.stage in KINDS else ", round "
        unknown = f"{capital(spec.stage)}{number}{spec.round}", 2 if spec.stage in _OF_SEVERAL else 0
        title, games = self._rounds.get((spec.stage, spec.round, spec.pairing), unknown)
        return f"{title}, game {spec.number + 1}" if games > 1 or spec.number > 0 else title

    def of(self, spec: MatchSpec) -> str:
        """Return the whole name of a match: its place and its players."""
        return f"{self.place(spec)}: {' – '.join(spec.names)}"


def stage_title(stage: StageConfig, *, is_over: bool) -> str:
    """Return the heading of a stage: its name and what it is, or only this if the stage has no name of its own."""
    format_ = "Swiss" if stage.format == "swiss" else stage.format.replace("_", " ")
    parts = [] if stage.name == stage.format else [format_]
    parts += ["exhibition"] if stage.exhibition else []
    parts += [] if is_over else ["so far"]
    return f"{capital(stage.name)} ({', '.join(parts)})" if parts else capital(stage.name)


def round_title(run: StageRun, encounter: Encounter) -> str:
    """Return the name of an encounter's round: ``Semi-final``, ``Losers' round 2``, ``Swiss, round 3``."""
    stage, section, column = run.config, encounter.section, encounter.column
    if stage.format == "elimination_tables":
        return "Final table" if section == "F" else f"Tables, round {encounter.round}"
    if not column:
        group = f", group {section}" if section and len(section) < 3 else f", {section}" if section else ""
        return f"{capital(stage.name)}{group}, round {encounter.round}"
    if section == "third":
        return "Match for third place"
    if section == "F":
        return "Grand final" if column == 1 else "Second grand final"
    depth = (max(2, len(run.names)) - 1).bit_length()
    double = stage.format == "double_elimination"
    if section == "L":
        return "Losers' final" if column == 2 * depth - 2 else f"Losers' round {column}"
    name = _LAST.get(depth - column, f"Round of {2 << (depth - column)}")
    return f"Winners' {name[0].lower()}{name[1:]}" if double else name


def capital(name: str) -> str:
    """Return the name of a stage as a heading has it."""
    return name[:1].upper() + name[1:].replace("_", " ")
