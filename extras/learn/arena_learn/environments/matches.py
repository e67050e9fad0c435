"""The match of one seat against its opponents: in memory, or with each opponent in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.game import Document, GameSpec, Outcome, State, View, filled
from arena.play.memory import MatchInMemory, Player
from arena.play.seats.external import ExternalSeat
from arena_learn.spaces.tracker import Tracker, merged


@dataclass(frozen=True, slots=True)
class Sandboxed:
    """An opponent that plays in a process of its own, in a sandbox if this machine has one, as in `arena play`.

    It can be a bot that you do not trust, in any language. A match starts in about a tenth of a second, and a step
    takes some times as long as in memory.

    Attributes:
        bot: A file, a folder or ``builtin:NAME``.
    """

    bot: str | Path


class InMemory:
    """A match whose opponents play in this process.

    Attributes:
        state: The state of the game, with everything that is hidden from the seat.
    """

    def __init__(
        self,
        game: GameSpec,
        seat: int,
        opponents: Sequence[Player],
        settings: Sequence[Mapping[str, str]],
        seed: int,
        options: Mapping[str, Any],
    ) -> None:
        players: list[Player] = [*opponents[:seat], None, *opponents[seat:]]
        given = [*settings[:seat], {}, *settings[seat:]]
        self._match = MatchInMemory(game, players, seed=seed, options=options, settings=given, raises=True)
        self._seat = seat
        self._has_model = any(isinstance(player, str) for player in opponents)  # bots have been loaded
        self.state: State = self._match.state
        self._match.play()
        self.skip()

    def follow(self, tracker: Tracker) -> None:
        """Bring what the seat sees up to date."""
        tracker.apply(merged(tracker.things, self._match.updates(self._seat)[0]))

    def skip(self) -> None:
        """Leave out all changes up to now: the tracker knows them, or starts with a view."""
        self._match.updates(self._seat)

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._match.over

    @property
    def turn(self) -> int:
        """The game's number of the turn."""
        return self.state.turn_number()

    @property
    def out(self) -> Sequence[int]:
        """The players who are out."""
        return self._match.out

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the match goes on."""
        return self._match.outcome

    @property
    def ending(self) -> str:
        """How the match has ended for the seat."""
        return self._match.result().players[self._seat].ending

    def view(self) -> View:
        """Return what the seat sees, as flat triples."""
        return self._match.view(self._seat)

    def legal_actions(self) -> list[Document]:
        """Return the legal actions; none if the match is over."""
        return [] if self.over else self._match.legal_actions(self._seat)

    def fallback_action(self) -> Document:
        """Return the action that the referee would take for the seat."""
        return self.state.fallback_action(self._seat)

    def act(self, action: Document) -> None:
        """Carry out an action, and let the others play until it is the seat's move again."""
        self._match.act(self._seat, action)
        self._match.play()

    def resign(self) -> None:
        """Give the match up."""
        self._match.resign(self._seat)
        self._match.play()

    def close(self) -> None:
        """End a match in which a language model waits, in a process of its own. Any other match holds nothing."""
        if self._has_model:
            self._match.close()


class InSandbox(ExternalSeat):
    """A match whose opponents play in sandboxes. The seat takes part as a person would, without a clock.

    Attributes:
        state: None: the state is in the process of the match.
    """

    state = None

    def follow(self, tracker: Tracker) -> None:
        """Bring what the seat sees up to date."""
        tracker.sync(self.view())

    def skip(self) -> None:
        """Do nothing: a view has all changes."""

    def fallback_action(self) -> Document:
        """Return the action that ends the turn if there is one, else the first legal action."""
        legal = self.legal_actions()
        return filled(next((action for action in legal if action["type"] in ("end_turn", "pass")), legal[0]))
