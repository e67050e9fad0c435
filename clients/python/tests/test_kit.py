"""The kit against a scripted referee over a real socket."""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_referee import FakeReferee

from arena_player import AI, FAR_AWAY, GameObject, Outcome, PlacedObject, PlayerError, Result, Tile, wire
from arena_player.ai import find_ai
from arena_player.modules import BotModules
from arena_player.runner import run

StartBot = Callable[..., subprocess.Popen[str]]


def play(referee: FakeReferee, script: Callable[[FakeReferee], None], kind: type[AI]) -> Any:
    referee.run(script)
    ai = kind()
    run(ai, referee.endpoint)
    referee.finish()
    return ai


def notes_of_one_turn(referee: FakeReferee, kind: type[AI]) -> list[dict[str, Any]]:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        fake.result(your_move=False)
        fake.over("won", "lost")

    play(referee, script, kind)
    return [message for message in referee.received if message["type"] in ("log", "draw")]


class Passive(AI):
    """A bot that only ends its turns, and records the calls of its methods."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.outcome: Outcome | None = None

    def start(self) -> None:
        self.calls.append("start")

    def run_turn(self) -> None:
        self.calls.append(f"turn {self.turn}")

    def game_updated(self) -> None:
        self.calls.append("updated")

    def refused(self, action: dict[str, Any], result: Result[Any]) -> None:
        self.calls.append(f"refused {action['type']} {result.code}")

    def end(self, outcome: Outcome) -> None:
        self.calls.append("end")
        self.outcome = outcome


def test_hooks_in_order_and_the_turn_ended_for_the_bot(referee: FakeReferee) -> None:
    def script(fake: FakeReferee) -> None:
        hello = fake.enter()
        assert hello["schema"] is None
        assert fake.turn(0)["actions"] == [{"type": "end_turn"}]
        fake.result(your_move=False)
        assert fake.turn(2)["actions"] == [{"type": "end_turn"}]
        fake.result(your_move=False)
        fake.over("won", "crashed")

    ai = play(referee, script, Passive)
    assert ai.calls == ["start", *("updated", "turn 0", "updated"), *("updated", "turn 2", "updated"), "updated", "end"]
    assert ai.outcome.won
    assert ai.outcome.ending == "won"
    assert ai.outcome.endings == ["won", "crashed"]
    assert ai.outcome.document == {"winner": 0}


def test_what_a_game_adds_reads_the_match_and_acts_through_its_world(referee: FakeReferee) -> None:
    class Reading(AI):
        def run_turn(self) -> None:
            world = self.player.world
            assert world is self.game.world is self.game.cowboys[0].world
            assert (world.player, world.options) == (0, {"width": 6})
            assert world.objects["c1"] is self.game.cowboys[0]
            assert world.tiles[2, 1] is self.game.tile(2, 1)
            assert world.act({"type": "end_turn"})
            with pytest.raises(AttributeError, match="is read-only"):
                self.game.world = None

    def script(fake: FakeReferee) -> None:
        fake.enter()
        assert fake.turn(0)["actions"] == [{"type": "end_turn"}]
        fake.result(your_move=False)
        fake.over("won", "lost")

    play(referee, script, Reading)


def test_objects_are_linked_current_and_keep_their_identity(
    referee: FakeReferee, cowboy: Callable[..., list[Any]]
) -> None:
    class Looking(Passive):
        def start(self) -> None:
            game = self.game
            assert self.player is self.me is game.players[0]
            assert (self.index, self.settings, self.options) == (0, {"mood": "bold"}, {"width": 6})
            self.first, self.second = game.cowboys
            assert isinstance(self.first, PlacedObject)
            assert not isinstance(self.player, PlacedObject)
            assert self.first.owner is self.player
            assert self.player.young_gun.call_in_tile is game.tile(1, 1)
            assert self.first.tile is game.tile(1, 1)
            assert game.tile(1, 1).cowboy is self.first
            assert game.tile(2, 1).cowboy is None
            assert game.hazards == [game.tile(2, 2)]
            assert game.tile(0, 0).neighbors == [game.tile(0, 1), game.tile(1, 0)]
            assert game.tile(9, 9) is None
            assert len(game.tiles) == 30
            assert self.first.distance_to(self.second) == 5
            assert repr(self.first) == "<Cowboy c1 at (1, 1)>"
            assert repr(self.first.tile) == "Tile(1, 1)"
            assert self.first.tile.game is self.first.game is game
            with pytest.raises(AttributeError, match=r"Cowboy\.health is read-only"):
                self.first.health = 99
            self.first.note = "anything of one's own"

        def run_turn(self) -> None:
            if self.turn == 2:
                return self.look_again()
            before = self.game.cowboys
            assert self.first.move(self.game.tile(2, 1))
            assert self.first.tile is self.game.tile(2, 1)
            assert (self.first.x, self.first.y, self.first.can_move) == (2, 1, False)
            assert self.game.tile(1, 1).things == []
            assert self.game.tile(2, 1).cowboy is self.first
            assert self.game.cowboys is before
            called = self.player.young_gun.call_in("Brawler")
            assert called.value is self.game.arrivals[0]
            assert called.value.tile is self.game.tile(1, 1)
            # The two cowboys swap tiles, and each tile shows the cowboy that now stands on it.
            assert self.first.move(tile=called.value.tile)
            assert self.game.tile(1, 1).cowboy is self.first
            assert self.game.tile(2, 1).cowboy is called.value
            return None

        def look_again(self) -> None:
            second = self.second
            assert second.tile is second.x is None
            assert not second.present
            assert second not in self.game.cowboys
            assert self.first.distance_to(second) == FAR_AWAY
            self.game.end_turn()
            assert self.second is self.game.cowboys[1]
            assert self.second.present
            assert self.game.tile(4, 2).cowboy is self.second

    def script(fake: FakeReferee) -> None:
        fake.enter()
        assert fake.turn(0)["actions"] == [{"type": "move", "cowboy": "c1", "x": 2, "y": 1}]
        act = fake.result(delta=["c1", "x", 2, "c1", "y", 1, "c1", "can_move", False])
        assert act["actions"] == [{"type": "call_in", "young_gun": "g0", "job": "Brawler"}]
        act = fake.result(delta=["game", "arrivals", ["c3"], *cowboy("c3", "p0", 1, 1)], value="c3")
        assert act["actions"] == [{"type": "move", "cowboy": "c1", "x": 1, "y": 1}]
        act = fake.result(delta=["c1", "x", 1, "c3", "x", 2])
        fake.result(your_move=False)
        fake.turn(2, ["c2", "x", None, "c2", "y", None, "c2", "-", None, "game", "cowboys", ["c1"]])
        fake.result(delta=["game", "cowboys", ["c1", "c2"], *cowboy("c2", "p1", 4, 2)], your_move=False)
        fake.over("lost", "won")

    assert not play(referee, script, Looking).outcome.won


def test_refusals_batches_and_acting_out_of_turn(referee: FakeReferee) -> None:
    class Trying(Passive):
        def start(self) -> None:
            with pytest.raises(RuntimeError, match="only be called from run_turn"):
                self.game.end_turn()

        def run_turn(self) -> None:
            first = self.game.cowboys[0]
            refusal = first.move(self.game.tile(3, 1))
            assert not refusal
            assert not refusal.accepted
            assert (refusal.code, refusal.message) == ("not_adjacent", "not adjacent")
            with self.batch() as results:
                early = first.move(self.game.tile(2, 1))
                with pytest.raises(RuntimeError, match="at the end of its `with` block"):
                    bool(early)
                self.player.young_gun.call_in("Brawler")
                first.play(self.game.furnishings[0])
                first.act(self.game.tile(1, 2))
            assert results[0] is early
            assert [result.code for result in results] == ["", "", "too_far", "not_tried"]
            assert results[1].value is None
            with self.batch() as results:
                for _ in range(wire.limits.BATCH + 6):
                    first.act(self.game.tile(1, 2), "North")
            assert [bool(result) for result in results] == [True] * (wire.limits.BATCH + 6)
            with self.batch() as results:
                pass
            assert results == []
            assert self.game.end_turn()
            assert first.move(self.game.tile(2, 1)).code == "not_your_turn"
            with self.batch() as results:
                self.game.end_turn()
            assert results[0].code == "not_your_turn"
            with pytest.raises(TypeError, match="needs the argument tile"):
                first.move()
            with pytest.raises(TypeError, match="takes 1 arguments"):
                first.move(1, 2)
            with pytest.raises(TypeError, match="no argument speed"):
                first.move(self.game.tile(1, 1), speed=3)

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        act = fake.result(0, ("not_adjacent", "not adjacent"))
        assert [action["type"] for action in act["actions"]] == ["move", "call_in", "play", "act"]
        assert act["actions"][3]["drunk_direction"] == ""
        act = fake.result(2, ("too_far", "too far"))
        assert len(act["actions"]) == wire.limits.BATCH
        act = fake.result(wire.limits.BATCH)
        assert len(act["actions"]) == 6
        fake.result(6)
        fake.result(your_move=False)
        fake.over("won", "lost")

    ai = play(referee, script, Trying)
    assert [call for call in ai.calls if call.startswith("refused")] == [
        "refused move not_adjacent",
        "refused play too_far",
    ]


def test_each_action_of_a_batch_has_its_result(referee: FakeReferee, cowboy: Callable[..., list[Any]]) -> None:
    class Busy(Passive):
        def run_turn(self) -> None:
            first = self.game.cowboys[0]
            with self.batch(keep_going=True):
                called = self.player.young_gun.call_in("Brawler")
                moved = first.move(self.game.tile(3, 1))
                acted = first.act(self.game.tile(1, 2))
                ended = self.game.end_turn()
                late = first.move(self.game.tile(1, 1))
            assert called.value is self.game.cowboys[1]
            assert (moved.code, moved.message) == ("not_adjacent", "not adjacent")
            assert (acted.accepted, acted.value, ended.accepted) == (True, None, True)
            assert (late.code, late.message) == ("not_tried", "an earlier action ended the turn")

    def script(fake: FakeReferee) -> None:
        fake.enter()
        assert fake.turn(0)["keep_going"] is True
        refusal = {"code": "not_adjacent", "message": "not adjacent"}
        delta = ["game", "cowboys", ["c1", "c3"], *cowboy("c3", "p0", 1, 1)]
        fake.result(results=["c3", refusal, None, None], delta=delta, your_move=False)
        fake.over("won", "lost")

    ai = play(referee, script, Busy)
    assert "refused move not_adjacent" in ai.calls


def test_a_batch_that_keeps_going_does_so_over_several_messages(referee: FakeReferee) -> None:
    most = wire.limits.BATCH

    class Busy(Passive):
        def run_turn(self) -> None:
            with self.batch(keep_going=True) as results:
                for _ in range(most + 2):
                    self.game.cowboys[0].move(self.game.tile(3, 1))
            assert [one.code for one in results] == ["no"] * most + ["", ""]

    def script(fake: FakeReferee) -> None:
        fake.enter()
        assert len(fake.turn(0)["actions"]) == most
        assert fake.result(results=[{"code": "no", "message": ""}] * most)["keep_going"] is True
        fake.result(2, your_move=False)
        fake.over("won", "lost")

    play(referee, script, Busy)


def test_a_batch_cut_short_by_the_end_of_the_turn(referee: FakeReferee) -> None:
    class Hasty(Passive):
        def run_turn(self) -> None:
            with self.batch() as results:
                for _ in range(wire.limits.BATCH + 2):
                    self.game.end_turn()
            tried = ["", *["not_tried"] * (wire.limits.BATCH - 1)]
            assert [result.code for result in results] == [*tried, *["not_your_turn"] * 2]
            assert results[1].message == "an earlier action ended the turn"

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        fake.result(1, your_move=False)
        fake.over("won", "lost")

    play(referee, script, Hasty)


def test_logs_and_drawings_go_before_the_reply(referee: FakeReferee) -> None:
    class Drawing(Passive):
        def start(self) -> None:
            self.log("hello", 1, None)
            self.log("second \ud800 line")

        def run_turn(self) -> None:
            first = self.game.cowboys[0]
            self.draw.point(first, "red")
            self.draw.line(first.tile, (3, 4.5))
            self.draw.rectangle((0, 1), (2, 0), color="#102030")
            self.draw.rectangle(first)
            self.draw.text(first, "two\nlines\x1b")
            for _ in range(5000):
                self.draw.point((0.0, 0.0))
                self.log("x" * 100)
            assert self.time_left is not None
            assert 0 < self.time_left <= 2.0

    notes = notes_of_one_turn(referee, Drawing)
    assert notes[0]["text"].startswith("hello 1 None\nsecond ? line\nxxx")
    assert {note["seq"] for note in notes} == {1}
    shapes = [shape for note in notes if note["type"] == "draw" for shape in note["shapes"]]
    assert shapes[:5] == [
        {"kind": "point", "x": 1.5, "y": 1.5, "color": "red"},
        {"kind": "line", "x": 1.5, "y": 1.5, "x2": 3.0, "y2": 4.5},
        {"kind": "rectangle", "x": 0.0, "y": 0.0, "x2": 2.0, "y2": 1.0, "color": "#102030"},
        {"kind": "rectangle", "x": 1.0, "y": 1.0, "x2": 2.0, "y2": 2.0},
        {"kind": "text", "x": 1.5, "y": 1.5, "text": "two lines "},
    ]
    assert len(notes) <= 32
    assert notes[15]["text"].endswith("(more was logged here than is kept)")


def test_named_values_and_what_cannot_be_drawn_are_lines_in_the_log(referee: FakeReferee) -> None:
    class Drawing(Passive):
        def run_turn(self) -> None:
            first = self.game.cowboys[0]
            self.log("attack", value=3.25, plan="left")
            self.draw.point((float("nan"), 0))
            self.draw.point(first, "\x1b")
            nowhere = SimpleNamespace(x=None, y=None)
            self.draw.line(nowhere, (1, 1))
            self.draw.rectangle((0, 0), nowhere)
            self.draw.point(None)  # type: ignore[arg-type]
            self.draw.point((None, 1))  # type: ignore[arg-type]
            self.draw.point((1,))  # type: ignore[arg-type]
            self.draw.point((10**400, 1))
            self.draw.point(first, 7)  # type: ignore[arg-type]

    notes = notes_of_one_turn(referee, Drawing)
    assert [note["type"] for note in notes] == ["log"], "nothing is drawn"
    lines = notes[0]["text"].splitlines()
    assert lines[:3] == [
        "attack value=3.25 plan=left",
        "(not drawn: a coordinate is not a finite number)",
        "(not drawn: a colour must be a short name or #rrggbb)",
    ]
    assert [line.endswith("is not on the board)") for line in lines[3:5]] == [True, True]
    assert [line.startswith("(not drawn: ") for line in lines[5:]] == [True] * 5


def test_games_whose_actions_end_the_turn(race_referee: FakeReferee) -> None:
    class Racing(Passive):
        wants_legal_actions = True

        def run_turn(self) -> None:
            super().run_turn()
            assert self.player == 0
            if self.turn == 1:
                self.act(self.legal_actions[0])
            elif self.turn == 3:
                self.game.pass_()
            else:
                runner = self.game.runners[1]
                assert runner.rivals == [self.game.runners[0], None]
                self.game.step(runner, 3, spot=(1, 2), spots=[(4, 5)], others=[runner])

    def script(fake: FakeReferee) -> None:
        assert fake.enter()["legal_actions"] is True
        step = {"type": "step", "runner": None, "count": 1, "others": [], "x": None, "y": None, "spots": []}
        assert fake.turn(1, legal_actions=[step])["actions"] == [step]
        act = fake.result(legal_actions=[step])
        assert act["actions"] == [step]
        fake.result(your_move=False)
        assert fake.turn(2, ["game", "leader", "r1"])["actions"] == [
            {"type": "step", "runner": "r1", "count": 3, "others": ["r1"], "x": 1, "y": 2, "spots": [[4, 5]]}
        ]
        fake.result(your_move=False)
        assert fake.turn(3)["actions"] == [{"type": "pass"}]
        fake.result(your_move=False)
        fake.over("drawn", "drawn")

    ai = play(race_referee, script, Racing)
    assert [call for call in ai.calls if call.startswith("turn")] == ["turn 1", "turn 1", "turn 2", "turn 3"]
    assert ai.game.leader is ai.game.runners[1]
    assert isinstance(ai.game, GameObject)


def test_a_run_turn_that_does_nothing_is_called_once(race_referee: FakeReferee) -> None:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.send("turn", seq=1, turn=0, delta=[], events=[], clock={"bank": None, "turn": None})

    with pytest.raises(PlayerError, match="run_turn returned without an action"):
        play(race_referee, script, Passive)


def test_the_match_may_end_in_the_middle_of_a_turn(referee: FakeReferee) -> None:
    class Stubborn(Passive):
        def run_turn(self) -> None:
            while True:
                try:
                    self.game.end_turn()
                except Exception:
                    self.calls.append("never")

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        fake.over("lost", "won", delta=["game", "current_turn", 7])

    ai = play(referee, script, Stubborn)
    assert ai.calls[-1] == "end"
    assert ai.game.current_turn == 7


@pytest.mark.process
def test_an_action_that_cannot_be_sent_is_an_error_of_the_bot(referee: FakeReferee) -> None:
    class Wrong(Passive):
        def run_turn(self) -> None:
            with pytest.raises(ValueError, match="cannot be sent"):
                self.act({"type": "move", "x": float("nan")})
            assert self.game.end_turn()

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        fake.result(your_move=False)
        fake.over("won", "lost")

    play(referee, script, Wrong)


def test_no_clock_no_time_left(referee: FakeReferee) -> None:
    class Timeless(Passive):
        def run_turn(self) -> None:
            assert self.time_left is None

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.seq = 1
        fake.send("turn", seq=1, turn=0, delta=[], events=[], clock={"bank": None, "turn": None})
        fake.receive()
        fake.result(your_move=False)
        fake.over("won", "lost")

    play(referee, script, Timeless)


# --- bots as processes -----------------------------------------------------------------------

BOT = """
from arena_player import AI

