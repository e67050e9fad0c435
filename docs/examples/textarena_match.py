"""A game of Arena as an environment of TextArena, in which its agents play all seats.

pip install textarena arena-referee arena-snakes
"""

from typing import Any

import textarena as ta

from arena.play.memory import MatchInMemory
from arena.text.form import first, position, read, things_of
from arena_player.schema import parse_schema


class ArenaEnv(ta.Env):
    """A match in memory, of which agents play all seats. Who has `errors` useless answers in a row, resigns."""

    def __init__(self, game: str, replay: str = "", errors: int = 3) -> None:
        self.game, self.replay, self.errors = game, replay, errors

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.match = MatchInMemory(self.game, [None] * num_players, seed=seed, replay=self.replay)
        self.schema = parse_schema(self.match.game.schema())
        self.starts = [things_of(self.match.view(player)) for player in range(num_players)]
        self.reasons, self.bad = [""] * num_players, [0] * num_players

    def get_observation(self) -> tuple[int, str]:
        player = self.match.play() or 0
        start, rules = self.starts[player], self.match.game.rules_text()
        now = position(self.schema, things_of(self.match.view(player)), start)
        asked = f"# Now\n\n{now}\n{self.reasons[player]}\nYou are player {player}. Your orders:"
        return player, f"{first(self.schema, start, rules)}\n\n{asked}"

    def step(self, action: str) -> tuple[bool, ta.Info]:
        match, player = self.match, self.match.play() or 0
        match.note(player, action)
        reading = read(self.schema, action, match.legal_actions(player))
        answer = match.act(player, *reading.actions) if reading.actions else None
        self.reasons[player] = reason = answer.message if answer else reading.reason
        self.bad[player] = self.bad[player] + 1 if reason and not (answer and answer.accepted) else 0
        if self.bad[player] == self.errors:
            match.resign(player, reason)
        return match.over, {"reason": reason}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, Any]]]:
        self.match.close()
        result = self.match.result()
        rewards = {seat: 2 * result.points(seat) - 1 if result.has_verdict else 0.0 for seat in range(len(self.bad))}
        return rewards, {seat: {"reason": player.ending} for seat, player in enumerate(result.players)}


ta.register("Arena-Snakes-v0", lambda **options: ArenaEnv("snakes", **options))
