"""Write the archive of a contest.

It is made from the journal as if nobody had ever been named in it, except for teams that agree (`consent_of`). So
nothing of it has to be searched for names. `arena.contests.archive` says what is in it.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from math import log, sqrt
from pathlib import Path

import msgspec

from arena.bots.folders.files import list_files
from arena.bots.folders.manifest import MAIN
from arena.contests import entries
from arena.contests.archive import INDEX, ArchivedBot, Index
from arena.contests.contest_journal import ContestJournal
from arena.contests.journal.chain import RESULT, Entry
from arena.contests.journal.files import disk_errors
from arena.contests.journal.store import FILE
from arena.contests.ratings.skill import BETA, MU
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.state import Contest
from arena.contests.values import Consent
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game

_ELO = log(10) / 400 * sqrt(2) * BETA
"""A point of Elo in units of the ladder's skill: there, two players of fixed skills differ by `sqrt(2) * BETA`."""


def consent_of(state: Contest, name: str) -> Consent:
    """Return what may stay of an entrant: with `replays`, also its name. Who has said nothing has not agreed.

    The bots of `contest.toml` are the organizer's, who asks for the archive.
    """
    said, is_team = state.consent_of(name), state.entrants[name].is_team
    return said if said.at else Consent(not is_team, not is_team, not is_team)


def archived_state(folder: Path) -> tuple[Contest, dict[str, Consent]]:
    """Return a contest as its archive shows it, without people and without the names of teams that do not agree.

    Returns:
        The contest, and what each entrant agrees to, by id.
    """
    with closing(ContestJournal(folder, read_only=True)) as journal:
        journal.read()
        state, written = journal.history, list(journal.entries())
    if state.config is None:
        raise ArenaError(f"The contest in {folder} has not been started.")
    consents = {entrant.id: consent_of(state, entrant.name) for entrant in state.entrants.values()}
    kept = {f"{key}.name" for key, consent in consents.items() if consent.replays}
    kept |= {f"{key}.picture" for key, consent in consents.items() if consent.picture}
    kept |= {
        f"{state.key_of(version)}.program"
        for version in state.by_player.values()
        if consents[state.id_of(version.entrant)].opponent
    }
    archived = _folded(Contest(folder / FILE), written, consents, kept)
    if archived.is_outdated:
        archived = _folded(archived.again(), written, consents, kept)
    archived.number, archived.hash = state.number, state.hash
    return archived, consents


def _folded(
    archived: Contest, written: Sequence[Entry], consents: Mapping[str, Consent], kept: Collection[str]
) -> Contest:
    """Add the entries of a journal to an empty contest, without the texts that are not kept."""
    for entry in written:
        if entry.kind == "text" and not entry.key.startswith("config.") and entry.key not in kept:
            continue
        if entry.kind == RESULT and entry.text:
            document = entries.read(RESULT, entry.text)
            assert isinstance(document, entries.Result)
            if not all(consents[key].replays for key, _ in document.spec.seats):
                outcome = replace(document.outcome, replay="", replay_hash="")
                entry = replace(entry, value=msgspec.structs.replace(document, outcome=outcome))
        archived.take(entry)
        archived.number = entry.number  # acts and steps of shows remember the numbers of their entries
    return archived


def write_archive(
    contest: VisibleContest,
    consents: Mapping[str, Consent],
    folder: Path,
    site: Path,
    target: Path,
    public: Callable[[Path], bytes],
) -> Index:
    """Write the archive of a contest.

    Args:
        contest: What the archive shows; its state is that of `archived_state`, like the consents.
        site: The folder with the static site.
        public: Returns the public copy of a replay.
    """
    if target.exists():
        raise ArenaError(f"{target} exists.", hint="Name a new file.", exit_code=ExitCode.CANNOT_WRITE)
    state = contest.state
    replays: dict[str, str] = {}
    with (
        disk_errors(target, "Free some space, or name another file."),
        tempfile.TemporaryDirectory(dir=target.parent, prefix=".archive-") as temporary,
    ):
        path = Path(temporary) / "archive.tar"
        with tarfile.open(path, "w") as archive:
            archive.add(site, "site", filter=_anonymous)
            for spec, result in contest.matches():
                if result.replay and contest.seed_is_spent(spec) and (folder / result.replay).is_file():
                    data = public(folder / result.replay)
                    replays[spec.match_id] = hashlib.sha256(data).hexdigest()
                    _add(archive, f"replays/{spec.match_id}.arena", data)
            bots = []
            for bot, files in _bots(contest, consents, folder):
                _add(archive, bot.file, _packed(files))
                bots.append(bot)
            game = find_game(state.settings.game)
            index = Index(
                contest=state.settings.name,
                game=game.name,
                version=game.version,
                head=f"{state.number}:{state.hash}",
                replays=replays,
                bots=bots,
            )
            _add(archive, INDEX, msgspec.json.format(msgspec.json.encode(index)))
        path.rename(target)
    return index


def _bots(contest: VisibleContest, consents: Mapping[str, Consent], folder: Path) -> Iterator[tuple[ArchivedBot, Path]]:
    """Yield the bots that may play in later contests, each with its folder or file. Built-in ones are left out."""
    state = contest.state
    builtin = {bot.name for bot in find_game(state.settings.game).bots}
    skills = {row.name: MU + row.elo * _ELO for row in contest.ratings}
    skills |= {row.team: row.skill for row in contest.ladder}
    for number, name in enumerate(state.entrants, 1):
        version, consent = state.last_activated(name), consents[state.id_of(name)]
        is_builtin = name in builtin and not state.entrants[name].is_team
        if version is None or is_builtin or not consent.opponent or state.orders.is_out(version.player):
            continue
        if version.hash in state.orders.removed:
            continue
        skill = round(skills[name], 2) if name in skills else None
        bot = ArchivedBot(name=name, file=f"bots/{number}.tar.gz", skill=skill, licence=consent.licence)
        yield bot, folder / version.path


def _packed(bot: Path) -> bytes:
    folder, data = bot.parent if bot.is_file() else bot, io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name in list_files(folder):
            archive.add(folder / name, MAIN if folder / name == bot else name, filter=_anonymous)
    return data.getvalue()


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))
