"""The history of a contest: what has been paired stays, whatever changes; acts and their undo give the same tables."""

import contextlib
import random
import re
from collections import Counter

import pytest
from contests_toys import (
    MemoryJournal,
    add_team,
    add_version,
    begin,
    contents,
    crashing,
    do,
    entry_of,
    finished,
    for_any,
    in_memory,
    late_entry,
    opened,
    play,
    played,
    record,
    repair,
    result_of,
    run_of,
    tables,
    write_config,
)
from test_pictures import png

from arena.contests import entries
from arena.contests.config import PeopleConfig, StageConfig
from arena.contests.contest_journal import void_entry
from arena.contests.journal.chain import Entry
from arena.contests.ladder.slot_shares import Shares
from arena.contests.people import accounts
from arena.contests.people.organizer_acts import public_log
from arena.contests.people.team_actions import agree, challenge
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.scheduler import decide, is_over, waits_for
from arena.errors import ArenaError
from arena.match.spec import MatchSpec

SWISS = StageConfig("swiss", "swiss", rounds=4)
TABLE = StageConfig("table", "round_robin")
CUP = StageConfig("cup", "single_elimination", best_of=2)
GROUPS = StageConfig("groups", "groups", groups=2)
TRIPLE = StageConfig("triple", "triple_elimination", best_of=1)
LADDER = StageConfig("ladder", "ladder", rated_matches=12)
CHAINS = [(SWISS, CUP), (TABLE, CUP), (GROUPS, CUP), (TABLE, SWISS, TRIPLE), (LADDER, CUP), (SWISS, LADDER)]


def known(contest):
    """All rounds that were paired, and all results, as the journal has them."""
    stages = contest.state.stages.items()
    rounds = {(name, number): one for name, run in stages for number, one in enumerate(run.rounds)}
    return rounds | {one.id: (one.spec, one.result) for one in contest.state.played.values()}


@pytest.mark.parametrize("stage", [SWISS, TABLE, CUP, GROUPS, TRIPLE], ids=lambda stage: stage.format)
def test_a_bot_that_is_changed_in_a_finished_stage_changes_nothing(stage):
    contest = played(8, stage, result=for_any)
    before, table = known(contest), tables(contest)
    repair(contest, "bot001")
    assert play(contest) == []
    assert (known(contest), tables(contest)) == (before, table)


@pytest.mark.parametrize("stage", [SWISS, TABLE, GROUPS, CUP, TRIPLE], ids=lambda stage: stage.format)
def test_a_late_entry_comes_with_the_next_round_that_is_paired(stage):
    contest = in_memory(8, stage)
    play(contest, for_any, most=5)
    before = known(contest)
    late_entry(contest, "bot900")
    play(contest, for_any)
    assert before.items() <= known(contest).items()
    run = run_of(contest)
    rounds = {spec.round for spec, _ in run.matches() if "bot900" in spec.names}
    assert bool(rounds) == ("elimination" not in stage.format), "brackets accept nobody"
    assert min(rounds, default=9) > 1
    assert [row.name for row in run.rank()].count("bot900") == bool(rounds)
    for paired in run.rounds[1:] if stage == SWISS else ():
        assert sorted(name for one in paired.encounters for name in one.players) == sorted(run.names)
    if stage == TABLE:
        assert len({frozenset(spec.names) for spec, _ in run.matches()}) == 9 * 8 / 2


@pytest.mark.parametrize("stage", [SWISS, TABLE, CUP, TRIPLE], ids=lambda stage: stage.format)
def test_who_withdraws_plays_no_further_round_and_comes_back_with_an_undo(stage):
    for undone in (False, True):
        contest = in_memory(8, stage)
        play(contest, for_any, most=13)
        before, begun = known(contest), len(run_of(contest).rounds)
        name = run_of(contest).rounds[-1].encounters[0].players[0]
        act = do(contest, "withdraw", name)
        if undone:
            do(contest, "undo", act)
        play(contest, for_any)
        assert finished(contest)
        assert before.items() <= known(contest).items()
        assert undone or not any(spec.round > begun and name in spec.names for spec, _ in run_of(contest).matches())
        if undone:
            assert tables(contest) == tables(played(8, stage, result=for_any))


def test_a_repaired_bot_is_a_new_version_of_the_same_entrant():
    contest = in_memory(6, SWISS, options=(("turns", 5),))
    play(contest, for_any, most=7)
    before = known(contest)
    repair(contest, "bot001")
    play(contest, for_any)
    assert before.items() <= known(contest).items()
    new = contest.state.active("bot001").hash
    versions = {
        (spec.round > 2, seat.hash == new)
        for spec, _ in run_of(contest).matches() for seat in spec.seats if seat.name == "bot001"
    }  # fmt: skip
    assert versions == {(False, False), (True, True)}, "a round is played with what it was paired with"
    assert [row.name for row in run_of(contest).rank()].count("bot001") == 1


