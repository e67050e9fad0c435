"""Reruns of recorded matches with real bots: what they are sent, and what is found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.game import Clock
from arena.match.lookup import find_game
from arena.study.coach.checks import gains
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.replaying.rerun import MatchRecord, rerun
from arena_replays import Reader

pytestmark = pytest.mark.process

REPLAYS = Path(__file__).parents[1] / "replays"
SMALL = {"width": 8, "height": 6, "max_turns": 30}
WALKS = """
from arena_player import AI

class Bot(AI):
    wants_legal_actions = True
    special = ()

    def run_turn(self):
        if self.turn in self.special:
            return
        moves = [action for action in self.legal_actions if action["type"] != "end_turn"]
        if moves:
            self.act(self.random.choice(moves))
"""
"""It walks at random, from the seed that it is given; in special turns it does nothing."""
CIRCLES = """
from arena_player import AI

class Bot(AI):
    special = -1

    def run_turn(self):
        direction = ("up", "right", "down", "left")[self.turn % 4]
        if self.turn == self.special:
            raise ValueError
        self.act({"type": "move", "snake": f"s{self.index}", "direction": direction})
"""
"""In Snakes, it moves in circles, and fails in its special turn."""
WRITES = """
import hashlib
from arena_player import AI
from arena_player.link import UnixLink as Link

def written(value):
    if isinstance(value, dict):
        return {key: written(one) for key, one in value.items() if key != "clock" or "grace" in one}
    return value

receive = Link.receive
def write(self):
    message = receive(self)
    print(message["type"], message.get("turn"), hashlib.sha256(repr(written(message)).encode()).hexdigest()[:8])
    return message
