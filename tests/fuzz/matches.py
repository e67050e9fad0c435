"""The structural fuzzer of the referee: the real loop, links and state machine against bots that do anything at all.

    python tests/fuzz/matches.py [MESSAGES] [--seed N] [--old-poller]

Sockets, pipes and the poller are real. The bots live in this process and time jumps to the next limit whenever nobody
has anything to do, so that a match takes milliseconds and its seed repeats it. A finding ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "game")]

import painting  # noqa: E402
import sealed_orders_game as sealed_orders  # noqa: E402
from peers import HonestBot, HostileBot, Message  # noqa: E402

from arena.bots.bot import Bot  # noqa: E402
from arena.bots.capture import Capture  # noqa: E402
from arena.bots.exit import Exit  # noqa: E402
from arena.game import Clock, GameSpec, load  # noqa: E402
from arena.match.isolation import Isolation, Level  # noqa: E402
from arena.match.job import Job, SeatAssignment  # noqa: E402
from arena.match.limits import Policy  # noqa: E402
from arena.match.result import MatchResult  # noqa: E402
from arena.play.referee import bot_output, host, processor, seat_link  # noqa: E402
from arena.play.referee.__main__ import hosted  # noqa: E402
from arena.play.referee.host import Host  # noqa: E402
from arena.play.referee.load import peak_memory  # noqa: E402
from arena.play.referee.played import result_of  # noqa: E402
from arena.play.referee.prepared import PreparedMatch  # noqa: E402
from arena_replays import Reader  # noqa: E402

REGULAR = ("won", "lost", "drawn")
MAX_UNREAD = 2_000_000
"""Bytes that may wait for a bot: all that happens in a match, since a bot that was skipped gets it at once."""
MAX_GROWTH = 24 * 1024 * 1024
"""Bytes by which this process may grow after its first matches."""
MAX_BUSY = 100
"""How often the poller may return at once although no bot does anything."""
MAX_ADDRESSES = 2 * 1024**3
KINDS = ((HonestBot, HostileBot), (HostileBot, HonestBot), (HonestBot, HonestBot), (HostileBot, HostileBot))
CLOCK = Clock(startup=1.0, bank=None, increment=0.0, turn=0.3, grace=0.02)


class Finding(Exception):  # noqa: N818 - not an error of the fuzzer
    """Something that must not happen."""


@dataclass(frozen=True)
class Arena:
    """A game to fuzz with: options, and actions to choose from; the first is always legal."""

    game: GameSpec
    options: dict[str, Any]
    actions: list[Message]


def arenas() -> list[Arena]:
    """Return a game with many kinds of actions, one with long messages, and one of simultaneous moves."""
    moves: list[Message] = [{"type": "move", "cowboy": "c9", "x": 1, "y": 1}, {"type": "nonsense"}]
    call: Message = {"type": "call_in", "young_gun": "g0", "job": "Brawler"}
    hands: list[Message] = [{"type": "choose", "hand": hand} for hand in ("rock", "paper", "scissors", "well")]
    return [
        Arena(load("saloon"), {"width": 8, "height": 6, "max_turns": 12}, [{"type": "end_turn"}, call, *moves]),
        Arena(painting.GAME, {"letters": 60_000, "steps": 30}, [{"type": "paint"}, {"type": "smear"}]),
        Arena(sealed_orders.GAME, {"rounds": 8}, hands),
    ]


class World:
    """The bots of one match, and its time."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.processes: list[Process] = []
        self.host: Host | None = None
        self.busy = 0

    def step(self) -> bool:
        """Let every bot do a little; return whether any did."""
        did = [process.step() for process in self.processes]  # every bot gets its turn
        return any(did)

    def look(self) -> None:
        """Check what must hold at every moment."""
        for seat in self.host.seats.values() if self.host else ():
            if seat.link.unread > MAX_UNREAD:
                raise Finding(f"{seat.link.unread} bytes wait for a bot")