def test_a_suspended_bot_returns_when_it_is_repaired():
    contest = in_memory(6, StageConfig("swiss", "swiss", rounds=5), suspend_after=2)
    play(contest, crashing("bot002"), most=14)
    assert set(run_of(contest).suspended) == {"bot002"}
    before = known(contest)
    repair(contest, "bot002")
    play(contest)
    assert not run_of(contest).suspended
    assert before.items() <= known(contest).items()
    new = contest.state.active("bot002").hash
    assert sum(new in [seat.hash for seat in spec.seats] for spec, _ in run_of(contest).matches()) >= 4


# -- random contests -----------------------------------------------------------------------------------


CHANGES = ("late", "repair", "withdraw", "disqualify", "void", "replay", "correct", "undo", "hold", "stage")


def change(contest, rng, number):
    """One of the acts and changes that organizers make, or None if it is not possible now."""
    state = contest.state
    names, matches = list(state.entrants), [one.id for one in state.played.values() if one.is_public]
    acts = [one.id for one in state.in_force() if one.kind != "stage"]
    kind = rng.choice(CHANGES)
    with contextlib.suppress(ArenaError, IndexError):
        match kind:
            case "late":
                late_entry(contest, f"bot{100 + number}")
            case "repair":
                repair(contest, rng.choice(names))
            case "withdraw" | "disqualify":
                if len(state.orders.gone) < 3:
                    return do(contest, kind, rng.choice(names))
            case "correct":
                return do(contest, kind, rng.choice(matches), points=rng.choice(("1 0", "0 1", "0.5 0.5")))
            case "void" | "replay":
                return do(contest, kind, rng.choice(matches))
            case "undo":
                return do(contest, kind, rng.choice(acts))
            case "hold":
                return do(contest, "release" if state.orders.limit is not None else "hold")
            case "stage":
                forms = ("single_elimination", "triple_elimination", "round_robin")
                return do(contest, kind, f"more {number}", format=rng.choice(forms), advance="4")
    return None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_changes_lose_nothing_and_every_prefix_of_the_journal_is_what_the_run_was(seed):
    rng = random.Random(seed)
    contest = in_memory(7, *CHAINS[seed % len(CHAINS)], suspend_after=rng.choice((0, 3)))
    decide_result = crashing("bot003", for_any, lambda spec: random.Random(spec.match_id).random() < 0.4)
    before, moments = {}, {}
    for number in range(14):
        play(contest, decide_result, rng, most=rng.randrange(8))
        after = known(contest)
        lost = {key for key, one in before.items() if after.get(key) != one}
        voided = {key for key in lost if not isinstance(key, str)}
        assert {name for name, *_ in voided} <= contest.state.orders.stages, "only the stages that do not count"
        assert not lost - voided
        before = after
        change(contest, rng, number)
        moments[contest.state.number] = contents(contest.state), tables(contest)
    play(contest, decide_result, rng)
    assert finished(contest)
    moments[contest.state.number] = contents(contest.state), tables(contest)
    again = reread(contest)
    for entry in contest._journal.entries():
        again.state.add(Entry(entry.number, entry.kind, entry.key, entry.text, entry.digest, entry.hash))
        if entry.number in moments:
            assert (contents(again.state), tables(again)) == moments[entry.number], entry.number


def reread(contest):
    """The same contest in memory before its first entry."""
    return type(contest)(contest.path, contest.config, contest.game, MemoryJournal())


UNDONE = ("void", "replay", "correct", "disqualify", "withdraw", "hold", "pause", "freeze", "announce", "stage")


@pytest.mark.parametrize("kind", UNDONE)
@pytest.mark.parametrize("stages", [(SWISS, CUP), (TABLE, TRIPLE), (LADDER,)], ids=["swiss", "table", "ladder"])
def test_the_undo_of_an_act_gives_the_same_tables_to_the_byte(kind, stages):
    contest = in_memory(6, *stages, suspend_after=2)
    play(contest, for_any, random.Random(1), most=10)
    before, rounds = tables(contest), known(contest)
    match = next(iter(contest.state.played))
    subject = {"disqualify": "bot002", "withdraw": "bot002", "stage": "more"}.get(kind, match)
    stages_before = list(contest.state.stages)
    act = do(contest, kind, subject, points="0 1", format="round_robin")
    assert tables(contest) != before
    do(contest, "undo", act)
    if kind != "stage":
        assert tables(contest) == before
    else:
        assert list(contest.state.stages) == stages_before
        assert "more" in contest.state.orders.stages
    assert known(contest) == rounds
    assert [(one["id"], one["undone"], one["reason"]) for one in public_log(contest.state)] == [
        ("a2", False, "because"),
        (act, True, "because"),
    ]
    with pytest.raises(ArenaError, match="no act"):
        do(contest, "undo", act)


