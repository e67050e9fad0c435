"""A test game whose observations are as large as its options say, and whose rules fail when a player asks for it."""

from __future__ import annotations

from typing import Any

from arena.game import GameSpec, Option, Outcome, State, action, field


class Painting(State):
    """The game: both players paint the whole picture anew in turn; nobody wins."""

    step: int = field("How often somebody has painted.", 0)
    pixels: tuple[float, ...] = field("The picture.", ())
    title: str = field("A title, which may be very long.", "")

    def setup(self) -> None:
        pass

    def to_document(self) -> dict[str, Any]:
        return {"step": self.step, "pixels": list(self.pixels), "title": self.title}

    def to_move(self) -> tuple[int, ...]:
        return () if self.step >= self.options.steps else (self.step % 2,)

    def turn_number(self) -> int:
        return self.step

    @action
    def paint(self) -> None:
        """Paint the whole picture."""
        self.step += 1
        self.pixels = tuple((self.step * 1000 + at) / 7 for at in range(self.options.pixels))
        self.title = chr(96 + self.step % 26) * self.options.letters

    @action
    def tear(self) -> None:
        """Do what the rules fail at."""
        raise ZeroDivisionError("the rules divide by zero")

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        return [{"type": "paint"}] if may and player in (None, *may) else []

    def fallback_action(self, player: int) -> dict[str, Any]:
        del player
        return {"type": "paint"}

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "painted")

    def scores(self) -> tuple[float, ...]:
        return (0.0, 0.0)


GAME = GameSpec(
    name="painting",
    title="Painting",
    version="1",
    state=Painting,
    options=(
        Option("pixels", "int", 4, "How many pixels the picture has.", 0, 10_000_000),
        Option("letters", "int", 4, "How long the title is.", 0, 100_000_000),
        Option("steps", "int", 4, "How often somebody paints.", 1, 1000),
    ),
)
