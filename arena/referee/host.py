"""The loop around the state machine: sockets, processes, pipes, and the clock on the wall.

One thread and one poller. Nothing sleeps: the poller's timeout is the next moment at which a limit can run out. What
bots send is read only when a reply is due, so a flood stays in the flooder's own socket.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from arena.bots.launch import launch
from arena.bots.process import BotProcess
from arena.bots.system.reaping import become_subreaper, reap_orphans
from arena.referee.affinity import pin
from arena.referee.board import RulesFault
from arena.referee.chair import Chair
from arena.referee.clock import Reading
from arena.referee.link import PeerError, SeatLink
from arena.referee.load import stalled_seconds
from arena.referee.match import Begin, Match, Send
from arena.referee.outputs import Outputs
from arena.referee.processor import Processor
from arena.referee.record import NoteKind
from arena.referee.setup import Table
from arena.referee.watch import Watch
from arena_player import wire
from arena_player.wire import limits
from arena_replays import ReplayError

FAREWELL = 0.25
"""Seconds that a bot has after ``over`` to end by itself."""
SILENT_DEATH = 0.1
"""Seconds between a bot's hanging up and the verdict, for its process to be seen dying."""
PROGRESS_INTERVAL = 0.1

Report = Callable[[dict[str, Any]], None]


