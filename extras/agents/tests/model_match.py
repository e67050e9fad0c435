"""Matches in memory in which models play: the player of a model in a thread, at the other end of a seat."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import Any

from fake_provider import Behaviour, Provider, providing

from arena.bots.seat_program import FINISHED, OUTAGE
from arena.game import GameSpec
from arena.match.result import MatchResult
from arena.play.memory import MatchInMemory
from arena.play.memory.choices import copied
from arena.play.memory.match import Seated
from arena.play.memory.referee import Referee
from arena.play.memory.seats import MemorySeat
from arena.play.seats.waiting import SeatClient
from arena_agents import provider as client
from arena_agents.playing import Ledger, ModelPlayer
from arena_agents.settings import Aids, Model
from arena_player.errors import PlayerError


class Link:
    """The player's end of a seat."""

    def __init__(self) -> None:
        self.received: SimpleQueue[Any] = SimpleQueue()
        self.sent: SimpleQueue[Any] = SimpleQueue()

    def send(self, message: dict[str, Any]) -> None:
        self.sent.put(message)

    def receive(self) -> dict[str, Any]:
        message = self.received.get(timeout=30)
        if message is None:
            raise PlayerError("The match is over.")
        return dict(message)

    def close(self) -> None: ...


class ModelSeat(MemorySeat):
    plays = True

    def __init__(self, referee: Referee, player: int, seated: Seated, match: ModelMatch) -> None:
        super().__init__(referee, player, seated.output)
        self.link = Link()
        self.model = ModelPlayer(
            match.model,
            match.aids,
            client.Provider(match.model),
            Ledger("small", match.model),
            match.game.rules_text(),
            SeatClient(self.link),
            lambda _: None,
        )
        self._thread = Thread(target=lambda: self.link.sent.put(self.model.play()), daemon=True)

    def start(self) -> None:
        self.waits = False
        self._referee.connect(self._player)
        self._thread.start()
        for _ in ("hello", "ready"):
            self.play()

    def send(self, message: dict[str, Any]) -> None:
        self.link.received.put(copied(message))

    def play(self) -> None:
        said = self.link.sent.get(timeout=30)
        if isinstance(said, dict):
            self._say(said)
            return
        code, reason = said
        if code == OUTAGE:
            self._referee.match.on_outage(self._player, reason)
            self._referee.carry_out()
        elif code != FINISHED:
            self._referee.end(self._player, "resigned", reason)

    def finish(self) -> None:
        self.link.received.put(None)


class ModelMatch(MatchInMemory):
    """A match in which models play the first seats, all with one provider."""

    def __init__(
        self, game: GameSpec, provider: Provider, others: list[Any], *, models: int = 1, **settings: Any
    ) -> None:
        self.aids = Aids(**settings.pop("aids", {}))
        match = {name: settings.pop(name) for name in ("seed", "replay", "options", "names") if name in settings}
        self.model = Model(**{"base_url": provider.url, "model": "m", "pause": 0.0, "silence": 5.0} | settings)
        self.game = game
        self._models = models
        super().__init__(game, [*[None] * models, *others], **match)

    def _seat(self, number: int, seated: Seated, *, raises: bool) -> MemorySeat:
        if number < self._models:
            return ModelSeat(self._referee, number, seated, self)
        return super()._seat(number, seated, raises=raises)

    def counts(self, number: int = 0) -> dict[str, float]:
        seat = self._seats[number]
        assert isinstance(seat, ModelSeat)
        return seat.model.counts


def played(game: GameSpec, behave: Behaviour, others: list[Any], **settings: Any) -> tuple[MatchResult, Any, Provider]:
    """Play a whole match, and return its result, the counts of the first model, and the provider."""
    with providing(behave) as provider:
        match = ModelMatch(game, provider, others, **settings)
        match.play()
        return match.result(), match.counts(), provider
