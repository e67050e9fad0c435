"""Whoever plays against a hostile bot: ends its turns and takes the win."""

from arena_player import AI


class Opponent(AI):
    def run_turn(self) -> None:
        pass
