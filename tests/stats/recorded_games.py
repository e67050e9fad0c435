"""Matches of equal built-in bots, played in this process, with one planted blunder or without, as stripped replays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean

from arena.analysis.playouts import PlayoutPolicy, noise_of, play_on, play_turn, shares
from arena.analysis.worker import bot_class
from arena.game import GameSpec, State
from arena.game.chance import Sampled
from arena.match.lookup import find_game
from arena.memory import MatchInMemory
from arena.referee.outputs import ActionEntry
from arena_replays.compact import assemble

BOTS = {"saloon": "pianist", "laser_flag": "sergeant", "derelict": "veteran", "snakes": "forager"}
"""The bot that plays all players, and plays on in explanations."""
PARTS = {"saloon": 100, "laser_flag": 8, "derelict": 12, "snakes": 360}
"""About how many parts a match has."""
UNDECIDED = (0.25, 0.75)
"""A blunder is planted where the win probability of each player is in this range, divided by the number of players."""
LINES = 8
LEAST_LOSS = 0.1
"""A replaced turn is a blunder if it costs so much, by playouts with other seeds than those that chose it: the worst of
several lines looks worse than it is. Otherwise a later turn is tried."""


@dataclass(frozen=True)
class Planted:
    """A turn that was replaced by a bad one.

    Attributes:
        player: Whose turn.
        turn: Its number, from 1.
        loss: What it cost by playouts with other seeds than those that chose it.
        spared: How many undecided turns before it were left as they were, because no line cost enough.
    """

    player: int
    turn: int
    loss: float
    spared: int


def act_line(match: MatchInMemory, player: int, line):
    """Carry out a line of actions, and finish the turn with fallback actions."""
    number = match.state.turn_number()
    left = list(line)
    while match.player == player and match.state.turn_number() == number:
        match.act(player, left.pop(0) if left else match.state.fallback_action(player))


class Recorder:
    """A match that is played in this process."""

    def __init__(self, name: str, seed: int, options: dict | None = None):
        self.game: GameSpec = find_game(name)
        bot = bot_class(self.game, BOTS[name])
        self.policy = PlayoutPolicy(self.game, bot, noise_of(PARTS[name]))
        self.seed = seed
        chance = Sampled(Random(f"{name} {seed}"))
        state = self.game.start(options or {}, chance)
        self.truth = [["setup", [draw.value for draw in chance.take()]]]
        self.first = state.turn_number()
        self.done: list[ActionEntry] = []
        self.players = self.game.players_in(state.options)
        players = [bot] * self.players
        self.match = MatchInMemory.from_state(
            self.game, state, players, chance, seed=seed, write=self._write, raises=True
        )
        self.state: State = state

    def _write(self, entry):
        if isinstance(entry, ActionEntry):
            self.done.append(entry)

    def play(self, blunder=None):
        """Play to the end; before each part, call `blunder`, which may return a line to play instead."""
        while self.state.outcome() is None:
            player, number = self.state.to_move()[0], self.state.turn_number()
            line = blunder(self, player) if blunder else None
            at = len(self.done)
            if line is None:
                play_turn(self.match)
            else:
                act_line(self.match, player, line)
            self._record(at, number)
        return self.state.outcome()

    def _record(self, at, number):
        self.truth += [["do", done.player, done.action, done.draws] for done in self.done[at:]]
        if self.state.turn_number() != number or self.state.outcome() is not None:
            digest = bytes.fromhex(self.state.digest()[:16])
            self.truth.append(["turn", number, self.done[-1].player, 1000, 1000, None, digest])

    def save(self, path: Path) -> Path:
        outcome = self.state.outcome()
        header = {
            "arena": "stats", "game": self.game.name, "title": self.game.title, "version": self.game.version,
            "options": self.state.options.to_document(), "streams": 1, "stripped": True,
            "players": [{"name": f"{BOTS[self.game.name]} ({seat + 1})"} for seat in range(self.players)],
        }  # fmt: skip
        footer = {
            "outcome": outcome.to_document(),
            "digest": self.state.digest(),
            "players": [
                {"name": player["name"], "ending": outcome.verdict(seat)}
                for seat, player in enumerate(header["players"])
            ],
        }
        path.write_bytes(assemble(header, self.truth, [], [], footer))
        return path


class Planter:
    """Replaces one turn, at a random time, of a player who still could win."""

    def __init__(self, seed: int, parts: int, tries: int = 24):
        self.rng = Random(f"planted {seed}")
        self.after = self.rng.randrange(parts // 10, max(parts // 10 + 1, 7 * parts // 10))
        self.tries = tries
        self.parts = self.spared = 0
        self.planted: Planted | None = None

    def __call__(self, recorder: Recorder, player: int):
        self.parts += 1
        if self.planted or self.parts <= self.after or (self.parts > self.after + 1 and self.rng.random() > 0.4):
            return None
        before = self._value(recorder, player, None)
        low, high = (2 * limit / recorder.players for limit in UNDECIDED)
        if not low <= before <= high:
            return None
        lines = [[], *(self._random_line(recorder.state.clone(), player) for _ in range(LINES))]
        values = [self._value(recorder, player, line) for line in lines]
        worst = lines[min(range(len(lines)), key=lambda at: values[at])]
        loss = before - min(values)
        if loss >= LEAST_LOSS:
            loss = self._value(recorder, player, None, again=True) - self._value(recorder, player, worst, again=True)
        if loss < LEAST_LOSS:
            self.spared += 1
            return None
        turn = recorder.state.turn_number() - recorder.first + 1
        self.planted = Planted(player, turn, loss, self.spared)
        return worst

    def _value(self, recorder: Recorder, player: int, line, *, again: bool = False) -> float:
        """Return the win probability before a turn, or after a line of actions in it.

        With `again`, the seeds are others and eight times as many.
        """
        found = []
        for seed in range(self.tries, 9 * self.tries) if again else range(self.tries):
            state = recorder.state.clone()
            if line is not None:
                players = [None] * recorder.players
                act_line(MatchInMemory.from_state(recorder.game, state, players, Sampled(Random(seed))), player, line)
            found.append(play_on(recorder.policy, state, 5_000_000 + seed)[player])
        return fmean(found)

    def _random_line(self, state: State, player: int):
        line = []
        number = state.turn_number()
        chance = Sampled(self.rng)
        for _ in range(self.rng.randint(1, 8)):
            if player not in state.to_move() or state.turn_number() != number:
                break
            line.append(self.rng.choice(state.legal_actions(player)))
            state.push(player, line[-1], chance)
            state.commit()
        return line


def final_shares(recorder: Recorder):
    return shares(recorder.state.outcome(), recorder.players)
