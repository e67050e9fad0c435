"""The commands as a user meets them, from an empty folder to a verified replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from arena.cli.match_report import print_results
from arena.errors import ExitCode
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.play.memory import play_in_memory
from arena_replays import Reader, compact, records
from arena_replays.limits import Budget

pytestmark = pytest.mark.process

Arena = Callable[..., Any]
SMALL = ["-o", "max_turns=20"]


def test_from_an_empty_folder_to_a_bot_of_ones_own(arena: Arena) -> None:
    made = arena("new", "saloon", "my_bot")
    assert made.code == 0
    assert "arena play saloon my_bot builtin:rowdy" in made.stdout
    assert {path.name for path in Path("my_bot").iterdir()} >= {"main.py", "bot.toml", "saloon.py", "README.md"}
    played = arena("play", "saloon", "my_bot", "builtin:rowdy", "--seed", "1")
    assert played.code == 0
    assert "my_bot wins" in played.stdout
    (replay,) = Path("replays").iterdir()
    assert arena("replay", "verify", replay).code == 0
    source = Path("my_bot/main.py").read_text()
    Path("my_bot/main.py").write_text(source.replace('"Brawler"', '"Bartender"'))
    assert arena("play", "saloon", "my_bot", "builtin:rowdy", "--seed", "1", "--replay", "none").code == 0


def test_the_same_seed_gives_the_same_match(arena: Arena) -> None:
    for name in ("a", "b"):
        arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", f"{name}.arena", *SMALL)
    first, second = Reader("a.arena"), Reader("b.arena")
    assert [_untimed(entry) for entry in first.truth] == [_untimed(entry) for entry in second.truth]
    digests = [json.loads(arena("replay", "info", f"{name}.arena", "--json").stdout)["digest"] for name in "ab"]
    assert digests[0] == digests[1]
    other = arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "8", "--json", *SMALL)
    assert json.loads(other.stdout)["digest"] != digests[0]


def _untimed(entry: list[Any]) -> list[Any]:
    return [*entry[:3], *entry[6:]] if entry[0] == "turn" else entry


def test_a_flipped_action_is_found_at_its_turn(arena: Arena) -> None:
    arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", "m.arena", *SMALL)
    reader = Reader("m.arena")
    truth = [list(entry) for entry in reader.truth]
    turn = 0
    for entry in truth:
        if entry[0] == "turn":
            turn = entry[1] + 1
        if entry[0] == "do" and entry[2]["type"] == "move" and turn >= 6:
            entry[2] = {**entry[2], "x": entry[2]["x"] + 2}
            break
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    altered = compact.assemble(reader.header, truth, views, [], reader.footer or {})
    Path("altered.arena").write_bytes(altered)
    ran = arena("replay", "verify", "altered.arena", "--json")
    assert ran.code == 1
    found = json.loads(ran.stdout)
    assert (found["ok"], found["turn"]) == (False, turn + 1), "turns count from 1"
    assert " of player " in found["problem"]
    assert "ok: recorded is true, the rules give the refusal not_adjacent" in found["problem"]


def test_a_changed_view_is_found_with_its_field(arena: Arena) -> None:
    arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", "m.arena", *SMALL)
    reader = Reader("m.arena")
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    number = next(at for at, (delta, _) in enumerate(views[0]) if at and "focus" in delta)
    delta = views[0][number][0]
    delta[delta.index("focus") + 1] = 77
    Path("altered.arena").write_bytes(compact.assemble(reader.header, reader.truth, views, [], reader.footer or {}))
    found = json.loads(arena("replay", "verify", "altered.arena", "--json").stdout)
    assert not found["ok"]
    assert f"after action {number}, the spectators: view.fields." in found["problem"]
    assert ".focus: recorded is 77, the rules give " in found["problem"]


def test_a_flipped_byte_is_found(arena: Arena) -> None:
    arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", "m.arena", *SMALL)
    data = bytearray(Path("m.arena").read_bytes())
    data[len(data) // 2] ^= 1
    Path("m.arena").write_bytes(data)
    assert arena("replay", "verify", "m.arena").code != 0


def test_a_changed_header_is_in_no_turn(arena: Arena) -> None:
    arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", "m.arena", *SMALL)
    data = Path("m.arena").read_bytes()
    at = len(records.PREAMBLE)
    header = next(record for record in records.scan(data, at) if not isinstance(record, str))
    value = records.unpack(header, Budget())
    first, second = value["players"]
    forged = (
        records.frame(
            header.kind, {**value, "players": [first, {**second, "name": "".join(letters)}]}, form=header.form
        )
        for letters in product(ascii_lowercase, repeat=5)
    )
    record = next(record for record in forged if len(record) == header.size)
    Path("m.arena").write_bytes(data[:at] + record + data[at + header.size :])
    assert Reader("m.arena").header["players"][1]["name"] != "rowdy"
    found = json.loads(arena("replay", "verify", "m.arena", "--json").stdout)
    assert (found["ok"], found["turn"]) == (False, None)
    printed = arena("replay", "verify", "m.arena").stdout
    assert printed.startswith(f"m.arena: differs: The record at byte {at} (header) was changed after the match")


def test_verify_goes_on_after_a_replay_of_another_version_of_the_game(arena: Arena) -> None:
    arena("play", "saloon", "builtin:pianist", "builtin:rowdy", "--seed", "7", "--replay", "new.arena", *SMALL)
    reader = Reader("new.arena")
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    header = {**reader.header, "version": "0.9"}
    Path("old.arena").write_bytes(compact.assemble(header, reader.truth, views, [], reader.footer or {}))
    Path("older.arena").write_bytes(Path("old.arena").read_bytes())
    Path("cut.arena").write_bytes(Path("new.arena").read_bytes()[:-30])
    ran = arena("replay", "verify", "old.arena", "new.arena", "older.arena", "cut.arena")
    assert ran.code == ExitCode.UNKNOWN_GAME
    assert ran.stderr.count("was played with saloon 0.9, installed is") == 2
    assert "old.arena: " in ran.stderr
    assert "older.arena: " in ran.stderr
    assert "new.arena: verified" in ran.stdout
    assert "cut.arena: verified" in ran.stdout
    found = json.loads(arena("replay", "verify", "old.arena", "new.arena", "cut.arena", "--json").stdout)
    assert [(one["file"], one["ok"]) for one in found] == [("new.arena", True), ("cut.arena", True)]


def test_verify_accepts_what_the_referee_refused_for_an_unknown_key(arena: Arena) -> None:
    Path("odd.py").write_text(
        "from arena_player import AI\nclass Odd(AI):\n    def run_turn(self):\n"
        "        self.log(self.act({'type': 'end_turn', 'junk': 1}).code)\n"
    )
    ran = arena("play", "saloon", "odd.py", "builtin:rowdy", "-o", "max_turns=4", "--replay", "m.arena", "--json")
    assert json.loads(ran.stdout)["players"][0]["refusals"] == {"unknown_key": 2}, ran
    assert arena("replay", "verify", "m.arena").code == 0


def test_games_as_json(arena: Arena) -> None:
    games = {game["name"]: game for game in json.loads(arena("games", "--json").stdout)}
    assert {"saloon"} <= set(games)
    assert games["saloon"]["bots"] == ["rowdy", "pianist", "sheriff"]
    assert all({"name", "title", "version", "bots", "options", "maps"} <= set(game) for game in games.values())
    width = next(option for option in games["saloon"]["options"] if option["name"] == "width")
    assert width["default"] == 22


def test_play_as_json(arena: Arena) -> None:
    ran = arena("play", "saloon", "builtin:rowdy", "builtin:pianist", "--seed", "3", "--json", *SMALL)
    result = json.loads(ran.stdout)
    assert result["replay"].startswith("replays/")
    for player, name in zip(result["players"], ("rowdy", "pianist"), strict=True):
        assert player["bot"] == f"builtin:{name}"
        assert {"ending", "score", "refusals", "clock", "isolation", "stdout", "stderr"} <= set(player)
    info = json.loads(arena("replay", "info", result["replay"], "--json").stdout)
    assert info["digest"] == result["digest"]
    assert (info["game"], info["turns"], info["outcome"]) == ("saloon", result["turns"], result["outcome"])


def test_several_games_with_swapped_seats(arena: Arena) -> None:
    ran = arena(
        "play", "saloon", "builtin:rowdy", "builtin:pianist", "--games", "2", "--swap", "--seed", "5", "--json", *SMALL
    )
    matches = json.loads(ran.stdout)["matches"]
    assert [match["seed"] for match in matches] == [5, 5, 6, 6]
    assert [match["players"][0]["bot"] for match in matches] == ["builtin:rowdy", "builtin:pianist"] * 2
    assert {row["bot"]: row["played"] for row in json.loads(ran.stdout)["summary"]} == {"rowdy": 4, "pianist": 4}
    assert len(list(Path("replays").iterdir())) == 4


@pytest.mark.promise("next-seeds")
def test_drawn_seeds_are_independent(arena: Arena) -> None:
    bots = ("builtin:rowdy", "builtin:rowdy")
    ran = arena("play", "saloon", *bots, "--games", "3", "--replay", "none", "--json", *SMALL)
    seeds = sorted(match["seed"] for match in json.loads(ran.stdout)["matches"])
    assert all(later - earlier > 2 for earlier, later in pairwise(seeds))


def test_each_leg_has_its_own_dice_and_the_same_set_up(arena: Arena) -> None:
    """What a bot sees in the first leg must not tell it the dice of the second."""
    play = ("play", "derelict", "builtin:castaway", "builtin:tactician", "--map", "airlock", "--seed", "5")
    arena(*play, "--replay", "m.arena")
    first, second = Reader("m-1.arena"), Reader("m-2.arena")
    assert len(dice(first)) >= 12
    assert dice(first)[:12] != dice(second)[:12]
    assert first.truth[0] == second.truth[0], "the set-up is the same for both"
    assert [leg.header["leg"] for leg in (first, second)] == [0, 1]
    assert all(arena("replay", "verify", f"m-{leg}.arena").code == 0 for leg in (1, 2))
    arena(*play, "--replay", "again.arena")
    assert dice(Reader("again-2.arena")) == dice(second), "the same job, the same dice"


def dice(replay: Reader) -> list[Any]:
    """Return what chance drew in play."""
    return [draw for entry in replay.truth if entry[0] == "do" for draw in entry[3]]


def test_settings_reach_the_bot(arena: Arena) -> None:
    Path("bot.py").write_text(
        "from arena_player import AI\n\nclass Bot(AI):\n    def start(self):\n        print(dict(self.settings))\n"
        "    def run_turn(self):\n        pass\n"
    )
    ran = arena(
        "play", "saloon", "bot.py", "bot.py", "--bot-option", "depth=3", "--bot-option", "1:name=x y", "--json", *SMALL
    )
    players = json.loads(ran.stdout)["players"]
    assert players[0]["stdout"] == "{'depth': '3'}\n"
    assert players[1]["stdout"] == "{'depth': '3', 'name': 'x y'}\n"


def test_fork_searches_in_the_real_rules(arena: Arena) -> None:
    Path("bot.py").write_text(
        "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n"
        "        state = self.game.fork()\n        actions = state.legal_actions()\n"
        "        mark = state.push(self.index, actions[0])\n        state.pop(mark)\n"
        "        if self.game.current_turn == 0: print(len(actions), state.to_document()['current_turn'])\n"
    )
    ran = arena("play", "saloon", "bot.py", "builtin:rowdy", "--json", *SMALL)
    player = json.loads(ran.stdout)["players"][0]
    assert player["ending"] in ("won", "lost"), player["stderr"]
    assert player["stdout"] == "4 0\n"


def test_a_module_that_is_out_of_date_is_found(arena: Arena) -> None:
    assert arena("sdk", "saloon").code == 0
    assert arena("sdk", "saloon", "--check").code == 0
    Path("saloon.py").write_text(Path("saloon.py").read_text() + "\n# changed\n")
    assert arena("sdk", "saloon", "--check").code == 1


def test_both_legs_of_a_match_make_one_page(arena: Arena) -> None:
    bots = ("builtin:castaway", "builtin:castaway")
    played = arena("play", "derelict", *bots, "--map", "airlock", "--seed", "1", "--replay", "m.arena")
    assert played.code == 0
    assert arena("replay", "export", "m-1.arena", "m-2.arena", "--html", "both.html").code == 0
    assert Path("both.html").read_text().count('id="arena-replay-') == 2
    arena("play", "derelict", *bots, "--map", "airlock", "--seed", "2", "--no-swap", "--replay", "other.arena")
    ran = arena("replay", "export", "m-1.arena", "other.arena", "--html", "no.html")
    assert ran.code == 2
    assert "not the two legs of one match" in ran.stderr
    ran = arena("replay", "export", "m-1.arena", "m-2.arena", "--png", "3")
    assert ran.code == 2
    assert "show one replay" in ran.stderr
    ran = arena("play", "derelict", *bots, "--live")
    assert ran.code == 2
    assert "--no-swap" in ran.stderr


def test_a_void_leg_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (
        MatchResult(
            tuple(PlayerResult(ending, name, score=score) for name, score in zip(names, scores, strict=True)),
            Outcome(None, reason),
        )
        for names, scores, ending, reason in (
            ("ab", (9, 0), "void", "host_late"),
            ("ba", (1, 1), "drawn", "turn_limit"),
        )
    )
    print_results([first, second], False, single=False, two_legs=True)
    line = "a - b: a draw (points 0.5 : 0.5, scores 1 : 1; leg 1 is void and does not count)\n"
    assert capsys.readouterr().out.endswith(line)
    print_results([first, first], False, single=False, two_legs=True)
    assert "a - b: no result (points 0 : 0, scores 0 : 0; leg 1 is void" in capsys.readouterr().out


@pytest.mark.parametrize("lost", [0, 1])
def test_the_leg_that_was_lost_is_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path, lost: int) -> None:
    legs = []
    for leg in range(2):
        replay = tmp_path / f"{leg}.arena"
        play_in_memory("saloon", ["builtin:rowdy"] * 2, seed=1, replay=replay, options={"max_turns": 6})
        mine = PlayerResult("lost" if leg == lost else "won", "mine", str(tmp_path))
        # The other bot has won by its score: each has won a leg.
        other = PlayerResult("won" if leg == lost else "lost", "other", "builtin:rowdy", score=1.0)
        winner = leg if leg != lost else 1 - leg
        seats = (other, mine) if leg else (mine, other)
        legs.append(MatchResult(seats, Outcome(winner, "score"), replay=str(replay)))
    print_results(legs, False, single=False, two_legs=True)
    assert f"Why: `arena explain {legs[lost].replay}` finds" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["", "play", "games", "new", "sdk", "replay"])
def test_every_command_has_help(arena: Arena, command: str) -> None:
    ran = arena(*filter(None, [command]), "--help")
    assert ran.code == 0
    assert "Usage: " in ran.stdout
    assert ran.stderr == ""
