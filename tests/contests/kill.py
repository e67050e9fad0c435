"""Kills a contest again and again, at random moments, and looks whether anything was lost.

The contest is one of toys, with all kinds of stages. Kills hit its process, a match process, or its fork server.
"""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from contests_toys import TOY, finished, toy_engine, toys, write_toys

from arena.contests.config import StageConfig
from arena.contests.journal.files import replay_defect
from arena.contests.loop import Loop
from arena.contests.open_contest import read_contest
from arena.contests.scheduler import is_over
from arena.contests.tiebreaks import AT_TABLES


class ToyContest:
    """A contest of toys, whose first stage has so many rounds."""

    def __init__(self, rounds, bots):
        self.rounds, self.bots = rounds, bots

    def write(self, folder):
        stages = (
            StageConfig("league", "round_robin", rounds=self.rounds),
            StageConfig("swiss", "swiss", rounds=4, advance=12),
            StageConfig("tables", "free_for_all", rounds=3, games=2, table=4, tiebreaks=AT_TABLES),
            StageConfig("final", "double_elimination", advance=8),
            StageConfig("last", "triple_elimination", advance=4, best_of=1),
        )
        return write_toys(folder, *stages, game="snakes", name="contest", seed="kill", id="kill")

    def start(self, folder):
        """Start the process that is killed."""
        path = self.write(folder)
        return subprocess.Popen([sys.executable, __file__, str(path), str(self.bots)])


def loop_process(path, bots):
    """What runs in the process of a contest of toys."""
    with toys(path, bots) as opened:
        engine = toy_engine(opened.folder, 2, rated=False)
        report = Loop(opened, engine).run()
        engine.close()
    sys.exit(0 if report.finished else 1)


def processes_of_matches():
    """Fork servers and match processes that are alive now, with their parents, but no bots."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"arena.play.referee" in words or str(TOY).encode() in words:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def match_processes(contest):
    """The fork servers of the process of a contest, and its match processes."""
    parents = processes_of_matches()
    forks = {pid for pid, parent in parents.items() if parent == contest}
    return sorted(forks | {pid for pid, parent in parents.items() if parent in forks})


def results(folder):
    """How many results are committed, read beside the running process."""
    uri = f"file:{folder}/contest/journal.db?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    return 0


def wait_for_results(process, folder, number):
    while process.poll() is None and results(folder) < number:
        time.sleep(0.005)


def kill_a_match(process, rng):
    """Kill a match process of a contest, or what it was forked from. Return whether there was one."""
    for _ in range(200):
        if own := match_processes(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(own), signal.SIGKILL)
                return True
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return False


def run_with_kills(kind, folder, kills, seed, expected):
    """Play a contest under fire, and return how often what was killed.

    The kills are spread over the matches: the next one comes when its share of the results is there, and then at a
    random moment of the next few milliseconds.
    """
    rng, done = random.Random(seed), {"contest": 0, "match": 0}
    process = kind.start(folder)
    for number in range(kills):
        wait_for_results(process, folder, expected * number // (kills + 1))
        if process.poll() is not None:
            break
        time.sleep(rng.random() * 0.03)
        if number % 2:
            done["match"] += kill_a_match(process, rng)
            continue
        # Sometimes it is killed again right at the start, while the journal is being opened.
        pauses = [0.0, rng.random() * 0.4] if rng.random() < 0.2 else [0.0]
        for pause in pauses:
            time.sleep(pause)
            process.kill()
            process.wait()
            done["contest"] += 1
            process = kind.start(folder)
    assert process.wait(timeout=900) == 0
    return done


def facts(folder):
    """What must be the same with and without kills: standings to the byte, and the endings of each match."""
    folder = folder / "contest"
    state = read_contest(folder)
    assert is_over(state)
    matches = [one for run in state.stages.values() for one in run.matches()]
    endings = {spec.match_id: [player.ending for player in result.players] for spec, result in matches}
    with contextlib.closing(sqlite3.connect(f"file:{folder}/journal.db?mode=ro", uri=True)) as connection:
        rows = [key for (key,) in connection.execute("select key from entries where kind = 'result'")]
    assert sorted(rows) == sorted(endings), "a result is lost or doubled"
    for spec, _ in matches:
        stored = state.played[spec.match_id].result
        assert not replay_defect(folder / stored.replay, stored.replay_hash), spec.match_id
    assert not state.conflicts
    assert not list(folder.glob("replays/*/*.tmp.*"))
    return repr([run.rank() for run in state.stages.values()]), endings


def check(kind, folder, kills, seed=1):
    """Play a contest without and with kills, and compare. Return how many kills there were, and the endings."""
    quiet, loud = folder / "quiet", folder / "loud"
    for place in (quiet, loud):
        place.mkdir(parents=True)
        kind.write(place)
    assert kind.start(quiet).wait(timeout=900) == 0
    standings, endings = facts(quiet)
    done = run_with_kills(kind, loud, kills, seed, len(endings))
    assert facts(loud) == (standings, endings), done
    time.sleep(0.2)
    assert not [pid for pid, parent in processes_of_matches().items() if parent == 1], "orphans"
    return done, endings


def change_and_kill(folder, changes, kills, seed, change, rounds=14):
    """Change a contest and kill its process at random points: no result leaves the journal, or stands there otherwise.

    Args:
        changes: How often the contest is changed: a bot enters or is repaired, an organizer acts.
        kills: How often a process is killed, at least.
        seed: Of the dice.
        change: Makes a change, given the opened contest, dice and a number.
        rounds: Of the first stage, so many that the contest is not over before.
    """
    rng, known, done = random.Random(seed), {}, {"changes": 0, "contest": 0, "match": 0}
    kind = ToyContest(rounds, 9)
    path = kind.write(folder)
    while done["changes"] < changes or done["contest"] + done["match"] < kills:
        process = kind.start(folder)
        wait_for_results(process, folder, results(folder) + rng.randrange(1, 12))
        if process.poll() is None and rng.random() < 0.4:
            done["match"] += kill_a_match(process, rng)
        time.sleep(rng.random() * 0.03)
        process.kill()
        assert process.wait() in (0, -signal.SIGKILL)
        done["contest"] += 1
        with toys(path, 9) as opened:
            known = unchanged(known, opened)
            if done["changes"] < changes and rng.random() < 0.6:
                change(opened, rng, done["changes"])
                done["changes"] += 1
    assert kind.start(folder).wait(timeout=600) == 0
    with toys(path, 9) as opened:
        unchanged(known, opened)
        assert finished(opened)


def unchanged(known, opened):
    """The results of the journal. Those that were there before must be there, as they were."""
    now = {one.id: (one.spec, one.result) for one in opened.state.played.values()}
    assert not [match_id for match_id in known if now.get(match_id) != known[match_id]]
    return now


if __name__ == "__main__":
    loop_process(Path(sys.argv[1]), int(sys.argv[2]))
