"""Check the journal of a contest against itself, the replays, and the copies of the bots.

Everything that can be checked is checked, also after damage: each problem is reported as it is found. What a contest
says is trusted only as far as its replays prove it; with `rules`, also the replays are played again by the game.
"""

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.contests.archive import read_index, read_members
from arena.contests.contest_journal import ContestJournal
from arena.contests.journal.chain import ERASE
from arena.contests.journal.sources import Sources
from arena.contests.journal.store import FILE
from arena.contests.queue.copies import copy_defect, copy_path
from arena.contests.queue.evidence import differences, read_evidence, resolved_options
from arena.contests.state import Contest
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.study.checks.verification import verify as verify_replay
from arena_replays import ReplayError, header_of


@dataclass(slots=True)
class Findings:
    """The findings of a check.

    Attributes:
        erased: What was erased by acts, in words.
        head: Number and hash of the last readable entry, as `NUMBER:HASH`. A later check with this head finds changes
            of this entry and the earlier entries.
    """

    problems: list[str] = field(default_factory=list)
    results: int = 0
    replays: int = 0
    versions: int = 0
    erased: list[str] = field(default_factory=list)
    head: str = ""


def verify(
    folder: Path,
    *,
    rules: bool = False,
    head: str = "",
    report: Callable[[str], None] = lambda _problem: None,
) -> Findings:
    """Check a contest.

    Args:
        rules: Whether to also play each replay again by the rules of the game.
        head: `Findings.head` of an earlier check; empty if there is none.
    """
    findings = Findings()
    for problem in _problems(folder, findings, head, rules=rules):
        findings.problems.append(problem)
        report(problem)
    return findings


def verify_archive(path: Path, *, rules: bool, report: Callable[[str], None] = lambda _problem: None) -> Findings:
    """Check the replays of an archive against its index.

    Args:
        rules: Whether to also play each replay again by the installed rules, also if their version is a later one.
    """
    index, findings = read_index(path), Findings()
    findings.head, findings.results, findings.versions = index.head, len(index.replays), len(index.bots)
    with tempfile.TemporaryDirectory() as temporary:
        for match_id, digest in index.replays.items():
            name = f"replays/{match_id}.arena"
            data = read_members(path, {name: 1 << 30}).get(name, b"")
            try:
                if hashlib.sha256(data).hexdigest() != digest:
                    raise ArenaError("is gone or was changed")
                if rules:
                    file = Path(temporary) / "match.arena"
                    file.write_bytes(data)
                    check_rules(file)
                findings.replays += 1
            except ArenaError as error:
                findings.problems.append(f"{path}: the replay of {match_id} {error.message}.")
                report(findings.problems[-1])
    return findings


def _problems(folder: Path, findings: Findings, head: str, *, rules: bool) -> Iterator[str]:
    replays = sorted(folder.glob("replays/*/*.arena"))  # before the journal is read: a match can end meanwhile
    sources = Sources.of(folder)
    problems = sources.problems()
    state = Contest(folder / FILE)
    try:
        with contextlib.closing(ContestJournal(folder, read_only=True)) as journal:
            state = journal.history
            if head and not journal.has(head):
                problems.append(f"The journal {journal.path} does not continue from entry {head[:20]}.")
            state = journal.read()
    except ArenaError as error:
        if error.exit_code != ExitCode.DAMAGED_JOURNAL:
            raise
        if not problems or (state.number and error.message not in problems):  # the end of a readable chain is missing
            problems.append(error.message)
    yield from problems
    findings.erased = _erased(state)
    findings.head = f"{state.number}:{state.hash}"
    yield from _wrong_replays(folder, state, findings, rules=rules)
    recorded = {folder / played.replay for played in state.played.values()}
    unknown = [path for path in replays if path not in recorded]
    if not problems:
        yield from (f"The replay {path} does not belong to a result in the journal." for path in unknown)
    elif unknown:
        yield f"{len(unknown)} replays were not compared: their results are not readable, or come after the damage."
    yield from _wrong_copies(folder, state, findings)


def _erased(state: Contest) -> list[str]:
    lines = []
    for act in state.acts.values():
        if act.kind == ERASE:
            numbers = ", ".join(map(str, act.more["entries"]))
            versions = [version.key for version in state.by_player.values() if version.hash in act.more["copies"]]
            parts = [f"the texts of the entries {numbers}"] if numbers else []
            parts += [f"the files of {', '.join(versions)}"] if versions else []
            lines.append(f"Erased by act {act.id}: {'; '.join(parts) or 'nothing'}.")
    return lines


def _wrong_replays(folder: Path, state: Contest, findings: Findings, *, rules: bool) -> Iterator[str]:
    for played in state.played.values():
        result = played.result
        assert result is not None, "the match was played"
        findings.results += 1
        if not result.replay:
            continue
        try:
            check_replay(folder, played.spec, result, rules=rules)
            findings.replays += 1
        except ArenaError as error:
            yield f"The replay {folder / result.replay} {error.message}."


def check_replay(folder: Path, spec: MatchSpec, result: MatchResult, *, rules: bool) -> None:
    path = folder / result.replay
    evidence = read_evidence(path)
    if evidence.digest != result.replay_hash or result.chain not in ("", evidence.chain):
        raise ArenaError("is not the recorded one")
    options = {}
    with contextlib.suppress(ArenaError):  # if the game has changed, do not compare the options
        game = find_game(spec.game)
        # The journal and the replay can come from a stranger, so the map's file is not read.
        recorded = evidence.header.get("options", {}).get(game.map_option, "")
        options = resolved_options(game, spec, recorded)
    wrong = differences(evidence, spec, result, options)
    if wrong:
        raise ArenaError(f"does not prove its result: {'; '.join(wrong)}")
    if rules:
        check_rules(path)


def check_rules(path: Path) -> None:
    """Play the actions of a replay again by the installed rules of the game, and compare the results.

    Rules of another version prove a replay if they give the same match. If not, the message names the version it needs.
    """
    try:
        header = header_of(path)
        game = find_game(header.get("game", ""))
        report = verify_replay(path, any_version=True)
    except ReplayError as error:
        raise ArenaError(f"cannot be verified: {error.message.rstrip('.')}") from error
    if not report.ok and header.get("version") != game.version:
        needed = f"needs the rules {game.name} {header.get('version')}: those that are installed, {game.version}"
        raise ArenaError(f"{needed}, give another match ({report.problem})")
    if not report.ok:
        raise ArenaError(f"does not follow the rules: {report.problem}")
    if report.dice or not report.complete:
        problem = report.problem or f"its draws were not compared: {report.dice}"
        raise ArenaError(f"does not prove its result: {problem}")


def _wrong_copies(folder: Path, state: Contest, findings: Findings) -> Iterator[str]:
    versions = dict(state.copies())
    findings.versions = len(versions)
    for content, name in versions.items():
        copy = folder / copy_path(content)
        if wrong := copy_defect(copy, content):
            yield f"The stored copy of the bot {name}, {copy}, {wrong}."
