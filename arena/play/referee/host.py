"""The loop around the state machine of a match: it does all I/O with sockets, processes, pipes, and clocks.

The loop has one thread and one poller. Each round carries out the outputs of the state machine, waits until the next
event, time limit or check, handles the events, and checks the limits that may have passed. It reads a bot's messages
only while the state machine waits for that bot. So a flood of messages fills only the bot's own socket.

`HostedMatch` is what a host can play: a real match (`__main__`), or one program among objects of this process
(`prepared.play_one_program`). `Interruption` takes Ctrl-C and SIGTERM. `ProgramEnd` is the seat of a program as
`carrying` sees it.
"""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot
from arena.bots.launch import launch
from arena.bots.seat_program import LOST, OUTAGE, RESIGNED
from arena.bots.system.reaping import become_subreaper, reap_orphans
from arena.bots.system.surroundings import socket_folder
from arena.match.ending import Ending
from arena.match.isolation import Isolation
from arena.match.job import Job
from arena.match.void import FAULT, HOST_LATE
from arena.play.referee.bot_output import BotOutput
from arena.play.referee.carrying import Message, SeatEnd, hand_over, read_clocks
from arena.play.referee.clock import Reading
from arena.play.referee.cores import pin
from arena.play.referee.live_state import RulesFault
from arena.play.referee.load import Measurements
from arena.play.referee.match import Match
from arena.play.referee.outputs import Printed
from arena.play.referee.processor import Processor
from arena.play.referee.recording import Recording
from arena.play.referee.seat_link import Poller, SeatConnection, SeatLink
from arena.text.printable import print_traceback
from arena_player import wire
from arena_player.wire import limits
from arena_player.wire.zmtp import PeerError
from arena_replays import ReplayError

# Handle SIGINT and SIGTERM while a match is played.


class Interruption:
    """Records SIGINT and SIGTERM, so that the loop can end the match properly. A signal also wakes the poller.

    In a match process, SIGINT is blocked before and after the match, so that a finished match can send its result. A
    SIGINT from before the match arrives with `catch`.

    Attributes:
        reason: A text that names the signal; empty if no signal came.
    """

    def __init__(self) -> None:
        self.reason = ""

    def catch(self, stack: ExitStack, poller: Poller) -> None:
        """Handle the signals until the end of `stack`."""
        read_end, write_end = os.pipe()
        for descriptor in (read_end, write_end):
            os.set_blocking(descriptor, False)
            stack.callback(os.close, descriptor)
        for number in (signal.SIGINT, signal.SIGTERM):
            stack.callback(signal.signal, number, signal.signal(number, self._on_signal))
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(write_end, warn_on_full_buffer=False))
        poller.add(read_end, lambda _: None, -1)
        before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)

    def _on_signal(self, number: int, _frame: Any) -> None:
        self.reason = f"interrupted by {signal.Signals(number).name}"


SHUTDOWN_GRACE = 0.25
"""Seconds after the message ``over`` in which a bot can end by itself. Then the host kills the bot.

Enough for a bot to print what it has learned, and short, since each match of a contest with a bot that hangs takes it.
"""
COUNTS_GRACE = 2.0
"""Seconds that the program of a player of another distribution has in addition, to say what it has counted.

Chosen, not measured: it needs milliseconds, but on a busy machine must not lose what the result is to have.
"""
SILENT_DEATH = 1.0
"""If a bot's process still runs this many seconds after its connection has ended, that counts as a crash.

The connection of a program that crashes ends before its process can be reaped, and the exit code or signal says more.
With 0.1 s, crashes on a busy machine were reported as closed connections.
"""
PROGRESS_INTERVAL = 0.1
"""Seconds between two reports of progress: people do not read faster."""

