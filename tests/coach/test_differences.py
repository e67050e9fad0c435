"""What was different about a loser: the real cause first, from replays of bots with one planted fault."""

from __future__ import annotations

from functools import cache

import pytest
from defective import Blocker, Idler, Loner, Stubborn

from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena.study.coach import norms
from arena.study.coach.differences import differences, documents_of, in_words, turn_out
from arena.study.coach.facts import Measure, _Owners, facts_of
from arena.study.coach.norms import norms_of
from arena.study.coach.questions import InProcessPool
from arena_replays import Reader

pytestmark = pytest.mark.slow

SALOON = find_game("saloon")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """Return the norms of Saloon with the default options, from a few matches."""
    replay = tmp_path_factory.mktemp("norms") / "match.arena"
    play_in_memory("saloon", ["builtin:pianist", "builtin:pianist"], seed=1, replay=replay)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(replay.parent))
        patch.setattr(norms, "MATCHES", 12)
        patch.setattr(norms, "FIRST_TURN", 30)
        header = Reader(replay).header
        assert norms_of(header, SALOON) is None
        *shares, (last, found) = norms.compute(
            header, SALOON, ["builtin:pianist", "builtin:sheriff"], InProcessPool(replay)
        )
        assert [share for share, _ in shares] == [done / 12 for done in range(1, 13)]
        assert last == 1
        assert norms_of(header, SALOON) == found, "it is kept"
        assert norms_of({**header, "options": {**header["options"], "width": 12}}, SALOON) is None
    return found


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    """Return the replay of a bot that lost against the Pianist."""
    folder = tmp_path_factory.mktemp("lost")

    @cache
    def play(bot, seed=3):
        replay = folder / f"{bot.__name__}.arena"
        play_in_memory(SALOON, [bot, "builtin:pianist"], seed=seed, replay=replay)
        return replay

    return play


def told(replay, usual):
    return [one for one in documents_of(Reader(replay), usual) if one["player"] == 0]


def test_facts_of_a_match(lost):
    reader = Reader(lost(Stubborn))
    facts = facts_of(reader)
    assert facts.turns == list(range(1, len(reader.turns) + 1))
    assert facts.creates == {"call_in": "Cowboy"}
    assert facts.alike
    assert facts.values(0, Measure("has", "Cowboy", "job=Brawler"))[-1] == 2
    assert facts.values(0, Measure("has", "Cowboy", "job=Bartender"))[-1] == 0
    refused = [one for one in reader.refusals if one.player == 0]
    assert facts.values(0, Measure("refused", "call_in", "job_limit"))[-1] == len(refused) > 9
    scores = [player["score"] for player in reader.footer["players"]]
    assert [facts.values(player, Measure("sum", "Player", "score"))[-1] for player in (0, 1)] == scores
    for measure in facts.players[0][-1]:
        assert all(value is None or value >= 0 for value in facts.values(0, measure)), measure


def test_a_bot_that_only_ends_its_turns_called_nobody_in(lost, usual):
    first = told(lost(Idler), usual)[0]
    assert "`call_in`" in first["words"]
    assert "Idler 0 times" in first["words"]
    assert 0 < first["turn"] < 11


@pytest.mark.parametrize("bot", [Loner, Blocker])
def test_a_bot_with_too_few_cowboys_is_told_so_first(lost, usual, bot):
    first = told(lost(bot), usual)[0]
    assert first["measure"] == ["has", "Cowboy", "", ""]
    assert first["value"] < first["low"] <= first["high"]
    assert ["did", "call_in", "", ""] in first["since"]
    if bot is Blocker:
        assert ["on", "Cowboy", "call_in_tile", ""] in first["since"]
        assert "of their turns on call_in_tile" in first["words"]


@pytest.mark.parametrize("bot", [Loner, Blocker])
def test_without_norms_the_winner_of_the_match_is_enough(lost, bot):
    found = told(lost(bot), None)[:3]
    assert ["has", "Cowboy", "", ""] in [one["measure"] for one in found]


def test_refused_actions_are_named_with_their_reason(lost, usual):
    words = " ".join(one["words"] for one in told(lost(Stubborn), usual)[:2])
    assert "`call_in`" in words
    assert "(`job_limit`: no more than 2 of that job)" in words


def test_rows_of_a_difference_show_the_range_of_winners(lost, usual):
    for one in told(lost(Loner), usual):
        assert 1 < len(one["rows"]) <= 40
        assert all(row["low"] <= row["high"] for row in one["rows"])
        assert any(not row["low"] <= row["value"] <= row["high"] for row in one["rows"])


