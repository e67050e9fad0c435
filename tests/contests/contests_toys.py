"""Helpers of the tests: contests in memory, contests in a folder, and results for them without any match."""

import contextlib
import copy
import hashlib
import io
import json
import random
import sys
import zipfile
import zlib
from concurrent.futures import Future
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from arena.cli.new import template_files
from arena.contests import entries
from arena.contests.config import ContestConfig, PairingRules, StageConfig
from arena.contests.config_file import template
from arena.contests.contest_journal import first_entry, result_entries
from arena.contests.journal.chain import chained
from arena.contests.journal.files import temporary_replay_path
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import pair, specs_of, trial
from arena.contests.ladder.slot_shares import Shares
from arena.contests.loop import Loop
from arena.contests.open_contest import OpenContest, open_contest
from arena.contests.people import accounts
from arena.contests.people.organizer_acts import act
from arena.contests.people.version_checks import RunningCheck
from arena.contests.queue.local import LocalEngine
from arena.contests.queue.referee_match import RefereeMatch, folder_matches
from arena.contests.roster import enter, survey
from arena.contests.run import Paths
from arena.contests.scheduler import begin_entry, decide, is_over, round_entry
from arena.contests.state import Contest
from arena.contests.values import Member
from arena.game import Outcome
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec
from arena.play.referee.match_process import ForkServers, MatchProcess

TOY = Path(__file__).with_name("toy_match.py")
ORGANIZER = Member("p0", "Olga", "", "organizer")


def version_hash(number):
    return f"{number:064x}"


# -- results -------------------------------------------------------------------------------------------


def result_of(winner, endings=None, scores=(0.0, 0.0), void=""):
    if endings is None:
        endings = ("drawn", "drawn") if winner is None else ("won", "lost") if winner == 0 else ("lost", "won")
    players = tuple(PlayerResult(e, score=s) for e, s in zip(endings, scores, strict=True))
    return MatchResult(players, Outcome(winner, "toy"), void=void)


def pointed_result(points):
    """The result of a match of any number of players, who got these points."""
    best = max(points)
    winners = [seat for seat, one in enumerate(points) if one == best]
    outcome = Outcome(winners[0] if len(winners) == 1 else None, "goal")
    endings = ["drawn" if len(winners) > 1 else "won" if one == best else "lost" for one in points]
    players = tuple(PlayerResult(ending, score=one) for ending, one in zip(endings, points, strict=True))
    return MatchResult(players, outcome)


def ranked_result(ranks, **outcome):
    """The result of a table; the score is the number of players who are behind."""
    ended = Outcome(None, "toy", tuple(ranks), **outcome)
    scores = [float(sum(rank > own for rank in ranks)) for own in ranks]
    players = tuple(PlayerResult(ended.verdict(seat), score=score) for seat, score in enumerate(scores))
    return MatchResult(players, ended)


def void_result(players=2):
    """The result of a match whose process somebody has ended."""
    outcome = Outcome(None, "interrupted by SIGTERM")
    return MatchResult((PlayerResult("void"),) * players, outcome, void=f"the referee gave no result: {outcome.reason}")


def by_strength(spec, draws=0.0, seed=0):
    """Names decide who is likelier to win; the same match has the same outcome in whatever order it is played."""
    rng = random.Random(f"{seed}{spec.match_id}")
    if rng.random() < draws:
        return result_of(None, scores=(1.0, 1.0))
    one, other = (1.0 / int(name[3:]) for name in spec.names)
    winner = int(rng.random() >= one / (one + other))
    return result_of(winner, scores=(1.0 - winner, float(winner)))


def at_table(spec):
    """The same for any number of players: who is stronger is likelier to be before others."""
    rng = random.Random(spec.match_id)
    order = sorted(spec.names, key=lambda name: rng.expovariate(1.0 / int(name[3:])))
    return ranked_result([order.index(name) + 1 for name in spec.names])


def for_any(spec):
    return at_table(spec) if len(spec.names) > 2 else by_strength(spec, 0.2)


def crashing(name, decide=by_strength, when=lambda spec: True):
    """Results in which a bot crashes, in the matches that `when` names."""

    def result(spec):
        if name not in spec.names or not when(spec):
            return decide(spec)
        seat = spec.names.index(name)
        return result_of(1 - seat, ("crashed", "won") if seat == 0 else ("won", "crashed"))

    return result


