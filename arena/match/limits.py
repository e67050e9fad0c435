"""The limits on a bot's use of the machine, and what happens to a player who breaks the rules of play.

Limits are of the machine: memory, processes, files, output. A `Policy` is of the match: time-outs, crashes, refusals,
and how much a bot may write into the replay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on one bot's use of the machine.

    Attributes:
        memory: Bytes of memory for all the bot's processes together. A control group enforces it at level 3, a monitor
            at levels 1 and 2.
        private_memory: Bytes of private writable memory that each process can map.
        address_space: Bytes of address space of each process. Runtimes such as Java reserve much more than they use.
        cpu_seconds: CPU seconds of each process, in case the referee's clocks fail.
        output_read: Bytes of stdout or stderr after which the pipe is closed.

    The defaults were chosen, not measured: runtimes such as Java, .NET and NumPy start well within them, and 64 matches
    of two bots at once need 64 GiB at most. Four times the memory can be mapped, since runtimes map more than they
    fill.
    """

    memory: int = 512 * MEBIBYTE
    private_memory: int = 2048 * MEBIBYTE
    address_space: int = 64 * 1024 * MEBIBYTE
    processes: int = 64
    open_files: int = 256
    file_size: int = 16 * MEBIBYTE
    temporary_space: int = 16 * MEBIBYTE
    cpu_seconds: int = 3600
    output_kept: int = 64 * 1024
    output_read: int = 64 * MEBIBYTE


UNITS = {"": 1, "KiB": 1024, "MiB": MEBIBYTE, "GiB": 1024 * MEBIBYTE}
SIZE = r"[1-9][0-9]{0,14} ?(KiB|MiB|GiB)?"
"""A pattern for the value of a limit: `512 MiB` or a plain number."""
LEAST = {field.name: 1 for field in fields(Limits)} | {
    "memory": 16 * MEBIBYTE,
    "private_memory": 16 * MEBIBYTE,
    "address_space": 256 * MEBIBYTE,
    "processes": 4,
    "open_files": 32,
}
"""The least value of each limit: some more than a bot that does nothing needs, and its sandbox."""
PRIVATE_SHARE = Limits().private_memory // Limits().memory


def changed_limits(values: Mapping[str, str | int]) -> Limits:
    """Return the default limits with some values changed.

    If `memory` is given, `private_memory` changes by the same factor, and `address_space` becomes at least twice
    `private_memory`. A limit that `values` contains keeps the value from `values`.

    Args:
        values: The new value of each limit by name: a number, or a text that matches `SIZE`.
    """
    numbers = {name: number_of(str(value)) for name, value in values.items()}
    if "memory" in numbers:
        numbers.setdefault("private_memory", PRIVATE_SHARE * numbers["memory"])
        numbers.setdefault("address_space", max(Limits().address_space, 2 * numbers["private_memory"]))
    return replace(Limits(), **numbers)


def number_of(text: str) -> int:
    """Return the value of a text that matches `SIZE`."""
    digits, unit = re.fullmatch(r"(\d+) ?(\w*)", text).groups()  # type: ignore[union-attr]
    return int(digits) * UNITS[unit]


# The policy of a match.

Penalty = Literal["forfeit", "skip", "strike"]
FailurePenalty = Literal["forfeit", "void"]
_FAILURES = ("crash", "no_start")


@dataclass(frozen=True, slots=True)
class Policy:
    """The penalties for violations in a match.

    Attributes:
        timeout: The penalty for a time-out. ``forfeit``: the player loses the match, or leaves a game for more than two
            players. ``skip``: the referee finishes the turn for the player. ``strike``: ``skip`` for the first
            time-outs, ``forfeit`` for time-out number `strikes`.
        strikes: The number of time-outs with which a player forfeits, if `timeout` is ``strike``.
        crash: The penalty if a program crashes or runs out of memory: ``forfeit`` (see `timeout`), or ``void``: the
            match does not count (see `arena.match.void`).
        no_start: The penalty if a program does not start or cannot be built: ``forfeit`` or ``void``.
        pause_idle: ``freeze`` stops a player's processes if they use the processor during another player's turn. With
            an empty text, these processes continue, and can slow down the other player.
        refusals_per_turn: The limit of refused actions in one turn. A player who exceeds it forfeits (see `timeout`).
        notes_per_turn: The limit of recorded entries for notes (log texts and drawings) in one turn of a player. When
            the limit is reached, the last entry only says that further notes were dropped.
        note_bytes_per_turn: The limit of the total size of a turn's notes, in bytes as sent on the wire. The note that
            exceeds the limit and all later notes of the turn are dropped.
        notes_per_request: The limit of notes with one answer. If a player exceeds it, the player's ending is
            ``bad_message``.
    """

    timeout: Penalty = "forfeit"
    strikes: int = 3
    crash: FailurePenalty = "forfeit"
    no_start: FailurePenalty = "forfeit"
    pause_idle: Literal["", "freeze"] = "freeze"
    refusals_per_turn: int = 100
    notes_per_turn: int = 100
    note_bytes_per_turn: int = 65_536
    notes_per_request: int = 64

    def to_document(self) -> dict[str, Any]:
        """Return plain values for headers and results. Omit `crash` and `no_start` if they have the default."""
        values = asdict(self)
        return {name: value for name, value in values.items() if name not in _FAILURES or value != "forfeit"}
