"""The state machine of a match, driven in memory: no process, no socket, no sleep."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Any

import msgpack
import pytest
import sealed_orders_game as sealed_orders
import tallest
from driver import CLOCK, Driver

from arena.game import Clock, IllegalAction, load
from arena.match.limits import Policy
from arena.play.referee.clock import Reading, SeatClock
from arena.play.referee.live_state import RulesFault
from arena.play.referee.outputs import ActionEntry, NoteEntry, ReadClock, RefusalEntry, SeatEntry, TurnEntry
from arena.play.referee.seat import ALLOWED, Phase
from arena_player import wire
from arena_replays.limits import MAX_WRITTEN_NOTES

SALOON = load("saloon")
SMALL = {"width": 8, "height": 6, "max_turns": 4}
END = {"type": "end_turn"}
NOWHERE = {"type": "move", "cowboy": "c9", "x": 1, "y": 1}


def saloon(**settings: Any) -> Driver:
    driver = Driver(SALOON, SMALL, **settings)
    driver.start()
    return driver


def test_handshake_and_first_turn() -> None:
    driver = Driver(SALOON, SMALL)
    welcome = driver.hello(0)
    assert driver.kinds(0) == ["welcome", "start"]
    assert driver.sent[0][0]["schema"]["game"] == "saloon"
    assert driver.sent[0][0]["options"]["width"] == 8
    assert welcome is not None
    assert welcome["view"][:3] == ["game", "+", "Saloon"] or welcome["view"][1] == "+"
    assert driver.say(0, "ready", seq=1) is None, "nobody moves before all are ready"
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.kinds(0)[-1] == "turn"
    assert driver.kinds(1) == ["welcome", "start"]
    assert driver.match.playing


def test_every_message_sent_obeys_the_wire() -> None:
    driver = saloon()
    while not driver.match.over:
        player = driver.match.state.to_move()[0]
        driver.act(player, {"type": "call_in", "young_gun": f"g{player}", "job": "Brawler"}, END)
    assert driver.kinds(0)[-1] == driver.kinds(1)[-1] == "over"
    for messages in driver.sent:
        for message in messages:
            wire.pack(message)


def test_a_batch_stops_at_the_first_refusal() -> None:
    driver = saloon()
    result = driver.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler"}, NOWHERE, END)
    (called, refused), again = result["results"], result["your_move"]
    assert (called, refused["code"], again) == ("c1", "bad_argument", True)
    assert [type(entry) for entry in driver.entries] == [ActionEntry, RefusalEntry]
    assert driver.match.seats[0].refusals == {"bad_argument": 1}


def test_a_batch_that_keeps_going_has_a_result_for_each_action() -> None:
    driver = saloon()
    call = {"type": "call_in", "young_gun": "g0", "job": "Brawler"}
    result = driver.act(0, NOWHERE, call, NOWHERE, END, call, keep_going=True)
    first, called, third, ended = result["results"]
    assert (first["code"], called, third["code"], ended) == ("bad_argument", "c1", "bad_argument", None)
    assert not result["your_move"]
    assert [type(entry) for entry in driver.entries[:4]] == [RefusalEntry, ActionEntry, RefusalEntry, ActionEntry]


def test_a_batch_that_keeps_going_stops_when_too_many_are_refused() -> None:
    driver = saloon()
    limit = driver.match.policy.refusals_per_turn
    message = {"type": "act", "seq": driver.seq(0), "actions": [NOWHERE] * (limit + 50), "keep_going": True}
    driver.match.on_message(0, message, driver.settle(0))
    assert driver.match.seats[0].ending == "refused_too_often"
    assert driver.match.seats[0].refusals["bad_argument"] == limit + 1


def test_an_unknown_key_is_refused_before_the_rules_see_the_action() -> None:
    driver = saloon()
    result = driver.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler", "jobb": "Bartender"})
    assert result["results"] == [{"code": "unknown_key", "message": "call_in has no jobb"}]
    (refusal,) = driver.entries_of(RefusalEntry)
    assert refusal.code == "unknown_key"
    assert driver.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler"})["results"] == ["c1"]


def test_a_legal_action_is_accepted_with_all_its_keys_as_it_was_sent() -> None:
    driver = Driver(load("derelict"))
    driver.start()
    (mover,) = [player for player in (0, 1) if driver.sent[player][-1]["type"] == "turn"]
    action = driver.match.state.legal_actions(mover)[0]
    assert "cost" in action
    assert driver.act(mover, {**action, "cost": 99})["results"][0]["code"] == "unknown_key"
    assert driver.act(mover, action)["results"] == [None]


def test_actions_after_the_end_of_the_turn_are_not_looked_at() -> None:
    driver = saloon()
    result = driver.act(0, END, END)
    assert (result["results"], result["your_move"]) == ([None], False)
    assert driver.match.state.to_move() == (1,)


def test_both_follow_the_game_by_deltas() -> None:
    driver = saloon()
    driver.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler"}, END)
    news = driver.sent[1][-1]
    assert news["type"] == "turn"
    assert "c1" in news["delta"]
    assert news["turn"] == 1


def test_legal_actions_only_for_those_who_ask() -> None:
    driver = Driver(SALOON, SMALL)
    driver.hello(0, legal_actions=True)
    driver.say(0, "ready", seq=1)
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert END in driver.sent[0][-1]["legal_actions"]
    driver.act(0, END)
    assert "legal_actions" not in driver.sent[1][-1]


@pytest.mark.parametrize(
    ("phase", "kind"), [(phase, kind) for phase in Phase for kind in ("hello", "ready", "act", "log", "draw")]
)
def test_every_message_out_of_place_is_a_violation_and_no_exception(phase: Phase, kind: str) -> None:
    fields: dict[str, dict[str, Any]] = {
        "hello": {"protocol": 1, "client": "x", "schema": None, "legal_actions": False},
        "ready": {},
        "act": {"actions": [END]},
        "log": {"text": "x"},
        "draw": {"shapes": []},
    }
    driver = saloon()
    seat = driver.match.seats[0]
    seat.phase = phase
    seq = {} if kind == "hello" else {"seq": seat.seq}
    driver.match.on_message(0, {"type": kind, **seq, **fields[kind]}, driver.read(0))
    if kind in ALLOWED[phase] or phase is Phase.GONE:
        assert seat.ending is None
    else:
        assert seat.ending == "bad_message"
        assert driver.endings()[1] == "won"


@pytest.mark.parametrize("offset", [-1, 1, 5])
def test_a_wrong_sequence_number_loses(offset: int) -> None:
    driver = saloon()
    driver.say(0, "act", seq=driver.seq(0) + offset, actions=[END])
    assert driver.endings() == ["bad_message", "won"]
    assert driver.hung_up == [0]
    assert driver.match.outcome is not None
    assert driver.match.outcome.to_document() == {"winner": 1, "reason": "forfeit"}


def test_a_stale_module_is_refused_with_the_command_that_renews_it() -> None:
    driver = Driver(SALOON, SMALL)
    driver.hello(0, schema="0123456789abcdef")
    assert driver.kinds(0) == ["refused"]
    assert "arena sdk saloon" in driver.sent[0][0]["message"]
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.endings() == ["no_start", "won"]


def test_another_protocol_is_refused() -> None:
    driver = Driver(SALOON, SMALL)
    driver.hello(0, protocol=99)
    assert driver.sent[0][0]["code"] == "wrong_protocol"


# -- starting up -------------------------------------------------------------------------------------


def test_a_bot_that_does_not_start_loses_once_the_other_is_ready() -> None:
    driver = Driver(SALOON, SMALL)
    driver.match.on_exit(0, "crashed", "exit code 1")
    assert not driver.match.over, "the other one may fail to start as well"
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.endings() == ["no_start", "won"]


def test_a_bot_that_could_not_be_built_has_an_ending_of_its_own() -> None:
    driver = Driver(SALOON, SMALL)
    driver.match.on_exit(0, "no_build", "exit code 1")
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.endings() == ["no_build", "won"]


def test_two_bots_that_do_not_start_have_no_winner() -> None:
    driver = Driver(SALOON, SMALL)
    driver.match.on_exit(0, "crashed", "exit code 1")
    driver.match.on_exit(1, "crashed", "exit code 1")
    assert driver.endings() == ["no_start", "no_start"]
    assert driver.match.outcome is not None
    assert driver.match.outcome.winner is None


def test_the_time_to_start_up_is_limited() -> None:
    driver = Driver(SALOON, SMALL)
    driver.pass_time(2.05)
    assert driver.match.seats[0].ending is None, "the grace has not passed"
    driver.pass_time(0.1)
    assert driver.endings() == ["no_start", None]
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.endings() == ["no_start", "won"]


def test_the_detail_of_a_late_start_says_how_far_the_program_was() -> None:
    driver = Driver(SALOON, SMALL)
    driver.match.on_connection(0)
    driver.pass_time(2.2)
    assert driver.match.seats[0].detail.endswith("connected, but sent no hello")
    driver.match.on_connection(1)
    driver.hello(1)
    driver.pass_time(2.2)
    assert driver.match.seats[1].detail.endswith("connected, but not ready")


def test_one_program_starts_after_the_other_and_each_has_the_whole_time() -> None:
    driver = Driver(SALOON, SMALL)
    assert driver.begun == [0]
    assert [driver.match.listens_to(player) for player in (0, 1)] == [True, False]
    driver.pass_time(1.9)
    driver.hello(0)
    driver.say(0, "ready", seq=1)
    assert driver.begun == [0, 1]
    assert driver.match.time.next_check(0) is None
    driver.pass_time(1.9)
    driver.hello(1)
    driver.say(1, "ready", seq=1)
    assert driver.match.playing
    assert driver.endings() == [None, None]


def test_a_program_that_ends_before_it_may_begin_has_not_started() -> None:
    driver = Driver(SALOON, SMALL)
    driver.match.on_exit(1, "crashed", "exit code 1")
    assert driver.begun == [0]
    driver.hello(0)
    driver.say(0, "ready", seq=1)
    assert driver.endings() == ["won", "no_start"]


def test_a_start_that_other_programs_held_up_may_take_longer() -> None:
    driver = Driver(SALOON, SMALL)
    driver.waited = 0.5
    driver.pass_time(2.55)
    assert driver.match.seats[0].ending is None
    driver.pass_time(0.1)
    assert driver.match.seats[0].ending == "no_start"


# -- time --------------------------------------------------------------------------------------------


def test_a_turn_past_cap_and_grace_loses_and_not_before() -> None:
    driver = saloon()
    driver.pass_time(3.09)
    assert not driver.match.over
    assert driver.match.time.next_check(0) == pytest.approx(103.1)
    driver.pass_time(0.02)
    assert driver.endings() == ["timed_out", "won"]


def test_a_late_answer_loses_even_if_nobody_looked_at_the_clock() -> None:
    driver = saloon()
    driver.now += 3.2
    driver.say(0, "act", seq=driver.seq(0), actions=[END])
    assert driver.endings() == ["timed_out", "won"]


def test_several_actions_share_the_clock_of_the_turn() -> None:
    driver = saloon()
    for _ in range(2):
        driver.now += 1.4
        driver.act(0, NOWHERE)
    driver.pass_time(0.35)
    assert driver.endings() == ["timed_out", "won"], "2.8 s were used before, 3 s are allowed"


def test_the_bank_pays_for_time_used_and_gets_its_increment() -> None:
    driver = saloon()
    driver.now += 1.0
    driver.act(0, END)
    assert driver.match.seats[0].clock.bank == pytest.approx(9.5)
    assert driver.match.seats[1].clock.bank == pytest.approx(10.5)
    driver.now += 2.0
    driver.act(1, END)
    assert driver.match.seats[0].clock.bank == pytest.approx(10.0)
    assert driver.match.seats[1].clock.bank == pytest.approx(8.5)


def test_an_empty_bank_loses() -> None:
    driver = saloon(clock=Clock(startup=2, bank=1.0, increment=0.0, turn=None, grace=0.1))
    driver.pass_time(1.2)
    assert driver.endings() == ["timed_out", "won"]


def test_no_limits_no_verdict() -> None:
    driver = saloon(clock=Clock(startup=2, bank=None, increment=0.0, turn=None, grace=0.1))
    driver.pass_time(10_000)
    assert driver.match.time.next_check(0) is None
    assert not driver.match.over


def test_cpu_time_decides_where_it_is_measured() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(8.0, cpu=2.9, player=0)
    assert not driver.match.over, "the host was slow, the bot was not"
    driver.pass_time(1.0, cpu=0.3, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_a_sleeper_meets_the_wall_guard() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(4 * 3.1 + 0.9)
    assert not driver.match.over
    driver.pass_time(0.2)
    assert driver.endings() == ["timed_out", "won"]


@pytest.mark.parametrize("with_cpu", [True, False])
def test_wall_time_of_a_turn_can_be_limited_beside_cpu_time(with_cpu: bool) -> None:
    clock = Clock(startup=2, bank=None, increment=0.0, turn=3.0, grace=0.1, turn_wall=1.0)
    driver = saloon(clock=clock, with_cpu=with_cpu)
    assert driver.sent[0][0]["clock"]["turn_wall"] == 1.0
    driver.pass_time(0.6)
    driver.act(0, NOWHERE)
    assert driver.match.time.next_check(0) == pytest.approx(101.1)
    driver.pass_time(0.45)
    assert not driver.match.over
    driver.pass_time(0.1)
    assert driver.endings() == ["timed_out", "won"]
    assert driver.match.seats[0].detail == "took longer than 1 s of wall time"


def test_wall_time_can_be_the_only_limit() -> None:
    clock = Clock(startup=2, bank=None, increment=0.0, turn=None, grace=0.1, turn_wall=1.0)
    driver = saloon(clock=clock, with_cpu=True, policy=Policy(timeout="skip"))
    assert "turn_wall" not in Clock().to_document()
    driver.pass_time(1.05, cpu=1.05, player=0)
    assert driver.match.state.to_move() == (0,)
    driver.pass_time(0.1)
    assert driver.match.state.to_move() == (1,)


def test_a_turn_of_many_requests_has_one_wall_guard() -> None:
    driver = saloon(with_cpu=True)
    for _ in range(6):
        driver.pass_time(2.0)
        driver.act(0, NOWHERE)
    assert not driver.match.over
    driver.pass_time(1.5)
    assert driver.endings() == ["timed_out", "won"], "13.4 s are the guard of a turn of 3 s"


def test_all_turns_together_have_a_wall_guard() -> None:
    clock = Clock(startup=2, bank=None, increment=0, turn=1.0, grace=0.0)
    driver = Driver(SALOON, {**SMALL, "max_turns": 100}, clock=clock, with_cpu=True)
    driver.start()
    for _ in range(11):
        driver.pass_time(4.9)  # the guard of the turn is 5 s
        driver.act(0, END)
        driver.act(1, END)
    driver.pass_time(4.0)
    assert not driver.match.over, "each turn adds 4 s to the 10 s of the match: 58 s are allowed, 57.9 s are used"
    driver.pass_time(0.2)
    assert driver.endings() == ["timed_out", "won"]


def test_a_bank_is_given_once_so_it_counts_once_in_the_guard_of_the_match() -> None:
    clock = Clock(startup=2, bank=1.0, increment=0.1, turn=None, grace=0.0)
    driver = Driver(SALOON, {**SMALL, "max_turns": 100}, clock=clock, with_cpu=True)
    driver.start()
    turns = 0
    while not driver.match.over:
        driver.pass_time(2.0)
        if not driver.match.over:
            driver.act(0, END)
            driver.act(1, END)
            turns += 1
    assert driver.endings() == ["timed_out", "won"]
    assert turns == 8, "10 s + 4 x (1 s + 0.1 s a turn)"


def test_a_sleeper_is_idle_for_one_limit_only() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(3.0, idle=3.0, player=0)
    assert not driver.match.over
    driver.waited = 60.0
    driver.pass_time(0.2, idle=0.15, player=0)
    assert driver.endings() == ["timed_out", "won"], "it waited for nobody, so it gets nothing back"
    assert driver.match.seats[0].detail == "took longer than 3.1 s without using the processor"


def test_who_waits_for_the_processor_is_not_idle() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(12.0, cpu=2.9, idle=0.1, player=0)
    assert not driver.match.over


def test_a_turn_of_many_requests_has_one_limit_of_idle_time() -> None:
    driver = saloon(with_cpu=True)
    for _ in range(3):
        driver.pass_time(1.0, idle=1.0, player=0)
        driver.act(0, NOWHERE)
    assert not driver.match.over
    driver.pass_time(0.2, idle=0.2, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_a_bank_limits_the_idle_time_of_all_turns() -> None:
    clock = Clock(startup=2, bank=10.0, increment=1.0, turn=None, grace=0.0)
    driver = Driver(SALOON, {**SMALL, "max_turns": 100}, clock=clock, with_cpu=True)
    driver.start()
    for _ in range(4):
        driver.pass_time(3.4, idle=3.4, player=0)
        driver.act(0, END)
        driver.act(1, END)
    assert not driver.match.over, "10 s and 1 s a turn"
    driver.pass_time(1.5, idle=1.5, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_idle_time_is_checked_when_the_limit_can_pass() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(1.0, idle=1.0, player=0)
    driver.act(0, NOWHERE)
    assert driver.match.time.next_check(0) == pytest.approx(driver.now + 2.1)
    driver.pass_time(2.1, cpu=1.0, idle=1.0, player=0)
    assert driver.match.time.next_check(0) == pytest.approx(driver.now + 1.1)


def test_without_a_measurement_of_cpu_time_idle_time_decides_nothing() -> None:
    driver = saloon()
    driver.pass_time(2.9, idle=60.0, player=0)
    assert not driver.match.over


def long_game(**options: Any) -> Driver:
    driver = Driver(SALOON, {**SMALL, "max_turns": 100}, with_cpu=True, **options)
    driver.start()
    return driver


def test_cpu_of_the_opponents_turn_is_charged_to_the_turn_after_the_next() -> None:
    driver = long_game()
    driver.act(0, END)
    driver.pass_time(1.0, cpu=0.25, player=0)
    driver.act(1, END)
    clock = driver.match.seats[0].clock
    bank = clock.bank or 0.0
    assert driver.sent[0][-1]["clock"] == {"bank": bank, "turn": 3.0}, "the request was made before the clock was read"
    driver.pass_time(1.0, cpu=1.0, player=0)
    driver.act(0, END)
    driver.act(1, END)
    assert driver.sent[0][-1]["clock"] == {"bank": clock.bank, "turn": 2.75}
    assert clock.bank == pytest.approx(bank - 1.0 + 0.5 - 0.25)
    assert clock.match_time.cpu == pytest.approx(1.25)
    assert clock.idle_cpu == pytest.approx(0.25)
    driver.pass_time(2.8, cpu=2.8, player=0)
    assert not driver.match.over
    driver.pass_time(0.1, cpu=0.1, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_cpu_before_the_first_turn_is_charged() -> None:
    driver = Driver(SALOON, {**SMALL, "max_turns": 100}, with_cpu=True)
    driver.hello(0)
    driver.say(0, "ready", seq=driver.seq(0))
    driver.pass_time(1.0, cpu=0.5, player=0)
    driver.hello(1)
    driver.say(1, "ready", seq=driver.seq(1))
    for player in (0, 1):
        driver.act(player, END)
    assert driver.sent[0][-1]["clock"]["turn"] == 2.5


def test_who_thought_for_longer_than_a_turn_has_the_grace_left() -> None:
    driver = long_game()
    for _ in range(2):
        driver.act(0, END)
        driver.pass_time(1.0, cpu=50.0, player=0)
        driver.act(1, END)
    assert driver.sent[0][-1]["clock"]["turn"] == 0.0
    driver.pass_time(0.09, cpu=0.09, player=0)
    assert not driver.match.over
    driver.pass_time(0.02, cpu=0.02, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_who_may_think_in_the_opponents_turn_is_not_charged() -> None:
    driver = long_game(policy=Policy(pause_idle=""))
    for _ in range(3):
        driver.act(0, END)
        driver.pass_time(1.0, cpu=50.0, player=0)
        driver.act(1, END)
    assert driver.sent[0][-1]["clock"]["turn"] == 3.0
    assert driver.match.seats[0].clock.match_time.cpu == 0.0


def test_time_that_other_programs_took_is_given_back_before_a_time_out_counts() -> None:
    driver = saloon()
    driver.waited = 0.2
    driver.pass_time(3.2)
    assert not driver.match.over
    assert driver.match.time.next_check(0) == pytest.approx(103.3)
    driver.pass_time(0.15)
    assert driver.endings() == ["timed_out", "won"], "now it has had its 3 s"


def test_an_answer_that_other_programs_delayed_counts() -> None:
    driver = saloon()
    driver.now += 3.3
    driver.waited = 0.25
    assert driver.act(0, END)["results"] == [None]
    assert driver.match.seats[0].clock.match_time.wall == pytest.approx(3.05)


def test_a_match_on_a_machine_that_gives_a_seat_almost_nothing_is_void() -> None:
    driver = saloon()
    while driver.now < 126.0:
        driver.pass_time(3.3, waited=3.2, entitled=0.3)
        assert not driver.match.over
    driver.pass_time(3.3, waited=3.2, entitled=0.3)
    assert driver.endings() == ["void", "void"], "twice the guard of 13.4 s, and no program had 3.1 s"
    assert "other programs" in driver.match.seats[0].detail
    assert driver.match.outcome is not None
    assert driver.match.outcome.reason == "host_late"


@pytest.mark.parametrize("with_cpu", [True, False])
def test_who_waits_for_longer_than_other_programs_would_is_late(with_cpu: bool) -> None:
    driver = saloon(with_cpu=with_cpu)
    while not driver.match.over:
        driver.pass_time(1.0, waited=0.99, entitled=0.33)
    assert driver.endings() == ["timed_out", "won"], "another program would have had one and a half times the limit"
    assert driver.now - 100.0 < 17.0


def test_a_turn_takes_twice_its_guard_at_most() -> None:
    driver = saloon(with_cpu=True)
    while not driver.match.over:
        driver.pass_time(1.0, waited=0.99, entitled=0.15)
    assert driver.endings() == ["timed_out", "won"], "another program would have had the limit"
    assert 126.8 <= driver.now <= 128.0


def test_who_was_idle_may_wait_as_long_as_another() -> None:
    driver = saloon(with_cpu=True)
    driver.pass_time(3.0, entitled=3.0, idle=3.0, player=0)
    for _ in range(12):
        driver.pass_time(1.0, waited=0.9, entitled=0.1, cpu=0.1, player=0)
    assert not driver.match.over
    driver.act(0, END)
    assert driver.match.seats[0].clock.turn_time.returned > 1.5


def test_waiting_counts_through_all_turns_of_a_player() -> None:
    driver = long_game(clock=Clock(startup=2, bank=4.0, increment=0.0, turn=3.0, grace=0.1))
    for _ in range(5):
        for _ in range(6):
            driver.pass_time(1.0, waited=0.99, entitled=0.3)
        if driver.match.over:
            break
        driver.act(0, END)
        driver.act(1, END)
    assert driver.endings() == ["timed_out", "won"], "it had 27 s in turns of 6 s, which have a guard of 13.4 s each"


def test_a_time_out_counts_if_the_bot_was_late_without_what_it_waited() -> None:
    driver = saloon()
    driver.waited = 0.09
    driver.pass_time(3.2)
    assert driver.endings() == ["timed_out", "won"]
    assert driver.match.outcome is not None
    assert driver.match.outcome.reason == "forfeit"


def test_a_time_out_by_cpu_time_counts_however_busy_the_machine_is() -> None:
    driver = saloon(with_cpu=True)
    driver.waited = 100.0
    driver.pass_time(9.0, cpu=3.2, player=0)
    assert driver.endings() == ["timed_out", "won"]


def test_a_sleeper_on_a_busy_machine_meets_the_guard_later() -> None:
    driver = saloon(with_cpu=True)
    driver.waited = 0.3
    driver.pass_time(13.6)
    assert not driver.match.over, "13.4 s are the guard"
    driver.pass_time(0.2)
    assert driver.endings() == ["timed_out", "won"]


def test_time_in_which_another_seat_used_the_processor_is_given_back() -> None:
    driver = saloon()
    driver.now += 3.0
    driver.match.time.give_back(1.0)
    driver.pass_time(0.2)
    assert driver.match.time.next_check(0) == pytest.approx(104.1)
    driver.act(0, END)
    assert driver.match.seats[0].clock.match_time.wall == pytest.approx(2.2)


def test_times_are_recorded_for_every_turn() -> None:
    driver = saloon(with_cpu=True)
    driver.now += 0.25
    driver.cpu[0] += 0.2
    driver.act(0, END)
    (turn,) = driver.entries_of(TurnEntry)
    assert turn[:5] == (0, 0, 250_000, 200_000, 10_300_000)
    assert turn.digest8.hex() == driver.match.state.digest()[:16]


def test_a_match_without_a_record_returns_only_notes_and_endings() -> None:
    driver = saloon(recorded=False)
    driver.say(0, "log", seq=driver.seq(0), text="note")
    driver.act(0, NOWHERE)
    driver.act(0, END)
    driver.match.on_exit(1, "crashed", "exit code 1")
    driver.collect()
    assert driver.match.over
    assert driver.match.turns == 2
    assert [type(entry) for entry in driver.entries] == [NoteEntry, SeatEntry]


def test_time_begins_with_the_reading_of_the_clocks() -> None:
    driver = saloon()
    message = {"type": "act", "seq": driver.seq(0), "actions": [END]}
    driver.match.on_message(0, message, driver.read(0))
    assert [output.player for output in driver.match.outputs if isinstance(output, ReadClock)] == [1]
    assert driver.match.seats[1].asked
    driver.now += 50.0  # the host is slow
    driver.match.on_time(1, driver.read(1))
    driver.collect()
    assert driver.match.time.next_check(1) == pytest.approx(driver.now + 3.1)
    driver.now += 1.0
    driver.act(1, END)
    assert driver.match.seats[1].clock.match_time.wall == pytest.approx(1.0)


def test_what_a_bot_prints_is_recorded_in_order_with_its_actions() -> None:
    driver = saloon()
    driver.match.on_printed(0, "stdout", "before\n")
    driver.act(0, END)
    driver.match.on_printed(0, "stderr", "after\n")
    driver.collect()
    assert [type(entry) for entry in driver.entries] == [NoteEntry, ActionEntry, TurnEntry, NoteEntry]


# -- policies ----------------------------------------------------------------------------------------


def test_skipping_finishes_the_turn_and_ignores_the_late_answer() -> None:
    driver = saloon(policy=Policy(timeout="skip"))
    seq = driver.seq(0)
    driver.pass_time(3.2)
    assert driver.match.state.to_move() == (1,)
    assert driver.match.seats[0].strikes == 1
    late = driver.say(0, "act", seq=seq, actions=[{"type": "call_in", "young_gun": "g0", "job": "Brawler"}])
    assert late is not None
    assert [one["code"] for one in late["results"]] == ["too_late"]
    assert not late["your_move"]
    assert driver.match.state.entity("c1") is None
    driver.act(1, END)
    assert driver.sent[0][-1]["type"] == "turn"


def test_a_bot_that_still_has_not_answered_in_its_next_turn_is_skipped_again() -> None:
    driver = saloon(policy=Policy(timeout="skip"))
    driver.pass_time(3.2)
    driver.act(1, END)
    assert driver.match.seats[0].strikes == 1, "it has the time of its next turn for the answer"
    assert driver.match.seats[0].asked
    driver.pass_time(3.2)
    assert driver.match.seats[0].strikes == 2
    assert driver.match.state.to_move() == (1,)


def test_a_late_answer_in_the_next_turn_costs_only_its_time() -> None:
    driver = saloon(policy=Policy(timeout="skip"))
    seq = driver.seq(0)
    driver.pass_time(3.2)
    driver.act(1, END)
    driver.now += 1.0
    driver.say(0, "act", seq=seq, actions=[END])
    assert driver.kinds(0)[-2:] == ["result", "turn"]
    assert driver.match.state.to_move() == (0,)
    assert driver.match.seats[0].clock.turn_left() == pytest.approx(2.0)


def test_the_last_strike_loses() -> None:
    driver = saloon(policy=Policy(timeout="strike", strikes=2))
    driver.pass_time(3.2)
    assert not driver.match.over
    driver.act(1, END)
    driver.pass_time(3.2)
    assert driver.endings() == ["timed_out", "won"]


def test_refusals_are_free_up_to_the_cap() -> None:
    driver = saloon(policy=Policy(refusals_per_turn=3))
    for _ in range(3):
        driver.act(0, NOWHERE)
    driver.act(0, END)
    driver.act(1, END)
    for _ in range(3):
        driver.act(0, NOWHERE)
    assert not driver.match.over, "each turn counts anew"
    driver.say(0, "act", seq=driver.seq(0), actions=[NOWHERE])
    assert driver.endings() == ["refused_too_often", "won"]


def test_notes_are_kept_up_to_their_budget() -> None:
    driver = saloon(policy=Policy(notes_per_turn=3))
    for number in range(10):
        driver.say(0, "log", seq=driver.seq(0), text=f"note {number}")
    notes = [note.payload for note in driver.entries_of(NoteEntry)]
    assert notes == ["note 0", "note 1", "(further notes of this turn were dropped)"]


def test_a_long_refused_action_is_recorded_as_the_beginning_of_its_text() -> None:
    driver = saloon()
    driver.act(0, {**NOWHERE, "junk": ["x" * 1000] * 60})
    (refusal,) = driver.entries_of(RefusalEntry)
    assert refusal.action.startswith("{'cowboy': 'c9', 'junk': ['xxxx")
    assert refusal.action.endswith("(60215 bytes)")
    assert len(refusal.action) < 300


def test_the_message_of_a_refusal_is_recorded_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(sealed_orders.GAME)
    driver.start()
    monkeypatch.setattr(driver.match.state.plan().decoder, "_allow_extra", False)
    driver.act(0, {"type": "choose", "hand": "rock", "x" * 60_000: 1})
    (refusal,) = driver.entries_of(RefusalEntry)
    assert len(refusal.message) <= 200


def test_refused_actions_beyond_their_budget_are_counted_only() -> None:
    driver = saloon()
    for _ in range(100):
        driver.act(0, {**NOWHERE, "junk": "x" * 400})
    recorded = driver.entries_of(RefusalEntry)
    assert len(recorded) == 8_192 // (len(msgpack.packb(recorded[0].action)) + 64)
    assert driver.match.seats[0].refusals == {"unknown_key": 100}


def test_refused_actions_have_a_budget_for_the_whole_match() -> None:
    driver = Driver(SALOON, {**SMALL, "max_turns": 400})
    driver.start()
    for _ in range(400):
        player = driver.match.state.to_move()[0]
        for _ in range(20 * (1 - player)):
            driver.act(player, {**NOWHERE, "junk": "x" * 400})
        driver.act(player, END)
    recorded = driver.entries_of(RefusalEntry)
    assert 256_000 < sum(len(msgpack.packb(refusal.action)) for refusal in recorded) < 512 * 1024
    assert driver.match.seats[0].refusals == {"unknown_key": 4_000}


def test_drawings_are_measured_in_the_bytes_that_they_have() -> None:
    driver = saloon(policy=Policy(note_bytes_per_turn=10_000))
    for _ in range(10):
        driver.say(0, "draw", seq=driver.seq(0), shapes=[{"type": "text", "x": 1, "y": 1, "text": "x" * 2000}])
    assert len([note for note in driver.entries_of(NoteEntry) if note.kind == "draw"]) == 4


def logging(text: str) -> list[NoteEntry]:
    """Play a long match in which both players log a text as often as they may, and return what is recorded."""
    driver = Driver(SALOON, {**SMALL, "max_turns": 400})
    driver.start()
    for _ in range(400):
        player = driver.match.state.to_move()[0]
        for _ in range(32):
            driver.say(player, "log", seq=driver.seq(player), text=text)
        driver.act(player, END)
    return driver.entries_of(NoteEntry)


def test_logs_of_a_whole_match_fit_into_a_replay() -> None:
    """Each player has half of the budget, and both together fit into what a writer accepts, with the outputs."""
    notes = logging("x" * 2000)
    kept = [sum(len(note.payload) for note in notes if note.player == player) for player in (0, 1)]
    assert all(2_000_000 < size < 2 * 1024 * 1024 + 50 * 200 for size in kept)
    assert sum(kept) + 4 * 2 * 64 * 1024 < MAX_WRITTEN_NOTES


@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028"])
@pytest.mark.promise("long-logs")
def test_the_lines_of_a_whole_match_can_be_shown(end: str) -> None:
    """An empty line is as much work for a page as a note: each counts 16 bytes besides its content."""
    notes = logging(end * 600)
    for player in (0, 1):
        assert 50_000 < sum(len(note.payload.splitlines()) for note in notes if note.player == player) < 130_000


def test_a_flood_of_notes_is_a_violation() -> None:
    driver = saloon(policy=Policy(notes_per_request=5))
    for number in range(5):
        driver.say(0, "log", seq=driver.seq(0), text=f"note {number}")
    driver.act(0, NOWHERE)
    for _ in range(5):
        driver.say(0, "draw", seq=driver.seq(0), shapes=[])
    assert not driver.match.over, "every answer may have some"
    driver.say(0, "log", seq=driver.seq(0), text="one more")
    assert driver.endings() == ["bad_message", "won"]


# -- other games -------------------------------------------------------------------------------------


def test_simultaneous_moves_are_asked_for_one_after_the_other_and_stay_sealed() -> None:
    driver = Driver(sealed_orders.GAME, {"rounds": 2})
    driver.start()
    assert [driver.kinds(player)[-1] for player in (0, 1)] == ["turn", "start"], "one processor, one at a time"
    driver.pass_time(2.0)
    result = driver.act(0, {"type": "choose", "hand": "rock"})
    assert result["your_move"] is False
    turn = driver.sent[1][-1]
    assert turn["type"] == "turn"
    assert "rock" not in str(turn), "the one that is asked later learns nothing"
    assert driver.match.seats[1].clock.turn_left() == 3.0
    result = driver.act(1, {"type": "choose", "hand": "paper"})
    assert result["delta"][-3:] == ["p1", "score", 1]
    first_news = [message for message in driver.sent[0] if message["type"] in ("turn", "result")]
    assert not any("paper" in str(message["delta"]) for message in first_news)
    assert [driver.kinds(player)[-1] for player in (0, 1)] == ["turn", "result"]


def test_a_defect_of_the_rules_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = saloon()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(driver.match.state), "admit", broken)
    with pytest.raises(RulesFault, match="saloon failed on"):
        driver.say(0, "act", seq=driver.seq(0), actions=[END])


def test_void_leaves_no_winner() -> None:
    driver = saloon()
    driver.match.void("interrupted by SIGINT")
    driver.collect()
    assert driver.endings() == ["void", "void"]
    assert driver.kinds(0)[-1] == "over"


def test_default_clock_of_the_driver_is_what_the_tests_assume() -> None:
    assert CLOCK.turn == 3.0
    assert CLOCK.grace == 0.1


def test_a_refused_action_is_freed_without_a_garbage_collection() -> None:
    driver = saloon()
    driver.act(0, NOWHERE)
    gc.collect()
    gc.disable()
    try:
        for _ in range(50):
            driver.act(0, NOWHERE)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_sandbox_that_another_program_killed_makes_the_match_void() -> None:
    driver = saloon()
    driver.match.on_killed(0, "was killed from outside")
    assert driver.endings() == ["void", "void"]
    assert driver.match.outcome is not None
    assert driver.match.outcome.reason == "killed_from_outside"
    driver = saloon()
    driver.match.on_exit(0, "crashed", "exited with code 1")
    driver.match.on_killed(0, "was killed from outside")
    assert driver.endings() == ["crashed", "won"], "it had failed before"


def test_a_time_out_says_what_the_bot_has_not_read() -> None:
    driver = saloon()
    driver.match.on_time(0, Reading(driver.now + 60, None, unread=17))
    assert driver.endings() == ["timed_out", "won"]
    assert "and has not read 17 bytes" in driver.match.seats[0].detail


def test_a_clock_that_does_not_run_is_not_over() -> None:
    clock = SeatClock(CLOCK)
    clock.begin_turn(0)
    clock.start(Reading(0.0))
    clock.stop(Reading(0.5))
    assert not clock.is_over(Reading(1e6))
    assert clock.overrun(Reading(1e6)) == 0.0


class Stubborn(tallest.Rounds):
    """Refuses its own fallback action, and that a player leaves."""

    def fallback_action(self, player: int) -> dict[str, Any]:
        return {"type": "shout"}

    def leave(self, player: int) -> None:
        raise IllegalAction("no_way", "Nobody leaves.")


def test_rules_that_refuse_the_referee_are_a_fault() -> None:
    game = replace(tallest.GAME, name="stubborn", state=Stubborn)
    driver = Driver(game, policy=Policy(timeout="skip"))
    driver.start()
    with pytest.raises(RulesFault, match="refused their own fallback action"):
        driver.pass_time(60.0)
    driver = Driver(game)
    driver.start()
    with pytest.raises(RulesFault, match="refused to let player 0 leave"):
        driver.match.on_exit(0, "crashed", "exited with code 1")


@pytest.mark.parametrize("timeout", ["skip", "strike"])
def test_an_answer_that_shows_that_the_time_is_over_gets_its_result(timeout: Any) -> None:
    driver = saloon(policy=Policy(timeout=timeout))
    driver.now += 5.0  # nobody looked at the clock before the answer came
    late = driver.act(0, END)
    assert [one["code"] for one in late["results"]] == ["too_late"]
    driver.act(1, END)
    assert driver.kinds(0)[-1] == "turn", "the program has its answer, so it plays its next turn"
    assert driver.act(0, END)["results"] == [None]
