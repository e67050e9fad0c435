"""Erase people: `plan` says what that touches, and `erase` does it. It cannot be undone.

A person is erased with their team if nobody else is in it; an organizer's bot is erased alone. The name becomes a
pseudonym everywhere. Versions, matches and standings stay, and the chain of the journal stays as it was:

* **Texts.** Names, pictures, files, reports and reasons are entries of their own, which lose their documents. So does
  every other text that mentions a name. The act lists all of them, and `verify` accepts no other entry without a text.
* **Replays.** Those which mention a name are written again with the pseudonym. Entries say which files they are now.
* **Files.** Copies of bots that mention a name are removed: these versions do not play any more. Computed explanations
  and the remains of earlier rebuilds that mention it are removed too.

All entries are one transaction. What comes after it is done again at the next start if the process is killed before
the end (`finish`).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from arena.contests import entries
from arena.contests.config_bots import find_bots
from arena.contests.entries import Written
from arena.contests.journal.chain import ERASE
from arena.contests.journal.files import ERASING, disk_errors, stage_replay, temporary_replay_path, unstage_replay
from arena.contests.journal.store import now
from arena.contests.open_contest import OpenContest
from arena.contests.people.organizer_acts import LONGEST
from arena.contests.queue.copies import copy_path
from arena.contests.queue.evidence import read_evidence
from arena.contests.state import Contest
from arena.contests.status_file import STATUS
from arena.contests.values import Member
from arena.errors import ArenaError
from arena.game.validation import shortened
from arena.study.coach.stored import cache_path
from arena_replays import Reader, ReplayError, compact
from arena_replays.documents import Footer, Header
from arena_replays.entries import Note

_LISTED = 100
"""How many texts, replays and versions a plan names: more than that, nobody reads."""
_SHOWN = 200
"""The characters of a text that a plan shows: a picture is longer."""


@dataclass(slots=True)
class ErasurePlan:
    """What an erasure touches.

    Attributes:
        subject: The id of the person or entrant whom the act names; empty for many people.
        people: The ids of the people and entrants, and their pseudonyms.
        names: What is looked for, and the pseudonym in its place.
        others: The names of all others.
        texts: The numbers of the entries that lose their texts, and what they are, for people.
        replays: The ids of the matches whose replays are written again.
        copies: The content hashes and names of the versions whose files are removed.
        folders: Folders with the remains of rebuilds, which are removed.
    """

    subject: str = ""
    people: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    replays: list[str] = field(default_factory=list)
    copies: dict[str, str] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield what is touched, for people."""
        for name, pseudonym in self.names.items():
            yield f"{name} becomes {pseudonym}."
        yield f"Texts that are removed: {_listed(self.texts.values())}."
        yield f"Replays that are written again: {_listed(self.replays)}."
        yield f"Versions whose files are removed, and which play no more: {_listed(self.copies.values())}."
        if self.folders:
            yield f"Old files of rebuilds that are removed: {', '.join(map(str, self.folders))}."


def _listed(parts: Collection[str]) -> str:
    shown = ", ".join(list(parts)[:_LISTED])
    return f"{shown} and {len(parts) - _LISTED} more" if len(parts) > _LISTED else shown or "none"


def people_of(state: Contest, person: str) -> list[str]:
    """Return the ids of whom to erase: the person or entrant with a name or id, and the team of its last member."""
    members = [member for member in state.members.values() if person in (member.id, member.name)]
    if len(members) > 1:
        ids = ", ".join(f"{member.id} ({member.entrant or member.role})" for member in members)
        raise ArenaError(f"{len(members)} people are called {person}: {ids}.", hint="Write the id.")
    entrant = state.entrants.get(state.ids.get(person, "")) or state.entrant_named(person)
    if members:
        member, entrant = members[0], state.entrants.get(members[0].entrant)
        found = [member.id]
        if entrant is not None and not _others(state, entrant.name, member.id):
            found.append(entrant.id)
    elif entrant is None:
        raise ArenaError(f"There is no person, team or bot {person[:60]!r}.", hint="The desk lists all people.")
    elif others := _others(state, entrant.name):
        raise ArenaError(
            f"The team {person} has members: {', '.join(others)}.", hint="Erase them: the last takes it along."
        )
    else:
        found = [entrant.id]
    left = [key for key in found if key not in state.orders.erased]
    if not left:
        raise ArenaError(f"{person} has been erased.")
    return left


def _others(state: Contest, team: str, member: str = "") -> list[str]:
    people = [other for other in state.members.values() if other.entrant == team and other.id != member]
    return [other.name for other in people if other.id not in state.orders.erased]


