"""Find out why each player won, lost or failed in a recorded match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.analysis.facts import out_of, owner_of
from arena.game import Outcome
from arena.match.ending import MEANINGS, REGULAR
from arena.match.stack import CodePosition, Stack, last_stack
from arena.match.wording import counted, reason_in_words
from arena_replays import Reader
from arena_replays.state import triples

OUTPLAYED = "outplayed"
LEFT = "left"


@dataclass(frozen=True, slots=True)
class Refused:
    """Refused actions of one player with the same code.

    Attributes:
        count: The number of these refusals. The replay does not always hold all of the actions.
        turn: The turn of `action`, from 1; None if the replay holds none of the actions.
    """

    code: str
    count: int
    turn: int | None = None
    action: Any = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a player's part of a match ended as it did.

    The private attributes come from the output of the bot. A public copy of a replay does not hold this output.

    Attributes:
        kind: The player's ending, with ``outplayed`` in place of ``lost``; ``left`` if the player left without an
            ending; empty if the replay has no end.
        turn: The turn, from 1, in which the player's program ended or the player left; None otherwise.
        position: The last file and line of the bot's own code in the stack that the bot printed; private.
        last_line: The last line that the bot logged or printed, before the stack if there is one; private.
        refused: The refused actions, grouped by code; the most frequent code first.
    """

    player: int
    kind: str
    message: str
    turn: int | None = None
    detail: str = ""
    position: CodePosition | None = None
    error: str = ""
    stack: tuple[str, ...] = ()
    last_action: Any = None
    last_turn: int | None = None
    last_line: str = ""
    refused: tuple[Refused, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the player's program ended, or the player left, before the match ended."""
        return self.turn is not None

    def to_document(self) -> dict[str, Any]:
        return asdict(self) | {"stack": list(self.stack), "refused": [asdict(group) for group in self.refused]}


def causes_of(reader: Reader) -> list[Cause]:
    """Return the cause of each player's ending, in the order of players.

    A public copy of a replay holds no output of bots. So its causes name no lines of the bots' code.
    """
    return [_cause(reader, player) for player in range(len(reader.header.get("players", [])))]


def _cause(reader: Reader, player: int) -> Cause:
    ending, detail, turn = ending_of(reader, player)
    refused = tuple(sorted(_refused(reader, player), key=lambda group: -group.count))
    if ending in (*REGULAR, "void", ""):
        kind = OUTPLAYED if ending == "lost" else ending
        return Cause(player, kind, _played_on(reader, player, kind, refused), detail=detail, refused=refused)
    stack, last_line = _output(reader, player)
    action, acted = _last(reader, "do", player)
    cause = Cause(
        player,
        ending,
        "",
        turn=turn,
        detail=detail,
        position=stack.position if stack else None,
        error=stack.error if stack else "",
        stack=stack.lines if stack else (),
        last_action=action,
        last_turn=acted,
        last_line=last_line,
        refused=refused,
    )
    return _worded(cause)


def ending_of(reader: Reader, player: int) -> tuple[str, str, int | None]:
    """Return a player's ending, its detail and its turn. A time-out is no ending if the player could play on."""
    footer = reader.footer.get("players", []) if reader.footer else []
    final = footer[player].get("ending", "") if player < len(footer) else ""
    detail = footer[player].get("detail", "") if player < len(footer) else ""
    if final in REGULAR:
        return final, detail, None
    for one in reversed(reader.endings):
        if one.player == player and one.ending == (final or one.ending):
            return one.ending, detail or one.detail, reader.number_of(one.turn)
    left = _last(reader, "leave", player)[1]
    return final if left is None else final or LEFT, detail, left


def _refused(reader: Reader, player: int) -> Iterator[Refused]:
    counts: dict[str, int] = {}
    firsts: dict[str, Refused] = {}
    for one in reader.refusals:
        if one.player == player:
            counts[one.code] = counts.get(one.code, 0) + 1
            firsts.setdefault(one.code, Refused(one.code, 0, reader.number_of(one.turn), one.action, one.message))
    footer = reader.footer.get("players", []) if reader.footer else []
    if player < len(footer):
        counts |= {code: count for code, count in footer[player].get("refusals", {}).items() if type(count) is int}
    for code, count in counts.items():
        first = firsts.get(code, Refused(code, 0))
        yield Refused(code, count, first.turn, first.action, first.message)


def _output(reader: Reader, player: int) -> tuple[Stack | None, str]:
    """Return the last stack of a bot, and the last line of its logs and stdout, before a stack in them."""
    notes = [note for note in reader.notes if note.player == player and isinstance(note.payload, str)]
    stack = None
    for kind in ("stderr", "stdout"):  # on request, a Java virtual machine prints its stacks to stdout
        text = "".join(note.payload for note in notes if note.kind == kind)
        stack = stack or last_stack(text)
    said = "\n".join(note.payload for note in notes if note.kind in ("log", "stdout"))
    if stack is not None:
        said = said.partition("\n".join(stack.lines))[0] if stack.lines[0] in said else said
    lines = [line for line in said.splitlines() if line.strip()]
    return stack, lines[-1][:300] if lines else ""


def _last(reader: Reader, kind: str, player: int) -> tuple[Any, int | None]:
    """Return the third value of a player's last truth entry of a kind, and its turn; None if there is none."""
    found, turn, index = None, None, 0
    for entry in reader.truth:
        if entry[0] == "turn":
            index += 1
        elif entry[0] == kind and entry[1] == player:
            found, turn = entry[2], index
    return found, None if turn is None else reader.number_of(turn)


def _worded(cause: Cause) -> Cause:
    parts = [MEANINGS.get(cause.kind, "left the match")]
    if cause.turn is not None and cause.kind not in ("no_start", "no_build"):
        parts[0] += f" (turn {cause.turn})"
    if cause.detail:
        parts[0] += f": {cause.detail}"
    if cause.error:
        parts.append(cause.error)
    if cause.position is not None:
        where = "It was at" if cause.kind in ("timed_out", "no_start") and not cause.error else "Last position:"
        parts.append(f"{where} {cause.position}")
    elif cause.kind not in ("no_start", "no_build", "refused_too_often"):
        if cause.last_action is not None:
            parts.append(f"Last action, in turn {cause.last_turn}: {_shown(cause.last_action)}")
        if cause.last_line:
            parts.append(f"Last output: {cause.last_line}")
    if cause.kind == "refused_too_often":
        parts += _worded_refusals(cause.refused)
    message = ". ".join(part.rstrip(".") for part in parts) + "."
    return replace(cause, message=message[0].upper() + message[1:])


def _played_on(reader: Reader, player: int, kind: str, refused: tuple[Refused, ...]) -> str:
    outcome = Outcome.from_document(reader.outcome or {"winner": None, "reason": ""})
    notes = [outcome.place(player), reason_in_words(outcome.reason) if outcome.reason else ""]
    reason = f" ({', '.join(filter(None, notes))})" if any(notes) else ""
    if not kind:
        parts = ["The replay has no end"]
    elif kind == OUTPLAYED:
        parts = [f"Outplayed: its program worked to the end, and the rules decided{reason}"]
    else:
        parts = [f"{kind.capitalize()}{reason}"]
    late = [one for one in reader.endings if one.player == player and one.ending == "timed_out"]
    if late:
        parts.append(f"{counted(len(late), 'time-out')}, the first in turn {reader.number_of(late[0].turn)}")
    parts += [*_out(reader, player), *_worded_refusals(refused)]
    return ". ".join(parts) + "."


def _out(reader: Reader, player: int) -> list[str]:
    """Describe what changed in a player's objects when the rules eliminated the player, without numbers and places."""
    out = out_of(reader, player)
    if out is None or not 0 < out[0] < reader.frame_count():
        return []
    frame, turn = out
    things, names = reader.state_after(frame), [one["name"] for one in reader.header.get("players", ())]
    words = []
    for id_, field, value in triples(reader.frame(frame)[0]):
        thing = things.get(id_, {})
        if isinstance(value, str) and value and owner_of(thing) == player:
            other = owner_of(things.get(value, {}))
            by = f" ({names[other]})" if other is not None and other < len(names) else ""
            words.append(f"{field.replace('_', ' ')} {value.replace('-', ' ')}{by}")
    return [": ".join(filter(None, (f"Out in turn {turn}", ", ".join(words))))]


def _worded_refusals(refused: tuple[Refused, ...]) -> list[str]:
    if not refused:
        return []
    total = sum(group.count for group in refused)
    words = [f"{counted(total, 'action')} refused"]
    for group in refused:
        text = f"{group.count} x {group.code}"
        if group.turn is not None:
            text += f" (first in turn {group.turn}: {_shown(group.action)}: {group.message.rstrip('.')})"
        words.append(text)
    return [": ".join((words[0], ", ".join(words[1:])))]


def _shown(action: Any) -> str:
    if not isinstance(action, dict):
        return str(action)[:100]
    values = ", ".join(f"{name}={value}" for name, value in action.items() if name != "type")
    return f"{action.get('type', 'action')}({values})"[:160]
