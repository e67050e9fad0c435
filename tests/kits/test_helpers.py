"""The helpers of games give the same results in each language as in Python, for the same positions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from helper_bots import Plan, plan, source
from languages import NEEDED
from shortened import shortened

from arena.bots.builtin import module_source
from arena.cli import cli
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.sdk import languages as kits
from arena.testing import play_match
from arena_player import ai, grid
from arena_replays import Reader

pytestmark = [pytest.mark.process, pytest.mark.slow]


class Case(NamedTuple):
    """A match of a game: the seed, in which turns a bot calls helpers, and the texts that helpers take."""

    seed: int
    turns: range
    texts: dict[str, Any]
    options: dict[str, Any] = {}  # noqa: RUF012 - nothing changes it


GAMES = {
    "saloon": Case(1, range(6, 12), {"direction": "North", "job": "Brawler"}),
    "laser_flag": Case(3, range(4), {"reaction": "snap"}),
    "derelict": Case(5, range(6, 12), {"facing": "North", "types": "move"}),
    "snakes": Case(3, range(3), {"direction": "up"}),
}
NO_TARGET = {"Bottle.flight"}
"""Helpers of objects that are not there in these matches."""


def make(game: str, folder: Path, language: str, program: str) -> Path:
    """Write a bot."""
    done = CliRunner().invoke(cli, ["new", game, str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    manifest = folder / "bot.toml"
    if language != "python":
        manifest.write_text(manifest.read_text(encoding="utf-8").replace("-O2", "-O0"), encoding="utf-8")
    name = "main.py" if language == "python" else kits.LANGUAGES[language].program
    (folder / name).write_text(program, encoding="utf-8")
    return folder


def play(game: str, bot: Path, case: Case, replay: Path) -> MatchResult:
    """Play a match of a bot against the weakest built-in bot, or against itself if there is none."""
    bots = find_game(game).bots
    other = f"builtin:{bots[0].name}" if bots else bot
    return play_match(game, [bot, other], seed=case.seed, replay=replay, options=case.options)


def answers(planned: Plan, case: Case, language: str, folder: Path) -> dict[str, Any]:
    """Play a match with the bot of a language; return the results of its calls."""
    game = planned.game.name
    bot = make(game, folder / "bot", language, source(planned, language))
    replay = folder / "game.arena"
    result = play(game, bot, case, replay)
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0].stderr
    logs = [note.payload for note in Reader(replay).notes if note.kind == "log" and note.player == 0]
    # A log is sent in pieces of 2,000 characters.
    lines = "".join(log if len(log) == 2000 else f"{log}\n" for log in logs).splitlines()
    return {label: json.loads(text) for label, text in (line.split("\t") for line in lines)}


@pytest.fixture(params=shortened(sorted(kits.LANGUAGES, key=lambda name: name in ("cpp", "java"))))
def language(request: pytest.FixtureRequest, need_program: Callable[[str], str]) -> str:
    chosen: str = request.param
    for program in NEEDED[chosen]:
        need_program(program)
    return chosen


def compare(game: str, case: Case, language: str, folder: Path, no_target: set[str]) -> None:
    """Compare the results of all helpers with those of the Python kit."""
    planned = plan(find_game(game), case.turns, case.texts)
    expected = answers(planned, case, "python", folder / "python")
    assert len(expected) == len(planned.calls)
    worked = {label.split()[1] for label, value in expected.items() if value != "error"}
    assert worked == {f"{call.owner}.{call.helper.name}" for call in planned.calls} - no_target
    assert answers(planned, case, language, folder / language) == expected


PLAYED_ALWAYS = [(game, "javascript") for game in GAMES] + [("saloon", "cpp"), ("derelict", "java")]
"""What `make test` plays. A compiler takes up to half a minute for a game, so the others are long tests."""


@pytest.mark.parametrize(
    ("game", "language"),
    [
        pytest.param(game, language, marks=() if (game, language) in PLAYED_ALWAYS else pytest.mark.kill)
        for game in GAMES
        for language in kits.LANGUAGES
    ],
    indirect=["language"],
)
def test_helpers_are_those_of_python(game: str, language: str, tmp_path: Path) -> None:
    compare(game, GAMES[game], language, tmp_path, NO_TARGET if game == "saloon" else set())


STRANGE = '''
"""Helpers with every type that they can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from frontier import Game, Result, Tile, Unit