def test_a_unit_belongs_to_the_player_whom_a_property_of_its_class_names(tmp_path):
    """In Derelict no field of a unit has its owner, and the game's actions name no unit."""
    replay = tmp_path / "derelict.arena"
    play_in_memory("derelict", ["builtin:castaway", "builtin:castaway"], seed=2, replay=replay)
    facts = facts_of(Reader(replay))
    marines, aliens = (facts.values(player, Measure("has", "Unit", "kind=marine")) for player in (0, 1))
    assert max(marines) > 3
    assert max(aliens) == 0
    assert not facts.alike, "its sides are unequal"
    assert 0 < facts.values(0, Measure("rate", "move"))[-1] < 1
    assert facts.values(0, Measure("idle", "Unit"))[-1] < 1


def test_an_object_without_an_owner_belongs_to_the_player_who_acts_with_it():
    classes = {"Token": {"placed": True, "fields": {"x": {}, "y": {}}, "actions": {"step": {"receiver": "token"}}}}
    done = [["setup", []], ["do", 1, {"type": "step", "token": "t1"}, []], ["leave", 0, []]]
    owners = _Owners(SALOON, classes, {"step": "token"}, done)
    assert owners.exist
    assert [owners.of(id_, {"class": "Token"}) for id_ in ("t0", "t1")] == [None, 1]
    assert not _Owners(SALOON, classes, {"step": "token"}, done[:1]).exist


def winner(seat):
    return norms.Winner(seat, [1], [{Measure("did", "shoot"): 3 + seat}])


def test_a_seat_gets_no_norms_of_another_seat():
    found = norms._norms(norms._document(8, [winner(1)] * 8))
    assert found.at(1, Measure("did", "shoot"), 1) == (4, 4)
    assert found.at(0, Measure("did", "shoot"), 1) is None, "nobody has won on this seat"
    both = norms._norms(norms._document(16, [winner(1)] * 8 + [winner(0)] * 8))
    assert [both.at(seat, Measure("did", "shoot"), 1) for seat in (0, 1)] == [(3, 3), (4, 4)]
    assert both.at(0, Measure("did", "dig"), 1) == (0, 0), "no winner did this"


def test_norms_of_a_slow_game_are_kept_after_their_time(lost, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    header = Reader(lost(Loner)).header

    class SlowPool:
        """Answers as many reference matches as the time allows."""

        def __init__(self, most):
            self.most = most

        def ask(self, questions, deadline=float("inf")):
            if deadline == float("inf"):
                return enumerate([True] * len(questions))
            return ((at, [norms.Winner(None, [1], [{Measure("did", "play"): 3}])]) for at in range(self.most))

    for most, kept in ((norms.LEAST_MATCHES - 1, False), (norms.LEAST_MATCHES, True)):
        *_, (share, found) = norms.compute(header, SALOON, ["builtin:pianist"], SlowPool(most))
        assert share == 1
        assert (found is not None) is kept
        assert norms_of(header, SALOON) == found


def test_a_player_who_is_out_is_compared_until_then(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.study.coach.differences.LEAST", 0)
    replay = tmp_path / "snakes.arena"
    play_in_memory("snakes", ["builtin:forager", *["builtin:hatchling"] * 3], seed=2, replay=replay)
    reader = Reader(replay)
    end = reader.number_of(len(reader.turns) - 1)
    things = reader.state_at(len(reader.turns) - 1).values()
    out = {one["owner"]: one["eliminated_on"] for one in things if one["class"] == "Snake" and one["cause"]}
    assert {player: turn_out(reader, player) for player in range(4)} == {
        player: out.get(player, end) for player in range(4)
    }
    compared = documents_of(reader, None)
    assert min(out.values()) < end
    assert {one["player"] for one in compared} == set(out)
    for player, turn in out.items():
        last = max(row["turn"] for one in compared if one["player"] == player for row in one["rows"])
        assert turn - 4 < last < turn, "a small drawing has every third turn, and the last one may be incomplete"


def test_too_few_objects_are_explained_by_the_actions_that_turned_them(tmp_path):
    """A Sergeant misjudges reaction shots: its units lose their lasers while they move."""
    replay = tmp_path / "laser_flag.arena"
    play_in_memory("laser_flag", ["builtin:sergeant", "builtin:commander"], seed=900100, replay=replay)
    facts = facts_of(Reader(replay))
    charged = Measure("has", "Unit", "laser=charged")
    assert facts.values(0, Measure("turned", "Unit", "laser=charged", "move"))[0] == 2
    usual = norms.Norms(32, facts.turns, {0: {charged: [(4.0, 4.0)] * len(facts.turns)}})
    kept = [[{one: row[one] for one in row if "laser=charged" in one.what} for row in rows] for rows in facts.players]
    [found] = differences(facts._replace(players=kept), usual, 0, [1], facts.turns[-1])
    assert in_words(found, "sergeant", facts) == (
        "In turn 1 winners have 4 Units with laser charged, sergeant had 2, since 2 had lost this during own `move`."
    )
