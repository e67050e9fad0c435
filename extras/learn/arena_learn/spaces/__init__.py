"""Numbers for what a player sees and does, made from the schema of a game."""

from arena_learn.spaces.actions import Actions
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.tracker import Tracker

__all__ = ["Actions", "Layout", "Tracker"]