@dataclass
class Odds:
    """The odds of a unit."""

    win: float
    by_unit: dict[Unit, float]
    delete: bool


class Report(NamedTuple):
    """A report."""

    unit: Unit | None
    odds: Odds
    words: dict[str, Any]
    near: list[Tile | None]


class TileExtras:
    unit: Unit | None
    north: Tile | None

    def is_passable(self) -> bool:
        """Return whether nobody stands here."""
        return self.unit is None

    def away(self, place: Located) -> int:
        """Return the distance."""
        return self.distance_to(place)


class UnitExtras:
    game: Game
    tile: Tile | None
    strength: int
    owner: int

    @property
    def share(self) -> float:
        """An integer, if the unit is unhurt."""
        return 1 if self.strength == 3 else self.strength / 3

    @property
    def odds(self) -> Odds:
        """The odds."""
        foes = self.foes(2)
        return Odds(self.share, {foe: 1 for foe in sorted(foes, key=lambda foe: foe.id)}, self.strength < 3)

    def foes(self, most: int | None = None, *, strong: bool = False) -> set[Unit]:
        """Return other units."""
        listed = [unit for unit in self.game.units if unit.owner != self.owner and (not strong or unit.strength > 1)]
        return set(listed[:most])

    def report(self) -> Report:
        """Return a report."""
        words = {"id": self.id, "tile": [1, None, {"deep": {"map": 2.5}}], "empty": {}, "quote": "a\\\\b \\"c\\""}
        return Report(None if self.strength == 3 else self, self.odds, words, [self.tile, self.tile.north])

    def floats(self) -> list[float]:
        """Return floats and integers."""
        return [0, 0.1, self.strength, 1e300]

    def counts(self, words: list[str], start: int = 0) -> dict[str, list[int]]:
        """Return numbers by word."""
        return {word: [start, len(word), -(2**40)] for word in words}

    def pairs(self) -> list[tuple[int, int]]:
        """Return pairs."""
        return [(self.x, self.y), (0, -1)]

    def compare(self, other: Unit | None, by: Literal["x", "y"] = "x", factor: float = 1.0) -> float | None:
        """Compare two units."""
        return None if other is None else factor * (getattr(self, by) - getattr(other, by))

    def delete(self) -> str:
        """Return a text."""
        return "deleted \\u00e9"

    def fails(self) -> int:
        """Fail."""
        return 1 // 0

    def march(self) -> Result[None]:
        """Send an action."""
        return self.game.march([(self, "north")])


class GameExtras:
    units: list[Unit]

    @property
    def nobody(self) -> Unit | None:
        """Nobody."""
        return None

    def by_owner(self) -> dict[int, list[Unit]]:
        """Return the first units of each player."""
        return {owner: [unit for unit in self.units if unit.owner == owner][:3] for owner in (0, 1)}

    def nothing(self) -> dict[Tile, int]:
        """Return an empty map."""
        return {}


class AIExtras:
    wants_legal_actions = True

    @property
    def mine(self) -> list[Unit]:
        """Some of your units."""
        return [unit for unit in self.game.units if unit.owner == self.index][:4]
