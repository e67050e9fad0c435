"""The bots of `contest.toml` beside what the journal knows of them: copy, build and try them, and enter them.

A run does three things with them, in this order: `survey` compares without writing anything; `examined` copies, builds
and tries what is new; `enter` writes all that has changed, in one transaction. So a bot that cannot play never gets an
entry, and a file that nobody has accepted (`refuse_changes`) changes nothing. Bots that are not in the file any more
withdraw by an act, and a bot that is back undoes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.bots.bot import load_bot
from arena.bots.folders.files import BUILT
from arena.contests import entries
from arena.contests.config import FILE, ContestConfig, changes
from arena.contests.config_bots import BrokenBot, Candidate, check_enough, find_bots, refuse_broken
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.queue.copies import copy_bot, store_build
from arena.contests.queue.queue import Engine, played_once
from arena.contests.state import Contest
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.ending import REGULAR, ending_phrase, reason_in_words
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for
from arena.play.referee.cores import usable_processors

PARTNER = "partner"
"""In matches to try a bot, this text replaces the content hash of the game's weakest built-in bot."""


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What a bot did in a match to try it, or in its build if the build fails.

    Attributes:
        plays: Whether the bot has also played to the end, without a crash or a time-out.
    """

    name: str
    starts: bool
    text: str
    plays: bool = True


@dataclass(slots=True)
class Roster:
    """The bots of `contest.toml` beside what the journal knows of them.

    Attributes:
        bots: The bots that were found.
        broken: The bots that cannot take part.
        new: The bots whose version the journal does not know.
        changes: What differs from the journal, in words.
        gone: The entrants of the file that are not in it any more.
        moved: The bots that have entered and belong to other groups now.
        excluded: Why bots do not take part, by their path or name.
        refused: The content hashes of those of them that could be read.
        copies: The paths of the copies of new versions in the folder of the contest, by their content hash.
    """

    bots: list[Candidate]
    broken: list[BrokenBot]
    new: list[Candidate]
    changes: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    moved: list[Candidate] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)


def survey(config: ContestConfig, game: GameSpec, path: Path, state: Contest | None = None) -> Roster:
    """Read the bots of a configuration, and compare them with the journal. Run no bot, and write nothing.

    Raises:
        ArenaError: A bot is broken and the configuration refuses that, or there are too few bots.
    """
    bots_of_journal = [] if state is None else [entrant for entrant in state.entrants.values() if not entrant.is_team]
    entrants = {entrant.name: entrant for entrant in bots_of_journal}
    bots, broken = find_bots(config, path.parent, game, [] if state is None else state.entrants)
    if broken and config.broken_bots == "refuse":
        refuse_broken(broken)
    if state is not None and len(state.played):
        # What was excluded at the start is no new bot before its files change.
        bots = [bot for bot in bots if bot.name in entrants or bot.bot.content_hash not in state.refused]
    check_enough(config, [bot.name for bot in bots], broken)
    # The pages show the reasons, but must not show the organizer's folders.
    bases = [f"{base}{os.sep}" for base in (path.parent.resolve(), path.parent)]
    excluded = {bot.reference: _without(f"{bot.reference}: {bot.reason}", bases) for bot in broken}
    if state is None:
        return Roster(bots, broken, bots, excluded=excluded)
    names, withdrawn = {bot.name for bot in bots}, _gone_before(state)
    gone = [name for name in entrants if name not in names | state.orders.withdrawn | state.orders.left]
    new = [bot for bot in bots if _known_hash(state, bot.name) != bot.bot.content_hash]
    moved = [bot for bot in bots if bot.name in entrants and entrants[bot.name].groups != bot.entry.groups]
    words = changes(state.config, config) if state.config else []
    words += [f"the bot {bot.name}" + (" is new" if bot.name not in entrants else "") for bot in new]
    words += [f"the groups of the bot {bot.name}" for bot in moved]
    words += [f"the bot {name} is gone" for name in gone]
    words += [f"the bot {bot.name} is back" for bot in bots if bot.name in withdrawn]
    return Roster(bots, broken, new, words, gone, moved, excluded)


def _without(text: str, bases: Iterable[str]) -> str:
    for base in bases:
        text = text.replace(base, "") if base != f".{os.sep}" else text.removeprefix(base)
    return text


def _gone_before(state: Contest) -> dict[str, str]:
    """Return the acts that withdrew bots because they were not in the file any more, by name of the bot."""
    return {act.subject: act.id for act in state.in_force() if act.kind == "withdraw" and act.more.get("file")}


def _known_hash(state: Contest, name: str) -> str:
    """Return the content hash of a bot's last version. An organizer can have disqualified it: it is no new one."""
    last = state.last_activated(name)
    return last.hash if last else ""


def refuse_changes(state: Contest, roster: Roster) -> None:
    """Refuse a changed file or bot of a contest with results, which nobody has accepted."""
    if roster.changes and len(state.played):
        raise ArenaError(
            f"Since the contest was started, this has changed: {', '.join(roster.changes)}.",
            hint="Undo the change, or apply it to what is not paired yet with --amend.",
            exit_code=ExitCode.CHANGED,
        )