Link.receive = write
"""
"""It prints a hash of each message, without the times, which no two matches share."""


def builtins(game):
    return [f"builtin:{bot.name}" for bot in find_game(game).bots]


@pytest.mark.parametrize("game", ["saloon", "laser_flag", "derelict", "snakes"])
def test_built_in_bots_do_what_was_recorded(record, load, game):
    bots = (builtins(game) * 3)[:2]
    recorded = record(game, *bots)
    for player, bot in enumerate(bots):
        done = rerun(recorded, player, load(recorded, bot))
        assert done.differences == ()
        assert done.turns > 2


@pytest.mark.parametrize("fails", ["", "1 / 0"])
def test_a_rerun_in_memory_finds_the_same(record, load, tmp_path, fails):
    recorded = record("snakes", *builtins("snakes")[:2])
    bot = tmp_path / "mine.py"
    begin = "def run_turn(self):"
    bot.write_text(WALKS.replace(begin, f"{begin}\n        if self.turn > 5:\n            {fails}") if fails else WALKS)
    found = [
        replace(
            rerun(recorded, 0, load(recorded, bot), sandbox="none", in_memory=in_memory, check_noise=False), seconds=0.0
        )
        for in_memory in (False, True)
    ]
    assert found[0] == found[1]
    assert bool(found[0].stopped) == bool(fails)


def test_a_game_with_simultaneous_moves_of_three(record, load):
    bots = (builtins("snakes") * 3)[:3]
    recorded = record("snakes", *bots)
    for player, bot in enumerate(bots):
        assert rerun(recorded, player, load(recorded, bot)).differences == ()


@pytest.mark.parametrize(("game", "level"), [("saloon", 3), ("laser_flag", 3), ("snakes", 3), ("snakes", 0)])
def test_the_bot_is_sent_what_the_recorded_player_was_sent(record, load, tmp_path, game, level):
    bot = tmp_path / "writes.py"
    bot.write_text(WRITES + WALKS)
    recorded = record(game, str(bot), str(bot), sandbox="auto" if level else "none")
    for player in (0, 1):
        printed = [note for note in Reader(recorded.name).notes if note.player == player and note.kind == "stdout"]
        then = "".join(note.payload for note in printed).splitlines()
        now = rerun(recorded, player, load(recorded, bot)).output.splitlines()
        assert len(then) > 5
        assert now[:-1] == then[:-1]
        assert now[-1].split()[0] == then[-1].split()[0] == "over"


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("level", [3, 0])
def test_others_fail_where_their_programs_failed(record, load, tmp_path, players, level):
    """In a game with simultaneous moves, a program fails in turn 4. In a match of four another one does not start."""
    bot, crashes, fixed, absent = (tmp_path / f"{name}.py" for name in ("writes", "crashes", "fixed", "absent"))
    bot.write_text(WRITES + CIRCLES)
    fixed.write_text(CIRCLES)
    crashes.write_text(CIRCLES.replace("special = -1", "special = 3"))
    absent.write_text("1 / 0")
    for order in ([bot, crashes], [crashes, bot]):
        names = list(map(str, order if players == 2 else [*order, absent, bot]))
        recorded = record("snakes", *names, sandbox="auto" if level else "none", options={"size": 19})
        notes = [note for note in Reader(recorded.name).notes if note.kind == "stdout"]
        for player, name in enumerate(names):
            if name == str(bot):
                then = "".join(note.payload for note in notes if note.player == player).splitlines()
                done = rerun(recorded, player, load(recorded, bot))
                now = done.output.splitlines()
                assert done.differences == ()
                assert len(then) > 8
                # It is not asked in a last turn in which its answer is not recorded.
                assert now == then or now[:-1] == then[:-2]
            elif name == str(crashes):
                assert rerun(recorded, player, load(recorded, crashes)).differences == ()
                (found,) = rerun(recorded, player, load(recorded, fixed), check_noise=False).differences
                assert (found.turn, found.now_end, found.recorded_end) == (4, "", "crashed: exit code 1")
                assert found.now, "the fixed bot moves where the other one crashed"


def test_a_changed_bot_differs_in_exactly_the_changed_turns(record, load, tmp_path):
    one = tmp_path / "walks.py"
    one.write_text(WALKS)
    recorded = record("saloon", str(one), "builtin:pianist", options=SMALL)
    assert rerun(recorded, 0, load(recorded, one)).differences == ()
    two = tmp_path / "changed.py"
    two.write_text(
        WALKS.replace("special = ()", "special = (8, 20)").replace(
            "            return", "            self.random.random(); return"
        )
    )
    moved = [entry[2]["type"] for entry in recorded.truth if entry[0] == "do" and entry[1] == 0]
    assert len(set(moved)) > 1
    done = rerun(recorded, 0, load(recorded, two))
    assert [one.turn for one in done.differences] == [9, 21]
    assert (done.noise, done.same, done.stopped) == ((), False, None)


def test_within_a_turn_the_rules_answer_and_the_next_turn_starts_from_the_record(record, load, tmp_path):
    """A bot that leaves the record sees its own actions, and then the recorded position again."""
    shows = WALKS.replace(
        "        if self.turn in",
        "        gang = sorted((c.id, c.tile.x, c.tile.y) for c in self.game.cowboys if c.tile)\n"
        "        print(json.dumps([self.turn, gang]))\n"
        "        if self.turn in",
    )
    one = tmp_path / "shows.py"
    one.write_text("import json\n" + shows)
    recorded = record("saloon", str(one), "builtin:pianist", options=SMALL)
    then = rerun(recorded, 0, load(recorded, one))
    two = tmp_path / "walks_on.py"
    wanders = """
            for action in self.legal_actions[-6:-1]:
                if action["type"] != "end_turn" and self.act(action) and action["type"] == "move":
                    assert (action["cowboy"], action["x"]) in [(c.id, c.tile.x) for c in self.game.cowboys if c.tile]
            self.random.random()
            return
