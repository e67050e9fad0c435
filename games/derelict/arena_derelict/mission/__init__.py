"""Mission files: reading, checking, and the missions that come with the game."""

from arena_derelict.mission.library import MISSIONS, load_map
from arena_derelict.mission.problem import Problem
from arena_derelict.mission.validator import errors_in, validate
from arena_derelict.mission.warnings import warnings_about

__all__ = ["MISSIONS", "Problem", "errors_in", "load_map", "validate", "warnings_about"]
