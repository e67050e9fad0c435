"""The two players."""

from __future__ import annotations

from arena.game import field
from arena_saloon.thing import Thing
from arena_saloon.young_gun import YoungGun


class Player(Thing):
    """One of the two gangs."""

    index: int = field("0 or 1.")
    score: int = field("Piano plays made: the points.", 0)
    kills: int = field("Deaths of enemy cowboys, whatever the cause.", 0)
    rowdiness: int = field("Bottle hits taken by own cowboys since the last siesta began.", 0)
    siesta: int = field("Own turn ends left until the siesta is over; 0 when there is none.", 0)
    young_gun: YoungGun = field("The one on the balcony who calls cowboys in.")