def refuse_begun(state: Contest, config: ContestConfig) -> None:
    """Refuse other settings of a stage that has begun: they would have no effect."""
    for stage in config.stages:
        begun = state.begun_as(stage.name)
        if begun is not None and begun != stage:
            keys = ", ".join(key for key, value in asdict(stage).items() if asdict(begun)[key] != value)
            raise ArenaError(
                f"The stage {stage.name} has begun, and keeps its settings: {keys} cannot change.",
                hint="Undo the change in the file. For other settings, void the stage and add one with another name.",
                exit_code=ExitCode.CHANGED,
            )


def enter(
    contest: OpenContest,
    roster: Roster,
    engine: Engine | None,
    report: Callable[[TrialReport], None],
    *,
    remote: bool = False,
) -> None:
    """Copy, build and try the new versions of a roster, and write what has changed."""
    written = entries_of(contest, roster, examined(contest, roster, engine, report, remote=remote))
    if written:
        contest.write(*written)
        contest.back_up()  # a rebuild cannot find these changes in the replays


def examined(
    contest: LoadedContest,
    roster: Roster,
    engine: Engine | None,
    report: Callable[[TrialReport], None],
    *,
    remote: bool = False,
) -> list[Candidate]:
    """Copy, build and try the new bots of a roster, and return those that can take part.

    Args:
        engine: Plays the matches to try new versions; None to try none.
        report: Called with what each bot did.
        remote: Whether bots on other machines, which had time to join, are tried too.
    """
    config, begun = contest.config, len(contest.state.played) > 0
    for candidate in roster.new:
        if not candidate.bot.is_outside:
            roster.copies[candidate.bot.content_hash] = copy_bot(candidate.bot, contest.folder)
    failed = _built(contest, roster, report)
    if engine is not None:
        built = [candidate for candidate in roster.new if candidate.name not in failed]
        # Two remote bots cannot play each other before all have joined: without a built-in partner, none is tried.
        # Players of other distributions are not tried either: a match of a language model costs money.
        left_out = [
            candidate
            for candidate in built
            if candidate.bot.is_brought or (candidate.bot.is_outside and not (remote and contest.game.bots))
        ]
        for candidate in left_out:
            what = "is no bot" if candidate.bot.is_brought else "is remote"
            report(TrialReport(candidate.name, True, f"{what}, and is not tried"))
        failed |= _tried(contest, [candidate for candidate in built if candidate not in left_out], engine, report)
    if failed and (begun or config.broken_bots == "refuse"):
        refuse_broken(BrokenBot(name, reason) for name, reason in failed.items())
    roster.excluded |= {name: f"{name} {reason}" for name, reason in failed.items()}
    roster.refused |= {candidate.bot.content_hash for candidate in roster.new if candidate.name in failed}
    check_enough(config, [candidate.name for candidate in roster.bots if candidate.name not in failed])
    return [candidate for candidate in roster.new if candidate.name not in failed]


def _built(contest: LoadedContest, roster: Roster, report: Callable[[TrialReport], None]) -> dict[str, str]:
    """Build the copies that need it. Return why a bot does not build, by its name."""
    from arena.bots.build import NoBuildError

    def build(candidate: Candidate) -> NoBuildError | None:
        copy = contest.folder / roster.copies.get(candidate.bot.content_hash, "")
        try:
            if not candidate.bot.is_outside and not (copy / BUILT).exists():
                store_build(load_bot(copy), contest.config.least_isolation)
        except NoBuildError as error:
            return error
        return None

    with ThreadPoolExecutor(len(usable_processors())) as pool:
        errors = zip(roster.new, pool.map(build, roster.new), strict=True)
        failures = {candidate.name: error for candidate, error in errors if error is not None}
    for name, error in failures.items():
        report(TrialReport(name, False, error.explained))
    # The pages show the reasons, but not the compiler's output, which quotes the source.
    return {name: f"does not build: {error.reason}" for name, error in failures.items()}


def _tried(
    contest: LoadedContest, bots: Sequence[Candidate], engine: Engine, report: Callable[[TrialReport], None]
) -> dict[str, str]:
    """Play a match with each bot, several at a time. Return why a bot does not start, by its name."""
    failed = {}
    matches = played_once(engine, [_trial(contest, bot) for bot in bots])
    for bot, ended in zip(bots, matches, strict=True):
        if ended.played is None:
            code = getattr(ended.error, "exit_code", ExitCode.FAULT)
            what = f"A match to try the bot {bot.name} cannot be played, and the bot is not the cause"
            raise ArenaError(f"{what}: {ended.reason.rstrip('.')}.", exit_code=code) from ended.error
        if ended.played.replay:
            Path(ended.played.replay).unlink(missing_ok=True)
        tried = judge(bot.name, ended.played)
        report(tried)
        if not tried.starts:
            failed[bot.name] = tried.text
    return failed


