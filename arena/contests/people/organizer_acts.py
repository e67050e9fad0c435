"""The acts of the organizers: `act` checks one, and writes it with its author and reason.

`values.ACTS` lists the kinds of acts, for the desk and for commands. `_COMPLETE` has what each checks and adds. What an
act does is in `arena.contests.orders`: it is computed again from all acts that were not undone, so an act changes
nothing itself, and undoing it leaves no trace. Only the beginning of a stage and the repetition of a match need further
entries, which are written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.contests import entries
from arena.contests.config import StageConfig
from arena.contests.config_file import STAGE, defect_of, formats_of, stage_from
from arena.contests.entries import Written
from arena.contests.journal.chain import ERASE
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import pair
from arena.contests.open_contest import OpenContest
from arena.contests.scheduler import are_enough, begin_entry, entrants_of
from arena.contests.state import Contest
from arena.contests.values import ACTS, KINDS, LADDER, Act, Member, number_of
from arena.contests.visibility import visibility_of
from arena.errors import ArenaError
from arena.text.reading import whole_number

LONGEST = 500
"""The limit for the characters of a reason. The public log shows it whole."""
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

    contest: OpenContest
    key: str
    subject: str
    fields: Fields
    more: dict[str, Any] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)

    @property
    def state(self) -> Contest:
        return self.contest.state


def act(contest: OpenContest, author: Member | None, kind: str, fields: Fields) -> str:
    """Record an organizer's act, and return its id. The act takes effect at once.

    Args:
        author: The organizer; None for a command.
        kind: One of the keys of `ACTS`.
    """
    if kind not in ACTS or kind == ERASE:
        raise ArenaError("This act does not exist.")
    subject, reason = fields.get("subject", "").strip(), fields.get("reason", "").strip()
    if not reason or len(reason) > LONGEST:
        raise ArenaError(f"Give a reason of at most {LONGEST} characters.")
    with contest.lock:
        key = contest.state.new_id("a")
        draft = _Draft(contest, key, subject if ACTS[kind].subject else "", fields)
        if kind in _COMPLETE:
            _COMPLETE[kind](draft)
        author_id = author.id if author else ""
        document = entries.Acted(act=kind, subject=draft.subject, author=author_id, at=now(), more=draft.more)
        if kind not in ("stage", "undo") and not contest.state.has_effect(document):
            raise ArenaError("This act changes nothing: it is so already.")
        contest.write(entries.text(key, "reason", reason), (key, document), *draft.written)
        return key


# What each kind of act checks and adds. Names become ids last, so that messages have the names.


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
    if len(points) != count or not all(0 <= share <= 1 for share in points):
        raise ArenaError(f"Give {count} numbers from 0 to 1, in the order of the seats, such as 1 0.")
    draft.more["points"] = points


def _entrant_or_version(draft: _Draft) -> None:
    state, subject = draft.state, draft.subject
    name, slash, number = subject.rpartition("/")
    whole, owner = state.entrant_named(subject), state.entrant_named(name)
    if whole is not None:
        draft.subject = whole.id
    elif not slash:
        raise ArenaError(f"There is no team or bot {subject[:60]!r}. Write a version as NAME/NUMBER.")
    elif owner is None or state.version(owner.name, number_of(number)) is None:
        raise ArenaError(f"There is no version {subject[:60]!r}. Write it as NAME/NUMBER.")
    else:
        draft.subject = f"{owner.id}/{number_of(number)}"


def _entrant(draft: _Draft) -> None:
    entrant = draft.state.entrant_named(draft.subject)
    if entrant is None:
        raise ArenaError(f"There is no team or bot {draft.subject[:60]!r}.")
    draft.subject = entrant.id


def _reveal(draft: _Draft) -> None:
    _entrant(draft)
    if not draft.contest.config.visible.anonymous:
        raise ArenaError("The teams of this contest are not anonymous.")


def _group(draft: _Draft) -> None:
    groups, known = draft.fields.get("groups", "").split(), dict(draft.contest.config.groups)
    for group in groups:
        if group not in known:
            raise ArenaError(f"There is no group {group[:40]!r}. [groups] of the file lists them.")
    _entrant(draft)
    name = draft.state.ids[draft.subject]
    if {*groups} == {*draft.state.groups_of(name)}:
        raise ArenaError(f"{name} belongs to these groups already.")
    draft.more["groups"] = groups


def _picture(draft: _Draft) -> None:
    entrant = draft.state.entrant_named(draft.subject)
    if entrant is None or entrant.name not in draft.state.public_pictures():
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
    contest, state = draft.contest, draft.state
    of_file = {stage.name: stage for stage in contest.config.stages if stage.format != LADDER}
    config = of_file.get(draft.subject) or _new_stage(contest, draft.subject, draft.fields)
    if state.begun_as(config.name) or config.name in KINDS:
        raise ArenaError(f"A stage {config.name} has begun before.", hint="Choose another name.")
    waiting = [version for version in state.waiting() if not state.orders.is_out(version.player)]
    in_time = [version.key for version in waiting if not version.late]
    if contest.is_closed and in_time:
        raise ArenaError(
            f"Versions that were handed in in time wait for their check: {', '.join(in_time)}.",
            hint="Begin the stage after their checks, or disqualify them.",
        )
    names = entrants_of(state, config, contest.board(everything=True))
    if not are_enough(state, names):
        raise ArenaError("There are too few teams and bots for this stage.")
    draft.written.append(begin_entry(state, config, names))


STAGE_NUMBERS = ("advance", "rounds", "table", "groups", "games", "best_of", "winners")
"""The keys of a new stage that are numbers. Further ones are its `format`, and the group `only`."""


def _new_stage(contest: OpenContest, name: str, fields: Fields) -> StageConfig:
    if not fields.get("format"):
        raise ArenaError(f"There is no stage {name[:40]!r} in the file.", hint="Choose a format for a new stage.")
    formats = formats_of(contest.game)
    if fields["format"] not in formats:
        raise ArenaError(f"The format must be one of {', '.join(formats)}.")
    table: dict[str, Any] = {"name": name, "format": fields["format"]}
    for key in STAGE_NUMBERS:
        text = fields.get(key, "").strip()
        if text:
            number = whole_number(text)
            table[key] = text if number is None else number  # `STAGE` says what is wrong with a text
    if fields.get("only"):
        table["only"] = fields["only"]
    table |= _usual(contest, table)
    defects = [str(defect) for defect in STAGE.defects(table, "stage")]
    if table.get("only") and table["only"] not in dict(contest.config.groups):
        defects.append("The group of a stage must be in [groups].")
    if defects:
        raise ArenaError("\n".join(defects), hint="`arena contest init` writes a file with stages.")
    config = stage_from(table)
    defect = defect_of(config, contest.game)
    if defect:
        raise ArenaError(defect)
    if fields.get("exhibition") not in (None, "", "true"):
        raise ArenaError("The key exhibition can only be true.")
    return replace(config, exhibition=bool(fields.get("exhibition")))


_ALL_PLAY_ALL = 8
"""The largest quickdraw in which all meet: 28 pairs of games, about as many as a Swiss of 12 plays."""


def quickdraw(state: Contest) -> tuple[str, str]:
    """Return the name and the format of a quick tournament of all who play."""
    number, count = 1, len(state.playing())
    while state.begun_as(f"quickdraw-{number}"):
        number += 1
    of_two = "round_robin" if count <= _ALL_PLAY_ALL else "swiss"
    return f"quickdraw-{number}", "free_for_all" if min(count, state.settings.table) > 2 else of_two


def _usual(contest: OpenContest, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stage needs that nobody has entered.

    A Swiss has one round more than a bracket of the same field would, groups have four entrants, and a free-for-all
    five rounds: enough to order the first places, and as short as an evening.
    """
    count = table.get("advance") or len(contest.state.playing())
    largest = contest.game.player_counts[-1]
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
    if draft.state.acts[draft.subject].kind == ERASE:
        raise ArenaError("Nothing brings back what was erased.")