# -- contests in memory --------------------------------------------------------------------------------


class MemoryJournal:
    """The journal of a contest without files. It folds what it writes as the real one does."""

    def __init__(self):
        self.folder = Path("toys")
        self.history = Contest(self.folder / "journal.db")
        self.written = []

    def append(self, *written, erased=()):
        texts = [(document.kind, key, entries.text_of(document)) for key, document in written]
        values = [document for _, document in written]
        for entry in chained(texts, self.history.number, self.history.hash, values):
            self.history.wrote(entry)
            self.written.append(entry)

    def commit(self, spec, result):
        if spec.match_id in self.history.played:
            return False
        self.append(*result_entries(spec, result, now()))
        return True

    def entries(self):
        return iter(self.written)

    def back_up(self, *, final=False):
        """Nothing is kept."""


def config_of(*stages, legs=1, players=(2, 2), **settings):
    usual = {"name": "Toys", "game": "toy", "id": "toys", "seed": "secret"}
    return ContestConfig(stages=stages, rules=PairingRules(legs, players), **usual | settings)


def in_memory(names, *stages, groups=(), **settings):
    """A contest in memory that has begun. `names` are the names of the entrants, or their number."""
    config = config_of(*stages, **settings)
    low, high = config.rules.players
    counts = tuple(range(low, high + 1))
    game = SimpleNamespace(
        name="toy", players=low, player_counts=counts, legs=config.rules.legs, state=SimpleNamespace(cooperative=False),
        describe_players=lambda: f"{low} to {high} players",
    )  # fmt: skip
    opened = OpenContest(Path("toys.toml"), config, game, MemoryJournal())
    opened.write(("", first_entry(config)))
    enter_toys(opened, names, groups)
    return opened


def enter_toys(opened, names, groups=()):
    """Enter bots without files, and write the configuration, if it is not written yet."""
    names = [f"bot{number:03}" for number in range(1, names + 1)] if isinstance(names, int) else names
    if opened.state.config is None:
        opened.write(*(written for name in names for written in entry_of(opened, name, groups, names.index(name))))
        settings = opened.config.stored()
        for stage in settings["stages"]:
            stage["champions"] = [opened.state.id_of(name) for name in stage["champions"]]
        opened.write(("", entries.Config(settings=settings, anchors={}, at=now())))


def entry_of(opened, name, groups=(), after=0):
    one, number = opened.state.new_id("e", after), len(opened.state.ids) + after + 1
    return [
        entries.text(one, "name", name),
        (one, entries.Entered(team=False, groups=list(dict(groups).get(name, ())), at=now())),
        (f"{one}/1", entries.Handed(hash=version_hash(number), path="", at=now())),
        (f"{one}/1", entries.Activated(at=now())),
    ]


def late_entry(opened, name):
    """Let a bot enter while the contest is played."""
    opened.write(*entry_of(opened, name))


def repair(opened, name):
    """Let a bot play with a new version."""
    key = f"{opened.state.id_of(name)}/{len(opened.state.versions.get(name, ())) + 1}"
    new = version_hash(10**6 + opened.state.number)
    opened.write((key, entries.Handed(hash=new, path="", at=now())), (key, entries.Activated(at=now())))


def do(opened, kind, subject="", **more):
    """An act of the organizer."""
    return act(opened, None, kind, {"subject": subject, "reason": "because", **more})


def play(opened, result=by_strength, rng=None, most=100_000, then=None):
    """Play a contest as the loop does, but in memory. Return the matches in the order of their results.

    Args:
        result: Returns the result of a match.
        rng: Lets up to 40 matches run at once, which end in any order; without it, each match ends before the next.
        then: Called with the contest after each result.
    """
    running, played, shares = [], [], Shares()
    window = 40 if rng else 1
    while len(played) < most:
        step = decide(opened.state, running, opened.board(everything=True), shares) if len(running) < window else None
        if isinstance(step, MatchSpec):
            running.append(step)
            continue
        if step is not None:
            opened.write(step)
            continue
        if not running:
            break
        spec = running.pop(rng.randrange(len(running)) if rng else 0)
        run = opened.state.stages.get(spec.stage)
        if run is None or run.needs(spec):
            opened.commit(spec, result(spec))
            played.append(spec)
            if then:
                then(opened)
    return played


