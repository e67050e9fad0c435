"""Kills a contest again and again, at random moments, and looks whether anything was lost.

The whole of it (`make kill-test`, or this file as a program) are 200 kills, half of the contest's process and half of
match processes, over a few thousand short matches. The other tests run a shorter version.
"""

import argparse
import contextlib
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from contests_toys import TOY, finished, is_readable, toy_engine, toys, write_toys

from arena.contests.config import TABLE_TIEBREAKS, StageConfig
from arena.contests.deciding import is_over
from arena.contests.opening import read_contest
from arena.contests.running import Loop


def write(folder, rounds):
    """Write a contest with all kinds of stages, chained. Without rounds, it has tables of four."""
    if not rounds:
        stages = (
            StageConfig("league", "free_for_all", rounds=12, games=2, table=4, tiebreaks=TABLE_TIEBREAKS),
            StageConfig("final", "elimination_tables", games=4, winners=2, extra_games=3, advance=8, table=4),
        )
        return write_toys(folder, *stages, game="snakes", seed="kill", id="kill")
    stages = (
        StageConfig("league", "round_robin", rounds=rounds),
        StageConfig("swiss", "swiss", rounds=5, advance=12),
        StageConfig("final", "double_elimination", advance=8),
        StageConfig("last", "triple_elimination", advance=6, best_of=1),
    )
    return write_toys(folder, *stages, seed="kill", id="kill")


def loop_process(folder, rounds, bots):
    """What runs in the process that is killed."""
    with toys(write(folder, rounds), bots) as opened:
        engine = toy_engine(opened.folder, 2, rated=False)
        report = Loop(opened, engine).run()
        engine.close()
    sys.exit(0 if report.finished else 1)


def toy_processes(folder):
    """Fork servers and match processes that are alive now, with their parents."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            if str(TOY).encode() in words:
                found.append((int(entry.name), int(parent)))
    return found


def start(folder, rounds, bots):
    words = ["--play", str(folder), "--rounds", str(rounds), "--bots", str(bots)]
    return subprocess.Popen([sys.executable, __file__, *words])


def results(folder):
    """How many results are committed, read beside the running process."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{folder}/league/journal.db?mode=ro", uri=True)) as connection,
    ):
        return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    return 0


def kill_a_match(process, rng):
    """Kills a match process of this contest, or what it was forked from; says whether there was one."""
    for _ in range(200):
        found = toy_processes(None)
        servers = {pid for pid, parent in found if parent == process.pid}
        own = [pid for pid, parent in found if parent == process.pid or parent in servers]
        if own:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(own), signal.SIGKILL)
                return True
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    return False


def run_with_kills(folder, rounds, bots, kills, seed, expected):
    """Plays the contest under fire.

    The kills are spread over the matches: the next one comes when its share of the results is there, and then at a
    random moment of the next few milliseconds.
    """
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    done = {"contest": 0, "match": 0}
    process = start(folder, rounds, bots)
    for number in range(kills):
        due = expected * number // (kills + 1)
        while process.poll() is None and results(folder) < due:
            time.sleep(0.005)
        if process.poll() is not None:
            break
        time.sleep(rng.random() * 0.03)
        if number % 2:
            done["match"] += kill_a_match(process, rng)
        else:
            process.kill()
            process.wait()
            done["contest"] += 1
            process = start(folder, rounds, bots)
            if rng.random() < 0.2:
                # Sometimes right at the start, while the journal is being opened.
                time.sleep(rng.random() * 0.4)
                process.kill()
                process.wait()
                done["contest"] += 1
                process = start(folder, rounds, bots)
    if process.wait(timeout=600) != 0:
        raise SystemExit(f"the contest ended with {process.returncode}")
    return done