CLOSED = "closed its connection"

Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class HostedMatch:
    """A match that a host can play. The player on a seat is a program, or an object in this process.

    Attributes:
        job: How the programs run.
        bots: The bot of each player; None for a player who is an object in this process.
        open_match: Returns the state machine and the replay, given the isolation of each seat.
        packages: The Python packages that a bot needs for ``game.fork()``, besides `arena_player`.
        no_build: The reason for each seat whose bot could not be built.
        environment: Additional environment variables of the programs.
        program: Makes the end of a seat whose player is a program; by default a `ProgramEnd`.
        resident: Makes the end of a seat whose player is an object.
        grace: Seconds after the message ``over`` in which a program can end by itself. Then the host kills it.
        alone: Whether this process plays this match and does nothing else. If so, the host handles its signals, reaps
            its children, pins it to a processor, and keeps a failure of the rules in `Host.fault`. Otherwise the
            failure is raised.
    """

    job: Job
    bots: Sequence[Bot | None]
    open_match: Callable[[list[Isolation]], tuple[Match, Recording | None]]
    packages: tuple[str, ...] = ()
    no_build: Mapping[int, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    program: Callable[[Host, Match, int], ProgramEnd] | None = None
    resident: Callable[[Match, int], SeatEnd] | None = None
    grace: float = SHUTDOWN_GRACE
    alone: bool = True


class Host:
    """Plays one match.

    Attributes:
        match: The state machine; None before the bots are set up.
        seats: The link and the process of each player who is a program.
        fault: A failure that no bot caused; empty if there is none.
    """

    def __init__(self, hosted: HostedMatch, report: Progress | None = None) -> None:
        self.hosted = hosted
        self.match: Match | None = None
        self.seats: dict[int, SeatConnection] = {}
        self.measured = Measurements()
        self.fault = ""
        self._report = report
        self._reported = 0.0
        self._first_turn = 0
        self._recording: Recording | None = None
        self.left_out = ""
        self._programs: dict[int, ProgramEnd] = {}
        self._seat_ends: list[SeatEnd] = []
        self._poller = Poller()
        self._output = BotOutput(self.seats, self._poller, self._on_printed)
        self._processor = Processor({}, freezes=False)
        self._interruption = Interruption()
        self._earliest: float | None = None
        self._read_ahead: list[int] = []
        self._serving = -1

    def run(self) -> None:
        """Play the match to its end. Leave no process, descriptor or temporary file behind."""
        job = self.hosted.job
        with ExitStack() as stack:
            stack.enter_context(self._poller)
            if self.hosted.alone:
                self._interruption.catch(stack, self._poller)
                become_subreaper()
                stack.callback(reap_orphans)
                if not job.debug:
                    pin(job.cpu)
            self._launch(stack)
            freezes = job.policy.pause_idle == "freeze" and not job.debug
            self._processor = Processor({player: seat.process for player, seat in self.seats.items()}, freezes=freezes)
            players = range(len(self.hosted.bots))
            isolations = [self._isolation(player) for player in players]
            match, self._recording = self.hosted.open_match(isolations)
            self.match = match
            self._programs = {player: (self.hosted.program or ProgramEnd)(self, match, player) for player in self.seats}
            self._seat_ends = [self._programs.get(player) or self._resident(match, player) for player in players]
            self._first_turn = match.state.turn_number() if job.start is None else job.start.first
            match.start_next()
            if self.hosted.alone:
                gc.freeze()
            self._play(match)

    def _isolation(self, player: int) -> Isolation:
        return self.seats[player].process.isolation if player in self.seats else Isolation()

    def _resident(self, match: Match, player: int) -> SeatEnd:
        assert self.hosted.resident is not None, f"player {player} is neither a program nor an object"
        return self.hosted.resident(match, player)

    def _play(self, match: Match) -> None:
        self.measured.start()
        waits = False
        try:
            self._loop(match)
            waits = True
        except ReplayError:  # the replay cannot be written, so its footer cannot be written either
            self._recording = None
            raise
        except Exception as error:
            if not self.hosted.alone:
                raise
            self._on_fault(match, error)
            waits = True
        finally:
            self.measured.stop()
            try:
                self._shut_down(match, waits=waits and not self._interruption.reason and not self.hosted.job.debug)
            except Exception as error:  # only print the error, since the match has its result
                print_traceback(error)
            if self._recording is not None:
                self.left_out = self._recording.finish(match, self.fault or self._interruption.reason)

    # -- starting ------------------------------------------------------------------------------------

    def _launch(self, stack: ExitStack) -> None:
        """Bind the sockets, then set up the programs. In a sandbox, a program waits until the match starts it."""
        job = self.hosted.job
        programs = {player: bot for player, bot in enumerate(self.hosted.bots) if bot is not None}
        if not programs:
            return
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-", dir=socket_folder())))
        links = {player: SeatLink(folder / f"{player}.sock", limits.CLIENT_BYTES) for player in programs}
        for link in links.values():
            stack.callback(link.close)
        for player, bot in programs.items():
            process = launch(
                bot,
                seat=player,
                socket=links[player].path,
                environment=self.hosted.environment,
                limits=job.limits,
                sandbox="none" if job.debug else job.sandbox,
                packages=self.hosted.packages,
                require=0 if job.debug else job.require_isolation,
                at_most=job.max_isolation,
                terminal=job.debug,
                hold=True,
            )
            stack.callback(process.close)
            self.seats[player] = SeatConnection(links[player], process)
            self._poller.add(links[player].fileno(), self._on_connection, player)
            self._poller.add(process.pidfd, self._on_death, player)
            self._output.add(player)

    # -- the loop ------------------------------------------------------------------------------------

    def _loop(self, match: Match) -> None:
        playing = False
        while True:
            self._carry_out(match)
            if match.over:
                return
            if match.playing and not playing:
                playing = True
                self.measured.start_playing()
            timeout = self._timeout(match)
            ready = self._poller.wait(0.0 if self._read_ahead else timeout)
            if self._interruption.reason:  # before the handlers, since a bot that Ctrl-C ended did not crash
                match.void(self._interruption.reason)
                continue
            if self._earliest is not None:
                self.measured.lateness = max(self.measured.lateness, time.monotonic() - self._earliest)
            if self._read_ahead:
                ready += [(self._on_bytes, player) for player in self._read_ahead]
                self._read_ahead = []
            for handler, player in ready:
                self._serving = player
                handler(player)
            self._check_time(match)

    def _timeout(self, match: Match) -> float | None:
        """Return the longest time, in seconds, for which the loop can wait for an event; None for no limit.

        The wait must end when a time limit can pass, when a check of the processor is due, or when muted output is
        polled again.
        """
        earliest = None
        now = 0.0
        for player, seat in self.seats.items():
            if not match.seats[player].asked and seat.gone_at is None:
                continue
            now = now or time.monotonic()
            moment = match.time.next_check(player) if seat.gone_at is None else seat.gone_at + SILENT_DEATH
            if moment is not None and (earliest is None or moment < earliest):
                earliest = moment
        self._earliest = earliest
        for moment in (self._output.muted_until, self._processor.next_check):
            if moment is not None and (earliest is None or moment < earliest):
                earliest = moment
        return None if earliest is None else max(0.0, earliest - (now or time.monotonic()))

    def _check_time(self, match: Match) -> None:
        """Judge the time limits that may have passed. `_loop` calls this after it has handled what came in.

        The order is part of fairness:

        1. Messages and ends of programs come before limits. An answer that arrived while the referee was busy has the
           reading of its own moment, and is not late because the referee was.
        2. One reading of the clock (`now`) decides what is due, before anything takes time: a limit that passes while
           the referee stops bots or measures is for the next round.
        3. The processor is checked before any limit, and what other bots or programs took from a seat is given back:
           only then is known whether the limit has passed at all. Shares of idle time are counted with it, so that they
           are those of the same moment.
        4. Each seat's clock is read again (`_settle`), after all that, and the state machine decides by this reading.
           A seat without a connection is not judged by its clock: how its program ended says more (`SILENT_DEATH`).
        """
        now = time.monotonic()
        if self._output.muted_until is not None and now >= self._output.muted_until:
            self._output.unmute()
        is_due = self._earliest is not None and now >= self._earliest
        if is_due or (self._processor.next_check is not None and now >= self._processor.next_check):
            match.time.give_back(self._processor.check())
            self._count_shares(match)
        if not is_due:
            return
        for player, seat in self.seats.items():
            if match.over:
                return
            self._serving = player
            if seat.gone_at is None:
                if match.seats[player].asked:
                    match.on_time(player, self._settle(match, player))
            elif now >= seat.gone_at + SILENT_DEATH:
                seat.gone_at = None
                if seat.process.bot.is_brought:
                    match.on_outage(player, CLOSED)
                else:
                    match.on_exit(player, "crashed", CLOSED)

    def _count_shares(self, match: Match) -> None:
        """Count what seats had of the processor. If a message of a seat waits, it has answered: it is not idle."""
        for player, seat in self.seats.items():
            if match.seats[player].asked:
                match.time.clock(player).count_entitled(self._processor.take_entitled(player))
                seconds = self._processor.take_idle(player)
                if seconds and not seat.link.has_unread:
                    match.time.clock(player).count_idle(seconds)

    def _settle(self, match: Match, player: int) -> Reading:
        """Read a seat's clocks and return the reading.

        If a limit of wall time has passed, extend the limit by the time in which programs other than the bots kept the
        seat from running.
        """
        reading = self.seats[player].read_clocks()
        if match.time.overrun(player, reading) > 0:
            seconds = self._processor.kept_waiting(player)
            match.time.clock(player).count_entitled(self._processor.take_entitled(player))
            match.on_kept_waiting(player, reading, seconds)
        return reading

    # -- output --------------------------------------------------------------------------------------

    def _carry_out(self, match: Match) -> None:
        """Handle the outputs of the state machine, then listen to the seats whose messages it expects."""
        while True:
            read_clocks(match, self._seat_ends)
            match.time.give_back(self._processor.assign([seat.asked for seat in match.seats]))
            self._hand_over(match)
            for player, seat in self.seats.items():
                if match.listens_to(player) and (not seat.listening or seat.link.read_ahead):
                    self._listen(player, seat)
            if not match.outputs:
                break
        if self._report is not None:
            self._report_progress(match, self._report)

    def _hand_over(self, match: Match) -> None:
        hand_over(match, self._seat_ends, None if self._recording is None else self._recording.write)

    def _send(self, match: Match, player: int, message: dict[str, Any]) -> None:
        seat = self.seats[player]
        if seat.link.closed:
            return
        try:
            seat.link.send(wire.pack(message, trusted=True))
        except PeerError as error:
            match.on_violation(player, str(error))
        except wire.WireError:
            if not match.seats[player].strikes:
                raise  # updates collect only after time-outs, so the game's own data are too large
            match.on_exit(player, "timed_out", "missed more updates than a message can hold")
        if seat.link.wants_to_write:
            self._poll_link(player, seat)

    def _collect_stack(self, match: Match, player: int) -> None:
        """Let a program whose time has run out print its stack before the host kills the program.

        The program has lost already, and the clocks of the next players have not started. So nobody gains time.
        """
        begin = time.monotonic()
        self.seats[player].collect_stack()
        self._output.drain(player)
        match.time.give_back(time.monotonic() - begin)

    def _hang_up(self, player: int) -> None:
        self._disconnect(player)
        self.seats[player].process.kill()
        self._output.drain(player)

    def _disconnect(self, player: int) -> None:
        seat = self.seats[player]
        seat.listening = False
        self._poller.remove(seat.link.fileno())
        seat.link.close()

    def _listen(self, player: int, seat: SeatConnection) -> None:
        """Poll a seat for messages, and handle the messages that have already arrived.

        The seat stays polled after its answer. If a message comes while the state machine expects none, `_on_bytes`
        stops the polling until this method is called again.
        """
        if seat.link.connected and not seat.link.closed:
            if not seat.listening:
                seat.listening = True
                self._poll_link(player, seat)
            self._on_bytes(player)  # handle the messages that have already arrived

    def _poll_link(self, player: int, seat: SeatConnection) -> None:
        """Poll the connection of a seat. Read nothing from a bot while messages wait to be sent to it.

        Otherwise the messages to a bot that writes but never reads would fill the memory. Such a bot runs out of time.
        """
        link = seat.link
        if link.connected:
            waiting = link.wants_to_write
            self._poller.add(link.fileno(), self._on_bytes, player, read=seat.listening and not waiting, write=waiting)

    # -- input ---------------------------------------------------------------------------------------

    def _on_connection(self, player: int) -> None:
        seat = self.seats[player]
        descriptor = seat.link.fileno()
        if seat.link.accept():
            self._poller.remove(descriptor)
            seat.listening = False
            if self.match is not None:
                self.match.on_connection(player)
                seat.listening = self.match.listens_to(player)
            self._poll_link(player, seat)

    def _on_bytes(self, player: int) -> None:
        """Send pending bytes to a seat, then read messages while the state machine expects any."""
        match, seat = self.match, self.seats[player]
        link = seat.link
        if match is None or link.closed:
            return
        waited, listened = link.wants_to_write, seat.listening
        if waited:
            link.flush()
        if match.listens_to(player):
            self._read_messages(match, player, link)
        else:
            seat.listening = False  # otherwise a waiting message would wake the poller again and again
        if link.closed:
            seat.listening = False
            seat.gone_at = time.monotonic()
        if link.closed or waited or link.wants_to_write or seat.listening is not listened:
            self._poll_link(player, seat)

    def _read_messages(self, match: Match, player: int, link: SeatLink) -> None:
        while match.listens_to(player) and not match.over and not link.wants_to_write:
            try:
                data = link.receive()
                if data is None:
                    break
                message = wire.unpack(data)
            except PeerError as error:
                match.on_violation(player, str(error))
                return
            except wire.WireError as error:
                match.on_violation(player, f"sent a message that breaks the protocol: {error}")
                return
            reading = self.seats[player].read_clocks()
            limit = match.time.next_check(player)
            if limit is not None and reading.wall >= limit:
                match.time.give_back(self._processor.check())
                reading = self._settle(match, player)
            self._output.catch_up()
            self._programs[player].deliver(message, reading)
            if message["type"] == "act":
                if link.read_ahead:
                    self._read_ahead.append(player)
                return  # send the result before reading anything else

    def _on_death(self, player: int) -> None:
        match, seat = self.match, self.seats[player]
        self._poller.remove(seat.process.pidfd)
        ending = seat.process.poll()
        if not seat.link.connected and not seat.link.closed:
            self._on_connection(player)
        self._on_bytes(player)  # handle messages sent before the program ended
        self._output.drain(player)
        seat.gone_at = None
        if match is None or ending is None:
            return
        if ending.from_outside:
            match.on_killed(player, ending.reason)
        elif seat.process.bot.is_outside and ending.code == RESIGNED:
            match.on_exit(player, "resigned", seat.process.stderr.text())
        elif seat.process.bot.is_brought and ending.code in (OUTAGE, LOST):
            match.on_outage(player, seat.process.stderr.text() or CLOSED)
        else:
            no_build = self.hosted.no_build.get(player, "")
            failure: Ending = "out_of_memory" if ending.out_of_memory else "crashed"
            match.on_exit(player, "no_build" if no_build else failure, no_build or ending.reason)

    def _on_printed(self, player: int, kind: Printed, text: str) -> None:
        if self.match is not None:
            self.match.on_printed(player, kind, text)

    def _on_fault(self, match: Match, error: Exception) -> None:
        """End the match without a winner, because the rules or the referee failed."""
        print_traceback(error)
        cause = error.__cause__ if isinstance(error, RulesFault) else error
        event = str(error) if isinstance(error, RulesFault) else "The referee failed"
        served = f" while serving {match.seats[self._serving].name}" if self._serving >= 0 else ""
        self.fault = f"{event}{served}: {type(cause).__name__}: {cause}"
        match.void(FAULT)

    # -- ending --------------------------------------------------------------------------------------

    def _shut_down(self, match: Match, *, waits: bool) -> None:
        """Send the last messages. Give the bots time to end, if the host `waits`. Kill those that still run."""
        self._hand_over(match)
        for player in self.seats:
            if match.outcome is not None and match.outcome.reason == HOST_LATE and match.seats[player].detail:
                self._collect_stack(match, player)  # a slow machine and an endless loop look the same: show the code
        end = time.monotonic() + self.hosted.grace
        for seat in self.seats.values():
            seat.process.thaw()
            if waits:
                seat.wait_for_end(end + (COUNTS_GRACE if seat.process.bot.is_brought else 0.0))
            seat.exit = seat.process.poll()
            seat.process.kill()
        for player in self.seats:
            self._output.drain(player)
        self._hand_over(match)

    def _report_progress(self, match: Match, report: Progress) -> None:
        now = time.monotonic()
        if match.playing and now - self._reported >= PROGRESS_INTERVAL:
            self._reported = now
            state = match.state
            turn = state.turn_number() - self._first_turn + 1
            report({"event": "turn", "turn": turn, "scores": list(state.scores())})


class ProgramEnd:
    """The end of a seat whose player is a program (see `SeatEnd`). A subclass can change what passes through it."""

    def __init__(self, host: Host, match: Match, player: int) -> None:
        self.host = host
        self.match = match
        self.player = player
        self.connection = host.seats[player]
        self.read_clocks = self.connection.read_clocks

    def begin(self) -> None:
        self.host._serving = self.player
        self.connection.process.release()

    def send(self, message: Message) -> None:
        self.host._serving = self.player
        self.host._send(self.match, self.player, message)

    def deliver(self, message: Message, reading: Reading) -> None:
        """Give the match a message of the program."""
        self.match.on_message(self.player, message, reading)

    def collect_stack(self) -> None:
        self.host._collect_stack(self.match, self.player)

    def hang_up(self) -> None:
        self.host._serving = self.player
        self.host._hang_up(self.player)

    def disconnect(self) -> None:
        """Close the connection without a message, as happens when the referee dies."""
        self.host._disconnect(self.player)