class Process:
    """A bot in the place of `arena.bots.process.BotProcess`."""

    root = 0  # no process: nothing real is measured, so that a seed repeats a match

    def __init__(
        self, world: World, bot: HonestBot, pipes: tuple[tuple[int, int], tuple[int, int]], exact: bool
    ) -> None:
        self._world = world
        self.bot = bot
        self._writers = [writer for _, writer in pipes]
        self.stdout, self.stderr = (Capture(reader) for reader, _ in pipes)
        self.pidfd = os.eventfd(0)
        self.isolation = Isolation(Level.CGROUP if exact else Level.BWRAP)
        self._exact = exact
        self._reported = self.frozen = False
        self._held = True

    def request_stack(self) -> bool:
        return False

    def step(self) -> bool:
        did = not self._held and not self.frozen and self.bot.step()
        if self.bot.exit_code is not None and not self._reported:
            self._reported = did = True
            os.eventfd_write(self.pidfd, 1)
        return did

    def poll(self) -> Exit | None:
        if self._world.host is not None and self._world.host.match is not None and self._world.host.match.over:
            self.bot.end(0)
        self._world.now += 0.1  # who polls in a loop gets to an end
        code = self.bot.exit_code
        return None if code is None else Exit(code if code < 128 else None, "" if code < 128 else "SIGSEGV")

    def kill(self) -> None:
        self.bot.end(139)
        self.bot.hang_up()
        for writer in self._writers:
            with contextlib.suppress(OSError):
                os.close(writer)
        self._writers = []
        self.stdout.drain_rest()
        self.stderr.drain_rest()

    def close(self) -> None:
        self.kill()
        os.close(self.pidfd)

    def cpu_nanoseconds(self) -> int | None:
        return int(self._world.now * 1e9) if self._exact else None

    def busy_nanoseconds(self) -> int | None:
        return self.cpu_nanoseconds()

    def waiting_nanoseconds(self) -> int | None:
        return 0 if self._exact else None

    def release(self) -> None:
        self._held = False

    def freeze(self) -> bool:
        self.frozen = True
        return True

    def thaw(self) -> None:
        self.frozen = False

    def runs(self) -> bool:
        return not self.frozen


class SteppingPoller(seat_link.Poller):
    """A poller that lets the bots do something, and jumps in time where nobody does."""

    world = World()

    def wait(self, seconds: float | None) -> Any:
        """Let all bots do a little, then return what is ready."""
        did = self.world.step()
        self.world.look()
        ready = super().wait(0)
        self.world.busy = self.world.busy + 1 if ready and not did else 0
        if self.world.busy > MAX_BUSY:
            raise Finding("the referee is woken again and again by what it does not read")
        if not ready and not did:
            if seconds is None:
                raise Finding("the referee waits without a limit")
            self.world.now += seconds + 1e-6
        return ready


class OldPoller(SteppingPoller):
    """The poller as it was when a bot that does not read could crash the referee."""

    def add(self, descriptor: int, handler: Any, player: int, *, read: bool = True, write: bool = False) -> None:
        """Fail as `epoll.modify` does when a descriptor is to be watched for writing that is not watched at all."""
        if write and descriptor not in self._sources:
            raise FileNotFoundError(2, "No such file or directory")
        super().add(descriptor, handler, player, read=read, write=write)


class FuzzMatch(PreparedMatch):
    """A prepared match without bots on the disk."""

    def __init__(self, job: Job, arena: Arena) -> None:
        self.job = job
        self.game = arena.game
        self.options = arena.game.resolve_options(arena.options)
        self.bots = [Bot(seat.name, HERE, (), "bot.py", (), "python", "0" * 64) for seat in job.seats]
        self.clock = job.clock or arena.game.clock
        self.packages = ("", "")
        self.no_build = {}


