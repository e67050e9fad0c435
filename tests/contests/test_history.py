"""What was played stays, whatever is configured later: changes hold for the rounds that are not yet paired."""

import contextlib
import json
import random
from dataclasses import replace

import pytest
from tournament_toys import by_strength, config_of, entrants_of, result_of

from arena.errors import ArenaError, ExitCode
from arena.match.entrant import Entrant
from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.schedule import slot_of
from arena.tournament.report.documents import match_document, standings_document
from arena.tournament.report.sheets import ratings_sheet
from arena.tournament.run.journal import Journal
from arena.tournament.run.organizer import check_run, organize, read_snapshot, read_stored
from arena.web.tournament.spectator import Spectator

SWISS = StageConfig("swiss", "swiss", rounds=4)
LADDER = StageConfig("ladder", "ladder", rounds=8)
TABLE = StageConfig("table", "round_robin")
CUP = StageConfig("cup", "single_elimination", best_of=2)
GROUPS = StageConfig("groups", "groups", groups=2)


def play(folder, config, entrants, most=10_000, decide=by_strength, **wishes):
    """Play some matches, as the runner does; return how many."""
    with organize(folder, config, entrants, **wishes) as organizer:
        journal, schedule = organizer.journal, organizer.schedule
        waiting, played = [], 0
        while True:
            for spec in schedule.take():
                known = journal.history.rounds
                journal.pair(one for one in schedule.rounds if (one.stage, one.number) not in known)
                result = journal.history.results.get(slot_of(spec))
                if result is None:
                    waiting.append(spec)
                else:
                    schedule.record(spec, result)
            if schedule._taken < len(schedule.games):
                continue
            waiting = [spec for spec in waiting if schedule.wanted(spec)]
            if not waiting or played == most:
                return played
            spec = waiting.pop(0)
            result = decide(spec)
            journal.commit(spec, result)
            schedule.record(spec, result)
            played += 1


def published(folder):
    """All matches as they are published at the end, by id."""
    return {
        spec.match_id: match_document(spec, result, spent=True)
        for spec, result in read_snapshot(folder).schedule.matches()
    }


def standings(folder):
    return json.dumps(standings_document(read_snapshot(folder)))


def newer(entrants, index=0, content="f" * 64):
    return (*entrants[:index], replace(entrants[index], hash=content), *entrants[index + 1 :])


def test_a_run_that_was_killed_before_its_first_entries_is_started_again(tmp_path):
    Journal(tmp_path).close()
    check_run(tmp_path, config_of(TABLE), entrants_of(4))
    for read in (read_snapshot, lambda folder: Spectator(folder).refresh()):
        with pytest.raises(ArenaError, match="has not been started"):
            read(tmp_path)
    assert play(tmp_path, config_of(TABLE), entrants_of(4)) == 12


@pytest.mark.parametrize("stage", [SWISS, LADDER, TABLE, CUP, GROUPS], ids=lambda stage: stage.format)
def test_a_bot_that_is_overwritten_in_a_finished_stage_changes_nothing(tmp_path, stage):
    entrants, config = entrants_of(8), config_of(stage)
    play(tmp_path, config, entrants)
    before, table = published(tmp_path), standings(tmp_path)
    with pytest.raises(ArenaError, match="this has changed: the bot bot001"):
        play(tmp_path, config, newer(entrants))
    assert play(tmp_path, config, newer(entrants), amend=True) == 0
    assert (published(tmp_path), standings(tmp_path)) == (before, table)


