"""The generated modules: style, types, and a bot that uses one."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_referee import FakeReferee

from arena_player import PlayerError
from arena_player.sdk import generate, helpers

GOOD_BOT = '''
from saloon import AI, Cowboy, Tile, find_path


class PianoMan(AI):
    """Uses every kind of member."""

    def run_turn(self) -> None:
        gun = self.player.young_gun
        if gun.can_call_in:
            newcomer = gun.call_in("Brawler").value
            if newcomer is not None:
                self.log("hello", newcomer.job)
        for cowboy in self.player.cowboys:
            self.send(cowboy)
        assert self.opponent.index == 1
        assert isinstance(self.game.tiles[0], Tile)
        assert self.game.tiles[0].is_balcony
        self.game.end_turn()

    def send(self, cowboy: Cowboy) -> None:
        piano = min(self.game.pianos, key=cowboy.distance_to)
        if cowboy.tile is None or piano.tile is None:
            return
        assert isinstance(cowboy, Cowboy)
        path = find_path(cowboy.tile, piano.tile)
        self.draw.line(cowboy, piano)
        if len(path) > 1:
            moved = cowboy.move(path[0])
            if not moved:
                self.log(moved.code)
        cowboy.act(path[0], "North")
        cowboy.play(furnishing=piano)
'''

BAD_BOT = """
from saloon import AI


class Wrong(AI):
    def run_turn(self) -> None:
        self.player.young_gun.call_in("Dentist")
        self.game.cowboys[0].move(self.game.furnishings[0])
        self.game.cowboys[0].horse
        self.game.cowboys[0].tile.north
