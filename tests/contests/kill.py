"""Kills a tournament again and again, at random moments, and looks whether anything was lost.

The whole of it (`make kill-test`, or this file as a program) are 200 kills, half of the organizer's process and half of
match processes, over a few thousand short matches. The other tests run a shorter version.
"""

import argparse
import contextlib
import hashlib
import json
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from tournament_toys import TOY, config_of, entrants_of, is_readable, toy_engine

from arena.tournament.plan.config import TABLE_TIEBREAKS, StageConfig
from arena.tournament.report.documents import standings_document
from arena.tournament.run.organizer import organize, read_snapshot
from arena.tournament.run.runner import Runner


def tournament(rounds):
    """A table, a Swiss tournament and a bracket: all kinds of schedules, chained. Without rounds, tables of four."""
    if not rounds:
        usual = {"table": 4, "winners": 2, "extra_games": 3, "tiebreaks": TABLE_TIEBREAKS}
        return config_of(
            StageConfig("league", "free_for_all", rounds=4, games=2, **usual),
            StageConfig("ladder", "ladder", rounds=4, games=2, advance=10, table=4),
            StageConfig("final", "elimination_tables", games=4, advance=8, **usual),
            seed="kill",
            id="kill",
            players=(2, 8),
        )
    return config_of(
        StageConfig("league", "round_robin", rounds=rounds),
        StageConfig("swiss", "swiss", rounds=5, advance=12),
        StageConfig("final", "double_elimination", advance=8),
        seed="kill",
        id="kill",
        maps=("one", "two"),
    )


def organizer_process(folder, rounds, bots, amended=None):
    """What runs in the process that is killed."""
    config, entrants = pickle.loads(amended.read_bytes()) if amended else (tournament(rounds), entrants_of(bots))
    with organize(folder, config, entrants, amend=bool(amended)) as organizer:
        engine = toy_engine(folder, 2, rated=False)
        report = Runner(organizer.schedule, organizer.journal, engine).run()
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


def start(folder, rounds, bots, *more):
    words = ["--organize", str(folder), "--rounds", str(rounds), "--bots", str(bots), *more]
    return subprocess.Popen([sys.executable, __file__, *words])


def results(folder):
    """How many results are committed, read beside the running organizer."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{folder}/journal.db?mode=ro", uri=True)) as connection,
    ):
        return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    return 0


def kill_a_match(process, rng):
    """Kills a match process of this organizer, or what it was forked from; says whether there was one."""
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
    """Plays the tournament under fire.

    The kills are spread over the matches: the next one comes when its share of the results is there, and then at a
    random moment of the next few milliseconds.
    """
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    done = {"organizer": 0, "match": 0}
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
            done["organizer"] += 1
            process = start(folder, rounds, bots)
            if rng.random() < 0.2:
                # Sometimes right at the start, while the journal is being opened.
                time.sleep(rng.random() * 0.4)
                process.kill()
                process.wait()
                done["organizer"] += 1
                process = start(folder, rounds, bots)
    if process.wait(timeout=600) != 0:
        raise SystemExit(f"the organizer ended with {process.returncode}")
    return done


def facts(folder):
    """What must be the same with and without kills, and what must not be there."""
    snapshot = read_snapshot(folder)
    matches = snapshot.schedule.matches()
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
        "finished": snapshot.schedule.finished,
        "matches": len(matches),
        "results": len(rows),
        "duplicated": len(rows) - len({match_id for match_id, _ in rows}),
        "lost": len({spec.match_id for spec, _ in matches} ^ {match_id for match_id, _ in rows}),
        "unreadable": len(unreadable),
        "conflicts": len(snapshot.conflicts),
        "unfinished replays": len(list(folder.glob("replays/*/*.tmp.*"))),
        "standings": json.dumps(standings_document(snapshot), sort_keys=True),
    }


def check(rounds, kills, seed, folder, bots=16):
    """Plays the tournament without and with kills, and compares.

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


def amend_and_kill(folder, amendments, kills, seed, change, rounds=14):
    """Change the configuration and kill the organizer at random points; return what happened.

    Args:
        folder: Of the tournament.
        amendments: How often the configuration is changed.
        kills: How often a process is killed, at least.
        seed: Of the dice.
        change: Makes a change, given configuration, entrants, dice and a number.
        rounds: Of the first stage, so many that the tournament is not over before.

    Raises:
        SystemExit: a result has left the table, or stands there otherwise than before.
    """
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    config, entrants, amended = tournament(rounds), entrants_of(9), folder.with_suffix(".pickle")
    known, done = {}, {"amendments": 0, "organizers": 0, "matches": 0}
    while done["amendments"] < amendments or done["organizers"] + done["matches"] < kills:
        amended.write_bytes(pickle.dumps((config, entrants)))
        process = start(folder, 0, 0, "--amended", str(amended))
        wanted = results(folder) + rng.randrange(1, 12)
        while process.poll() is None and results(folder) < wanted:
            time.sleep(0.003)
        if process.poll() is None and rng.random() < 0.4:
            done["matches"] += kill_a_match(process, rng)
        time.sleep(rng.random() * 0.03)
        process.kill()
        if process.wait() not in (0, -signal.SIGKILL):
            raise SystemExit(f"the organizer ended with {process.returncode}")
        if process.returncode == 0:
            raise SystemExit(f"the tournament was over after {done}")
        done["organizers"] += 1
        known = unchanged(known, folder, done)
        if done["amendments"] < amendments and rng.random() < 0.6:
            config, entrants = change(config, entrants, rng, done["amendments"])
            done["amendments"] += 1
    amended.write_bytes(pickle.dumps((config, entrants)))
    if start(folder, 0, 0, "--amended", str(amended)).wait(timeout=600) != 0:
        raise SystemExit("the last run failed")
    known = unchanged(known, folder, done)
    return done | {"results": len(known), "finished": read_snapshot(folder).schedule.finished}


def unchanged(known, folder, done):
    """The matches in the table; those that were in it before must be there, as they were."""
    now = {spec.match_id: (spec, result) for spec, result in read_snapshot(folder).schedule.matches()}
    if lost := [match_id for match_id in known if now.get(match_id) != known[match_id]]:
        raise SystemExit(f"lost after {done}: {lost}")
    return now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--organize", type=Path)
    parser.add_argument("--amended", type=Path)
    parser.add_argument("--rounds", type=int, default=14)
    parser.add_argument("--bots", type=int, default=16)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.organize:
        organizer_process(arguments.organize, arguments.rounds, arguments.bots, arguments.amended)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        found, done = check(arguments.rounds, arguments.kills, arguments.seed, Path(folder), arguments.bots)
    del found["standings"]
    print(
        f"{done['organizer']} organizers and {done['match']} matches killed, {time.monotonic() - began:.0f} s: {found}"
    )


if __name__ == "__main__":
    main()
