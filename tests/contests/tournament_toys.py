"""Helpers of the tests: tournaments of a toy game, played in memory or in real processes."""

import random
import sys
import zlib
from pathlib import Path

from arena.game import Outcome
from arena.journal.files import temporary_replay_path
from arena.match.entrant import Entrant
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult, PlayerResult
from arena.matches.engines.local import LocalEngine
from arena.matches.referee_match import RefereeMatch
from arena.referee.match_process import ForkServers, MatchProcess
from arena.tournament.plan.config import Tournament, TournamentConfig
from arena.tournament.plan.schedule import Schedule

TOY = Path(__file__).with_name("tournament_toy_match.py")


def config_of(*stages, **settings):
    return TournamentConfig(settings.pop("name", "Toys"), (), stages, game="toy", **settings)


def entrants_of(count):
    return tuple(Entrant(f"bot{number:03}", f"{number:064x}") for number in range(1, count + 1))


def tournament_of(count, *stages, **settings):
    return Tournament(config_of(*stages, **settings), entrants_of(count), "toys", "secret")


def result_of(winner, endings=None, scores=(0.0, 0.0), void=""):
    if endings is None:
        endings = ("drawn", "drawn") if winner is None else ("won", "lost") if winner == 0 else ("lost", "won")
    players = tuple(PlayerResult(e, score=s) for e, s in zip(endings, scores, strict=True))
    return MatchResult(players, Outcome(winner, "toy"), void=void)


def ranked_result(ranks, **outcome):
    """The result of a table; the score is the number of players who are behind."""
    ended = Outcome(None, "toy", tuple(ranks), **outcome)
    scores = [float(sum(rank > own for rank in ranks)) for own in ranks]
    players = tuple(PlayerResult(ended.verdict(seat), score=score) for seat, score in enumerate(scores))
    return MatchResult(players, ended)


def at_table(spec):
    """The same for any number of players: who is stronger is likelier to be before others."""
    rng = random.Random(spec.match_id)
    order = sorted(spec.names, key=lambda name: rng.expovariate(1.0 / int(name[3:])))
    return ranked_result([order.index(name) + 1 for name in spec.names])


def by_strength(spec, draws=0.0, seed=0):
    """Names decide who is likelier to win; the same match has the same outcome in whatever order it is played."""
    rng = random.Random(f"{seed}{spec.match_id}")
    if rng.random() < draws:
        return result_of(None, scores=(1.0, 1.0))
    one, other = (1.0 / int(name[3:]) for name in spec.names)
    winner = int(rng.random() >= one / (one + other))
    return result_of(winner, scores=(1.0 - winner, float(winner)))


def play(tournament, decide=by_strength, rng=None, most=100_000):
    """Plays a whole tournament in memory, the matches in any order that the random generator likes."""
    schedule = Schedule(tournament)
    waiting = list(schedule.take())
    played = []
    while waiting and len(played) < most:
        spec = waiting.pop(rng.randrange(len(waiting)) if rng else 0)
        if not schedule.wanted(spec):
            continue
        schedule.record(spec, decide(spec))
        played.append(spec)
        waiting += schedule.take()
    return schedule, played


def new_servers():
    return ForkServers("toy", [sys.executable, str(TOY)])


class Toys:
    """Starts matches of the toy game in real processes.

    Args:
        folder: of the tournament.
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
    """Adapts an executor of the standard library to an engine.

    Args:
        executor: The executor that calls `run`.
        run: Plays one match.
        window: The number of matches that may be submitted before the first one is finished.
    """

    def __init__(self, executor, run, window=4):
        self._executor = executor
        self._run = run
        self._window = window

    @property
    def window(self):
        """See `Engine`."""
        return self._window

    def submit(self, spec, attempt):
        """See `Engine`."""
        return self._executor.submit(self._run, spec)

    def kill(self):
        """See `Engine`. An executor cannot end running calls, so only waiting matches are dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self):
        """See `Engine`."""
        self._executor.shutdown(wait=True, cancel_futures=True)
