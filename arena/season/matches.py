"""Play the matches of a season: trials of new versions, challenges, and the ladder."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from itertools import islice

from arena.bots.folders.files import BUILT
from arena.engines import Workload
from arena.errors import ArenaError
from arena.journal.files import DiskError, check_room
from arena.journal.store import Written, now
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for
from arena.matches.engines.engine import Engine
from arena.matches.engines.local import LocalEngine
from arena.matches.queue import Ended, MatchQueue
from arena.matches.referee_match import folder_matches
from arena.matches.results import void_entry
from arena.season.board import next_players, window
from arena.season.checking import Checks
from arena.season.config import table_size
from arena.season.shares import Shares, in_order, payers, slot_time
from arena.season.store import Season, utc
from arena.season.values import Pairing, Player, SlotTime, Version, time_of
from arena.text.printable import excerpt

_REMEMBERED = 1000
"""The number of results from which the shares of the teams are computed at the start."""
_IDLE = 1.0


def specs_of(season: Season, encounter: Pairing) -> list[MatchSpec]:
    """Return the matches of an encounter. All have the same seed, and the seats rotate from match to match.

    All trials have the same seed and map, which shows versions that play alike (see `suspicions.alike`).
    """
    config, players = season.config, _distinct(encounter.players)
    place = 0 if encounter.kind == "trial" else encounter.number
    return [
        MatchSpec(
            tournament=season.state.id, stage=encounter.kind, round=encounter.number, pairing=0, number=number,
            game=config.game, map=config.maps[place % len(config.maps)] if config.maps else "",
            options=config.options,
            seats=tuple(Participant(*players[(seat + number) % len(players)]) for seat in range(len(players))),
            seed=seed_of(season.state.secret, encounter.kind, encounter.number, number, len(players)),
        )
        for number in range(encounter.games)
    ]  # fmt: skip


def seed_of(secret: str, kind: str, encounter: int, number: int, size: int) -> int:
    """Return the seed of one match of an encounter. All trials have the same seed."""
    return seed_for(secret, kind, 0 if kind == "trial" else encounter, number // size)


def _distinct(players: Sequence[Player]) -> list[Player]:
    """Return players with distinct names: a repeated name gets a number, such as "name (2)"."""
    counts: Counter[str] = Counter()
    found = []
    for name, content in players:
        counts[name] += 1
        found.append((f"{name} ({counts[name]})" if counts[name] > 1 else name, content))
    return found


def pair(
    season: Season, kind: str, players: tuple[Player, ...], games: int, team: str = "", act: int = 0, after: int = 0
) -> Written:
    """Return the entry of a new encounter.

    Args:
        after: The number of encounters before it in the same transaction.
    """
    number = season.state.next_encounter() + after
    document = {"kind": kind, "players": players, "games": games, "team": team, "act": act, "at": now()}
    return "pair", str(number), document


def comparisons(season: Season, version: Version) -> list[Written]:
    """Return the entries of the encounters for the report of a version that has passed its check.

    It plays against each built-in bot, except the weakest, which it has met in its trial, and against the active
    version of its team.
    """
    state, others = season.state, table_size(season.config, season.game) - 1
    rivals = [*state.anchors][1:]
    active = state.active(version.team)
    if active is not None and active.hash != version.hash:
        rivals.append(active.player)
    return [
        pair(season, "comparison", (version.player, *[rival] * others), 2, version.team, after=after)
        for after, rival in enumerate(rivals)
    ]


def challenge(season: Season, team: str, opponent: str, number: int = 0) -> int:
    """Record a challenge, an unrated encounter with another team or a built-in bot, and return its number.

    Args:
        number: The version of the team that plays, which need not be active; 0 for the active one.
    """
    with season.lock:
        state = season.state
        own = state.version(team, number) if number else state.active(team)
        if own is not None and (not own.passed or state.orders.is_out(own.player)):
            raise ArenaError(f"Version {own.number} of {team} does not play.")
        anchors = {name: (name, content) for name, content in state.anchors}
        rival = state.active(opponent)
        other = anchors.get(opponent) or (rival.player if rival else None)
        if own is None:
            raise ArenaError(f"{team} has no version that plays.")
        if other is None or opponent == team:
            raise ArenaError("This opponent has no version that plays.")
        if state.challenges_since(team, utc()) >= season.config.challenges_per_day:
            raise ArenaError(f"{team} has used its {season.config.challenges_per_day} challenges of 24 hours.")
        size = table_size(season.config, season.game)
        encounter = state.next_encounter()
        season.write(pair(season, "challenge", (own.player, *[other] * (size - 1)), 2, team))
        return encounter


def activate(season: Season, version: Version) -> None:
    with season.lock:
        state = season.state
        if not version.passed:
            raise ArenaError(f"Version {version.number} has not passed its check.")
        if is_frozen(season, version):
            raise ArenaError("The versions are frozen.", hint="The deadline is over.")
        if state.orders.is_out(version.player):
            raise ArenaError(f"Version {version.number} is disqualified.")
        active = state.active(version.team)
        if active is None or active.number != version.number:
            season.write(("activate", version.key, {"at": now()}))


def is_frozen(season: Season, version: Version) -> bool:
    """Return whether a version cannot become active any more."""
    return version.late or (season.is_closed and not has_open_question(season, version))


def has_open_question(season: Season, version: Version) -> bool:
    """Return whether a version was handed in in time, but its check ended when the versions were frozen already.

    Its team could not choose before. So it can once choose this version after the deadline.
    """
    state, report = season.state, version.report
    return (
        report is not None
        and version.passed
        and not version.late
        and season.is_closed_at(time_of(report["at"]))
        and not state.was_active(version.player)
    )


class Paths(dict[str, str]):
    """Maps the content hash of each version and built-in bot to the path of its stored copy.

    If the copy contains a built program, the path is that of the built program.
    """

    def __init__(self, season: Season) -> None:
        super().__init__()
        self._season = season

    def __missing__(self, content: str) -> str:
        state = self._season.state
        copies = [state.by_player[one].path for one in state.by_hash.get(content, [])] or [state.paths[content]]
        path = self._season.folder / copies[0]
        return str(built if (built := path / BUILT).is_dir() else path)


class Matches(threading.Thread):
    """A thread that starts checks and matches until `stop` is called.

    Attributes:
        running: The running matches with their start, by match id. Each change makes a new dictionary.
    """

    def __init__(self, season: Season, engine: Engine | None = None) -> None:
        super().__init__(name="matches", daemon=True)
        self.season = season
        self._queue = MatchQueue(engine or make_engine(season))
        self.engine = self._queue.engine
        self.running: dict[str, tuple[MatchSpec, float]] = {}
        self.checks = Checks(season, self._start_trial, lambda version: comparisons(season, version))
        self.problem = ""
        self.slots = 0
        self.shares = Shares()
        for played in season.state.played.values()[-_REMEMBERED:]:
            encounter = season.state.encounters[played.encounter]
            self.shares.charge(encounter, played.names, played.slot_time, season.state.teams, season.state.teams)
        self._disk_failed = False
        self._stopped = False
        # The reports of interrupted checks are lost. So these checks run again from the start, with new trial matches.
        trials = [number for number in season.state.open if season.state.encounters[number].kind == "trial"]
        if trials:
            season.write(*(("drop", str(number), {"reason": "restart", "at": now()}) for number in trials))

    def run(self) -> None:
        """Start checks and matches until `stop` is called, or until a fault of Arena."""
        season = self.season
        while True:
            with season.lock:
                if self._stopped:
                    return
                try:
                    self._check_disk()
                    self.checks.start()
                    self._start_matches()
                except ArenaError as error:  # for example, the disk is full: try again later
                    self.problem = error.message
                    self._disk_failed = isinstance(error, DiskError)
                except Exception:
                    self.problem = "A fault of Arena; the log of the server has a traceback."
                    logging.getLogger(__name__).exception("The matches of the season stopped.")
                    return
                season.changed.wait(_IDLE)

    def stop(self) -> None:
        with self.season.lock:
            self._stopped = True
            self.season.changed.notify_all()
        self.join()
        self.engine.kill()
        self.checks.stop()
        self.engine.close()

    def _start_trial(self, version: Version) -> None:
        """Add the last part of a version's check: a match against the weakest built-in bot."""
        anchors = [*self.season.state.anchors] or [version.player]
        rivals = anchors[:1] * (table_size(self.season.config, self.season.game) - 1)
        self.season.write(pair(self.season, "trial", (version.player, *rivals), 1, version.team))

    def _check_disk(self) -> None:
        """After an error of the disk, start nothing before there is room for a replay again."""
        if self._disk_failed:
            check_room(self.season.folder)
            self._disk_failed, self.problem = False, ""

    # -- matches -------------------------------------------------------------------------------------

    def _start_matches(self) -> None:
        try:
            self.slots = self.engine.window
        except ArenaError:
            self.slots = 0
            raise
        while len(self._queue.running) < self.slots:
            spec = self._next()
            if spec is None:
                return
            future = self._queue.start(spec)
            self.running = {**self.running, spec.match_id: (spec, utc().timestamp())}
            future.add_done_callback(self._finished)

    def _next(self) -> MatchSpec | None:
        """Return the next match to start; None if no match can start. If necessary, add an encounter of the ladder."""
        state = self.season.state
        over = self.shares.over(state.teams, self._paying())
        waiting = (state.encounters[number] for number in state.open)
        open_ = [one for one in waiting if not (state.orders.paused and one.kind == "ladder")]
        ready, postponed = in_order(open_, over, state.teams)
        # If nobody else can play, those who have used their share do: no slot stays empty.
        behind = self.shares.behind(state.teams) if over else frozenset()
        spec = self._first(ready)
        for left_out in (over, behind):
            if spec is None:
                spec = self._pair(left_out)
        if spec is None:
            spec = self._first(postponed)
        if spec is None:
            spec = self._pair(frozenset())
        return spec

    def _paying(self) -> list[str]:
        state = self.season.state
        encounters = (state.encounters[spec.round] for spec, _ in self.running.values())
        return [team for one in encounters for team in payers(one, state.teams)]

    def _first(self, encounters: Sequence[Pairing]) -> MatchSpec | None:
        specs = (spec for one in encounters for spec in specs_of(self.season, one))
        known = self.season.state.played
        return next((one for one in specs if one.match_id not in known and one.match_id not in self.running), None)

    def _pair(self, over: Collection[str]) -> MatchSpec | None:
        """Add an encounter of the ladder without some teams, and return its first match; None if nobody can play."""
        state = self.season.state
        if state.orders.paused or state.orders.frozen:
            return None
        size = table_size(self.season.config, self.season.game)
        last = list(islice(state.encounters.newest(), window(len(state.teams))))
        shares = [player for encounter in last if encounter.kind == "ladder" for player in encounter.players]
        board = self.season.board(everything=True)
        players = next_players(board, shares, size, self.season.config.rated_matches, over)
        if not players:
            return None
        number = state.next_encounter()
        self.season.write(pair(self.season, "ladder", players, size))
        return specs_of(self.season, state.encounters[number])[0]

    def _charge(self, spec: MatchSpec, time: SlotTime) -> None:
        state = self.season.state
        names = [name for name, _ in state.players_of(spec)]
        playing = self.season.board(everything=True).playing()
        self.shares.charge(state.encounters[spec.round], names, time, playing, state.teams)

    def _finished(self, future: "Future[MatchResult]") -> None:
        """Record the result of a match. This runs in the thread of the engine."""
        with self.season.lock:
            ended = self._queue.take(future)
            spec = ended.match
            try:
                if not self._stopped:
                    self._take_in(ended)
                    self.problem = ""
            except ArenaError as error:
                self.problem = error.message
                self._disk_failed = isinstance(error, DiskError)
                if spec.stage == "trial" and spec.match_id in self.season.state.played:  # the report is not written
                    self.checks.put_off(self._version_of(spec), error.message)
            finally:
                self.running = {key: one for key, one in self.running.items() if key != spec.match_id}
                self.season.changed.notify_all()

    def _take_in(self, ended: Ended[MatchSpec]) -> None:
        spec, played = ended.match, ended.played
        if played is None:
            elapsed = utc().timestamp() - self.running[spec.match_id][1]
            self._charge(spec, SlotTime((0.0,) * len(spec.seats), elapsed))
            check_room(self.season.folder)
            if not ended.again:
                self._give_up(spec, ended.reason)
            return
        clocks = [player.clock.wall for player in played.players]
        self._charge(spec, slot_time(played.seconds.total, played.seconds.start, clocks))
        if ended.again:
            self.season.write(void_entry(spec, played))
        if ended.result is not None:
            self._record(spec, ended.result)

    def _record(self, spec: MatchSpec, result: MatchResult) -> None:
        self.season.commit(spec, result)
        if spec.stage == "trial":
            version, player = self._version_of(spec), result.players[0]
            if not result.has_verdict:  # a void match is no reason to refuse the bot
                text = excerpt(f"first match: void, through no fault of the bot ({result.void})")
                self.checks.running[version.key].lines.append({"name": text, "passed": True, "problem_text": ""})
            problem = f"its first match ended with {player.ending}: {player.detail}" if player.failed else ""
            self.checks.report(version, problem, spec.match_id)

    def _version_of(self, trial: MatchSpec) -> Version:
        return self.season.state.by_player[trial.seats[0].name, trial.seats[0].hash]

    def _give_up(self, spec: MatchSpec, reason: str) -> None:
        self.season.write(("drop", str(spec.round), {"reason": excerpt(reason), "at": now()}))
        if spec.stage == "trial":
            self.checks.report(self._version_of(spec), f"its first match could not be played: {reason}")


def make_engine(season: Season, elsewhere: Callable[[Workload], Engine] | None = None) -> Engine:
    """Return an engine that plays the season's matches.

    Args:
        elsewhere: Makes an engine of another distribution; None to play in processes on this machine.
    """
    config = season.config
    matches = folder_matches(config, season.game, season.folder, Paths(season))
    if elsewhere is not None:
        return elsewhere(Workload(matches, season.folder))
    return LocalEngine(matches.start, config.matches_at_once, on_close=matches.close)