@pytest.mark.parametrize("stage", [SWISS, LADDER, TABLE, GROUPS], ids=lambda stage: stage.format)
def test_a_late_entry_comes_with_the_next_round_that_is_paired(tmp_path, stage):
    entrants, config = entrants_of(8), config_of(stage)
    play(tmp_path, config, entrants, most=14)
    before = published(tmp_path)
    late = (Entrant("bot000", "e" * 64), *entrants)
    decide = lambda spec: by_strength(spec) if "bot000" not in spec.names else result_of(0)  # noqa: E731
    assert play(tmp_path, config, late, amend=True, decide=decide) > 10
    after = published(tmp_path)
    assert before.items() <= after.items()
    rounds = {one["round"] for one in after.values() if "bot000" in json.dumps(one["seats"])}
    assert rounds
    assert min(rounds) > max(one["round"] for one in before.values())
    if stage.format == "round_robin":
        met = {frozenset(seat["name"] for seat in one["seats"]) for one in after.values()}
        assert len(met) == 9 * 8 / 2


@pytest.mark.parametrize("stage", [SWISS, LADDER, TABLE, GROUPS, CUP], ids=lambda stage: stage.format)
def test_a_renamed_folder_loses_no_result(tmp_path, stage):
    entrants, config = entrants_of(8), config_of(stage)
    play(tmp_path, config, entrants, most=9)
    before = published(tmp_path)
    renamed = (*entrants[1:], replace(entrants[0], name="bot901"))
    play(tmp_path, config, renamed, amend=True)
    after = published(tmp_path)
    assert before.items() <= after.items()
    begun = max(one["round"] for one in before.values())
    assert not any("bot001" in json.dumps(one["seats"]) for one in after.values() if one["round"] > begun)


@pytest.mark.parametrize("stage", [SWISS, LADDER, TABLE, CUP], ids=lambda stage: stage.format)
def test_a_withdrawal_of_the_past_holds_from_now_on(tmp_path, stage):
    entrants, config = entrants_of(8), config_of(stage)
    play(tmp_path, config, entrants, most=13)
    before = published(tmp_path)
    play(tmp_path, config_of(replace(stage, withdrawn=(("bot001", 1),))), entrants, amend=True)
    after = published(tmp_path)
    assert before.items() <= after.items()
    begun = max(one["round"] for one in before.values())
    assert not any("bot001" in json.dumps(one["seats"]) for one in after.values() if one["round"] > begun)


def test_a_repaired_bot_is_a_new_version_of_the_same_entrant(tmp_path):
    entrants = entrants_of(6)
    play(tmp_path, config_of(SWISS, options=(("turns", 5),)), entrants, most=7)
    before = published(tmp_path)
    changed = config_of(SWISS, options=(("turns", 9),))
    play(tmp_path, changed, newer(entrants), amend=True)
    after = published(tmp_path)
    assert before.items() <= after.items(), "the same ids, hashes and options as they were played with"
    versions = {
        (one["round"] > 2, seat["hash"][:4], one["options"][0][1])
        for one in after.values() for seat in one["seats"] if seat["name"] == "bot001"
    }  # fmt: skip
    assert versions == {(False, "0000", 5), (True, "ffff", 9)}, "a round is played with what it was paired with"
    assert len([row for row in read_snapshot(tmp_path).schedule.stages[0].rank() if row.name == "bot001"]) == 1
    document = standings_document(read_snapshot(tmp_path))
    assert list(document["versions"]) == ["bot001"]
    assert f"ffffffff in {document['versions']['bot001']['f' * 64]} matches" in ratings_sheet(document).notes[-1]
    assert {one.hash[:4] for one in read_stored(tmp_path).versions if one.name == "bot001"} == {"0000", "ffff"}


def test_a_suspended_bot_returns_when_it_is_repaired(tmp_path):
    def crash(spec):
        for seat, participant in enumerate(spec.seats):
            if participant.hash == entrants[1].hash:
                return result_of(1 - seat, ("crashed", "won") if seat == 0 else ("won", "crashed"))
        return by_strength(spec)

    entrants, config = entrants_of(6), config_of(LADDER, suspend_after=2)
    play(tmp_path, config, entrants, decide=crash, most=20)
    assert set(read_snapshot(tmp_path).schedule.suspended) == {"bot002"}
    before = published(tmp_path)
    play(tmp_path, config, newer(entrants, 1), decide=crash, amend=True)
    snapshot = read_snapshot(tmp_path)
    assert not snapshot.schedule.suspended
    assert before.items() <= published(tmp_path).items()
    repaired = [
        spec
        for spec, _ in snapshot.schedule.matches()
        if ("bot002", "f" * 64) in [(s.name, s.hash) for s in spec.seats]
    ]
    assert len(repaired) >= 4


