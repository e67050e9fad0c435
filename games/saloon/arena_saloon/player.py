"""The two players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Entity, field
from arena_saloon.young_gun import YoungGun

if TYPE_CHECKING:
    from arena_saloon.game import Game


class Player(Entity):
    """One of the two gangs."""

    game: Game
    index: int = field("0 or 1.")
    score: int = field("Piano plays made: the points.", 0)
    kills: int = field("Deaths of enemy cowboys, whatever the cause.", 0)
    rowdiness: int = field("Bottle hits taken by own cowboys since the last siesta began.", 0)
    siesta: int = field("Own turn ends left until the siesta is over; 0 when there is none.", 0)
    young_gun: YoungGun = field("The one on the balcony who calls cowboys in.")
