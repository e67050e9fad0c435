"""Why each player's part of a match ended: real bots that fail in each way, and what their replays say."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest
from shortened import shortened

from arena.bots.probe import probe
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.match.result import MatchResult
from arena.play.referee.match_process import ForkServer, MatchProcess
from arena.study.coach.causes import Cause, causes_of
from arena.web.public_replays import public_bytes
from arena_replays import Reader

pytestmark = pytest.mark.process

CLOCK = Clock(startup=5.0, bank=None, increment=0.0, turn=0.4, grace=0.02)
SMALL = {"width": 8, "height": 6, "max_turns": 12}
BOT = "import time\nfrom arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n"
PASSES = BOT + "        pass\n"


@pytest.fixture(scope="module")
def server():
    server = ForkServer("saloon")
    yield server
    server.close()


@pytest.fixture
def play(tmp_path, server):
    def play(*sources: str, game: str = "saloon", **values: object) -> MatchResult:
        seats = []
        for number, source in enumerate(sources):
            if not source.startswith("builtin:"):
                path = tmp_path / f"bot{number}.py"
                path.write_text(source)
                source = str(path)
            seats.append(SeatAssignment(source))
        options = SMALL if game == "saloon" else {}
        job = Job(game, tuple(seats), options=options, seed=3, clock=CLOCK, replay=str(tmp_path / "match.arena"))
        with MatchProcess(replace(job, **values), server) as process:
            return process.wait()

    return play


def in_turn(body: str) -> str:
    return BOT + indent(body, "        ")


def causes(result: MatchResult) -> list[Cause]:
    return causes_of(Reader(Path(result.replay)))


@pytest.mark.alone  # below level 3 a match is void while the machine is too busy
@pytest.mark.parametrize("level", shortened(level for level in (2, 0, 3) if level <= probe().level))
def test_a_time_out_says_where_the_code_was(play, level):
    source = in_turn("print('turn', self.turn)\nif self.turn > 1:\n    self.search()\n")
    source += "    def search(self):\n        while True:\n            pass\n"
    result = play(source, PASSES, max_isolation=level, sandbox="auto" if level else "none")
    one, two = causes(result)
    assert (one.kind, one.turn, one.error) == ("timed_out", 3, "")
    assert one.position is not None
    assert one.position.file.endswith("bot0.py")
    assert one.position.line in (10, 11)
    assert one.position.function == "search"
    assert "took longer than 0.4 s" in one.message
    assert "bot0.py, line 1" in one.message
    assert (two.kind, two.position, two.failed) == ("won", None, False)
    # The referee's verdict is the same as without the stack, and the public part does not show the bot's code.
    assert result.players[0].detail == "took longer than 0.4 s"
    assert result.players[0].last_words.startswith("at ")
    public = causes_of(Reader(public_bytes(Path(result.replay))))[0]
    assert (public.kind, public.turn, public.position, public.stack) == ("timed_out", 3, None, ())
    assert "bot0.py" not in public.message
    stack = Reader(result.replay).notes[-1]
    assert (stack.player, stack.kind, Reader(result.replay).turns[stack.turn].number) == (0, "stderr", 2)


def test_the_stack_is_kept_after_a_bot_has_printed_more_than_a_replay_keeps(play):
    result = play(
        in_turn("import sys\nfor _ in range(200): print('x' * 1000, file=sys.stderr)\nwhile True: pass"), PASSES
    )
    assert causes(result)[0].position is not None


def test_a_program_that_hangs_while_it_starts(play):
    cause = causes(play("import time\ntime.sleep(60)\n", PASSES, clock=replace(CLOCK, startup=1.0)))[0]
    assert (cause.kind, cause.position and cause.position.line) == ("no_start", 2)


def test_a_crash_has_file_line_and_exception(play):
    cause = causes(play(in_turn("print('hello')\nif self.turn > 1: self.draw.line(None)"), PASSES))[0]
    assert (cause.kind, cause.turn) == ("crashed", 3)
    assert cause.position is not None
    assert (Path(cause.position.file).name, cause.position.line) == ("bot0.py", 7)
    assert cause.error.startswith("TypeError: ")
    assert cause.message.startswith("Its program ended before the match did (turn 3): exit code 1. TypeError: ")


def test_a_crash_without_a_traceback_has_the_last_action_and_output(play):
    cause = causes(play(in_turn("import os\nprint('bye', flush=True)\nif self.turn: os._exit(3)"), PASSES))[0]
    assert (cause.kind, cause.position, cause.last_line) == ("crashed", None, "bye")
    assert cause.last_action == {"type": "end_turn"}
    assert "exit code 3. Last action, in turn 1: end_turn(). Last output: bye." in cause.message


def test_refusals_are_grouped_by_code(play):
    tries = "for x in range(3): self.act({'type': 'move', 'cowboy': 'c99', 'x': x, 'y': 0})\n"
    tries += "self.act({'type': 'end_turn', 'now': 1})"
    cause = causes(play(in_turn(tries), "builtin:pianist"))[0]
    first, second = cause.refused
    assert first.count > second.count > 0
    assert (first.turn, first.action) == (1, {"type": "move", "cowboy": "c99", "x": 0, "y": 0})
    assert cause.kind == "lost"
    assert f"{first.count} x {first.code} (first in turn 1: move(cowboy=c99, x=0, y=0): " in cause.message
    assert cause.message.startswith("Lost (")
    assert ", by score)" in cause.message, "the reason is in words"


def test_refused_too_often(play):
    cause = causes(play(in_turn("while True: self.act({'type': 'fly'})"), PASSES))[0]
    assert (cause.kind, cause.turn) == ("refused_too_often", 1)
    assert "x bad_argument (first in turn 1: fly(): " in cause.message


def test_a_time_out_that_was_forgiven_is_no_cause(play):
    source = in_turn("if self.turn == 2: time.sleep(1)\n")
    one = causes(play(source, PASSES, policy=Policy(timeout="skip")))[0]
    assert one.kind in ("won", "drawn", "lost")
    assert not one.failed


def test_a_stack_that_arrives_in_pieces_is_waited_for(play):
    """So it is on a busy machine: the program waits for a processor between two writes."""
    pieces = (
        "Current thread 0x00007f46418432c0",
        " (most recent call first):\n",
        '  File "/bot/bot0.py", line 7 in think\n',
    )
    slow = "import os, signal\ndef late(*_):\n"
    slow += "".join(f"    os.write(2, {piece.encode()!r})\n    time.sleep(0.1)\n" for piece in pieces)
    result = play(slow + in_turn("signal.signal(signal.SIGQUIT, late)\ntime.sleep(60)"), PASSES)
    cause = causes(result)[0]
    assert cause.kind == "timed_out"
    assert (cause.position.file, cause.position.line, cause.position.function) == ("bot0.py", 7, "think")


@pytest.mark.alone
@pytest.mark.skipif(probe().level < 2, reason="bots cannot be isolated here")
def test_a_program_that_keeps_its_stack_to_itself_takes_no_time_from_others(play):
    """The referee waits for the stack before the clocks of the next begin, and not for long."""
    silent = "import signal\n" + in_turn("signal.signal(signal.SIGQUIT, lambda *_: time.sleep(60))\ntime.sleep(60)")
    walks = in_turn("self.act(self.legal_actions[0])").replace(
        "    def run", "    wants_legal_actions = True\n    def run"
    )
    result = play(silent, walks, walks, game="snakes", max_isolation=2)
    assert result.players[0].ending == "timed_out"
    assert result.players[1].clock.worst_turn < 0.2
    assert result.players[2].clock.worst_turn < 0.2
    lasting = [cause.message for cause in causes(result)[1:]]
    assert all(f"({result.outcome.place(player)}, " in message for player, message in enumerate(lasting, 1)), lasting
    assert result.seconds.total - result.seconds.start < 0.42 + 1.0 + 1.5


def test_who_gave_no_order_in_most_turns_is_told_so(play):
    seldom = in_turn("if self.turn < 4:\n    self.player.young_gun.call_in('Brawler')")
    result = play(seldom, "builtin:pianist", options=SMALL | {"max_turns": 40})
    first, second = causes(result)
    idle, turns = re.match(r"It gave no order in (\d+) of its (\d+) turns\. ", first.message).groups()
    assert int(turns) - int(idle) == 2
    assert "no order" not in second.message