@dataclass
class Fuzzer:
    """Plays matches and counts.

    Attributes:
        poller: The poller to use.
        matches: Matches played.
        messages: Messages that bots sent.
        endings: How the matches ended for hostile and honest bots.
    """

    poller: type[SteppingPoller] = SteppingPoller
    matches: int = 0
    messages: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    _arenas: list[Arena] = field(default_factory=arenas)

    def play(self, seed: int, folder: Path) -> None:
        """Play one match.

        Raises:
            Finding: Something happened that must not.
        """
        rng = Random(seed)
        arena = rng.choice(self._arenas)
        world = World()
        job = Job(
            game=arena.game.name,
            seats=(SeatAssignment("a", "a"), SeatAssignment("b", "b")),
            seed=seed,
            clock=CLOCK,
            policy=Policy(timeout=rng.choice(("forfeit", "skip", "strike"))),
            replay=str(folder / "match.arena") if rng.random() < 0.5 else "",
            cpu=-1,
        )
        kinds = rng.choice(
            ((HonestBot, HostileBot), (HostileBot, HonestBot), (HonestBot, HonestBot), (HostileBot,) * 2)
        )
        prepared = FuzzMatch(job, arena)

        def launch(_bot: Bot, *, seat: int, socket: Path, **_: Any) -> Process:
            pipes = (os.pipe(), os.pipe())
            for _, writer in pipes:
                os.set_blocking(writer, False)
            writers = (pipes[0][1], pipes[1][1])
            process = Process(world, kinds[seat](socket, writers, arena.actions, Random(seed * 2 + seat)), pipes, exact)
            world.processes.append(process)
            return process

        exact = rng.random() < 0.5
        stepping = type("Poller", (self.poller,), {"world": world})
        clock = SimpleNamespace(monotonic=lambda: world.now, process_time=time.process_time)
        before = set(os.listdir("/proc/self/fd"))
        with (
            mock.patch.multiple(host, launch=launch, Poller=stepping, time=clock),
            mock.patch.object(bot_output, "time", clock),
            mock.patch.object(seat_link, "time", clock),
            mock.patch.multiple(processor, time=clock, random=Random(seed)),
        ):
            world.host = Host(hosted(prepared))
            world.host.run()
            result = result_of(world.host)
        self._count(world, result)
        check(world, result)
        if job.replay and (problems := Reader(job.replay).check()):
            raise Finding(f"the replay cannot be read: {problems[0]}")
        if left := set(os.listdir("/proc/self/fd")) - before:
            raise Finding(f"descriptors {sorted(left)} are still open")

    def _count(self, world: World, result: MatchResult) -> None:
        self.matches += 1
        self.messages += sum(process.bot.sent for process in world.processes)
        for process, player in zip(world.processes, result.players, strict=True):
            self.endings[f"{'honest' if process.bot.honest else 'hostile'} {player.ending}"] += 1


def check(world: World, result: MatchResult) -> None:
    """Check a result.

    Raises:
        Finding: The referee failed, or an honest bot lost through no fault of its own.
    """
    if result.fault:
        raise Finding(result.fault)
    for process, player in zip(world.processes, result.players, strict=True):
        if process.bot.honest and player.ending not in REGULAR:
            raise Finding(f"an honest bot ended as {player.ending}: {player.detail}")
    endings = {player.ending for player in result.players}
    if "void" in endings:
        raise Finding(f"the match is void: {result.outcome.reason}")
    if any(not process.bot.honest for process in world.processes):
        failed = [player.ending not in REGULAR for player in result.players]
        if sum(failed) == 1 and result.players[failed.index(False)].ending != "won":
            raise Finding("a bot did not win although the other failed")


def main(arguments: list[str]) -> int:
    """Play until so many messages were sent; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("messages", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--old-poller", action="store_true")
    given = parser.parse_args(arguments)
    fuzzer = Fuzzer(OldPoller if given.old_poller else SteppingPoller)
    seed = given.seed
    memory = 0
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
    with tempfile.TemporaryDirectory() as folder:
        while fuzzer.messages < given.messages:
            try:
                fuzzer.play(seed, Path(folder))
            except Finding as finding:
                print(f"match {seed}: {finding}")
                return 1
            seed += 1
            if fuzzer.matches % 50 == 0:  # each match freezes what there is, since it usually is the only one
                gc.unfreeze()
                gc.collect()
            if fuzzer.matches == 100:
                memory = peak_memory()
    print(f"{fuzzer.messages} messages in {fuzzer.matches} matches, {dict(sorted(fuzzer.endings.items()))}")
    if memory and peak_memory() - memory > MAX_GROWTH:
        print(f"the process grew by {peak_memory() - memory} bytes")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