def test_a_changed_seed_is_refused(tmp_path):
    play(tmp_path, config_of(SWISS, seed="one"), entrants_of(4), most=3)
    for changed in (config_of(SWISS, seed="two"), config_of(SWISS)):
        with pytest.raises(ArenaError, match="cannot change its seed") as caught:
            play(tmp_path, changed, entrants_of(4), amend=True)
        assert caught.value.exit_code == ExitCode.CHANGED


@pytest.mark.parametrize(
    "stages",
    [(TABLE, CUP), (replace(SWISS, format="round_robin", rounds=1), CUP), (CUP, SWISS)],
    ids=["gone", "another format", "another order"],
)
def test_what_would_be_lost_is_named_and_needs_the_number(tmp_path, stages):
    entrants = entrants_of(6)
    play(tmp_path, config_of(SWISS, CUP), entrants, most=26)
    before = published(tmp_path)
    lost = {match_id for match_id, one in before.items() if one["stage"] == "swiss" or stages[0] == CUP}
    lost |= {match_id for match_id, one in before.items() if one["stage"] == "cup"}
    for discard in (0, len(lost) - 1):
        with pytest.raises(ArenaError, match=f"would discard {len(lost)} of {len(before)} results: 24 of ") as caught:
            play(tmp_path, config_of(*stages), entrants, amend=True, discard=discard)
        assert caught.value.exit_code == ExitCode.WOULD_DISCARD
        assert f"--discard {len(lost)}" in caught.value.hint
        assert published(tmp_path) == before
    play(tmp_path, config_of(*stages), entrants, amend=True, discard=len(lost))
    assert lost.isdisjoint(published(tmp_path))


@pytest.mark.parametrize(
    "changed",
    [[(CUP, TABLE)], [(CUP,), (TABLE,)], [(CUP, TABLE), (TABLE,)]],
    ids=["moved", "put back", "discarded twice"],
)
def test_matches_of_a_discarded_stage_are_played_and_recorded_again(tmp_path, changed):
    entrants = entrants_of(4)
    play(tmp_path, config_of(TABLE), entrants)
    recorded = [set(published(tmp_path))]
    for stages in changed:
        discard = len(recorded[-1])
        play(tmp_path, config_of(*stages), entrants, amend=True, discard=discard, most=10)
        play(tmp_path, config_of(*stages), entrants)
        recorded.append(set(published(tmp_path)))
        assert read_snapshot(tmp_path).schedule.finished
    assert {one["stage"] for one in published(tmp_path).values()} == {stage.name for stage in changed[-1]}
    with contextlib.closing(Journal(tmp_path, read_only=True)) as journal:
        assert journal.count() == sum(map(len, recorded)), "the discarded results stay in the journal"
        assert journal.read().discarded == set().union(*recorded[:-1])
        assert recorded[-1].isdisjoint(journal.history.discarded)


def test_games_of_a_pair_share_their_seed_after_a_discard(tmp_path):
    entrants = entrants_of(4)
    seeds_of = lambda: {(one["round"], one["pairing"]): one["seed"] for one in published(tmp_path).values()}  # noqa: E731
    play(tmp_path, config_of(TABLE), entrants)
    before = seeds_of()
    play(tmp_path, config_of(CUP, TABLE), entrants, amend=True, discard=12)
    after = [one for one in published(tmp_path).values() if one["stage"] == "table"]
    seeds = {one["seed"] for one in after}
    assert len(after) == 12
    assert len(seeds) == 6
    assert seeds.isdisjoint(before.values())


