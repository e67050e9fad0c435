"""Matches in memory, step by step and whole: who acts, what everybody sees, and what happens when code fails."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import lowest_bid_game
import pytest
import sealed_orders_game as sealed_orders

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, Seeded, load
from arena.match.limits import Policy
from arena.match.position import ReplayPosition
from arena.play.memory import Failure, MatchInMemory, RecordedPlayer, Turn, bot_class, play_in_memory
from arena.play.memory.notes import KEPT
from arena.play.referee.played import TAIL
from arena.study.checks.verification import verify
from arena.study.replaying.positions import position_at
from arena_player import AI
from arena_player.errors import PlayerError
from arena_player.schema import parse_schema
from arena_player.world import World
from arena_replays import Reader

END = {"type": "end_turn"}
NOWHERE = {"type": "move", "cowboy": "c9", "x": 1, "y": 1}
SHORT = {"max_turns": 20}


class Ender(AI):
    """Ends its turns."""

    def run_turn(self) -> None:
        self.game.end_turn()


class Watcher(Ender):
    """Remembers what it was told."""

    made: list[Watcher]

    def start(self) -> None:
        self.seen: list[list[Any]] = []
        self.turns: list[int] = []
        self.outcome: Any = None
        Watcher.made.append(self)

    def run_turn(self) -> None:
        self.turns.append(self.turn)
        self.seen.append(self._session.world.view())
        super().run_turn()

    def end(self, outcome: Any) -> None:
        self.outcome = outcome


class AtRandom(AI):
    """Plays at random, with its own random numbers."""

    wants_legal_actions = True

    def run_turn(self) -> None:
        self.act(self.random.choice(self.legal_actions))


class Unlisted(AI):
    """Plays at random without a list of legal actions."""

    def start(self) -> None:
        with pytest.raises(PlayerError, match="it is not your move"):
            self.random_action()

    def run_turn(self) -> None:
        assert not self.legal_actions
        self.act(self.random_action())


@pytest.mark.parametrize("game", ["saloon", "derelict"])
def test_a_random_action_needs_no_list(game: str) -> None:
    played = []
    for _ in range(2):
        match = MatchInMemory(game, [Unlisted, None], seed=1)
        for _ in range(40):
            if (player := match.play()) is None:
                break
            match.act(player, match.state.fallback_action(player))
        played.append(match.state.digest())
        assert match.result().players[0].refusals == {}
    assert played[0] == played[1], "they come from the bot's own random numbers"


# -- step by step ------------------------------------------------------------------------------------


def test_the_caller_chooses_in_the_middle_of_a_turn() -> None:
    match = MatchInMemory("saloon", [None, Ender], seed=1, options=SHORT)
    assert match.play() == 0
    called = match.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler"})
    assert (called.accepted, called.code, called.value, called.your_move) == (1, "", "c1", True)
    refused = match.act(0, {"type": "move", "cowboy": "c1", "x": 99, "y": 1}, END)
    assert (refused.accepted, refused.your_move) == (0, True)
    assert refused.code
    assert refused.message
    assert match.player == 0
    assert match.act(0, END).your_move is False
    assert match.player == 1
    assert match.play() == 0, "the bot has ended its turn"
    while match.play() is not None:
        match.act(0, END)
    assert match.over
    assert match.player is None
    assert match.outcome is not None
    assert match.result().players[0].refusals == {refused.code: 1}


def test_nobody_acts_out_of_turn() -> None:
    match = MatchInMemory("saloon", [None, None], seed=1)
    with pytest.raises(ValueError, match=r"Player 1 cannot act now. It is the move of player 0\."):
        match.act(1, END)
    with pytest.raises(ValueError, match=r"Call act\(0, ACTION\)"):
        match.step()
    with pytest.raises(ValueError, match="cannot be sent: act: actions entry 0: must have a string type"):
        match.act(0, {"type": 7})
    assert match.act(0, END).accepted == 1


def test_the_updates_add_up_to_the_view() -> None:
    for game, players in (("saloon", 2), ("derelict", 2), ("snakes", 4)):
        rng = Random(5)
        match = MatchInMemory(game, [None] * players, seed=3)
        worlds = []
        for player in range(players):
            assert match.updates(player) == ([], [])
            worlds.append(World(parse_schema(match.game.schema()), lambda _: None))  # type: ignore[arg-type,return-value]
            worlds[-1].apply(match.view(player))
        events = 0
        for _ in range(150):
            if (player := match.play()) is None:
                break
            match.act(player, rng.choice(match.legal_actions(player)))
            looker = rng.randrange(players)
            delta, happened = match.updates(looker)
            events += len(happened)
            worlds[looker].apply(delta)
            assert _sorted(worlds[looker].view()) == _sorted(match.view(looker))
        assert events


def _sorted(view: list[Any]) -> list[Any]:
    return sorted(zip(view[::3], view[1::3], map(repr, view[2::3]), strict=True))


def test_players_move_simultaneously() -> None:
    match = MatchInMemory(sealed_orders.GAME, [None, None], options={"rounds": 1}, seed=1)
    assert match.to_move == (0, 1)
    assert match.act(0, {"type": "choose", "hand": "rock"}).your_move is False
    assert match.to_move == (1,)
    assert "rock" not in str(match.view(1))
    match.act(1, {"type": "choose", "hand": "paper"})
    assert match.to_move == ()
    assert match.outcome is not None
    assert match.outcome.winner == 1


def test_the_caller_acts_in_the_place_of_a_bot() -> None:
    Watcher.made = []
    match = MatchInMemory("saloon", [Watcher, Ender], seed=1, options=SHORT)
    bot = Watcher.made[0]
    match.act(0, {"type": "call_in", "young_gun": "g0", "job": "Brawler"})
    match.step()
    assert bot.turns == [0], "the bot has played the rest of the turn"
    assert "c1" in bot.seen[0]
    match.step()
    match.act(0, END)
    match.play()
    assert bot.turns == list(range(0, 20, 2))[:1] + list(range(4, 20, 2))
    assert bot.outcome is not None
    with pytest.raises(ValueError, match="updates of player 0 are for the player's bot"):
        match.updates(0)


def test_a_player_gives_up() -> None:
    match = MatchInMemory("saloon", [None, Ender], seed=1)
    match.resign(0)
    assert match.over
    assert [player.ending for player in match.result().players] == ["resigned", "won"]


def test_a_match_that_is_closed_has_no_result(tmp_path: Path) -> None:
    match = MatchInMemory("saloon", [None, Ender], seed=1, replay=tmp_path / "x.arena")
    match.act(0, END)
    match.close()
    match.close()
    assert match.result().outcome.reason == "closed"
    assert Reader(tmp_path / "x.arena").footer is not None


# -- whole matches -----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_match() -> None:
    one, same, other = (play_in_memory("saloon", [AtRandom, AtRandom], seed=seed, options=SHORT) for seed in (1, 1, 2))
    assert one == same
    assert one.course != other.course
    leg = play_in_memory("saloon", [AtRandom, AtRandom], seed=1, options=SHORT, leg=1)
    assert leg.course != one.course


def test_a_policy_learns_why_its_action_was_refused() -> None:
    answers = []

    def stubborn(turn: Turn) -> dict[str, Any]:
        answers.append(turn.answer)
        assert turn.view[:2] == ["game", "+"]
        return NOWHERE if turn.answer is None else END

    result = play_in_memory("saloon", [stubborn, Ender], seed=1, options=SHORT)
    assert result.players[0].name == "stubborn"
    assert answers[0] is None
    assert answers[1] is not None
    assert answers[1].code == "bad_argument"
    assert answers[2] is None, "the answers of earlier turns do not count"


def test_a_recorded_match_is_played_again(tmp_path: Path) -> None:
    unruly = Path(__file__).with_name("unruly.py")
    first = play_in_memory("snakes", [unruly] * 4, seed=8, replay=tmp_path / "first.arena")
    reader = Reader(first.replay)
    players = [RecordedPlayer(reader.truth, player) for player in range(4)]
    again = play_in_memory("snakes", players, seed=8, replay=tmp_path / "again.arena")
    assert again.course == first.course
    assert Reader(again.replay).truth == reader.truth
    assert verify(again.replay).ok


def test_a_match_starts_from_a_position(tmp_path: Path) -> None:
    path = tmp_path / "parent.arena"
    play_in_memory("saloon", [AtRandom, Ender], seed=1, options=SHORT, replay=path)
    start = position_at(ReplayPosition(str(path), 6))
    result = play_in_memory("saloon", [Ender, Ender], seed=1, start=start, replay=tmp_path / "child.arena")
    assert result.turns == 15
    assert verify(result.replay).ok


def test_a_match_plays_on_from_a_state() -> None:
    game = load("saloon")
    state = game.start(SHORT, Seeded(1))
    for _ in range(3):
        state.push(state.to_move()[0], END, Seeded(2))
    state.commit()
    match = MatchInMemory.from_state(game, state, [Ender, None], Seeded(3))
    assert match.play() == 1
    assert match.state is state
    assert state.turn_number() == 3


class Rude(AI):
    """Empties everything that it gets and has sent."""

    wants_legal_actions = True

    def run_turn(self) -> None:
        action = dict(self.legal_actions[0])
        things = self._session.world.objects.values()
        lists = [value for thing in things for value in vars(thing).values() if isinstance(value, list)]
        assert lists
        for given in (*lists, *self.legal_actions, *self.events):
            given.clear()
        self.act(action)
        action.clear()


def test_nobody_shares_a_list_with_the_rules_or_the_record(tmp_path: Path) -> None:
    plays = ([Rude, _first_legal], [_first_legal, _first_legal])
    for kind, players in zip(("rude", "polite"), plays, strict=True):
        path = tmp_path / f"{kind}.arena"
        play_in_memory("snakes", players, names=("a", "b"), seed=2, options={"players": 2}, replay=path)
    rude, polite = (Reader(tmp_path / f"{kind}.arena") for kind in ("rude", "polite"))
    assert rude.truth == polite.truth
    assert list(rude.frames(0)) == list(polite.frames(0))


def _first_legal(turn: Turn) -> Any:
    return turn.legal_actions[0]


# -- failures ----------------------------------------------------------------------------------------


class Broken(Ender):
    """Fails in its second turn."""

    def run_turn(self) -> None:
        if self.turn > 1:
            raise ZeroDivisionError("in my code")
        super().run_turn()


def test_an_exception_ends_the_players_part_and_is_kept() -> None:
    match = MatchInMemory("saloon", [Broken, Ender], seed=1)
    assert match.play() is None
    result = match.result()
    assert [(player.ending, player.detail) for player in result.players] == [("crashed", "exit code 1"), ("won", "")]
    assert result.players[0].last_words == "ZeroDivisionError: in my code"
    assert "arena_player" not in result.players[0].stderr
    failure = match.failures[0]
    assert isinstance(failure.error, ZeroDivisionError)
    assert (failure.file, failure.turn) == (__file__, 2)
    assert Path(__file__).read_text().splitlines()[failure.line - 1].endswith('raise ZeroDivisionError("in my code")')
    assert failure.traceback == result.players[0].stderr


def test_an_exception_reaches_the_caller_who_can_play_on() -> None:
    match = MatchInMemory("saloon", [Broken, Ender], seed=1, options=SHORT, raises=True)
    with pytest.raises(ZeroDivisionError):
        match.play()
    assert match.player == 0
    match.act(0, END)
    match.step()
    with pytest.raises(ZeroDivisionError):
        match.step()


def test_a_policy_that_chooses_nothing_fails() -> None:
    result = play_in_memory("saloon", [lambda _: [], Ender], seed=1)
    assert result.players[0].ending == "crashed"
    assert "chose no action" in result.players[0].last_words


def test_the_place_of_a_mistake_is_named_when_a_file_cannot_be_loaded(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    for text, line in (
        ("x = 1\nx = = 2\n", 2),
        ("def f():\n    return y\n\nf()\n", 2),
        ("import nothing_like_it\n", 1),
    ):
        file.write_text(text)
        with pytest.raises((SyntaxError, NameError, ImportError)) as caught:
            MatchInMemory("saloon", [file, Ender])
        failure = Failure.of(caught.value)
        assert (failure.file, failure.line, failure.turn) == (str(file), line, None)


@pytest.mark.parametrize("name", ["<exec>", "<stdin>", "<ipython-input-3-0a1b>"])
def test_the_place_of_a_mistake_is_named_in_code_that_was_typed(name: str) -> None:
    typed: dict[str, Any] = {}
    exec(compile("def policy(turn):\n    return {}['no']\n", name, "exec"), typed)
    match = MatchInMemory("saloon", [typed["policy"], Ender], seed=1)
    assert (match.failures, match.play()) == ({}, None)
    assert (match.failures[0].file, match.failures[0].line) == (name, 2)


# -- what players say --------------------------------------------------------------------------------


class Talker(AI):
    """Prints, logs and draws."""

    def run_turn(self) -> None:
        print("before", self.turn)
        self.log("log", self.turn)
        self.draw.point((1.5, 2.5), "red")
        print("half a ", end="")
        if self.turn == 4:
            print("and an error", file=sys.stderr)
        self.act(END)
        print("line\x1b", self.turn)

    def end(self, outcome: Any) -> None:
        print(outcome.ending, end="")


def _talking_policy(turn: Turn) -> Any:
    print("policy", turn.number)
    return END


def test_what_players_say_is_kept_with_its_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.arena"
    match = MatchInMemory("saloon", [Talker, _talking_policy], options={"max_turns": 6}, replay=path, captures=True)
    assert match.play() is None
    assert capsys.readouterr() == ("", "")
    by_kind: dict[str, list[tuple[int | None, Any]]] = {}
    for note in match.notes:
        by_kind.setdefault(f"{note.kind} {note.player}", []).append((note.turn, note.payload))
    assert by_kind["log 0"] == [(turn, f"log {turn}") for turn in (0, 2, 4)]
    assert [turn for turn, _ in by_kind["draw 0"]] == [0, 2, 4]
    lines = [(turn, text) for turn in (0, 2, 4) for text in (f"before {turn}\n", f"half a line\\x1b {turn}\n")]
    ending = match.result().players[0].ending
    assert by_kind["stdout 0"] == [*lines, (4, ending)]
    assert by_kind["stderr 0"] == [(4, "and an error\n")]
    assert by_kind["stdout 1"] == [(turn, f"policy {turn}\n") for turn in (1, 3, 5)]
    result = match.result().players[0]
    assert result.stdout == "".join(text for _, text in by_kind["stdout 0"])
    assert (result.stderr, result.stdout_cut) == ("and an error\n", False)
    reader = Reader(path)
    assert not reader.check()
    assert [(one.player, one.kind, one.payload) for one in reader.notes] == [
        (note.player, note.kind, note.payload) for note in match.notes
    ]
    assert all(reader.turns[one.turn].number == note.turn for one, note in zip(reader.notes, match.notes, strict=True))


def test_notes_are_kept_without_a_replay_and_printed_lines_go_to_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    match = MatchInMemory("saloon", [Talker, Ender], options={"max_turns": 2})
    match.play()
    assert [note.kind for note in match.notes] == ["log", "draw"]
    assert capsys.readouterr().out.startswith("before 0\nhalf a line")


def test_a_flood_of_prints_is_cut() -> None:
    def flooding(_: Turn) -> Any:
        for number in range(3000):
            print(f"{number:06d} {'x' * 92}")
        raise ValueError("at the end")

    match = MatchInMemory("saloon", [flooding, Ender], seed=1, captures=True)
    match.play()
    printed = "".join(note.payload for note in match.notes if note.kind == "stdout")
    assert len(printed) == KEPT
    assert printed.startswith("000000 x")
    result = match.result().players[0]
    assert result.stdout.endswith(f"002999 {'x' * 92}\n")
    assert (len(result.stdout), result.stdout_cut) == (TAIL, True)
    assert result.last_words == "ValueError: at the end"


def test_a_page_draws_each_turn(tmp_path: Path) -> None:
    path = tmp_path / "x.arena"
    match = MatchInMemory("saloon", [Ender, None], seed=1, options={"max_turns": 8}, replay=path)
    drawn = []
    while True:
        for turn in match.turns():
            drawn.append(turn)
            assert match.over or len(Reader(path).turns) == turn + 1
        if match.player is None:
            break
        match.act(match.player, END)
    assert drawn == list(range(8))
    together = MatchInMemory("snakes", [lambda turn: turn.legal_actions[0]] * 2, seed=2, options={"players": 2})
    numbers = list(together.turns())
    assert numbers == list(range(numbers[0], numbers[0] + together.result().turns))


class Careless(Ender):
    """Catches everything."""

    def run_turn(self) -> None:
        try:
            super().run_turn()
        except Exception:
            return


def test_a_fault_of_the_rules_is_the_games_and_loud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("saloon")
    match = MatchInMemory(game, [Careless, Ender], seed=1, replay=tmp_path / "x.arena")
    monkeypatch.setattr(game.state, "outcome", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        match.play()
    assert match.over
    assert match.result().outcome.reason == "fault"
    footer = Reader(tmp_path / "x.arena").footer
    assert footer is not None
    assert footer["trouble"] == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(("timeout", "ending", "turns"), [("forfeit", "timed_out", 1), ("skip", "lost", 8)])
def test_time_passes_by_the_callers_clock(timeout: Any, ending: str, turns: int) -> None:
    now = [0.0]

    class Slow(Ender):
        def run_turn(self) -> None:
            now[0] += 5.0 if self.turn == 0 else 0.5
            super().run_turn()

    result = play_in_memory(
        "saloon",
        [Slow, Ender],
        seed=1,
        options={"max_turns": 8},
        clock=Clock(turn=2.0, bank=None, grace=0.0),
        policy=Policy(timeout=timeout),
        read_clock=lambda: now[0],
    )
    slow = result.players[0]
    assert (slow.strikes, slow.clock.worst_turn, slow.ending, result.turns) == (1, 5.0, ending, turns)


def test_without_a_clock_no_time_passes() -> None:
    assert play_in_memory("saloon", [Ender, Ender], seed=1, options=SHORT).players[0].clock.wall == 0.0


# -- bots --------------------------------------------------------------------------------------------


def test_two_bots_have_files_of_the_same_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helper.py").write_text(f"NAME = {name!r}\n")
        (folder / "main.py").write_text(
            "from saloon import AI\nimport helper\n\n\nclass Bot(AI):\n"
            "    def run_turn(self):\n        self.log(helper.NAME)\n        self.game.end_turn()\n"
        )
    result = play_in_memory(
        "saloon", [tmp_path / "one", tmp_path / "two"], seed=1, options=SHORT, replay=tmp_path / "x.arena"
    )
    assert [player.name for player in result.players] == ["one", "two"]
    said = {(note.player, note.payload) for note in Reader(tmp_path / "x.arena").notes}
    assert said == {(0, "one"), (1, "two")}


def test_a_bot_gets_the_module_of_the_given_version_of_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("saloon")

    class Other(game.state):  # type: ignore[name-defined,misc]
        """The same rules. The root has another name."""

    changed = replace(game, state=Other)
    mine = ModuleType("saloon")
    monkeypatch.setitem(sys.modules, "saloon", mine)
    for version in (game, changed, game):
        assert bot_class(version, "builtin:rowdy").schema_hash == version.schema()["hash"]
    assert sys.modules["saloon"] is mine


@pytest.mark.parametrize("bot", ["builtin:nobody", "nowhere.py", "docs", "pyproject.toml"])
def test_what_is_no_bot_is_refused(bot: str) -> None:
    with pytest.raises(ArenaError) as error:
        bot_class(load("saloon"), bot)
    assert error.value.exit_code == ExitCode.BAD_BOT


def test_what_cannot_be_played_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no_such_game"):
        MatchInMemory("no_such_game", [None, None])
    with pytest.raises(ArenaError, match="saloon is for 2 players, not 3"):
        MatchInMemory("saloon", [None] * 3)
    with pytest.raises(ArenaError, match="does not exist"):
        MatchInMemory("saloon", [None, None], replay=tmp_path / "nowhere" / "x.arena")
    with pytest.raises(TypeError, match="Path is no subclass"):
        MatchInMemory("saloon", [Path, None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="A player is None"):
        play_in_memory("saloon", [None, Ender])


def test_a_game_has_a_method_called_value() -> None:
    """The referee's own value of an action, the entity that it made, has the same name."""
    made = lowest_bid_game.spec()

    class Valued(made.state):  # type: ignore[misc, name-defined]
        def value(self, player: int) -> int:
            return player

    game = replace(made, name="valued", state=Valued)
    match = MatchInMemory(game, [lambda turn: turn.legal_actions[0]] * 3, seed=1, options={"players": 3}, raises=True)
    match.play()
    assert match.outcome is not None
    assert match.outcome.reason
