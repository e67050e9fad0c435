"""Figures of tournaments: overhead for each match, two matches at once against one, matches per minute, resuming.

Run it as a program on a machine that has nothing else to do. Ratios are to a floor of the same run.
"""

import contextlib
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tournament"))
from tournament_toys import ExecutorEngine, at_table, config_of, entrants_of, result_of

from arena.bots.bot import load_bot
from arena.journal.files import temporary_replay_path
from arena.match.entrant import Entrant
from arena.match.isolation import Isolation
from arena.match.lookup import find_game
from arena.match.result import Seconds, TimeUsed
from arena.matches.copies import copy_bot
from arena.matches.engines.local import LocalEngine
from arena.matches.referee_match import RefereeMatches
from arena.tournament.plan.config import TABLE_TIEBREAKS, StageConfig, Tournament, TournamentConfig
from arena.tournament.plan.schedule import Schedule
from arena.tournament.report.documents import standings_document
from arena.tournament.run.organizer import organize, read_snapshot
from arena.tournament.run.runner import Runner
from arena.web.server import Server
from arena.web.tournament.app import TournamentPages

REPLAY = os.urandom(30_000)


def overhead(matches=600):
    """Milliseconds for each match beside the match itself: schedule, replay, journal, observer."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        config = config_of(StageConfig("all", "round_robin", games=2, rounds=3), seed="s", id="t")

        def play(spec):
            path = temporary_replay_path(folder, spec.match_id)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(REPLAY)
            return replace(result_of(0), replay=str(path))

        with organize(folder, config, entrants_of(16)) as organizer:
            engine = ExecutorEngine(ThreadPoolExecutor(2), play)
            began = time.perf_counter()
            report = Runner(organizer.schedule, organizer.journal, engine, limit=matches).run()
            spent = time.perf_counter() - began
            engine.close()
        return 1000 * spent / report.played, 1000 * floor(folder, 100)


def floor(folder, count):
    """Seconds for a write of the same bytes that survives a power cut."""
    began = time.perf_counter()
    for number in range(count):
        with (folder / f"floor{number}").open("wb") as stream:
            stream.write(REPLAY)
            stream.flush()
            os.fsync(stream.fileno())
    return (time.perf_counter() - began) / count


def saloon(slots, matches):
    """Matches a minute of the two weakest bots of Saloon, in their sandboxes."""
    game = find_game("saloon")
    stage = StageConfig("all", "round_robin", rounds=matches // 2)
    config = TournamentConfig("bench", (), (stage,), game="saloon", seed="bench", id="bench")
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        bots = [(bot.name, load_bot(f"builtin:{bot.name}", game)) for bot in game.bots[:2]]
        entrants = tuple(Entrant(name, bot.content_hash, copy_bot(bot, folder)) for name, bot in bots)
        paths = {entrant.hash: str(folder / entrant.path) for entrant in entrants}
        player = RefereeMatches(config, paths, lambda match_id: temporary_replay_path(folder, match_id))
        with organize(folder, config, entrants) as organizer:
            engine = LocalEngine(player.start, slots, rated=False, on_close=player.close)
            began = time.perf_counter()
            report = Runner(organizer.schedule, organizer.journal, engine).run()
            spent = time.perf_counter() - began
            engine.close()
        inside = sum(outcome.seconds.total for _, outcome in organizer.schedule.matches())
    assert report.finished
    return 60 * report.played / spent, inside / report.played


def real_result(spec):
    """A result with all that the referee says of a match."""
    short = result_of(int(spec.match_id, 16) % 2)
    clock = TimeUsed(1.234567, 1.123456, 0.001234, 96, 0.023456, 18.876543)
    isolation = Isolation(2, ("bwrap", "limits", "seccomp", "landlock"))
    players = tuple(
        replace(player, name=seat.name, bot=seat.name, bot_hash=seat.hash, clock=clock, isolation=isolation)
        for player, seat in zip(short.players, spec.seats, strict=True)
    )
    return replace(
        short, players=players, game="toy", version="1.0", seed=spec.seed, turns=192, actions=384, digest="ab" * 32,
        replay_hash="cd" * 32, chain="ef" * 32, arena="0.1.0", seconds=Seconds(0.2, 3.4567, 1.234, 1.123),
    )  # fmt: skip


def resume():
    """Seconds from opening a tournament with 20,000 results to its first new match, and for its standings."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        config = config_of(StageConfig("all", "round_robin", games=2, rounds=2), seed="s", id="t")
        with organize(folder, config, entrants_of(100)) as organizer:
            organizer.journal._connection.execute("pragma synchronous = off")
            for spec in Schedule(organizer.tournament).take()[:-10]:
                organizer.journal.commit(spec, real_result(spec))
        began = time.perf_counter()
        opened = []

        def first_match(spec):
            opened.append(time.perf_counter() - began)
            return result_of(0)

        with organize(folder, config, entrants_of(100)) as organizer:
            engine = ExecutorEngine(ThreadPoolExecutor(1), first_match)
            Runner(organizer.schedule, organizer.journal, engine, limit=1).run()
            engine.close()
        snapshot = read_snapshot(folder)
        began = time.perf_counter()
        standings_document(snapshot)
        return opened[0], time.perf_counter() - began, slowest_state(folder)