class Bot(AI):
    def start(self):
        print("I print")
    def run_turn(self):
{body}
"""


def one_turn(fake: FakeReferee) -> None:
    fake.enter()
    fake.turn(0)
    fake.result(your_move=False)
    fake.over("won", "lost")


@pytest.mark.process
def test_a_bot_process_prints_plays_and_exits(referee: FakeReferee, start_bot: StartBot) -> None:
    referee.run(one_turn)
    bot = start_bot(BOT.format(body="        self.game.end_turn()"), referee.endpoint)
    assert bot.communicate(timeout=20) == ("I print\n", "")
    assert bot.returncode == 0


@pytest.mark.process
def test_an_exception_shows_the_bots_own_lines_and_keeps_its_log(referee: FakeReferee, start_bot: StartBot) -> None:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.send("turn", seq=0, turn=0, delta=[], events=[], clock={"bank": None, "turn": None})
        log = wire.unpack(fake._socket.recv(), "client")
        assert (log["type"], log["text"]) == ("log", "last words")

    referee.run(script)
    bot = start_bot(BOT.format(body="        self.log('last words')\n        1 / 0"), referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == 1
    assert "bot.py" in errors
    assert "ZeroDivisionError" in errors
    assert "session.py" not in errors


@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        (BOT.format(body="        self.game.curent_turn"), 1, "Did you mean: 'current_turn'?"),
        (BOT.format(body="        self.gme"), 1, "Did you mean: 'game'?"),
        ("from arena_player import AI\nclass Mine(AI):\n    def runTurn(self): pass", 2, "where it has runTurn?"),
        ("from arena_player import AI\nclass Mine(AI): pass", 2, "Write `def run_turn(self):` in it."),
        (BOT.format(body="        super().run_turn()"), 2, "Leave out super().run_turn()."),
    ],
)
def test_a_misspelt_name_gets_the_similar_one(
    referee: FakeReferee, start_bot: StartBot, source: str, code: int, message: str
) -> None:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.send("turn", seq=0, turn=0, delta=[], events=[], clock={"bank": None, "turn": None})

    referee.run(script)
    bot = start_bot(source, referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert (bot.returncode, errors.rstrip().endswith(message)) == (code, True), errors
    assert (len(errors.splitlines()) == 2) == (code == 2), errors
    if "class Mine" in source:
        assert errors.startswith("The class Mine in "), errors
        assert "bot.py has no method run_turn." in errors


@pytest.mark.process
def test_print_never_fails(referee: FakeReferee, start_bot: StartBot) -> None:
    referee.run(one_turn)
    body = "        for _ in range(10000): print('a line of text')\n        print('\\ud800')"
    bot = start_bot(BOT.format(body=body), referee.endpoint)
    assert bot.stdout is not None
    bot.stdout.close()
    assert bot.wait(20) == 0
    assert bot.stderr is not None
    assert bot.stderr.read() == ""


@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("x = (", 1, "SyntaxError"),
        ("import nothing_like_it", 1, "ModuleNotFoundError"),
        ("x = 1", 2, "has no subclass of AI"),
        ("from arena_player import AI\nclass A(AI): pass\nclass B(AI): pass", 2, "has 2 bots (A, B)"),
    ],
)
def test_unusable_bots(start_bot: StartBot, source: str, code: int, message: str) -> None:
    bot = start_bot(source, "ipc:///tmp/nobody-listens-here")
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == code
    assert message in errors
    assert ("Traceback" in errors) == (code == 1 and "Syntax" not in message)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from brain import Brain", "Brain"),
        ("from typed import AI\nfrom brain import Base, Brain", "Brain"),
        ("from brain import Brain\nOther = Brain", "Brain"),
        ("from brain import Brain\nclass Mine(Brain): pass", "Mine"),
        ("from arena_player import AI\nfrom brain import Brain, Other\nclass Mine(AI): pass", "Mine"),
        ("from brain import Brain, Other", "has 2 bots (Brain, Other).\nImport only one of them"),
        ("import brain", "has no subclass of AI.\nWrite `class MyBot(AI):`"),
        ("from typed import AI", "has no subclass of AI."),
    ],
)
def test_the_class_of_a_bot(tmp_path: Path, source: str, found: str) -> None:
    (tmp_path / "typed.py").write_text("import arena_player\nclass AI(arena_player.AI): schema_hash = 'x'")
    (tmp_path / "brain.py").write_text(
        "from typed import AI\nclass Base(AI): pass\nclass Brain(Base): pass\nclass Other(AI): pass"
    )
    (tmp_path / "main.py").write_text(source)
    with BotModules(str(tmp_path)) as modules:
        module = modules.load()
        if found.isidentifier():
            assert find_ai(module).__name__ == found
        else:
            with pytest.raises(PlayerError, match=re.escape(found)):
                find_ai(module)


@pytest.mark.process
@pytest.mark.parametrize("name", ["main.py", "my bot.py"])
def test_a_bot_that_is_run_alone_says_how_to_play_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "saloon.py").write_text(
        "import arena_player\nGAME = 'saloon'\nclass AI(arena_player.AI): schema_hash = ''"
    )
    (tmp_path / "brain.py").write_text("from saloon import AI\nclass Brain(AI): pass")
    (tmp_path / name).write_text("from brain import Brain")
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    path = shlex.quote(str(tmp_path / name))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[1:] == [f"Play with: arena play saloon {path} OTHER_BOT"]


@pytest.mark.process
@pytest.mark.parametrize("end", ["import arena.play.memory", "1 / 0"])
def test_a_program_that_does_more_than_define_a_bot_says_nothing(tmp_path: Path, end: str) -> None:
    (tmp_path / "train.py").write_text(f"from arena_player import AI\nclass Bot(AI): pass\n{end}")
    done = subprocess.run([sys.executable, tmp_path / "train.py"], capture_output=True, text=True, timeout=60)
    assert "Play with" not in done.stderr


@pytest.mark.process
def test_no_referee(start_bot: StartBot) -> None:
    bot = start_bot(BOT.format(body="        pass"), None)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == 3
    assert "ARENA_ENDPOINT is not set" in errors
    bot = start_bot(BOT.format(body="        pass"), "nonsense")
    _, errors = bot.communicate(timeout=20)
    assert (bot.returncode, errors) == (3, "'nonsense' is not an endpoint of ZeroMQ.\n")


def test_a_referee_that_never_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_player.link.CONNECT_SECONDS", 0.1)
    with pytest.raises(PlayerError, match=r"No referee answered within 0\.1 s"):
        run(Passive(), f"ipc://{tmp_path}/nobody.sock")


def test_a_referee_that_takes_its_time(referee: FakeReferee, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena_player.link.CONNECT_SECONDS", 0.1)

    def script(fake: FakeReferee) -> None:
        time.sleep(0.5)
        one_turn(fake)

    assert play(referee, script, Passive).outcome.won


@pytest.mark.process
def test_a_refused_bot_says_why(referee: FakeReferee, start_bot: StartBot) -> None:
    def script(fake: FakeReferee) -> None:
        fake.receive()
        fake.send("refused", code="stale_schema", message="Run `arena sdk saloon` to renew it.")

    referee.run(script)
    bot = start_bot(BOT.format(body="        pass"), referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert (bot.returncode, errors) == (4, "The referee refused the bot: Run `arena sdk saloon` to renew it.\n")


@pytest.mark.process
def test_a_referee_that_vanishes_is_noticed(referee: FakeReferee, start_bot: StartBot) -> None:
    referee.run(lambda fake: fake.enter() and None)
    bot = start_bot(BOT.format(body="        pass"), referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert (bot.returncode, errors) == (3, "The connection to the referee is lost.\n")


@pytest.mark.process
def test_a_referee_that_sends_an_invalid_message(referee: FakeReferee, start_bot: StartBot) -> None:
    referee.run(lambda fake: fake.receive() and fake.send_bytes(b"\xc1"))
    bot = start_bot(BOT.format(body="        pass"), referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == 3
    assert "The referee sent an invalid message" in errors


@pytest.mark.process
def test_an_interrupted_bot_is_quiet(referee: FakeReferee, start_bot: StartBot) -> None:
    ready = []
    done = threading.Event()
    referee.run(lambda fake: ready.append(fake.enter()) or done.wait(30))  # type: ignore[func-returns-value]
    bot = start_bot(BOT.format(body="        pass"), referee.endpoint)
    while not ready:
        time.sleep(0.01)
    os.kill(bot.pid, signal.SIGINT)
    assert bot.communicate(timeout=20)[1] == ""
    done.set()
    assert bot.returncode == 130


def test_tiles_stand_for_themselves() -> None:
    tile = Tile(2, 3, None)
    assert tuple(tile) == (2, 3)


@pytest.mark.process
def test_what_a_bot_must_wait_for_at_its_start_is_little() -> None:
    program = (
        "import sys, msgpack; before = set(sys.modules); import arena_player.runner, arena_player.link;"
        "import arena_player.session; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {
        "zmq",
        "asyncio",
        "dataclasses",
        "inspect",
        "logging",
        "importlib.metadata",
        "subprocess",
        "json",
        "random",
    }
    assert loaded & heavy == set()
    assert "arena_player.fork" not in done.stdout
    assert "arena_player.sdk" not in done.stdout
