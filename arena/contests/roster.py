"""The bots of `contest.toml`: find, copy, build and try them, and enter them with their versions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot, bot_outside, load_bot
from arena.bots.builtin import builtin_path, is_typed_module, no_bot
from arena.bots.folders.child import is_foreign
from arena.bots.folders.files import BUILT
from arena.bots.references import split_reference
from arena.contests import entries
from arena.contests.config import FILE, BotEntry, ContestConfig, changes
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.open_contest import KnownContest, OpenContest
from arena.contests.queue.copies import copy_bot, store_build
from arena.contests.queue.queue import Engine, played_once
from arena.contests.state import Contest
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.ending import REGULAR, reason_in_words
from arena.match.job import REMOTE, remote_identity
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for
from arena.play.referee.load import usable_processors
from arena.text.printable import look_keys

_ARCHIVES = (".zip", ".tar.gz", ".tgz")
PARTNER = "partner"
"""In matches to try a bot, this text replaces the content hash of the game's weakest built-in bot."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A bot that cannot take part.

    Attributes:
        reference: The path of the bot, a reference such as `builtin:NAME`, or the name of the bot.
    """

    reference: str
    reason: str

    @property
    def message(self) -> str:
        return f"{self.reference} cannot take part: {self.reason}"


@dataclass(frozen=True, slots=True)
class FoundBot:
    name: str
    bot: Bot
    entry: BotEntry
    reference: str


@dataclass(frozen=True, slots=True)
class Tried:
    """What a bot did in a match to try it, or in its build if the build fails.

    Attributes:
        plays: Whether the bot has also played to the end, without a crash or a time-out.
    """

    name: str
    starts: bool
    text: str
    plays: bool = True


def find_bots(
    config: ContestConfig, base: Path, game: GameSpec, known: Iterable[str] = ()
) -> tuple[list[FoundBot], list[Broken]]:
    """Read all bots of the configuration, without running them.

    Args:
        known: The names of entrants, which they keep. A new bot whose name looks like one of them is broken.

    Returns:
        The bots that were found, and those that cannot take part.
    """
    bots: list[FoundBot] = []
    broken: list[Broken] = []
    for reference, entry in _references(config, base):
        name = entry.name
        try:
            bot = bot_outside(REMOTE, "", remote_identity(name)) if reference == REMOTE else load_bot(reference, game)
        except ArenaError as error:
            broken.append(Broken(reference, error.message))
            continue
        bots.append(FoundBot(name or bot.name, bot, entry, reference))
    kept, clashing = _without_clashes(bots, set(known))
    return kept, broken + clashing


def names_of_bots(opened: OpenContest) -> list[str]:
    """Return the names of the bots of the file, if they have not entered yet: they enter with the first start."""
    if opened.state.config is not None:
        return []
    return [one.name for one in find_bots(opened.config, opened.path.parent, opened.game)[0]]


def _references(config: ContestConfig, base: Path) -> Iterator[tuple[str, BotEntry]]:
    for entry in config.bots:
        if entry.many:
            for reference in _inside(entry, base):
                yield reference, entry
        elif entry.path.startswith("builtin:") or entry.path == REMOTE:
            yield entry.path, entry
        else:
            yield str(base / entry.path), entry


def _inside(entry: BotEntry, base: Path) -> list[str]:
    """Return the paths of all bots in a folder of bots, in order of their names."""
    folder = base / entry.path
    if not folder.is_dir():
        raise ArenaError(
            f"The folder of bots {folder} does not exist.",
            hint="Paths start from the folder of the configuration file.",
            exit_code=ExitCode.BAD_BOT,
        )
    return [
        str(path)
        for path in sorted(folder.iterdir())
        if not is_foreign(path.name, folder.name)
        and not path.name.startswith(".")
        and not is_typed_module(path)
        and (path.is_dir() or path.suffix == ".py" or path.name.lower().endswith(_ARCHIVES))
    ]


def _without_clashes(bots: list[FoundBot], known: set[str]) -> tuple[list[FoundBot], list[Broken]]:
    """Return the bots with names of their own. If names look alike, the later bots are broken; entrants come first."""
    taken: dict[tuple[str, bool], str] = {look: name for name in known for look in look_keys(name)}
    used: set[str] = set()
    kept: list[FoundBot] = []
    broken: list[Broken] = []
    for one in sorted(bots, key=lambda one: one.name not in known):
        name = one.name
        other = next((taken[look] for look in look_keys(name) if look in taken), None)
        if name in used or (other is not None and name not in known):
            reason = (
                f"its name {name!r} is that of another bot; give it another `name`, in its bot.toml or in [[bots]]"
                if name in used
                else f"its name {name!r} looks like {other!r}, the name of another bot"
            )
            broken.append(Broken(one.name if one.bot.is_outside else one.reference, reason))
            continue
        used.add(name)
        taken |= dict.fromkeys(look_keys(name), name)
        kept.append(one)
    return sorted(kept, key=bots.index), broken


def refuse_broken(broken: Iterable[Broken]) -> None:
    raise ArenaError(
        "\n".join(one.message for one in broken),
        hint='Fix them, or exclude them with broken_bots = "exclude".',
        exit_code=ExitCode.BAD_BOT,
    )


def check_enough(config: ContestConfig, names: Sequence[str], broken: Iterable[Broken] = ()) -> None:
    """Check that there are enough bots for a match, in a contest without people, and that champions exist.

    Args:
        broken: The bots that cannot take part. The message names them.
    """
    defects = []
    if config.people is None and len(names) < (least := max(2, config.rules.players[0])):
        there = "are none" if not names else "is one" if len(names) == 1 else f"are {len(names)}"
        defects.append(f"A contest needs {'two' if least == 2 else least} bots at least, and there {there}.")
    for stage in config.stages:
        for name in stage.champions:
            if name not in names:
                defects.append(f"Stage {stage.name!r}: champions names {name!r}, which is not a bot of the contest.")
    if defects:
        defects += [one.message for one in broken]
        raise ArenaError("\n".join(defects), exit_code=ExitCode.BAD_LEAGUE)


def check_references(game: GameSpec, bots: Sequence[str], base: Path) -> None:
    """Check that the bots that the user names exist. Their content is checked later."""
    for bot in bots:
        bot, settings = split_reference(bot)
        if settings:
            raise ArenaError(
                f"{bot} has settings, but a contest plays a bot as it is.",
                hint="Copy the bot, and write the values into its bot.toml.",
                exit_code=ExitCode.BAD_BOT,
            )
        if bot.startswith("builtin:"):
            builtin_path(game, bot.removeprefix("builtin:"))
        elif not (base / bot).exists():
            raise no_bot(base / bot, game, "Paths start from the folder of the configuration file.")


# -- enter the bots --------------------------------------------------------------------------------------


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

    bots: list[FoundBot]
    broken: list[Broken]
    new: list[FoundBot]
    changes: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    moved: list[FoundBot] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)


def survey(config: ContestConfig, game: GameSpec, path: Path, state: Contest | None = None) -> Roster:
    """Read the bots of a configuration, and compare them with the journal. Run no bot, and write nothing.

    Raises:
        ArenaError: A bot is broken and the configuration refuses that, or there are too few bots.
    """
    known = {} if state is None else {one.name: one for one in state.entrants.values() if not one.is_team}
    bots, broken = find_bots(config, path.parent, game, [] if state is None else state.entrants)
    if broken and config.broken_bots == "refuse":
        refuse_broken(broken)
    if state is not None and len(state.played):
        # What was excluded at the start is no new bot before its files change.
        bots = [one for one in bots if one.name in known or one.bot.content_hash not in state.refused]
    check_enough(config, [one.name for one in bots], broken)
    # The pages show the reasons, but must not show the organizer's folders.
    bases = [f"{base}{os.sep}" for base in (path.parent.resolve(), path.parent)]
    excluded = {one.reference: _without(f"{one.reference}: {one.reason}", bases) for one in broken}
    if state is None:
        return Roster(bots, broken, bots, excluded=excluded)
    listed = {one.name for one in bots}
    gone = [name for name in known if name not in listed and name not in state.orders.withdrawn]
    new = [one for one in bots if _known_hash(state, one.name) != one.bot.content_hash]
    moved = [one for one in bots if one.name in known and known[one.name].groups != one.entry.groups]
    told = changes(state.config, config) if state.config else []
    told += [f"the bot {one.name}" + (" is new" if one.name not in known else "") for one in new]
    told += [f"the groups of the bot {one.name}" for one in moved]
    told += [f"the bot {name} is gone" for name in gone]
    told += [f"the bot {one.name} is back" for one in bots if one.name in _gone_before(state)]
    return Roster(bots, broken, new, told, gone, moved, excluded)


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
    opened: OpenContest, roster: Roster, engine: Engine | None, report: Callable[[Tried], None], *, remote: bool = False
) -> None:
    """Copy, build and try the new versions of a roster, and write what has changed."""
    written = entries_of(opened, roster, examined(opened, roster, engine, report, remote=remote))
    if written:
        opened.write(*written)
        opened.back_up()  # a rebuild cannot find these changes in the replays


def examined(
    known: KnownContest, roster: Roster, engine: Engine | None, report: Callable[[Tried], None], *, remote: bool = False
) -> list[FoundBot]:
    """Copy, build and try the new bots of a roster, and return those that can take part.

    Args:
        engine: Plays the matches to try new versions; None to try none.
        report: Called with what each bot did.
        remote: Whether bots on other machines, which had time to join, are tried too.
    """
    config, begun = known.config, len(known.state.played) > 0
    for one in roster.new:
        if not one.bot.is_outside:
            roster.copies[one.bot.content_hash] = copy_bot(one.bot, known.folder)
    failed = _built(known, roster, report)
    if engine is not None:
        tried = [one for one in roster.new if one.name not in failed]
        left_out = [one for one in tried if one.bot.is_outside and not (remote and known.game.bots)]
        for late in left_out:
            report(Tried(late.name, True, "is remote, and is not tried"))
        failed |= _tried(known, [one for one in tried if one not in left_out], engine, report)
    if failed and (begun or config.broken_bots == "refuse"):
        refuse_broken(Broken(name, reason) for name, reason in failed.items())
    roster.excluded |= {name: f"{name} {reason}" for name, reason in failed.items()}
    roster.refused |= {one.bot.content_hash for one in roster.new if one.name in failed}
    check_enough(config, [one.name for one in roster.bots if one.name not in failed])
    return [one for one in roster.new if one.name not in failed]


def _built(opened: KnownContest, roster: Roster, report: Callable[[Tried], None]) -> dict[str, str]:
    """Build the copies that need it. Return why a bot does not build, by its name."""
    from arena.bots.build import NoBuildError

    def build(one: FoundBot) -> NoBuildError | None:
        copy = opened.folder / roster.copies.get(one.bot.content_hash, "")
        try:
            if not one.bot.is_outside and not (copy / BUILT).exists():
                store_build(load_bot(copy), opened.config.least_isolation)
        except NoBuildError as error:
            return error
        return None

    with ThreadPoolExecutor(len(usable_processors())) as pool:
        errors = zip(roster.new, pool.map(build, roster.new), strict=True)
        failures = {one.name: error for one, error in errors if error is not None}
    for name, error in failures.items():
        report(Tried(name, False, error.explained))
    # The pages show the reasons, but not the compiler's output, which quotes the source.
    return {name: f"does not build: {error.reason}" for name, error in failures.items()}


def _tried(
    opened: KnownContest, bots: Sequence[FoundBot], engine: Engine, report: Callable[[Tried], None]
) -> dict[str, str]:
    """Play a match with each bot, several at a time. Return why a bot does not start, by its name."""
    failed = {}
    ends = played_once(engine, [_trial(opened, one) for one in bots])
    for one, ended in zip(bots, ends, strict=True):
        if ended.played is None:
            code = getattr(ended.error, "exit_code", ExitCode.FAULT)
            what = f"A match to try the bot {one.name} cannot be played, and the bot is not the cause"
            raise ArenaError(f"{what}: {ended.reason.rstrip('.')}.", exit_code=code) from ended.error
        if ended.played.replay:
            Path(ended.played.replay).unlink(missing_ok=True)
        tried = judge(one.name, ended.played)
        report(tried)
        if not tried.starts:
            failed[one.name] = tried.text
    return failed


def _trial(opened: KnownContest, tried: FoundBot) -> MatchSpec:
    """Return the match to try a bot: against the game's weakest built-in bot, or itself if there is none."""
    config, bots = opened.config, opened.game.bots
    name, content = (bots[0].name, PARTNER) if bots else (tried.name, tried.bot.content_hash)
    count = max(2, config.rules.players[0]) - 1
    numbers = [f" {number}" for number in range(1, count + 1)] if count > 1 else [""]
    return MatchSpec(
        tournament="trial", stage="trial", round=1, pairing=0, number=0, game=config.game,
        map=config.maps[0] if config.maps else "", options=config.options,
        seats=(
            Participant(tried.name, tried.bot.content_hash),
            *(Participant(f"{name} (partner{number})", content) for number in numbers),
        ),
        seed=seed_for("sanity", tried.name),
    )  # fmt: skip


