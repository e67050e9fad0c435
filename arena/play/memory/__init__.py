"""Matches in memory: players and referee in one process, for tests of bots, playouts, environments and reruns.

    from arena.play.memory import MatchInMemory, play_in_memory

    result = play_in_memory("saloon", ["my_bot.py", "builtin:sheriff"], seed=1, replay="match.arena")

    match = MatchInMemory("saloon", [None, "builtin:sheriff"], seed=1)
    while (player := match.play()) is not None:
        match.act(player, choose(match.view(player), match.legal_actions(player)))

Only for trusted code. A match of untrusted bots needs processes: `arena play`, or `arena.testing.play_match`.
"""

from arena.play.memory.choices import Answer, Policy, Turn
from arena.play.memory.match import MatchInMemory, play_in_memory
from arena.play.memory.notes import Failure, Note
from arena.play.memory.players import Player, RecordedPlayer, bot_class, settings_of

__all__ = [
    "Answer",
    "Failure",
    "MatchInMemory",
    "Note",
    "Player",
    "Policy",
    "RecordedPlayer",
    "Turn",
    "bot_class",
    "play_in_memory",
    "settings_of",
]