def test_a_replayed_match_of_a_stage_is_played_again_with_another_seed():
    contest = in_memory(4, TABLE)
    play(contest, for_any)
    first = next(iter(contest.state.played.values()))
    do(contest, "replay", first.id)
    assert not finished(contest)
    [again] = play(contest, for_any)
    assert (again.round, again.pairing, again.number, again.names) == (
        first.spec.round, first.spec.pairing, first.spec.number, first.spec.names
    )  # fmt: skip
    assert again.seed != first.spec.seed
    assert len(run_of(contest).matches()) == 12


def test_a_void_stage_gives_way_to_a_new_one_and_its_matches_stay_in_the_journal():
    contest = in_memory(4, TABLE)
    play(contest, for_any, most=5)
    do(contest, "void", "table")
    assert "table" not in contest.state.stages
    do(contest, "stage", "again", format="round_robin", games="1")
    play(contest, for_any)
    assert finished(contest)
    assert Counter(one.kind for one in contest.state.played.values()) == {"table": 5, "again": 6}


# -- what comes next -----------------------------------------------------------------------------------


def test_decide_is_pure_and_a_running_ladder_gets_a_bracket_and_both_are_played():
    contest, seen = in_memory(8, StageConfig("ladder", "ladder", rated_matches=30)), []
    rng = random.Random(1)

    def twice(contest):
        number, entries_before = contest.state.number, len(contest._journal.written)
        steps = [decide(contest.state, [], contest.board(everything=True), Shares()) for _ in range(2)]
        whats = [one if one is None or isinstance(one, MatchSpec) else (one[0], one[1].kind) for one in steps]
        assert whats[0] == whats[1]
        assert (contest.state.number, len(contest._journal.written)) == (number, entries_before)
        seen.append(type(steps[0]))

    play(contest, for_any, rng, most=30, then=twice)
    before = len(contest.state.played)
    do(contest, "stage", "final", format="double_elimination", advance="4")
    order = [row.team for row in contest.board(everything=True).table()][:4]
    assert list(run_of(contest).names) == order, "the ladder gives the seeds"
    play(contest, for_any, rng, then=twice)
    kinds = Counter(one.kind for one in contest.state.played.values()[before:])
    assert kinds["final"] >= 6
    assert kinds["ladder"] > 20
    assert run_of(contest).rank()[0].explained.startswith("champion")
    assert {MatchSpec, tuple} <= set(seen)


@pytest.mark.parametrize("only", ["novice", "guest"])
def test_a_stage_for_a_group_has_its_members_only(only):
    groups = {"bot002": ["novice"], "bot004": ["novice", "guest"], "bot005": ["guest"], "bot006": ["guest"]}
    settings = {"groups": groups, "people": None}
    stages = (StageConfig("all", "round_robin", games=1), StageConfig("group", "single_elimination", only=only))
    contest = in_memory(6, *stages, **settings)
    play(contest, for_any)
    members = [name for name in groups if only in groups[name]]
    order = [row.name for row in run_of(contest).rank() if row.name in members]
    assert list(run_of(contest, 1).names) == order
    assert VisibleContest.of(contest.state).final_order() == [row.name for row in run_of(contest).rank()], "of all"
    contest = in_memory(4, StageConfig("group", "round_robin", only=only), **settings)
    begin(contest)
    for name, more in (("bot901", {"bot901": [only]}), ("bot902", {})):
        contest.write(*entry_of(contest, name, more))
        assert (name in run_of(contest).names) == (name == "bot901"), "who enters later as well"


# -- the form of the journal ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The entries of a contest with people, in which every kind of entry was written by what really writes it."""
    path = write_config(tmp_path_factory.mktemp("all"), ("# [groups]", "[groups]"), ("# novice =", "novice ="))
    with opened(path) as contest:
        member, _ = add_team(contest, "Zebras and Co", ["novice"])
        add_team(contest, "Quokkas")
        accounts.change_picture(contest, member, png())
        accounts.renew(contest, member.id)
        accounts.revoke(contest, member.id)
        session = accounts.SignedIn(member, "nonce", "")
        accounts.sign_out(contest, session)
        for team in ("Zebras and Co", "Quokkas"):
            add_version(contest, team)
        red, blue = (contest.state.active(team).player for team in ("Zebras and Co", "Quokkas"))
        match = record(contest, red, blue)
        spec = contest.state.played[match].spec
        contest.commit(spec, result_of(1))
        contest.write(void_entry(contest.state, spec, result_of(0, void="was late"), "Quokkas"))
        number = challenge(contest, "Quokkas", "Zebras and Co")
        contest.write((str(number), entries.Dropped(reason="stuck", at="")))
        agree(contest, "Quokkas", ["replays"], "a free text")
        do(contest, "announce", reason="a free text about Olga")
        do(contest, "disqualify", "Quokkas/1")
        do(contest, "stage", "final", format="single_elimination") if len(contest.state.playing()) > 1 else None
        do(contest, "undo", "a2")
        do(contest, "stage", "final", format="single_elimination")
        play(contest, lambda _: result_of(0), most=1)
        found = list(contest._journal.entries())
    return found, contest.state.key_of(contest.state.versions["Quokkas"][0])