def test_a_change_before_the_first_result_keeps_the_seeds(tmp_path):
    entrants, seeds = entrants_of(4), []
    for name, options in (("one", {}), ("two", {"options": (("turns", 5),)})):
        folder = tmp_path / name
        play(folder, config_of(TABLE, seed="known"), entrants, most=0)
        play(folder, config_of(TABLE, seed="known", **options), entrants, amend=True)
        seeds.append({one["seed"] for one in published(folder).values()})
    assert seeds[0] == seeds[1]


def test_a_conflict_of_a_discarded_match_is_not_reported(tmp_path):
    entrants = entrants_of(4)
    play(tmp_path, config_of(TABLE), entrants)
    with organize(tmp_path, config_of(TABLE), entrants) as organizer:
        slot, spec = next(iter(organizer.journal.history.specs.items()))
        first = organizer.journal.history.results[slot]
        organizer.journal.commit(spec, result_of(1 - first.winner))
    assert read_snapshot(tmp_path).conflicts == (spec.match_id,)
    play(tmp_path, config_of(CUP, TABLE), entrants, amend=True, discard=12)
    assert not read_snapshot(tmp_path).conflicts


def test_a_stage_that_has_been_left_is_over(tmp_path):
    entrants = entrants_of(6)
    play(tmp_path, config_of(TABLE, replace(CUP, advance=4)), entrants, most=33)
    before = published(tmp_path)
    assert {one["stage"] for one in before.values()} == {"table", "cup"}
    late = (*entrants, Entrant("bot900", "e" * 64))
    longer = config_of(replace(TABLE, rounds=2), replace(CUP, advance=4))
    play(tmp_path, longer, late, amend=True)
    assert before.items() <= published(tmp_path).items()
    assert not any("bot900" in json.dumps(one["seats"]) for one in published(tmp_path).values())


@pytest.mark.slow
def test_random_changes_lose_nothing(tmp_path):
    """Late entries, withdrawals, repairs, renamed and vanished bots, at random points, in chained stages."""
    for seed in range(6):
        rng = random.Random(seed)
        folder = tmp_path / str(seed)
        stages = [
            [SWISS, CUP],
            [TABLE, CUP],
            [GROUPS, CUP],
            [LADDER],
            [TABLE, SWISS, CUP],
            [StageConfig("g", "gauntlet")],
        ]
        config, entrants = config_of(*stages[seed], suspend_after=rng.choice((0, 3))), list(entrants_of(7))
        known = {}
        for number in range(12):
            play(folder, config, entrants, most=rng.randrange(6), amend=True)
            after = published(folder)
            assert known.items() <= after.items(), (seed, number)
            known = after
            config, entrants = change(config, entrants, rng, number)
        play(folder, config, entrants, amend=True)
        assert known.items() <= published(folder).items()
        assert read_snapshot(folder).schedule.finished


def change(config, entrants, rng, number):
    """One of the changes that organizers make."""
    entrants = list(entrants)
    at = rng.randrange(len(entrants))
    match rng.choice(("late", "withdrawn", "repaired", "renamed", "gone", "options")):
        case "late":
            entrants.insert(at, Entrant(f"bot{100 + number}", rng.randbytes(32).hex()))
        case "withdrawn":
            stage = config.stages[0]
            drawn = dict(stage.withdrawn) | {entrants[at].name: rng.randrange(1, 5)}
            config = replace(
                config, stages=(replace(stage, withdrawn=tuple(sorted(drawn.items()))), *config.stages[1:])
            )
        case "repaired":
            entrants[at] = replace(entrants[at], hash=rng.randbytes(32).hex())
        case "renamed":
            entrants[at] = replace(entrants[at], name=f"bot{200 + number}")
        case "gone" if len(entrants) > 4:
            del entrants[at]
        case _:
            config = replace(config, options=(("turns", number),))
    return config, tuple(entrants)