_COMPLETE: Mapping[str, Callable[[_Draft], None]] = {
    "stage": _stage,
    "void": _void,
    "replay": _replay,
    "correct": _correction,
    "withdraw": _entrant,
    "disqualify": _entrant_or_version,
    "group": _group,
    "remove_picture": _picture,
    "reveal": _reveal,
    "hold": _hold,
    "release": _release,
    "undo": _undo,
}
"""Check an act, and complete it, by its kind. The other kinds need no more than a reason."""

# -- the log -----------------------------------------------------------------------------------------------


def words_of(state: Contest, act: Act, *, ids: bool) -> str:
    """Return what an act did, for people. Without `ids`, an undone act is named by its words."""
    played, subject = state.played.get(act.subject), act.subject or "what was kept for long enough"
    if played is not None:
        subject = f"{played.kind} match {played.encounter} ({' – '.join(played.names)})"
    elif act.kind == "undo" and not ids:
        subject = f"the act: {words_of(state, state.acts[subject], ids=ids)}"
    points = " : ".join(f"{value:g}" for value in act.more.get("points", ()))
    groups = ", ".join(act.more.get("groups", ())) or "no group"
    return ACTS[act.kind].words.format(subject=subject, points=points, groups=groups)


def public_log(state: Contest, *, everything: bool = False) -> list[dict[str, Any]]:
    """Return all acts, newest first, including undone acts and the acts that undid them.

    Without an act that is hidden, its id would be missing. So the public sees no ids while results are held back.

    Args:
        everything: Whether to include acts about results that are held back from the public. Show these acts only to
            organizers.
    """
    visible = visibility_of(state, everything=everything)
    hidden: set[str] = set()
    for recorded in state.acts.values():
        played = state.played.get(recorded.subject)
        if played is not None and not visible.shows(played):
            hidden.add(recorded.id)
    acts = [recorded for recorded in state.acts.values() if recorded.id not in hidden]
    acts += [undo for undo in state.undone.values() if undo.subject not in hidden]
    acts.sort(key=lambda recorded: recorded.number, reverse=True)
    ids = visible.everything
    return [
        {
            "id": recorded.id if ids else "",
            "kind": recorded.kind,
            "text": words_of(state, recorded, ids=ids),
            "author": recorded.author,
            "match": recorded.subject if recorded.subject in state.played else "",
            "reason": recorded.reason,
            "at": recorded.at,
            "undone": recorded.id in state.undone,
            "is_undo": recorded.kind == "undo",
        }
        for recorded in acts
    ]