def judge(name: str, result: MatchResult) -> Tried:
    player = result.players[0]
    if player.ending in ("no_start", "no_build"):
        return Tried(name, False, f"does not start: {player.explained or 'no reason is known'}", plays=False)
    if player.ending in REGULAR:
        slow = f", its longest turn took {player.clock.worst_turn:.3f} s" if player.clock.turns else ""
        return Tried(name, True, f"plays ({result.isolation.name}{slow})")
    if player.ending == "void":
        why = ": ".join(filter(None, (reason_in_words(result.outcome.reason), player.detail)))
        return Tried(name, True, f"takes part, but its match to try it is void ({why})")
    return Tried(name, True, f"starts, but its match ended with {player.ending}: {player.explained}", plays=False)


def entries_of(known: KnownContest, roster: Roster, ready: Sequence[FoundBot]) -> list[Written]:
    """Return the entries of new versions, of bots that have come or gone, and of a changed configuration."""
    state, at = known.state, now()
    written: list[Written] = []
    ids: dict[str, str] = {name: one.id for name, one in state.entrants.items()}
    for one in ready:
        if one.name not in ids:
            ids[one.name] = state.new_id("e", len(ids) - len(state.entrants))
            written += [entries.text(ids[one.name], "name", one.name), _entered(ids[one.name], one, at)]
        content, versions = one.bot.content_hash, state.versions.get(one.name, ())
        same = next((version for version in versions if version.hash == content), None)
        key = f"{ids[one.name]}/{same.number if same else state.next_version(one.name)}"
        if same is None:
            written.append((key, entries.Handed(hash=content, path=roster.copies.get(content, ""), at=at)))
        written.append((key, entries.Activated(at=at)))
    written += [_entered(ids[one.name], one, at) for one in roster.moved]
    gone = _gone_before(state)
    acts: list[tuple[str, str, str, dict[str, Any]]] = [
        ("withdraw", ids[name], f"is not in {FILE} any more", {"file": True}) for name in roster.gone
    ]
    acts += [("undo", gone[one.name], f"is in {FILE} again", {}) for one in roster.bots if one.name in gone]
    for count, (kind, subject, reason, more) in enumerate(acts):
        act = state.new_id("a", count)
        written.append(entries.text(act, "reason", reason))
        written.append((act, entries.Acted(act=kind, subject=subject, author="", at=at, more=more)))
    fixed = [(one.name, one.entry.skill) for one in roster.bots if one.name in ids]
    skills = {ids[name]: skill for name, skill in fixed if skill is not None}
    return written + _config_entries(known, skills, (list(roster.excluded.values()), sorted(roster.refused)), ids)


def _entered(key: str, bot: FoundBot, at: str) -> Written:
    return key, entries.Entered(team=False, groups=list(bot.entry.groups), at=at)


def _config_entries(
    opened: KnownContest, skills: dict[str, float], excluded: tuple[list[str], list[str]], ids: dict[str, str]
) -> list[Written]:
    """Return the entries of a changed configuration; none if nothing has changed."""
    config, state = opened.config, opened.state
    settings = replace(config, stages=tuple([one.renamed(ids) for one in config.stages])).stored()
    known = state.config
    if known is not None:
        before = [*state.excluded], sorted(state.refused)
        excluded = before if len(state.played) else excluded
        anchors = {state.ids.get(one, one): skill for one, skill in skills.items()}
        if (replace(config, bots=(), seed=""), anchors, excluded) == (known, state.anchors, before):
            return []
    written = [entries.text("config", "excluded", excluded)] if any(excluded) else []
    return [*written, ("", entries.Config(settings=settings, anchors=skills, at=now()))]
