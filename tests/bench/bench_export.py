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

from arena.contests.config import StageConfig
from arena.contests.contest_journal import result_entries
from arena.contests.journal.store import now
from arena.contests.scheduler import round_entry
from arena.game import Outcome
from arena.match.isolation import Isolation
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.play.memory import play_in_memory

sys.path.append(str(Path(__file__).parents[1] / "contests"))
from contests_toys import begin, toys, write_toys

BOTS = 200
DIFFERENT = 24


def played(rng, spec):
    """A result such as that of a real match."""
    strong = [int(name[3:]) for name in spec.names]
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


def large_contest(folder, bots=BOTS, stage=ROUND_ROBIN, replays=()):
    """Write the journal of a finished contest of one stage, and return the path of its file.

    Args:
        replays: The bytes of the replays, in turn; empty to write none.
    """
    rng, path = random.Random(1), write_toys(folder, stage, name="contest", seed="s", id="t")
    with toys(path, bots) as opened:
        specs = begin(opened)
        while specs:
            written = []
            for spec in specs:
                result = played(rng, spec)
                if replays:
                    data, place = replays[len(written) % len(replays)], opened.folder / result.replay
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(data)
                    result = replace(result, replay_hash=hashlib.sha256(data).hexdigest())
                written += result_entries(spec, result, now())
            opened.write(*written)
            run = opened.state.stages[stage.name]
            while paired := run.next_round(opened.state.absent(run)):
                opened.write(round_entry(opened.state, run, paired))
            specs = list(run.waiting())
    return path


def timed(*words):
    """Run a command. Return its wall time and its processor time, in seconds."""
    command = [str(Path(sys.executable).with_name("arena")), "contest", *words]
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
        path, out = large_contest(folder, 46, replays=real_replays(folder)), folder / "out"
        for name in ("export with replays", "the same again"):
            wall, cpu = timed("export", "--out", str(out), str(path))
            print(f"{name}: {wall:.1f} s, of which {cpu:.1f} s of processor time; load {os.getloadavg()[0]:.1f}")
        sizes = sizes_of(out)
        stills = sum(size for name, size in sizes.items() if name.startswith("stills/"))
        print(f"1,035 matches: {sum(sizes.values()) / 1e6:.1f} MB, of which {stills / 1e6:.1f} MB are pictures")


def main():
    with_pictures()
    with tempfile.TemporaryDirectory() as text:
        path = large_contest(Path(text))
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
