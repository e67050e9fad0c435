"""The bots that `arena new --language` writes, against the weakest built-in bot of their game, at two isolation levels.

Run it as a program for the whole table (`make stats`, about an hour). Each template plays 100 matches at each level,
from its sources, in alternating seats. A template is good if its program never fails, and it wins at least 60 of 100.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from arena.cli import cli
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.play.referee.match_process import play_in_process
from arena.sdk.languages import LANGUAGES

GAMES = ("saloon", "laser_flag", "derelict", "snakes")
WANTED = 0.6
PLAYED = ("won", "lost", "drawn")


@dataclass(frozen=True, slots=True)
class Row:
    """The matches of one template at one level.

    Attributes:
        game: The game.
        language: The language of the template.
        isolation: The isolation that the matches had.
        endings: How often each ending came.
    """

    game: str
    language: str
    isolation: str
    endings: Counter[str]

    @property
    def failures(self) -> dict[str, int]:
        """The endings other than won, lost and drawn."""
        return {name: count for name, count in self.endings.items() if name not in PLAYED}

    @property
    def good(self) -> bool:
        """Whether it wins often enough, and never fails."""
        return not self.failures and self.endings["won"] >= WANTED * self.endings.total()

    def __str__(self) -> str:
        endings = ", ".join(f"{count} {name}" for name, count in self.endings.most_common())
        return f"{self.game:11} {self.language:11} {self.isolation:16} {endings}{'' if self.good else '  MISSED'}"


def write_template(game: str, language: str, folder: Path) -> Path:
    """Write a new bot."""
    done = CliRunner().invoke(cli, ["new", game, str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    return folder


def play(game: str, language: str, bot: Path, matches: int, level: int) -> Row:
    """Play the matches of one template at one level."""
    opponent = f"builtin:{find_game(game).bots[0].name}"
    endings: Counter[str] = Counter()
    isolation = ""
    for number in range(matches):
        own = number % 2
        seats = [SeatAssignment(opponent), SeatAssignment(opponent)]
        seats[own] = SeatAssignment(str(bot))
        result = play_in_process(Job(game=game, seats=tuple(seats), seed=number // 2, max_isolation=level))
        assert not result.fault, result.fault
        endings[result.players[own].ending] += 1
        isolation = result.players[own].isolation.name
    return Row(game, language, isolation, endings)


def rows(games: list[str], languages: list[str], matches: int, levels: list[int]) -> Iterator[Row]:
    """Play all matches."""
    with tempfile.TemporaryDirectory() as name:
        for level in levels:
            for game in games:
                for language in languages:
                    folder = Path(name) / f"{game}-{language}"
                    bot = folder if folder.is_dir() else write_template(game, language, folder)
                    yield play(game, language, bot, matches, level)


def main() -> int:
    """Print the table, and return 1 if a template is not good."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--levels", type=int, nargs="+", default=[3, 2])
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--languages", nargs="+", default=["python", *LANGUAGES])
    chosen = parser.parse_args()
    good = True
    for row in rows(chosen.games, chosen.languages, chosen.matches, chosen.levels):
        print(row, flush=True)
        good = good and row.good
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