def _trial(contest: LoadedContest, tried: Candidate) -> MatchSpec:
    """Return the match to try a bot: against the game's weakest built-in bot, or itself if there is none."""
    config, bots = contest.config, contest.game.bots
    name, content = (bots[0].name, PARTNER) if bots else (tried.name, tried.bot.content_hash)
    count = max(2, config.rules.players[0]) - 1
    numbers = [f" {number}" for number in range(1, count + 1)] if count > 1 else [""]
    partners = [Participant(f"{name} (partner{number})", content) for number in numbers]
    return MatchSpec(
        tournament="trial",
        stage="trial",
        round=1,
        pairing=0,
        number=0,
        game=config.game,
        map=config.maps[0] if config.maps else "",
        options=config.options,
        seats=(Participant(tried.name, tried.bot.content_hash), *partners),
        seed=seed_for("sanity", tried.name),
    )


def judge(name: str, result: MatchResult) -> TrialReport:
    """Return what the bot on the first seat of a match did. It cannot take part only if it does not start."""
    player = result.players[0]
    if player.ending in ("no_start", "no_build"):
        return TrialReport(name, False, f"does not start: {player.explained or 'no reason is known'}", plays=False)
    if player.ending in REGULAR:
        slow = f", its longest turn took {player.clock.worst_turn:.3f} s" if player.clock.turns else ""
        return TrialReport(name, True, f"plays ({player.isolation.name}{slow})")
    if player.ending == "void":
        why = ": ".join(filter(None, (reason_in_words(result.outcome.reason), player.detail)))
        return TrialReport(name, True, f"takes part, but its match to try it is void ({why})")
    return TrialReport(
        name, True, f"starts, but it {ending_phrase(player.ending)} in its match: {player.explained}", plays=False
    )


def entries_of(contest: LoadedContest, roster: Roster, ready: Sequence[Candidate]) -> list[Written]:
    """Return the entries of new versions, of bots that have come or gone, and of a changed configuration."""
    state, at = contest.state, now()
    written: list[Written] = []
    ids: dict[str, str] = {name: entrant.id for name, entrant in state.entrants.items()}
    for candidate in ready:
        name, content = candidate.name, candidate.bot.content_hash
        if name not in ids:
            ids[name] = state.new_id("e", len(ids) - len(state.entrants))
            written += [entries.text(ids[name], "name", name), _entered(ids[name], candidate, at)]
        same = next((version for version in state.versions.get(name, ()) if version.hash == content), None)
        key = f"{ids[name]}/{same.number if same else state.next_version(name)}"
        if same is None:
            *folders, program = roster.copies.get(content, "").split("/")[:3]
            if len(folders) == 2:  # the name of a single file is often that of its author
                written.append(entries.text(key, "program", program))
            path = "/".join(folders if len(folders) == 2 else [*folders, program])
            written.append((key, entries.Handed(hash=content, path=path, at=at)))
        written.append((key, entries.Activated(at=at)))
    written += [_entered(ids[candidate.name], candidate, at) for candidate in roster.moved]
    written += _act_entries(state, roster, ids, at)
    skills = {
        ids[candidate.name]: candidate.entry.skill
        for candidate in roster.bots
        if candidate.name in ids and candidate.entry.skill is not None
    }
    return written + _config_entries(contest, skills, (list(roster.excluded.values()), sorted(roster.refused)), ids)


def _act_entries(state: Contest, roster: Roster, ids: Mapping[str, str], at: str) -> list[Written]:
    """Return the entries of the acts by which bots withdraw that are not in the file any more, or come back."""
    withdrawn, written = _gone_before(state), []
    acts: list[tuple[str, str, str, dict[str, Any]]] = [
        ("withdraw", ids[name], f"is not in {FILE} any more", {"file": True}) for name in roster.gone
    ]
    acts += [("undo", withdrawn[bot.name], f"is in {FILE} again", {}) for bot in roster.bots if bot.name in withdrawn]
    for count, (kind, subject, reason, more) in enumerate(acts):
        key = state.new_id("a", count)
        written.append(entries.text(key, "reason", reason))
        written.append((key, entries.Acted(act=kind, subject=subject, author="", at=at, more=more)))
    return written


def _entered(key: str, bot: Candidate, at: str) -> Written:
    return key, entries.Entered(team=False, groups=list(bot.entry.groups), at=at)


def _config_entries(
    contest: LoadedContest, skills: dict[str, float], excluded: tuple[list[str], list[str]], ids: dict[str, str]
) -> list[Written]:
    """Return the entries of a changed configuration; none if nothing has changed."""
    config, state = contest.config, contest.state
    settings = replace(config, stages=tuple([stage.renamed(ids) for stage in config.stages])).stored()
    if state.config is not None:
        before = [*state.excluded], sorted(state.refused)
        excluded = before if len(state.played) else excluded
        anchors = {state.ids.get(key, key): skill for key, skill in skills.items()}
        if (replace(config, bots=(), seed="", webhook=None), anchors, excluded) == (
            state.config,
            state.anchors,
            before,
        ):
            return []
    written = [entries.text("config", "excluded", excluded)] if any(excluded) else []
    return [*written, ("", entries.Config(settings=settings, anchors=skills, at=now()))]