"""
    changed = shows.replace("special = ()", "special = (4, 6, 8)").replace("            return\n", wanders)
    two.write_text("import json\n" + changed)
    now = rerun(recorded, 0, load(recorded, two))
    assert {difference.turn for difference in now.differences} <= {5, 7, 9}
    assert now.differences
    for line, other in zip(then.output.splitlines(), now.output.splitlines(), strict=True):
        assert json.loads(line) == json.loads(other)


@pytest.mark.kill  # one more bot is run again
@pytest.mark.alone  # each difference needs playouts within 6 s
def test_a_difference_is_compared_with_the_part_of_the_turn_in_which_it_is(load):
    """In turn 6 of this match, player 1 acts three times: player 0 accepts a roll of the dice twice in between."""
    recorded = MatchRecord.of(Reader(REPLAYS / "derelict-1.arena"))
    match = RecordedMatch.of_file(recorded.name)
    own = [part.index for part in match.parts if (part.turn, part.player) == (6, 1)]
    assert len(own) == 3
    done = rerun(recorded, 1, load(recorded, "builtin:castaway"), last_turn=6, check_noise=False)
    found = [difference for difference in done.differences if difference.turn == 6]
    assert [list(difference.recorded) for difference in found] == [match.parts[index].actions for index in own]
    choices = [(difference.frame, list(difference.recorded)) for difference in found]
    estimates = gains(Path(recorded.name), 1, choices, 6)
    assert all(estimate.playouts > 0 for estimate in estimates)
    assert [estimate.value for estimate in estimates] == [0, 0, 0], "the recorded actions are worth the same"


def test_a_bot_that_uses_other_random_numbers_is_noise(record, load, tmp_path):
    bot = tmp_path / "noisy.py"
    bot.write_text(
        "import random\n" + WALKS.replace("self.random.choice(moves)", "random.SystemRandom().choice(moves)")
    )
    recorded = record("saloon", str(bot), "builtin:pianist", options=SMALL)
    done = rerun(recorded, 0, load(recorded, bot))
    assert done.differences
    assert done.noise
    noisy = [difference for difference in done.differences if difference.noise]
    assert {difference.turn for difference in noisy} <= set(done.noise)
    assert len(noisy) > len(done.differences) / 2


def test_a_bot_that_crashes_now(record, load, tmp_path):
    one, two = tmp_path / "walks.py", tmp_path / "crashes.py"
    one.write_text(WALKS)
    two.write_text(WALKS.replace("special = ()", "special = (8,)").replace("            return", "            1 / 0"))
    recorded = record("saloon", str(one), "builtin:pianist", options=SMALL)
    done = rerun(recorded, 0, load(recorded, two))
    (found,) = done.differences
    assert (found.turn, found.now_end, found.recorded_end) == (9, "crashed: exit code 1", "")
    assert found.position is not None
    assert found.position.file == "crashes.py"
    assert done.stopped == 9
    # The other way round, the recorded match ends with the crash, and the fixed bot plays on there.
    crashed = record("saloon", str(two), "builtin:pianist", options=SMALL)
    assert rerun(crashed, 0, load(crashed, two)).differences == ()
    (found,) = rerun(crashed, 0, load(crashed, one)).differences
    assert (found.turn, found.now_end, found.recorded_end) == (9, "", "crashed: exit code 1")
    # The other player's part of this match ends there as well.
    assert rerun(crashed, 1, load(crashed, "builtin:pianist")).differences == ()


def test_a_bot_that_hangs_or_does_not_start(record, load, tmp_path):
    one, two, three = (tmp_path / f"{name}.py" for name in ("walks", "hangs", "broken"))
    one.write_text(WALKS)
    two.write_text(
        WALKS.replace("special = ()", "special = (8,)").replace("            return", "            while True: pass")
    )
    three.write_text("import missing\n" + WALKS)
    clock = Clock(startup=5.0, bank=None, increment=0.0, turn=0.3, grace=0.1)
    recorded = record("saloon", str(one), "builtin:pianist", options=SMALL, clock=clock)
    done = rerun(recorded, 0, load(recorded, two), check_noise=False)
    assert done.differences[-1].now_end.startswith("timed_out: took longer than 2.2 s")
    assert done.differences[-1].position is not None
    (found,) = rerun(recorded, 0, load(recorded, three)).differences
    assert (found.turn, found.now_end.partition(":")[0]) == (None, "no_start")
