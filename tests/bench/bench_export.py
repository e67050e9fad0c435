"""Figures of exports: 200 bots and 19,900 results without replays, and 1,035 with pages and pictures of replays."""

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from arena.game import Outcome
from arena.journal.chain import RESULT
from arena.journal.store import now
from arena.match.entrant import Entrant
from arena.match.isolation import Isolation
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.matches.results import Recorded
from arena.memory import play_in_memory
from arena.tournament.plan.config import StageConfig, TournamentConfig
from arena.tournament.run.organizer import organize

BOTS = 200
DIFFERENT = 24


def played(rng, spec):
    """A result such as that of a real match."""
    strong = [int(name[4:]) for name in spec.names]
    first = rng.random() < 1 / (1 + 2 ** ((strong[0] - strong[1]) / 20))
    isolation, digest = Isolation(3, ("bwrap", "cgroup")), f"{rng.getrandbits(256):064x}"
    players = []
    for seat, won in enumerate((first, not first)):
        clock = TimeUsed(rng.uniform(0.1, 2), rng.uniform(0.1, 2), 0.001, 52, rng.uniform(0, 0.1), 59.5)
        players.append(PlayerResult(
            "won" if won else "lost", spec.names[seat], f"bots/{seat}", spec.seats[seat].hash, clock=clock,
            score=float(rng.randint(0, 30)), refusals={"not_reachable": 2} if rng.random() < 0.1 else {},
            isolation=isolation,
        ))  # fmt: skip
    return MatchResult(
        tuple(players), Outcome(0 if first else 1, "more_pianos"), game="saloon", version="1.0", arena="0.1.0",
        seed=spec.seed, turns=104, digest=digest, course=digest, chain=digest, replay_hash=digest,
        replay=f"replays/{spec.match_id[:2]}/{spec.match_id}.arena", seconds=Seconds(start=0.2, total=1.5),
    )  # fmt: skip


ROUND_ROBIN = StageConfig("league", "round_robin", games=1)


def real_replays(folder, count=DIFFERENT):
    """Return the bytes of replays of different matches of Saloon."""
    found = []
    for number in range(count):
        bots = [f"builtin:{name}" for name in random.Random(number).sample(["rowdy", "pianist", "sheriff"], 2)]
        play_in_memory("saloon", bots, seed=number, replay=folder / "one.arena")
        found.append((folder / "one.arena").read_bytes())
    return found


def league(folder, bots=BOTS, stage=ROUND_ROBIN, replays=()):
    """Write the journal of a finished tournament of one stage, and return the path of its file.

    Args:
        replays: The bytes of the replays, in turn; empty to write none.
    """
    rng = random.Random(1)
    config = TournamentConfig("Large", (), (stage,), game="saloon", seed="s", id="t")
    hashes = [f"{rng.getrandbits(256):064x}" for _ in range(bots)]
    entrants = [Entrant(f"bot-{number:03}", one, f"bots/{one[:24]}") for number, one in enumerate(hashes)]
    with organize(folder / "league", config, entrants) as organizer:
        organizer.journal.pair(organizer.schedule.rounds)
        while specs := organizer.schedule.take():
            results = [played(rng, spec) for spec in specs]
            for number, result in enumerate(results if replays else ()):
                data, path = replays[number % len(replays)], folder / "league" / result.replay
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                results[number] = replace(result, replay_hash=hashlib.sha256(data).hexdigest())
            found = [Recorded(spec, result, now()) for spec, result in zip(specs, results, strict=True)]
            documents = [
                {"spec": one.spec.to_document(), "outcome": one.outcome.to_document(), "at": one.at} for one in found
            ]
            written = [(RESULT, one.spec.match_id, document) for one, document in zip(found, documents, strict=True)]
            organizer.journal.write(written, found)
            for one in found:
                organizer.schedule.record(one.spec, one.outcome)
    path = folder / "league.toml"
    path.write_text("")
    return path


def timed(*words):
    """Run a command. Return its wall time and its processor time, in seconds."""
    command = [str(Path(sys.executable).with_name("arena")), "tournament", *words]
    began, before = time.perf_counter(), children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began, children() - before


def children():
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sizes_of(out):
    return {one.relative_to(out).as_posix(): one.stat().st_size for one in out.rglob("*") if one.is_file()}


def with_pictures():
    """Time and size of an export of 1,035 matches with pages and pictures, and the time of a second one."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        path, out = league(folder, 46, replays=real_replays(folder)), folder / "out"
        for name in ("export with replays", "the same again"):
            wall, cpu = timed("export", "--out", str(out), str(path))
            print(f"{name}: {wall:.1f} s, of which {cpu:.1f} s of processor time; load {os.getloadavg()[0]:.1f}")
        sizes = sizes_of(out)
        stills = sum(size for name, size in sizes.items() if name.startswith("stills/"))
        print(f"1,035 matches: {sum(sizes.values()) / 1e6:.1f} MB, of which {stills / 1e6:.1f} MB are pictures")


def main():
    with_pictures()
    with tempfile.TemporaryDirectory() as text:
        path = league(Path(text))
        out = Path(text) / "out"
        for name, *words in (("standings",), ("export", "--no-replays", "--out", str(out))):
            wall, cpu = timed(name, *words, str(path))
            print(f"{name}: {wall:.1f} s, of which {cpu:.1f} s of processor time")
        sizes = sizes_of(out)
        total = sum(sizes.values()) / 1e6
        print(f"index: {sizes['index.html'] / 1e3:.0f} KB, total: {total:.1f} MB in {len(sizes)} files")
        for name, size in sorted(sizes.items(), key=lambda one: -one[1])[:12]:
            print(f"  {size / 1e6:6.2f} MB  {name}")


if __name__ == "__main__":
    main()
