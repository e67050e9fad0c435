"""`arena tune`: SPSA, the state in a file, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.bots.folders.manifest import BotParameter
from arena.cli import cli
from arena.errors import ExitCode
from arena.game import load
from arena_learn.tuning import tuning as tunings
from arena_learn.tuning.games import Table
from arena_learn.tuning.spsa import Spsa, mean_of
from arena_learn.tuning.tuning import Space

BOT = """
from arena_player import AI


class Racer(AI):
    '''Plays a piano with the probability `courage`; the better, the more.'''

    wants_legal_actions = True

    def run_turn(self):
        if self.random.random() < float(self.settings["courage"]):
            for action in list(self.legal_actions):
                if action["type"] in ("play", "call_in"):
                    self.act(action)
        moves = [one for one in self.legal_actions if one["type"] == "move"]
        if moves:
            self.act(self.random.choice(moves))
        self.act({"type": "end_turn"})
"""
MANIFEST = """
name = "racer"
python = "racer.py"

[parameters]
courage = { value = 0.2, low = 0, high = 1 }
idle = { value = 5, low = 0, high = 10, step = 5 }
"""


@pytest.fixture
def racer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "racer"
    folder.mkdir()
    (folder / "racer.py").write_text(BOT)
    (folder / "bot.toml").write_text(MANIFEST)
    return folder


def tune(bot: object, *arguments: str) -> Result:
    few = ("-o", "max_turns=6", "--games", "16", "--test", "4", "--pairs", "1")
    return CliRunner().invoke(cli, ["tune", "saloon", str(bot), *few, *arguments])


# -- the method --------------------------------------------------------------------------------------


def test_spsa_climbs_a_noisy_hill() -> None:
    best = (0.7, 0.3, 0.6)

    def strength(values: tuple[float, ...]) -> float:
        return -sum((one - other) ** 2 for one, other in zip(values, best, strict=True))

    rng = Random(3)
    spsa = Spsa(400)
    values: tuple[float, ...] = (0.1, 0.9, 0.1)
    history = [values]
    for number in range(400):
        first, second = spsa.points(values, number)
        chance = 0.5 + 2 * (strength(first) - strength(second))
        lead = 1 if rng.random() < chance else -1
        values = spsa.next(values, number, lead)
        history.append(values)
    assert strength(mean_of(history)) > 0.15 * strength(history[0])


def test_points_lie_on_both_sides_and_inside() -> None:
    spsa = Spsa(10, seed="x")
    first, second = spsa.points((0.5, 0.02), 0)
    assert all(0 <= value <= 1 for value in (*first, *second))
    assert first[0] + second[0] == pytest.approx(1)
    assert spsa.points((0.5, 0.5), 3) == spsa.points((0.5, 0.5), 3)
    assert spsa.next((0.5,), 0, 0.0) == (0.5,)


def test_steps_get_smaller() -> None:
    spsa = Spsa(100)
    moves = [abs(spsa.next((0.5,), number, 1.0)[0] - 0.5) for number in (10, 50, 99)]
    assert moves == sorted(moves, reverse=True)


def test_a_space_rounds_to_steps() -> None:
    space = Space((BotParameter("a", 0, 10, 2, 5), BotParameter("b", -1, 1)))
    assert space.start({"a": "2"}) == (0.2, 0.5)
    assert space.settings((0.31, 0.5)) == {"a": "5", "b": "0"}


def test_both_sides_of_an_iteration_play_the_same_seeds(racer: Path) -> None:
    table = Table(load("saloon"), str(racer), ("builtin:rowdy",), (("max_turns", 4),))
    same = {"courage": "0.5", "idle": "5"}
    assert table.lead(same, dict(same), 0, 2) == 0.0


# -- the command -------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_tuning_ends_with_a_test_on_fresh_seeds(racer: Path, tmp_path: Path) -> None:
    done = tune(racer, "--against", "builtin:rowdy", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["start"] == {"courage": "0.2", "idle": "5"}
    assert set(found["tuned"]) == {"courage", "idle"}
    assert found["games"] <= 16
    assert found["test"]["games"] == 4
    assert list(found["against"]) == ["builtin:rowdy"]
    assert found["crashes"] == []
    assert (tmp_path / "tune-saloon-racer.json").is_file()


@pytest.mark.process
def test_a_stopped_tuning_goes_on_where_it_was(racer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.loads(tune(racer, "--json", "--state", "whole.json").stdout)
    save, saved = tunings.State.save, []

    def stop(state: Any, path: Path) -> None:
        save(state, path)
        saved.append(state.games)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(tunings.State, "save", stop)
    stopped = tune(racer, "--state", "stopped.json")
    assert stopped.exit_code == ExitCode.INTERRUPTED
    assert f"Stopped after {saved[-1]} games. The same command goes on." in stopped.stderr
    monkeypatch.setattr(tunings.State, "save", save)
    assert json.loads(tune(racer, "--json", "--state", "stopped.json").stdout) == whole


@pytest.mark.process
def test_a_stopped_tuning_keeps_its_crashes_and_its_format_is_read(racer: Path, tmp_path: Path) -> None:
    assert tune(racer, "--state", "one.json").exit_code == 0
    path = tmp_path / "one.json"
    state = json.loads(path.read_text())
    assert state["crashes"] == []
    path.write_text(json.dumps(state | {"crashes": ["racer in a game with the seed 5: KeyError"]}))
    assert json.loads(tune(racer, "--state", "one.json", "--json").stdout)["crashes"] == [
        "racer in a game with the seed 5: KeyError"
    ]
    path.write_text(json.dumps(state | {"format": 99}))
    done = tune(racer, "--state", "one.json")
    assert done.exit_code == ExitCode.CANNOT_WRITE
    assert "is not the state of a tuning by this version" in done.stderr


@pytest.mark.process
def test_only_some_parameters_are_tuned(racer: Path) -> None:
    found = json.loads(tune(f"{racer}?idle=10", "--only", "courage", "--json").stdout)
    assert set(found["tuned"]) == {"courage"}


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--only", "speed"), ExitCode.BAD_OPTION, "has no parameter speed; known are courage, idle."),
        (("--against", "builtin:nobody"), ExitCode.BAD_BOT, "The game saloon has no bot builtin:nobody"),
        (
            ("--state", "racer/bot.toml"),
            ExitCode.CANNOT_WRITE,
            "racer/bot.toml is not the state of a tuning by",
        ),
        (("--map", "x"), ExitCode.BAD_OPTION, "The game saloon has no maps."),
    ],
)
def test_bad_input_has_one_message(racer: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = tune(racer, *arguments)
    assert (done.exit_code, "Traceback" in done.stderr) == (code, False)
    assert words in done.stderr


@pytest.mark.process
def test_the_state_of_another_tuning_is_refused(racer: Path) -> None:
    assert tune(racer, "--state", "one.json").exit_code == 0
    done = tune(racer, "--state", "one.json", "--seed", "2")
    assert done.exit_code == ExitCode.CANNOT_WRITE
    assert "one.json is the state of another tuning: it differs in the seed." in done.stderr


@pytest.mark.process
def test_a_bot_without_parameters_and_one_that_crashes(racer: Path) -> None:
    done = tune("builtin:rowdy")
    assert done.exit_code == ExitCode.BAD_BOT
    assert "builtin:rowdy has no parameters to tune." in done.stderr
    (racer / "racer.py").write_text(BOT.replace('"courage"', '"curage"'))
    done = tune(racer)
    assert done.exit_code == ExitCode.BAD_BOT
    assert "A bot crashed in each game, the last time" in done.stderr
    assert "KeyError: 'curage'" in done.stderr