def plan(contest: OpenContest, people: Collection[str], *, keeps_names_elsewhere: bool = False) -> ErasurePlan:
    """Return what the erasure of people and entrants touches. Nothing is changed.

    Args:
        keeps_names_elsewhere: Whether names can stand in the organizer's own files, such as `contest.toml`.
    """
    state, found = contest.state, ErasurePlan()
    for key in people:
        found.people[key] = f"{'Person' if key in state.members else 'Entrant'} {key[1:]}"
        if found.people[key] in state.entrants:
            raise ArenaError(f"The pseudonym {found.people[key]} is the name of somebody else.", hint="Rename the bot.")
        for name in _names_of(state, key):
            found.names[name] = found.people[key]
    found.others = _others_of(state, found.people)
    mention = NameFinder(found.names, found.others)
    if not people:
        return found
    if not keeps_names_elsewhere:
        found.subject = next(iter(people))
        _refuse_outside(contest, people, mention)
    found.texts = _texts(contest, people, mention)
    for played in state.played.values():
        with suppress(OSError, ReplayError):  # `verify` reports it
            if played.replay and mention.is_in(_texts_of(contest.folder / played.replay)):
                found.replays.append(played.id)
    own = {state.ids[key] for key in people} - {""}
    for version in state.by_player.values():
        shared = [twin for twin in state.by_hash[version.hash] if twin[0] not in own]
        is_own = version.entrant in own or version.by in people
        if version.path and is_own and not shared and mention.is_in_folder(contest.folder / copy_path(version.hash)):
            found.copies[version.hash] = version.key
    found.folders = sorted(contest.folder.glob("damaged-*"))
    return found


def _names_of(state: Contest, key: str) -> list[str]:
    if key in state.members:
        return [state.members[key].name]
    entrant = state.entrants[state.ids[key]]
    return [*dict.fromkeys((entrant.real_name, entrant.name))]


def _others_of(state: Contest, people: Collection[str]) -> list[str]:
    rest = [key for key in (*state.members, *(entrant.id for entrant in state.entrants.values())) if key not in people]
    return [name for key in rest for name in _names_of(state, key)]


def _refuse_outside(contest: OpenContest, people: Iterable[str], mention: NameFinder) -> None:
    """Refuse to erase what the organizer's own files would bring back."""
    state = contest.state
    with disk_errors(contest.path):
        if mention.is_in([contest.path.read_text(encoding="utf-8")]):
            raise ArenaError(
                f"{contest.path} names them: the next start would bring the name back.",
                hint='Remove the name from the file, or give the bot its pseudonym, such as name = "Entrant 3".',
            )
    bots, _ = find_bots(contest.config, contest.path.parent, contest.game)
    names = {bot.name for bot in bots}
    for key in people:
        name = state.ids[key]
        if key not in state.members and name in names:
            raise ArenaError(
                f"The bots of {contest.path.name} contain {name}: the next start would bring it back.",
                hint="Remove the bot's file, or rename it.",
            )
        if any(version.is_remote for version in state.versions.get(name, ())):
            raise ArenaError(f"{name} is a remote bot: matches have its name in place of a hash, and cannot lose it.")


def _texts(contest: OpenContest, people: Collection[str], mention: NameFinder) -> dict[int, str]:
    """Return the entries about some people, and those which mention them."""
    state, own = contest.state, set(people)
    versions = [
        version for version in state.by_player.values() if version.by in own or state.id_of(version.entrant) in own
    ]
    own |= {state.key_of(version) for version in versions}
    own |= {act.id for act in state.acts.values() if _subject_id(state, act.subject) in own}
    found = {}
    for number, key, value in contest.texts():
        if key.rpartition(".")[0] in own or mention.is_in(_strings(value)):
            found[number] = f"{key} ({shortened(value)})" if isinstance(value, str) and len(value) < _SHOWN else key
    return found


def _subject_id(state: Contest, subject: str) -> str:
    entrant, slash, number = subject.rpartition("/")
    name = entrant if slash else subject
    return f"{state.id_of(name)}{slash}{number if slash else ''}" if name in state.entrants else ""


# -- what mentions a name ----------------------------------------------------------------------------------


