"""The acts of the organizers. The journal stores each with its author and reason, and each can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.contests import entries
from arena.contests.config import STAGE, StageConfig, defect_of, formats_of, stage_from
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import pair
from arena.contests.open_contest import OpenContest
from arena.contests.scheduler import are_enough, begin_entry, entrants_of
from arena.contests.state import Contest
from arena.contests.values import ACTS, KINDS, LADDER, Act, Member, number_of
from arena.contests.visibility import released
from arena.errors import ArenaError
from arena.text.reading import whole_number

LONGEST = 500
Fields = Mapping[str, str]
"""What an organizer entered: `subject`, `reason`, and what the kind of act needs."""


@dataclass(slots=True)
class _Draft:
    """An act that is not recorded yet.

    Attributes:
        subject: What it changes, as the organizer named it; in the end, with ids in place of names.
        more: What else the journal stores of it.
        written: Further entries of the same transaction.
    """

    opened: OpenContest
    key: str
    subject: str
    fields: Fields
    more: dict[str, Any] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)

    @property
    def state(self) -> Contest:
        return self.opened.state


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
        draft = _Draft(opened, key, subject if ACTS[kind].subject else "", fields)
        if kind in _COMPLETE:
            _COMPLETE[kind](draft)
        author_id = author.id if author else ""
        document = entries.Acted(act=kind, subject=draft.subject, author=author_id, at=now(), more=draft.more)
        if kind not in ("stage", "undo") and not opened.state.has_effect(document):
            raise ArenaError("This act changes nothing: it is so already.")
        opened.write(entries.text(key, "reason", reason), (key, document), *draft.written)
        return key


def _match(draft: _Draft) -> None:
    state, subject = draft.state, draft.subject
    played = state.played.get(subject)
    if played is None or not played.is_public:
        raise ArenaError(f"There is no match {subject[:40]!r} of the ladder or of a stage.")
    if subject in state.orders.voided:
        raise ArenaError(f"The result of the match {subject} does not count any more.")
    if played.kind not in KINDS and played.kind not in state.stages:
        raise ArenaError(f"The stage {played.kind} does not count any more.")


def _void(draft: _Draft) -> None:
    if draft.subject not in draft.state.stages:
        _match(draft)


def _replay(draft: _Draft) -> None:
    _match(draft)
    played = draft.state.played[draft.subject]
    if played.kind in KINDS:  # a stage asks for the match again
        team = draft.state.encounters[played.encounter].team
        draft.written.append(pair(draft.state, "replay", played.players, 1, team, draft.key))


def _correction(draft: _Draft) -> None:
    _match(draft)
    count = len(draft.state.played[draft.subject].players)
    try:
        points = [float(text) for text in draft.fields.get("points", "").replace(",", " ").split()]
    except ValueError:
        points = []
    if len(points) != count or not all(0 <= one <= 1 for one in points):
        raise ArenaError(f"Give {count} numbers from 0 to 1, in the order of the seats, such as 1 0.")
    draft.more["points"] = points


def _entrant_or_version(draft: _Draft) -> None:
    state, subject = draft.state, draft.subject
    name, slash, number = subject.rpartition("/")
    if subject in state.entrants:
        draft.subject = state.id_of(subject)
    elif not slash:
        raise ArenaError(f"There is no team or bot {subject[:60]!r}. Write a version as NAME/NUMBER.")
    elif name not in state.entrants or state.version(name, number_of(number)) is None:
        raise ArenaError(f"There is no version {subject[:60]!r}. Write it as NAME/NUMBER.")
    else:
        draft.subject = f"{state.id_of(name)}/{number_of(number)}"


def _entrant(draft: _Draft) -> None:
    if draft.subject not in draft.state.entrants:
        raise ArenaError(f"There is no team or bot {draft.subject[:60]!r}.")
    draft.subject = draft.state.id_of(draft.subject)


def _picture(draft: _Draft) -> None:
    if draft.subject not in draft.state.public_pictures():
        raise ArenaError(f"The team {draft.subject[:60]!r} has no picture.")
    _entrant(draft)


def _hold(draft: _Draft) -> None:
    if draft.state.orders.limit is not None:
        raise ArenaError("Results are held back already.")
    draft.more["limit"] = len(draft.state.played)


def _release(draft: _Draft) -> None:
    limit, count = draft.state.orders.limit, draft.fields.get("count", "").strip()
    if limit is None:
        raise ArenaError("No results are held back.")
    if count and not number_of(count):
        raise ArenaError("Give the number of results to release, or nothing to release all and hold back no more.")
    draft.more["limit"] = min(limit + number_of(count), len(draft.state.played)) if count else None


def _stage(draft: _Draft) -> None:
    """Begin a stage: one of `contest.toml` that has not begun, or a new one."""
    opened, state = draft.opened, draft.state
    config = next((one for one in opened.config.stages if one.name == draft.subject and one.format != LADDER), None)
    config = config or _new_stage(opened, draft.subject, draft.fields)
    if state.begun_as(config.name) or config.name in KINDS:
        raise ArenaError(f"A stage {config.name} has begun before.", hint="Choose another name.")
    if opened.is_closed and (waiting := [one.key for one in state.waiting() if not _is_out(state, one)]):
        raise ArenaError(
            f"Versions that were handed in in time wait for their check: {', '.join(waiting)}.",
            hint="Begin the stage after their checks, or disqualify them.",
        )
    names = entrants_of(state, config, opened.board(everything=True))
    if not are_enough(state, names):
        raise ArenaError("There are too few teams and bots for this stage.")
    draft.written.append(begin_entry(state, config, names))


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
    entered = {key: text for key in STAGE_NUMBERS if (text := fields.get(key, "").strip())}
    table |= {key: text if (number := whole_number(text)) is None else number for key, text in entered.items()}
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


def _undo(draft: _Draft) -> None:
    if draft.subject not in draft.state.acts or draft.subject in draft.state.undone:
        raise ArenaError(f"There is no act {draft.subject[:20]} that can be undone.")


_COMPLETE: Mapping[str, Callable[[_Draft], None]] = {
    "stage": _stage, "void": _void, "replay": _replay, "correct": _correction, "withdraw": _entrant,
    "disqualify": _entrant_or_version, "remove_picture": _picture, "hold": _hold, "release": _release, "undo": _undo,
}  # fmt: skip
"""Check an act, and complete it, by its kind."""


def words_of(state: Contest, one: Act, *, ids: bool) -> str:
    """Return what an act did, for people. Without `ids`, an undone act is named by its words."""
    played, subject = state.played.get(one.subject), one.subject
    if played is not None:
        subject = f"{played.kind} match {played.encounter} ({' – '.join(played.names)})"
    elif one.kind == "undo" and not ids:
        subject = f"the act: {words_of(state, state.acts[subject], ids=ids)}"
    points = " : ".join(f"{value:g}" for value in one.more.get("points", ()))
    return ACTS[one.kind].words.format(subject=subject, points=points)


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
            "id": one.id if ids else "", "text": words_of(state, one, ids=ids),
            "author": one.author, "match": one.subject if one.subject in state.played else "",
            "reason": one.reason, "at": one.at, "undone": one.id in state.undone, "is_undo": one.kind == "undo",
        }
        for one in sorted(found, key=lambda one: one.number, reverse=True)
        if one.id not in hidden
    ]  # fmt: skip
