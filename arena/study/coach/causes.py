"""Find out why each player won, lost or failed in a recorded match."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.game import Outcome
from arena.match.ending import MEANINGS, REGULAR, counted, reason_in_words
from arena.match.stack import CodePosition, Stack, last_stack
from arena.study.coach.numbers import end_of, out_of, owner_of
from arena.study.coach.words import ENDS
from arena_replays import Reader, Refusal
from arena_replays.state import triples

LEFT = "left"
MOST_REASONS = 3
"""If a code has more reasons, they name objects and differ in that: then they count as one."""
FEW_TURNS = 10
"""A player with fewer turns without orders can have had nothing to do."""
IDLE = (
    "It gave no order in all its {turns} turns. The reason can be an exception that it catches, or a condition that is "
    "never true"
)
OFTEN_IDLE = "It gave no order in {idle} of its {turns} turns"


@dataclass(frozen=True, slots=True)
class Refused:
    """Refused actions of one player with the same code, and if there are few reasons, with the same reason.

    Attributes:
        count: The number of these refusals. The replay does not always hold all of the actions.
        turn: The turn of `action`, from 1; None if the replay holds none of the actions.
        allowed: The words that the schema allows for arguments of `action` that have another value.
    """

    code: str
    count: int
    turn: int | None = None
    action: Any = None
    message: str = ""
    allowed: str = ""

    def __str__(self) -> str:
        text = f"{self.count} x {self.code}"
        if self.turn is None:
            return text
        reason = self.message.rstrip(".") + (f" ({self.allowed})" if self.allowed else "")
        return f"{text} (first in turn {self.turn}: {_shown(self.action)}: {reason})"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a player's part of a match ended as it did.

    The private attributes come from the output of the bot. A public copy of a replay does not hold this output.

    Attributes:
        kind: The player's ending; ``left`` if the player left without one; empty if the replay has no end.
        turn: The turn, from 1, in which the player's program ended or the player left; None otherwise.
        position: The last file and line of the bot's own code in the stack that the bot printed; private.
        last_line: The last line that the bot logged or printed, before the stack if there is one; private.
        out: A sentence, without its period, about when and how the rules eliminated the player; else empty.
        idle: A sentence, without its period, about who gave no order in at least half of the turns; else empty.
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
    out: str = ""
    idle: str = ""
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
    refused = refused_of(reader, player)
    if ending in (*REGULAR, "void", ""):
        out, idle = _out(reader, player), idle_in_words(reader, player)
        cause = Cause(player, ending, "", detail=detail, out=out, idle=idle, refused=refused)
        return replace(cause, message=_played_on(reader, cause))
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
    end = end_of(reader, player)
    final, detail = end.get("ending", ""), end.get("detail", "")
    if final in REGULAR:
        return final, detail, None
    for one in reversed(reader.endings):
        if one.player == player and one.ending == (final or one.ending):
            return one.ending, detail or one.detail, reader.number_of(one.turn)
    left = _last(reader, "leave", player)[1]
    return final if left is None else final or LEFT, detail, left


def refused_of(reader: Reader, player: int) -> tuple[Refused, ...]:
    """Return the refused actions of a player, by reason; the most frequent reason first."""
    recorded: dict[str, list[Refusal]] = {}
    for one in reader.refusals:
        if one.player == player:
            recorded.setdefault(one.code, []).append(one)
    totals = {code: count for code, count in end_of(reader, player).get("refusals", {}).items() if type(count) is int}
    groups = [
        group
        for code in {**recorded, **totals}
        for group in _groups(reader, code, recorded.get(code, []), totals.get(code, 0))
    ]
    return tuple(sorted(groups, key=lambda group: -group.count))


def _groups(reader: Reader, code: str, recorded: list[Refusal], count: int) -> list[Refused]:
    """Group the refused actions with a code by their reasons.

    Args:
        count: How many there were in the match. The replay can lack some.
    """
    reasons: dict[str, list[Refusal]] = {}
    for one in recorded:
        reasons.setdefault(one.message, []).append(one)
    groups = [_refused(reader, each) for each in (reasons.values() if len(reasons) <= MOST_REASONS else [recorded])]
    if (lacking := count - len(recorded)) <= 0:
        return groups
    if len(groups) == 1:
        return [replace(groups[0], count=count)]
    return [*groups, Refused(code, lacking)]


def _refused(reader: Reader, refusals: list[Refusal]) -> Refused:
    first = refusals[0]
    turn, allowed = reader.number_of(first.turn), _allowed(reader, first.action)
    return Refused(first.code, len(refusals), turn, first.action, first.message, allowed)


def _allowed(reader: Reader, action: Any) -> str:
    """Return the words that are allowed for each argument of an action that has none of them."""
    if not isinstance(action, dict):
        return ""
    classes: dict[str, Any] = reader.header.get("schema", {}).get("classes", {})
    found = []
    for one in classes.values():
        for parameter in one.get("actions", {}).get(action.get("type"), {}).get("parameters", ()):
            choices = parameter.get("choices", ())
            given = [action.get(key) for key in parameter.get("keys", ())]
            if choices and not any(str(value).lower() in map(str.lower, choices) for value in given):
                found.append(f"{parameter['name']} is one of {', '.join(choices)}")
    return "; ".join(found)


def idle_in_words(reader: Reader, player: int) -> str:
    """Return `Cause.idle`. Turns that were lost to the clock have a better reason."""
    if late_turns(reader, player):
        return ""
    turns = idle = orders = 0
    for entry in reader.truth:
        if entry[0] == "turn" and entry[2] == player:
            turns += 1
            idle += not orders
            orders = 0
        elif entry[0] in ("do", "refuse") and entry[1] == player:
            action = entry[2]
            orders += not (isinstance(action, dict) and action.get("type") in ENDS)
    if idle < max(FEW_TURNS, turns / 2):
        return ""
    return (IDLE if idle == turns else OFTEN_IDLE).format(idle=idle, turns=turns)


def late_turns(reader: Reader, player: int) -> list[int]:
    """Return the numbers of the turns in which a player's time was over, although the player could play on."""
    late = [one for one in reader.endings if one.player == player and one.ending == "timed_out"]
    return [reader.number_of(one.turn) for one in late]


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


