"""Matches in memory: players and referee in one process, for tests of bots, playouts, environments and reruns.

    from arena.play.memory import MatchInMemory, play_in_memory

    result = play_in_memory("saloon", ["my_bot.py", "builtin:sheriff"], seed=1, replay="match.arena")

    match = MatchInMemory("saloon", [None, "builtin:sheriff"], seed=1)
    while (player := match.play()) is not None:
        match.act(player, choose(match.view(player), match.legal_actions(player)))

Only for trusted code. A match of untrusted bots needs processes: `arena play`, or `arena.testing.play_match`.

The state machine is that of the referee (`arena.play.referee.match`), so rules, refusals, replay and digests are those
of a match with processes. What a host does for programs, three classes do here for objects: `MatchInMemory`
(``match.py``) is what callers use, and decides who plays next; a seat (``seats.py``, with code behind it ``code.py``)
keeps the messages for its player until then; the referee (``referee.py``) carries messages between the two and the
state machine. No code of a player runs inside the code of another one, and none can catch an exception that the rules
raised.

`MemoryWorkers` (``workers.py``) plays the matches of jobs (``job.py``) in warm processes (``worker.py``), for the
commands. It ends those that hang, and ``watch.py`` is how the match then has the ending. Nothing else here needs
processes, and nothing imports these modules.

The other modules: ``players.py`` loads who plays on a seat, ``choices.py`` has the values that players get and return,
``notes.py`` what they print.
"""

from arena.play.memory.choices import Answer, Policy, Turn
from arena.play.memory.match import MatchInMemory, play_in_memory
from arena.play.memory.notes import Failure, Note
from arena.play.memory.players import Player, RecordedPlayer, bot_class, is_brought, settings_of
from arena.play.referee.outputs import ActionEntry

__all__ = [
    "ActionEntry",
    "Answer",
    "Failure",
    "MatchInMemory",
    "Note",
    "Player",
    "Policy",
    "RecordedPlayer",
    "Turn",
    "bot_class",
    "is_brought",
    "play_in_memory",
    "settings_of",
]