class NameFinder:
    """Finds names in texts: whole words, in capitals or not, also with other signs between their parts.

    Args:
        names: The names, and the pseudonym of each.
        others: The names of others. Where one of them stands, nobody else is meant.
    """

    def __init__(self, names: Mapping[str, str], others: Iterable[str] = ()) -> None:
        self._names = {_plain(name): pseudonym for name, pseudonym in names.items()}
        alone = _pattern_of(names)
        kept = {_plain(name): name for name in others if alone.search(name)}
        self._kept = {*kept}
        self._pattern = _pattern_of([*kept.values(), *names])

    def _found(self, text: str) -> Iterator[re.Match[str]]:
        return (found for found in self._pattern.finditer(text) if _plain(found[0]) not in self._kept)

    def is_in(self, texts: Iterable[str]) -> bool:
        return any(next(self._found(text), None) for text in texts)

    def is_in_folder(self, folder: Path) -> bool:
        """Return whether the name or the content of a file in a folder mentions a name."""
        for path in folder.rglob("*"):
            if self.is_in([path.name]):
                return True
            if path.is_file() and self.is_in([path.read_text(encoding="utf-8", errors="replace")]):
                return True
        return False

    def replaced(self, value: Any) -> Any:
        """Return a value of a document with pseudonyms in its texts."""
        if isinstance(value, str):
            return self._pattern.sub(self._pseudonym, value)
        if isinstance(value, Mapping):
            return {self.replaced(key): self.replaced(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.replaced(inner) for inner in value]
        return value

    def _pseudonym(self, found: re.Match[str]) -> str:
        plain = _plain(found[0])
        return found[0] if plain in self._kept else self._names[plain]


def _pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    spelled = (r"[\W_]*".join(map(re.escape, re.findall(r"[^\W_]+", name))) or re.escape(name) for name in names)
    longest_first = "|".join(sorted(spelled, key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{longest_first or '(?!)'})(?![^\W_])", re.IGNORECASE)


def _plain(name: str) -> str:
    return "".join(re.findall(r"[^\W_]+", name)).casefold() or name.casefold()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_strings(key), *_strings(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _texts_of(replay: Path) -> Iterator[str]:
    """Yield the texts of a replay that can have names, and those of its explanation. Rules know no names."""
    reader = Reader(replay)
    yield from _strings(reader.header)
    yield from _strings(reader.footer)
    for note in reader.notes:
        yield from _strings(note.payload)
    with suppress(OSError):
        yield cache_path(replay).read_text(encoding="utf-8", errors="replace")


# -- erasing -----------------------------------------------------------------------------------------------


def erase(
    contest: OpenContest, author: Member | None, reason: str, found: ErasurePlan, busy: Collection[str] = ()
) -> str:
    """Erase what a plan lists, and return the id of the act.

    Args:
        author: The organizer; None for a command.
        busy: The names of the entrants whose matches or checks are running.
    """
    reason, mention = reason.strip(), NameFinder(found.names, found.others)
    if not reason or len(reason) > LONGEST:
        raise ArenaError(f"Give a reason of at most {LONGEST} characters.")
    if mention.is_in([reason]):
        raise ArenaError("The reason has the name. It stays in the public log.", hint="Write it without the name.")
    if author is not None and author.id in found.people:
        raise ArenaError("Nobody erases themselves.", hint="Another organizer can do it, or the command.")
    with contest.lock:
        state = contest.state
        playing = [state.ids[key] for key in found.people if state.ids[key] in busy]
        if playing:
            hint = "Withdraw the team, and try again when its matches and checks are over."
            raise ArenaError(f"{playing[0]} is playing.", hint=hint)
        marker = contest.folder / ERASING
        with disk_errors(marker):
            marker.touch(mode=0o600)
        key, at = state.new_id("a"), now()
        more = {"entries": [*found.texts], "people": [*found.people], "copies": [*found.copies]}
        document = entries.Acted(act=ERASE, subject=found.subject, author=author.id if author else "", at=at, more=more)
        written: list[Written] = [entries.text(key, "reason", reason), (key, document)]
        written += [(match_id, _rewritten(contest.folder, state, match_id, mention)) for match_id in found.replays]
        written += [(person, entries.Revoked(at=at)) for person in found.people if person in state.members]
        written += [(sent.hash, entries.Revoked(at=at)) for sent in _invited(state, found.people)]
        contest.write(*written, erased=[*found.texts])
        for match_id in found.replays:
            unstage_replay(contest.folder, match_id)
        finish(contest)
        return key


def _invited(state: Contest, people: Collection[str]) -> list[Any]:
    names = {state.ids[key] for key in people if key not in state.members}
    return [invitation for invitation in state.invitations.values() if invitation.entrant in names]


def _rewritten(folder: Path, state: Contest, match_id: str, mention: NameFinder) -> entries.Rewritten:
    """Write a replay again, beside its place. It gets there after the transaction."""
    reader, temporary = Reader(folder / state.played[match_id].replay), temporary_replay_path(folder, match_id)
    views = [reader.frames(stream) for stream in range(reader.streams)]
    notes = (_note(note, mention) for note in reader.notes)
    header, footer = cast(Header, mention.replaced(reader.header)), cast(Footer, mention.replaced(reader.footer))
    assembled = compact.assembled(header, reader.truth, views, notes, footer)
    with disk_errors(temporary), assembled as made, temporary.open("wb") as out:
        shutil.copyfileobj(made, out)
    chain = read_evidence(temporary).chain
    return entries.Rewritten(hash=stage_replay(folder, match_id, temporary), chain=chain, at=now())


def _note(note: Note, mention: NameFinder) -> Note:
    return Note(note.turn, note.frame, note.player, note.kind, mention.replaced(note.payload), note.refused)


def finish(contest: OpenContest) -> None:
    """Remove from the disk what has been erased, if that was begun."""
    marker, state = contest.folder / ERASING, contest.state
    if not marker.exists():
        return
    with contest.lock, disk_errors(contest.folder):
        for content in state.orders.removed:
            shutil.rmtree(contest.folder / copy_path(content), ignore_errors=True)
        for match_id in state.rewritten_replays:
            cache_path(contest.folder / state.played[match_id].replay).unlink(missing_ok=True)
        for old in contest.folder.glob("damaged-*") if state.orders.erased else ():
            shutil.rmtree(old, ignore_errors=True)
        (contest.folder / STATUS).unlink(missing_ok=True)
        contest.scrub()
        marker.unlink()
