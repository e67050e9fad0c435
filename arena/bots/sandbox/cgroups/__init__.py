"""Control groups, version 1 and 2: hard limits, an exact CPU clock, and freezing."""

from arena.bots.sandbox.cgroups.group import SeatGroup, make_group
from arena.bots.sandbox.cgroups.places import GroupPlaces, enter_scope, find_places, group_owner, scope_command

__all__ = ["GroupPlaces", "SeatGroup", "enter_scope", "find_places", "group_owner", "make_group", "scope_command"]