class Host:
    """Plays one match.

    Args:
        table: Everything that was worked out before the first process starts.
        report: Called with progress documents.
    """

    def __init__(self, table: Table, report: Report | None = None) -> None:
        self.table = table
        self.match: Match | None = None
        self.chairs: list[Chair] = []
        self.lateness = 0.0
        self.cpu_before_play = self.playing_cpu = 0.0
        self.pressure: float | None = None
        self._stalled_before: float | None = None
        self.memory_at_start = self.memory_growth = 0
        self.fault = ""
        self.started = self.first_turn = self.ended = time.monotonic()
        self._report = report
        self._reported = 0.0
        self.watch = Watch()
        self.outputs = Outputs(self.chairs, self.watch, self._note)
        self.processor = Processor([], freezes=False)
        self._interrupted = ""
        self._earliest: float | None = None
        self._read_ahead: list[int] = []
        self._serving = -1

    def run(self) -> None:
        """Play to the end. Afterwards no process, descriptor or file is left."""
        self.started = time.monotonic()
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
            stack.enter_context(self.watch)
            self._catch_signals(stack)
            become_subreaper()
            stack.callback(reap_orphans)
            if not self.table.job.debug:
                pin(self.table.job.cpu)
            self._launch(stack, folder)
            job = self.table.job
            freezes = job.policy.pause_idle == "freeze" and not job.debug
            self.processor = Processor([chair.running for chair in self.chairs], freezes=freezes)
            isolations = [chair.running.isolation for chair in self.chairs]
            self.match = self.table.open_match(isolations, self._look, self.processor.kept_waiting)
            stack.callback(self._close_record)
            self.match.begin()
            gc.freeze()
            self.memory_at_start = _peak_memory()
            try:
                self._loop(self.match)
            except ReplayError:
                raise  # no match of this series can be recorded
            except Exception as error:
                self._on_fault(self.match, error)
            finally:
                self.ended = time.monotonic()
                self.pressure = self._pressure()
                self.playing_cpu = time.process_time() - self.cpu_before_play
                self.memory_growth = _peak_memory() - self.memory_at_start
                try:
                    self._farewell(self.match)
                except Exception as error:  # the match has its result; the processes are closed in any case
                    traceback.print_exception(error)

    # -- starting ------------------------------------------------------------------------------------

    def _launch(self, stack: ExitStack, folder: Path) -> None:
        """Bind the sockets, then set up the programs. Each is held until the match lets it begin."""
        job = self.table.job
        for player in range(len(self.table.bots)):
            chair = Chair(SeatLink(folder / f"{player}.sock", limits.CLIENT_BYTES))
            stack.callback(chair.link.close)
            self.chairs.append(chair)
        for player, (chair, bot) in enumerate(zip(self.chairs, self.table.bots, strict=True)):
            chair.process = launch(
                bot,
                seat=player,
                socket=chair.link.path,
                limits=job.limits,
                sandbox="none" if job.debug else job.sandbox,
                packages=self.table.packages,
                require=0 if job.debug else job.require_isolation,
                at_most=job.max_isolation,
                terminal=job.debug,
                hold=True,
            )
            stack.callback(chair.process.close)
            self._watch_chair(player, chair)

    def _watch_chair(self, player: int, chair: Chair) -> None:
        process = chair.running
        self.watch.add(chair.link.fileno(), self._on_knock, player)
        self.watch.add(process.pidfd, self._on_death, player)
        self.outputs.add(player)

    def _look(self, player: int) -> Reading:
        chair = self.chairs[player]
        return Reading(time.monotonic(), chair.cpu(), chair.link.unread)

    # -- the loop ------------------------------------------------------------------------------------

    def _loop(self, match: Match) -> None:
        playing = False
        while True:
            self._carry_out(match)
            if match.over:
                return
            if match.playing and not playing:
                playing = True
                self.first_turn = time.monotonic()
                self.cpu_before_play = time.process_time()
                self._stalled_before = stalled_seconds()
            timeout = self._timeout(match)
            ready = self.watch.wait(0.0 if self._read_ahead else timeout)
            if self._interrupted:  # before anything else: the terminal may have interrupted the bots as well
                match.void(self._interrupted)
                continue
            self._look_how_late()
            ahead, self._read_ahead = self._read_ahead, []
            for handler, player in [*ready, *((self._on_bytes, player) for player in ahead)]:
                self._serving = player
                handler(player)
            self._check_time(match)

    def _timeout(self, match: Match) -> float | None:
        """Return the seconds until the next limit can run out."""
        earliest = None
        now = 0.0
        for player, chair in enumerate(self.chairs):
            if not match.seats[player].asked and chair.gone_at is None:
                continue
            now = now or time.monotonic()
            moment = match.next_check(player)
            if chair.gone_at is not None:
                moment = min(moment or now + 3600, chair.gone_at + SILENT_DEATH)
            if moment is not None and (earliest is None or moment < earliest):
                earliest = moment
        self._earliest = earliest
        for other in (self.outputs.muted_until, self.processor.next_look):
            if other is not None and (earliest is None or other < earliest):
                earliest = other
        return None if earliest is None else max(0.0, earliest - (now or time.monotonic()))

    def _look_how_late(self) -> None:
        """Note by how much the poller returned too late."""
        if self._earliest is not None:
            self.lateness = max(self.lateness, time.monotonic() - self._earliest)

    def _look_at_waiting(self, match: Match) -> None:
        """Freeze seats that use the processor while another is asked; the time they used is given back to that one."""
        lost = self.processor.look()
        if lost:
            match.give_back(lost)

    def _check_time(self, match: Match) -> None:
        now = time.monotonic()
        if self.outputs.muted_until is not None and now >= self.outputs.muted_until:
            self.outputs.unmute()
        is_due = self._earliest is not None and now >= self._earliest
        if is_due or (self.processor.next_look is not None and now >= self.processor.next_look):
            self._look_at_waiting(match)
        if not is_due:
            return
        for player, chair in enumerate(self.chairs):
            if match.over:
                return
            self._serving = player
            match.on_time(player)
            if chair.gone_at is not None and now >= chair.gone_at + SILENT_DEATH:
                chair.gone_at = None
                match.on_exit(player, "crashed", "closed its connection")

    def _carry_out(self, match: Match) -> None:
        """Do what the state machine asks for, then listen to those seats from which a message may come, and no other.

        A message that is not wanted would wake the poller again and again.
        """
        commands = match.take_commands()
        while True:
            match.give_back(self.processor.assign([seat.asked for seat in match.seats]))
            for command in commands:
                self._serving = command.player
                chair = self.chairs[command.player]
                if isinstance(command, Begin):
                    chair.running.release()
                elif isinstance(command, Send):
                    self._send(match, command)
                else:
                    self._hang_up(chair)
            for player, chair in enumerate(self.chairs):
                self._listen_if_wanted(match, player, chair)
            commands = match.take_commands()
            if not commands:
                break
        if self._report is not None:
            self._progress(match)

    def _send(self, match: Match, command: Send) -> None:
        chair = self.chairs[command.player]
        try:
            chair.link.send(wire.pack(command.message, trusted=True))
        except PeerError as error:
            match.on_garbage(command.player, str(error))
        except wire.WireError:
            if not match.seats[command.player].strikes:
                raise  # the game's own messages are too long
            match.on_exit(command.player, "timed_out", "missed more than a message can hold")
        if chair.link.wants_to_write:
            self._watch_link(command.player, chair)

    def _hang_up(self, chair: Chair) -> None:
        chair.listening = False
        self.watch.remove(chair.link.fileno())
        chair.link.close()
        chair.running.kill()

    def _watch_link(self, player: int, chair: Chair) -> None:
        """Watch for messages that are wanted, but read none from a seat that has not read what was sent to it.

        So what waits for a bot that does not read cannot grow: its time runs out instead.
        """
        link = chair.link
        if link.connected:
            waiting = link.wants_to_write
            self.watch.add(link.fileno(), self._on_bytes, player, read=chair.listening and not waiting, write=waiting)

    def _listen_if_wanted(self, match: Match, player: int, chair: Chair) -> None:
        if not chair.link.connected or chair.link.closed or match.listens_to(player) == chair.listening:
            return
        chair.listening = not chair.listening
        self._watch_link(player, chair)
        if chair.listening:
            self._on_bytes(player)  # what came before its time is judged now

    # -- what comes in -------------------------------------------------------------------------------

    def _on_knock(self, player: int) -> None:
        chair = self.chairs[player]
        descriptor = chair.link.fileno()
        if chair.link.accept():
            self.watch.remove(descriptor)
            chair.listening = self.match is not None and self.match.listens_to(player)
            self._watch_link(player, chair)

    def _on_bytes(self, player: int) -> None:
        """Send what waits for this seat, then read messages as long as the state machine wants any."""
        match = self.match
        chair = self.chairs[player]
        link = chair.link
        if match is None or link.closed:
            return
        waited = link.wants_to_write
        link.flush()
        self._read_messages(match, player, link)
        if link.closed:
            chair.listening = False
            chair.gone_at = time.monotonic()
        if link.closed or waited or link.wants_to_write:
            self._watch_link(player, chair)

    def _read_messages(self, match: Match, player: int, link: SeatLink) -> None:
        while match.listens_to(player) and not match.over and not link.wants_to_write:
            try:
                data = link.receive()
                if data is None:
                    break
                message = wire.unpack(data)
            except PeerError as error:
                match.on_garbage(player, str(error))
                return
            except wire.WireError as error:
                match.on_garbage(player, f"sent a message that breaks the protocol: {error}")
                return
            self.outputs.catch_up(player)
            limit = match.next_check(player)
            if limit is not None and time.monotonic() >= limit:
                self._look_at_waiting(match)
            match.on_message(player, message)
            if message["type"] == "act":
                if link.read_ahead:
                    self._read_ahead.append(player)
                return  # its answer must go out before anything else is read

    def _on_death(self, player: int) -> None:
        match = self.match
        chair = self.chairs[player]
        process = chair.running
        self.watch.remove(process.pidfd)
        ending = process.poll()
        self._on_bytes(player)  # its last words count
        self.outputs.drain(player)
        chair.gone_at = None
        if match is not None and ending is not None:
            match.on_exit(player, "out_of_memory" if ending.out_of_memory else "crashed", ending.reason)

    def _on_fault(self, match: Match, error: Exception) -> None:
        """End the match without a winner: the rules or the referee failed, while it served a certain seat."""
        traceback.print_exception(error)
        cause = error.__cause__ if isinstance(error, RulesFault) else error
        what = str(error) if isinstance(error, RulesFault) else "The referee failed"
        seat = f" while it served {match.seats[self._serving].name}" if self._serving >= 0 else ""
        self.fault = f"{what}{seat}: {type(cause).__name__}: {cause}"
        match.void("fault")

    # -- ending --------------------------------------------------------------------------------------

    def _farewell(self, match: Match) -> None:
        """Send what is left to send, give the bots a moment to end by themselves, and take them away."""
        for command in match.take_commands():
            if isinstance(command, Send) and not self.chairs[command.player].link.closed:
                self._send(match, command)
        end = time.monotonic() + FAREWELL
        for chair in self.chairs:
            process = chair.running
            process.thaw()
            if not self._interrupted and not self.table.job.debug:
                self._wait_for(process, chair.link, end)
            process.kill()
        for player in range(len(self.chairs)):
            self.outputs.drain(player)

    def _wait_for(self, process: BotProcess, link: SeatLink, end: float) -> None:
        poller = select.poll()
        poller.register(process.pidfd, select.POLLIN)
        if link.connected and link.wants_to_write:
            poller.register(link.fileno(), select.POLLOUT)
        for output in (process.stdout, process.stderr):
            if output.fileno() >= 0:
                poller.register(output.fileno(), select.POLLIN)
        while process.poll() is None and time.monotonic() < end:
            for descriptor, _ in poller.poll(max(0.0, end - time.monotonic()) * 1000):
                if descriptor == link.fileno():
                    link.flush()
                    if not link.wants_to_write:
                        poller.unregister(descriptor)
                for output in (process.stdout, process.stderr):
                    if descriptor == output.fileno():
                        output.drain()
                        if output.closed:
                            poller.unregister(descriptor)

    def _close_record(self) -> None:
        if self.match is not None:
            self.table.close_record(self.match, self.fault or self._interrupted)

    def _note(self, player: int, kind: NoteKind, text: str) -> None:
        if self.match is not None:
            self.match.record.note(player, kind, text)

    def _progress(self, match: Match) -> None:
        now = time.monotonic()
        if self._report is not None and match.playing and now - self._reported >= PROGRESS_INTERVAL:
            self._reported = now
            state = match.state
            self._report({"event": "turn", "turn": state.turn_number(), "scores": list(state.scores())})

    def _pressure(self) -> float | None:
        """Return the share of the playing time in which something waited for a processor."""
        after = stalled_seconds()
        if self._stalled_before is None or after is None:
            return None
        return min(1.0, (after - self._stalled_before) / max(self.ended - self.first_turn, 1e-3))

    def _catch_signals(self, stack: ExitStack) -> None:
        """Turn SIGINT and SIGTERM into an orderly end. The wake-up descriptor makes the poller return for them.

        A SIGINT that was held back since the program started comes now, and is held back again afterwards: the result
        of a match that was played is told.
        """

        def interrupt(number: int, _frame: Any) -> None:
            self._interrupted = f"interrupted by {signal.Signals(number).name}"

        read_end, write_end = os.pipe()
        for descriptor in (read_end, write_end):
            os.set_blocking(descriptor, False)
            stack.callback(os.close, descriptor)
        for number in (signal.SIGINT, signal.SIGTERM):
            stack.callback(signal.signal, number, signal.signal(number, interrupt))
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(write_end, warn_on_full_buffer=False))
        self.watch.add(read_end, lambda _: None, -1)
        stack.callback(
            signal.pthread_sigmask, signal.SIG_SETMASK, signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        )


def _peak_memory() -> int:
    """Return the most bytes that this process has ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
