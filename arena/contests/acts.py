"""The acts of the organizers. The journal stores each with its author and reason, and each can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.contests import entries
from arena.contests.config import STAGE, StageConfig, defect_of, formats_of, stage_from
from arena.contests.deciding import begin_entry, entrants_of
from arena.contests.entries import Written
from arena.contests.ladder import pair
from arena.contests.opening import OpenContest
from arena.contests.released import released
from arena.contests.state import Contest
from arena.contests.values import ACTS, KINDS, LADDER, Act, Member, number_of
from arena.errors import ArenaError
from arena.journal.store import now

LONGEST = 500
Fields = Mapping[str, str]
"""What an organizer entered: `subject`, `reason`, and what the kind of act needs."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An act that can be recorded.

    Attributes:
        subject: What it changes, with names; `subject_id` is the same with ids.
        more: What else the journal stores of it.
        written: Further entries of the same transaction.
    """

    subject: str = ""
    more: Mapping[str, Any] | None = None
    written: tuple[Written, ...] = ()


def act(opened: OpenContest, author: Member | None, kind: str, fields: Fields) -> str:
    """Record an organizer's act, and return its id. The act takes effect at once.

    Args:
        author: The organizer; None for a command.
        kind: One of the keys of `ACTS`.
    """
    if kind not in ACTS:
        raise ArenaError("This act does not exist.")
    subject, reason = fields.get("subject", "").strip(), fields.get("reason", "").strip()
    if not reason or len(reason) > LONGEST:
        raise ArenaError(f"Give a reason of at most {LONGEST} characters.")
    with opened.lock:
        key = opened.state.new_id("a")
        prepared = _PREPARE[kind](opened, subject, fields, key)
        document = entries.Acted(
            act=kind, subject=prepared.subject, author=author.id if author else "", at=now(),
            more=dict(prepared.more or {}),
        )  # fmt: skip
        opened.write(entries.text(key, "reason", reason), (key, document), *prepared.written)
        return key


def _plain(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del opened, subject, fields, key
    return Prepared()


def _match(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del fields, key
    state, played = opened.state, opened.state.played.get(subject)
    if played is None or not played.is_public:
        raise ArenaError(f"There is no match {subject[:40]!r} of the ladder or of a stage.")
    if subject in state.orders.voided:
        raise ArenaError(f"The result of the match {subject} does not count any more.")
    if played.kind not in KINDS and played.kind not in state.stages:
        raise ArenaError(f"The stage {played.kind} does not count any more.")
    return Prepared(subject)


def _void(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    if subject in opened.state.stages:
        return Prepared(subject)
    return _match(opened, subject, fields, key)


def _replay(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    prepared, state = _match(opened, subject, fields, key), opened.state
    played = state.played[subject]
    if played.kind not in KINDS:
        return prepared  # the stage asks for the match again
    encounter = state.encounters[played.encounter]
    return Prepared(subject, written=(pair(state, "replay", played.players, 1, encounter.team, key),))


def _correction(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    _match(opened, subject, fields, key)
    count = len(opened.state.played[subject].players)
    try:
        points = [float(text) for text in fields.get("points", "").replace(",", " ").split()]
    except ValueError:
        points = []
    if len(points) != count or not all(0 <= one <= 1 for one in points):
        raise ArenaError(f"Give {count} numbers from 0 to 1, in the order of the seats, such as 1 0.")
    return Prepared(subject, {"points": points})


def _entrant_or_version(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del fields, key
    state = opened.state
    if subject in state.entrants:
        return Prepared(state.id_of(subject))
    name, slash, number = subject.rpartition("/")
    if not slash:
        raise ArenaError(f"There is no team or bot {subject[:60]!r}. Write a version as NAME/NUMBER.")
    if name not in state.entrants or state.version(name, number_of(number)) is None:
        raise ArenaError(f"There is no version {subject[:60]!r}. Write it as NAME/NUMBER.")
    return Prepared(f"{state.id_of(name)}/{number_of(number)}")


def _entrant(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del fields, key
    if subject not in opened.state.entrants:
        raise ArenaError(f"There is no team or bot {subject[:60]!r}.")
    return Prepared(opened.state.id_of(subject))


def _picture(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    if subject not in opened.state.shown_pictures():
        raise ArenaError(f"The team {subject[:60]!r} has no picture.")
    return _entrant(opened, subject, fields, key)


def _hold(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del subject, fields, key
    if opened.state.orders.limit is not None:
        raise ArenaError("Results are held back already.")
    return Prepared(more={"limit": len(opened.state.played)})


def _release(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del subject, key
    limit, count = opened.state.orders.limit, fields.get("count", "").strip()
    if limit is None:
        raise ArenaError("No results are held back.")
    if count and not number_of(count):
        raise ArenaError("Give the number of results to release, or nothing to release all and hold back no more.")
    return Prepared(more={"limit": min(limit + number_of(count), len(opened.state.played)) if count else None})


def _stage(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    """Begin a stage: one of `contest.toml` that has not begun, or a new one."""
    del key
    state = opened.state
    config = next((one for one in opened.config.stages if one.name == subject and one.format != LADDER), None)
    if config is None:
        config = _new_stage(opened, subject, fields)
    if config.name in state.stages or config.name in KINDS:
        raise ArenaError(f"The stage {config.name} has begun.", hint="Choose another name.")
    if opened.is_closed and (waiting := [one.key for one in state.waiting() if not _is_out(state, one)]):
        raise ArenaError(
            f"Versions that were handed in in time wait for their check: {', '.join(waiting)}.",
            hint="Begin the stage after their checks, or disqualify them.",
        )
    names = entrants_of(state, config, opened.board(everything=True))
    if len(names) < max(2, opened.game.player_counts[0]):
        raise ArenaError("There are too few teams and bots for this stage.")
    return Prepared(config.name, written=(begin_entry(state, config, names),))


def _is_out(state: Contest, version: Any) -> bool:
    return bool(version.late or state.orders.is_out(version.player))


STAGE_NUMBERS = ("advance", "rounds", "table", "groups", "games", "best_of", "winners")
"""The keys of a new stage that are numbers. Further ones are its `format`, and the group `only`."""


def _new_stage(opened: OpenContest, name: str, fields: Fields) -> StageConfig:
    if not fields.get("format"):
        raise ArenaError(f"There is no stage {name[:40]!r} in the file.", hint="Choose a format for a new stage.")
    if fields["format"] not in (allowed := formats_of(opened.game)):
        raise ArenaError(f"The format must be one of {', '.join(allowed)}.")
    table: dict[str, Any] = {"name": name, "format": fields["format"]}
    table |= {key: number_of(fields[key]) for key in STAGE_NUMBERS if fields.get(key, "").strip()}
    table |= {"only": fields["only"]} if fields.get("only") else {}
    table |= _usual(opened, table)
    defects = [str(one) for one in STAGE.defects(table, "stage")]
    if table.get("only") and table["only"] not in dict(opened.config.groups):
        defects.append("The group of a stage must be in [groups].")
    if defects:
        raise ArenaError("\n".join(defects), hint="`arena contest init` writes a file with stages.")
    config = stage_from(table)
    if defect := defect_of(config, opened.game):
        raise ArenaError(defect)
    return config


def _usual(opened: OpenContest, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stage needs that nobody has entered."""
    count = table.get("advance") or len(opened.state.playing())
    largest = opened.game.player_counts[-1]
    usual = {
        "swiss": {"rounds": max(1, (count - 1).bit_length() + 1)},
        "groups": {"groups": max(1, count // 4)},
        "free_for_all": {"rounds": 5, "table": min(count, largest)},
        "elimination_tables": {"table": min(count, largest)},
    }
    return {key: value for key, value in usual.get(table["format"], {}).items() if key not in table}


def _undo(opened: OpenContest, subject: str, fields: Fields, key: str) -> Prepared:
    del fields, key
    found = opened.state.acts.get(subject)
    if found is None or found.id in opened.state.undone:
        raise ArenaError(f"There is no act {subject[:20]} that can be undone.")
    return Prepared(found.id)


_PREPARE: Mapping[str, Callable[[OpenContest, str, Fields, str], Prepared]] = {
    "stage": _stage, "pause": _plain, "resume": _plain, "freeze": _plain, "void": _void, "replay": _replay,
    "correct": _correction, "withdraw": _entrant, "disqualify": _entrant_or_version, "remove_picture": _picture,
    "hold": _hold, "release": _release, "announce": _plain, "undo": _undo,
}  # fmt: skip


def _words(state: Contest, one: Act, *, ids: bool) -> str:
    """Return what an act did, for people. Without `ids`, an undone act is named by its words."""
    played, subject = state.played.get(one.subject), one.subject
    if played is not None:
        subject = f"{played.kind} match {played.encounter} ({' – '.join(played.names)})"
    elif one.kind == "undo" and not ids:
        subject = f"the act: {_words(state, state.acts[subject], ids=ids)}"
    return ACTS[one.kind].words.format(subject=subject)


def public_log(state: Contest, *, everything: bool = False) -> list[dict[str, Any]]:
    """Return all acts, newest first, including undone acts and the acts that undid them.

    Without an act that is hidden, its id would be missing. So the public sees no ids while results are held back.

    Args:
        everything: Whether to include acts about results that are held back from the public. Show these acts only to
            organizers.
    """
    shown = released(state, everything=everything)
    ids = shown.everything
    hidden = {
        one.id for one in state.acts.values() if (played := state.played.get(one.subject)) and not shown.shows(played)
    }
    found = [*state.acts.values(), *(one for one in state.undone.values() if one.subject not in hidden)]
    return [
        {
            "id": one.id if ids else "", "number": one.number if ids else None, "text": _words(state, one, ids=ids),
            "author": one.author, "match": one.subject if one.subject in state.played else "",
            "reason": one.reason, "at": one.at, "undone": one.id in state.undone, "is_undo": one.kind == "undo",
        }
        for one in sorted(found, key=lambda one: one.number, reverse=True)
        if one.id not in hidden
    ]  # fmt: skip
