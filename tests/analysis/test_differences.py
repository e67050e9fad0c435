"""What was different about a loser: the real cause first, from replays of bots with one planted fault."""

from __future__ import annotations

from functools import cache

import pytest

from arena.analysis import norms
from arena.analysis.differences import documents_of, turn_out
from arena.analysis.facts import Measure, facts_of
from arena.analysis.norms import norms_of
from arena.analysis.worker import Worker, bot_class
from arena.match.lookup import find_game
from arena.memory import play_in_memory
from arena_replays import Reader
from arena_replays.tools import strip

SALOON = find_game("saloon")
Pianist = bot_class(SALOON, "builtin:pianist")


class Idler(Pianist):
    """Only ends its turns, and crashes in turn 11."""

    def run_turn(self):
        if self.game.current_turn >= 11:
            raise ValueError("no plan for turn 11")
        self.game.end_turn()


class Loner(Pianist):
    """Never has more than two cowboys."""

    def call_in(self):
        if len(self.player.gang) < 2:
            super().call_in()


class Blocker(Pianist):
    """Its second cowboy walks along with the young gun, and stands where the next cowboy would land."""

    def run_turn(self):
        gang = self.player.gang
        self.guard = gang[-1] if len(gang) > 1 else None
        super().run_turn()

    def play(self, cowboy, place):
        return cowboy is not self.guard and super().play(cowboy, place)

    def walk(self, cowboy):
        if cowboy is not self.guard:
            return super().walk(cowboy)
        goal = self.player.young_gun.call_in_tile_in(1)
        if goal is not cowboy.tile and cowboy.can_move and (path := cowboy.path_to(goal)):
            cowboy.move(path[0])
            self.taken.add(path[0])
            return path[0]
        return cowboy.tile


class Stubborn(Pianist):
    """Calls in Brawlers only, also when the rules refuse a third one."""

    def call_in(self):
        self.player.young_gun.call_in("Brawler")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """Return the norms of Saloon with the default options, from a few matches."""
    replay = tmp_path_factory.mktemp("norms") / "match.arena"
    play_in_memory("saloon", ["builtin:pianist", "builtin:pianist"], seed=1, replay=replay)
    worker = Worker(str(replay))

    class HerePool:
        def ask(self, questions, deadline=float("inf")):
            for number, (function, *arguments) in enumerate(questions):
                yield number, function(worker, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(replay.parent))
        patch.setattr(norms, "MATCHES", 12)
        patch.setattr(norms, "FIRST_TURN", 30)
        header = Reader(replay).header
        assert norms_of(header, SALOON) is None
        *shares, (last, found) = norms.compute(header, SALOON, ["builtin:pianist", "builtin:sheriff"], HerePool())
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
    assert facts.owned
    assert facts.values(0, Measure("has", "Cowboy", "job=Brawler"))[-1] == 2
    assert facts.values(0, Measure("has", "Cowboy", "job=Bartender"))[-1] == 0
    refused = [one for one in reader.refusals if one.player == 0]
    assert facts.values(0, Measure("refused", "call_in", "job_limit"))[-1] == len(refused) > 9
    scores = [player["score"] for player in reader.footer["players"]]
    assert [facts.values(player, Measure("sum", "Player", "score"))[-1] for player in (0, 1)] == scores
    for measure in facts.players[0][-1]:
        assert all(value is None or value >= 0 for value in facts.values(0, measure)), measure


def test_facts_of_a_stripped_copy_are_the_same(lost, tmp_path):
    strip(lost(Loner), tmp_path / "stripped.arena")
    assert facts_of(Reader(tmp_path / "stripped.arena")) == facts_of(Reader(lost(Loner)))


def test_a_bot_that_only_ends_its_turns_called_nobody_in(lost, usual):
    first = told(lost(Idler), usual)[0]
    assert "`call_in`" in first["words"]
    assert "it 0 times" in first["words"]
    assert 0 < first["turn"] < 11


@pytest.mark.parametrize("bot", [Loner, Blocker])
def test_a_bot_with_too_few_cowboys_is_told_so_first(lost, usual, bot):
    first = told(lost(bot), usual)[0]
    assert first["measure"] == ["has", "Cowboy", ""]
    assert first["value"] < first["low"] <= first["high"]
    assert ["did", "call_in", ""] in first["since"]
    if bot is Blocker:
        assert ["on", "YoungGun", "call_in_tile"] in first["since"]
        assert "times on call_in_tile (YoungGun) when its turn ended" in first["words"]


@pytest.mark.parametrize("bot", [Loner, Blocker])
def test_without_norms_the_winner_of_the_match_is_enough(lost, bot):
    found = told(lost(bot), None)[:3]
    assert ["has", "Cowboy", ""] in [one["measure"] for one in found]


def test_refused_actions_are_named_with_their_reason(lost, usual):
    words = " ".join(one["words"] for one in told(lost(Stubborn), usual)[:2])
    assert "`call_in`" in words
    assert "(`job_limit`: no more than 2 of that job)" in words


def test_rows_of_a_difference_show_the_range_of_winners(lost, usual):
    for one in told(lost(Loner), usual):
        assert 1 < len(one["rows"]) <= 40
        assert all(row["low"] <= row["high"] for row in one["rows"])
        assert any(not row["low"] <= row["value"] <= row["high"] for row in one["rows"])


def test_a_player_who_is_out_is_compared_until_then(tmp_path):
    replay = tmp_path / "snakes.arena"
    play_in_memory("snakes", ["builtin:forager", *["builtin:hatchling"] * 3], seed=2, replay=replay)
    reader = Reader(replay)
    last = {one["player"]: max(row["turn"] for row in one["rows"]) for one in documents_of(reader, None)}
    assert last
    for player, turn in last.items():
        assert turn <= turn_out(reader, player) <= reader.number_of(len(reader.turns) - 1)
