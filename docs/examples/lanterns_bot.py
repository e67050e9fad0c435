"""A bot for Lanterns that plays what it knows, hints what can be played, and discards otherwise."""

from arena_player import AI

COLOURS = ["red", "green", "blue"]


class Careful(AI):
    """Plays cards that it knows, hints the next playable card of another player, else discards."""

    def run_turn(self):
        self.act(self.choose())

    def choose(self):
        """Return an action."""
        game = self.game
        wanted = dict(zip(COLOURS, (height + 1 for height in game.lit), strict=True))
        own = [card for card in game.cards if card.owner == self.index]
        for card in own:
            colours = [card.told_colour] if card.told_colour else COLOURS
            if card.told_rank and all(wanted[colour] == card.told_rank for colour in colours):
                return {"type": "play", "card": card.id}
        if game.hints:
            for card in game.cards:
                if card.owner != self.index and card.rank == wanted[card.colour]:
                    if not card.told_rank:
                        return {"type": "hint_rank", "player": card.owner, "rank": card.rank}
                    if not card.told_colour:
                        return {"type": "hint_colour", "player": card.owner, "colour": card.colour}
        if game.hints < 8:
            return {"type": "discard", "card": own[0].id}
        other = next(card for card in game.cards if card.owner != self.index)
        return {"type": "hint_rank", "player": other.owner, "rank": other.rank}
