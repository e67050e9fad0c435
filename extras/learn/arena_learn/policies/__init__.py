"""Policies as NumPy weights: train them, play with them, and hand them in as bots."""

from arena_learn.policies.network import Policy, PolicyError

__all__ = ["Policy", "PolicyError"]