def facts(folder):
    """What must be the same with and without kills, and what must not be there."""
    folder = folder / "league"
    state = read_contest(folder)
    matches = [one for run in state.stages.values() for one in run.matches()]
    with contextlib.closing(sqlite3.connect(f"file:{folder}/journal.db?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "select key, json_extract(document, '$.outcome.replay_hash') from entries where kind = 'result'"
        ).fetchall()
    files = {path.stem: path for path in folder.glob("replays/*/*.arena")}
    unreadable = [
        match_id for match_id, digest in rows
        if match_id not in files or not is_readable(files[match_id])
        or hashlib.sha256(files[match_id].read_bytes()).hexdigest() != digest
    ]  # fmt: skip
    return {
        "finished": is_over(state),
        "matches": len(matches),
        "results": len(rows),
        "duplicated": len(rows) - len({match_id for match_id, _ in rows}),
        "lost": len({spec.match_id for spec, _ in matches} ^ {match_id for match_id, _ in rows}),
        "unreadable": len(unreadable),
        "conflicts": len(state.conflicts),
        "unfinished replays": len(list(folder.glob("replays/*/*.tmp.*"))),
        "standings": repr([run.rank() for run in state.stages.values()]),
    }


def check(rounds, kills, seed, folder, bots=16):
    """Plays the contest without and with kills, and compares.

    Returns:
        The facts of the run with kills, and how many kills there were.

    Raises:
        SystemExit: something was lost.
    """
    quiet, loud = folder / "quiet", folder / "loud"
    quiet.mkdir(parents=True)
    if start(quiet, rounds, bots).wait(timeout=900) != 0:
        raise SystemExit("the run without kills failed")
    expected = facts(quiet)
    done = run_with_kills(loud, rounds, bots, kills, seed, expected["matches"])
    found = facts(loud)
    time.sleep(0.2)
    orphans = [pid for pid, parent in toy_processes(None) if parent == 1]
    wrong = [key for key in expected if found[key] != expected[key]]
    wrong += [key for key in ("duplicated", "lost", "unreadable", "conflicts", "unfinished replays") if found[key]]
    if wrong or orphans or not found["finished"]:
        raise SystemExit(f"wrong after {done} kills: {wrong}, orphans {orphans}, {found}")
    return found, done


def change_and_kill(folder, changes, kills, seed, change, rounds=14):
    """Change the contest and kill its process at random points; return what happened.

    Args:
        changes: How often the contest is changed: a bot enters or is repaired, an organizer acts.
        kills: How often a process is killed, at least.
        seed: Of the dice.
        change: Makes a change, given the opened contest, dice and a number.
        rounds: Of the first stage, so many that the contest is not over before.

    Raises:
        SystemExit: a result has left the journal, or stands there otherwise than before.
    """
    rng, known, done = random.Random(seed), {}, {"changes": 0, "contest": 0, "match": 0}
    folder.mkdir(parents=True)
    path = write(folder, rounds)
    while done["changes"] < changes or done["contest"] + done["match"] < kills:
        process = start(folder, rounds, 9)
        wanted = results(folder) + rng.randrange(1, 12)
        while process.poll() is None and results(folder) < wanted:
            time.sleep(0.003)
        if process.poll() is None and rng.random() < 0.4:
            done["match"] += kill_a_match(process, rng)
        time.sleep(rng.random() * 0.03)
        process.kill()
        if process.wait() not in (0, -signal.SIGKILL):
            raise SystemExit(f"the contest ended with {process.returncode}")
        done["contest"] += 1
        with toys(path, 9) as opened:
            known = unchanged(known, opened, done)
            if done["changes"] < changes and rng.random() < 0.6:
                change(opened, rng, done["changes"])
                done["changes"] += 1
    if start(folder, rounds, 9).wait(timeout=600) != 0:
        raise SystemExit("the last run failed")
    with toys(path, 9) as opened:
        return done | {"results": len(unchanged(known, opened, done)), "finished": finished(opened)}


def unchanged(known, opened, done):
    """The results of the journal, and the rounds; those that were there before must be there, as they were."""
    now = {one.id: (one.spec, one.result) for one in opened.state.played.values()}
    if lost := [match_id for match_id in known if now.get(match_id) != known[match_id]]:
        raise SystemExit(f"lost after {done}: {lost}")
    return now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--play", type=Path)
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--bots", type=int, default=16)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.play:
        loop_process(arguments.play, arguments.rounds, arguments.bots)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        found, done = check(arguments.rounds, arguments.kills, arguments.seed, Path(folder), arguments.bots)
    del found["standings"]
    print(f"{done['contest']} contests and {done['match']} matches killed, {time.monotonic() - began:.0f} s: {found}")


if __name__ == "__main__":
    main()
