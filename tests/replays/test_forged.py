"""Forged replays with a correct hash chain: everything in them that follows from the rest of the file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from played_matches import SHORT, Habits, Played, forge

from arena.contests.verify import check_rules
from arena.errors import ArenaError
from arena.game import load
from arena.match.limits import Policy
from arena.study.checks.verification import verify
from arena_replays import Reader, records
from arena_replays.building import Builder
from arena_replays.commitment import commitment

pytestmark = pytest.mark.slow

Parts = dict[str, Any]
MATCHES: dict[str, tuple[str, int, int | None, Habits, Policy]] = {
    "saloon": ("saloon", 1, None, Habits(), Policy()),
    "saloon, refusals": ("saloon", 2, None, Habits(errs=0.6), Policy(refusals_per_turn=5)),
    "derelict": ("derelict", 13, None, Habits(), Policy()),
    "derelict, crash": ("derelict", 8, None, Habits(fails=0.01), Policy()),
    "laser_flag": ("laser_flag", 1, None, Habits(), Policy()),
    "laser_flag, time-outs": ("laser_flag", 1, None, Habits(hangs=0.2), Policy(timeout="skip")),
    "snakes for two": ("snakes", 7, 2, Habits(), Policy()),
    "snakes for five": ("snakes", 1, 5, Habits(), Policy()),
    "snakes for five, failures": ("snakes", 2, 5, Habits(fails=0.01, hangs=0.02), Policy()),
    "snakes for four, strikes": ("snakes", 4, 4, Habits(hangs=0.1), Policy(timeout="strike", strikes=2)),
    "snakes for three, void": ("snakes", 12, 3, Habits(fails=0.03), Policy(crash="void", no_start="void")),
}
FREE = {"turn": (3, 4, 5), "seat": (3,), "refuse": (2,)}
"""The parts of entries that nothing else implies: clock readings, why a program failed, and what was refused."""


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("honest")
    paths = {}
    for number, (name, (game, seed, players, habits, policy)) in enumerate(MATCHES.items()):
        paths[name] = folder / f"{number}.arena"
        Played(paths[name], load(game), seed, habits, players=players, options=SHORT[game], policy=policy)
        found = verify(paths[name])
        assert found.ok, (name, found)
    return paths


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values in a tree that are no lists and maps."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))
    else:
        yield path


def altered(value: Any, rng: Random) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + rng.choice((-1, 1, 1000))
        case str():
            return rng.choice([one for one in ("won", "lost", "forfeit", "crashed", "x") if one != value])
        case bytes():
            return bytes([value[0] ^ 1, *value[1:]]) if value else b"12345678"
    return rng.choice((0, 1))  # in place of null


def alter(tree: Any, path: tuple[Any, ...], rng: Random) -> None:
    *above, last = path
    for key in above:
        tree = tree[key]
    tree[last] = altered(tree[last], rng)


def is_found(path: Path, out: Path, change: Callable[[Parts], None], **how: bool) -> bool:
    forge(path, out, change, **how)
    found = verify(out)
    assert found.ok or found.problem
    return not found.ok


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.promise("forged-results")
def test_no_value_of_the_footer_can_be_changed(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    footer = Reader(matches[name]).footer
    free = {"seed", "salt", "trouble", "left_out"}
    assert footer is not None
    missed = []
    for place in [place for place in places(footer) if place[0] not in free]:

        def change(parts: Parts, place: tuple[Any, ...] = place) -> None:
            parts["footer"] = deepcopy(parts["footer"])
            alter(parts["footer"], place, Random(0))

        if not is_found(matches[name], tmp_path / "forged.arena", change):
            missed.append(place)
    assert missed == []


@pytest.mark.parametrize("name", MATCHES)
def test_no_key_of_the_footer_can_be_left_out(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    for key in ("outcome", "digest", "course", "turns", "players"):
        assert is_found(matches[name], tmp_path / "forged.arena", lambda parts, key=key: parts["footer"].pop(key)), key


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.promise("forged-results")
def test_no_entry_can_be_changed(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    truth = list(Reader(matches[name]).truth)
    rng = Random(name)
    kinds = {kind: [at for at, entry in enumerate(truth) if entry[0] == kind] for kind in {one[0] for one in truth}}
    chosen = [at for numbers in kinds.values() for at in rng.sample(numbers, min(len(numbers), 4))]
    missed = []
    for at in chosen:
        free = FREE.get(truth[at][0], ())
        if truth[at][0] == "refuse" and isinstance(truth[at][2], str):  # too long to be recorded as it was sent
            free = (2, 4)
        for place in [place for place in places(truth[at], (at,)) if place[1] not in (0, *free)]:

            def change(parts: Parts, place: tuple[Any, ...] = place) -> None:
                parts["truth"][place[0]] = deepcopy(parts["truth"][place[0]])
                alter(parts["truth"], place, Random(0))

            if not is_found(matches[name], tmp_path / "forged.arena", change):
                missed.append((truth[at], place))
    assert missed == []


def _derivable(rows: list[Any]) -> list[Any]:
    """Return the entries whose order nobody can change, and then the refused actions.

    A program can have submitted an action that is refused at another moment as well. A time-out after which the player
    plays on is a reading of the clock: the referee's actions could be the player's own. And a player who has not acted
    in a turn has a time in it only if the referee had asked before the turn ended.
    """
    kept, acted, closed = [], set(), False
    for row in rows:
        if row[0] == "turn":
            closed = True
            if row[2] not in acted:
                continue
        elif closed:
            acted, closed = set(), False
        if row[0] in ("do", "refuse") or (row[0] == "seat" and row[2] == "crashed"):
            acted.add(row[1])
        if row[0] == "leave":
            acted.discard(row[1])
        if row[0] != "refuse" and not (row[0] == "seat" and row[4]):
            kept.append(row)
    return [*kept, sorted(str(row) for row in rows if row[0] == "refuse")]


@pytest.mark.parametrize("name", MATCHES)
def test_no_entry_can_be_moved(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Leave out an entry, repeat it, exchange it with the next one, or put it elsewhere."""
    truth = list(Reader(matches[name]).truth)
    rng = Random(name)
    seats = [at for at, entry in enumerate(truth) if entry[0] in ("seat", "leave")][:6]
    missed = []
    for at in {*seats, *rng.sample(range(1, len(truth)), min(len(truth) - 1, 12))}:
        elsewhere = rng.randrange(1, len(truth))
        ways: dict[str, Callable[[list[Any]], Any]] = {
            "left out": lambda rows, at=at: rows.pop(at),
            "twice": lambda rows, at=at: rows.insert(at, rows[at]),
            "at the end": lambda rows, at=at: rows.append(rows[at]),
            "exchanged": lambda rows, at=at: rows.insert(at - 1, rows.pop(at)),
            "elsewhere": lambda rows, at=at, to=elsewhere: rows.insert(to, rows.pop(at)),
            "the end": lambda rows, at=at: rows.__delitem__(slice(at, None)),
        }
        for way, change in ways.items():
            rows = list(truth)
            change(rows)
            if _derivable(rows) == _derivable(truth):
                continue

            def put(parts: Parts, rows: list[Any] = rows) -> None:
                parts["truth"] = rows

            if not is_found(matches[name], tmp_path / "forged.arena", put):
                missed.append((way, at, truth[at]))
    assert missed == []