def slowest_state(folder, seconds=20.0):
    """Return the longest time in seconds that the live page waits for its state while results arrive."""
    import http.client
    import subprocess

    server = subprocess.Popen([sys.executable, __file__, "--serve", str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        client = http.client.HTTPConnection(server.stdout.readline().split("/")[2])
        slowest, began = 0.0, time.perf_counter()
        with organize(folder, read_snapshot(folder).tournament.config, entrants_of(100)) as organizer:
            specs = Schedule(organizer.tournament).take()[-9:]
            while (spent := time.perf_counter() - began) < seconds:
                if specs and spent > seconds * (10 - len(specs)) / 10:
                    organizer.journal.commit(specs.pop(), result_of(0))
                asked = time.perf_counter()
                client.request("GET", "/state")
                assert client.getresponse().read()
                slowest = max(slowest, time.perf_counter() - asked)
                time.sleep(0.02)
        return slowest
    finally:
        server.terminate()


def serve(folder):
    """Serve the live page of a tournament, and print its address."""
    server = Server(TournamentPages(folder, None).application())
    print(server.url, flush=True)
    server.run()


def table_rounds(bots=200, rounds=6):
    """Seconds to pair each round of a free for all in tables of four."""
    stage = StageConfig("all", "free_for_all", rounds=rounds, table=4, games=1, tiebreaks=TABLE_TIEBREAKS)
    tournament = Tournament(config_of(stage, players=(2, 8)), entrants_of(bots), "bench", "secret")
    spent = []
    schedule = Schedule(tournament)
    while waiting := schedule.take():
        for spec in waiting[:-1]:
            schedule.record(spec, at_table(spec))
        last = at_table(waiting[-1])
        began = time.perf_counter()
        schedule.record(waiting[-1], last)
        spent.append(time.perf_counter() - began)
    return spent[:-1]  # after the last round there is nothing to pair


def main():
    """Prints all figures."""
    with contextlib.suppress(OSError):
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    spent, floor_ms = overhead()
    print(f"overhead for each match: {spent:.2f} ms, {spent / floor_ms:.1f} x a synchronised write")
    one, inside = saloon(1, 40)
    two, _ = saloon(2, 80)
    beside = 60_000 / one - 1000 * inside
    print(f"Saloon, one at a time: {one:.0f} matches a minute, {beside:.0f} ms beside the match itself")
    print(f"Saloon, two at once: {two:.0f} matches a minute, {two / one:.2f} x one at a time")
    print(f"200 bots in tables of 4: {max(table_rounds()):.2f} s to pair the slowest of six rounds")
    opened, standings, state = resume()
    print(
        f"20,000 results: {opened:.2f} s to the first new match, {standings:.2f} s for standings and ratings, "
        f"{1000 * state:.0f} ms for the slowest state of the live page"
    )


if __name__ == "__main__":
    serve(Path(sys.argv[2])) if "--serve" in sys.argv else main()