'''
FRONTIER = Case(2, range(0, 108, 36), {"words": "a \\ b", "by": "y"}, {"turns": 160, "units": 120, "size": 24})


def test_helpers_with_every_type(language: str, tmp_path: Path, install_frontier: Callable[[str], None]) -> None:
    # Between two calls, 36 turns have more changes than a kit keeps for the rules service.
    install_frontier(STRANGE)
    compare("frontier", FRONTIER, language, tmp_path, {"Unit.fails"})


WRONG = {
    "cpp": """
#include "saloon.hpp"
struct Bot : saloon::AI {
    template <class Call> void attempt(Call call) {
        try {
            call();
        } catch (const arena::RulesError& error) {
            log(error.code, error.what());
        } catch (const std::logic_error& error) {
            log("error", error.what());
        }
    }
    void run_turn() override {
        attempt([&] { saloon::towards(tile(1, 1), "nowhere"); });
        attempt([&] { game->fork(1).game()->living_cowboys(); });
        attempt([&] { log(game->living_cowboys().size()); });
    }
};
int main() { return arena::run<Bot>(); }
""",
    "java": """
import arena.Kit;
import arena.Saloon;

class Main extends Saloon.AI {
    void attempt(Runnable call) {
        try {
            call.run();
        } catch (Kit.RulesError error) {
            log(error.code + " " + error.getMessage());
        } catch (IllegalStateException error) {
            log("error " + error.getMessage());
        }
    }

    @Override
    public void run_turn() {
        attempt(() -> Saloon.towards(tile(1, 1), "nowhere"));
        attempt(() -> game.fork(1).game().living_cowboys());
        attempt(() -> log(game.living_cowboys().size()));
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
""",
    "javascript": """
import { AI, run, towards } from "./saloon.js";

class Bot extends AI {
  attempt(call) {
    try {
      call();
    } catch (error) {
      if (error.exitCode) throw error;
      this.log(error.code ?? "error", error.message);
    }
  }
  run_turn() {
    this.attempt(() => towards(this.tile(1, 1), "nowhere"));
    this.attempt(() => this.game.fork(1).game().living_cowboys);
    this.attempt(() => this.log(this.game.living_cowboys.length));
  }
}

run(Bot);
""",
}
"""Bots that use helpers in wrong ways, and then in a right way."""


def test_each_mistake_has_one_message(language: str, tmp_path: Path) -> None:
    bot = make("saloon", tmp_path / "bot", language, WRONG[language])
    case = Case(1, range(0), {}, {"max_turns": 2})
    assert play("saloon", bot, case, tmp_path / "game.arena").players[0].ending == "lost"
    logs = "\n".join(note.payload for note in Reader(tmp_path / "game.arena").notes if note.kind == "log")
    assert logs.splitlines() == [
        "bad_request Tile.towards raised AttributeError: 'Tile' object has no attribute 'nowhere'",
        "error This is the game of a state. Helpers are for the game as it is now.",
        "0",
    ]
    manifest = bot / "bot.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("rules = true\n", ""), encoding="utf-8")
    without = play("saloon", bot, case, tmp_path / "without.arena").players[0]
    message = "fork(), helpers and random_action() need the rules of the game. Write `rules = true` into bot.toml."
    assert message in without.stderr.splitlines()
    assert without.exit == "exit code 2"


DOCUMENT = Path(__file__).parents[2] / "docs" / "other-languages.md"
AROUND = {
    "cpp": """
#include "laser_flag.hpp"
struct Bot : laser_flag::AI {
    void run_turn() override {
BODY
        log("done");
    }
};
int main() { return arena::run<Bot>(); }
""",
    "java": """
import arena.Kit;
import arena.LaserFlag;
import arena.LaserFlag.*;

class Main extends LaserFlag.AI {
    @Override
    public void run_turn() {
BODY
        log("done");
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
""",
    "javascript": """
import { AI, run, sees } from "./laser_flag.js";

class Bot extends AI {
  run_turn() {
BODY
    this.log("done");
  }
}

run(Bot);
""",
}


def test_the_loop_of_the_documentation_plays(language: str, tmp_path: Path) -> None:
    fence = {"javascript": "js"}.get(language, language)
    blocks = re.findall(rf"```{fence}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (body,) = [block for block in blocks if "to_hit" in block]
    bot = make("laser_flag", tmp_path / "bot", language, AROUND[language].replace("BODY", body))
    result = play("laser_flag", bot, Case(1, range(0), {}), tmp_path / "game.arena")
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0].stderr
    assert result.players[0].refusals == {}
    assert any(note.payload.endswith("done") for note in Reader(tmp_path / "game.arena").notes if note.kind == "log")


def test_each_kit_has_what_the_table_of_the_documentation_says() -> None:
    languages = ("python", "cpp", "javascript", "java")
    texts = dict.fromkeys(languages, "")
    for name in ("saloon", "derelict"):
        game = find_game(name)
        texts["python"] += module_source(game)
        for language in languages[1:]:
            written = "\n".join(kits.kit_files(game, language).values())
            texts[language] += "\n".join(line for line in written.splitlines() if not line.lstrip().startswith("//"))
    texts["python"] += "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (ai, grid))
    table = DOCUMENT.read_text(encoding="utf-8").split("| | Python | C++ |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) > 10
    for row in rows:
        assert len(row) == 5, row
        names = [re.findall(r"`(?:\w+(?:->|::|\.))?(\w+)", cell) for cell in row[1:]]
        for language, cell, used in zip(languages, row[1:], names, strict=True):
            if cell == "no":
                assert not re.search(rf"\b{names[0][0]}\b", texts[language]), (row[0], language)
            for name in used:
                assert re.search(rf"\b{name}\b", texts[language]), (row[0], language, name)