def swap(parts: Parts, *keys: str) -> None:
    first, second = (dict(player) for player in parts["footer"]["players"])
    for key in keys:
        first[key], second[key] = second[key], first[key]
    parts["footer"] |= {"players": [first, second]}


def test_scores_and_endings_cannot_be_swapped(matches: dict[str, Path], tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        swap(parts, "ending", "score")
        outcome = parts["footer"]["outcome"]
        parts["footer"]["outcome"] = {**outcome, "winner": 1 - outcome["winner"]}

    assert is_found(matches["snakes for two"], tmp_path / "forged.arena", change, views=True)


def results_of(parts: Parts, winner: int, reason: str = "forfeit") -> None:
    """Give a match for two another result, with all that belongs to it."""
    parts["footer"]["outcome"] = {"winner": winner, "reason": reason}
    players = [dict(player) for player in parts["footer"]["players"]]
    players[winner]["ending"], players[1 - winner]["ending"] = "won", "lost"
    parts["footer"]["players"] = players


@pytest.mark.parametrize("failure", ["", "crashed", "timed_out", "void"])
def test_a_match_that_is_cut_needs_a_cause(matches: dict[str, Path], tmp_path: Path, failure: str) -> None:
    """The forger plays the match up to turn 3, and ends it with everything a reader can ask for, except the cause."""
    honest = Played(tmp_path / "cut.arena", load("saloon"), 1, Habits(), options={"max_turns": 3})
    footer = Reader(honest.path).footer
    assert footer is not None

    def change(parts: Parts) -> None:
        turns = [at for at, entry in enumerate(parts["truth"]) if entry[0] == "turn"]
        del parts["truth"][turns[2] + 1 :]
        parts["footer"] |= {key: footer[key] for key in ("digest", "course", "turns", "players")}
        results_of(parts, 0)
        if failure == "void":
            parts["footer"]["outcome"] = {"winner": None, "reason": "host_late"}
            parts["footer"]["players"] = [{**player, "ending": "void"} for player in parts["footer"]["players"]]
        elif failure:
            players = [dict(player) for player in parts["footer"]["players"]]
            players[1]["ending"] = failure
            parts["footer"]["players"] = players

    assert is_found(matches["saloon"], tmp_path / "forged.arena", change)
    assert "no end of the game" in verify(tmp_path / "forged.arena").problem


@pytest.mark.parametrize("place", ["before the end", "after the end", "twice"])
@pytest.mark.parametrize("winner", [0, 1])
def test_a_player_whose_program_crashed_did_not_win(
    matches: dict[str, Path], tmp_path: Path, place: str, winner: int
) -> None:
    def change(parts: Parts) -> None:
        entry = ["seat", winner, "crashed", "exit code 1", False]
        at = len(parts["truth"]) - (place != "after the end")
        parts["truth"][at:at] = [entry] * (1 + (place == "twice"))
        results_of(parts, winner, "score")

    assert is_found(matches["saloon"], tmp_path / "forged.arena", change)


@pytest.mark.parametrize("name", ["saloon", "derelict", "laser_flag", "snakes for five"])
@pytest.mark.promise("forged-results")
def test_dice_that_the_seed_does_not_give(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    """The referee itself forges: the whole match fits, and the header commits to the seed of the footer."""

    def change(parts: Parts) -> None:
        parts["footer"]["seed"] = 99
        parts["header"]["commitment"] = commitment(99, parts["footer"]["salt"])

    assert is_found(matches[name], tmp_path / "forged.arena", change, views=True)
    assert "with the seed" in verify(tmp_path / "forged.arena").problem


def test_draws_cannot_be_exchanged(matches: dict[str, Path], tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        drew = [entry for entry in parts["truth"] if entry[0] == "do" and entry[3]]
        first = drew[0]
        second = next(entry for entry in drew if entry[3] != first[3] and len(entry[3]) == len(first[3]))
        first[3], second[3] = second[3], first[3]

    assert is_found(matches["snakes for five"], tmp_path / "forged.arena", change)


@pytest.mark.parametrize("name", MATCHES)
def test_no_header_can_tell_of_another_match(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    changes: dict[str, Callable[[dict[str, Any]], Any]] = {
        "title": lambda header: "Chess",
        "streams": lambda header: 1 + len(header["players"]) if header["streams"] == 1 else 1,
        "players": lambda header: [{**player, "name": "x"} for player in header["players"]],
        "options": lambda header: {**header["options"], "more": 1},
        "start": lambda header: {"turn": 1, "first": 1},
        "parent": lambda header: {"chain": "", "turn": 1, "action": 0, "file": ""},
        "commitment": lambda header: "0" * 64,
        "policy": lambda header: {**header["policy"], "refusals_per_turn": "many"},
    }
    missed = []
    for key, value in changes.items():

        def change(parts: Parts, key: str = key, value: Callable[[dict[str, Any]], Any] = value) -> None:
            parts["header"][key] = value(parts["header"])

        if not is_found(matches[name], tmp_path / "forged.arena", change):
            missed.append(key)
    assert missed == []


def test_a_penalty_belongs_to_the_policy(matches: dict[str, Path], tmp_path: Path) -> None:
    for name, policy in (
        ("laser_flag, time-outs", {"timeout": "forfeit"}),
        ("snakes for four, strikes", {"strikes": 1}),
        ("snakes for three, void", {"crash": "forfeit", "no_start": "forfeit"}),
        ("saloon, refusals", {"refusals_per_turn": 100}),
    ):

        def change(parts: Parts, policy: dict[str, Any] = policy) -> None:
            parts["header"]["policy"] = {**parts["header"]["policy"], **policy}

        assert is_found(matches[name], tmp_path / "forged.arena", change), name


@pytest.mark.parametrize("name", MATCHES)
def test_no_view_can_be_changed(matches: dict[str, Path], tmp_path: Path, name: str) -> None:
    reader = Reader(matches[name])
    rng = Random(name)
    missed = []
    for _ in range(12):
        stream = rng.randrange(reader.streams)
        number = rng.randrange(reader.frame_count(stream))
        frame = [list(part) for part in reader.frame(number, stream)]
        events = rng.random() < 0.5 and bool(frame[1])
        found = list(places(frame[1], (1,)) if events else places(frame[0], (0,)))
        if not found:
            continue
        place = (stream, number, *rng.choice(found))

        def change(parts: Parts, place: tuple[Any, ...] = place) -> None:
            parts["views"] = [[deepcopy(list(frame)) for frame in view] for view in parts["views"]]
            alter(parts["views"], place, Random(0))

        if not is_found(matches[name], tmp_path / "forged.arena", change, views=True):
            missed.append(place)
    assert missed == []


@pytest.mark.parametrize("more", [-1, 1])
def test_no_view_is_longer_or_shorter_than_the_match(matches: dict[str, Path], tmp_path: Path, more: int) -> None:
    reader = Reader(matches["derelict"])
    truth = list(reader.truth)
    builder = Builder(records.frame(records.HEADER, reader.header), reader.streams)
    builder.add(records.TRUTH, records.encode(truth), first=0, count=len(truth))
    for stream in range(reader.streams):
        frames = [list(frame) for frame in reader.frames(stream)]
        if stream == 2:
            frames = frames[:more] if more < 0 else [*frames, [[], []]]
        builder.add(records.VIEW, records.encode(frames), first=0, count=len(frames), stream=stream)
    path = tmp_path / "forged.arena"
    with builder.finish(reader.footer or {}) as file:
        path.write_bytes(file.read())
    assert verify(path).problem.startswith("view 2: recorded is ")


def test_an_index_that_does_not_fit(matches: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Builder._append
    for place, wrong in ((0, 3), (1, 12_345), (2, 99), (3, 1_000)):

        def altered_row(self: Builder, *row: Any, place: int = place, wrong: int = wrong) -> None:
            append(self, *row)
            self._index[-1][place] = wrong

        monkeypatch.setattr(Builder, "_append", altered_row)
        assert is_found(matches["saloon"], tmp_path / "forged.arena", lambda parts: None, views=True)
        assert "index" in verify(tmp_path / "forged.arena").problem


def test_a_file_without_its_seed_says_so(matches: dict[str, Path], tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        del parts["footer"]["seed"], parts["footer"]["salt"]

    path = tmp_path / "forged.arena"
    assert not is_found(matches["derelict"], path, change)
    assert verify(path).dice == "the file has no seed"
    with pytest.raises(ArenaError, match="its draws were not compared"):
        check_rules(path)


def test_a_result_after_actions_that_are_left_out_is_not_proved(matches: dict[str, Path], tmp_path: Path) -> None:
    def change(parts: Parts) -> None:
        del parts["truth"][40:]
        results_of(parts, 1)
        parts["footer"]["left_out"].append("truth")

    path = tmp_path / "forged.arena"
    assert not is_found(matches["saloon"], path, change)
    assert not verify(path).complete
    with pytest.raises(ArenaError, match="does not prove its result"):
        check_rules(path)
