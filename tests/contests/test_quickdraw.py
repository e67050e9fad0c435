"""A quick tournament in the middle of a term has a table of its own, and changes nothing else."""

import re

import pytest
from contests_toys import add_team, add_version, do, in_memory, opened, play, result_of, write_config
from visitors import add_person, csrf_of, pages_of, send, visitor

from arena.contests.config import PeopleConfig, StageConfig
from arena.contests.people.organizer_acts import quickdraw
from arena.contests.report.visible_contest import VisibleContest
from arena.errors import ArenaError

LADDER = StageConfig("ladder", "ladder", rated_matches=4)
FINAL = StageConfig("final", "single_elimination", advance=4)


def test_it_begins_on_the_desk_with_two_clicks(tmp_path):
    with opened(write_config(tmp_path)) as contest:
        _, app = pages_of(contest)
        organizer = visitor(app, add_person(contest, "", "organizer"))
        assert "Quickdraw" not in organizer.get("/desk").text, "nobody plays yet"
        for team in ("Red", "Blue", "Green"):
            add_team(contest, team)
            add_version(contest, team)
        desk = organizer.get("/desk").text
        form = re.search(r"<summary>Quickdraw</summary>.*?<form(.*?)</form>", desk, re.DOTALL)[1]
        sent = dict(re.findall(r'<input [^>]*name="(\w+)"[^>]* value="([^"]*)"', form))
        sent["format"] = re.search(r'<option value="(\w+)" selected', form)[1]
        assert (sent["subject"], sent["format"], sent["reason"]) == ("quickdraw-1", "round_robin", "a quick tournament")
        assert send(organizer, "/desk/act", **{**sent, "csrf": csrf_of(organizer)}).status_code == 303
        assert contest.state.stages["quickdraw-1"].names == ("Red", "Blue", "Green")
        assert quickdraw(contest.state)[0] == "quickdraw-2"
        page = organizer.get("/").text
        assert "Quickdraw-1 (round robin, exhibition, so far)" in page


def test_the_format_fits_the_number_of_players():
    assert quickdraw(in_memory(8, LADDER).state)[1] == "round_robin"
    assert quickdraw(in_memory(9, LADDER).state)[1] == "swiss"
    tables = StageConfig("ladder", "ladder", table=4)
    assert quickdraw(in_memory(3, tables, players=(2, 4)).state)[1] == "free_for_all"
    assert quickdraw(in_memory(2, tables, players=(2, 4)).state)[1] == "round_robin"


def test_the_next_stage_and_the_final_order_do_not_depend_on_it():
    term = in_memory(6, LADDER, FINAL, people=PeopleConfig())
    play(term)
    order = VisibleContest.of(term.state).final_order()

    def backwards(spec):
        return result_of(max((0, 1), key=lambda seat: order.index(spec.names[seat])))

    do(term, "stage", "quickdraw-1", format="round_robin", exhibition="true")
    play(term, backwards)
    run = term.state.stages["quickdraw-1"]
    assert term.state.is_over(run)
    assert [row.name for row in run.rank()] == order[::-1]
    assert list(term.state.stages) == ["quickdraw-1"], "the final waits for an organizer"
    assert VisibleContest.of(term.state).final_order() == order
    do(term, "stage", "final")
    assert set(term.state.stages["final"].names) == set(order[:4]), "the best of the ladder"
    do(term, "stage", "quickdraw-2", format="round_robin", exhibition="true")
    assert term.state.stages["quickdraw-2"].names == tuple(order), "not only those of the final"
    with pytest.raises(ArenaError, match="exhibition can only be true"):
        do(term, "stage", "other", format="round_robin", exhibition="yes")