def _played_on(reader: Reader, cause: Cause) -> str:
    player, kind = cause.player, cause.kind
    outcome = Outcome.from_document(reader.outcome or {"winner": None, "reason": ""})
    notes = [outcome.place(player), reason_in_words(outcome.reason) if outcome.reason else ""]
    reason = f" ({', '.join(filter(None, notes))})" if any(notes) else ""
    parts = [f"{kind.capitalize()}{reason}" if kind else "The replay has no end"]
    if late := late_turns(reader, player):
        first = f"{counted(len(late), 'time-out')}, the first in turn {late[0]}"
        parts.insert(0, f"{first}: each lost the rest of its turn")
    elif cause.idle:
        parts.insert(0, cause.idle)
    parts += [cause.out] * bool(cause.out) + _worded_refusals(cause.refused)
    return ". ".join(parts) + "."


def _out(reader: Reader, player: int) -> str:
    """Return `Cause.out`: what changed in the player's objects in that frame, without numbers and places.

    An object of another player becomes the name of its owner; one of the player itself says nothing.
    """
    out = out_of(reader, player)
    if out is None or not 0 < out[0] < reader.frame_count():
        return ""
    frame, turn = out
    things, names = reader.state_after(frame), [one["name"] for one in reader.header.get("players", ())]
    words = []
    for id_, field, value in triples(reader.frame(frame)[0]):
        if not isinstance(value, str) or not value or owner_of(things.get(id_, {})) != player:
            continue
        other = owner_of(things.get(value, {}))
        if other is None or other >= len(names):
            words.append(value.replace("-", " "))
        elif other != player:
            words.append(f"{field.replace('_', ' ')} {names[other]}")
    return ": ".join(filter(None, (f"Out in turn {turn}", ", ".join(words))))


def _worded_refusals(refused: tuple[Refused, ...]) -> list[str]:
    if not refused:
        return []
    total = sum(group.count for group in refused)
    return [f"{counted(total, 'action')} refused: {', '.join(map(str, refused))}"]


def _shown(action: Any) -> str:
    if not isinstance(action, dict):
        return str(action)[:100]
    values = ", ".join(f"{name}={value}" for name, value in action.items() if name != "type")
    return f"{action.get('type', 'action')}({values})"[:160]