"""


def source_of(schemas: Path, name: str) -> str:
    extras = schemas / f"{name}_extras.py"
    schema = json.loads((schemas / f"{name}.json").read_text())
    return generate(schema, extras.read_text() if extras.exists() else "")


def run_tool(folder: Path, *command: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def workshop(tmp_path: Path, schemas: Path) -> Path:
    for name in ("saloon", "race"):
        (tmp_path / f"{name}.py").write_text(source_of(schemas, name))
    return tmp_path


@pytest.mark.process
def test_generated_modules_and_bots_pass_the_checkers(workshop: Path) -> None:
    (workshop / "good.py").write_text(GOOD_BOT)
    assert run_tool(workshop, "mypy", "--strict", "saloon.py", "race.py", "good.py")[0] == 0
    root = Path(__file__).parents[3] / "pyproject.toml"
    assert run_tool(workshop, "ruff", "check", "--config", str(root), "saloon.py", "race.py") == (
        0,
        "All checks passed!\n",
    )
    assert run_tool(workshop, "ruff", "format", "--check", "--config", str(root), "saloon.py", "race.py")[0] == 0


@pytest.mark.process
def test_mistakes_are_found_by_the_checker(workshop: Path) -> None:
    (workshop / "bad.py").write_text(BAD_BOT)
    code, text = run_tool(workshop, "mypy", "--strict", "bad.py")
    assert code == 1
    lines = [line for line in text.splitlines() if "error" in line and line.startswith("bad.py")]
    assert [line.split(":")[1] for line in lines] == ["7", "8", "9", "10"]


@pytest.mark.process
def test_a_typed_bot_plays(
    workshop: Path,
    referee: FakeReferee,
    start_bot: Callable[..., subprocess.Popen[str]],
    cowboy: Callable[..., list[Any]],
) -> None:
    def script(fake: FakeReferee) -> None:
        assert fake.enter()["schema"] == "5a1005a1005a1005"
        assert fake.turn(0)["actions"] == [{"type": "call_in", "young_gun": "g0", "job": "Brawler"}]
        act = fake.result(delta=["game", "arrivals", ["c3"], *cowboy("c3", "p0", 1, 3)], value="c3")
        assert act["actions"] == [{"type": "move", "cowboy": "c1", "x": 2, "y": 1}]
        act = fake.result(0, ("drunk", "he is drunk"))
        assert act["actions"] == [{"type": "act", "cowboy": "c1", "x": 2, "y": 1, "drunk_direction": "North"}]
        act = fake.result()
        assert act["actions"] == [{"type": "play", "cowboy": "c1", "furnishing": "f1"}]
        assert fake.result()["actions"] == [{"type": "end_turn"}]
        fake.result(your_move=False)
        fake.over("won", "lost")

    referee.run(script)
    bot = start_bot(GOOD_BOT, referee.endpoint)
    assert bot.communicate(timeout=20) == ("", "")
    assert bot.returncode == 0
    texts = [message["text"] for message in referee.received if message["type"] == "log"]
    assert texts == ["hello Brawler", "drunk"]


def test_documentation_reaches_the_module(schemas: Path) -> None:
    source = source_of(schemas, "saloon")
    assert 'job: Job\n    """What he can do."""' in source
    assert "def call_in(self, job: Job) -> Result[Cowboy]:" in source
    assert 'def act(self, tile: Tile, drunk_direction: DrunkDirection = "") -> Result[None]:' in source
    assert "# A bottle does not block." in source
    assert source.count("if TYPE_CHECKING:") == 2, "the imports and types of states, and not those of the kit's file"
    assert "def fork(self, rng: Random | None = None) -> State:" in source
    assert "players: tuple[PlayerState, ...]" in source
    assert "def pass_(self) -> Result[None]:" in source_of(schemas, "race")
    assert max(map(len, source.splitlines())) <= 110


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda schema: schema["classes"].update(Tile=schema["classes"]["Runner"]), "class Tile needs another name"),
        (lambda schema: schema["classes"]["Runner"]["fields"].update({"class": {"type": "int"}}), "'class' cannot be"),
        (lambda schema: schema["classes"]["Runner"]["fields"].update({"x": {"type": "Ghost"}}), "the class Ghost"),
        (lambda schema: schema["classes"]["Runner"]["fields"].update({"x": {"type": "[[int]]"}}), "a type '"),
        (lambda schema: schema.pop("classes"), "not the schema"),
    ],
)
def test_schemas_that_cannot_be_made_into_a_module(schemas: Path, change: Callable[[Any], None], message: str) -> None:
    schema = json.loads((schemas / "race.json").read_text())
    change(schema)
    with pytest.raises(PlayerError) as caught:
        generate(schema)
    assert message in str(caught.value)


def test_extras_with_a_syntax_error(schemas: Path) -> None:
    with pytest.raises(PlayerError, match="syntax error in line 2"):
        generate(json.loads((schemas / "race.json").read_text()), "\nclass (")


UNFIT = """
class CowboyExtras:
    def near(self, most: int = 2) -> list[Tile]: ...
    def shoot(self) -> Result[None]: ...
    def untyped(self): ...
    def of_bytes(self, data: bytes) -> int: ...
    def with_default(self, data: bytes = b"") -> int: ...
    def mixed(self) -> int | str: ...
    def place(self) -> Tile | Cowboy: ...
    def two(self, first: int, *rest: int) -> int: ...
    def move(self) -> int: ...
    @staticmethod
    def alone() -> int: ...
    def _own(self) -> int: ...


class AIExtras:
    @property
    def turn(self) -> int: ...
"""


def test_helpers_that_other_languages_cannot_have_have_a_reason(schemas: Path) -> None:
    found = helpers(json.loads((schemas / "saloon.json").read_text()), UNFIT)
    assert [helper.name for helper in found.classes["Cowboy"]] == ["near", "shoot", "with_default"]
    assert found.classes["Cowboy"][1].type.name == "result"
    assert found.classes["Cowboy"][2].parameters == ()
    assert {helper.name for helper in found.classes["Tile"]} == {"is_passable", "path_to", "reachable"}
    assert found.missing == {
        "Cowboy.untyped": "it has a parameter or a result without a type",
        "Cowboy.of_bytes": "it uses the type bytes",
        "Cowboy.mixed": "it uses the type int | str",
        "Cowboy.place": "its result can be a tile or an object: Tile | Cowboy",
        "Cowboy.two": "it has other parameters beside *rest",
        "Cowboy.move": "every kit has it already",
        "Cowboy.alone": "it is a staticmethod",
        "AI.turn": "every kit has it already",
    }