def begin(opened):
    """Begin the first stage, and pair what can be paired without results. Return the matches to play."""
    config = opened.state.settings.stages[0]
    opened.write(begin_entry(opened.state, config, opened.state.playing()))
    run = opened.state.stages[config.name]
    while encounters := run.next_round(opened.state.absent(run)):
        opened.write(round_entry(opened.state, run, encounters))
    return list(run.waiting())


def played(names, *stages, result=by_strength, rng=None, most=100_000, **settings):
    """A contest in memory that was played to its end."""
    opened = in_memory(names, *stages, **settings)
    play(opened, result, rng, most)
    return opened


def run_of(opened, number=0):
    """The progress of a stage."""
    return list(opened.state.stages.values())[number]


def stage_played(names, stage, result=by_strength, rng=None, **settings):
    """The progress of the only stage of a contest that was played to its end."""
    return run_of(played(names, stage, result=result, rng=rng, **settings))


def finished(opened):
    return is_over(opened.state)


def tables(opened):
    """Everything that tables show, as text: stages, and the ladder with and without what is held back."""
    stages = {
        name: (run.rank(), run.suspended, [spec.match_id for spec, _ in run.matches()])
        for name, run in opened.state.stages.items()
    }
    rows = [opened.board(everything=everything).table() for everything in (True, False)]
    return repr((stages, rows if opened.config.ladder else (), opened.state.orders))


def contents(state):
    """Everything that a journal says, to compare two states: of the stages, what they show."""
    fields = {name: getattr(state, name) for name in state.__dataclass_fields__ if name not in ("stages", "_seats")}
    found = {
        key: {name: value for name, value in one.items() if value} if isinstance(one, dict) else one
        for key, one in fields.items()
    }
    stages = {name: (run.rank(), run.rounds, run.suspended, run.results) for name, run in state.stages.items()}
    return copy.deepcopy(found | {"stages": stages})


# -- contests in a folder ------------------------------------------------------------------------------


