"""Start matches from the pages of this machine: trials of maps, those of "What if", and those of the start page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette

from arena.web.pages import Endpoint, Order
from arena.web.starting import Starting
from arena.web.trials import Trials
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf


class LocalMatches:
    """All requests that start or follow a match. They need processes as Linux and macOS have them."""

    def __init__(self, viewing: Viewing, folder: Path, replays: Path) -> None:
        self.trials = Trials(viewing.add)
        self._what_if = WhatIf(viewing, replays)
        self._starting = Starting(folder, replays)

    def routes(self) -> dict[str, Endpoint]:
        return {
            "/trial/{number:int}": self.trials.status,
            "/started/{number:int}": self._starting.status,
            **self._what_if.routes(),
        }

    def orders(self) -> dict[str, Order]:
        return {
            "/play/{game}": self.trials.play,
            "/stop/{number:int}": self.trials.stop,
            "/start/{game}": self._starting.start,
            **self._what_if.orders(),
        }

    @asynccontextmanager
    async def lifespan(self, app: Starlette, folder: Path) -> AsyncIterator[None]:
        """Run the matches while the server runs.

        Args:
            folder: A folder for replays of trials.
        """
        self.trials.folder = folder
        async with self._what_if.lifespan(app):
            yield
        self.trials.close()
        self._starting.close()
