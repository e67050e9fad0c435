"""Settings of bots: declared in bot.toml, set after the reference, sent to the bot."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.folders.manifest import BotParameter
from arena.bots.players import Players, brought_player
from arena.bots.references import split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import load
from arena.play.memory import play_in_memory

BOT = """
from arena_player import AI


class Shy(AI):
    def run_turn(self):
        self.log(f"courage {self.settings['courage']}")
        self.act({"type": "end_turn"})
"""
MANIFEST = """
name = "Shy"
python = "shy.py"

[parameters]
courage = { value = 0.5, low = 0, high = 1, step = 0.1 }
depth = { low = 1, high = 9 }
"""


@pytest.fixture
def shy(tmp_path: Path) -> Path:
    folder = tmp_path / "shy"
    folder.mkdir()
    (folder / "shy.py").write_text(BOT)
    (folder / "bot.toml").write_text(MANIFEST)
    return folder


def refused(reference: str) -> str:
    with pytest.raises(ArenaError) as caught:
        load_bot(reference)
    assert caught.value.exit_code == ExitCode.BAD_BOT
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "reference", "settings"),
    [
        ("builtin:search", "builtin:search", ()),
        ("builtin:search?playouts=200", "builtin:search", (("playouts", "200"),)),
        ("a/b.py?x=1&y=a=b", "a/b.py", (("x", "1"), ("y", "a=b"))),
        ("a/b.py?x=", "a/b.py", (("x", ""),)),
    ],
)
def test_settings_follow_a_question_mark(text: str, reference: str, settings: tuple[tuple[str, str], ...]) -> None:
    assert split_reference(text) == (reference, settings)


@pytest.mark.parametrize("text", ["bot.py?", "bot.py?fast", "bot.py?=1", "bot.py?x=1&"])
def test_a_setting_needs_a_name_and_a_value(text: str) -> None:
    assert "is not of the form NAME=VALUE" in refused(text)


def test_a_file_that_exists_is_no_setting(tmp_path: Path) -> None:
    (tmp_path / "why?x=1.py").write_text("")
    assert split_reference(tmp_path / "why?x=1.py") == (str(tmp_path / "why?x=1.py"), ())


@pytest.mark.process
def test_a_bot_gets_the_values_of_its_parameters_and_what_is_set(shy: Path) -> None:
    bot = load_bot(shy)
    assert bot.settings == (("courage", "0.5"),)
    assert [one.name for one in bot.parameters] == ["courage", "depth"]
    assert dict(load_bot(f"{shy}?courage=0.7&depth=2").settings) == {"courage": "0.7", "depth": "2"}
    assert load_bot(f"{shy}?courage=0.7").content_hash == bot.content_hash


@pytest.mark.process
def test_wrong_settings_are_refused(shy: Path) -> None:
    assert refused(f"{shy}?fear=1").endswith("has no parameter 'fear'; known are at_random, courage, depth.")
    assert refused(f"{shy}?courage=2").endswith("courage must be a number from 0 to 1, not '2'.")
    assert refused(f"{shy}?courage=nan").endswith("courage must be a number from 0 to 1, not 'nan'.")


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = { low = 2, high = 1 }", "parameters.x must have low < high"),
        ("x = { low = 0, high = 1, value = 3 }", "parameters.x must have low < high, and its value from low to high"),
        ("x = { low = 0, high = 1, step = -1 }", "parameters.x.step must not be negative"),
        ("x = { low = 0 }", "parameters.x.high is missing"),
        ("x = { low = 0, high = 1, default = 1 }", "parameters.x.default is not known here"),
        ("x = 3", "parameters.x must be a table"),
    ],
)
def test_wrong_parameters_are_refused(shy: Path, line: str, message: str) -> None:
    (shy / "bot.toml").write_text(f'python = "shy.py"\n[parameters]\n{line}\n')
    assert message in refused(str(shy))


@pytest.mark.parametrize("place", ["folder", "file"])
def test_a_bot_in_memory_gets_them_too(shy: Path, place: str) -> None:
    from arena.play.memory import MatchInMemory

    path = shy if place == "folder" else shy / "shy.py"
    match = MatchInMemory("saloon", [f"{path}?courage=0.9", path], seed=1, options={"max_turns": 2}, raises=True)
    match.play()
    assert [note.payload for note in match.notes] == ["courage 0.9", "courage 0.5"]


def test_a_value_is_rounded_to_its_step_and_range() -> None:
    parameter = BotParameter("x", 1, 2, step=0.25)
    assert [parameter.text_of(value) for value in (0, 1.3, 1.38, 9)] == ["1", "1.25", "1.5", "2"]
    assert BotParameter("x", 0, 1).text_of(1 / 3) == "0.3333333333"


def test_an_unknown_builtin_bot_is_refused_and_search_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    with pytest.raises(ArenaError, match="The game saloon has no bot builtin:search") as caught:
        play_in_memory(load("saloon"), ["builtin:search", "builtin:rowdy"])
    assert caught.value.hint == "builtin:search plays every game. Install it: pip install arena-learn"
    with pytest.raises(ArenaError) as caught:
        play_in_memory(load("saloon"), ["builtin:nobody", "builtin:rowdy"])
    assert not caught.value.hint


class Kind:
    """A kind of player, as another distribution brings it."""

    def identity(self, name: str) -> str:
        return f"kind:{name}"

    def open(self, game: str) -> Players:
        raise NotImplementedError


def test_a_player_of_another_distribution(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    points = [EntryPoint("quick", f"{Kind.__module__}:Kind", "arena.players")]
    monkeypatch.setattr(EntryPoint, "load", lambda _: Kind())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group, name="": [p for p in points if p.name == name])
    bot = load_bot("quick:one")
    assert (bot.name, bot.content_hash, bot.is_outside, bot.is_brought) == ("one", "kind:one", True, True)
    monkeypatch.chdir(tmp_path)
    for reference in ("slow:one", "quick:", "builtin:one", "human:terminal", "quick:a/b", "C:one"):
        assert brought_player(reference) is None
    with pytest.raises(ArenaError, match="has no settings"):
        load_bot("quick:one?size=3")
    Path("quick:one").write_text("")
    assert brought_player("quick:one") is None, "files come first"