def write_toys(folder, *stages, game="saloon", name="league", **settings):
    """Write a configuration without people and bots. It can be opened; its bots are entered with `enter_toys`."""
    lines = ["[contest]", 'name = "Toys"', f'game = "{game}"', 'isolation = "none"', "rated = false"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    lines += ["[[bots]]", 'path = "none"']
    usual = {one.name: one.default for one in fields(StageConfig)}
    for stage in stages:
        lines.append("[[stages]]")
        for key in usual:
            if (value := getattr(stage, key)) != usual[key]:
                lines.append(f"{key} = {json.dumps(value)}")
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / f"{name}.toml", "\n".join(lines) + "\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


@contextlib.contextmanager
def toys(path, names):
    """Open a contest in a folder whose bots have no files."""
    with open_contest(path) as opened:
        enter_toys(opened, names)
        yield opened


def new_servers():
    return ForkServers("toy", [sys.executable, str(TOY)])


class Toys:
    """Starts matches of the toy game in real processes.

    Args:
        folder: of the contest.
        sleep: seconds that a match takes.
        servers: what match processes are forked from.
    """

    def __init__(self, folder, sleep=0.0, servers=None):
        self._folder = folder
        self._sleep = sleep
        self._servers = servers or new_servers()
        self.close = self._servers.close

    def start(self, spec, attempt):
        replay = temporary_replay_path(self._folder, spec.match_id)
        replay.parent.mkdir(parents=True, exist_ok=True)
        seats = tuple(SeatAssignment(seat.hash, seat.name) for seat in spec.seats)
        options = {"map": spec.map, "sleep": self._sleep}
        job = Job("toy", seats, options, seed=spec.seed, replay=str(replay))
        return RefereeMatch(MatchProcess(job, self._servers.of_this_thread()), replay)


def toy_engine(folder, slots, sleep=0.0, **settings):
    toys = Toys(folder, sleep)
    return LocalEngine(toys.start, slots, on_close=toys.close, **settings)


def is_readable(replay):
    data = Path(replay).read_bytes()
    return data[:4] == b"TOY1" and zlib.crc32(data[8:]).to_bytes(4, "big") == data[4:8]


class ExecutorEngine:
    """An engine that calls `run` for each match, in an executor of the standard library.

    Args:
        window: The number of matches that may be submitted before the first one is finished.
    """

    def __init__(self, executor, run, window=4):
        self._executor = executor
        self._run = run
        self.window = window

    def submit(self, spec, attempt):
        return self._executor.submit(self._run, spec)

    def kill(self):
        """An executor cannot end running calls, so only waiting matches are dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self):
        self._executor.shutdown(wait=True, cancel_futures=True)


class Futures:
    """An engine whose matches end when the test says so."""

    window = 1

    def __init__(self):
        self.submitted = []

    def submit(self, spec, attempt):
        self.submitted.append((spec, Future()))
        return self.submitted[-1][1]

    def kill(self):
        """Nothing runs."""

    close = kill


# -- people --------------------------------------------------------------------------------------------


def write_config(folder, *changes, game="saloon"):
    """Write the usual configuration with people, with some texts replaced."""
    text = template(find_game(game), [], people=True)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / "contest.toml"
    path.write_text(text)
    return path


def archive(extra="", game="snakes", **files):
    """A zip with the usual new bot, with more lines in its program, and more files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as out:
        for name, text in (_sources(game) | files).items():
            out.writestr(name, text + (extra if name == "main.py" else ""))
    return stream.getvalue()


@cache
def _sources(game):
    return template_files(find_game(game), "bot", "python")


@contextlib.contextmanager
def opened(path):
    """Open a contest with the bots of its configuration, of which none is tried."""
    with open_contest(path) as contest:
        roster = survey(contest.config, contest.game, path, contest.state)
        enter(contest, roster, None, lambda _tried: None)
        yield contest


def add_team(contest, team, groups=()):
    """Add a team with one member, and return the member with their token."""
    return accounts.join(contest, accounts.invite(contest, team, "", "member", "", groups), f"{team} person")


def add_version(
    contest, team, *, passes=True, active=True, content="", checked=True, late=False, seconds=0.0, path=None,
    at_once=False,
):  # fmt: skip
    """Add a version without files."""
    number = len(contest.state.versions.get(team, ())) + 1
    content = content or hashlib.sha256(f"{team}{number}".encode()).hexdigest()
    key = f"{contest.state.id_of(team)}/{number}"
    path = f"bots/{content[:24]}" if path is None else path
    by = next((one.id for one in contest.state.members.values() if one.entrant == team), "")
    handed = entries.Handed(hash=content, path=path, at=now(), by=by, size=1, late=late, at_once=at_once)
    written = [entries.text(key, "file", ("bot.zip", "")), (key, handed)]
    if checked:
        written.append(entries.text(key, "report", ("" if passes else "it crashes", [])))
        written.append((key, entries.Checked(passed=passes, match="", at=now(), seconds=seconds)))
    if checked and active:
        written.append((key, entries.Activated(at=now())))
    contest.write(*written)
    return contest.state.version(team, number)


def pass_check(contest, version):
    """Let a version pass the last part of its check, the trial match."""
    loop = Loop(contest, engine := Futures())
    loop.checks.running[version.key] = RunningCheck(version, examining=False, seconds=2.5)
    contest.write(trial(contest, version))
    with contest.lock:
        loop.work()
        engine.submitted[-1][1].set_result(pointed_result((1.0, 0.0)))
        loop.work()
    loop.checks.stop()


def player(contest, team):
    """The active version of an entrant."""
    return contest.state.active(team).player


def anchor(contest):
    """The first built-in bot with a fixed skill, as a player."""
    return player(contest, next(iter(contest.state.anchors)))


def record(contest, *players, points=(1.0, 0.0), kind="ladder", team="", result=None):
    """Record an encounter of one match of the ladder, and return the id of the match."""
    contest.write(pair(contest.state, kind, tuple(players), 1, team))
    encounter = next(iter(contest.state.encounters.newest()))
    spec = specs_of(contest.state, encounter)[0]
    contest.commit(spec, result or pointed_result(points))
    return spec.match_id


def real_match(contest, *players, kind="ladder", team=""):
    """Play a match of the ladder with the real programs, and return its id."""
    contest.write(pair(contest.state, kind, players, 1, team))
    spec = specs_of(contest.state, next(iter(contest.state.encounters.newest())))[0]
    matches = folder_matches(contest.config, contest.game, contest.folder, Paths(contest, {}))
    with contextlib.closing(matches):
        contest.commit(spec, matches.start(spec, 0).wait())
    return spec.match_id


def ladder_bytes(contest, *, everything=True):
    """The table of the ladder as the page shows it."""
    return repr(contest.snapshot.table(everything=everything)).encode()
