"""People and remote bots who take part in the matches of a command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.output import say, say_lines
from arena.game import Clock
from arena.match.job import HUMAN, REMOTE, TERMINAL, SeatAssignment

if TYPE_CHECKING:
    from arena.play.referee.prepared import PreparedMatch
    from arena.play.seats.hosting import RemoteSeat
    from arena.play.seats.terminal import Terminal
    from arena.play.seats.ticket import RemoteSettings
    from arena.play.seats.waiting import PipeWaiting, Waiting
    from arena.web.viewing import LivePage


class Serving(NamedTuple):
    """Settings for pages: the address to serve on, the port (0 for any free one), and whether to open the browser."""

    host: str
    port: int
    browser: bool


class People:
    """The seats of people and remote bots, and the programs (pages, terminal, gateways) that connect them.

    Args:
        clock: The clock of people.
        remote: How remote bots connect; None if they cannot.
        in_memory: Whether the matches are played in memory.
    """

    def __init__(
        self, game: str, bots: Sequence[str], clock: Clock, remote: RemoteSettings | None, *, in_memory: bool
    ) -> None:
        if REMOTE in bots and remote is None:
            raise click.UsageError("A remote bot needs --listen: arena play ... --listen tcp://0.0.0.0:5555")
        if remote is not None and REMOTE not in bots:
            raise click.UsageError("--listen is for remote bots. Write remote in the place of a bot.")
        self.use_terminal = TERMINAL in bots
        self.use_browser = HUMAN in bots
        self._clock = clock
        self._places: dict[int, Waiting | PipeWaiting] = {}
        self._in_memory = in_memory
        self._bots = bots
        self._game = game
        self._remote = remote
        self._gateways: list[RemoteSeat] = []
        self._terminal: Terminal | None = None

    def assign(self, number: int, seat: SeatAssignment) -> SeatAssignment:
        """Return the seat of a person or remote bot, with the address of its socket added.

        For a remote bot, start the gateway. For a person, also set the clock. Return other seats unchanged.
        """
        if seat.bot == REMOTE:
            return replace(seat, address=self._gateway(number).address)
        if not seat.is_outside:
            return seat
        from arena.play.seats.waiting import waiting_for

        waiting = self._places[number] = waiting_for(in_memory=self._in_memory)
        return replace(seat, address=waiting.address, clock=self._clock)

    def _gateway(self, number: int) -> RemoteSeat:
        """Start the gateway that connects a remote bot to a seat."""
        from arena.play.seats.hosting import RemoteSeat

        assert self._remote is not None
        listen = self._remote.listen_for(len(self._gateways))
        gateway = RemoteSeat(
            self._game, f"Seat {number}", listen, self._remote.address, self._remote.resume, partial(say, err=True)
        )
        self._gateways.append(gateway)
        return gateway

    @property
    def error(self) -> Exception | None:
        """The error that ended the terminal of a person, such as a closed output; None if there was none."""
        return None if self._terminal is None else self._terminal.error

    def close(self) -> None:
        """End the gateways, and close the sockets on which people wait for matches."""
        for gateway in self._gateways:
            gateway.close()
        for waiting in self._places.values():
            waiting.close()

    def _of(self, kind: str) -> dict[int, Waiting | PipeWaiting]:
        return {number: waiting for number, waiting in self._places.items() if self._bots[number] == kind}

    @contextlib.contextmanager
    def playing(self, prepared: PreparedMatch, matches: int, serving: Serving, as_json: bool) -> Iterator[None]:
        """Let people and remote bots play matches while this context lasts. First wait for all remote bots.

        Args:
            matches: How many matches they play, one after the other.
            as_json: Whether standard output is for JSON. Texts then go to standard error.
        """
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)
            for gateway in self._gateways:
                say(f"arena join {gateway.ticket} MY_BOT", err=True)
            for gateway in self._gateways:
                gateway.wait()
            if self.use_terminal:
                from arena.play.seats.terminal import Terminal
                from arena.play.seats.waiting import Waiting

                places = [place for place in self._of(TERMINAL).values() if isinstance(place, Waiting)]
                say_text, prompt = partial(say_lines, err=as_json), partial(_prompt, err=as_json)
                self._terminal = Terminal(places, say_text, prompt, prepared.first_turn)
            if self.use_browser:
                from arena.web.people import serve_people

                pages = serve_people(prepared, self._of(HUMAN), serving.port, serving.host, matches=matches)
                for number, (name, url) in enumerate(stack.enter_context(pages).items()):
                    say(f"{name} plays at {url}", err=True)
                    if serving.browser and not number:
                        from arena.web.server import show

                        show(url)
            yield
            if self.error is not None:
                raise self.error


def _prompt(text: str, *, err: bool) -> None:
    say(text, nl=False, err=err)


# The pages in the browser on which somebody follows a match of ``arena play``, or sees its replay afterwards.


def follow(replay: Path, port: int, open_browser: bool) -> LivePage:
    from arena.web.server import show
    from arena.web.viewing import LivePage

    def announce(url: str) -> None:
        _show_address(url)
        if open_browser:
            show(url)

    return LivePage(replay, port, announce, partial(say, err=True))


def serve_replays(replays: list[Path], port: int, open_browser: bool) -> None:
    """Serve the replays until the user stops it."""
    from arena.study.replaying.presentation import legs_for
    from arena.web.server import serve
    from arena.web.viewing import Viewing
    from arena.web.what_if import WhatIf
    from arena_replays.legs import as_matches

    viewing = Viewing(as_matches(replays, legs_for))
    serve(WhatIf(viewing).application(), port, _show_address, page=viewing.first_page, open_browser=open_browser)


def _show_address(url: str) -> None:
    say(f"Watch at {url}   (Ctrl-C stops it)", err=True)