def test_names_pictures_and_free_texts_are_in_no_entry_but_texts(everything):
    found, _ = everything
    texts = [one for one in found if one.kind == "text"]
    private = r"Zebras|Quokkas|free text|because|bot\.zip|person|built-in"
    assert all(re.fullmatch(r"[0-9a-f]{16}\.\w+|[eap]\d+(/\d+)?\.\w+|config\.excluded", one.key) for one in texts)
    assert sum(bool(re.search(private, one.text)) for one in texts) > 8
    for one in found:
        assert one.kind == "text" or not re.search(private, f"{one.key} {one.text}"), one


def test_equal_texts_have_different_digests():
    one, other = (entries.text_of(entries.text("e1", "name", "Eve")[1]) for _ in range(2))
    assert one != other
    assert len(entries.read("text", one).salt) >= 32


def test_every_kind_of_entry_is_written_by_somebody(everything):
    found, _ = everything
    # `rebuild` writes the first two, `erasure` the third, and other distributions the last.
    assert set(entries.KINDS) - {one.kind for one in found} <= {"rebuild", "lost", "rewritten", "show"}


def test_a_text_that_was_emptied_keeps_the_chain_valid(everything):
    """The digest stays, so that the entries after it follow."""
    found, _ = everything
    number, chain = 0, ""
    for one in found:
        text = None if one.kind == "text" else one.text
        assert Entry(one.number, one.kind, one.key, text, one.digest, one.hash).follows(number, chain)
        number, chain = one.number, one.hash


@pytest.mark.parametrize("form", ["swiss", "single_elimination", "triple_elimination", "round_robin"])
def test_a_seed_is_spent_only_when_no_further_match_with_it_is_played(form):
    """Until then it is a secret: it gives the dice of the other matches."""
    best = {"best_of": 3} if "elimination" in form else {"rounds": 3, "games": 4}
    contest, rng, told = in_memory(6, StageConfig("all", form, **best), suspend_after=2), random.Random(form), {}
    decide_result = crashing("bot003", for_any, lambda spec: spec.round > 1)

    def look(contest):
        run = run_of(contest)
        for one in contest.state.played.values():
            assert one.spec.seed not in told or one.id in told[one.spec.seed], "a match with a seed that was given out"
        for _, game in run.games:
            if run.seed_is_spent(game.spec) and game.spec.seed not in told:
                known = {one.id for one in contest.state.played.values()}
                told[game.spec.seed] = known
        if rng.random() < 0.05:
            do(contest, "withdraw", rng.choice([one for one in run.names if one not in contest.state.orders.withdrawn]))

    play(contest, decide_result, rng, then=look)
    assert len(told) == len({game.spec.seed for _, game in run_of(contest).games}), "all are given out at the end"


def test_a_contest_says_what_it_waits_for():
    def why(contest):
        return waits_for(contest.state, contest.board(everything=True))

    contest = in_memory(4, StageConfig("cup", "round_robin", only="novice"), TABLE)
    assert why(contest) == "The stage cup waits: 0 of the group novice can play in it."
    contest = in_memory(4, TABLE)
    assert why(contest) == ""
    play(contest)
    assert why(contest) == "", "it is over"
    contest = in_memory(4, TABLE, people=PeopleConfig())
    assert why(contest) == "An organizer begins the stage table: on the desk, or with `arena contest stage`."


def test_an_act_on_a_stage_that_is_called_like_an_id_changes_the_stage():
    contest = played(4, StageConfig("e1", "round_robin"))
    do(contest, "void", "e1")
    assert (contest.state.orders.stages, [*contest.state.stages]) == ({"e1"}, [])
    assert public_log(contest.state)[0]["text"] == "voided e1"


def test_a_ladder_without_people_is_over_when_every_version_rests():
    contest = in_memory(3, StageConfig("ladder", "ladder", rated_matches=4))
    assert not is_over(contest.state)
    play(contest, most=2)
    assert not is_over(contest.state)
    play(contest)
    assert is_over(contest.state)


def test_a_stage_does_not_begin_with_fewer_entrants_than_the_game_needs():
    contest = in_memory(2, StageConfig("tables", "free_for_all", table=3, rounds=1), players=(3, 4))
    assert decide(contest.state, (), contest.board(everything=True), Shares()) is None
